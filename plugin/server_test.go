package plugin

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	engine "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/go-sql-driver/mysql"
	"github.com/sirupsen/logrus"
	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) {
	// The engine logs every connection.
	logrus.SetOutput(io.Discard)
	log.SetOutput(io.Discard)
	os.Exit(m.Run())
}

// testServer is a server on a free port over a store in memory.
type testServer struct {
	*Server
	t  *testing.T
	db *DB
}

func newTestServer(t *testing.T, o ServerOptions) *testServer {
	t.Helper()
	db, err := Open(context.Background(), Options{})
	require.NoError(t, err)
	o.Address = "127.0.0.1:0"
	s, err := db.NewServer(o)
	require.NoError(t, err)
	served := make(chan struct{})
	go func() {
		defer close(served)
		s.Serve()
	}()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		require.NoError(t, s.Shutdown(ctx))
		<-served
		require.NoError(t, db.Close())
	})
	return &testServer{Server: s, t: t, db: db}
}

// open returns a pool with one connection that runs statements as written.
func (s *testServer) open(database, parameters string) *sql.DB {
	s.t.Helper()
	pool, err := sql.Open("mysql", fmt.Sprintf("root@tcp(%s)/%s?%s", s.Addr(), database, parameters))
	require.NoError(s.t, err)
	pool.SetMaxOpenConns(1)
	s.t.Cleanup(func() { _ = pool.Close() })
	return pool
}

func exec(t *testing.T, db interface {
	Exec(string, ...any) (sql.Result, error)
}, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		_, err := db.Exec(statement)
		require.NoError(t, err, statement)
	}
}

func count(t *testing.T, db *sql.DB, query string, args ...any) (n int) {
	t.Helper()
	require.NoError(t, db.QueryRow(query, args...).Scan(&n), query)
	return n
}

func requireNumber(t *testing.T, number uint16, err error) {
	t.Helper()
	var known *mysql.MySQLError
	require.ErrorAs(t, err, &known)
	require.Equal(t, number, known.Number, known.Message)
}

// ST-125: the first statement of a packet is applied, the second fails, the
// third is not run, and the connection stays in step.
func TestPacketOfSeveralStatements(t *testing.T) {
	s := newTestServer(t, ServerOptions{})
	db := s.open("", "multiStatements=true")
	exec(t, db, "CREATE DATABASE d", "USE d", "CREATE TABLE t(id INT PRIMARY KEY)")
	_, err := db.Exec("INSERT INTO t VALUES (1); INSERT INTO t VALUES (1); INSERT INTO t VALUES (2)")
	requireNumber(t, 1062, err)
	require.Equal(t, 1, count(t, db, "SELECT COUNT(*) FROM t"))
	require.Equal(t, 7, count(t, db, "SELECT 7"))
	exec(t, db, "INSERT INTO t VALUES (3); INSERT INTO t VALUES (4)")
	require.Equal(t, 3, count(t, db, "SELECT COUNT(*) FROM t"))
}

// ST-124: a panic ends the statement, not the connection and not the server, and
// its stack does not reach the client.
func TestPanicStaysInside(t *testing.T) {
	s := newTestServer(t, ServerOptions{})
	blow := engine.Function1{Name: "blow_up", Fn: func(_ *engine.Context, e engine.Expression) engine.Expression { return &bomb{e} }}
	s.db.Engine().Analyzer.Catalog.RegisterFunction(engine.NewEmptyContext(), blow)
	db, other := s.open("", ""), s.open("", "")
	exec(t, db, "CREATE DATABASE d", "USE d", "CREATE TABLE t(id INT PRIMARY KEY, v INT)",
		"INSERT INTO t VALUES (1,1),(2,2),(3,3),(4,4)")
	for _, statement := range []string{"UPDATE t SET v = blow_up(id)", "SELECT blow_up(id) FROM t", "SELECT blow_up(3)",
		"SELECT v, MAX(blow_up(id)) FROM t GROUP BY v", "SELECT SUM(blow_up(id)) OVER (PARTITION BY v) FROM t"} {
		_, err := db.Exec(statement)
		requireNumber(t, 1105, err)
		require.NotContains(t, err.Error(), "goroutine", statement)
		require.Equal(t, 4, count(t, db, "SELECT COUNT(*) FROM t WHERE id = v"), "same connection after %s", statement)
		require.Equal(t, 4, count(t, other, "SELECT COUNT(*) FROM d.t WHERE id = v"), "other session after %s", statement)
	}
}

