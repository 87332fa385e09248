package own

import (
	"github.com/dolthub/go-mysql-server/sql"

	"github.com/freshetdb/freshet/plugin/parser"
	"github.com/freshetdb/freshet/vtab"
)

// control is the node of a statement that begins, ends or describes transactions, or
// locks tables. It answers with neither columns nor rows, as the engine's own do.
func control(statement parser.Statement, run func(*sql.Context, *vtab.Session) error) *node {
	return &node{statement: statement, readOnly: true, run: func(ctx *sql.Context) ([]sql.Row, error) {
		session, err := vtab.SessionOf(ctx)
		if err != nil {
			return nil, err
		}
		return nil, run(ctx, session)
	}}
}

func characteristics(c parser.TransactionOptions) vtab.Characteristics {
	var to vtab.Characteristics
	if level, ok := vtab.IsolationNamed(c.Isolation); ok {
		to.Isolation = level
	}
	switch c.Access {
	case "READ ONLY":
		to.Access = vtab.ReadOnly
	case "READ WRITE":
		to.Access = vtab.ReadWrite
	}
	return to
}

func begin(statement *parser.Begin) *node {
	return control(statement, func(ctx *sql.Context, s *vtab.Session) error {
		return s.Begin(ctx, characteristics(statement.TransactionOptions), statement.Snapshot)
	})
}

func setTransaction(statement *parser.SetTransaction) *node {
	return control(statement, func(_ *sql.Context, s *vtab.Session) error {
		return s.SetNext(characteristics(statement.TransactionOptions))
	})
}

// endTransaction is COMMIT or ROLLBACK. What it does not say of another transaction,
// and of the connection, completion_type does.
func endTransaction(statement *parser.EndTransaction) *node {
	return control(statement, func(ctx *sql.Context, s *vtab.Session) error {
		chain, release := statement.Chain == parser.Yes, statement.Release == parser.Yes
		if !chain && !release {
			value, err := ctx.GetSessionVariable(ctx, "completion_type")
			if err != nil {
				return err
			}
			chain = value == "CHAIN" && statement.Chain == parser.Unsaid
			release = value == "RELEASE" && statement.Release == parser.Unsaid
		}
		if err := s.Finish(ctx, !statement.Rollback, chain); err != nil {
			return err
		}
		if release {
			s.Release()
		}
		return nil
	})
}
