package scenarios

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// ST-095: increments of one row add up, whatever the levels and the length of the
// transactions, by key, by index and by scan.
func TestST095IncrementsAddUp(t *testing.T) {
	w := newWorld(t)
	w.numbers("t", 3, ", KEY (v)")
	w.exec("UPDATE t SET w = 0")
	sessions, rounds := 16, 200
	if testing.Short() {
		sessions, rounds = 8, 25
	}
	levels := []string{"READ UNCOMMITTED", "READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"}
	statements := []string{
		"UPDATE t SET w = w + 1 WHERE id = 1",
		"UPDATE t SET w = w + 1 WHERE v = 1",
		"UPDATE t SET w = w + 1 WHERE name = 'n1'",
		"UPDATE t JOIN (SELECT 1 AS one) AS x ON t.id = one SET w = w + 1",
		"INSERT INTO t VALUES (1, 0, 0, '') ON DUPLICATE KEY UPDATE w = w + 1",
	}
	var mu sync.Mutex
	acknowledged := 0
	var wg sync.WaitGroup
	for i := range sessions {
		c := w.session(fmt.Sprint("s", i))
		c.exec("SET SESSION TRANSACTION ISOLATION LEVEL " + levels[i%len(levels)])
		wg.Add(1)
		go func() {
			defer wg.Done()
			for r := range rounds {
				length := 1 + (i+r)%3
				if length > 1 {
					c.exec("BEGIN")
				}
				done := 0
				for n := range length {
					_, err := c.try(statements[(i+r+n)%len(statements)])
					if err != nil {
						require.Equal(t, 1213, errorNumber(err), err.Error())
						done = -1
						break
					}
					done++
				}
				if length > 1 && done > 0 {
					if _, err := c.try("COMMIT"); err != nil {
						require.Equal(t, 1213, errorNumber(err), err.Error())
						done = 0
					}
				}
				mu.Lock()
				acknowledged += max(done, 0)
				mu.Unlock()
			}
		}()
	}
	wg.Wait()
	require.Equal(t, acknowledged, w.count("SELECT w FROM t WHERE id = 1"))
	require.NotZero(t, acknowledged)
	require.Zero(t, w.locks())
	w.finish()
}

// ST-097: a row that the transaction does not see is current for its writes, and
// its own from then on.
func TestST097CurrentRowsBecomeOwnRows(t *testing.T) {
	w := newWorld(t)
	w.numbers("t", 2, "")
	a, b := w.session("a"), w.session("b")
	a.exec("BEGIN")
	a.shows("SELECT id, w FROM t", "1,10", "2,20")
	b.exec("INSERT INTO t VALUES (5, 5, 50, 'n5'), (6, 6, 60, 'n6')")
	b.exec("UPDATE t SET name = 'changed' WHERE id = 2")
	a.shows("SELECT id, w FROM t", "1,10", "2,20")
	a.fails(1062, "INSERT INTO t VALUES (5, 0, 0, '')")
	a.shows("SELECT id FROM t WHERE id = 5")
	a.exec("UPDATE t SET w = 9 WHERE id = 5")
	a.shows("SELECT id, w, name FROM t", "1,10,n1", "2,20,n2", "5,9,n5")
	require.EqualValues(t, 1, a.exec("DELETE FROM t WHERE id = 5").affected)
	a.shows("SELECT id FROM t", "1", "2")
	a.exec("ROLLBACK")
	w.shows(t, "SELECT id, w FROM t", "1,10", "2,20", "5,50", "6,60")
	a.exec("BEGIN")
	a.exec("SELECT * FROM t WHERE id = 1")
	b.exec("INSERT INTO t VALUES (7, 7, 70, 'n7')")
	require.EqualValues(t, 5, a.exec("DELETE FROM t").affected)
	a.shows("SELECT count(*) FROM t", "0")
	a.exec("ROLLBACK")
	w.shows(t, "SELECT count(*) FROM t", "5")
	w.finish()
}

