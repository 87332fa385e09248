package scenarios

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// patience bounds what must end by itself.
const patience = 20 * time.Second

// later is a statement that is running.
type later struct {
	c    *client
	text string
	done chan error
	// result is valid after done.
	result result
}

// start runs a statement beside the test.
func (c *client) start(query string) *later {
	l := &later{c: c, text: query, done: make(chan error, 1)}
	go func() {
		r, err := c.try(query)
		l.result = r
		l.done <- err
	}()
	return l
}

// waits starts a statement that must wait for a lock, and returns when it does.
func (c *client) waits(query string) *later {
	c.w.t.Helper()
	before := c.w.db.Metrics().LockWaits
	l := c.start(query)
	for deadline := time.Now().Add(patience); c.w.db.Metrics().LockWaits == before; {
		select {
		case err := <-l.done:
			require.Fail(c.w.t, "the statement did not wait", "%s\n%v %v", query, l.result, err)
		case <-time.After(100 * time.Microsecond):
			require.True(c.w.t, time.Now().Before(deadline), "neither waits nor ends: %s", query)
		}
	}
	return l
}

// end is the outcome of a statement that has nothing to wait for any more.
func (l *later) end() (result, error) {
	l.c.w.t.Helper()
	select {
	case err := <-l.done:
		return l.result, err
	case <-time.After(patience):
		require.Fail(l.c.w.t, "the statement does not end", l.text)
		return result{}, nil
	}
}

func (l *later) succeeds() result {
	l.c.w.t.Helper()
	r, err := l.end()
	require.NoError(l.c.w.t, err, l.text)
	return r
}

func (l *later) failsWith(number int) {
	l.c.w.t.Helper()
	_, err := l.end()
	require.Error(l.c.w.t, err, l.text)
	require.Equal(l.c.w.t, number, errorNumber(err), "%s\n%v", l.text, err)
}

// shows requires the rows of a query.
func (c *client) shows(query string, rows ...string) {
	c.w.t.Helper()
	require.Equal(c.w.t, rows, c.exec(query).rows, query)
}

// locks counts the locks that are held or waited for.
func (w *world) locks() int {
	w.t.Helper()
	return w.count("SELECT count(*) FROM freshet.locks")
}

// count is the number that a query returns.
func (w *world) count(query string) int {
	w.t.Helper()
	n, err := strconv.Atoi(w.rows(query)[0])
	require.NoError(w.t, err)
	return n
}

// numbers makes a table of n rows: id, v = id % 10, w = id * 10, name.
func (w *world) numbers(table string, n int, more string) {
	w.t.Helper()
	w.exec("CREATE TABLE %s (id INT PRIMARY KEY, v INT, w INT, name VARCHAR(20)%s)", table, more)
	var rows []string
	for id := 1; id <= n; id++ {
		rows = append(rows, fmt.Sprintf("(%d,%d,%d,'n%d')", id, id%10, id*10, id))
	}
	w.exec("INSERT INTO " + table + " (id, v, w, name) VALUES " + strings.Join(rows, ","))
}

