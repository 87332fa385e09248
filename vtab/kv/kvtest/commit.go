package kvtest

import (
	"context"
	"errors"
	"fmt"

	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/vtab/kv"
)

var errHook = errors.New("the hook refuses")

// commitTests are about commits, hooks, positions and durability.
var commitTests = []test{
	{"a commit is whole", func(e *env) {
		e.write("\x03a", "1", "\x03b", "2")
		t := e.begin()
		e.put(t, "\x03a", "new")
		e.delete(t, "\x03b")
		e.put(t, "\x04c", "")
		e.requireStored("\x03a=1", "\x03b=2")
		e.commit(t)
		e.requireStored("\x03a=new", "\x04c=")
	}},
	{"a rollback leaves nothing", func(e *env) {
		before := e.write("\x03a", "1")
		t := e.begin()
		e.put(t, "\x03a", "2")
		require.NoError(e, t.Lock(e.ctx, lockRequest("\x03a", kv.LockX, 0)))
		t.Rollback()
		e.requireStored("\x03a=1")
		require.Equal(e, before, e.store.Applied())
		require.Empty(e, e.store.Locks())
	}},
	{"positions grow", func(e *env) {
		last := e.store.Applied()
		for i := range 20 {
			pos := e.write(row(i), "x")
			require.Greater(e, pos, last)
			require.Equal(e, pos, e.store.Applied())
			last = pos
		}
		require.EqualValues(e, 20, e.store.Metrics().Commits)
	}},
	{"nothing written", func(e *env) {
		before := e.write("\x03a", "1")
		t := e.begin()
		e.requireGet(e.snapshot(t, kv.Now), "\x03a", "1")
		require.NoError(e, t.Lock(e.ctx, lockRequest("\x03a", kv.LockS, 0)))
		pos, err := t.Commit(e.ctx, kv.CommitOptions{
			Hook:      func(kv.Reader, kv.Writer, kv.Position) error { e.Error("hook called"); return nil },
			Published: func(kv.Position) { e.Error("published called") },
		})
		require.NoError(e, err)
		require.Zero(e, pos)
		require.Equal(e, before, e.store.Applied())
		require.Empty(e, e.store.Locks())
	}},
	{"a delete of nothing is a write", func(e *env) {
		before := e.store.Applied()
		require.Greater(e, e.erase("\x03none"), before)
		e.requireStored()
	}},
	{"the hook sees the committed state only", func(e *env) {
		e.write("\x03a", "1", "\x03b", "2")
		t := e.begin()
		e.requireGet(e.snapshot(t, kv.Now), "\x03a", "1")
		e.put(t, "\x03b", "own")
		e.put(t, "\x03c", "own")
		e.write("\x03a", "others")
		calls := 0
		pos, err := t.Commit(e.ctx, kv.CommitOptions{Hook: func(latest kv.Reader, w kv.Writer, pos kv.Position) error {
			calls++
			require.Greater(e, pos, e.store.Applied())
			e.requireScan(latest, data, "\x03a=others", "\x03b=2")
			e.requireAbsent(latest, "\x03c")
			e.put(w, "\x03hook", fmt.Sprint(pos))
			e.delete(w, "\x03a")
			e.requireScan(latest, data, "\x03a=others", "\x03b=2") // nor what it wrote itself
			require.Equal(e, e.store.Applied(), e.position(latest))
			return nil
		}})
		require.NoError(e, err)
		require.Equal(e, 1, calls)
		e.requireStored("\x03b=own", "\x03c=own", fmt.Sprintf("\x03hook=%d", pos))
	}},
	{"the hook's word on a key is the last", func(e *env) {
		t := e.begin()
		e.put(t, "\x03a", "own")
		e.put(t, "\x03b", "own")
		e.delete(t, "\x03c")
		_, err := t.Commit(e.ctx, kv.CommitOptions{Hook: func(_ kv.Reader, w kv.Writer, _ kv.Position) error {
			e.put(w, "\x03a", "hook")
			e.delete(w, "\x03b")
			e.put(w, "\x03c", "hook")
			return nil
		}})
		require.NoError(e, err)
		e.requireStored("\x03a=hook", "\x03c=hook")
	}},
	{"the hook deletes a range", func(e *env) {
		if !e.store.Caps().RangeDeleteInTxn {
			return
		}
		e.write("\x03a", "1", "\x03b", "2", "\x04a", "3")
		t := e.begin()
		e.put(t, "\x03c", "own")
		_, err := t.Commit(e.ctx, kv.CommitOptions{Hook: func(_ kv.Reader, w kv.Writer, _ kv.Position) error {
			e.put(w, "\x03d", "hook")
			return w.DeleteRange(span("\x03", "\x04"))
		}})
		require.NoError(e, err)
		e.requireStored("\x03c=own", "\x03d=hook", "\x04a=3")
	}},
	{"a failing hook leaves nothing", func(e *env) {
		before := e.write("\x03a", "1")
		t := e.begin()
		e.put(t, "\x03a", "2")
		require.NoError(e, t.Lock(e.ctx, lockRequest("\x03a", kv.LockX, 0)))
		e.requireGet(e.snapshot(t, kv.Now), "\x03a", "2")
		_, err := t.Commit(e.ctx, kv.CommitOptions{
			Hook:      func(_ kv.Reader, w kv.Writer, _ kv.Position) error { e.put(w, "\x03h", "x"); return errHook },
			Published: func(kv.Position) { e.Error("published a failed commit") },
		})
		require.ErrorIs(e, err, errHook)
		require.Equal(e, before, e.store.Applied())
		e.requireStored("\x03a=1")
		require.Empty(e, e.store.Locks())
		require.Zero(e, e.store.Metrics().OpenSnapshots)
		require.ErrorIs(e, t.Put([]byte("\x03a"), nil), kv.ErrDone)
		require.Greater(e, e.write("\x03b", "2"), before)
		e.requireStored("\x03a=1", "\x03b=2")
	}},
	{"a panicking hook leaves nothing", func(e *env) {
		t := e.begin()
		e.put(t, "\x03a", "1")
		require.NoError(e, t.Lock(e.ctx, lockRequest("\x03a", kv.LockX, 0)))
		func() {
			defer func() { _ = recover() }() // whether it comes through or becomes an error is the engine's choice
			_, err := t.Commit(e.ctx, kv.CommitOptions{Hook: func(kv.Reader, kv.Writer, kv.Position) error { panic("hook") }})
			require.Error(e, err)
		}()
		t.Rollback()
		require.NoError(e, e.within("the next commit", func() error { e.write("\x03b", "2"); return nil }))
		e.requireStored("\x03b=2")
	}},
	{"published sees the commit, under its locks", func(e *env) {
		t := e.begin()
		e.put(t, "\x03a", "1")
		require.NoError(e, t.Lock(e.ctx, lockRequest("\x03a", kv.LockX, 0)))
		var published kv.Position
		pos, err := t.Commit(e.ctx, kv.CommitOptions{Published: func(p kv.Position) {
			published = p
			require.Equal(e, p, e.store.Applied())
			other := e.begin()
			defer other.Rollback()
			e.requireGet(other.Latest(kv.Now), "\x03a", "1")
			require.Equal(e, p, e.position(e.snapshot(other, kv.Now)))
			e.requireLockError(other.Lock(e.ctx, lockRequest("\x03a", kv.LockS, 0)), kv.LockBusy, "\x03a")
		}})
		require.NoError(e, err)
		require.Equal(e, pos, published)
	}},
	{"cancelled before the section", func(e *env) {
		ctx, cancel := context.WithCancel(e.ctx)
		cancel()
		t := e.begin()
		e.put(t, "\x03a", "1")
		require.NoError(e, t.Lock(e.ctx, lockRequest("\x03a", kv.LockX, 0)))
		_, err := t.Commit(ctx, kv.CommitOptions{Hook: func(kv.Reader, kv.Writer, kv.Position) error { e.Error("hook called"); return nil }})
		require.ErrorIs(e, err, context.Canceled)
		require.ErrorIs(e, t.Put([]byte("\x03a"), nil), kv.ErrDone)
		require.Empty(e, e.store.Locks())
		e.requireStored()
	}},
	{"cancelled inside the section", func(e *env) {
		ctx, cancel := context.WithCancel(e.ctx)
		t := e.begin()
		e.put(t, "\x03a", "1")
		pos, err := t.Commit(ctx, kv.CommitOptions{Hook: func(latest kv.Reader, w kv.Writer, _ kv.Position) error {
			cancel()
			e.requireAbsent(latest, "\x03a")
			e.put(w, "\x03b", "2")
			return nil
		}})
		require.NoError(e, err)
		require.Equal(e, pos, e.store.Applied())
		e.requireStored("\x03a=1", "\x03b=2")
	}},
	{"every durability", func(e *env) {
		for i, d := range []kv.Durability{kv.DurabilityDefault, kv.DurabilityCommit, kv.DurabilityInterval, kv.DurabilityNone} {
			t := e.begin()
			e.put(t, row(i), "x")
			pos, err := t.Commit(e.ctx, kv.CommitOptions{Durability: d})
			require.NoError(e, err)
			require.Equal(e, pos, e.store.Applied())
			require.LessOrEqual(e, e.store.Durable(), pos)
			if d == kv.DurabilityCommit {
				require.Equal(e, pos, e.store.Durable())
			}
			require.NoError(e, e.within("WaitDurable", func() error { return e.store.WaitDurable(e.ctx, pos) }))
			require.Equal(e, pos, e.store.Durable())
		}
	}},
	{"waiting for the durability of what is to come", func(e *env) {
		pos := e.write("\x03a", "1")
		ctx, cancel := context.WithCancel(e.ctx)
		done := make(chan error, 1)
		go func() { done <- e.store.WaitDurable(ctx, pos+1) }()
		cancel()
		require.ErrorIs(e, e.within("WaitDurable", func() error { return <-done }), context.Canceled)
		go func() { done <- e.store.WaitDurable(e.ctx, pos+1) }()
		e.write("\x03a", "2")
		require.NoError(e, e.within("WaitDurable", func() error { return <-done }))
	}},
	{"metrics of commits", func(e *env) {
		before := e.store.Metrics()
		e.write("\x03a", "12345")
		after := e.store.Metrics()
		require.Equal(e, before.Commits+1, after.Commits)
		require.GreaterOrEqual(e, after.BytesWritten, before.BytesWritten+7)
		require.NotNil(e, after.SectionSeconds)
		require.GreaterOrEqual(e, after.SectionSeconds(0.99), after.SectionSeconds(0.5))
		require.False(e, after.DiskFull)
	}},
}
