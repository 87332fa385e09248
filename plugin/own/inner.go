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
	a := s.analyzer.Load()
	if a == nil {
		return errNotAttached
	}
	ctx = inside(ctx)
	bound, flags, err := planbuilder.New(ctx, a.Catalog, nil).BindOnly(statement, text, &sql.QueryFlags{})
	if err != nil {
		return err
	}
	analyzed, err := a.Analyze(ctx, bound, nil, flags)
	if err != nil {
		return err
	}
	rows, err := a.ExecBuilder.Build(ctx, analyzed, nil)
	if err != nil {
		return err
	}
	rows, _ = rowexec.AddAccumulatorIter(ctx, rows)
	rows = rowexec.AddTriggerRollbackIter(ctx, flags, rows)
	return drain(ctx, rowexec.AddExpressionCloser(ctx, analyzed, rows))
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