// bomb panics for the value 3.
type bomb struct{ engine.Expression }

func (b *bomb) Eval(ctx *engine.Context, row engine.Row) (any, error) {
	v, err := b.Expression.Eval(ctx, row)
	if fmt.Sprint(v) == "3" {
		panic("planted")
	}
	return v, err
}

func (b *bomb) Children() []engine.Expression { return []engine.Expression{b.Expression} }

func (b *bomb) WithChildren(_ *engine.Context, c ...engine.Expression) (engine.Expression, error) {
	return &bomb{c[0]}, nil
}

func (b *bomb) Type(*engine.Context) engine.Type { return types.Int64 }
func (b *bomb) FunctionName() string             { return "blow_up" }
func (b *bomb) Description() string              { return "panics for 3" }

func TestTooManyConnections(t *testing.T) {
	s := newTestServer(t, ServerOptions{MaxConnections: 2})
	first, second, third := s.open("", ""), s.open("", ""), s.open("", "")
	require.NoError(t, first.Ping())
	require.NoError(t, second.Ping())
	requireNumber(t, 1040, third.Ping())
	require.NoError(t, first.Close())
	require.Eventually(t, func() bool { return third.Ping() == nil }, 5*time.Second, 10*time.Millisecond,
		"the place of a closed connection must become free")
	require.NoError(t, second.Ping())
}

// ST-122, in the middle of a statement.
func TestLostClientIsNoticed(t *testing.T) {
	s := newTestServer(t, ServerOptions{})
	db := s.open("", "")
	conn, err := db.Conn(context.Background())
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	failed := make(chan error, 1)
	go func() {
		_, err := conn.ExecContext(ctx, "SELECT SLEEP(60)")
		failed <- err
	}()
	require.Eventually(t, func() bool { return s.running() == 1 }, 5*time.Second, time.Millisecond)
	cancel() // the driver closes the socket
	require.Error(t, <-failed)
	began := time.Now()
	require.Eventually(t, func() bool { return len(s.connections.all()) == 0 }, 5*time.Second, time.Millisecond)
	require.Less(t, time.Since(began), time.Second)
}

func (s *testServer) running() int {
	n := 0
	for _, c := range s.connections.all() {
		if c.watch.busy() {
			n++
		}
	}
	return n
}

// A statement inside a procedure ends without ending the CALL.
func TestProcedureOfSeveralStatements(t *testing.T) {
	s := newTestServer(t, ServerOptions{})
	db := s.open("", "multiStatements=true")
	exec(t, db, "CREATE DATABASE d", "USE d", "CREATE TABLE t(id INT PRIMARY KEY)", "INSERT INTO t VALUES (1),(2),(3)",
		"CREATE PROCEDURE p(OUT n INT) BEGIN SELECT COUNT(*) INTO n FROM t; INSERT INTO t SELECT id + 10 FROM t; SELECT id FROM t ORDER BY id DESC LIMIT 1; END")
	require.Equal(t, 13, count(t, db, "CALL p(@n)"))
	require.Equal(t, 3, count(t, db, "SELECT @n"))
	require.Equal(t, 6, count(t, db, "SELECT COUNT(*) FROM t"))
}

