package kvtest

import (
	"context"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/vtab/kv"
)

// waiting runs a lock request in the background and returns once it waits.
func (e *env) waiting(ctx context.Context, t kv.Txn, req kv.LockRequest) <-chan error {
	e.Helper()
	before := e.queued()
	done := make(chan error, 1)
	go func() { done <- t.Lock(ctx, req) }()
	require.Eventually(e, func() bool { return e.queued() > before || len(done) > 0 }, patience, 100*time.Microsecond)
	return done
}

// queued counts the requests that wait.
func (e *env) queued() int {
	n := 0
	for _, l := range e.store.Locks() {
		if l.Waiting {
			n++
		}
	}
	return n
}

// lockTests are about the locks of transactions; the lock table has tests of its
// own.
var lockTests = []test{
	{"modes", func(e *env) {
		all := []kv.LockMode{kv.LockIS, kv.LockIX, kv.LockS, kv.LockSU, kv.LockX}
		compatible := []string{"++++-", "++-+-", "+-++-", "+++--", "-----"}
		for i, a := range all {
			for j, b := range all {
				p, q := e.begin(), e.begin()
				require.NoError(e, p.Lock(e.ctx, lockRequest("\x03a", a, 0)))
				err := q.Lock(e.ctx, lockRequest("\x03a", b, 0))
				if compatible[i][j] == '+' {
					require.NoError(e, err)
					require.Equal(e, b, q.Locked([]byte("\x03a")))
				} else {
					e.requireLockError(err, kv.LockBusy, "\x03a")
					require.Equal(e, kv.LockNone, q.Locked([]byte("\x03a")))
				}
				p.Rollback()
				q.Rollback()
			}
		}
	}},
	{"counted by key", func(e *env) {
		p := e.begin()
		require.Zero(e, p.LockCount())
		for _, l := range []struct {
			key  string
			mode kv.LockMode
			want int
		}{{"\x03a", kv.LockS, 1}, {"\x03a", kv.LockX, 1}, {"\x03b", kv.LockIX, 2}} {
			require.NoError(e, p.Lock(e.ctx, lockRequest(l.key, l.mode, 0)))
			require.Equal(e, l.want, p.LockCount())
		}
		p.Unlock([]byte("\x03a"))
		require.Equal(e, 1, p.LockCount())
		p.Rollback()
		require.Zero(e, p.LockCount())
	}},
	{"blockers", func(e *env) {
		p, q, r := e.begin(), e.begin(), e.begin()
		require.NoError(e, p.Lock(e.ctx, lockRequest("\x03a", kv.LockS, 0)))
		require.NoError(e, q.Lock(e.ctx, lockRequest("\x03a", kv.LockIS, 0)))
		key := []byte("\x03a")
		require.Empty(e, r.Blockers(key, kv.LockS))
		require.Equal(e, []uint64{p.ID()}, r.Blockers(key, kv.LockIX))
		require.ElementsMatch(e, []uint64{p.ID(), q.ID()}, r.Blockers(key, kv.LockX))
		require.Equal(e, []uint64{q.ID()}, p.Blockers(key, kv.LockX))
		require.Empty(e, r.Blockers([]byte("\x03b"), kv.LockX))
		for _, t := range []kv.Txn{p, q, r} {
			t.Rollback()
		}
	}},
	{"held to the end, whichever it is", func(e *env) {
		ends := map[string]func(t kv.Txn){
			"commit":          func(t kv.Txn) { e.commit(t) },
			"commit of write": func(t kv.Txn) { e.put(t, "\x03w", "x"); e.commit(t) },
			"rollback":        func(t kv.Txn) { t.Rollback() },
		}
		for name, end := range ends {
			t := e.begin()
			m := t.Savepoint()
			require.NoError(e, t.Lock(e.ctx, lockRequest("\x03a", kv.LockX, 0)))
			t.RollbackTo(m)
			t.ResetSnapshot()
			require.Equal(e, kv.LockX, t.Locked([]byte("\x03a")), "savepoints keep locks")
			require.NoError(e, t.Lock(e.ctx, lockRequest("\x03a", kv.LockX, 0)), "what is held is free")
			require.NoError(e, t.Lock(e.ctx, lockRequest("\x03a", kv.LockS, 0)))
			require.Equal(e, kv.LockX, t.Locked([]byte("\x03a")))
			other := e.begin()
			e.requireLockError(other.Lock(e.ctx, lockRequest("\x03a", kv.LockS, 0)), kv.LockBusy, "\x03a")
			end(t)
			require.Equal(e, kv.LockNone, t.Locked([]byte("\x03a")), name)
			require.NoError(e, other.Lock(e.ctx, lockRequest("\x03a", kv.LockX, 0)), name)
			other.Rollback()
		}
	}},
	{"a lock is not a write", func(e *env) {
		t := e.begin()
		require.NoError(e, t.Lock(e.ctx, lockRequest("\x03a", kv.LockX, 0)))
		require.False(e, t.Dirty())
		e.requireAbsent(t.Latest(kv.Now), "\x03a")
		other := e.begin()
		e.requireAbsent(other.Latest(kv.Now), "\x03a") // reads don't wait
		other.Rollback()
		t.Rollback()
	}},
	{"unlocked early", func(e *env) {
		p, q := e.begin(), e.begin()
		p.Unlock([]byte("\x03a")) // not held
		require.NoError(e, p.Lock(e.ctx, lockRequest("\x03a", kv.LockX, 0)))
		require.NoError(e, p.Lock(e.ctx, lockRequest("\x03b", kv.LockX, 0)))
		q.Unlock([]byte("\x03a")) // another's
		e.requireLockError(q.Lock(e.ctx, lockRequest("\x03a", kv.LockS, 0)), kv.LockBusy, "\x03a")
		done := e.waiting(e.ctx, q, lockRequest("\x03a", kv.LockX, -1))
		p.Unlock([]byte("\x03a"))
		require.NoError(e, e.within("the lock", func() error { return <-done }))
		require.Equal(e, kv.LockNone, p.Locked([]byte("\x03a")))
		require.Equal(e, kv.LockX, p.Locked([]byte("\x03b")))
		p.Rollback()
		q.Rollback()
	}},
	{"ids", func(e *env) {
		p, q := e.begin(), e.begin()
		require.NotZero(e, p.ID())
		require.NotEqual(e, p.ID(), q.ID())
		require.NoError(e, q.Lock(e.ctx, lockRequest("\x03a", kv.LockX, 0)))
		require.Equal(e, q.ID(), e.store.Locks()[0].Owner)
		p.Rollback()
		q.Rollback()
	}},
	{"timeout", func(e *env) {
		p, q := e.begin(), e.begin()
		require.NoError(e, p.Lock(e.ctx, lockRequest("\x03a", kv.LockX, 0)))
		start := time.Now()
		err := e.within("the lock", func() error { return q.Lock(e.ctx, lockRequest("\x03a", kv.LockX, 20*time.Millisecond)) })
		e.requireLockError(err, kv.LockTimeout, "\x03a")
		require.GreaterOrEqual(e, time.Since(start), 20*time.Millisecond)
		require.Positive(e, e.store.Metrics().LockWaits)
		e.put(q, "\x03b", "x") // the transaction goes on
		e.commit(q)
		p.Rollback()
	}},
	{"a wait ends with its context", func(e *env) {
		p, q := e.begin(), e.begin()
		require.NoError(e, p.Lock(e.ctx, lockRequest("\x03a", kv.LockX, 0)))
		ctx, cancel := context.WithCancel(e.ctx)
		done := e.waiting(ctx, q, lockRequest("\x03a", kv.LockX, -1))
		require.Equal(e, 1, e.queued())
		cancel()
		require.ErrorIs(e, e.within("the lock", func() error { return <-done }), context.Canceled)
		require.Zero(e, e.queued())
		p.Rollback()
		require.NoError(e, q.Lock(e.ctx, lockRequest("\x03a", kv.LockX, 0)))
		q.Rollback()
	}},
	{"the next is woken with the commit visible", func(e *env) {
		e.write("\x03a", "1")
		p, q := e.begin(), e.begin()
		require.NoError(e, p.Lock(e.ctx, lockRequest("\x03a", kv.LockX, 0)))
		done := e.waiting(e.ctx, q, lockRequest("\x03a", kv.LockX, -1))
		e.put(p, "\x03a", "2")
		e.commit(p)
		require.NoError(e, e.within("the lock", func() error { return <-done }))
		e.requireGet(q.Latest(kv.Now), "\x03a", "2")
		q.Rollback()
	}},
	{"deadlock", func(e *env) {
		p, q := e.begin(), e.begin()
		require.NoError(e, p.Lock(e.ctx, lockRequest("\x03a", kv.LockX, 0)))
		require.NoError(e, q.Lock(e.ctx, lockRequest("\x03b", kv.LockX, 0)))
		first := e.waiting(e.ctx, p, lockRequest("\x03b", kv.LockX, -1))
		err := e.within("the lock", func() error { return q.Lock(e.ctx, lockRequest("\x03a", kv.LockX, -1)) })
		e.requireLockError(err, kv.LockDeadlock, "\x03a") // equal work: the younger
		q.Rollback()
		require.NoError(e, e.within("the lock", func() error { return <-first }))
		require.EqualValues(e, 1, e.store.Metrics().Deadlocks)
		require.NotNil(e, e.store.LastDeadlock())
		p.Rollback()
	}},
	{"locks are listed", func(e *env) {
		p, q := e.begin(), e.begin()
		require.NoError(e, p.Lock(e.ctx, lockRequest("\x0atable", kv.LockIX, 0)))
		require.NoError(e, p.Lock(e.ctx, lockRequest("\x03a", kv.LockX, 0)))
		done := e.waiting(e.ctx, q, lockRequest("\x03a", kv.LockS, -1))
		infos := e.store.Locks()
		require.Len(e, infos, 3)
		require.Equal(e, "\x03a", string(infos[0].Key))
		require.Equal(e, kv.LockX, infos[0].Mode)
		require.False(e, infos[0].Waiting)
		require.True(e, infos[1].Waiting)
		require.Equal(e, []uint64{infos[0].Owner}, infos[1].BlockedBy)
		require.NotEqual(e, infos[0].Owner, infos[1].Owner)
		require.Equal(e, kv.LockIX, infos[2].Mode)
		require.WithinDuration(e, time.Now(), infos[1].Since, patience)
		p.Rollback()
		require.NoError(e, e.within("the lock", func() error { return <-done }))
		q.Rollback()
	}},
}
