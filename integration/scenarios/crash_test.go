package scenarios

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/require"
)

// injector lets a test act before every file operation that changes something.
type injector struct {
	act atomic.Pointer[func()]
}

func (i *injector) MaybeError(op errorfs.Op) error {
	if op.Kind.ReadOrWrite() == errorfs.OpIsWrite && op.Kind != errorfs.OpLock {
		if act := i.act.Load(); act != nil {
			(*act)()
		}
	}
	return nil
}

func (i *injector) String() string { return "injector" }

// crash is what a crash would have left at some moment, with what had been
// acknowledged before it and begun by then.
type crash struct {
	what         string
	fs           *vfs.MemFS
	acked, begun int64
}

// crasher takes crashes while a world works.
type crasher struct {
	mu           sync.Mutex
	mem          *vfs.MemFS
	ops          int
	every        int
	acked, begun atomic.Int64
	taken        []crash
}

// newCrasher makes w work on a file system that is copied as a crash would leave
// it, before every few file operations.
func newCrasher(w *world, every int) *crasher {
	c := &crasher{mem: vfs.NewCrashableMem(), every: every}
	inj := &injector{}
	act := c.operation
	inj.act.Store(&act)
	w.fs = c.mem
	w.options.FS = errorfs.Wrap(c.mem, inj)
	return c
}

func (c *crasher) operation() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ops++
	if c.ops%c.every != 0 {
		return
	}
	percents := []int{0, 50, 100}
	if !crashAllPercents {
		percents = percents[c.ops/c.every%3:][:1]
	}
	for _, percent := range percents {
		x := crash{what: fmt.Sprintf("file operation %d, %d %%", c.ops, percent), acked: c.acked.Load()}
		x.fs = c.mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: percent, RNG: rand.New(rand.NewPCG(uint64(c.ops), 36))})
		x.begun = c.begun.Load()
		c.taken = append(c.taken, x)
	}
}

// crashes ends the taking and returns what was taken.
func (c *crasher) crashes() []crash {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.every = 1 << 30
	return c.taken
}

// after opens what a crash left.
func (x crash) after(t testing.TB) *world {
	t.Helper()
	w := &world{t: t, fs: x.fs}
	w.open()
	return w
}

var counterText = regexp.MustCompile(` AUTO_INCREMENT=\d+`)

// state is everything that SQL shows of the user's databases. The next values of
// counters are left out: a crash may leave a gap.
func (w *world) state() string {
	w.t.Helper()
	var b strings.Builder
	for _, db := range w.rows("SHOW DATABASES") {
		if db == "information_schema" || db == "mysql" || db == "performance_schema" || db == "sys" {
			continue
		}
		fmt.Fprintf(&b, "database %s\n", db)
		w.exec("%s", "USE `"+db+"`")
		for _, row := range w.rows("SHOW FULL TABLES") {
			name, _, _ := strings.Cut(row, ",")
			for _, query := range []string{"SHOW CREATE TABLE `" + name + "`", "SELECT * FROM `" + name + "`"} {
				r, err := w.session("").try(query)
				if err != nil {
					fmt.Fprintf(&b, "error %d\n", errorNumber(err))
					continue
				}
				b.WriteString(counterText.ReplaceAllString(strings.Join(sorted(r.rows), "\n"), "") + "\n")
			}
		}
		b.WriteString(strings.Join(w.rows("SELECT trigger_name, event_object_table, action_statement FROM information_schema.triggers WHERE trigger_schema = '%s' ORDER BY 1", db), "\n"))
		b.WriteString(strings.Join(w.rows("SELECT routine_name, routine_definition FROM information_schema.routines WHERE routine_schema = '%s' ORDER BY 1", db), "\n"))
	}
	return b.String()
}

// runCrashes runs a script once for its states and once under crashes, and
// requires of each crash the state before or after the statement that was running,
// and that it checks. The first from statements are the setting, without crashes.
func runCrashes(t *testing.T, script []string, from, every int) {
	states := []string{}
	plain := &world{t: t, fs: vfs.NewCrashableMem()}
	plain.open()
	states = append(states, plain.state())
	for _, s := range script {
		plain.statement(s)
		states = append(states, plain.state())
	}
	require.NoError(t, plain.close())

	w := &world{t: t}
	c := newCrasher(w, 1<<30)
	w.open()
	for i, s := range script {
		if i == from {
			c.mu.Lock()
			c.every, c.ops = every, 0
			c.mu.Unlock()
		}
		c.begun.Store(int64(i + 1))
		w.statement(s)
		c.acked.Store(int64(i + 1))
	}
	require.NoError(t, w.close())
	all := c.crashes()
	t.Logf("%d file operations, %d crashes", c.ops, len(all))
	require.Greater(t, len(all), 3)
	for _, x := range all {
		after := x.after(t)
		got := after.state()
		ok := false
		for i := x.acked; i <= x.begun; i++ {
			ok = ok || got == states[i]
		}
		if !ok {
			require.Equal(t, states[x.acked], got, "%s: neither before nor after %q", x.what, script[x.begun-1])
		}
		after.check()
		require.NoError(t, after.close())
	}
}

