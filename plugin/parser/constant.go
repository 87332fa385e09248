package parser

import (
	"bytes"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/freshetdb/freshet/plugin/correct"
)

// keepConstants hides decimals, and parameters that may turn out to be decimals, from the binder where they are
// compared: it would round them to the scale of the column on the other side.
func (p *Parser) keepConstants(stmt ast.Statement) ast.Statement {
	return p.walker.walk(stmt, func(n any) (any, bool) {
		if c, ok := n.(*ast.ComparisonExpr); ok {
			c.Left, c.Right = keptConstant(c.Left), keptConstant(c.Right)
		}
		return n, true
	})
}

// keptConstant is e in a form that the binder does not take for a literal, or e.
func keptConstant(e ast.Expr) ast.Expr {
	switch v := e.(type) {
	case *ast.ParenExpr:
		if kept := keptConstant(v.Expr); kept != v.Expr {
			return kept
		}
	case *ast.UnaryExpr:
		if v.Operator == ast.PlusStr { // which the binder drops
			return keptConstant(v.Expr)
		}
	case *ast.SQLVal:
		if v.Type == ast.ValArg || v.Type == ast.FloatVal && !bytes.ContainsAny(v.Val, "eE") {
			return ast.InjectedExpr{Auth: authNone, Expression: correct.Constant{Text: ast.String(v)}, Children: ast.Exprs{v}}
		}
	}
	return e
}
