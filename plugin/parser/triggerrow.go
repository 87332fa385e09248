package parser

import (
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/freshetdb/freshet/plugin/correct"
)

// keepTriggerRows hides NEW.x and OLD.x in ON DUPLICATE KEY UPDATE from the binder, which looks for them among the
// statement's own rows only. A row alias of the statement hides them itself.
func (p *Parser) keepTriggerRows(body ast.Statement) ast.Statement {
	return p.walker.walk(body, func(n any) (any, bool) {
		insert, ok := n.(*ast.Insert)
		if !ok || len(insert.OnDup) == 0 {
			return n, true
		}
		alias := ""
		if values, ok := insert.Rows.(*ast.AliasedValues); ok {
			alias = strings.ToLower(values.As.String())
		}
		p.walker.walkIn(insert.OnDup, func(n any) (any, bool) {
			switch n := n.(type) {
			case *ast.Subquery:
				return n, false // bound in a scope of its own
			case *ast.ColName:
				table := strings.ToLower(n.Qualifier.Name.String())
				if (table == "new" || table == "old") && table != alias && n.Qualifier.DbQualifier.IsEmpty() {
					return ast.InjectedExpr{Auth: authNone, Expression: correct.TriggerRow{Table: table, Column: n.Name.String()}}, false
				}
			}
			return n, true
		})
		return n, true
	})
}
