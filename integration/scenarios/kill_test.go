package scenarios

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	killRows   = 2000
	killRounds = 8
)

// killed is a statement that is stopped at a random moment.
type killed struct {
	name, statement string
	// done is true of the store where the statement had its whole effect, undone where
	// it had none.
	done, undone string
	commits      bool // what was before is committed, whatever becomes of it
}

func killedStatements(file string) []killed {
	whole := fmt.Sprint(killRows)
	return []killed{
		{name: "INSERT SELECT", statement: "INSERT INTO u SELECT id, v, s FROM t", done: "SELECT COUNT(*) = " + whole + " FROM u", undone: "SELECT COUNT(*) = 0 FROM u"},
		{name: "UPDATE", statement: "UPDATE t SET v = v + 1, s = CONCAT(s, 'x')", done: "SELECT COUNT(*) = SUM(v = id + 1) FROM t", undone: "SELECT COUNT(*) = SUM(v = id) FROM t"},
		{name: "UPDATE of keys", statement: "UPDATE t SET id = id + 100000", done: "SELECT MIN(id) > 100000 FROM t", undone: "SELECT MAX(id) < 100000 FROM t"},
		{name: "DELETE", statement: "DELETE FROM t WHERE v >= 0", done: "SELECT COUNT(*) = 0 FROM t", undone: "SELECT COUNT(*) = " + whole + " FROM t"},
		{name: "REPLACE SELECT", statement: "REPLACE INTO t SELECT id, v + 1, s FROM t", done: "SELECT COUNT(*) = SUM(v = id + 1) FROM t", undone: "SELECT COUNT(*) = SUM(v = id) FROM t"},
		{name: "LOAD DATA", statement: "LOAD DATA INFILE '" + file + "' INTO TABLE u", done: "SELECT COUNT(*) = " + whole + " FROM u", undone: "SELECT COUNT(*) = 0 FROM u"},
		{name: "ALTER", statement: "ALTER TABLE t MODIFY v BIGINT UNSIGNED NOT NULL", commits: true,
			done:   "SELECT column_type = 'bigint unsigned' FROM information_schema.columns WHERE table_schema = 'd' AND table_name = 't' AND column_name = 'v'",
			undone: "SELECT column_type = 'int' FROM information_schema.columns WHERE table_schema = 'd' AND table_name = 't' AND column_name = 'v'"},
		{name: "CREATE INDEX", statement: "CREATE INDEX n ON t (s, v)", commits: true,
			done:   "SELECT COUNT(*) = 2 FROM information_schema.statistics WHERE table_schema = 'd' AND index_name = 'n'",
			undone: "SELECT COUNT(*) = 0 FROM information_schema.statistics WHERE table_schema = 'd' AND index_name = 'n'"},
		{name: "CREATE TABLE SELECT", statement: "CREATE TABLE w SELECT * FROM t", commits: true,
			done:   "SELECT COUNT(*) = 1 FROM information_schema.tables WHERE table_schema = 'd' AND table_name = 'w'",
			undone: "SELECT COUNT(*) = 0 FROM information_schema.tables WHERE table_schema = 'd' AND table_name = 'w'"},
		{name: "triggers", statement: "INSERT INTO fired SELECT id FROM t", done: "SELECT (SELECT COUNT(*) FROM fired) + (SELECT COUNT(*) FROM u) = 2 * " + whole,
			undone: "SELECT (SELECT COUNT(*) FROM fired) + (SELECT COUNT(*) FROM u) = 0"},
		{name: "cascade", statement: "DELETE FROM parent", done: "SELECT (SELECT COUNT(*) FROM parent) + (SELECT COUNT(*) FROM child) = 0",
			undone: "SELECT (SELECT COUNT(*) FROM parent) + (SELECT COUNT(*) FROM child) = 2 * " + whole},
	}
}

