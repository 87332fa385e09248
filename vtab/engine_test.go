package vtab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/information_schema"
	_ "github.com/dolthub/go-mysql-server/sql/variables"
	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/catalog"
	"github.com/freshetdb/freshet/vtab/kv"
	"github.com/freshetdb/freshet/vtab/kv/pebblekv"
)

// database is an engine over a store on an in-memory file system that survives
// reopen.
type database struct {
	t       testing.TB
	fs      vfs.FS
	store   kv.Store
	cat     *catalog.Catalog
	engine  *Engine
	gms     *sqle.Engine
	nextPid atomic.Uint64
}

func openDatabase(t testing.TB, fs vfs.FS) *database {
	t.Helper()
	ctx := context.Background()
	store, err := pebblekv.Open(ctx, "data", pebblekv.Options{FS: fs})
	require.NoError(t, err)
	cat, result, err := catalog.Open(ctx, store, catalog.Options{})
	require.NoError(t, err)
	require.Empty(t, result.Errors)
	d := newEngineOver(t, store, cat)
	d.fs = fs
	return d
}

func newEngineOver(t testing.TB, store kv.Store, cat *catalog.Catalog) *database {
	d := &database{t: t, store: store, cat: cat, engine: NewEngine(store, cat, Options{})}
	pro := NewProvider(d.engine)
	a := analyzer.NewDefault(pro)
	a.Catalog.InfoSchema = information_schema.NewInformationSchemaDatabase()
	a.Catalog.MySQLDb.AddRootAccount()
	d.gms = sqle.New(a, &sqle.Config{})
	return d
}

func newDatabaseForTest(t testing.TB) *database {
	d := openDatabase(t, vfs.NewMem())
	t.Cleanup(func() { d.close() })
	s := d.session()
	s.exec("CREATE DATABASE d")
	s.exec("USE d")
	s.end()
	return d
}

func (d *database) close() {
	if d.store == nil {
		return
	}
	ctx := context.Background()
	require.NoError(d.t, d.engine.Close(ctx))
	require.NoError(d.t, d.cat.Close(ctx))
	require.NoError(d.t, d.store.Close())
	d.store = nil
}

func (d *database) reopen() *database {
	d.close()
	n := openDatabase(d.t, d.fs)
	d.t.Cleanup(func() { n.close() })
	return n
}

// client is one session.
type client struct {
	d    *database
	sess *Session
	ctx  *sql.Context
}

func (d *database) session() *client {
	pid := d.nextPid.Add(1)
	base := sql.NewBaseSessionWithClientServer("server", sql.Client{User: "root", Address: "localhost"}, uint32(pid))
	s := NewSession(base, d.engine)
	ctx := sql.NewContext(context.Background(), sql.WithSession(s), sql.WithPid(pid))
	ctx.SetCurrentDatabase("d")
	return &client{d: d, sess: s, ctx: ctx}
}

func (c *client) end() { c.sess.Close(context.Background()) }

// try runs a statement to its end.
func (c *client) try(query string, args ...any) ([]sql.Row, error) {
	query = fmt.Sprintf(query, args...)
	ctx := c.ctx.WithQuery(query)
	_, it, _, err := c.d.gms.Query(ctx, query)
	if err == nil {
		var rows []sql.Row
		for {
			var row sql.Row
			if row, err = it.Next(ctx); err != nil {
				break
			}
			rows = append(rows, row)
		}
		if errors.Is(err, io.EOF) {
			err = nil
		}
		if cerr := it.Close(ctx); err == nil {
			err = cerr
		}
		if err == nil {
			return rows, nil
		}
	}
	c.sess.CommandEnd()
	return nil, err
}

func (c *client) exec(query string, args ...any) []sql.Row {
	c.d.t.Helper()
	rows, err := c.try(query, args...)
	require.NoError(c.d.t, err, query)
	return rows
}

// rows renders the result of a query, one row a line.
func (c *client) rows(query string, args ...any) string {
	c.d.t.Helper()
	var b strings.Builder
	for _, r := range c.exec(query, args...) {
		b.WriteString(sql.FormatRow(r))
		b.WriteString("\n")
	}
	return b.String()
}

func (c *client) check(query, want string) {
	c.d.t.Helper()
	require.Equal(c.d.t, want, c.rows("%s", query), query)
}