// statement runs one statement of a script; the database d is the current one as
// soon as it exists.
func (w *world) statement(s string) {
	w.t.Helper()
	if s == ".reopen" {
		w.reopen()
		return
	}
	_, _ = w.session("").try("USE d")
	w.exec("%s", s)
}

func lines(script string) []string { return strings.Split(strings.TrimSpace(script), "\n") }

// ST-036, INV-TAB-3: a crash at any file operation of a script of DDL and DML
// leaves the state before or after the running statement.
func TestCrashAtEveryFileOperation(t *testing.T) {
	script := lines(`
CREATE DATABASE d
CREATE TABLE p (id INT AUTO_INCREMENT PRIMARY KEY, v INT, s VARCHAR(20), KEY (v))
INSERT INTO p (v, s) VALUES (1,'a'),(2,'b'),(3,'c')
CREATE TABLE c (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES p (id) ON DELETE CASCADE)
INSERT INTO c VALUES (1,1),(2,2),(3,NULL)
CREATE UNIQUE INDEX us ON p (s)
UPDATE p SET s = CONCAT(s, '!') WHERE v > 1
CREATE VIEW vw AS SELECT v, s FROM p
CREATE TRIGGER tr BEFORE INSERT ON c FOR EACH ROW SET NEW.p = COALESCE(NEW.p, 3)
INSERT INTO c (id) VALUES (4)
CREATE PROCEDURE pr() INSERT INTO c VALUES (99, 3)
CALL pr()
ALTER TABLE p ADD COLUMN n INT NOT NULL DEFAULT 7
DELETE FROM p WHERE v = 1
ALTER TABLE p MODIFY v BIGINT
REPLACE INTO p (id, v, s) VALUES (2, 22, 'r')
CREATE TABLE k (a INT, b VARCHAR(10))
INSERT INTO k VALUES (1,'x'),(1,'x'),(2,'y')
ALTER TABLE k ADD COLUMN id INT AUTO_INCREMENT PRIMARY KEY FIRST
TRUNCATE TABLE k
INSERT INTO k (a) VALUES (5),(6)
.reopen
RENAME TABLE k TO kk
ALTER TABLE kk RENAME COLUMN a TO aa
CREATE INDEX ia ON kk (aa, b)
INSERT INTO kk (aa, b) SELECT v, s FROM p
UPDATE p JOIN kk ON p.v = kk.aa SET p.n = p.n + 1, kk.b = 'joined'
ALTER TABLE p DROP COLUMN n
ALTER TABLE p ADD CONSTRAINT pos CHECK (v > 0)
INSERT IGNORE INTO p (v, s) VALUES (5,'e'),(6,'r'),(7,'g')
INSERT INTO p (id, v, s) VALUES (2, 1, 'q') ON DUPLICATE KEY UPDATE v = v + 1
DROP INDEX us ON p
ALTER TABLE kk COMMENT = 'changed'
CREATE DATABASE e
CREATE TABLE e.far (id INT PRIMARY KEY)
INSERT INTO e.far VALUES (1),(2)
DROP TRIGGER tr
DROP VIEW vw
DROP TABLE kk
DROP DATABASE e
DELETE FROM c
DROP TABLE c, p`)
	require.GreaterOrEqual(t, len(script), 40)
	runCrashes(t, script, 0, crashEvery)
}

// ST-037, ST-038: a crash in an index build or a rewrite leaves the table as it was
// or as it should be, and no stray range. The rows are one chunk of the build;
// several are in TestCrashInChunks of package vtab.
func TestCrashInBuild(t *testing.T) {
	for _, build := range []string{"CREATE INDEX x ON t (s)", "CREATE UNIQUE INDEX x ON t (s, id)", "ALTER TABLE t MODIFY v BIGINT"} {
		t.Run(build, func(t *testing.T) {
			setting := lines(`
CREATE DATABASE d
CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, v INT, s VARCHAR(700))
INSERT INTO t (v, s) VALUES (1, REPEAT('a', 600)),(2, REPEAT('b', 600)),(3, REPEAT('c', 600)),(4, REPEAT('d', 600))`)
			for range 8 {
				setting = append(setting, "INSERT INTO t (v, s) SELECT v + 1, s FROM t")
			}
			runCrashes(t, append(setting, build), len(setting), buildCrashEvery)
		})
	}
}

// ST-039, ST-040, ST-017: a crash in DROP, TRUNCATE, RENAME of several tables and
// DROP DATABASE leaves all of it or nothing.
func TestCrashInDropAndRename(t *testing.T) {
	setting := lines(`
CREATE DATABASE d
CREATE TABLE a (id INT AUTO_INCREMENT PRIMARY KEY, v INT, KEY (v))
CREATE TABLE b (id INT PRIMARY KEY, a INT, FOREIGN KEY (a) REFERENCES a (id))
CREATE TRIGGER tb BEFORE INSERT ON b FOR EACH ROW SET NEW.id = NEW.id + 100
INSERT INTO a (v) VALUES (1),(2),(3)
INSERT INTO b VALUES (1,1),(2,2)
CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, v INT, KEY (v))
INSERT INTO t (v) VALUES (1),(2),(3)
CREATE DATABASE other
CREATE VIEW other.w AS SELECT id FROM d.a`)
	script := append(setting, lines(`
TRUNCATE TABLE t
INSERT INTO t (v) VALUES (9)
DROP TABLE t
RENAME TABLE a TO x, b TO a, x TO b
INSERT INTO a VALUES (3,3)
DROP DATABASE d`)...)
	runCrashes(t, script, len(setting), 1)
}

