package parser

import (
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// ReplaceNames calls f for every unqualified column name below stmt, also where the engine's interpreter doesn't look
// (CASE, BETWEEN, HAVING, ORDER BY, join conditions, function arguments, …), and puts the expression it returns in its
// place; nil leaves the name. Names that are the target of an assignment are not visited. For interpreters of stored
// routines: f answers for local variables and parameters. stmt is changed; use a copy.
func ReplaceNames(stmt ast.Statement, f func(lower string) ast.Expr) ast.Statement {
	var w walker
	var look visit
	value := func(e *ast.Expr) {
		n, down := look(*e)
		*e = n.(ast.Expr)
		if down {
			w.walkIn(*e, look)
		}
	}
	look = func(n any) (any, bool) {
		switch n := n.(type) {
		case *ast.SetVarExpr:
			if n.Expr != nil {
				value(&n.Expr)
			}
			return n, false
		case *ast.AssignmentExpr:
			value(&n.Expr)
			return n, false
		case *ast.ColName:
			if n.Qualifier.IsEmpty() {
				if e := f(strings.ToLower(n.Name.String())); e != nil {
					return e, false
				}
			}
		}
		return n, true
	}
	return w.walk(stmt, look)
}
