package routine

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	gmsexpr "github.com/dolthub/go-mysql-server/sql/expression"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/freshetdb/freshet/plugin/parser"
)

// filterStatus keeps the rows that the LIKE or WHERE of SHOW FUNCTION STATUS
// accepts. WHERE is an expression over the columns shown, which are to it what
// variables are to the expression of a body.
func (s *Statement) filterStatus(ctx *sql.Context, a *analyzer.Analyzer, show *parser.ShowFunctionStatus, rows []sql.Row) ([]sql.Row, error) {
	if show.Like == nil && show.Where == "" {
		return rows, nil
	}
	schema := s.schema
	slots := make(map[string]int, len(schema))
	columns := make([]*slot, len(schema))
	b := &binding{analyzer: a, authorize: true, variables: map[string]variable{}}
	for i, column := range schema {
		columns[i] = &slot{name: column.Name, typ: column.Type}
		slots[lower(column.Name)] = i
		b.variables[bindingName(i)] = variable{columns[i]}
	}
	condition, err := s.statusCondition(ctx, b, slots, show)
	if err != nil {
		return nil, err
	}
	var kept []sql.Row
	for _, row := range rows {
		for i := range columns {
			columns[i].value = row[i]
		}
		ok, err := sql.EvaluateCondition(ctx, condition, nil)
		if err != nil {
			return nil, err
		}
		if sql.IsTrue(ok) {
			kept = append(kept, row)
		}
	}
	return kept, nil
}

func (s *Statement) statusCondition(ctx *sql.Context, b *binding, slots map[string]int, show *parser.ShowFunctionStatus) (sql.Expression, error) {
	if show.Like != nil {
		name := b.variables[bindingName(slots["name"])]
		return gmsexpr.NewLike(name, gmsexpr.NewLiteral(*show.Like, name.Type(ctx)), nil), nil
	}
	// The tree of the statement is shared; this one is ours to change.
	options := sql.LoadSqlMode(ctx).ParserOptions()
	statement, _, _, err := s.functions.parser.ParseWithOptions(ctx, "SELECT "+show.Where, ';', false, options)
	if err != nil {
		return nil, err
	}
	selected, ok := statement.(*ast.Select)
	if !ok || len(selected.SelectExprs) != 1 {
		return nil, errUnsupported(show.Where)
	}
	var tree ast.Statement = &ast.Select{SelectExprs: selected.SelectExprs}
	tree = parser.ReplaceNames(tree, func(name string) ast.Expr {
		if i, ok := slots[name]; ok {
			return ast.NewValArg([]byte(":" + bindingName(i)))
		}
		return nil
	})
	tree = s.functions.parser.GiveFrom(tree)
	e := &expression{query: query{binding: b, statement: tree}}
	if err := e.bind(ctx); err != nil {
		return nil, err
	}
	if e.bound == nil {
		return nil, errUnsupported("a subquery in SHOW FUNCTION STATUS")
	}
	return e.bound, nil
}
