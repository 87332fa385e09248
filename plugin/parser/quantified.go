package parser

import (
	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// Functions that stand for ANY and ALL in the text the base grammar gets.
const (
	anyMark = "\x01any"
	allMark = "\x01all"
)

// quantified: ANY, SOME or ALL behind a comparison and in front of a subquery.
func quantified(s *source, i int) (int, error) {
	if i == 0 || !s.punct(i+1, '(') || s.tokens[i-1].kind != kindPunct {
		return i, nil
	}
	if b := s.text[s.tokens[i-1].start]; b != '=' && b != '<' && b != '>' {
		return i, nil
	}
	mark := anyMark
	if s.word(i, "all") {
		mark = allMark
	}
	r := &reader{s: s, i: i + 2}
	if !r.skipParens() {
		return i, nil
	}
	s.replace(i, i+1, "`"+mark+"`((", true)
	at := s.tokens[r.i-1].end
	s.edits = append(s.edits, edit{span{at, at}, ")", true})
	return i + 1, nil
}

// compareSets replaces x op ANY (q) and x op ALL (q). = ANY is IN and <> ALL is NOT IN. The others look at the least
// and greatest value, with SQL's rules for no rows and for NULLs among them:
//
//	(SELECT CASE WHEN rows = 0 THEN FALSE WHEN x op bound THEN TRUE WHEN known < rows THEN NULL ELSE x op bound END
//	 FROM (SELECT MIN(c) min, MAX(c) max, COUNT(c) known, COUNT(*) rows FROM (q) AS set (c)) AS set)
//
// for ANY, where bound is the end of q's values that decides, and the same with TRUE for no rows and NOT (x op bound) THEN FALSE for ALL.
func (p *Parser) compareSets(stmt ast.Statement) (ast.Statement, error) {
	var err error
	stmt = p.walker.walk(stmt, func(n any) (any, bool) {
		c, ok := n.(*ast.ComparisonExpr)
		if !ok {
			return n, err == nil
		}
		f, ok := c.Right.(*ast.FuncExpr)
		if !ok || !f.Qualifier.IsEmpty() || f.Name.String() != anyMark && f.Name.String() != allMark {
			return n, true
		}
		q := subqueryOf(f)
		if q == nil {
			err = errSyntaxNear("ANY", 0)
			return n, false
		}
		all := f.Name.String() == allMark
		switch {
		case !all && c.Operator == ast.EqualStr:
			return &ast.ComparisonExpr{Operator: ast.InStr, Left: c.Left, Right: q}, true
		case all && c.Operator == ast.NotEqualStr:
			return &ast.ComparisonExpr{Operator: ast.NotInStr, Left: c.Left, Right: q}, true
		}
		if _, row := c.Left.(ast.ValTuple); row {
			err = errUnsupported("a row compared with ANY or ALL by " + c.Operator)
			return n, false
		}
		e := setComparison(c.Left, c.Operator, q, all)
		if e == nil {
			err = errSyntaxNear(c.Operator, 0)
			return n, false
		}
		return e, true
	})
	return stmt, err
}

func subqueryOf(f *ast.FuncExpr) *ast.Subquery {
	if len(f.Exprs) != 1 {
		return nil
	}
	a, ok := f.Exprs[0].(*ast.AliasedExpr)
	if !ok {
		return nil
	}
	q, _ := a.Expr.(*ast.Subquery)
	return q
}

// Names in what compareSets makes.
const (
	setTable  = "\x01set"
	setColumn = "\x01c"
	setLeast  = "\x01min"
	setMost   = "\x01max"
	setRows   = "\x01rows"
	setKnown  = "\x01known"
)

// setComparison compares x with the bounds of q.
func setComparison(x ast.Expr, operator string, q *ast.Subquery, all bool) ast.Expr {
	holds := func(bound string) ast.Expr {
		return &ast.ComparisonExpr{Operator: operator, Left: clone(x), Right: column(setTable, bound)}
	}
	var compare func() ast.Expr
	switch operator {
	case ast.GreaterThanStr, ast.GreaterEqualStr:
		compare = func() ast.Expr { return holds(map[bool]string{true: setMost, false: setLeast}[all]) }
	case ast.LessThanStr, ast.LessEqualStr:
		compare = func() ast.Expr { return holds(map[bool]string{true: setLeast, false: setMost}[all]) }
	case ast.EqualStr: // ALL
		compare = func() ast.Expr {
			return &ast.ParenExpr{Expr: &ast.AndExpr{Left: holds(setLeast), Right: holds(setMost)}}
		}
	case ast.NotEqualStr: // ANY
		compare = func() ast.Expr {
			return &ast.ParenExpr{Expr: &ast.OrExpr{Left: holds(setLeast), Right: holds(setMost)}}
		}
	default:
		return nil
	}
	decided := compare()
	if all {
		decided = &ast.NotExpr{Expr: &ast.ParenExpr{Expr: decided}}
	}
	outcome := &ast.CaseExpr{
		Whens: []*ast.When{
			{Cond: &ast.ComparisonExpr{Operator: ast.EqualStr, Left: column(setTable, setRows), Right: integer(0)}, Val: ast.BoolVal(all)},
			{Cond: decided, Val: ast.BoolVal(!all)},
			{Cond: &ast.ComparisonExpr{Operator: ast.LessThanStr, Left: column(setTable, setKnown), Right: column(setTable, setRows)}, Val: &ast.NullVal{}},
		},
		Else: compare(),
	}
	return &ast.Subquery{Select: &ast.Select{
		SelectExprs: ast.SelectExprs{&ast.AliasedExpr{Expr: outcome}},
		From:        ast.TableExprs{derivedTable(&ast.Subquery{Select: setBounds(q)})},
	}}
}

// setBounds is the query of the bounds and counts of q: one row.
func setBounds(q *ast.Subquery) *ast.Select {
	s := &ast.Select{From: ast.TableExprs{derivedTable(&ast.Subquery{Select: q.Select, Columns: ast.Columns{ast.NewColIdent(setColumn)}})}}
	value := &ast.AliasedExpr{Expr: column(setTable, setColumn)}
	for _, c := range []struct {
		function, name string
		of             ast.SelectExpr
	}{{"min", setLeast, value}, {"max", setMost, clone(value)}, {"count", setKnown, clone(value)}, {"count", setRows, &ast.StarExpr{}}} {
		call := &ast.FuncExpr{Name: ast.NewColIdent(c.function), Exprs: ast.SelectExprs{c.of}}
		s.SelectExprs = append(s.SelectExprs, &ast.AliasedExpr{Expr: call, As: ast.NewColIdent(c.name)})
	}
	return s
}

func derivedTable(q *ast.Subquery) ast.TableExpr {
	return &ast.AliasedTableExpr{Expr: q, As: ast.NewTableIdent(setTable), Auth: authNone}
}
