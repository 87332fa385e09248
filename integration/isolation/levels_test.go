package isolation

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// views are queries whose answers follow one count: "1" a row of t with k = 1.
// Each reads another way.
var views = []string{
	"SELECT COUNT(*) FROM t",
	"SELECT COUNT(*) FROM t WHERE k = 1",
	"SELECT COUNT(v) FROM t WHERE k BETWEEN 0 AND 5",
	"SELECT COUNT(*) FROM t x JOIN u y ON y.id = x.u",
	"SELECT COUNT(*) FROM u WHERE id = 1 AND 0 = (SELECT 0 FROM t LIMIT 1)",
	"SELECT SUM(n) FROM (SELECT COUNT(*) AS n FROM t WHERE v = 'x') s",
	"SELECT COUNT(*) FROM t WHERE id > 0 AND EXISTS (SELECT 1 FROM u WHERE u.id = t.u)",
	"SELECT MAX(id) FROM t",
	"SELECT id FROM t ORDER BY id DESC LIMIT 1",
	"SELECT COUNT(*) FROM (SELECT id FROM t UNION SELECT id FROM t) s",
}

func newViews(w *world) *client {
	s := w.client("setup", repeatableRead)
	s.exec("CREATE TABLE u (id INT PRIMARY KEY)")
	s.exec("CREATE TABLE t (id INT PRIMARY KEY, k INT, u INT, v VARCHAR(10), KEY (k))")
	s.exec("INSERT INTO u VALUES (1)")
	s.exec("INSERT INTO t VALUES (1,1,1,'x')")
	return s
}

func ask(c *client) string {
	var all []string
	for _, q := range views {
		all = append(all, c.exec(q))
	}
	return strings.Join(all, " ")
}

// answer is what ask answers when t has n rows.
func answer(n int) string {
	return fmt.Sprintf("%[1]d %[1]d %[1]d %[1]d %[2]d %[1]d %[1]d %[1]d %[1]d %[1]d", n, min(n, 1))
}

// ST-092: at REPEATABLE READ and above a transaction sees what was committed when it
// first read, however it reads.
func TestST092RepeatableSnapshot(t *testing.T) {
	for _, level := range []string{repeatableRead, serializable} {
		t.Run(level, func(t *testing.T) {
			w := newWorld(t)
			b := newViews(w)
			for first := range views {
				a := w.client("a", level)
				a.exec("BEGIN")
				b.exec("DELETE FROM t WHERE id > 2")
				b.exec("REPLACE INTO t VALUES (2,1,1,'x')")
				require.Equal(t, strings.Fields(answer(2))[first], a.exec(views[first]), "committed before the first read")
				b.exec("INSERT INTO t VALUES (3,1,1,'x')")
				require.Equal(t, answer(2), ask(a))
				b.exec("UPDATE t SET k = 9, v = 'y', u = 7")
				b.exec("DELETE FROM t WHERE id = 2")
				require.Equal(t, answer(2), ask(a))
				a.exec("COMMIT")
				b.exec("REPLACE INTO t VALUES (1,1,1,'x'),(2,1,1,'x'),(3,1,1,'x')")
				require.Equal(t, answer(3), ask(a))
			}
			a := w.client("a", level)
			a.exec("START TRANSACTION WITH CONSISTENT SNAPSHOT")
			b.exec("INSERT INTO t VALUES (4,1,1,'x')")
			require.Equal(t, answer(3), ask(a))
			a.exec("ROLLBACK")
			require.Equal(t, answer(4), ask(a))
			w.check()
		})
	}
}

// ST-093: below, each statement sees what was committed before it, and never what
// was not.
func TestST093ReadCommitted(t *testing.T) {
	for _, level := range []string{readUncommitted, readCommitted} {
		t.Run(level, func(t *testing.T) {
			w := newWorld(t)
			b := newViews(w)
			a := w.client("a", level)
			a.exec("BEGIN")
			require.Equal(t, answer(1), ask(a))
			b.exec("INSERT INTO t VALUES (2,1,1,'x')")
			require.Equal(t, answer(2), ask(a))
			b.exec("BEGIN")
			b.exec("INSERT INTO t VALUES (3,1,1,'x')")
			b.exec("UPDATE t SET k = 9, v = 'y' WHERE id = 1")
			b.sees("3", "SELECT COUNT(*) FROM t")
			require.Equal(t, answer(2), ask(a), "uncommitted")
			b.exec("ROLLBACK")
			require.Equal(t, answer(2), ask(a), "rolled back")
			a.exec("COMMIT")

			// A statement sees nothing of what is committed while it runs.
			b.exec("CREATE TABLE n (id INT PRIMARY KEY, v INT)")
			b.exec("INSERT INTO n VALUES (1,0),(2,0)")
			conn := a.conn
			rows, err := conn.QueryContext(t.Context(), "SELECT x.v + y.v + SLEEP(0.05) FROM n x JOIN n y ON y.id = 3 - x.id ORDER BY x.id")
			require.NoError(t, err)
			b.exec("UPDATE n SET v = 1")
			var seen []float64
			for rows.Next() {
				var v float64
				require.NoError(t, rows.Scan(&v))
				seen = append(seen, v)
			}
			require.NoError(t, rows.Err())
			require.NoError(t, rows.Close())
			require.Equal(t, seen[0], seen[1], "one moment: %v", seen)
			w.check()
		})
	}
}
