package kvtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/vtab/kv"
)

// MaxTxnBytes is the greatest Caps.MaxTxnBytes a store under test may have: the
// suite fills a transaction up to it.
const MaxTxnBytes = 16 << 20

// patience bounds every wait that should end at once, on a busy machine too.
const patience = 20 * time.Second

// Open returns an empty store for one case.
type Open func(t *testing.T) kv.Store

// test is one case of the suite.
type test struct {
	name string
	run  func(e *env)
}

// Run puts the contract of the seam to an engine, each case on a store of its
// own.
func Run(t *testing.T, open Open) {
	groups := []struct {
		name  string
		tests []test
	}{
		{"Read", readTests}, {"Own", ownTests}, {"View", viewTests}, {"Commit", commitTests},
		{"Lock", lockTests}, {"Outside", outsideTests}, {"Limit", limitTests}, {"End", endTests},
		{"Concurrent", concurrentTests}, {"Validate", validateTests},
	}
	for _, g := range groups {
		for _, c := range g.tests {
			t.Run(g.name+"/"+c.name, func(t *testing.T) {
				e := &env{T: t, store: open(t), ctx: context.Background()}
				t.Cleanup(func() { require.NoError(t, e.store.Close()) })
				c.run(e)
				if !e.closed {
					e.requireIdle()
				}
			})
		}
	}
}

// env is one case under way.
type env struct {
	*testing.T
	store  kv.Store
	ctx    context.Context
	closed bool // the case has closed the store itself
}

// requireIdle asserts that the case left no lock and no snapshot behind.
func (e *env) requireIdle() {
	e.Helper()
	require.Empty(e, e.store.Locks())
	require.Zero(e, e.store.Metrics().OpenSnapshots)
	require.NoError(e, e.store.Err())
	require.LessOrEqual(e, e.store.Durable(), e.store.Applied())
}

func (e *env) begin() kv.Txn {
	e.Helper()
	t, err := e.store.Begin(e.ctx)
	require.NoError(e, err)
	e.Cleanup(t.Rollback) // before the store is closed, also when the case fails
	return t
}

// snapshot returns the transaction's snapshot at a mark.
func (e *env) snapshot(t kv.Txn, at kv.Mark) kv.Reader {
	e.Helper()
	r, err := t.Snapshot(at)
	require.NoError(e, err)
	return r
}

func (e *env) put(w kv.Writer, key, value string) {
	e.Helper()
	require.NoError(e, w.Put([]byte(key), []byte(value)))
}

func (e *env) delete(w kv.Writer, key string) {
	e.Helper()
	require.NoError(e, w.Delete([]byte(key)))
}

func (e *env) commit(t kv.Txn) kv.Position {
	e.Helper()
	pos, err := t.Commit(e.ctx, kv.CommitOptions{})
	require.NoError(e, err)
	return pos
}

// write commits some pairs: key, value, key, value, ...
func (e *env) write(pairs ...string) kv.Position {
	e.Helper()
	t := e.begin()
	for i := 0; i < len(pairs); i += 2 {
		e.put(t, pairs[i], pairs[i+1])
	}
	return e.commit(t)
}

// erase commits the deletion of keys.
func (e *env) erase(keys ...string) kv.Position {
	e.Helper()
	t := e.begin()
	for _, k := range keys {
		e.delete(t, k)
	}
	return e.commit(t)
}

// requireGet asserts the value of key.
func (e *env) requireGet(r kv.Reader, key, want string) {
	e.Helper()
	got, err := r.Get(e.ctx, []byte(key))
	require.NoError(e, err, "key %q", key)
	require.NotNil(e, got)
	require.Equal(e, want, string(got), "key %q", key)
}

// requireAbsent asserts that there is no key.
func (e *env) requireAbsent(r kv.Reader, keys ...string) {
	e.Helper()
	for _, key := range keys {
		_, err := r.Get(e.ctx, []byte(key))
		require.ErrorIs(e, err, kv.ErrNotFound, "key %q", key)
	}
}

// data is every key but those of the store itself.
var data = kv.Range{Start: []byte{byte(kv.SpaceCatalog)}}

// span is the range between two keys; an empty end is none.
func span(start, end string) kv.Range {
	r := kv.Range{Start: []byte(start)}
	if end != "" {
		r.End = []byte(end)
	}
	return r
}

// drain walks an iterator to its end.
func drain(it kv.Iterator) ([]string, error) {
	out := []string{}
	for it.Next() {
		v, err := it.Value()
		if err != nil {
			return out, err
		}
		out = append(out, string(it.Key())+"="+string(v))
	}
	return out, it.Err()
}

// scan lists a range as key=value, in key order whichever the direction.
func (e *env) scan(r kv.Reader, rng kv.Range, reverse bool) []string {
	e.Helper()
	it := r.Scan(e.ctx, rng, kv.ScanOptions{Reverse: reverse})
	out, err := drain(it)
	require.NoError(e, err)
	require.NoError(e, it.Close())
	if reverse {
		slices.Reverse(out)
	}
	return out
}

// requireScan asserts what a range holds, in both directions.
func (e *env) requireScan(r kv.Reader, rng kv.Range, want ...string) {
	e.Helper()
	if want == nil {
		want = []string{}
	}
	require.Equal(e, want, e.scan(r, rng, false), "forward")
	require.Equal(e, want, e.scan(r, rng, true), "reverse")
}

// requireStored asserts what all data keys of the store are.
func (e *env) requireStored(want ...string) {
	e.Helper()
	t := e.begin()
	defer t.Rollback()
	e.requireScan(t.Latest(kv.Now), data, want...)
}

// position reads the position through a reader.
func (e *env) position(r kv.Reader) kv.Position {
	e.Helper()
	v, err := r.Get(e.ctx, kv.MetaPosition)
	if errors.Is(err, kv.ErrNotFound) {
		return 0
	}
	require.NoError(e, err)
	p, err := kv.DecodePosition(v)
	require.NoError(e, err)
	return p
}

// requireLockError asserts a refused lock and returns nothing else.
func (e *env) requireLockError(err error, reason kv.LockReason, key string) {
	e.Helper()
	var le *kv.LockError
	require.ErrorAs(e, err, &le)
	require.Equal(e, reason, le.Reason, err.Error())
	require.Equal(e, key, string(le.Key))
}

func (e *env) requireSizeError(err error, what string) {
	e.Helper()
	var se *kv.SizeError
	require.ErrorAs(e, err, &se)
	require.Equal(e, what, se.What)
	require.Greater(e, se.Size, se.Limit)
}

func lockRequest(key string, m kv.LockMode, wait time.Duration) kv.LockRequest {
	return kv.LockRequest{Key: []byte(key), Mode: m, Wait: wait}
}

// within returns what f returns, or fails the case if that takes too long.
func (e *env) within(what string, f func() error) error {
	e.Helper()
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-time.After(patience):
		e.Fatalf("%s does not end", what)
		return nil
	}
}

// row is the i-th key of a table.
func row(i int) string { return fmt.Sprintf("\x03%06d", i) }
