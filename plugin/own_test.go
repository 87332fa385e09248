package plugin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	engine "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	vitess "github.com/dolthub/vitess/go/mysql"
	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/plugin/correct"
)

// shell runs SQL on a DB as one Go caller.
type shell struct {
	t       *testing.T
	fs      vfs.FS
	db      *DB
	session engine.Session
	// current is restored in the session after a reopen.
	current string
	ctx     *engine.Context
}

// rounds shortens a number of rounds, or rows, with -short.
func rounds(n int) int {
	if testing.Short() {
		return n / 5
	}
	return n
}

// newShell opens a fresh store in memory with a database d, which is current.
func newShell(t *testing.T) *shell {
	t.Helper()
	s := &shell{t: t, fs: vfs.NewMem()}
	s.open()
	t.Cleanup(func() { require.NoError(t, s.db.Close()) })
	s.exec("CREATE DATABASE d", "USE d")
	s.current = "d"
	return s
}

func (s *shell) open() {
	s.t.Helper()
	db, err := Open(context.Background(), Options{FS: s.fs})
	require.NoError(s.t, err)
	s.db = db
	s.session = s.newSession()
}

// reopen closes the store and opens it again.
func (s *shell) reopen() {
	s.t.Helper()
	require.NoError(s.t, s.db.Close())
	s.open()
	s.exec("USE " + s.current)
}

func (s *shell) newSession() engine.Session {
	s.t.Helper()
	session, err := s.db.NewSession(engine.Client{User: "root", Address: "localhost"})
	require.NoError(s.t, err)
	return session
}

// other is a second session in the same database.
func (s *shell) other() *shell {
	s.t.Helper()
	o := &shell{t: s.t, fs: s.fs, db: s.db, current: s.current, session: s.newSession()}
	o.exec("USE " + s.current)
	return o
}

func (s *shell) query(statement string) (engine.Schema, []engine.Row, error) {
	if err := engine.SessionCommandBegin(s.session); err != nil {
		return nil, nil, err
	}
	defer engine.SessionCommandEnd(s.session)
	s.ctx = s.db.NewContext(context.Background(), s.session)
	schema, rows, _, err := s.db.Engine().Query(s.ctx, statement)
	if err != nil {
		return nil, nil, err
	}
	var all []engine.Row
	for {
		row, err := rows.Next(s.ctx)
		if errors.Is(err, io.EOF) {
			return schema, all, rows.Close(s.ctx)
		}
		if err != nil {
			_ = rows.Close(s.ctx)
			return nil, nil, err
		}
		all = append(all, row)
	}
}

func (s *shell) exec(statements ...string) {
	s.t.Helper()
	for _, statement := range statements {
		_, _, err := s.query(statement)
		require.NoError(s.t, err, statement)
	}
}

// text is the result of a statement as a client would see it: rows by lines,
// columns by " | ".
func (s *shell) text(statement string) string {
	s.t.Helper()
	schema, rows, err := s.query(statement)
	require.NoError(s.t, err, statement)
	lines := make([]string, len(rows))
	for i, row := range rows {
		cells := make([]string, len(row))
		for j, value := range row {
			switch v := value.(type) {
			case nil:
				cells[j] = "NULL"
			case types.OkResult:
				cells[j] = fmt.Sprint(v.RowsAffected)
			default:
				out, err := schema[j].Type.SQL(s.ctx, nil, value)
				require.NoError(s.t, err)
				cells[j] = out.ToString()
			}
		}
		lines[i] = strings.Join(cells, " | ")
	}
	return strings.Join(lines, "\n")
}

func (s *shell) is(want, statement string) {
	s.t.Helper()
	require.Equal(s.t, want, s.text(statement), statement)
}

// fails checks the number of the error that a statement gives.
func (s *shell) fails(number int, statement string) {
	s.t.Helper()
	_, rows, err := s.query(statement)
	require.Error(s.t, err, "%s gave %v", statement, rows)
	var known *vitess.SQLError
	require.ErrorAs(s.t, correct.MySQLError(err), &known, "%s: %v", statement, err)
	require.Equal(s.t, number, known.Num, "%s: %v", statement, err)
}

// warnings are the numbers and texts of the last statement's warnings.
func (s *shell) warnings() string {
	var lines []string
	for _, w := range s.session.Warnings() {
		lines = append(lines, fmt.Sprintf("%s %d %s", w.Level, w.Code, w.Message))
	}
	return strings.Join(lines, "\n")
}

func TestDoEvaluates(t *testing.T) {
	s := newShell(t)
	s.exec("CREATE TABLE t(id INT PRIMARY KEY)", "INSERT INTO t VALUES (1),(2)")
	s.is("0", "DO 1 + 1, (SELECT MAX(id) FROM t)")
	require.Empty(t, s.warnings())
	s.fails(1242, "DO (SELECT id FROM t)")
	s.fails(1146, "DO (SELECT id FROM missing)")
	s.exec("CREATE FUNCTION note(n INT) RETURNS INT BEGIN INSERT INTO t VALUES (n); RETURN n; END")
	s.exec("DO note(7)")
	s.is("1", "SELECT COUNT(*) FROM t WHERE id = 7")
	s.exec("CREATE TABLE u(id INT)", "CREATE TRIGGER g BEFORE INSERT ON u FOR EACH ROW DO note(NEW.id)")
	s.exec("INSERT INTO u VALUES (8),(9)")
	s.is("1,2,7,8,9", "SELECT GROUP_CONCAT(id ORDER BY id) FROM t")
	s.exec("CREATE PROCEDURE p() BEGIN DO note(10); DO note(11); END", "CALL p()")
	s.is("7", "SELECT COUNT(*) FROM t")
	s.fails(1062, "INSERT INTO u VALUES (12),(9)")
	s.is("7 | 2", "SELECT (SELECT COUNT(*) FROM t), (SELECT COUNT(*) FROM u)")
}

