package own

import (
	"context"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	"github.com/dolthub/go-mysql-server/sql/rowexec"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

type insideKey struct{}

// Inside tells whether ctx is that of a statement of the engine which one of ours
// runs: it belongs to ours and must not commit.
func Inside(ctx *sql.Context) bool { return ctx.Value(insideKey{}) != nil }

// inside is the context of the statements that a statement of ours runs.
func inside(ctx *sql.Context) *sql.Context {
	return ctx.WithContext(context.WithValue(ctx.Context, insideKey{}, true))
}

// run binds and executes a statement of the engine in the transaction of ours,
// with the privileges of the session. Positions in the statement refer to text.
func (s *Statements) run(ctx *sql.Context, statement ast.Statement, text string) error {
	ctx = inside(ctx)
	rows, err := s.rows(ctx, statement, text)
	if err != nil {
		return err
	}
	return drain(ctx, rows)
}

// rows is run up to the rows of the result. ctx comes from inside.
func (s *Statements) rows(ctx *sql.Context, statement ast.Statement, text string) (sql.RowIter, error) {
	a := s.analyzer.Load()
	if a == nil {
		return nil, errNotAttached
	}
	bound, flags, err := planbuilder.New(ctx, a.Catalog, nil).BindOnly(statement, text, &sql.QueryFlags{})
	if err != nil {
		return nil, err
	}
	analyzed, err := a.Analyze(ctx, bound, nil, flags)
	if err != nil {
		return nil, err
	}
	rows, err := a.ExecBuilder.Build(ctx, analyzed, nil)
	if err != nil {
		return nil, err
	}
	rows, _ = rowexec.AddAccumulatorIter(ctx, rows)
	rows = rowexec.AddTriggerRollbackIter(ctx, flags, rows)
	return rowexec.AddExpressionCloser(ctx, analyzed, rows), nil
}

// bindQuery binds a query, for the errors in it.
func (s *Statements) bindQuery(ctx *sql.Context, text string) error {
	a := s.analyzer.Load()
	if a == nil {
		return errNotAttached
	}
	builder := planbuilder.New(ctx, a.Catalog, nil)
	builder.DisableAuth()
	_, _, _, _, err := builder.Parse(text, nil, false)
	return err
}
