package correct

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
)

// replaceSortName is the engine's rule that drops a sort whose order an index
// gives.
const replaceSortName = "replaceIdxSort"

// keepSorts keeps the engine's rule away from joins it does not understand. It
// compares ORDER BY with indexes after it has put the names of tables in the place
// of their aliases, so in a self join it takes the order of one table for that of
// the other; and a join that adds rows of NULL has not the order of the side they
// are added to.
func keepSorts(rule analyzer.RuleFunc) analyzer.RuleFunc {
	return func(ctx *sql.Context, a *analyzer.Analyzer, n sql.Node, scope *plan.Scope, sel analyzer.RuleSelector, flags *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
		if mixesOrders(n) {
			return n, transform.SameTree, nil
		}
		return rule(ctx, a, n, scope, sel, flags)
	}
}

// mixesOrders reports whether a plan sorts, and has an outer merge join, or a join
// of a table with itself.
func mixesOrders(n sql.Node) bool {
	sorts, mixed := false, false
	transform.Inspect(n, func(n sql.Node) bool {
		switch n := n.(type) {
		case *plan.Sort:
			sorts = true
		case *plan.JoinNode:
			mixed = mixed || n.JoinType().IsMerge() && n.JoinType().IsOuter() || joinsItself(n)
		}
		return true
	})
	return sorts && mixed
}

// joinsItself reports whether a table occurs twice below a join.
func joinsItself(join *plan.JoinNode) bool {
	seen, twice := map[string]bool{}, false
	transform.Inspect(join, func(n sql.Node) bool {
		table, ok := n.(sql.TableNode)
		if !ok {
			return true
		}
		name := strings.ToLower(table.Name())
		if db := table.Database(); db != nil {
			name = strings.ToLower(db.Name()) + "." + name
		}
		twice = twice || seen[name]
		seen[name] = true
		return false
	})
	return twice
}