func TestAlterView(t *testing.T) {
	s := newShell(t)
	s.exec("CREATE TABLE t(id INT PRIMARY KEY)", "INSERT INTO t VALUES (1),(2)", "CREATE VIEW v AS SELECT id FROM t")
	s.exec("ALTER VIEW v AS SELECT id * 10 AS x FROM t WHERE id > 1")
	s.is("20", "SELECT x FROM v")
	s.fails(1347, "ALTER VIEW t AS SELECT 1")
	s.fails(1146, "ALTER VIEW missing AS SELECT 1")
	s.fails(1146, "ALTER VIEW v AS SELECT * FROM missing")
	s.is("20", "SELECT * FROM v")
	s.reopen()
	s.is("20", "SELECT x FROM v")
}

func TestCreateIfMissing(t *testing.T) {
	s := newShell(t)
	s.exec("CREATE TABLE t(id INT PRIMARY KEY)")
	s.exec("CREATE TRIGGER IF NOT EXISTS g BEFORE INSERT ON t FOR EACH ROW SET NEW.id = NEW.id + 1")
	s.exec("CREATE TRIGGER IF NOT EXISTS g BEFORE INSERT ON t FOR EACH ROW SET NEW.id = 0")
	require.Equal(t, "Note 1359 Trigger already exists", s.warnings())
	s.exec("CREATE PROCEDURE IF NOT EXISTS p(a INT) SELECT a + 1")
	s.exec("CREATE PROCEDURE IF NOT EXISTS p(a INT) SELECT 0")
	require.Equal(t, "Note 1304 PROCEDURE p already exists", s.warnings())
	s.exec("INSERT INTO t VALUES (1)")
	s.is("2", "SELECT id FROM t")
	s.is("6", "CALL p(5)")
}

// ST-070: functional keys inline in CREATE TABLE, all or nothing (ST-004).
func TestFunctionalKeysInCreateTable(t *testing.T) {
	s := newShell(t)
	s.exec("CREATE TABLE t(id INT PRIMARY KEY, a VARCHAR(20), b INT, KEY k((LOWER(a))), UNIQUE KEY u((b + 1), a))",
		"INSERT INTO t VALUES (1,'X',1),(2,'y',2)")
	s.is("1", "SELECT id FROM t WHERE LOWER(a) = 'x'")
	s.fails(1062, "INSERT INTO t VALUES (3,'X',1)")
	s.fails(1061, "CREATE TABLE bad(id INT PRIMARY KEY, a INT, KEY k((a+1)), KEY k((a+2)))")
	s.fails(1146, "SELECT * FROM bad")
	s.exec("CREATE TABLE IF NOT EXISTS t(id INT, KEY x((id + 1)))")
	require.NotContains(t, s.text("SHOW CREATE TABLE t"), "`x`")
	s.fails(1050, "CREATE TABLE t(id INT, KEY x((id + 1)))")
	// Another session sees the table with its keys or not at all.
	s.exec("START TRANSACTION", "INSERT INTO t VALUES (9,'z',9)", "CREATE TABLE t2(a INT, KEY k((a+1)))")
	o := s.other()
	o.is("1", "SELECT COUNT(*) FROM t WHERE id = 9")
	require.Contains(t, o.text("SHOW CREATE TABLE t2"), "KEY `k` (((`a` + 1)))")
	s.exec("CREATE TEMPORARY TABLE tmp(a INT, KEY k((a+1)))", "INSERT INTO tmp VALUES (1)")
	s.is("1", "SELECT a FROM tmp WHERE a + 1 = 2")
	s.reopen()
	s.is("1", "SELECT id FROM t WHERE LOWER(a) = 'x'")
	s.fails(1062, "INSERT INTO t VALUES (3,'X',1)")
}

func TestAlterProcedure(t *testing.T) {
	s := newShell(t)
	s.exec(`CREATE PROCEDURE p(IN a INT, OUT b VARCHAR(20)) COMMENT 'old' SET b = CONCAT('<', a, '>')`)
	s.exec(`ALTER PROCEDURE p COMMENT 'new\'s' SQL SECURITY INVOKER READS SQL DATA`)
	shown := s.text("SHOW CREATE PROCEDURE p")
	require.Contains(t, shown, "READS SQL DATA SQL SECURITY INVOKER COMMENT 'new''s'")
	s.exec("CALL p(5, @b)")
	s.is("<5>", "SELECT @b")
	s.fails(1305, "ALTER PROCEDURE missing COMMENT 'x'")
	s.reopen()
	s.exec("CALL p(6, @b)")
	s.is("<6>", "SELECT @b")
}
