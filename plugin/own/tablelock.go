package own

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	"github.com/dolthub/go-mysql-server/sql/transform"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/freshetdb/freshet/plugin/parser"
	"github.com/freshetdb/freshet/vtab"
)

func (s *Statements) lockTables(statement *parser.LockTables) *node {
	return control(statement, func(ctx *sql.Context, session *vtab.Session) error {
		var wanted []vtab.TableLock
		for _, t := range statement.Tables {
			tables, err := s.tablesOf(ctx, t.Name)
			if err != nil {
				return err
			}
			for _, table := range tables {
				wanted = append(wanted, vtab.TableLock{Table: table, Write: t.Write})
			}
		}
		return session.LockTables(ctx, wanted)
	})
}

func unlockTables(statement *parser.UnlockTables) *node {
	return control(statement, func(ctx *sql.Context, session *vtab.Session) error { return session.UnlockTables(ctx) })
}

// flush is FLUSH. There is nothing to flush that is not durable already; what counts
// are its locks, and that it commits.
func (s *Statements) flush(statement *parser.Flush) *node {
	return control(statement, func(ctx *sql.Context, session *vtab.Session) error {
		if statement.ReadLock && len(statement.Tables) == 0 {
			return session.LockGlobally(ctx)
		}
		var wanted []vtab.TableLock
		for _, name := range statement.Tables {
			tables, err := s.tablesOf(ctx, name)
			if err != nil {
				return err
			}
			for _, table := range tables {
				wanted = append(wanted, vtab.TableLock{Table: table})
			}
		}
		if statement.ReadLock {
			return session.LockTables(ctx, wanted)
		}
		if err := session.EndOpen(ctx); err != nil {
			return err
		}
		for _, what := range statement.What {
			if what != "PRIVILEGES" {
				continue
			}
			// The engine's own statement, not this one.
			engines, err := ast.Parse("FLUSH PRIVILEGES")
			if err != nil {
				return err
			}
			if err := s.run(ctx, engines, "FLUSH PRIVILEGES"); err != nil {
				return err
			}
		}
		return nil
	})
}

// tablesOf are the store's tables that a name means: a table, or those that a view
// reads. Other tables need no lock.
func (s *Statements) tablesOf(ctx *sql.Context, name parser.Name) ([]*vtab.Table, error) {
	a := s.analyzer.Load()
	if a == nil {
		return nil, errNotAttached
	}
	builder := planbuilder.New(ctx, a.Catalog, nil)
	builder.DisableAuth()
	bound, _, _, _, err := builder.Parse("SELECT 1 FROM "+name.String(), nil, false)
	if err != nil {
		return nil, err
	}
	var tables []*vtab.Table
	transform.InspectWithOpaque(ctx, bound, func(_ *sql.Context, n sql.Node) bool {
		if resolved, ok := n.(*plan.ResolvedTable); ok {
			if table, ok := sql.GetUnderlyingTable(resolved.Table).(*vtab.Table); ok {
				tables = append(tables, table)
			}
		}
		return true
	})
	return tables, nil
}
