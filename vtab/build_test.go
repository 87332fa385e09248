package vtab

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/catalog"
	"github.com/freshetdb/freshet/vtab/kv"
	"github.com/freshetdb/freshet/vtab/kv/pebblekv"
)

// newSmallDatabase is a database whose builds work in chunks of two MiB and know few
// values without the store, so that tables of a test are as many chunks as large ones.
func newSmallDatabase(t testing.TB, fs vfs.FS) *database {
	ctx := context.Background()
	store, err := pebblekv.Open(ctx, "data", pebblekv.Options{FS: fs, MemTableBytes: 2 << 20})
	require.NoError(t, err)
	cat, _, err := catalog.Open(ctx, store, catalog.Options{})
	require.NoError(t, err)
	d := newEngineOver(t, store, cat)
	d.fs = fs
	d.engine.uniqueHashes = 2000
	t.Cleanup(func() { d.close() })
	return d
}

// fill puts rows 1..n of (id, v, s) into a table, v a permutation of 1..n.
func (c *client) fill(table string, n, textBytes int) {
	c.d.t.Helper()
	order := rand.New(rand.NewPCG(74, uint64(n))).Perm(n)
	text := strings.Repeat("x", textBytes)
	for from := 0; from < n; from += 500 {
		var b strings.Builder
		for i := from; i < min(n, from+500); i++ {
			fmt.Fprintf(&b, ",(%d,%d,'%d%s')", i+1, order[i]+1, order[i]+1, text)
		}
		c.exec("INSERT INTO %s VALUES %s", table, b.String()[1:])
	}
}

// ST-074: an index over a table much larger than a chunk is built in the memory of a
// few chunks, whatever the order of the values; readers go on meanwhile; a build that
// is cancelled leaves nothing.
func TestBuildsAreBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long, above all under the race detector, and runs on one goroutine")
	}
	const rows, textBytes = 9000, 500
	d := newSmallDatabase(t, vfs.NewMem())
	s := d.session()
	defer s.end()
	s.exec("CREATE DATABASE d")
	s.exec("CREATE TABLE t (id INT PRIMARY KEY, v INT, s VARCHAR(600))")
	s.fill("t", rows, textBytes)
	// A run of two MiB, whose memory may be twice as much while it grows, and the
	// hashes of one unique key.
	limit := int64(2*(2<<20) + 2*hashBytes*d.engine.uniqueHashes)
	require.Greater(t, int64(rows*textBytes), limit, "the table has to be larger than the limit")

	for _, build := range []string{"CREATE INDEX a ON t (s)", "CREATE UNIQUE INDEX b ON t (s)", "CREATE UNIQUE INDEX c ON t (v)", "ALTER TABLE t MODIFY v BIGINT"} {
		d.engine.buildBytes.Store(0)
		stop, read := make(chan struct{}), make(chan int)
		go func() { read <- d.readWhile(stop) }()
		s.exec("%s", build)
		close(stop)
		require.Positive(t, <-read, "%s: readers go on", build)
		require.Positive(t, d.engine.buildBytes.Load(), build)
		require.LessOrEqual(t, d.engine.buildBytes.Load(), limit, build)
	}
	d.requireSound()
	s.check("SELECT COUNT(*) FROM t FORCE INDEX (c) WHERE v > 0", fmt.Sprintf("[%d]\n", rows))

	before := d.keys()
	for _, build := range []string{"CREATE INDEX k ON t (s, v)", "CREATE UNIQUE INDEX k ON t (v, s)", "ALTER TABLE t MODIFY v INT"} {
		ctx, cancel := context.WithCancel(context.Background())
		d.engine.buildBytes.Store(0)
		done := make(chan error)
		go func() {
			c := *s
			c.ctx = s.ctx.WithContext(ctx)
			_, err := c.try("%s", build)
			done <- err
		}()
		for d.engine.buildBytes.Load() < 256<<10 { // some of it has been read
			select {
			case err := <-done:
				require.Fail(t, "the build ended before it was killed", "%s: %v", build, err)
			case <-time.After(100 * time.Microsecond):
			}
		}
		cancel()
		require.ErrorIs(t, <-done, context.Canceled, build)
		require.Equal(t, before, d.keys(), "%s: nothing is left", build)
	}
	d.requireSound()
}