func TestKilledStatement(t *testing.T) {
	s := newTestServer(t, ServerOptions{})
	db, killer := s.open("", ""), s.open("", "")
	id := count(t, db, "SELECT CONNECTION_ID()")
	failed := make(chan error, 1)
	go func() {
		_, err := db.Exec("SELECT SLEEP(60)")
		failed <- err
	}()
	require.Eventually(t, func() bool { return s.running() == 1 }, 5*time.Second, time.Millisecond)
	exec(t, killer, fmt.Sprintf("KILL QUERY %d", id))
	requireNumber(t, 1317, <-failed)
	require.Equal(t, id, count(t, db, "SELECT CONNECTION_ID()"), "the connection goes on")
}

// ST-126: the time limit of queries.
func TestMaxExecutionTime(t *testing.T) {
	s := newTestServer(t, ServerOptions{})
	db := s.open("", "")
	exec(t, db, "SET max_execution_time = 50")
	_, err := db.Exec("/* a comment */ SELECT SLEEP(60)")
	requireNumber(t, 3024, err)
	require.Equal(t, 5, count(t, db, "SELECT 5"))
	exec(t, db, "SET max_execution_time = 0")
	require.Equal(t, 0, count(t, db, "SELECT SLEEP(0.1)"))
}

// ST-123: a reset gives a fresh session.
func TestResetConnection(t *testing.T) {
	s := newTestServer(t, ServerOptions{})
	db := s.open("", "")
	exec(t, db, "CREATE DATABASE d", "USE d", "CREATE TABLE t(id INT PRIMARY KEY)", "SET @x = 1",
		"SET SESSION sql_mode = 'ANSI'", "CREATE TABLE u(id INT)", "PREPARE p FROM 'SELECT 1'", "CREATE TEMPORARY TABLE x(id INT)", "LOCK TABLES t WRITE, u READ",
		"INSERT INTO t VALUES (0)", "UNLOCK TABLES", "BEGIN", "INSERT INTO t VALUES (1)")
	id := count(t, db, "SELECT CONNECTION_ID()")
	reset(t, s, db)
	require.Equal(t, id, count(t, db, "SELECT CONNECTION_ID()"))
	require.Equal(t, 1, count(t, db, "SELECT @x IS NULL"))
	require.Equal(t, 1, count(t, db, "SELECT COUNT(*) FROM t"), "rolled back, and the database is kept")
	_, err := db.Exec("SELECT * FROM x")
	requireNumber(t, 1146, err)
	_, err = db.Exec("EXECUTE p")
	requireNumber(t, 1243, err)
	other := s.open("d", "")
	exec(t, other, "SET innodb_lock_wait_timeout = 1", "UPDATE t SET id = 2")
	exec(t, db, "LOCK TABLES t WRITE")
	reset(t, s, db)
	exec(t, other, "UPDATE t SET id = 3")
	exec(t, db, "FLUSH TABLES WITH READ LOCK")
	reset(t, s, db)
	exec(t, other, "UPDATE t SET id = 4")
	require.Equal(t, 0, count(t, db, "SELECT @@sql_mode LIKE '%ANSI%'"))
}

// reset asks for COM_RESET_CONNECTION, which database/sql's driver sends only
// when it takes a connection from its pool; the handler is called as the
// protocol would.
func reset(t *testing.T, s *testServer, db *sql.DB) {
	t.Helper()
	id := count(t, db, "SELECT CONNECTION_ID()")
	for _, c := range s.connections.all() {
		if int(c.mysql.ConnectionID) == id {
			h := newHandler(s.Server, s.mysql.SessionManager(), s.inner)
			require.NoError(t, h.ComResetConnection(c.mysql))
			return
		}
	}
	t.Fatal("the connection is not there")
}

