package parser

import (
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// ofDefinerView marks the rights that the tables of a view with SQL SECURITY DEFINER need.
type ofDefinerView struct{}

// OfDefinerView tells whether a right is one that a table in a CREATE VIEW needs whose definer's rights count.
func OfDefinerView(auth ast.AuthInformation) bool {
	_, ok := auth.Extra.(ofDefinerView)
	return ok
}

// rights corrects the rights that a statement says it needs.
func rights(stmt ast.Statement) {
	switch stmt := stmt.(type) {
	case *ast.ShowGrants:
		if stmt.For == nil {
			stmt.Auth = authNone // everyone may know their own
		}
	case *ast.Show:
		if strings.EqualFold(stmt.Type, "processlist") {
			stmt.Auth = authNone // everyone may see their own
		}
	case *ast.DDL:
		view := stmt.ViewSpec
		if view == nil || view.ViewExpr == nil || strings.EqualFold(view.Security, "invoker") {
			return
		}
		walkAll(view.ViewExpr, func(n ast.SQLNode) {
			if table, ok := n.(*ast.AliasedTableExpr); ok && table.Auth.AuthType == ast.AuthType_SELECT {
				table.Auth.Extra = ofDefinerView{}
			}
		})
	}
}

// walkAll visits all nodes. Visiting cannot fail.
func walkAll(n ast.SQLNode, visit func(ast.SQLNode)) {
	if err := ast.Walk(func(n ast.SQLNode) (bool, error) {
		visit(n)
		return true, nil
	}, n); err != nil {
		panic(err)
	}
}