// Locking scans lock the rows that match, one intention lock, and nothing else.
func TestST101OnlyMatchingRowsAreLocked(t *testing.T) {
	w := newWorld(t)
	w.numbers("t", 1000, ", KEY (v)")
	w.numbers("virt", 100, ", x INT AS (id * 2) VIRTUAL")
	w.exec("CREATE TABLE bare (a INT, b INT)")
	w.exec("INSERT INTO bare SELECT id, v FROM t WHERE id <= 100")
	w.exec("CREATE TABLE other (id INT PRIMARY KEY, t INT)")
	w.exec("INSERT INTO other VALUES (1,10),(2,20),(3,30),(4,40)")
	for _, c := range []struct {
		text  string
		locks int // of rows
	}{
		{"UPDATE t SET w = 0 WHERE name IN ('n1','n2','n3','n700','n1000')", 5},
		{"DELETE FROM t WHERE w BETWEEN 50 AND 90", 5},
		{"SELECT * FROM t WHERE w > 9950 FOR UPDATE", 5},
		{"SELECT * FROM t WHERE w > 9950 LOCK IN SHARE MODE", 5},
		{"SELECT count(*) FROM t WHERE name = 'n3' FOR SHARE", 1},
		{"SELECT * FROM t AS a WHERE a.w > 9950 FOR UPDATE", 5},
		{"SELECT * FROM t WHERE v = 3 AND w < 100 FOR UPDATE", 1},
		{"SELECT * FROM t WHERE id = 5 AND name = 'x' FOR UPDATE", 0},
		{"SELECT * FROM t WHERE id = 5 FOR UPDATE", 1},
		{"SELECT * FROM t WHERE id = 5000 FOR UPDATE", 0},
		{"SELECT * FROM t WHERE id IN (1, 2, 5000) FOR UPDATE", 2},
		{"SELECT * FROM t WHERE id < 0 FOR UPDATE", 0},
		{"SELECT * FROM t WHERE w > 100 ORDER BY id LIMIT 3 FOR UPDATE", 3},
		{"SELECT * FROM t WHERE v > 5 AND w % 20 = 0 ORDER BY v LIMIT 3 FOR UPDATE", 3},
		{"SELECT * FROM t WHERE v > 5 AND w % 20 = 0 ORDER BY v DESC LIMIT 3 FOR UPDATE", 3},
		{"UPDATE t SET w = 1 WHERE w > 100 LIMIT 4", 4},
		{"UPDATE virt SET w = 1 WHERE x IN (20, 40)", 2},
		{"UPDATE bare SET b = 7 WHERE a IN (20, 40, 41)", 3},
		{"DELETE FROM bare WHERE a = 20", 1},
		{"UPDATE t SET w = 1 WHERE id = (SELECT t FROM other WHERE id = 2)", 2},
		{"UPDATE t JOIN other ON other.t = t.id SET t.w = 1 WHERE other.id < 3 AND t.name <> 'n10'", 3},
		{"SELECT * FROM t JOIN other ON other.t = t.id WHERE other.id < 3 FOR UPDATE OF other", 2},
		{"SELECT * FROM t WHERE id = 1 AND EXISTS (SELECT 1 FROM other) FOR UPDATE", 1},
	} {
		a := w.session("a")
		a.exec("BEGIN")
		a.exec(c.text)
		require.Equal(t, c.locks, w.count("SELECT count(*) FROM freshet.locks WHERE lock_key IS NOT NULL"), c.text)
		a.exec("ROLLBACK")
		require.Zero(t, w.locks(), c.text)
	}
	w.finish()
}

