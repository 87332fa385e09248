package pebblekv

import (
	"errors"
	"fmt"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/vtab/kv"
)

const (
	patience = 20 * time.Second
	tick     = time.Millisecond
)

var (
	errBroken        = errors.New("broken disk")
	errNoSpace error = syscall.ENOSPC
)

// within fails the test if f does not return in time.
func within(t testing.TB, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(patience):
		t.Fatalf("%s does not end", what)
	}
}

// ST-042, INV-KV-6: a failed sync of the log.
func TestOutcomeUnknown(t *testing.T) {
	mem, inj, fs := faultyFS()
	s := open(t, small(fs))
	put(t, s, "\x03a", "1")
	reading := begin(t, s)
	r, err := reading.Snapshot(kv.Now)
	require.NoError(t, err)
	it := r.Scan(ctx, kv.Range{Start: []byte{2}}, kv.ScanOptions{})
	late := begin(t, s)

	inj.set(func(op errorfs.Op) error {
		if isSync(op) && isLog(op) {
			return errBroken
		}
		return nil
	})
	x := begin(t, s)
	require.NoError(t, x.Put([]byte("\x03a"), []byte("2")))
	require.NoError(t, x.Put([]byte("\x03b"), []byte("2")))
	require.NoError(t, x.Lock(ctx, kv.LockRequest{Key: []byte("\x03a"), Mode: kv.LockX}))
	_, err = x.Commit(ctx, kv.CommitOptions{})
	require.ErrorIs(t, err, kv.ErrOutcomeUnknown)
	require.ErrorIs(t, err, errBroken)
	require.Empty(t, s.Locks())

	requireFailed(t, s, errBroken)
	_, err = late.Snapshot(kv.Now)
	requireFailure(t, err, errBroken)
	require.Equal(t, kv.Position(1), s.Durable(), "nothing is called durable that may not be")
	require.Error(t, s.WaitDurable(ctx, 2))

	require.Equal(t, map[string]string{"\x03a": "1"}, collect(t, it), "open readers finish")
	v, err := r.Get(ctx, []byte("\x03a"))
	require.NoError(t, err)
	require.Equal(t, "1", string(v))
	reading.Rollback()
	within(t, "Close", func() { requireFailure(t, s.Close(), errBroken) })

	inj.set(func(errorfs.Op) error { return nil })
	for _, percent := range []int{0, 50, 100} {
		s := open(t, small(crashClone(mem, percent, 1)))
		requireWholeOrAbsent(t, s)
		require.NoError(t, s.Close())
	}
	s = open(t, small(fs)) // the process lives on and opens again
	requireWholeOrAbsent(t, s)
	require.Greater(t, put(t, s, "\x03c", "3"), kv.Position(2))
}

func requireWholeOrAbsent(t testing.TB, s *Store) {
	t.Helper()
	require.Contains(t, []map[string]string{{"\x03a": "1"}, {"\x03a": "2", "\x03b": "2"}}, dump(t, s))
}

func requireFailure(t testing.TB, err error, cause error) {
	t.Helper()
	var failed *kv.FailedError
	require.ErrorAs(t, err, &failed)
	require.ErrorIs(t, err, cause)
}

// requireFailed asserts that a store takes nothing any more and says why.
func requireFailed(t testing.TB, s *Store, cause error) {
	t.Helper()
	requireFailure(t, s.Err(), cause)
	_, err := s.Begin(ctx)
	requireFailure(t, err, cause)
	_, err = s.Bulk(ctx)
	requireFailure(t, err, cause)
	requireFailure(t, s.DropRange(ctx, kv.Range{Start: []byte{3}}), cause)
	requireFailure(t, s.Checkpoint(ctx, "copy"), cause)
}

// ST-041, INV-KV-6: whichever file operation fails, once or from then on, the
// process lives on, nobody waits for ever, a store that failed takes nothing
// more, and a reopen finds every acknowledged commit and no part of one.
func TestFaultAtEveryFileOperation(t *testing.T) {
	total := 0
	runWithFault(t, 1<<30, false, errBroken, &total)
	require.Greater(t, total, 60)
	step := 3
	if long {
		step = 1
	} else if testing.Short() {
		step = 11
	}
	failures := 0
	for n := 1 + total%step; n <= total; n += step {
		for _, lasting := range []bool{false, true} {
			if runWithFault(t, n, lasting, errBroken, nil) {
				failures++
			}
		}
	}
	t.Logf("%d operations, %d failed stores", total, failures)
	require.Positive(t, failures)
}