// readWhile counts the queries that a session answers until stop is closed.
func (d *database) readWhile(stop chan struct{}) (n int) {
	c := d.session()
	defer c.end()
	for {
		select {
		case <-stop:
			return n
		case <-time.After(time.Millisecond):
		}
		if rows, err := c.try("SELECT v, s FROM t WHERE id = %d", 1+n%100); err != nil || len(rows) != 1 {
			d.t.Errorf("a reader beside the build: %v, %v", rows, err)
			return n
		}
		n++
	}
}

// keys counts the keys of rows and index entries by the id that they belong to.
func (d *database) keys() map[uint32]int {
	d.t.Helper()
	ctx := context.Background()
	tx, err := d.store.Begin(ctx)
	require.NoError(d.t, err)
	defer tx.Rollback()
	n := map[uint32]int{}
	for _, space := range []kv.Space{kv.SpaceRow, kv.SpaceIndex} {
		it := tx.Latest(kv.Now).Scan(ctx, kv.SpaceRange(space), kv.ScanOptions{KeysOnly: true})
		for it.Next() {
			k := it.Key()
			n[uint32(k[1])<<24|uint32(k[2])<<16|uint32(k[3])<<8|uint32(k[4])]++
		}
		require.NoError(d.t, it.Err())
		require.NoError(d.t, it.Close())
	}
	return n
}

// ST-071, ST-132: a value that appears twice is found wherever the two are: in one
// chunk, in different ones, above all others or not; and no other is taken for one.
func TestBuildsFindDuplicates(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long, above all under the race detector, and runs on one goroutine")
	}
	const rows = 6000
	for _, order := range []string{"ascending", "descending", "random"} {
		for _, twice := range [][2]int{{1, 2}, {1, rows}, {rows - 1, rows}, {2500, 2501}, {2500, 5500}, {1, 2001}} {
			t.Run(fmt.Sprintf("%s %v", order, twice), func(t *testing.T) {
				d := newSmallDatabase(t, vfs.NewMem())
				s := d.session()
				defer s.end()
				s.exec("CREATE DATABASE d")
				s.exec("CREATE TABLE t (id INT PRIMARY KEY, v INT)")
				values := rand.New(rand.NewPCG(71, 71)).Perm(rows)
				for i := range values {
					switch order {
					case "ascending":
						values[i] = i
					case "descending":
						values[i] = rows - i
					}
				}
				missing := values[twice[1]-1]
				values[twice[1]-1] = values[twice[0]-1]
				var b strings.Builder
				for i, v := range values {
					fmt.Fprintf(&b, ",(%d,%d)", i+1, v)
				}
				s.exec("INSERT INTO t VALUES %s", b.String()[1:])
				before := d.keys()
				for _, statement := range []string{"CREATE UNIQUE INDEX u ON t (v)", "ALTER TABLE t DROP PRIMARY KEY, ADD PRIMARY KEY (v)"} {
					_, err := s.try("%s", statement)
					require.ErrorContains(t, err, fmt.Sprintf("key given: [%d]", values[twice[0]-1]), statement)
					require.Equal(t, before, d.keys(), statement)
				}
				s.exec("UPDATE t SET v = %d WHERE id = %d", missing, twice[1])
				s.exec("CREATE UNIQUE INDEX u ON t (v)")
				s.exec("ALTER TABLE t DROP PRIMARY KEY, ADD PRIMARY KEY (v)")
				s.check("SELECT COUNT(*) FROM t", fmt.Sprintf("[%d]\n", rows))
				d.requireSound()
			})
		}
	}
}