// A row that somebody changes while a statement waits for it is tested again.
func TestST096RowsAreTestedAgain(t *testing.T) {
	for _, c := range []struct {
		name, change, statement string
		affected                uint64
		left                    []string // id, v, w of the rows afterwards
	}{
		{"leaves the filter", "UPDATE t SET w = 0 WHERE id = 2", "UPDATE t SET w = w + 1 WHERE w >= 20", 1, []string{"1,1,10", "2,2,0", "3,3,31"}},
		{"stays in the filter", "UPDATE t SET w = 500 WHERE id = 2", "UPDATE t SET w = w + 1 WHERE w >= 20", 2, []string{"1,1,10", "2,2,501", "3,3,31"}},
		{"is deleted", "DELETE FROM t WHERE id = 2", "UPDATE t SET w = w + 1 WHERE w >= 20", 1, []string{"1,1,10", "3,3,31"}},
		{"leaves the range", "UPDATE t SET v = 9 WHERE id = 2", "UPDATE t SET w = w + 1 WHERE v BETWEEN 2 AND 3", 1, []string{"1,1,10", "2,9,20", "3,3,31"}},
		{"moves ahead in the range", "UPDATE t SET v = 4 WHERE id = 2", "UPDATE t SET w = w + 1 WHERE v BETWEEN 2 AND 5", 2, []string{"1,1,10", "2,4,21", "3,3,31"}},
		{"moves back in the range", "UPDATE t SET v = 1 WHERE id = 3", "UPDATE t SET w = w + 1 WHERE v BETWEEN 1 AND 5", 3, []string{"1,1,11", "2,2,21", "3,1,31"}},
		{"moves to a range that is to come", "UPDATE t SET v = 7 WHERE id = 2", "UPDATE t SET w = w + 1 WHERE v IN (2, 7)", 1, []string{"1,1,10", "2,7,21", "3,3,30"}},
		{"moves to a range that is past", "UPDATE t SET v = 1 WHERE id = 3", "UPDATE t SET w = w + 1 WHERE v IN (1, 3)", 2, []string{"1,1,11", "2,2,20", "3,1,31"}},
		{"gets another primary key", "UPDATE t SET id = 5 WHERE id = 2", "UPDATE t SET w = w + 1 WHERE w >= 20", 2, []string{"1,1,10", "3,3,31", "5,2,21"}},
		{"the next in order", "UPDATE t SET v = 9 WHERE id = 1", "UPDATE t SET w = 0 WHERE v > 0 ORDER BY v LIMIT 1", 1, []string{"1,9,10", "2,2,0", "3,3,30"}},
		{"by its key", "UPDATE t SET w = w + 5 WHERE id = 2", "UPDATE t SET w = w + 1 WHERE id = 2", 1, []string{"1,1,10", "2,2,26", "3,3,30"}},
		{"by its key and a filter", "UPDATE t SET w = w + 5 WHERE id = 2", "UPDATE t SET w = w + 1 WHERE id = 2 AND w = 20", 0, []string{"1,1,10", "2,2,25", "3,3,30"}},
		{"a new row by its key", "INSERT INTO t VALUES (4,4,40,'')", "UPDATE t SET w = w + 1 WHERE id = 4", 1, []string{"1,1,10", "2,2,20", "3,3,30", "4,4,41"}},
		{"is deleted by key", "DELETE FROM t WHERE id = 2", "DELETE FROM t WHERE id = 2", 0, []string{"1,1,10", "3,3,30"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.numbers("t", 3, ", KEY (v)")
			a, b := w.session("a"), w.session("b")
			a.exec("BEGIN")
			a.exec(c.change)
			l := b.waits(c.statement)
			a.exec("COMMIT")
			require.Equal(t, c.affected, l.succeeds().affected)
			require.Equal(t, c.left, w.rows("SELECT id, v, w FROM t"))
			w.check()
		})
	}
}