// Results of one batch, of exactly one, and of many arrive whole.
func TestResultSizes(t *testing.T) {
	s := newTestServer(t, ServerOptions{})
	db := s.open("", "")
	exec(t, db, "SET @@cte_max_recursion_depth = 100000")
	for _, n := range []int{0, 1, rowsBatch - 1, rowsBatch, rowsBatch + 1, 3 * rowsBatch, 20 * rowsBatch} {
		for _, prepared := range []bool{false, true} {
			query := fmt.Sprintf("WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM s WHERE i < %d) SELECT i, CONCAT('row ', i) FROM s WHERE i <= %d", max(n, 1), n)
			var args []any
			if prepared {
				query, args = query+" AND 1 = ?", []any{1}
			}
			rows, err := db.Query(query, args...)
			require.NoError(t, err)
			next := 1
			for rows.Next() {
				var i int
				var text string
				require.NoError(t, rows.Scan(&i, &text))
				require.Equal(t, next, i)
				require.Equal(t, fmt.Sprintf("row %d", i), text)
				next++
			}
			require.NoError(t, rows.Err())
			require.Equal(t, n, next-1)
		}
	}
}

// ST-126: a SELECT that fails after a thousand rows were sent ends in an error
// packet, and the connection goes on.
func TestErrorAfterRows(t *testing.T) {
	s := newTestServer(t, ServerOptions{})
	db := s.open("", "")
	exec(t, db, "SET @@cte_max_recursion_depth = 100000")
	id := count(t, db, "SELECT CONNECTION_ID()")
	query := "WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM s WHERE i < 5000) SELECT i, (SELECT 1 UNION ALL SELECT 2 WHERE i > 3000) FROM s WHERE i > ?"
	for _, text := range []string{strings.ReplaceAll(query, "?", "0"), query} {
		var args []any
		if text == query {
			args = []any{0}
		}
		rows, err := db.Query(text, args...)
		require.NoError(t, err)
		n := 0
		for rows.Next() {
			n++
		}
		requireNumber(t, 1242, rows.Err())
		require.NoError(t, rows.Close())
		require.Greater(t, n, 1000)
		require.Equal(t, id, count(t, db, "SELECT CONNECTION_ID()"), "the connection goes on")
	}
}

// The session of one connection keeps a bounded number of prepared texts, and
// one that was dropped still runs.
func TestPreparedTextsAreBounded(t *testing.T) {
	s := newTestServer(t, ServerOptions{})
	db := s.open("", "")
	first, err := db.Prepare("SELECT ? + 0")
	require.NoError(t, err)
	for i := range preparedMax + 10 {
		statement, err := db.Prepare(fmt.Sprintf("SELECT ? + %d", i+1))
		require.NoError(t, err)
		require.NoError(t, statement.Close())
	}
	require.LessOrEqual(t, s.connections.all()[0].prepared.order.Len(), preparedMax)
	var n int
	require.NoError(t, first.QueryRow(41).Scan(&n))
	require.Equal(t, 41, n)
}

func TestErrorNumbers(t *testing.T) {
	s := newTestServer(t, ServerOptions{})
	db := s.open("", "")
	exec(t, db, "CREATE DATABASE d", "USE d", "CREATE TABLE t(id INT PRIMARY KEY, v INT NOT NULL, CHECK (v < 10))")
	for _, c := range []struct {
		statement string
		number    uint16
		state     string
	}{
		{"SELEC 1", 1064, "42000"},
		{"SELECT * FROM nosuch", 1146, "42S02"},
		{"SELECT nosuch FROM t", 1054, "42S22"},
		{"SELECT nosuch(1)", 1305, "42000"},
		{"USE nosuch", 1049, "42000"},
		{"CREATE DATABASE d", 1007, "HY000"},
		{"CREATE TABLE t(id INT)", 1050, "42S01"},
		{"DROP TABLE nosuch", 1051, "42S02"},
		{"INSERT INTO t VALUES (1,20)", 3819, "HY000"},
		{"INSERT INTO t VALUES (1)", 1136, "21S01"},
		{"INSERT INTO t(id) VALUES (1)", 1364, "HY000"},
		{"INSERT INTO t VALUES (1,NULL)", 1048, "23000"},
		{"ALTER TABLE t ADD COLUMN v INT", 1060, "42S21"},
		{"DROP VIEW nosuch", 1051, "42S02"},
		{"CALL nosuch()", 1305, "42000"},
		{"SET GLOBAL nosuch = 1", 1193, "HY000"},
		{"EXECUTE nosuch", 1243, "HY000"},
		{"DROP USER nobody", 1396, "HY000"},
		{"SELECT (SELECT 1, 2)", 1241, "21000"},
	} {
		_, err := db.Exec(c.statement)
		var known *mysql.MySQLError
		if !errors.As(err, &known) {
			t.Errorf("%s: %v", c.statement, err)
			continue
		}
		if known.Number != c.number || string(known.SQLState[:]) != c.state {
			t.Errorf("%s: got %d (%s) %s, want %d (%s)", c.statement, known.Number, known.SQLState, known.Message, c.number, c.state)
		}
	}
}

