package parser

import (
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// orderByAliases replaces, in a query with HAVING, an ORDER BY alias of an expression by that expression: the binder
// looks for the alias below the HAVING, where an expression over an aggregate does not exist yet, and refuses it.
func (p *Parser) orderByAliases(stmt ast.Statement) ast.Statement {
	return p.walker.walk(stmt, func(n any) (any, bool) {
		sel, ok := n.(*ast.Select)
		if !ok || sel.Having == nil || len(sel.OrderBy) == 0 {
			return n, true
		}
		aliases := map[string]*ast.AliasedExpr{}
		for _, e := range sel.SelectExprs {
			a, ok := e.(*ast.AliasedExpr)
			if ok && !a.As.IsEmpty() && !isPlainAggregateOrColumn(a.Expr) {
				aliases[a.As.Lowered()] = a
			}
		}
		if len(aliases) == 0 {
			return n, true
		}
		for _, o := range sel.OrderBy {
			if a := aliases[aliasName(o.Expr)]; a != nil && p.hasAggregate(a.Expr) {
				o.Expr = a.Expr
			}
		}
		return n, true
	})
}

// aliasName returns the name, in lower case, that e would have to be an alias by; empty if it can't be one.
func aliasName(e ast.Expr) string {
	c, ok := e.(*ast.ColName)
	if !ok || !c.Qualifier.IsEmpty() {
		return ""
	}
	return c.Name.Lowered()
}

// isPlainAggregateOrColumn tells whether the binder finds an alias of e by itself.
func isPlainAggregateOrColumn(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.ColName, *ast.GroupConcatExpr:
		return true
	case *ast.FuncExpr:
		return isAggregate(e)
	}
	return false
}

// aggregates are the functions that work on groups, as the engine has them.
var aggregates = map[string]bool{
	"any_value": true, "avg": true, "bit_and": true, "bit_or": true, "bit_xor": true, "count": true,
	"group_concat": true, "json_arrayagg": true, "json_objectagg": true, "max": true, "min": true, "std": true,
	"stddev": true, "stddev_pop": true, "stddev_samp": true, "sum": true, "var_pop": true, "var_samp": true,
	"variance": true, "first": true, "last": true,
}

// isAggregate tells whether f works on groups here: not as a window function.
func isAggregate(f *ast.FuncExpr) bool {
	return f.Over == nil && f.Qualifier.IsEmpty() && aggregates[strings.ToLower(f.Name.String())]
}

// hasAggregate tells whether e holds an aggregate, outside of subqueries.
func (p *Parser) hasAggregate(e ast.Expr) bool {
	found := false
	look := func(n any) (any, bool) {
		switch n := n.(type) {
		case *ast.Subquery:
			return n, false
		case *ast.GroupConcatExpr:
			found = true
		case *ast.FuncExpr:
			found = found || isAggregate(n)
		}
		return n, !found
	}
	if _, down := look(e); down {
		p.walker.walkIn(e, look)
	}
	return found
}