// In a statement that writes, everything is read in its latest state.
func TestST096WritersReadTheLatest(t *testing.T) {
	for _, level := range []string{"REPEATABLE READ", "READ COMMITTED"} {
		t.Run(level, func(t *testing.T) {
			w := newWorld(t)
			w.numbers("src", 3, "")
			w.exec("CREATE TABLE dst (id INT PRIMARY KEY AUTO_INCREMENT, n INT)")
			w.exec("CREATE TABLE totals (id INT PRIMARY KEY, n INT)")
			w.exec("INSERT INTO totals VALUES (1, 0)")
			w.exec("CREATE FUNCTION sum_src() RETURNS INT READS SQL DATA RETURN (SELECT sum(w) FROM src)")
			w.exec("CREATE TABLE log (id INT PRIMARY KEY)")
			w.exec("CREATE TRIGGER after_log AFTER INSERT ON log FOR EACH ROW UPDATE totals SET n = (SELECT sum(w) FROM src) WHERE id = 1")
			w.exec("CREATE PROCEDURE fill_dst() INSERT INTO dst (n) SELECT sum(w) FROM src")
			a, b := w.session("a"), w.session("b")
			a.exec("SET SESSION TRANSACTION ISOLATION LEVEL " + level)
			sum := 60
			for i, c := range []struct{ write, read string }{
				{"INSERT INTO dst (n) SELECT sum(w) FROM src", "SELECT max(n) FROM dst"},
				{"INSERT INTO dst (n) VALUES ((SELECT sum(w) FROM src))", "SELECT max(n) FROM dst"},
				{"INSERT INTO dst (n) VALUES (sum_src())", "SELECT max(n) FROM dst"},
				{"INSERT IGNORE INTO dst (n) SELECT sum_src()", "SELECT max(n) FROM dst"},
				{"UPDATE totals SET n = (SELECT sum(w) FROM src)", "SELECT n FROM totals"},
				{"UPDATE totals SET n = sum_src()", "SELECT n FROM totals"},
				{"UPDATE totals JOIN (SELECT sum(w) AS s FROM src) AS x SET n = s", "SELECT n FROM totals"},
				{fmt.Sprintf("INSERT INTO log VALUES (%d)", level[0]), "SELECT n FROM totals"},
				{"CALL fill_dst()", "SELECT max(n) FROM dst"},
			} {
				a.exec("BEGIN")
				a.exec("SELECT count(*) FROM src")
				b.exec("UPDATE src SET w = w + 1000 WHERE id = %d", i%3+1)
				sum += 1000
				if level == "REPEATABLE READ" {
					a.shows("SELECT sum(w) FROM src", fmt.Sprint(sum-1000))
				}
				a.exec(c.write)
				a.shows(c.read, fmt.Sprint(sum))
				if level == "REPEATABLE READ" {
					// What was read is locked for share.
					b.fails(3572, "SELECT * FROM src WHERE id = 1 FOR UPDATE NOWAIT")
					b.exec("SELECT * FROM src FOR SHARE")
				} else {
					b.exec("UPDATE src SET name = name WHERE id = 1")
				}
				a.exec("COMMIT")
			}
			// Statements that only read do not lock, also in functions and procedures.
			a.exec("BEGIN")
			a.exec("SELECT sum_src()")
			a.exec("SELECT * FROM src")
			require.Zero(t, w.locks())
			a.exec("ROLLBACK")
			w.finish()
		})
	}
}

// ST-101: NOWAIT fails at once; eight workers take each of 1,000 jobs once.
func TestST101NoWaitAndSkipLocked(t *testing.T) {
	w := newWorld(t)
	jobs := 1000
	if testing.Short() {
		jobs = 200
	}
	w.numbers("jobs", jobs, ", done INT DEFAULT 0, KEY (done, id)")
	a, b := w.session("a"), w.session("b")
	a.exec("BEGIN")
	a.exec("SELECT * FROM jobs WHERE id = 1 FOR UPDATE")
	b.fails(3572, "SELECT * FROM jobs WHERE id = 1 FOR UPDATE NOWAIT")
	b.fails(3572, "SELECT * FROM jobs WHERE id < 5 FOR SHARE NOWAIT")
	b.shows("SELECT id FROM jobs WHERE id < 5 FOR UPDATE SKIP LOCKED", "2", "3", "4")
	b.shows("SELECT id FROM jobs WHERE id < 5 AND name <> '' FOR SHARE SKIP LOCKED", "2", "3", "4")
	b.shows("SELECT id FROM jobs WHERE done = 0 ORDER BY id LIMIT 2 FOR UPDATE SKIP LOCKED", "2", "3")
	b.shows("SELECT id FROM jobs WHERE id = 1 FOR UPDATE SKIP LOCKED")
	a.exec("ROLLBACK")

	waited := w.db.Metrics().LockWaits
	var mu sync.Mutex
	taken := map[string]int{}
	var wg sync.WaitGroup
	for worker := range 8 {
		c := w.session(fmt.Sprint("worker", worker))
		query := "SELECT id FROM jobs WHERE done = 0 ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED"
		if worker%2 == 1 {
			query = "SELECT id FROM jobs WHERE done = 0 AND name <> '' LIMIT 1 FOR UPDATE SKIP LOCKED"
		}
		wg.Add(1)
		go func() {
			defer wg.Done()
			for {
				c.exec("BEGIN")
				rows := c.exec(query).rows
				if len(rows) == 0 {
					c.exec("COMMIT")
					return
				}
				c.exec("UPDATE jobs SET done = 1 WHERE id = " + rows[0])
				c.exec("COMMIT")
				mu.Lock()
				taken[rows[0]]++
				mu.Unlock()
			}
		}()
	}
	wg.Wait()
	require.Len(t, taken, jobs)
	for id, times := range taken {
		require.Equal(t, 1, times, "job %s", id)
	}
	require.Equal(t, waited, w.db.Metrics().LockWaits, "nobody waits")
	w.shows(t, "SELECT count(*) FROM jobs WHERE done = 0", "0")
	w.finish()
}

