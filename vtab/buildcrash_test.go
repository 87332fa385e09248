package vtab

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/require"
)

// fileOperations calls act with the number of each file operation that changes
// something, before it is done.
type fileOperations struct {
	act    atomic.Pointer[func(n int)]
	mu     sync.Mutex
	n      int
	tables int // files of the bulk loads that were begun
}

func (f *fileOperations) MaybeError(op errorfs.Op) error {
	if op.Kind.ReadOrWrite() != errorfs.OpIsWrite || op.Kind == errorfs.OpLock {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.n++
	if op.Kind == errorfs.OpCreate && strings.Contains(op.Path, "bulk") {
		f.tables++
	}
	if act := f.act.Load(); act != nil {
		(*act)(f.n)
	}
	return nil
}

func (f *fileOperations) String() string { return "file operations" }

// begin counts from zero and calls act from now on.
func (f *fileOperations) begin(act func(n int)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.n, f.tables = 0, 0
	f.act.Store(&act)
}

// ST-037, ST-038: a crash at any of twenty points of an index build, or of a rewrite,
// of several chunks leaves the table as it was or as it should be; what had been
// written of it is swept at the next open, and the statement then succeeds.
func TestCrashInChunks(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long, above all under the race detector, and runs on one goroutine")
	}
	const rows, textBytes, points = 3000, 2000, 20
	for _, build := range []struct{ statement, done string }{
		{"CREATE INDEX x ON t (s)", "KEY `x` (`s`)"},
		{"CREATE UNIQUE INDEX x ON t (s, id)", "UNIQUE KEY `x` (`s`,`id`)"},
		{"ALTER TABLE t MODIFY v BIGINT", "`v` bigint"},
	} {
		t.Run(build.statement, func(t *testing.T) {
			mem := vfs.NewCrashableMem()
			ops := &fileOperations{}
			d := newSmallDatabase(t, errorfs.Wrap(mem, ops))
			s := d.session()
			s.exec("CREATE DATABASE d")
			s.exec("CREATE TABLE t (id INT PRIMARY KEY, v INT, s VARBINARY(2100))")
			s.fill("t", rows, textBytes)
			setting := mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: rand.New(rand.NewPCG(1, 1))})

			// Once to count, then on copies that crash.
			ops.begin(func(int) {})
			s.exec("%s", build.statement)
			total, tables := ops.n, ops.tables
			require.GreaterOrEqual(t, tables, 3, "several chunks")
			s.end()
			d.close()

			// How many operations there are depends on the engine's own work.
			taken := crashesDuring(t, setting, build.statement, max(1, total/(3*points)))
			require.Greater(t, len(taken), points)
			before, after := 0, 0
			for i := range points + 1 {
				c := taken[i*(len(taken)-1)/points]
				if requireBeforeOrAfter(t, c, build.statement, build.done, rows, i%3 == 0) {
					after++
				} else {
					before++
				}
			}
			require.Positive(t, before)
			require.Positive(t, after)
			t.Logf("%d file operations, %d chunks; %d crashes before, %d after", total, tables, before, after)
		})
	}
}

// crash is what one leaves.
type crash struct {
	at string
	fs *vfs.MemFS
}

// crashesDuring runs a statement on a copy of the setting and returns what a crash
// leaves at every so many file operations, and at once after the answer.
func crashesDuring(t *testing.T, setting *vfs.MemFS, statement string, every int) (taken []crash) {
	mem := setting.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: rand.New(rand.NewPCG(2, 2))})
	ops := &fileOperations{}
	d := newSmallDatabase(t, errorfs.Wrap(mem, ops))
	s := d.session()
	take := func(n, percent int) {
		fs := mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: percent, RNG: rand.New(rand.NewPCG(uint64(n), 37))})
		taken = append(taken, crash{fmt.Sprintf("file operation %d, %d %% kept", n, percent), fs})
	}
	ops.begin(func(n int) {
		if n%every == 0 {
			take(n, []int{0, 50, 100}[n/every%3])
		}
	})
	s.exec("%s", statement)
	ops.begin(func(int) {})
	take(0, 0)
	s.end()
	d.close()
	return taken
}

// requireBeforeOrAfter opens what a crash left and reports whether the statement was
// done. again: it is then run again.
func requireBeforeOrAfter(t *testing.T, c crash, statement, done string, rows int, again bool) bool {
	d := newSmallDatabase(t, c.fs)
	defer d.close()
	d.requireSound()
	s := d.session()
	defer s.end()
	s.ctx.SetCurrentDatabase("d")
	whole := fmt.Sprintf("[%d,%d]\n", rows, rows*(rows+1)/2)
	s.check("SELECT COUNT(*), CAST(SUM(v) AS SIGNED) FROM t", whole)
	d.requireNoStray(c.at)
	finished := strings.Contains(s.rows("SHOW CREATE TABLE t"), done)
	if finished || !again {
		return finished
	}
	s.exec("%s", statement)
	require.Contains(t, s.rows("SHOW CREATE TABLE t"), done)
	s.check("SELECT COUNT(*), CAST(SUM(v) AS SIGNED) FROM t", whole)
	d.requireSound()
	d.requireNoStray(c.at)
	return false
}

// requireNoStray requires that all keys of rows and entries are those of the table.
func (d *database) requireNoStray(at string) {
	d.t.Helper()
	owned := map[uint32]bool{}
	for _, id := range physicalIDs(d.descriptor("t")) {
		owned[uint32(id)] = true
	}
	for id, n := range d.keys() {
		require.True(d.t, owned[id], "%s: %d keys under id %d belong to nothing", at, n, id)
	}
}
