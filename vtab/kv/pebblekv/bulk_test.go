package pebblekv

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
	"pgregory.net/rapid"

	"github.com/freshetdb/freshet/vtab/kv"
)

// A run is the map of its pairs, in order, the last of each key.
func TestRunSorts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.StringMatching("\x03common(a|b|\x00|\x7f){0,12}")
		want := map[string]string{}
		var r run
		for range rapid.IntRange(0, 60).Draw(t, "pairs") {
			k, v := key.Draw(t, "key"), rapid.StringMatching(`[x-z]{0,3}`).Draw(t, "value")
			want[k] = v
			r.add([]byte(k), []byte(v))
		}
		r.sort()
		require.Len(t, r.places, len(want))
		last := ""
		for _, p := range r.places {
			require.Greater(t, string(r.key(p)), last)
			last = string(r.key(p))
			require.Equal(t, want[last], string(r.value(p)))
		}
	})
}

// load puts n rows of some hundred bytes in no order, each twice.
func load(t testing.TB, s *Store, n int) (err error) {
	t.Helper()
	b, err := s.Bulk(ctx)
	if err != nil {
		return err
	}
	defer b.Close()
	value := strings.Repeat("x", 100)
	for _, version := range []string{"old", "new"} {
		for _, i := range rand.New(rand.NewPCG(1, 1)).Perm(n) {
			if err := b.Put(benchRow(i), []byte(version+value)); err != nil {
				return err
			}
		}
	}
	return b.Flush()
}

func requireLoaded(t testing.TB, s *Store, n int) {
	t.Helper()
	got := dump(t, s)
	delete(got, "\x02ready")
	require.Len(t, got, n)
	for _, v := range got {
		require.Equal(t, "new", v[:3])
	}
}

// ST-088 at the seam: a bulk load is in memory within one run, goes to table
// files past the log, and is durable with the commit that follows.
func TestBulkGoesToTableFiles(t *testing.T) {
	const rows = 60_000
	mem := vfs.NewCrashableMem()
	s := open(t, Options{FS: mem})
	old := begin(t, s)
	defer old.Rollback()
	before, err := old.Snapshot(kv.Now)
	require.NoError(t, err)
	require.NoError(t, load(t, s, rows))
	requireLoaded(t, s, rows)
	require.Less(t, s.db.Metrics().WAL.BytesWritten, uint64(1<<20), "the log was not used")
	require.Empty(t, collect(t, before.Scan(ctx, kv.Range{Start: []byte{2}}, kv.ScanOptions{})), "an older snapshot does not see it")
	put(t, s, "\x02ready", "1")
	names, err := mem.List(mem.PathJoin("data", bulkName))
	require.NoError(t, err)
	require.Empty(t, names, "a table file was left behind")
	c := open(t, Options{FS: crashClone(mem, 0, 1)})
	requireLoaded(t, c, rows)
	old.Rollback()
}

// A fault at any file operation of a bulk load is an error of the load or a
// failure of the store; what a reopen finds is whole once it was committed.
func TestFaultInBulk(t *testing.T) {
	const rows = 12_000
	ingested := int64(0)
	step := 4
	if long {
		step = 1
	} else if testing.Short() {
		step = 16
	}
	for n := 1; ; n += step {
		_, inj, fs := faultyFS()
		s := open(t, Options{FS: fs, MemTableBytes: 2 << 20})
		ops := counter{}
		inj.set(func(errorfs.Op) error {
			if ops.next() == n {
				return errBroken
			}
			return nil
		})
		err := load(t, s, rows)
		committed := false
		if err == nil {
			x := begin(t, s)
			require.NoError(t, x.Put([]byte("\x02ready"), []byte("1")))
			_, err = x.Commit(ctx, kv.CommitOptions{})
			committed = err == nil
		}
		inj.set(func(errorfs.Op) error { return nil })
		if err != nil {
			require.ErrorIs(t, err, errBroken)
		}
		failed := s.Err() != nil
		if err := s.Close(); failed {
			requireFailure(t, err, errBroken)
		}
		s = open(t, Options{FS: fs, MemTableBytes: 2 << 20})
		if committed {
			requireLoaded(t, s, rows)
		}
		ingested = max(ingested, s.db.Metrics().Levels[6].TablesCount)
		_, err = fs.Stat(fs.PathJoin("data", bulkName))
		require.Error(t, err, "leftovers")
		require.NoError(t, s.Close())
		if ops.value() < n {
			require.Greater(t, n, 10)
			require.Positive(t, ingested, "no load went to a table file")
			return
		}
	}
}

// Commits go on beside bulk loads and range drops.
func TestBulkBesideCommits(t *testing.T) {
	s := open(t, Options{FS: vfs.NewMem(), MemTableBytes: 2 << 20})
	var stop atomic.Bool
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for n := 1; !stop.Load(); n++ {
				put(t, s, fmt.Sprintf("\x05%d", i), fmt.Sprint(n))
			}
		})
	}
	for range 5 {
		require.NoError(t, load(t, s, 20_000))
		require.NoError(t, s.DropRange(ctx, kv.PrefixRange(kv.SpaceRow, 7)))
	}
	require.NoError(t, load(t, s, 20_000))
	stop.Store(true)
	wg.Wait()
	got := dump(t, s)
	require.Len(t, got, 20_004)
}
