package kvtest

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/vtab/kv"
)

// validateTests are about Watch and CommitOptions.Reads.
var validateTests = []test{
	{"a read that was changed", func(e *env) {
		for _, change := range []func(){
			func() { e.write("\x03b", "changed") },
			func() { e.erase("\x03b") },
			func() { e.write("\x03bb", "new") },
			func() {
				t := e.begin()
				e.put(t, "\x03z", "")
				_, err := t.Commit(e.ctx, kv.CommitOptions{Hook: func(_ kv.Reader, w kv.Writer, _ kv.Position) error {
					return w.Put([]byte("\x03b"), []byte("by a hook"))
				}})
				require.NoError(e, err)
			},
			func() {
				t := e.begin()
				require.NoError(e, t.DeleteRange(kv.Range{Start: []byte("\x03a"), End: []byte("\x03bz")}))
				e.commit(t)
			},
		} {
			e.write("\x03a", "1", "\x03b", "2")
			t, reads := e.reading("\x03b", "\x03c")
			change()
			e.put(t, "\x03own", "1")
			_, err := t.Commit(e.ctx, kv.CommitOptions{Reads: reads})
			var conflict *kv.ConflictError
			require.ErrorAs(e, err, &conflict)
			require.False(e, conflict.TooOld)
			require.Empty(e, e.store.Locks())
			next := e.begin()
			e.requireAbsent(e.snapshot(next, kv.Now), "\x03own")
			next.Rollback()
		}
	}},
	{"a read that was not", func(e *env) {
		e.write("\x03a", "1", "\x03b", "2")
		t, reads := e.reading("\x03b", "\x03c")
		e.write("\x03a", "changed", "\x03c", "new")
		e.put(t, "\x03b", "own writes are no conflict")
		_, err := t.Commit(e.ctx, kv.CommitOptions{Reads: reads})
		require.NoError(e, err)
	}},
	{"what was committed before the read", func(e *env) {
		t := e.begin()
		require.NoError(e, t.Watch())
		require.NoError(e, t.Watch(), "a second call does nothing")
		at := e.write("\x03b", "1")
		reads := &kv.ReadSet{}
		reads.AddLatest(kv.PointRange([]byte("\x03b")), at)
		e.put(t, "\x03own", "1")
		_, err := t.Commit(e.ctx, kv.CommitOptions{Reads: reads})
		require.NoError(e, err)
	}},
	{"a read from before the watch", func(e *env) {
		at := e.write("\x03b", "1")
		e.write("\x03b", "2")
		t := e.begin()
		require.NoError(e, t.Watch())
		reads := &kv.ReadSet{}
		reads.AddSnapshot(kv.PointRange([]byte("\x03c")), at)
		e.put(t, "\x03own", "1")
		_, err := t.Commit(e.ctx, kv.CommitOptions{Reads: reads})
		var conflict *kv.ConflictError
		require.ErrorAs(e, err, &conflict)
		require.True(e, conflict.TooOld, "nobody knows what was changed in between")
	}},
	{"reads alone", func(e *env) {
		e.write("\x03b", "1")
		t, reads := e.reading("\x03b", "\x03c")
		at := e.write("\x03b", "2")
		require.True(e, reads.OneMoment(), "the caller need not bring them")
		reads.AddLatest(kv.PointRange([]byte("\x03d")), at)
		require.False(e, reads.OneMoment())
		pos, err := t.Commit(e.ctx, kv.CommitOptions{Reads: reads})
		var conflict *kv.ConflictError
		require.ErrorAs(e, err, &conflict)
		require.Zero(e, pos)
		t, reads = e.reading("\x03b", "\x03c")
		_, err = t.Commit(e.ctx, kv.CommitOptions{Reads: reads})
		require.NoError(e, err)
	}},
	{"validated increments", validatedIncrements},
}

// reading returns a transaction that has read a range in its snapshot.
func (e *env) reading(from, to string) (kv.Txn, *kv.ReadSet) {
	e.Helper()
	t := e.begin()
	require.NoError(e, t.Watch())
	r := e.snapshot(t, kv.Now)
	value, err := r.Get(e.ctx, kv.MetaPosition)
	require.NoError(e, err)
	at, err := kv.DecodePosition(value)
	require.NoError(e, err)
	reads := &kv.ReadSet{}
	reads.AddSnapshot(kv.Range{Start: []byte(from), End: []byte(to)}, at)
	return t, reads
}

// validatedIncrements counts without a lock: what is read and written back is
// counted exactly if the commit succeeds, beside others that come and go.
func validatedIncrements(e *env) {
	const clients, rounds = 8, 50
	var running sync.WaitGroup
	var committed atomic.Int64
	e.write("\x03n", "0")
	once := func() error {
		t, err := e.store.Begin(e.ctx)
		if err != nil {
			return err
		}
		defer t.Rollback()
		if err := t.Watch(); err != nil {
			return err
		}
		r, err := t.Snapshot(kv.Now)
		if err != nil {
			return err
		}
		value, err := r.Get(e.ctx, kv.MetaPosition)
		if err != nil {
			return err
		}
		at, err := kv.DecodePosition(value)
		if err != nil {
			return err
		}
		text, err := r.Get(e.ctx, []byte("\x03n"))
		if err != nil {
			return err
		}
		var n int
		if _, err := fmt.Sscan(string(text), &n); err != nil {
			return err
		}
		reads := &kv.ReadSet{}
		reads.AddSnapshot(kv.PointRange([]byte("\x03n")), at)
		if err := t.Put([]byte("\x03n"), fmt.Append(nil, n+1)); err != nil {
			return err
		}
		_, err = t.Commit(e.ctx, kv.CommitOptions{Reads: reads})
		return err
	}
	for range clients {
		running.Add(1)
		go func() {
			defer running.Done()
			for range rounds {
				err := once()
				var conflict *kv.ConflictError
				if err == nil {
					committed.Add(1)
				} else if !errors.As(err, &conflict) {
					e.Error(err)
				}
			}
		}()
	}
	running.Wait()
	t := e.begin()
	e.requireGet(e.snapshot(t, kv.Now), "\x03n", fmt.Sprint(committed.Load()))
	t.Rollback()
	require.Positive(e, committed.Load())
}
