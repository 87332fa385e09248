package pebblekv

import (
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/vtab/kv"
)

// ST-036, INV-KV-2, INV-KV-3, INV-KV-4: a crash before any file operation of a
// store's life (making it, two sessions with flushes and compactions, closing)
// that keeps 0, 50 or 100 % of what was not synced leaves the state after one
// commit, none that was acknowledged is missing, and no position is given out
// twice.
func TestCrashAtEveryFileOperation(t *testing.T) {
	type crash struct {
		what         string
		fs           *vfs.MemFS
		acked, begun int64
		handed       uint64
	}
	w := newWorkload()
	mem, inj, fs := faultyFS()
	var mu sync.Mutex
	var crashes []crash
	ops := 0
	inj.set(func(op errorfs.Op) error {
		mu.Lock()
		defer mu.Unlock()
		ops++
		percents := []int{0, 50, 100}
		if !long { // each operation once
			percents = percents[ops%3:][:1]
		}
		if testing.Short() && ops%7 != 0 {
			return nil
		}
		for _, percent := range percents {
			c := crash{what: fmt.Sprintf("operation %d (%d on %s), %d %%", ops, op.Kind, op.Path, percent)}
			// acked before the clone, begun after: what lies between may or may
			// not be there.
			c.acked = w.acked.Load()
			c.fs = crashClone(mem, percent, uint64(ops))
			c.begun, c.handed = w.begun.Load(), w.handed.Load()
			crashes = append(crashes, c)
		}
		return nil
	})
	for _, until := range []int{workloadCommits / 2, workloadCommits} {
		s, err := Open(ctx, "data", small(fs))
		require.NoError(t, err)
		require.NoError(t, w.run(s, until))
		require.NoError(t, s.Close())
	}
	mu.Lock()
	defer mu.Unlock()
	inj.set(func(errorfs.Op) error { return nil })
	t.Logf("%d operations, %d crashes", ops, len(crashes))
	require.Greater(t, ops, 150)
	for _, c := range crashes {
		s, err := Open(ctx, "data", small(c.fs))
		require.NoError(t, err, c.what)
		w.requireState(t, s, c.acked, c.begun)
		require.Greater(t, uint64(put(t, s, "\x05next", "x")), c.handed, "%s: a position was given out twice", c.what)
		require.NoError(t, s.Close(), c.what)
	}
}

// ST-034, INV-KV-2: commits acknowledged to eight concurrent writers survive a
// crash at any time, each with what its hook added.
func TestAcknowledgedCommitsSurvive(t *testing.T) {
	const writers, commits = 8, 60
	mem, inj, fs := faultyFS()
	s := open(t, small(fs))
	var acked [writers]atomic.Int64
	type crash struct {
		fs    *vfs.MemFS
		acked [writers]int64
	}
	var mu sync.Mutex
	var crashes []crash
	ops := 0
	inj.set(func(op errorfs.Op) error {
		mu.Lock()
		defer mu.Unlock()
		if ops++; ops%4 != 0 {
			return nil
		}
		var c crash
		for i := range acked {
			c.acked[i] = acked[i].Load()
		}
		c.fs = crashClone(mem, ops%3*50, uint64(ops))
		crashes = append(crashes, c)
		return nil
	})
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() {
			for n := 1; n <= commits; n++ {
				if err := countUp(s, i, n); err != nil {
					t.Error(err)
					return
				}
				acked[i].Store(int64(n))
			}
		})
	}
	wg.Wait()
	mu.Lock()
	defer mu.Unlock()
	inj.set(func(errorfs.Op) error { return nil })
	for _, c := range crashes {
		s, err := Open(ctx, "data", small(c.fs))
		require.NoError(t, err)
		got := dump(t, s)
		sum := 0
		for i := range writers {
			n, _ := strconv.Atoi(got[fmt.Sprintf("\x03%d", i)])
			require.GreaterOrEqual(t, int64(n), c.acked[i])
			for m := 1; m <= n; m++ {
				require.Contains(t, got, fmt.Sprintf("\x05%d-%d", i, m))
			}
			sum += n
		}
		total, _ := strconv.Atoi(got["\x04sum"])
		require.Equal(t, sum, total, "a commit and what its hook added are one")
		require.Equal(t, kv.Position(total), s.Applied())
		require.NoError(t, s.Close())
	}
}

// countUp commits the n-th step of a writer: its counter and a row.
func countUp(s *Store, writer, n int) error {
	x, err := s.Begin(ctx)
	if err != nil {
		return err
	}
	defer x.Rollback()
	if err := x.Put(fmt.Appendf(nil, "\x03%d", writer), fmt.Appendf(nil, "%d", n)); err != nil {
		return err
	}
	if err := x.Put(fmt.Appendf(nil, "\x05%d-%d", writer, n), make([]byte, 2000)); err != nil {
		return err
	}
	_, err = x.Commit(ctx, kv.CommitOptions{Hook: addOne})
	return err
}

// addOne is a hook that counts commits.
func addOne(latest kv.Reader, w kv.Writer, _ kv.Position) error {
	n := 0
	if v, err := latest.Get(ctx, []byte("\x04sum")); err == nil {
		if n, err = strconv.Atoi(string(v)); err != nil {
			return err
		}
	}
	return w.Put([]byte("\x04sum"), []byte(strconv.Itoa(n+1)))
}

// ST-035, INV-KV-5: without waiting, what survives a crash is a prefix of the
// commit order; under the interval it holds everything that Durable covers.
func TestWeakerDurabilityKeepsAPrefix(t *testing.T) {
	for _, d := range []kv.Durability{kv.DurabilityInterval, kv.DurabilityNone} {
		mem, inj, fs := faultyFS()
		o := small(fs)
		o.Durability, o.IntervalMS = d, 5
		s := open(t, o)
		type crash struct {
			fs               *vfs.MemFS
			durable, applied kv.Position
		}
		var mu sync.Mutex
		var crashes []crash
		ops := 0
		inj.set(func(errorfs.Op) error {
			mu.Lock()
			defer mu.Unlock()
			c := crash{durable: s.Durable()}
			c.fs = crashClone(mem, ops%2*50, uint64(ops))
			c.applied = s.Applied() + 1 // the one under way
			crashes = append(crashes, c)
			ops++
			return nil
		})
		for n := 1; n <= 200; n++ {
			put(t, s, fmt.Sprintf("\x03%04d", n), string(make([]byte, 3000)))
		}
		if d == kv.DurabilityInterval {
			require.Eventually(t, func() bool { return s.Durable() == s.Applied() }, patience, tick)
		}
		mu.Lock()
		inj.set(func(errorfs.Op) error { return nil })
		for _, c := range crashes {
			s, err := Open(ctx, "data", small(c.fs))
			require.NoError(t, err)
			got := dump(t, s)
			for n := 1; n <= len(got); n++ {
				require.Contains(t, got, fmt.Sprintf("\x03%04d", n), "not a prefix")
			}
			require.GreaterOrEqual(t, kv.Position(len(got)), c.durable)
			require.LessOrEqual(t, kv.Position(len(got)), c.applied)
			require.NoError(t, s.Close())
		}
		mu.Unlock()
	}
}
