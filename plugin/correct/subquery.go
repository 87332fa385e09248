package correct

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
)

// scalarSubquery is a subquery that has to have at most one row. The engine turns
// a comparison with a subquery in WHERE into a semi or anti join, which takes any
// number of rows for right, and no row under NOT for a match; it does not look
// through this expression.
type scalarSubquery struct{ child sql.Expression }

var _ sql.Expression = (*scalarSubquery)(nil)

// Eval implements sql.Expression.
func (s *scalarSubquery) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	return s.child.Eval(ctx, row)
}

// Type implements sql.Expression.
func (s *scalarSubquery) Type(ctx *sql.Context) sql.Type { return s.child.Type(ctx) }

// IsNullable implements sql.Expression.
func (s *scalarSubquery) IsNullable(ctx *sql.Context) bool { return s.child.IsNullable(ctx) }

// Resolved implements sql.Expression.
func (s *scalarSubquery) Resolved() bool { return s.child.Resolved() }

// String implements sql.Expression.
func (s *scalarSubquery) String() string { return s.child.String() }

// DebugString implements sql.DebugStringer.
func (s *scalarSubquery) DebugString(ctx *sql.Context) string { return sql.DebugString(ctx, s.child) }

// Children implements sql.Expression.
func (s *scalarSubquery) Children() []sql.Expression { return []sql.Expression{s.child} }

// WithChildren implements sql.Expression.
func (s *scalarSubquery) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(s, len(children), 1)
	}
	return &scalarSubquery{children[0]}, nil
}

// guardSubqueries keeps comparisons with subqueries that may have several rows from
// being turned into joins.
func guardSubqueries(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	return transform.NodeWithOpaque(ctx, n, func(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		filter, ok := n.(*plan.Filter)
		if !ok {
			return n, transform.SameTree, nil
		}
		negated := map[sql.Expression]bool{}
		sql.Inspect(ctx, filter.Expression, func(_ *sql.Context, e sql.Expression) bool {
			if not, ok := e.(*expression.Not); ok {
				negated[not.Child] = true
			}
			return true
		})
		guarded, same, err := transform.Expr(ctx, filter.Expression, func(ctx *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
			comparison, ok := e.(expression.Comparer)
			if !ok {
				return e, transform.SameTree, nil
			}
			subquery, ok := comparison.Right().(*plan.Subquery)
			if !ok || len(subquery.Query.Schema(ctx)) != 1 || (!negated[e] && oneRow(ctx, subquery.Query)) {
				return e, transform.SameTree, nil
			}
			changed, err := comparison.WithChildren(ctx, comparison.Left(), &scalarSubquery{subquery})
			return changed, transform.NewTree, err
		})
		if err != nil || same == transform.SameTree {
			return n, transform.SameTree, err
		}
		return plan.NewFilter(ctx, guarded, filter.Child), transform.NewTree, nil
	})
}

// oneRow says whether a query is known to have at most one row: an aggregate
// without groups, LIMIT 1, or one value of a unique key.
func oneRow(ctx *sql.Context, n sql.Node) bool {
	switch n := n.(type) {
	case *plan.Project:
		return oneRow(ctx, n.Child)
	case *plan.Having:
		return oneRow(ctx, n.Child)
	case *plan.Sort:
		return oneRow(ctx, n.Child)
	case *plan.Distinct:
		return oneRow(ctx, n.Child)
	case *plan.Limit:
		count, ok := n.Limit.(*expression.Literal)
		return (ok && isOne(count.Value())) || oneRow(ctx, n.Child)
	case *plan.GroupBy:
		return len(n.GroupByExprs) == 0
	case *plan.ResolvedTable:
		return plan.IsDualTable(n.Table)
	case *plan.Filter:
		return oneRow(ctx, n.Child) || oneByKey(ctx, n)
	}
	return false
}

func isOne(value any) bool {
	switch v := value.(type) {
	case int8:
		return v <= 1
	case int64:
		return v <= 1
	case uint64:
		return v <= 1
	case int:
		return v <= 1
	}
	return false
}

// oneByKey says whether a filter over a table fixes all columns of a unique key.
func oneByKey(ctx *sql.Context, n *plan.Filter) bool {
	source := n.Child
	if alias, ok := source.(*plan.TableAlias); ok {
		source = alias.Child
	}
	resolved, ok := source.(*plan.ResolvedTable)
	if !ok {
		return false
	}
	table, ok := resolved.UnderlyingTable().(sql.IndexAddressableTable)
	if !ok {
		return false
	}
	fixed := map[string]bool{}
	for _, e := range expression.SplitConjunction(ctx, n.Expression) {
		equals, ok := e.(*expression.Equals)
		if !ok {
			continue
		}
		for _, side := range [][2]sql.Expression{{equals.Left(), equals.Right()}, {equals.Right(), equals.Left()}} {
			if column, ok := side[0].(*expression.GetField); ok && resolved.Columns().Contains(column.Id()) && !reads(ctx, side[1], resolved.Columns()) {
				fixed[strings.ToLower(column.Name())] = true
			}
		}
	}
	indexes, err := table.GetIndexes(ctx)
	if err != nil {
		return false // the query will meet the error itself
	}
	for _, index := range indexes {
		if index.IsUnique() && len(index.PrefixLengths()) == 0 && fixesAll(index, fixed) {
			return true
		}
	}
	return false
}

func fixesAll(index sql.Index, fixed map[string]bool) bool {
	for _, part := range index.Expressions() {
		name := part[strings.LastIndexByte(part, '.')+1:]
		if !fixed[strings.ToLower(name)] {
			return false
		}
	}
	return len(index.Expressions()) > 0
}

// reads says whether an expression depends on one of the columns.
func reads(ctx *sql.Context, e sql.Expression, columns sql.ColSet) bool {
	found := false
	sql.Inspect(ctx, e, func(_ *sql.Context, e sql.Expression) bool {
		switch e := e.(type) {
		case *expression.GetField:
			found = found || columns.Contains(e.Id())
		case *plan.Subquery:
			found = true
		}
		return !found
	})
	return found
}