func killWorld(t *testing.T, wire bool) *world {
	w := newWorld(t)
	if w.wire = wire; wire {
		w.serve()
	}
	w.exec("SET @@cte_max_recursion_depth = 100000")
	w.run(`
CREATE TABLE kept (id INT PRIMARY KEY AUTO_INCREMENT, n INT)
CREATE TABLE t (id INT PRIMARY KEY, v INT NOT NULL, s VARCHAR(60), KEY v (v), UNIQUE KEY vs (v, s))
CREATE TABLE u LIKE t
CREATE TABLE fired (id INT PRIMARY KEY)
CREATE TRIGGER tr AFTER INSERT ON fired FOR EACH ROW INSERT INTO u VALUES (NEW.id, NEW.id, 'fired')
CREATE TABLE parent (id INT PRIMARY KEY)
CREATE TABLE child (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES parent (id) ON DELETE CASCADE)
`)
	w.exec("INSERT INTO t WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < %d) SELECT i, i, REPEAT('r', 50) FROM r", killRows)
	w.exec("INSERT INTO parent SELECT id FROM t")
	w.exec("INSERT INTO child SELECT id, id FROM t")
	return w
}

// ST-121: KILL QUERY at any moment leaves nothing of the statement, all of what was
// before it, and a usable transaction and connection.
func TestST121KillAtAnyMoment(t *testing.T) {
	if testing.Short() {
		t.Skip("rows by the thousand, killed over and over")
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	var lines strings.Builder
	for i := 1; i <= killRows; i++ {
		fmt.Fprintf(&lines, "%d\t%d\tloaded\n", i, i)
	}
	file := filepath.Join(t.TempDir(), "rows.txt")
	require.NoError(t, os.WriteFile(file, []byte(lines.String()), 0o600))
	for _, wire := range ways() {
		for n, k := range killedStatements(file) {
			t.Run(fmt.Sprintf("%v/%s", map[bool]string{true: "wire", false: "process"}[wire], k.name), func(t *testing.T) {
				killAtRandom(t, killWorld(t, wire), k, rand.New(rand.NewPCG(seed, uint64(n))))
			})
		}
	}
}

// killAtRandom stops the statement in several rounds, until it once ran to its end.
func killAtRandom(t *testing.T, w *world, k killed, random *rand.Rand) {
	c := w.session("A")
	id := c.exec("SELECT CONNECTION_ID()").rows[0]
	span := 40 * time.Millisecond
	if k.commits {
		span = 5 * time.Millisecond // they are quick, and can be done once
	}
	stopped := 0
	for round := range killRounds {
		c.exec("BEGIN")
		c.exec("INSERT INTO kept (n) VALUES (%d)", round)
		began := time.Now()
		err := w.killAfter(c, id, k.statement, time.Duration(random.Int64N(int64(span))))
		took := time.Since(began)
		if err != nil {
			stopped++
			if w.wire {
				require.Equal(t, 1317, errorNumber(err), "%v", err)
			} else {
				// The engine may have put the context's error into words of its own.
				require.Regexp(t, "context (canceled|deadline exceeded)|interrupted", err.Error())
			}
			require.Equal(t, []string{"1"}, c.exec(k.undone).rows, "round %d after %v", round, err)
		} else {
			require.Equal(t, []string{"1"}, c.exec(k.done).rows, "round %d", round)
			span = took
		}
		c.exec("INSERT INTO kept (n) VALUES (%d)", 1000+round)
		if err == nil && !k.commits {
			c.exec("ROLLBACK") // the next round needs the rows
			continue
		}
		c.exec("COMMIT")
		require.Equal(t, []string{"2"}, w.session("B").exec("SELECT COUNT(*) FROM kept WHERE n IN (%d, %d)", round, 1000+round).rows)
		if err == nil {
			break
		}
	}
	t.Logf("%d of the rounds were stopped", stopped)
	w.finish()
}

// killAfter runs a statement and stops it after a while: by KILL QUERY, or in process
// by its context.
func (w *world) killAfter(c *client, id, statement string, after time.Duration) error {
	if !w.wire {
		ctx, cancel := context.WithTimeout(context.Background(), after)
		defer cancel()
		_, err := c.tryContext(ctx, statement)
		return err
	}
	killer := w.session("killer")
	done := make(chan error, 1)
	go func() {
		_, err := c.try(statement)
		done <- err
	}()
	time.Sleep(after)
	killer.exec("KILL QUERY " + id)
	return <-done
}

// ST-121, in a wait for a lock: 1317, the locks held before stay.
func TestST121KillInLockWait(t *testing.T) {
	w := newWorld(t)
	w.wire = true
	w.serve()
	w.run(`
CREATE TABLE t (id INT PRIMARY KEY, v INT)
INSERT INTO t VALUES (1, 1), (2, 2)
@A BEGIN
@A UPDATE t SET v = 10 WHERE id = 1
@B BEGIN
@B UPDATE t SET v = 20 WHERE id = 2
`)
	b := w.session("B")
	id := b.exec("SELECT CONNECTION_ID()").rows[0]
	for _, statement := range []string{"UPDATE t SET v = 21 WHERE id = 1", "SELECT * FROM t WHERE id = 1 FOR UPDATE", "ALTER TABLE t ADD c INT", "LOCK TABLES t WRITE"} {
		if strings.HasPrefix(statement, "ALTER") {
			b.exec("COMMIT")
		}
		failed := make(chan error, 1)
		go func() {
			_, err := b.try(statement)
			failed <- err
		}()
		require.Eventually(t, func() bool {
			return w.waiting()
		}, 10*time.Second, 5*time.Millisecond)
		w.session("C").exec("KILL QUERY " + id)
		require.Equal(t, 1317, errorNumber(<-failed), statement)
	}
	w.run(`
@A COMMIT
@B UPDATE t SET v = 22 WHERE id = 1
SELECT * FROM t --= 1,22; 2,20
`)
	w.finish()
}

// waiting reports whether somebody waits for a lock.
func (w *world) waiting() bool {
	return w.session("C").exec("SELECT COUNT(*) FROM freshet.locks WHERE status = 'waiting'").rows[0] != "0"
}

// ST-122: a client that vanishes inside a transaction, or inside a result, leaves
// nothing.
func TestST122VanishedClients(t *testing.T) {
	w := newWorld(t)
	w.exec("SET @@cte_max_recursion_depth = 100000")
	w.exec("CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(200))")
	w.exec("INSERT INTO t WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 5000) SELECT i, REPEAT('v', 200) FROM r")
	w.wire = true
	w.serve()
	const sessions = "SELECT COUNT(*) FROM information_schema.processlist"
	before := w.session("watch").exec(sessions).rows[0]
	gone := func() {
		require.Eventually(t, func() bool {
			return w.session("watch").exec(sessions).rows[0] == before
		}, 10*time.Second, 10*time.Millisecond)
	}
	a := w.connect()
	a.exec("USE d")
	a.exec("LOCK TABLES t WRITE")
	a.exec("UPDATE t SET v = 'x' WHERE id = 1")
	require.NoError(t, a.vanish())
	gone()
	a = w.connect()
	a.exec("USE d")
	a.exec("BEGIN")
	a.exec("UPDATE t SET v = 'y' WHERE id < 10")
	a.exec("FLUSH TABLES") // commits
	a.exec("BEGIN")
	a.exec("UPDATE t SET v = 'z' WHERE id < 10")
	a.exec("CREATE TEMPORARY TABLE x (id INT)")
	require.NoError(t, a.vanish())
	gone()
	w.session("watch").exec("UPDATE d.t SET v = CONCAT(v, '!') WHERE id = 5")
	require.Equal(t, []string{"y!"}, w.session("watch").exec("SELECT v FROM d.t WHERE id = 5").rows)
	a = w.connect()
	a.exec("USE d")
	a.exec("BEGIN")
	a.exec("DELETE FROM t WHERE id = 6")
	rows, err := a.conn.QueryContext(context.Background(), "SELECT a.v FROM t a, t b")
	require.NoError(t, err)
	require.True(t, rows.Next())
	require.NoError(t, a.vanish())
	gone()
	require.Equal(t, []string{"y"}, w.session("watch").exec("SELECT v FROM d.t WHERE id = 6 FOR UPDATE").rows)
	require.Zero(t, w.db.Metrics().OpenSnapshots)
	w.finish()
}