// ST-102: locks for share go together and hold writers off; OF locks one table.
func TestST102ShareLocks(t *testing.T) {
	w := newWorld(t)
	w.numbers("t", 3, "")
	w.numbers("u", 3, "")
	a, b := w.session("a"), w.session("b")
	for _, clause := range []string{"FOR SHARE", "LOCK IN SHARE MODE"} {
		a.exec("BEGIN")
		a.exec("SELECT * FROM t WHERE id = 1 " + clause)
		b.exec("BEGIN")
		b.exec("SELECT * FROM t WHERE id < 3 " + clause)
		b.fails(3572, "SELECT * FROM t WHERE id = 1 FOR UPDATE NOWAIT")
		b.exec("ROLLBACK")
		l := b.waits("UPDATE t SET w = w + 1 WHERE id = 1")
		a.exec("ROLLBACK")
		l.succeeds()
	}
	for _, c := range []struct {
		query  string
		locked []string // of t, u
	}{
		{"SELECT * FROM t JOIN u ON t.id = u.id WHERE t.id = 1 FOR UPDATE OF t", []string{"t"}},
		{"SELECT * FROM t AS a JOIN u AS b ON a.id = b.id WHERE a.id = 1 FOR UPDATE OF b", []string{"u"}},
		{"SELECT * FROM t JOIN u ON t.id = u.id WHERE t.id = 1 FOR UPDATE", []string{"t", "u"}},
		{"SELECT * FROM t JOIN u ON t.id = u.id WHERE t.id = 1 FOR UPDATE OF t FOR SHARE OF u", []string{"t"}},
	} {
		a.exec("BEGIN")
		a.exec(c.query)
		var locked []string
		for _, table := range []string{"t", "u"} {
			if _, err := b.try("SELECT * FROM " + table + " WHERE id = 1 FOR SHARE NOWAIT"); err != nil {
				require.Equal(t, 3572, errorNumber(err), err.Error())
				locked = append(locked, table)
			}
		}
		require.Equal(t, c.locked, locked, c.query)
		a.exec("ROLLBACK")
	}
	w.finish()
}

// ST-103: a unique key value is a lock, whoever takes or frees it in whatever way.
func TestST103UniqueKeyIsALock(t *testing.T) {
	for _, c := range []struct {
		name, first, second string
		committed           int // error of second if first commits
		rolledBack          int
	}{
		{"insert and insert", "INSERT INTO t VALUES (8, 'x', 80)", "INSERT INTO t VALUES (9, 'x', 90)", 1062, 0},
		{"insert and equal by collation", "INSERT INTO t VALUES (8, 'x', 80)", "INSERT INTO t VALUES (9, 'X', 90)", 1062, 0},
		{"insert of one primary key", "INSERT INTO t VALUES (8, 'x', 80)", "INSERT INTO t VALUES (8, 'y', 90)", 1062, 0},
		{"update into it", "INSERT INTO t VALUES (8, 'x', 80)", "UPDATE t SET u = 'x' WHERE id = 1", 1062, 0},
		{"a second unique key", "INSERT INTO t VALUES (8, 'x', 80)", "INSERT INTO t VALUES (9, 'y', 80)", 1062, 0},
		{"delete frees it", "DELETE FROM t WHERE id = 1", "INSERT INTO t VALUES (9, 'a', 90)", 0, 1062},
		{"update frees it", "UPDATE t SET u = 'z' WHERE id = 1", "INSERT INTO t VALUES (9, 'a', 90)", 0, 1062},
		{"replace takes it", "REPLACE INTO t VALUES (1, 'b', 10)", "INSERT INTO t VALUES (9, 'a', 90)", 0, 1062},
		{"ignore waits too", "INSERT INTO t VALUES (8, 'x', 80)", "INSERT IGNORE INTO t VALUES (9, 'x', 90)", 0, 0},
		{"on duplicate waits too", "INSERT INTO t VALUES (8, 'x', 80)", "INSERT INTO t VALUES (9, 'x', 90) ON DUPLICATE KEY UPDATE w = 1", 0, 0},
		{"a new primary key", "UPDATE t SET id = 8 WHERE id = 1", "INSERT INTO t VALUES (8, 'y', 90)", 1062, 0},
	} {
		for _, end := range []string{"COMMIT", "ROLLBACK"} {
			t.Run(c.name+" "+end, func(t *testing.T) {
				w := newWorld(t)
				w.exec("CREATE TABLE t (id INT PRIMARY KEY, u VARCHAR(10) COLLATE utf8mb4_0900_ai_ci, w INT, UNIQUE KEY (u), UNIQUE KEY (w))")
				w.exec("INSERT INTO t VALUES (1, 'a', 10), (2, 'b', 20)")
				a, b := w.session("a"), w.session("b")
				a.exec("BEGIN")
				a.exec(c.first)
				l := b.waits(c.second)
				a.exec(end)
				want := c.committed
				if end == "ROLLBACK" {
					want = c.rolledBack
				}
				if want == 0 {
					l.succeeds()
				} else {
					l.failsWith(want)
				}
				require.Zero(t, w.locks())
				w.check()
			})
		}
	}
}

