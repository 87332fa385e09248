package scenarios

import (
	"context"
	sqldb "database/sql"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"os"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	wiremysql "github.com/go-sql-driver/mysql"
	"github.com/sirupsen/logrus"
	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/plugin"
	"github.com/freshetdb/freshet/plugin/correct"
)

func TestMain(m *testing.M) {
	logrus.SetOutput(io.Discard)
	log.SetOutput(io.Discard)
	dialSockets()
	os.Exit(m.Run())
}

// folder is the data folder of every world, on a file system of its own.
const folder = "data"

// world is one store on a file system that can crash, with its sessions.
type world struct {
	t       testing.TB
	fs      *vfs.MemFS
	dir     string // in the place of fs, if not empty
	options plugin.Options
	db      *plugin.DB
	clients map[string]*client

	// wire: sessions are connections to a server.
	wire      bool
	server    *plugin.Server
	pool      *sqldb.DB
	endServer func() error
}

// newWorld opens an empty store with a database d.
func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{t: t, fs: vfs.NewCrashableMem()}
	w.open()
	t.Cleanup(func() {
		if w.db != nil {
			require.NoError(t, w.close())
		}
	})
	w.exec("CREATE DATABASE d")
	w.exec("USE d")
	return w
}

// newWorldOnDisk is newWorld in a folder of the machine's file system.
func newWorldOnDisk(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir()}
	w.open()
	t.Cleanup(func() {
		if w.db != nil {
			require.NoError(t, w.close())
		}
	})
	w.exec("CREATE DATABASE d")
	w.exec("USE d")
	return w
}

func (w *world) open() {
	w.t.Helper()
	o := w.options
	o.Dir = folder
	if w.dir != "" {
		o.Dir = w.dir
	} else if o.FS == nil {
		o.FS = w.fs
	}
	db, err := plugin.Open(context.Background(), o)
	require.NoError(w.t, err)
	w.db, w.clients = db, map[string]*client{}
	if w.wire {
		w.serve()
	}
}

func (w *world) close() error {
	var err error
	if w.endServer != nil {
		err = w.endServer()
		w.endServer = nil
	}
	err = errors.Join(err, w.db.Close())
	w.db, w.clients = nil, nil
	return err
}

// reopen closes the store and opens it again.
func (w *world) reopen() {
	w.t.Helper()
	require.NoError(w.t, w.close())
	w.open()
}

// kill loses what was not synced, as kill -9 and a power failure do.
func (w *world) kill() {
	w.t.Helper()
	fs := w.fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 0, RNG: rand.New(rand.NewPCG(1, 1))})
	require.NoError(w.t, w.close())
	w.fs = fs
	w.open()
}

// check requires that the store agrees with itself.
func (w *world) check() {
	w.t.Helper()
	report, err := w.db.Check(context.Background())
	require.NoError(w.t, err)
	require.Empty(w.t, report.Problems)
}

// finish checks the store, and again after a restart.
func (w *world) finish() {
	w.t.Helper()
	w.check()
	w.reopen()
	w.check()
}

// client is one session.
type client struct {
	w    *world
	sess sql.Session
	conn *sqldb.Conn // in the place of sess where the world has a server
	// socket is what conn goes through.
	socket net.Conn
}

// session returns the session of a name, making it at its first use.
func (w *world) session(name string) *client {
	w.t.Helper()
	c := w.clients[name]
	if c == nil {
		if w.wire {
			c = w.connect()
		} else {
			c = w.newClient()
		}
		w.clients[name] = c
		if _, err := c.try("USE d"); err != nil && errorNumber(err) != 1049 {
			require.NoError(w.t, err)
		}
	}
	return c
}

func (w *world) newClient() *client {
	w.t.Helper()
	s, err := w.db.NewSession(sql.Client{User: "root", Address: "localhost"})
	require.NoError(w.t, err)
	return &client{w: w, sess: s}
}

// result is what a statement answers.
type result struct {
	rows     []string
	affected uint64
	insertID uint64
	info     fmt.Stringer
}

func (c *client) try(query string) (result, error) { return c.tryContext(context.Background(), query) }

// tryContext runs one statement to its end.
func (c *client) tryContext(ctx context.Context, query string) (r result, err error) {
	if c.conn != nil {
		return c.tryWire(ctx, query)
	}
	sctx := c.w.db.NewContext(ctx, c.sess).WithQuery(query)
	if err := sql.SessionCommandBegin(c.sess); err != nil {
		return r, err
	}
	defer sql.SessionCommandEnd(c.sess)
	schema, it, _, err := c.w.db.Engine().Query(sctx, query)
	if err != nil {
		return r, err
	}
	err = r.read(sctx, schema, it)
	return r, errors.Join(err, it.Close(sctx))
}

func (r *result) read(ctx *sql.Context, schema sql.Schema, it sql.RowIter) error {
	for {
		row, err := it.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if types.IsOkResult(row) {
			ok := types.GetOkResult(row)
			r.affected, r.insertID, r.info = ok.RowsAffected, ok.InsertID, ok.Info
			continue
		}
		text, err := rowText(ctx, schema, row)
		if err != nil {
			return err
		}
		r.rows = append(r.rows, text)
	}
}

// rowText renders a row as a client sees it.
func rowText(ctx *sql.Context, schema sql.Schema, row sql.Row) (string, error) {
	var parts []string
	for i, v := range row {
		if v == nil {
			parts = append(parts, "NULL")
			continue
		}
		if types.IsGeometry(schema[i].Type) {
			parts = append(parts, fmt.Sprint(v))
			continue
		}
		value, err := schema[i].Type.SQL(ctx, nil, v)
		if err != nil {
			return "", err
		}
		if value.Type() == sqltypes.Null {
			parts = append(parts, "NULL")
			continue
		}
		parts = append(parts, value.ToString())
	}
	return strings.Join(parts, ","), nil
}

func (w *world) exec(query string, args ...any) result {
	w.t.Helper()
	return w.session("").exec(query, args...)
}

func (c *client) exec(query string, args ...any) result {
	c.w.t.Helper()
	if len(args) > 0 {
		query = fmt.Sprintf(query, args...)
	}
	r, err := c.try(query)
	if err != nil {
		require.Fail(c.w.t, err.Error(), query)
	}
	return r
}

// rows returns the rows of a query.
func (w *world) rows(query string, args ...any) []string {
	w.t.Helper()
	return w.exec(query, args...).rows
}

// fails requires the error number of a statement.
func (c *client) fails(number int, query string) {
	c.w.t.Helper()
	_, err := c.try(query)
	require.Error(c.w.t, err, query)
	require.Equal(c.w.t, number, errorNumber(err), "%s\n%v", query, err)
}

// errorNumber is the number that a client would get.
func errorNumber(err error) int {
	var answer *wiremysql.MySQLError
	if errors.As(err, &answer) {
		return int(answer.Number)
	}
	var e *mysql.SQLError
	if errors.As(correct.MySQLError(err), &e) {
		return e.Number()
	}
	return 0
}