// runWithFault runs the workload with the n-th operation failing and reports
// whether the store failed.
func runWithFault(t *testing.T, n int, lasting bool, fault error, total *int) bool {
	w := newWorkload()
	_, inj, fs := faultyFS()
	s, err := Open(ctx, "data", small(fs))
	require.NoError(t, err)
	ops := counter{}
	var faulty atomic.Value
	faulty.Store("no operation")
	inj.set(func(op errorfs.Op) error {
		i := ops.next()
		if i == n {
			faulty.Store(fmt.Sprintf("operation %d (%d on %s)", n, op.Kind, op.Path))
		}
		if i == n || lasting && i > n {
			return fault
		}
		return nil
	})
	within(t, "the workload", func() { err = w.run(s, workloadCommits) })
	failed, what := s.Err() != nil, faulty.Load()
	if err != nil {
		require.True(t, failed, "%s: %v, but the store goes on", what, err)
		require.ErrorIs(t, err, fault, "%s", what)
	}
	within(t, "Close", func() {
		if err := s.Close(); failed {
			requireFailure(t, err, fault)
		}
	})
	inj.set(func(errorfs.Op) error { return nil })
	if total != nil {
		*total = ops.value()
	}
	s, err = Open(ctx, "data", small(fs))
	require.NoError(t, err, "%s", what)
	w.requireState(t, s, w.acked.Load(), w.begun.Load())
	require.Greater(t, uint64(put(t, s, "\x05next", "x")), w.handed.Load(), "%s", what)
	require.NoError(t, s.Close())
	return failed
}

// ST-043, INV-KV-7: a log that cannot grow is a failure that says so.
func TestNoSpaceForTheLog(t *testing.T) {
	_, inj, fs := faultyFS()
	s := open(t, small(fs))
	put(t, s, "\x03a", "1")
	inj.set(func(op errorfs.Op) error {
		if op.Kind == errorfs.OpFileWrite && isLog(op) {
			return syscall.ENOSPC
		}
		return nil
	})
	x := begin(t, s)
	require.NoError(t, x.Put([]byte("\x03b"), []byte("2")))
	_, err := x.Commit(ctx, kv.CommitOptions{})
	require.ErrorIs(t, err, kv.ErrDiskFull)
	require.ErrorIs(t, err, kv.ErrOutcomeUnknown)
	requireFailed(t, s, kv.ErrDiskFull)
	require.Error(t, s.Close())
	inj.set(func(errorfs.Op) error { return nil })
	s = open(t, small(fs))
	require.Equal(t, "1", dump(t, s)["\x03a"])
	put(t, s, "\x03b", "3")
}

// INV-KV-6: Pebble's own way to give up trips the latch and keeps the goroutine.
func TestFatalTripsTheLatch(t *testing.T) {
	s := open(t, small(faultless()))
	go engineLogger{log: s.options.Logger, latch: s.latch}.Fatalf("the end: %v", errBroken)
	require.Eventually(t, func() bool { return s.Err() != nil }, patience, tick)
	requireFailed(t, s, s.Err().(*kv.FailedError).Cause)
	require.ErrorContains(t, s.Err(), "the end: broken disk")
}

// INV-KV-6: a panic inside Pebble's apply is a failure, not the end of the
// process, and does not leave the section locked.
func TestPanicInApply(t *testing.T) {
	s := open(t, small(faultless()))
	put(t, s, "\x03a", "1")
	b := s.db.NewBatch()
	require.NoError(t, b.Set([]byte("\x03b"), nil, nil))
	require.NoError(t, s.apply(b, true))
	require.NoError(t, b.SyncWait())
	err := s.apply(b, true) // applying a batch twice panics
	require.ErrorIs(t, err, errPanicked)
	requireFailed(t, s, errPanicked)
	x, err := s.Begin(ctx)
	require.Nil(t, x)
	requireFailure(t, err, errPanicked)
	within(t, "Close", func() { requireFailure(t, s.Close(), errPanicked) })
}

// INV-KV-6: a fault at any file operation of Open, of a new folder or of one with
// a log to replay, is an error of Open or a failure of the store, and no
// obstacle to the next open.
func TestFaultInOpen(t *testing.T) {
	w := newWorkload()
	recover := vfs.NewCrashableMem()
	s := open(t, small(recover))
	require.NoError(t, w.run(s, 20))
	for name, base := range map[string]*vfs.MemFS{
		"new":     vfs.NewCrashableMem(),
		"recover": crashClone(recover, 100, 1),
	} {
		refused, failed := 0, 0
		for n := 1; ; n++ {
			mem := base.CrashClone(vfs.CrashCloneCfg{})
			inj := &injector{}
			fs := errorfs.Wrap(mem, inj)
			ops := counter{}
			inj.set(func(op errorfs.Op) error {
				if ops.next() == n {
					return errBroken
				}
				return nil
			})
			var s *Store
			var err error
			within(t, "Open", func() { s, err = Open(ctx, "data", small(fs)) })
			switch {
			case err != nil:
				require.ErrorIs(t, err, errBroken, "%s: operation %d", name, n)
				refused++
			default:
				within(t, "Close", func() { err = s.Close() })
				if err != nil {
					require.ErrorIs(t, err, errBroken, "%s: operation %d", name, n)
					failed++
				}
			}
			reached := ops.value() >= n
			inj.set(func(errorfs.Op) error { return nil })
			s, err = Open(ctx, "data", small(fs))
			require.NoError(t, err, "%s: operation %d", name, n)
			if name == "recover" {
				w.requireState(t, s, w.acked.Load(), w.begun.Load())
			} else {
				require.Empty(t, dump(t, s))
			}
			require.NoError(t, s.Close())
			if !reached {
				break
			}
		}
		t.Logf("%s: %d refused, %d failed", name, refused, failed)
		require.Greater(t, refused, 10)
	}
}