// shows requires the rows of a query of the first session.
func (w *world) shows(t *testing.T, query string, rows ...string) {
	t.Helper()
	require.Equal(t, rows, w.rows(query), query)
}

// ST-099: a wait for a lock ends, the statement alone is undone, and what was
// locked and changed before stays.
func TestST099LockWaitEnds(t *testing.T) {
	w := newWorld(t)
	w.numbers("t", 5, "")
	a, b := w.session("a"), w.session("b")
	a.exec("BEGIN")
	a.exec("UPDATE t SET w = 1 WHERE id = 3")
	b.exec("SET innodb_lock_wait_timeout = 1")
	b.exec("BEGIN")
	b.exec("UPDATE t SET w = 2 WHERE id = 5")
	started := time.Now()
	b.waits("UPDATE t SET w = 3 WHERE name <> 'n5'").failsWith(1205)
	require.GreaterOrEqual(t, time.Since(started), time.Second)
	b.shows("SELECT w FROM t", "10", "20", "30", "40", "2")
	w.session("c").fails(3572, "SELECT * FROM t WHERE id = 5 FOR UPDATE NOWAIT")
	a.exec("COMMIT")
	b.exec("UPDATE t SET w = 3 WHERE id = 1")
	b.exec("COMMIT")
	w.shows(t, "SELECT w FROM t", "3", "20", "1", "40", "2")
	require.Zero(t, w.locks())
}

// ST-117: a transaction locks a large table in bounded memory, readers do not
// notice, and its locks go faster than they came.
func TestST117ManyRowsLocked(t *testing.T) {
	if testing.Short() {
		t.Skip("locks more rows than fit in the short form")
	}
	w := newWorld(t)
	w.exec("CREATE TABLE t (id INT PRIMARY KEY, v INT)")
	w.fill("t", lockedRows)
	a, b := w.session("a"), w.session("b")
	for _, query := range []string{
		"SELECT count(*) FROM t WHERE v > 0 FOR UPDATE",
		"SELECT count(*) FROM t WHERE v > 0 FOR SHARE",
		"DELETE FROM t WHERE v > 0",
	} {
		a.exec("BEGIN")
		started := time.Now()
		a.exec(query)
		taken := time.Since(started)
		require.LessOrEqual(t, w.count("SELECT count(*) FROM freshet.locks"), 100_001, query)
		require.Equal(t, lockedRows, w.count("SELECT count(*) FROM t"), query)
		b.fails(3572, "SELECT * FROM t WHERE id = 1 FOR UPDATE NOWAIT")
		b.fails(3572, fmt.Sprintf("SELECT * FROM t WHERE id = %d FOR UPDATE NOWAIT", lockedRows))
		started = time.Now()
		a.exec("ROLLBACK")
		require.Less(t, time.Since(started), taken, query)
		require.Zero(t, w.locks())
	}
}
