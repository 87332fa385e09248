package parser

import (
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// The table that a SELECT without FROM reads: one row, one column that nobody can name. The provider must answer
// for the database but not list it. (The engine's own way to run such a SELECT builds a session each time and costs
// fifteen times as much.)
const (
	DualDatabase = "__sys"
	DualTable    = "one"
	DualColumn   = "\x01"
)

// GiveFrom lets every SELECT without FROM in stmt read DualDatabase.DualTable. It changes stmt and returns it. For
// statements that did not come from this parser: those the engine's procedure interpreter makes of conditions and
// assignments.
func (p *Parser) GiveFrom(stmt ast.Statement) ast.Statement {
	if sel, ok := stmt.(*ast.Select); ok && len(sel.From) == 0 {
		giveFrom(sel)
	}
	return p.walker.walk(stmt, func(n any) (any, bool) {
		switch n := n.(type) {
		case *ast.Explain:
			return n, false // the plan shows the statement as it was written
		case *ast.Select:
			giveFrom(n)
		}
		return n, true
	})
}

// giveFrom changes one SELECT, unless it selects *: that is an error which the binder reports.
func giveFrom(sel *ast.Select) {
	if len(sel.From) > 1 || len(sel.From) == 1 && !isDual(sel.From[0]) {
		return
	}
	for _, e := range sel.SelectExprs {
		if _, ok := e.(*ast.StarExpr); ok {
			return
		}
	}
	if len(sel.SelectExprs) == 0 {
		return
	}
	sel.From = ast.TableExprs{&ast.AliasedTableExpr{
		Expr: ast.TableName{Name: ast.NewTableIdent(DualTable), DbQualifier: ast.NewTableIdent(DualDatabase)},
		Auth: authNone,
	}}
}

// isDual tells whether t is the DUAL of a plain FROM DUAL.
func isDual(t ast.TableExpr) bool {
	a, ok := t.(*ast.AliasedTableExpr)
	if !ok || !a.As.IsEmpty() || a.AsOf != nil {
		return false
	}
	name, ok := a.Expr.(ast.TableName)
	return ok && name.DbQualifier.IsEmpty() && strings.EqualFold(name.Name.String(), "dual")
}