// ST-034, INV-TAB-3: transactions acknowledged to concurrent sessions survive a
// crash at any time, whole.
func TestAcknowledgedTransactionsSurvive(t *testing.T) {
	const writers, transactions = 6, 25
	w := &world{t: t}
	c := newCrasher(w, 7)
	w.open()
	w.exec("CREATE DATABASE d")
	w.exec("CREATE TABLE d.log (w INT, n INT, s VARCHAR(200), PRIMARY KEY (w, n), KEY (s))")
	w.exec("CREATE TABLE d.acct (id INT PRIMARY KEY, n INT)")
	w.exec("INSERT INTO d.acct VALUES (0,0),(1,0),(2,0)")
	ready := c.ops
	var acked [writers]atomic.Int64
	clients := make([]*client, writers)
	for i := range clients {
		clients[i] = w.session(fmt.Sprint(i))
	}
	// taken is what had been acknowledged at each crash, by number of operation.
	var mu sync.Mutex
	var taken []([writers]int64)
	var wg sync.WaitGroup
	for i, session := range clients {
		wg.Go(func() {
			for n := 1; n <= transactions; n++ {
				for _, s := range []string{
					"BEGIN",
					fmt.Sprintf("INSERT INTO log VALUES (%d, %d, '%s')", i, n, strings.Repeat(fmt.Sprint(n), 50)),
					fmt.Sprintf("UPDATE acct SET n = n + 1 WHERE id = %d", i%3),
					"COMMIT",
				} {
					if _, err := session.try(s); err != nil {
						t.Errorf("%s: %v", s, err)
						return
					}
				}
				acked[i].Store(int64(n))
				if n%5 == 0 {
					// A crash of our own choosing, whose acknowledged part is known.
					var seen [writers]int64
					for j := range acked {
						seen[j] = acked[j].Load()
					}
					c.mu.Lock()
					mu.Lock()
					c.taken = append(c.taken, crash{what: "chosen", acked: int64(len(taken) + 1),
						fs: c.mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 0, RNG: rand.New(rand.NewPCG(uint64(n), 34))})})
					taken = append(taken, seen)
					mu.Unlock()
					c.mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	require.NoError(t, w.close())
	t.Logf("%d file operations after %d, %d crashes", c.ops, ready, len(c.taken))
	for _, x := range c.crashes() {
		after := x.after(t)
		if _, err := after.session("").try("SELECT 1 FROM d.acct WHERE id = 2"); err != nil || len(after.rows("SELECT 1 FROM d.acct")) == 0 {
			require.Less(t, x.acked, int64(1), "%s", x.what)
			require.NoError(t, after.close())
			continue
		}
		for i := range writers {
			rows := after.rows("SELECT COUNT(*), COALESCE(MAX(n), 0) FROM d.log WHERE w = %d", i)
			var count, largest int64
			_, err := fmt.Sscanf(rows[0], "%d,%d", &count, &largest)
			require.NoError(t, err)
			require.Equal(t, largest, count, "%s: writer %d", x.what, i)
			if x.what == "chosen" {
				require.GreaterOrEqual(t, count, taken[x.acked-1][i])
			}
		}
		require.Equal(t, after.rows("SELECT COUNT(*) FROM d.log"), after.rows("SELECT SUM(n) FROM d.acct"), x.what)
		after.check()
		require.NoError(t, after.close())
	}
}

// ST-047: after a kill AUTO_INCREMENT goes on above every value that was ever
// given out, rolled-back ones included.
func TestCountersAfterKill(t *testing.T) {
	w := newWorld(t)
	w.exec("CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, v INT)")
	w.exec("CREATE TABLE k (v INT)")
	var largest uint64
	for i := range 300 {
		c := w.session("")
		if i%3 == 0 {
			c.exec("BEGIN")
		}
		largest = max(largest, c.exec("INSERT INTO t (v) VALUES (%d)", i).insertID)
		if i%3 == 0 {
			c.exec("ROLLBACK")
		}
		c.exec("INSERT INTO k VALUES (%d)", i)
		if i%50 == 49 {
			w.kill()
			got := w.session("").exec("INSERT INTO t (v) VALUES (-1)").insertID
			require.Greater(t, got, largest)
			require.LessOrEqual(t, got, largest+1000)
			largest = got
		}
	}
	require.Equal(t, []string{"300,300"}, w.rows("SELECT COUNT(*), COUNT(DISTINCT v) FROM k"))
	w.finish()
}
