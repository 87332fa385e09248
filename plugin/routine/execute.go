package routine

import (
	"errors"
	"io"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	gmsexpr "github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	"github.com/dolthub/go-mysql-server/sql/rowexec"
	"github.com/dolthub/go-mysql-server/sql/types"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/freshetdb/freshet/plugin/parser"
)

// binding is what the statements of a program are bound with.
type binding struct {
	analyzer  *analyzer.Analyzer
	variables map[string]variable // by the name of the parameter that stands for them
	authorize bool                // check privileges: the definer's, or the session's
	// definer is whose privileges the body runs with, nil for the session's.
	definer *parser.Account
	// database is the function's, empty in procedures: there it is the session's.
	database string
	// procedures runs the statements of procedures, nil in functions: there they
	// are part of the statement that calls.
	procedures *Procedures
}

func (b *binding) bind(ctx *sql.Context, statement ast.Statement, variables map[string]sql.Expression) (sql.Node, *sql.QueryFlags, error) {
	if b.database != "" {
		defer inDatabase(ctx, b.database)()
	}
	builder := planbuilder.New(ctx, b.analyzer.Catalog, nil)
	if !b.authorize {
		builder.DisableAuth()
	}
	builder.SetBindingsWithExpr(variables)
	return builder.BindOnly(statement, "", &sql.QueryFlags{})
}

// asDefiner gives the session the definer's privileges until back is called.
func (b *binding) asDefiner(ctx *sql.Context) (back func(), err error) {
	if b.definer == nil {
		return func() {}, nil
	}
	return asDefiner(ctx, b.analyzer.Catalog.MySQLDb, b.definer)
}

// values are the present values of the variables, for a plan that is used once:
// literals are planned best.
func (b *binding) values() map[string]sql.Expression {
	values := make(map[string]sql.Expression, len(b.variables))
	for name, v := range b.variables {
		values[name] = gmsexpr.NewLiteral(v.slot.value, v.slot.typ)
	}
	return values
}

// references are the variables themselves, for an expression that is kept.
func (b *binding) references() map[string]sql.Expression {
	references := make(map[string]sql.Expression, len(b.variables))
	for name, v := range b.variables {
		references[name] = v
	}
	return references
}

// query is a statement of a body. It is planned anew each time it runs, because a
// plan may keep results of its subqueries.
type query struct {
	binding   *binding
	statement ast.Statement
}

// innerSession is a session that is to know where the statements of a function
// begin and end.
type innerSession interface{ BeginInner() (end func()) }

// rows runs the statement in the session's transaction and gives at most limit
// rows, all of them if limit is negative. In a function nothing is committed; in
// a procedure the statement is one as the session's client would send it.
func (q *query) rows(m *machine, limit int) (sql.Schema, []sql.Row, error) {
	if p := q.binding.procedures; p != nil {
		return p.rows(m.ctx, q, limit)
	}
	if session, ok := m.ctx.Session.(innerSession); ok {
		defer session.BeginInner()()
	}
	back, err := q.binding.asDefiner(m.ctx)
	if err != nil {
		return nil, nil, err
	}
	defer back()
	node, flags, err := q.binding.bind(m.ctx, q.statement, q.binding.values())
	if err != nil {
		return nil, nil, err
	}
	analyzed, err := q.binding.analyzer.Analyze(m.ctx, node, nil, flags)
	if err != nil {
		return nil, nil, err
	}
	iter, err := q.binding.analyzer.ExecBuilder.Build(m.ctx, analyzed, nil)
	if err != nil {
		return nil, nil, err
	}
	iter, schema := rowexec.AddAccumulatorIter(m.ctx, iter)
	iter = rowexec.AddTriggerRollbackIter(m.ctx, flags, iter)
	iter = rowexec.AddExpressionCloser(m.ctx, analyzed, iter)
	if schema == nil {
		schema = analyzed.Schema(m.ctx)
	}
	rows, err := read(m.ctx, iter, limit)
	return schema, rows, err
}

func read(ctx *sql.Context, iter sql.RowIter, limit int) ([]sql.Row, error) {
	var rows []sql.Row
	for limit < 0 || len(rows) < limit {
		row, err := iter.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			if closeErr := iter.Close(ctx); closeErr != nil {
				return nil, errors.Join(err, closeErr)
			}
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, iter.Close(ctx)
}

// expression is an expression of a body: of SET, RETURN, a condition. One without
// subqueries is bound once and evaluated many times.
type expression struct {
	query      query // SELECT expr
	subqueries bool
	bound      sql.Expression
	typ        sql.Type // known after the first evaluation
}

func (e *expression) eval(m *machine) (any, error) {
	if e.subqueries {
		schema, rows, err := e.query.rows(m, 1)
		if err != nil {
			return nil, err
		}
		e.typ = schema[0].Type
		if len(rows) == 0 {
			return nil, nil
		}
		return rows[0][0], nil
	}
	if e.bound == nil {
		if err := e.bind(m.ctx); err != nil {
			return nil, err
		}
	}
	back, err := e.query.binding.asDefiner(m.ctx)
	if err != nil {
		return nil, err
	}
	defer back()
	return e.bound.Eval(m.ctx, nil)
}

func (e *expression) bind(ctx *sql.Context) error {
	back, err := e.query.binding.asDefiner(ctx)
	if err != nil {
		return err
	}
	defer back()
	node, _, err := e.query.binding.bind(ctx, e.query.statement, e.query.binding.references())
	if err != nil {
		return err
	}
	project, ok := node.(*plan.Project)
	if !ok || len(project.Projections) != 1 {
		e.subqueries = true // run it as a query
		return nil
	}
	bound := project.Projections[0]
	if alias, ok := bound.(*gmsexpr.Alias); ok {
		bound = alias.Child
	}
	if _, ok := bound.(*gmsexpr.GetField); ok {
		return errVariable(bound.String())
	}
	e.bound, e.typ = bound, bound.Type(ctx)
	return nil
}

// toNumber is an integer from an SQL value.
func toNumber(ctx *sql.Context, value any) (int, error) {
	converted, _, err := types.Int64.Convert(ctx, value)
	if err != nil {
		return 0, err
	}
	number, ok := converted.(int64)
	if !ok {
		return 0, sql.ErrInvalidValueType.New(value, types.Int64)
	}
	return int(number), nil
}
