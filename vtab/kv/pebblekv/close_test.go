package pebblekv

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/vtab/kv"
)

// INV-KV-15: Close waits for readers, gives up on those that stay, cuts them off
// and frees the folder.
func TestCloseWithReaders(t *testing.T) {
	mem := vfs.NewMem()
	s := open(t, Options{FS: mem, CloseWithin: 50 * time.Millisecond})
	put(t, s, "\x03a", "1")
	x := begin(t, s)
	r, err := x.Snapshot(kv.Now)
	require.NoError(t, err)
	it := r.Scan(ctx, kv.Range{Start: []byte{2}}, kv.ScanOptions{})
	require.ErrorIs(t, s.Close(), errInUse)
	s2 := open(t, Options{FS: mem})
	put(t, s2, "\x03a", "2")
	require.Equal(t, map[string]string{"\x03a": "1"}, collect(t, it))
	x.Rollback()

	x = begin(t, s2)
	r, err = x.Snapshot(kv.Now)
	require.NoError(t, err)
	it = r.Scan(ctx, kv.Range{Start: []byte{2}}, kv.ScanOptions{})
	closed := make(chan error, 1)
	go func() { closed <- s2.Close() }()
	require.Eventually(t, s2.closing.Load, patience, tick)
	require.Equal(t, map[string]string{"\x03a": "2"}, collect(t, it))
	x.Rollback()
	require.NoError(t, <-closed)
}

// ST-029: a Close that cannot flush says so, and loses no acknowledged commit.
func TestCloseCannotFlush(t *testing.T) {
	mem, inj, fs := faultyFS()
	s := open(t, Options{FS: fs})
	put(t, s, "\x03a", "1")
	inj.set(func(op errorfs.Op) error {
		if isSync(op) {
			return errBroken
		}
		return nil
	})
	within(t, "Close", func() { requireFailure(t, s.Close(), errBroken) })
	s = open(t, Options{FS: crashClone(mem, 0, 1)})
	require.Equal(t, map[string]string{"\x03a": "1"}, dump(t, s))
	require.Greater(t, put(t, s, "\x03a", "2"), kv.Position(positionsPerReserve), "an unclean start")
}

// A checkpoint is a store of its own that holds one commit's state.
func TestCheckpoint(t *testing.T) {
	mem := vfs.NewMem()
	s := open(t, small(mem))
	w := newWorkload()
	require.NoError(t, w.run(s, workloadCommits/2))
	require.NoError(t, s.Checkpoint(ctx, "copy"))
	require.Error(t, s.Checkpoint(ctx, "copy"), "it does not overwrite")
	require.NoError(t, w.run(s, workloadCommits))
	c, err := Open(ctx, "copy", small(mem))
	require.NoError(t, err)
	require.NotEqual(t, s.Incarnation(), c.Incarnation())
	w.requireState(t, c, workloadCommits/2, workloadCommits/2)
	require.NoError(t, c.Close())
}

// A copy that cannot be written is an error, not a failure of the store.
func TestCheckpointFails(t *testing.T) {
	_, inj, fs := faultyFS()
	s := open(t, small(fs))
	require.NoError(t, newWorkload().run(s, 20))
	for n := 1; ; n++ {
		ops := counter{}
		inj.set(func(op errorfs.Op) error {
			if strings.HasPrefix(op.Path, "copy") && ops.next() == n {
				return errBroken
			}
			return nil
		})
		err := s.Checkpoint(ctx, fmt.Sprint("copy", n))
		inj.set(func(errorfs.Op) error { return nil })
		require.NoError(t, s.Err(), "operation %d", n)
		if err == nil && ops.value() < n {
			require.Greater(t, n, 10)
			return
		}
		put(t, s, "\x05a", fmt.Sprint(n))
	}
}

// INV-KV-15: an orderly Close ends every goroutine the store has begun.
func TestCloseEndsTheGoroutines(t *testing.T) {
	run := func() {
		mem := vfs.NewMem()
		mem.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: 1 << 40})
		s := open(t, Options{FS: mem, Durability: kv.DurabilityInterval, IntervalMS: 1, WatchEvery: tick})
		put(t, s, "\x03a", "1")
		require.NoError(t, s.WaitDurable(ctx, 1))
		require.NoError(t, s.Close())
	}
	run()
	before := runtime.NumGoroutine()
	for range 10 {
		run()
	}
	for deadline := time.Now().Add(patience); runtime.NumGoroutine() > before; time.Sleep(tick) {
		require.True(t, time.Now().Before(deadline), "%d goroutines, %d before", runtime.NumGoroutine(), before)
	}
}
