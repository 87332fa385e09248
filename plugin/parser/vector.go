package parser

import (
	"strconv"
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// foldVectors replaces string_to_vector('[…]') and its synonyms by the string where it is an argument of a distance:
// the planner takes a vector index only for a literal, and a distance reads the string as the same vector. Elsewhere,
// and for text that is no vector, the function stays.
func (p *Parser) foldVectors(stmt ast.Statement) ast.Statement {
	return p.walker.walk(stmt, func(n any) (any, bool) {
		if f, ok := n.(*ast.FuncExpr); ok && isDistance(f) {
			for _, e := range f.Exprs {
				if a, ok := e.(*ast.AliasedExpr); ok {
					if v := vectorLiteral(a.Expr); v != nil {
						a.Expr = v
					}
				}
			}
		}
		return n, true
	})
}

func isDistance(f *ast.FuncExpr) bool {
	name := f.Name.Lowered()
	return f.Qualifier.IsEmpty() && (name == "distance" || strings.HasPrefix(name, "vec_distance"))
}

// vectorLiteral returns the literal that a call makes a vector of, or nil.
func vectorLiteral(e ast.Expr) ast.Expr {
	f, ok := e.(*ast.FuncExpr)
	if !ok || len(f.Exprs) != 1 || !equalFoldAny(f.Name.Lowered(), "string_to_vector", "to_vector", "vec_fromtext") {
		return nil
	}
	a, ok := f.Exprs[0].(*ast.AliasedExpr)
	if !ok {
		return nil
	}
	v, ok := a.Expr.(*ast.SQLVal)
	if !ok || v.Type != ast.StrVal || !isVectorText(string(v.Val)) {
		return nil
	}
	return v
}

// isVectorText tells whether s is [x, …] with numbers that a float32 holds.
func isVectorText(s string) bool {
	s = strings.TrimSpace(s)
	if len(s) < 3 || s[0] != '[' || s[len(s)-1] != ']' {
		return false
	}
	for _, part := range strings.Split(s[1:len(s)-1], ",") {
		part = strings.TrimSpace(part)
		if part == "" || strings.ContainsAny(part, "xXpP_nNiI") {
			return false
		}
		if _, err := strconv.ParseFloat(part, 32); err != nil {
			return false
		}
	}
	return true
}
