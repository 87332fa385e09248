package parser

import (
	"strings"

	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// rollupMark is the last item of a GROUP BY … WITH ROLLUP, for the base grammar's eyes.
const rollupMark = "\x01rollup"

// Names inside the expansion; none of them can be written by a user.
const (
	rollupTable    = "\x01rollup"
	rollupKey      = "\x01key"
	rollupValue    = "\x01value"
	rollupGrouping = "\x01grouping"
)

// expandRollups replaces every query with GROUP BY k1, …, kn WITH ROLLUP by
//
//	SELECT … FROM (
//	    SELECT k1 key1, …, kn keyn, agg value1, …, 0 grouping1, …, 0 groupingn FROM … WHERE … GROUP BY k1, …, kn
//	    UNION ALL SELECT k1, …, NULL, agg, …, 0, …, 1 FROM … WHERE … GROUP BY k1, …, kn-1
//	    …
//	    UNION ALL SELECT NULL, …, NULL, agg, …, 1, …, 1 FROM … WHERE … HAVING COUNT(*) > 0
//	) rollup WHERE having ORDER BY … LIMIT …
//
// with the keys and aggregates of the outer parts taken from the derived table. GROUPING(ki) is the column
// groupingi, so a NULL among the keys and the NULL of a super-aggregate are different groups. The last arm has a HAVING
// because MySQL returns no row at all for no input. Without ORDER BY the rows come as MySQL returns them, groups
// followed by their super-aggregate; DISTINCT and arms of set operations leave the order open.
//
// A name in GROUP BY that is an alias of the select list means that expression, also where a column of the same name
// exists (MySQL takes the column then).
func (p *Parser) expandRollups(stmt ast.Statement) (ast.Statement, error) {
	var err error
	arms := map[*ast.Select]bool{}
	stmt = p.walker.walk(stmt, func(n any) (any, bool) {
		switch n := n.(type) {
		case *ast.SetOp:
			for _, s := range []ast.SelectStatement{n.Left, n.Right} {
				if sel, ok := s.(*ast.Select); ok {
					arms[sel] = true
				}
			}
		case *ast.Select:
			if isRollup(n) && err == nil {
				r := &rollup{p: p, sel: n, ordered: !arms[n]}
				err = r.expand()
			}
		}
		if v, ok := n.(*ast.SQLVal); ok && isRollupMark(v) && err == nil {
			err = errSyntaxNear("WITH ROLLUP", 0) // not behind a GROUP BY
		}
		return n, err == nil
	})
	return stmt, err
}

func isRollupMark(v *ast.SQLVal) bool { return v.Type == ast.StrVal && string(v.Val) == rollupMark }

func isRollup(sel *ast.Select) bool {
	if len(sel.GroupBy) == 0 {
		return false
	}
	v, ok := sel.GroupBy[len(sel.GroupBy)-1].(*ast.SQLVal)
	return ok && isRollupMark(v)
}

// rollup expands one query.
type rollup struct {
	p       *Parser
	sel     *ast.Select
	ordered bool // the order of rows can be seen

	keys    []ast.Expr // as the query's source knows them
	values  []ast.Expr // aggregates, and columns that are none
	byText  map[string]int
	aliases map[string]ast.Expr // of the select list, already mapped
	failure error
}

func (r *rollup) expand() error {
	if err := r.findKeys(); err != nil {
		return err
	}
	r.byText = map[string]int{}
	r.aliases = map[string]ast.Expr{}
	outer := *r.sel
	if err := r.selectList(&outer); err != nil {
		return err
	}
	outer.GroupBy, outer.Having, outer.Where = nil, nil, nil
	if r.sel.Having != nil {
		outer.Where = &ast.Where{Type: ast.WhereStr, Expr: r.mapped(r.sel.Having.Expr, true)}
	}
	for _, o := range r.sel.OrderBy {
		if r.aliases[aliasName(o.Expr)] == nil {
			o.Expr = r.mapped(o.Expr, true)
		}
	}
	for _, w := range outer.Window {
		r.p.walker.walkIn(w, r.replace(false))
	}
	if len(outer.OrderBy) == 0 && r.ordered && !outer.QueryOpts.Distinct {
		outer.OrderBy = r.order()
	}
	if r.failure != nil {
		return r.failure
	}
	outer.From = ast.TableExprs{r.derived()}
	outer.Lock = nil // the tables are marked
	*r.sel = outer
	return nil
}

// findKeys resolves ordinals and aliases of GROUP BY.
func (r *rollup) findKeys() error {
	items := r.sel.GroupBy[:len(r.sel.GroupBy)-1]
	if len(items) > rollupKeysMax {
		return errUnsupported("WITH ROLLUP over more than " + itoa(rollupKeysMax) + " keys")
	}
	for _, e := range items {
		key := e
		if v, ok := e.(*ast.SQLVal); ok && v.Type == ast.IntVal {
			n := atoi(string(v.Val))
			if n < 1 || n > len(r.sel.SelectExprs) {
				return mysql.NewSQLError(mysql.ERBadFieldError, "42S22", "Unknown column '%s' in 'group statement'", v.Val)
			}
			a, ok := r.sel.SelectExprs[n-1].(*ast.AliasedExpr)
			if !ok {
				return errUnsupported("SELECT * with GROUP BY … WITH ROLLUP")
			}
			key = a.Expr
		} else if name := aliasName(e); name != "" {
			for _, s := range r.sel.SelectExprs {
				if a, ok := s.(*ast.AliasedExpr); ok && a.As.Lowered() == name {
					key = a.Expr
				}
			}
		}
		r.keys = append(r.keys, clone(key))
	}
	return nil
}

// selectList maps the select list and keeps the names of its columns.
func (r *rollup) selectList(outer *ast.Select) error {
	for _, s := range outer.SelectExprs {
		a, ok := s.(*ast.AliasedExpr)
		if !ok {
			return errUnsupported("SELECT * with GROUP BY … WITH ROLLUP")
		}
		if c, ok := a.Expr.(*ast.ColName); ok && a.As.IsEmpty() {
			a.As = c.Name
		}
		a.Expr = r.mapped(a.Expr, false)
		if a.As.IsEmpty() {
			if _, ok := a.Expr.(*ast.ColName); ok {
				a.As = ast.NewColIdent(headingOf(a))
			}
			continue
		}
		r.aliases[a.As.Lowered()] = a.Expr
	}
	return nil
}

// headingOf is the heading of a column without an alias.
func headingOf(a *ast.AliasedExpr) string {
	if a.InputExpression != "" {
		return a.InputExpression
	}
	return ast.String(a.Expr)
}

// mapped returns e over the derived table.
func (r *rollup) mapped(e ast.Expr, aliases bool) ast.Expr {
	f := r.replace(aliases)
	n, down := f(e)
	if down {
		r.p.walker.walkIn(n, f)
	}
	return n.(ast.Expr)
}

// replace puts columns of the derived table in the place of keys, aggregates and GROUPING().
func (r *rollup) replace(aliases bool) visit {
	return func(n any) (any, bool) {
		e, ok := n.(ast.Expr)
		if !ok {
			return n, true
		}
		for i, k := range r.keys {
			if sameExpr(e, k) {
				return column(rollupTable, rollupKey+itoa(i)), false
			}
		}
		switch e := e.(type) {
		case *ast.FuncExpr:
			if e.Qualifier.IsEmpty() && e.Name.Lowered() == "grouping" {
				return r.grouping(e), false
			}
			if isAggregate(e) {
				return r.value(e), false
			}
		case *ast.GroupConcatExpr:
			return r.value(e), false
		case *ast.ColName:
			if a := r.aliases[aliasName(e)]; aliases && a != nil {
				return clone(a), false
			}
			return r.value(e), false
		case *ast.Subquery:
			r.correlated(e)
			return e, false
		}
		return n, true
	}
}

// value returns the column of the derived table that holds e.
func (r *rollup) value(e ast.Expr) ast.Expr {
	text := ast.String(e)
	i, ok := r.byText[text]
	if !ok {
		i = len(r.values)
		r.byText[text] = i
		r.values = append(r.values, clone(e))
	}
	return column(rollupTable, rollupValue+itoa(i))
}

// correlated maps the keys in a subquery that names them with their table.
func (r *rollup) correlated(q *ast.Subquery) {
	r.p.walker.walkIn(q, func(n any) (any, bool) {
		if c, ok := n.(*ast.ColName); ok && !c.Qualifier.IsEmpty() {
			for i, k := range r.keys {
				if k, ok := k.(*ast.ColName); ok && !namesTable(r.p, q, c.Qualifier) && sameExpr(c, k) {
					return column(rollupTable, rollupKey+itoa(i)), false
				}
			}
		}
		return n, true
	})
}

// namesTable tells whether a table or alias inside q is called like name.
func namesTable(p *Parser, q *ast.Subquery, name ast.TableName) bool {
	found := false
	p.walker.walkIn(q, func(n any) (any, bool) {
		if t, ok := n.(*ast.AliasedTableExpr); ok {
			called := t.As
			if table, ok := t.Expr.(ast.TableName); ok && called.IsEmpty() {
				called = table.Name
			}
			found = found || strings.EqualFold(called.String(), name.Name.String())
		}
		return n, !found
	})
	return found
}

// bit is 1 for the rows that sum up over key i.
func (r *rollup) bit(i int) ast.Expr { return column(rollupTable, rollupGrouping+itoa(i)) }

// grouping is GROUPING(a, …): a bit per argument, the last one the lowest.
func (r *rollup) grouping(f *ast.FuncExpr) ast.Expr {
	var out ast.Expr
	for n, s := range f.Exprs {
		a, ok := s.(*ast.AliasedExpr)
		key := -1
		if ok {
			for i, k := range r.keys {
				if sameExpr(a.Expr, k) || r.aliases[aliasName(a.Expr)] != nil && sameExpr(r.aliases[aliasName(a.Expr)], column(rollupTable, rollupKey+itoa(i))) {
					key = i
					break
				}
			}
		}
		if key < 0 {
			r.failure = mysql.NewSQLError(erGroupingArgument, "HY000", "Argument #%d of GROUPING function is not in GROUP BY", n)
			return f
		}
		bit := r.bit(key)
		if out != nil {
			bit = &ast.BinaryExpr{Operator: ast.PlusStr, Left: &ast.BinaryExpr{Operator: ast.MultStr, Left: &ast.ParenExpr{Expr: out}, Right: integer(2)}, Right: bit}
		}
		out = bit
	}
	if out == nil {
		r.failure = mysql.NewSQLError(erGroupingArgument, "HY000", "GROUPING function needs an argument")
		return f
	}
	return out
}

// order is that of MySQL: by each key, super-aggregates last.
func (r *rollup) order() ast.OrderBy {
	var out ast.OrderBy
	for i := range r.keys {
		out = append(out, &ast.Order{Expr: r.bit(i), Direction: ast.AscScr},
			&ast.Order{Expr: column(rollupTable, rollupKey+itoa(i)), Direction: ast.AscScr})
	}
	return out
}

// derived is the union of the groupings.
func (r *rollup) derived() ast.TableExpr {
	var union ast.SelectStatement
	for kept := len(r.keys); kept >= 0; kept-- {
		arm := r.arm(kept)
		if union == nil {
			union = arm
			continue
		}
		union = &ast.SetOp{Type: ast.UnionAllStr, Left: union, Right: arm}
	}
	return &ast.AliasedTableExpr{
		Expr: &ast.Subquery{Select: union},
		As:   ast.NewTableIdent(rollupTable),
		Auth: authNone,
	}
}

// arm groups by the first keys only.
func (r *rollup) arm(kept int) *ast.Select {
	s := &ast.Select{From: clone(r.sel.From), Where: clone(r.sel.Where)}
	add := func(e ast.Expr, name string) {
		s.SelectExprs = append(s.SelectExprs, &ast.AliasedExpr{Expr: e, As: ast.NewColIdent(name)})
	}
	for i, k := range r.keys {
		if i < kept {
			add(clone(k), rollupKey+itoa(i))
			s.GroupBy = append(s.GroupBy, clone(k))
		} else {
			add(&ast.NullVal{}, rollupKey+itoa(i))
		}
	}
	for i, v := range r.values {
		add(clone(v), rollupValue+itoa(i))
	}
	for i := range r.keys {
		summed := 0
		if i >= kept {
			summed = 1
		}
		add(integer(summed), rollupGrouping+itoa(i))
	}
	if kept == 0 {
		count := &ast.FuncExpr{Name: ast.NewColIdent("count"), Exprs: ast.SelectExprs{&ast.StarExpr{}}}
		s.Having = &ast.Where{Type: ast.HavingStr, Expr: &ast.ComparisonExpr{Operator: ast.GreaterThanStr, Left: count, Right: integer(0)}}
	}
	return s
}

// sameExpr tells whether a and b are the same expression: columns by name, with or without their table, all else by
// text.
func sameExpr(a, b ast.Expr) bool {
	ca, oka := a.(*ast.ColName)
	cb, okb := b.(*ast.ColName)
	if oka != okb {
		return false
	}
	if !oka {
		return ast.String(a) == ast.String(b)
	}
	if !ca.Name.EqualString(cb.Name.String()) {
		return false
	}
	return ca.Qualifier.IsEmpty() || cb.Qualifier.IsEmpty() || strings.EqualFold(ca.Qualifier.Name.String(), cb.Qualifier.Name.String())
}
