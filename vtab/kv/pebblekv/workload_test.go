package pebblekv

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/vtab/kv"
)

// injector lets a test act on every file operation that changes something:
// before it happens, and in its place if the result is not nil.
type injector struct {
	act atomic.Pointer[func(op errorfs.Op) error]
}

func (i *injector) MaybeError(op errorfs.Op) error {
	if op.Kind.ReadOrWrite() != errorfs.OpIsWrite || op.Kind == errorfs.OpLock {
		return nil
	}
	if act := i.act.Load(); act != nil {
		return (*act)(op)
	}
	return nil
}

func (i *injector) String() string { return "injector" }

func (i *injector) set(act func(op errorfs.Op) error) { i.act.Store(&act) }

// faultyFS is a crashable file system whose operations a test can disturb.
func faultyFS() (*vfs.MemFS, *injector, vfs.FS) {
	mem, inj := vfs.NewCrashableMem(), &injector{}
	return mem, inj, errorfs.Wrap(mem, inj)
}

func isSync(op errorfs.Op) bool {
	return op.Kind == errorfs.OpFileSync || op.Kind == errorfs.OpFileSyncData
}

func isLog(op errorfs.Op) bool { return strings.HasSuffix(op.Path, ".log") }

// crashClone is what a crash now would leave.
func crashClone(mem *vfs.MemFS, percent int, seed uint64) *vfs.MemFS {
	return mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: percent, RNG: rand.New(rand.NewPCG(seed, 7))})
}

// workload is a fixed sequence of commits by one client. It knows the contents
// after each of them, so that what a crash leaves can be told to be the state
// after some commit, and after which.
type workload struct {
	states []map[string]string // by number of commits made
	acked  atomic.Int64        // commits whose durability was acknowledged
	begun  atomic.Int64        // commits that were begun
	handed atomic.Uint64       // the newest position seen by anybody
}

const (
	workloadCommits = 40
	// workloadValueBytes makes a few commits fill the first memory table of 256
	// KiB, so that flushes, log rotations and compactions take part.
	workloadValueBytes = 20 << 10
)

func newWorkload() *workload {
	w := &workload{states: []map[string]string{{}}}
	for n := 1; n <= workloadCommits; n++ {
		state := maps.Clone(w.states[n-1])
		w.change(n, func(k, v string) { state[k] = v }, func(k string) { delete(state, k) }, func(prefix string) {
			maps.DeleteFunc(state, func(k, _ string) bool { return strings.HasPrefix(k, prefix) })
		})
		w.states = append(w.states, state)
	}
	return w
}

// change is what commit n does.
func (w *workload) change(n int, put func(k, v string), del func(k string), drop func(prefix string)) {
	if n%10 == 0 {
		drop(fmt.Sprintf("\x03%d-", n%7))
	}
	value := strings.Repeat(fmt.Sprintf("%08d", n), workloadValueBytes/8)
	put(fmt.Sprintf("\x03%d-%d", n%7, n), value)
	put("\x04last", fmt.Sprint(n))
	if n > 3 {
		del(fmt.Sprintf("\x03%d-%d", (n-3)%7, n-3))
	}
}

// run makes the commits from the first that is missing in the store. Every third
// does not wait for the disk. It returns the first error.
func (w *workload) run(s *Store, until int) error {
	for n := int(w.begun.Load()) + 1; n <= until; n++ {
		if err := w.commit(s, n); err != nil {
			return fmt.Errorf("commit %d: %w", n, err)
		}
	}
	return nil
}

func (w *workload) commit(s *Store, n int) error {
	x, err := s.Begin(ctx)
	if err != nil {
		return err
	}
	defer x.Rollback()
	var errs []error
	add := func(err error) { errs = append(errs, err) }
	w.change(n,
		func(k, v string) { add(x.Put([]byte(k), []byte(v))) },
		func(k string) { add(x.Delete([]byte(k))) },
		func(p string) { add(x.DeleteRange(kv.Range{Start: []byte(p), End: []byte(p + "\xff")})) })
	if err := errors.Join(errs...); err != nil {
		return err
	}
	o := kv.CommitOptions{Durability: kv.DurabilityCommit, Published: func(p kv.Position) { w.handed.Store(uint64(p)) }}
	if n%3 == 0 {
		o.Durability = kv.DurabilityNone
	}
	w.begun.Store(int64(n))
	_, err = x.Commit(context.Background(), o)
	if err == nil && o.Durability == kv.DurabilityCommit {
		w.acked.Store(int64(n))
	}
	return err
}

// requireState asserts that the store holds the state after one of the commits
// from to until, and returns which.
func (w *workload) requireState(t testing.TB, s *Store, from, until int64) int {
	t.Helper()
	got := dump(t, s)
	n := 0
	if last, ok := got["\x04last"]; ok {
		_, err := fmt.Sscan(last, &n)
		require.NoError(t, err)
	}
	require.GreaterOrEqual(t, int64(n), from, "an acknowledged commit is lost")
	require.LessOrEqual(t, int64(n), until)
	require.Equal(t, len(w.states[n]), len(got))
	for k, v := range w.states[n] {
		require.True(t, got[k] == v, "key %q after commit %d", k, n)
	}
	return n
}

// small keeps memory tables at their smallest, so that they fill.
func small(fs vfs.FS) Options { return Options{FS: fs, MemTableBytes: 256 << 10} }
