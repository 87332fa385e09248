package plugin

import (
	"context"
	"errors"
	"io"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"

	"github.com/freshetdb/freshet/vtab"
)

// checkConnection is the id of the sessions that evaluate CHECK constraints for a
// check; no connection and no Go caller's session has it.
const checkConnection = embeddedConnectionBase

// check compares the whole store with itself. What its opening found and put
// right is part of the report: a broken catalog entry as a difference, swept
// ranges as none, since a crash leaves them.
func (b *storeBackend) check(ctx context.Context) (Report, error) {
	found, err := b.tables.CheckAll(ctx)
	report := Report{Objects: found.Objects, Rows: found.Rows, IndexEntries: found.IndexEntries}
	for _, p := range found.Problems {
		if p.Damage() {
			report.Problems = append(report.Problems, p.String())
		} else {
			report.Notes = append(report.Notes, p.String())
		}
	}
	return report, err
}

// newQuerier returns how checks evaluate conditions in the engine: each query in a
// session of its own that nobody's rights concern.
func newQuerier(e *sqle.Engine, tables *vtab.Engine) vtab.Querier {
	return func(ctx context.Context, query string, visit func(sql.Row) error) error {
		base := sql.NewBaseSessionWithClientServer("", sql.Client{User: rootUser, Address: rootHost}, checkConnection)
		session := vtab.NewSession(base, tables)
		defer session.Close(context.Background())
		sctx := sql.NewContext(ctx, sql.WithSession(session), sql.WithMemoryManager(e.MemoryManager))
		rows, err := bindUnchecked(sctx, e, query)
		if err != nil {
			return err
		}
		return errors.Join(visitRows(sctx, rows, visit), rows.Close(sctx))
	}
}

// bindUnchecked plans and starts a query without looking at rights.
func bindUnchecked(ctx *sql.Context, e *sqle.Engine, query string) (sql.RowIter, error) {
	builder := planbuilder.New(ctx, e.Analyzer.Catalog, nil)
	builder.DisableAuth()
	bound, _, _, flags, err := builder.Parse(query, nil, false)
	if err != nil {
		return nil, err
	}
	analyzed, err := e.Analyzer.Analyze(ctx, bound, nil, flags)
	if err != nil {
		return nil, err
	}
	return e.Analyzer.ExecBuilder.Build(ctx, analyzed, nil)
}

func visitRows(ctx *sql.Context, rows sql.RowIter, visit func(sql.Row) error) error {
	for {
		row, err := rows.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := visit(row); err != nil {
			return err
		}
	}
}