// ST-104: a child and its parent wait for each other, two children do not.
func TestST104ForeignKeyLocksTheParent(t *testing.T) {
	for _, key := range []string{"id", "u"} { // the parent's primary key, and a unique one
		for _, c := range []struct {
			name, first, second string
			committed           int
			rolledBack          int
		}{
			{"parent deleted", "DELETE FROM p WHERE id = 1", "INSERT INTO c VALUES (9, 1)", 1452, 0},
			{"parent gets another key", "UPDATE p SET id = 7, u = 7 WHERE id = 1", "INSERT INTO c VALUES (9, 1)", 1452, 0},
			{"parent is inserted", "INSERT INTO p VALUES (5, 5, 0)", "INSERT INTO c VALUES (9, 5)", 0, 1452},
			{"child inserted", "INSERT INTO c VALUES (9, 1)", "DELETE FROM p WHERE id = 1", 1451, 0},
			{"child updated", "UPDATE c SET p = 1 WHERE id = 1", "DELETE FROM p WHERE id = 1", 1451, 0},
			{"child inserted, parent moves", "INSERT INTO c VALUES (9, 1)", "UPDATE p SET id = 7, u = 7 WHERE id = 1", 1451, 0},
			{"cascade", "INSERT INTO d VALUES (9, 1)", "DELETE FROM p WHERE id = 1", 0, 0},
		} {
			for _, end := range []string{"COMMIT", "ROLLBACK"} {
				t.Run(c.name+" by "+key+" "+end, func(t *testing.T) {
					w := newWorld(t)
					w.exec("CREATE TABLE p (id INT PRIMARY KEY, u INT UNIQUE, w INT)")
					w.exec("CREATE TABLE c (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES p (%s))", key)
					w.exec("CREATE TABLE d (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES p (%s) ON DELETE CASCADE)", key)
					w.exec("INSERT INTO p VALUES (1, 1, 0), (2, 2, 0)")
					w.exec("INSERT INTO c VALUES (1, 2)")
					a, b, other := w.session("a"), w.session("b"), w.session("other")
					a.exec("BEGIN")
					a.exec(c.first)
					other.exec("INSERT INTO c VALUES (100, 2)") // another parent
					l := b.waits(c.second)
					a.exec(end)
					want := c.committed
					if end == "ROLLBACK" {
						want = c.rolledBack
					}
					if want == 0 {
						l.succeeds()
					} else {
						l.failsWith(want)
					}
					w.shows(t, "SELECT count(*) FROM c LEFT JOIN p ON c.p = p."+key+" WHERE p.id IS NULL", "0")
					w.shows(t, "SELECT count(*) FROM d LEFT JOIN p ON d.p = p."+key+" WHERE p.id IS NULL", "0")
					require.Zero(t, w.locks())
					w.check()
				})
			}
		}
	}
	w := newWorld(t)
	w.exec("CREATE TABLE p (id INT PRIMARY KEY)")
	w.exec("CREATE TABLE c (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES p (id))")
	w.exec("INSERT INTO p VALUES (1)")
	a, b := w.session("a"), w.session("b")
	a.exec("BEGIN")
	a.exec("INSERT INTO c VALUES (1, 1)")
	b.exec("INSERT INTO c VALUES (2, 1)")
	a.exec("COMMIT")
	w.shows(t, "SELECT count(*) FROM c", "2")
}
