package plugin

import (
	"context"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"

	"github.com/freshetdb/freshet/vtab/kv"
)

// backend is the store beneath the engine.
type backend interface {
	// provider answers the engine's questions about databases and tables.
	provider() sql.DatabaseProvider
	// newSession makes a session that keeps transactions in the store.
	newSession(base *sql.BaseSession) (sql.Session, error)
	// configure adds the store's rules before the analyzer is built, and finish
	// completes it after the engine exists.
	overrides() sql.EngineOverrides
	configure(b *analyzer.Builder)
	finish(a *analyzer.Analyzer) error
	// start is called when the engine exists.
	start(e *sqle.Engine)
	// privileges returns the stored accounts and grants, nil if there are none,
	// and savePrivileges replaces them within the statement's transaction.
	privileges(ctx context.Context) ([]byte, error)
	savePrivileges(ctx *sql.Context, data []byte) error
	// loadVariables puts the persisted system variables in force and returns what
	// kept some from it.
	loadVariables(ctx *sql.Context) []error
	// metrics are the storage engine's counters.
	metrics() kv.Metrics
	close() error
}
