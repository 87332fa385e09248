package correct

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/freshetdb/freshet/vtab"
)

// columnLimits gives the limits of a column, by the name that its table has in the
// statement.
type columnLimits func(table, column string) vtab.Limits

// limitsOf are those of the columns of the tables below a node; nil has none.
func limitsOf(n sql.Node) columnLimits {
	tables := map[string]*vtab.Table{}
	if n != nil {
		limitedTables(n, "", tables)
	}
	return func(table, column string) vtab.Limits {
		if t := tables[strings.ToLower(table)]; t != nil {
			return t.Limits(column)
		}
		return vtab.Limits{}
	}
}

func limitedTables(n sql.Node, alias string, tables map[string]*vtab.Table) {
	if table, ok := storeTable(n); ok {
		if table.Limited() {
			if alias == "" {
				alias = table.Name()
			}
			tables[strings.ToLower(alias)] = table
		}
		return
	}
	if a, ok := n.(*plan.TableAlias); ok {
		alias = a.Name()
	}
	for _, child := range n.Children() {
		limitedTables(child, alias, tables)
	}
}
