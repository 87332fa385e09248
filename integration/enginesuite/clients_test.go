package enginesuite

import (
	"errors"
	"fmt"
	"testing"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/enginetest"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// needClients are functions that over the server need a connection for each of
// their sessions, or a test session that holds no snapshot while the server
// changes tables. The suite's own client has one connection for all.
var needClients = map[string]bool{
	"TestTransactionScripts": true,
	"TestTruncate":           true,
	"TestDropTable":          true,
	"TestColumnDefaults":     true,
	"TestCreateTable":        true,
}

// clients is a server's client with one connection for each session of the test.
type clients struct {
	h         *harness
	t         *testing.T
	engine    *sqle.Engine
	address   string
	bySession map[sql.Session]*enginetest.ServerQueryEngine
}

var (
	_ enginetest.QueryEngine        = (*clients)(nil)
	_ enginetest.ServerBackedEngine = (*clients)(nil)
)

// IsServerBacked implements enginetest.ServerBackedEngine.
func (c *clients) IsServerBacked() bool { return true }

// of returns the connection of a context's session. Its waits for locks are as
// short as those in process.
func (c *clients) of(ctx *sql.Context) (*enginetest.ServerQueryEngine, error) {
	if client, ok := c.bySession[ctx.Session]; ok {
		return client, nil
	}
	client, err := c.h.connect(c.t, c.engine, c.address)
	if err != nil {
		return nil, err
	}
	c.bySession[ctx.Session] = client
	wait := fmt.Sprintf("set innodb_lock_wait_timeout = %d", lockWaitS)
	_, rows, _, err := client.QueryWithBindings(ctx, wait, nil, nil, nil)
	if err != nil {
		return nil, err
	}
	return client, rows.Close(ctx)
}

// release ends what the test's own session has read: its snapshot is not the
// server's, and a later look at the catalog would see it.
func release(ctx *sql.Context) error {
	tx := ctx.GetTransaction()
	if tx == nil {
		return nil
	}
	defer ctx.SetTransaction(nil)
	return ctx.Session.(sql.TransactionSession).Rollback(ctx, tx)
}

// Query implements enginetest.QueryEngine.
func (c *clients) Query(ctx *sql.Context, query string) (sql.Schema, sql.RowIter, *sql.QueryFlags, error) {
	client, err := c.of(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	schema, rows, flags, err := client.Query(ctx, query)
	if released := release(ctx); err == nil {
		err = released
	}
	return schema, rows, flags, err
}

// QueryWithBindings implements enginetest.QueryEngine.
func (c *clients) QueryWithBindings(ctx *sql.Context, query string, parsed sqlparser.Statement, bindings map[string]sqlparser.Expr, flags *sql.QueryFlags) (sql.Schema, sql.RowIter, *sql.QueryFlags, error) {
	client, err := c.of(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	schema, rows, flags, err := client.QueryWithBindings(ctx, query, parsed, bindings, flags)
	if released := release(ctx); err == nil {
		err = released
	}
	return schema, rows, flags, err
}

// PrepareQuery implements enginetest.QueryEngine.
func (c *clients) PrepareQuery(ctx *sql.Context, query string) (sql.Node, error) {
	client, err := c.of(ctx)
	if err != nil {
		return nil, err
	}
	return client.PrepareQuery(ctx, query)
}

// AnalyzeQuery implements enginetest.QueryEngine.
func (c *clients) AnalyzeQuery(ctx *sql.Context, query string) (sql.Node, error) {
	if err := release(ctx); err != nil {
		return nil, err
	}
	return c.engine.AnalyzeQuery(ctx, query)
}

// EngineAnalyzer implements enginetest.QueryEngine.
func (c *clients) EngineAnalyzer() *analyzer.Analyzer { return c.engine.Analyzer }

// EngineEventScheduler implements enginetest.QueryEngine.
func (c *clients) EngineEventScheduler() sql.EventScheduler { return c.engine.EventScheduler }

// Close implements enginetest.QueryEngine.
func (c *clients) Close() error {
	var all error
	for _, client := range c.bySession {
		all = errors.Join(all, client.Close())
	}
	return all
}
