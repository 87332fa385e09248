package kvtest

import (
	"context"

	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/vtab/kv"
)

// endTests are about use after the end of a transaction or of the store.
var endTests = []test{
	{"done after commit", func(e *env) {
		t := e.begin()
		e.put(t, "\x03a", "1")
		e.commit(t)
		e.requireDone(t)
		e.requireStored("\x03a=1")
	}},
	{"done after commit of nothing", func(e *env) {
		t := e.begin()
		e.commit(t)
		e.requireDone(t)
	}},
	{"done after rollback", func(e *env) {
		t := e.begin()
		e.put(t, "\x03a", "1")
		e.requireGet(e.snapshot(t, kv.Now), "\x03a", "1")
		t.Rollback()
		e.requireDone(t)
		e.requireStored()
	}},
	{"readers of an ended transaction", func(e *env) {
		e.write("\x03a", "1")
		t := e.begin()
		readers := []kv.Reader{t.Latest(kv.Now), t.Latest(t.Savepoint()), e.snapshot(t, kv.Now)}
		e.commit(t)
		for _, r := range readers {
			_, err := r.Get(e.ctx, []byte("\x03a"))
			require.ErrorIs(e, err, kv.ErrDone)
			it := r.Scan(e.ctx, data, kv.ScanOptions{})
			require.False(e, it.Next())
			require.ErrorIs(e, it.Err(), kv.ErrDone)
			require.NoError(e, it.Close())
		}
	}},
	{"begin costs nothing", func(e *env) {
		for range 1000 {
			_, err := e.store.Begin(e.ctx)
			require.NoError(e, err)
		}
		ctx, cancel := context.WithCancel(e.ctx)
		cancel()
		_, err := e.store.Begin(ctx)
		require.NoError(e, err, "it fails for a closed or failed store only")
	}},
	{"after close", func(e *env) {
		e.write("\x03a", "1")
		reading, writing := e.begin(), e.begin()
		e.requireGet(e.snapshot(reading, kv.Now), "\x03a", "1")
		e.put(writing, "\x03b", "2")
		require.NoError(e, writing.Lock(e.ctx, lockRequest("\x03b", kv.LockX, 0)))
		bulk, err := e.store.Bulk(e.ctx)
		require.NoError(e, err)
		require.NoError(e, bulk.Put([]byte("\x04a"), []byte("x")))
		reading.ResetSnapshot() // with one open, Close may wait for it

		e.closed = true
		require.NoError(e, e.store.Close())
		require.NoError(e, e.store.Close(), "a second close does nothing")

		_, err = e.store.Begin(e.ctx)
		require.ErrorIs(e, err, kv.ErrClosed)
		_, err = e.store.Bulk(e.ctx)
		require.ErrorIs(e, err, kv.ErrClosed)
		require.ErrorIs(e, bulk.Flush(), kv.ErrClosed)
		bulk.Close()
		require.ErrorIs(e, e.store.DropRange(e.ctx, data), kv.ErrClosed)
		_, err = e.store.Approximate(data)
		require.ErrorIs(e, err, kv.ErrClosed)
		require.ErrorIs(e, e.store.WaitDurable(e.ctx, 1<<40), kv.ErrClosed)

		_, err = reading.Snapshot(kv.Now)
		require.ErrorIs(e, err, kv.ErrClosed)
		_, err = reading.Latest(kv.Now).Get(e.ctx, []byte("\x03a"))
		require.ErrorIs(e, err, kv.ErrClosed)
		it := reading.Latest(kv.Now).Scan(e.ctx, data, kv.ScanOptions{})
		require.False(e, it.Next())
		require.ErrorIs(e, it.Err(), kv.ErrClosed)
		require.NoError(e, it.Close())
		reading.Rollback()
		_, err = writing.Commit(e.ctx, kv.CommitOptions{})
		require.ErrorIs(e, err, kv.ErrClosed)
		require.Empty(e, e.store.Locks())
	}},
	{"close ends a wait for durability", func(e *env) {
		pos := e.write("\x03a", "1")
		done := make(chan error, 1)
		go func() { done <- e.store.WaitDurable(e.ctx, pos+1000) }()
		e.closed = true
		require.NoError(e, e.store.Close())
		require.ErrorIs(e, e.within("WaitDurable", func() error { return <-done }), kv.ErrClosed)
	}},
}

// requireDone asserts that nothing can be done with t any more.
func (e *env) requireDone(t kv.Txn) {
	e.Helper()
	k := []byte("\x03k")
	require.ErrorIs(e, t.Put(k, nil), kv.ErrDone)
	require.ErrorIs(e, t.Delete(k), kv.ErrDone)
	require.ErrorIs(e, t.DeleteRange(data), kv.ErrDone)
	_, err := t.Snapshot(kv.Now)
	require.ErrorIs(e, err, kv.ErrDone)
	_, err = t.Latest(kv.Now).Get(e.ctx, k)
	require.ErrorIs(e, err, kv.ErrDone)
	it := t.Latest(kv.Now).Scan(e.ctx, data, kv.ScanOptions{})
	require.False(e, it.Next())
	require.ErrorIs(e, it.Err(), kv.ErrDone)
	require.NoError(e, it.Close())
	require.ErrorIs(e, t.Lock(e.ctx, lockRequest("\x03k", kv.LockX, -1)), kv.ErrDone)
	require.Equal(e, kv.LockNone, t.Locked(k))
	_, err = t.Commit(e.ctx, kv.CommitOptions{})
	require.ErrorIs(e, err, kv.ErrDone)
	for range 2 {
		t.Rollback()
	}
}
