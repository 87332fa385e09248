package isolation

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/sirupsen/logrus"
	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/integration/process"
	"github.com/freshetdb/freshet/plugin"
)

func TestMain(m *testing.M) {
	logrus.SetOutput(io.Discard)
	log.SetOutput(io.Discard)
	process.Main(m)
}

const (
	readUncommitted = "READ-UNCOMMITTED"
	readCommitted   = "READ-COMMITTED"
	repeatableRead  = "REPEATABLE-READ"
	serializable    = "SERIALIZABLE"
)

var levels = []string{readUncommitted, readCommitted, repeatableRead, serializable}

// newRandom returns a source seeded from FRESHET_SEED, else from the clock; the
// seed is logged.
func newRandom(t *testing.T) *rand.Rand {
	seed := uint64(time.Now().UnixNano())
	if text := os.Getenv("FRESHET_SEED"); text != "" {
		given, err := strconv.ParseUint(text, 10, 64)
		require.NoError(t, err)
		seed = given
	}
	t.Logf("FRESHET_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// world is a store with a server before it, within the test.
type world struct {
	t  *testing.T
	db *plugin.DB
	// pool has no database selected.
	pool *sql.DB
}

// newWorld serves a new store in memory with a database d.
func newWorld(t *testing.T) *world {
	t.Helper()
	db, err := plugin.Open(t.Context(), plugin.Options{})
	require.NoError(t, err)
	w := &world{t: t, db: db}
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	server := process.ServeDB(t, db)
	w.pool = server.Open("", "")
	_, err = w.pool.Exec("CREATE DATABASE d")
	require.NoError(t, err)
	return w
}

// check requires that the store agrees with itself and holds no lock.
func (w *world) check() {
	w.t.Helper()
	report, err := w.db.Check(context.Background())
	require.NoError(w.t, err)
	require.Empty(w.t, report.Problems)
}

// client is one session. Its methods are used by one goroutine at a time.
type client struct {
	t    testing.TB
	name string
	conn *sql.Conn
}

// client opens a session with a level, in the database d.
func (w *world) client(name, level string) *client {
	w.t.Helper()
	return newClient(w.t, w.pool, name, level)
}

func newClient(t testing.TB, pool *sql.DB, name, level string) *client {
	t.Helper()
	conn, err := pool.Conn(context.Background())
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() }) // the server ends the others
	c := &client{t: t, name: name, conn: conn}
	c.exec("USE d")
	c.exec("SET SESSION transaction_isolation = '" + level + "'")
	return c
}

// try runs a statement and returns its rows, "1,a; 2,b".
func (c *client) try(query string, args ...any) (string, error) {
	if len(args) > 0 {
		query = fmt.Sprintf(query, args...)
	}
	if !returnsRows(query) {
		_, err := c.conn.ExecContext(context.Background(), query)
		return "", err
	}
	rows, err := c.conn.QueryContext(context.Background(), query)
	if err != nil {
		return "", err
	}
	defer rows.Close() // Err tells
	columns, err := rows.Columns()
	if err != nil {
		return "", err
	}
	var out []string
	for rows.Next() {
		values := make([]sql.NullString, len(columns))
		targets := make([]any, len(columns))
		for i := range values {
			targets[i] = &values[i]
		}
		if err := rows.Scan(targets...); err != nil {
			return "", err
		}
		var parts []string
		for _, v := range values {
			if !v.Valid {
				v.String = "NULL"
			}
			parts = append(parts, v.String)
		}
		out = append(out, strings.Join(parts, ","))
	}
	return strings.Join(out, "; "), rows.Err()
}

func returnsRows(query string) bool {
	return strings.HasPrefix(strings.TrimLeft(query, "( "), "SELECT") || strings.HasPrefix(query, "SHOW") || strings.HasPrefix(query, "CALL")
}

func (c *client) exec(query string, args ...any) string {
	c.t.Helper()
	rows, err := c.try(query, args...)
	if err != nil {
		require.Fail(c.t, err.Error(), "%s: %s %v", c.name, query, args)
	}
	return rows
}

// sees requires the rows of a query.
func (c *client) sees(want, query string, args ...any) {
	c.t.Helper()
	require.Equal(c.t, want, c.exec(query, args...), "%s: %s", c.name, query)
}

// fails requires the number of a statement's error and returns its text.
func (c *client) fails(number int, query string, args ...any) string {
	c.t.Helper()
	_, err := c.try(query, args...)
	require.Error(c.t, err, "%s: %s", c.name, query)
	require.Equal(c.t, number, errorNumber(err), "%s: %s\n%v", c.name, query, err)
	return err.Error()
}

// errorNumber is the server's number of an error, 0 for none and for those of the
// connection.
func errorNumber(err error) int {
	var answered *mysql.MySQLError
	if errors.As(err, &answered) {
		return int(answered.Number)
	}
	return 0
}

// pending is a statement that is running.
type pending struct {
	c     *client
	query string
	done  chan struct{}
	err   error
}

// start runs a statement that may have to wait.
func (c *client) start(query string, args ...any) *pending {
	p := &pending{c: c, query: query, done: make(chan struct{})}
	go func() {
		defer close(p.done)
		_, p.err = c.try(query, args...)
	}()
	return p
}

// waits starts a statement and requires that it waits for a lock.
func (w *world) waits(c *client, query string, args ...any) *pending {
	c.t.Helper()
	before := w.db.Metrics().LockWaits
	p := c.start(query, args...)
	require.Eventually(c.t, func() bool {
		return w.db.Metrics().LockWaits > before
	}, 20*time.Second, time.Millisecond, "%s: %s did not wait", c.name, query)
	return p
}

// wait returns the statement's end.
func (p *pending) wait() error {
	<-p.done
	return p.err
}

func splitScript(script string) []string { return strings.Split(script, "; ") }

// together runs functions at the same time and requires that none fails.
func together(t *testing.T, all []func() error) {
	t.Helper()
	errs := make([]error, len(all))
	var running sync.WaitGroup
	for i, run := range all {
		running.Add(1)
		go func() {
			defer running.Done()
			errs[i] = run()
		}()
	}
	running.Wait()
	require.NoError(t, errors.Join(errs...))
}
