package parser

import (
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/freshetdb/freshet/plugin/correct"
)

// Operators hands +, -, *, the negation of what is no literal, and ~ to package correct, which declares the results as
// MySQL does. It changes stmt and returns it. For statements that are taken out of the body of a routine; those the
// parser returns have been through it.
func (p *Parser) Operators(stmt ast.Statement) ast.Statement { return p.walker.walk(stmt, operator) }

// operators is for whole statements. Of a definition it leaves all but the SELECT alone, and the bodies of routines:
// the engine's interpreter doesn't look for its variables there.
func (p *Parser) operators(stmt ast.Statement, compound bool) ast.Statement {
	ddl, ok := stmt.(*ast.DDL)
	switch {
	case !ok, compound && ddl.ProcedureSpec == nil:
		return p.Operators(stmt)
	case ddl.OptSelect != nil:
		p.walker.walkIn(ddl.OptSelect, operator)
	case ddl.ViewSpec != nil:
		p.walker.walkIn(ddl.ViewSpec, operator)
	}
	return stmt
}

func operator(n any) (any, bool) {
	switch e := n.(type) {
	case *ast.BinaryExpr:
		if e.Operator != ast.PlusStr && e.Operator != ast.MinusStr && e.Operator != ast.MultStr || isInterval(e.Left) || isInterval(e.Right) {
			return n, true
		}
		return ast.InjectedExpr{Auth: authNone, Expression: correct.NewOperator(e), Children: ast.Exprs{e.Left, e.Right}}, true
	case *ast.UnaryExpr:
		v, literal := e.Expr.(*ast.SQLVal)
		if e.Operator == ast.TildaStr || e.Operator == ast.MinusStr && (!literal || v.Type == ast.ValArg) {
			return ast.InjectedExpr{Auth: authNone, Expression: correct.NewOperator(e), Children: ast.Exprs{e.Expr}}, true
		}
	}
	return n, true
}

func isInterval(e ast.Expr) bool {
	_, ok := e.(*ast.IntervalExpr)
	return ok
}