// A shutdown ends idle connections and running statements, and new statements
// are refused.
func TestShutdown(t *testing.T) {
	db, err := Open(context.Background(), Options{})
	require.NoError(t, err)
	server, err := db.NewServer(ServerOptions{Address: "127.0.0.1:0"})
	require.NoError(t, err)
	s := &testServer{Server: server, t: t, db: db}
	served := make(chan struct{})
	go func() {
		defer close(served)
		server.Serve()
	}()
	idle, busy := s.open("", ""), s.open("", "")
	require.NoError(t, idle.Ping())
	failed := make(chan error, 1)
	go func() {
		_, err := busy.Exec("SELECT SLEEP(60)")
		failed <- err
	}()
	require.Eventually(t, func() bool { return s.running() == 1 }, 5*time.Second, time.Millisecond)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	require.NoError(t, server.Shutdown(ctx))
	<-served
	requireNumber(t, 1053, <-failed)
	_, err = net.DialTimeout("tcp", s.Addr().String(), time.Second)
	require.Error(t, err)
	require.NoError(t, db.Close())
}

// A client that connects and says nothing is let go.
func TestHalfOpenConnectionEnds(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for the handshake's time limit")
	}
	s := newTestServer(t, ServerOptions{})
	conn, err := net.Dial("tcp", s.Addr().String())
	require.NoError(t, err)
	defer conn.Close()
	require.NoError(t, conn.SetReadDeadline(time.Now().Add(handshakeTimeout+5*time.Second)))
	buffer := make([]byte, 4096)
	for err == nil {
		_, err = conn.Read(buffer)
	}
	var timeout net.Error
	require.False(t, errors.As(err, &timeout) && timeout.Timeout(), "the server must close it: %v", err)
	require.Eventually(t, func() bool { return len(s.connections.all()) == 0 }, time.Second, time.Millisecond)
}

// Root needs no password from this machine; nobody else gets in.
func TestAccounts(t *testing.T) {
	s := newTestServer(t, ServerOptions{})
	root := s.open("", "")
	exec(t, root, "CREATE DATABASE d", "CREATE USER u@localhost IDENTIFIED BY 'secret'", "GRANT SELECT ON d.* TO u@localhost")
	connect := func(login string) error {
		pool, err := sql.Open("mysql", fmt.Sprintf("%s@tcp(%s)/", login, s.Addr()))
		require.NoError(t, err)
		defer pool.Close()
		return pool.Ping()
	}
	require.NoError(t, connect("u:secret"))
	requireNumber(t, 1045, connect("u:wrong"))
	requireNumber(t, 1045, connect("u"))
	requireNumber(t, 1045, connect("nobody"))
	requireNumber(t, 1045, connect("root:something"))
	require.NoError(t, connect("root"))
	require.True(t, strings.HasPrefix(s.Addr().String(), "127.0.0.1:"))
}
