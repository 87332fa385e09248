package memkv

import (
	"context"
	"fmt"
	"time"

	"github.com/freshetdb/freshet/vtab/kv"
	"github.com/freshetdb/freshet/vtab/kv/locks"
	"github.com/freshetdb/freshet/vtab/kv/recent"
	"github.com/freshetdb/freshet/vtab/kv/writeset"
)

// txn implements kv.Txn.
type txn struct {
	store    *Store
	set      writeset.Set
	owner    *locks.Owner // made by the first lock
	snapshot *state       // taken by the first Snapshot
	done     bool
	watch    *recent.Watcher
}

// usable is the check at the start of every call of the transaction.
func (t *txn) usable(ctx context.Context) error {
	if t.done {
		return kv.ErrDone
	}
	return t.store.readable(ctx)
}

func (t *txn) Put(key, value []byte) error {
	if err := t.grow(key, value); err != nil {
		return err
	}
	t.set.Put(key, value)
	return nil
}

func (t *txn) Delete(key []byte) error {
	if err := t.grow(key, nil); err != nil {
		return err
	}
	t.set.Delete(key)
	return nil
}

func (t *txn) DeleteRange(r kv.Range) error {
	if err := t.grow(r.Start, r.End); err != nil {
		return err
	}
	t.set.DeleteRange(r)
	return nil
}

// grow refuses a write that would exceed a limit.
func (t *txn) grow(key, value []byte) error {
	if err := t.usable(context.Background()); err != nil {
		return err
	}
	if err := t.store.checkPair(key, value); err != nil {
		return err
	}
	size := t.set.Size() + int64(len(key)) + int64(len(value))
	if size > t.store.maxTxnBytes {
		return &kv.SizeError{What: "transaction", Size: size, Limit: t.store.maxTxnBytes}
	}
	return nil
}

func (t *txn) Snapshot(at kv.Mark) (kv.Reader, error) {
	if err := t.usable(context.Background()); err != nil {
		return nil, err
	}
	if t.snapshot == nil {
		t.snapshot = t.store.current.Load()
		t.store.snapshots.open(t)
	}
	return &reader{txn: t, base: t.snapshot, at: at}, nil
}

func (t *txn) Latest(at kv.Mark) kv.Reader { return &reader{txn: t, at: at} }

func (t *txn) ResetSnapshot() {
	if t.snapshot != nil {
		t.snapshot = nil
		t.store.snapshots.close(t)
	}
}

func (t *txn) Lock(ctx context.Context, req kv.LockRequest) error {
	if err := t.usable(ctx); err != nil {
		return err
	}
	return t.locker().Lock(ctx, req)
}

// locker returns the transaction's part of the lock table, made when it is
// first needed.
func (t *txn) locker() *locks.Owner {
	if t.owner == nil {
		t.owner = t.store.locks.NewOwner()
	}
	return t.owner
}

func (t *txn) ID() uint64 { return t.locker().ID() }

func (t *txn) Unlock(key []byte) {
	if t.owner != nil {
		t.owner.Unlock(key)
	}
}

func (t *txn) SetDefeats(n int) { t.locker().SetDefeats(n) }

func (t *txn) LockCount() int {
	if t.owner == nil {
		return 0
	}
	return t.owner.Count()
}

func (t *txn) Blockers(key []byte, mode kv.LockMode) []uint64 {
	return t.locker().Blockers(key, mode)
}

func (t *txn) Locked(key []byte) kv.LockMode {
	if t.owner == nil {
		return kv.LockNone
	}
	return t.owner.Mode(key)
}

// Watch implements kv.Txn. It takes the section, so that no commit falls between.
func (t *txn) Watch() error {
	if err := t.usable(context.Background()); err != nil {
		return err
	}
	if t.watch == nil {
		t.store.section.Lock()
		defer t.store.section.Unlock()
		t.watch = t.store.recent.Watch(t.store.Applied())
	}
	return nil
}

func (t *txn) Savepoint() kv.Mark { return t.set.Savepoint() }

func (t *txn) RollbackTo(m kv.Mark) {
	if mark, ok := m.(*writeset.Mark); ok { // Now undoes nothing
		t.set.RollbackTo(mark)
	}
}

func (t *txn) Size() int64 { return t.set.Size() }
func (t *txn) Dirty() bool { return !t.set.Empty() }

func (t *txn) Commit(ctx context.Context, o kv.CommitOptions) (kv.Position, error) {
	if t.done {
		return 0, kv.ErrDone
	}
	defer t.Rollback() // whatever the result, nothing of it is pending any more
	if !t.Dirty() {
		if err := t.usable(ctx); err != nil || o.Reads == nil {
			return 0, err
		}
		_, err := t.store.recent.Validate(o.Reads, 0)
		return 0, err
	}
	s := t.store
	s.section.Lock()
	defer s.section.Unlock()
	start := time.Now()
	defer func() { s.times.add(time.Since(start)) }()
	if o.Reads != nil {
		if _, err := s.recent.Validate(o.Reads, 0); err != nil {
			return 0, err
		}
	}
	next, err := s.change(ctx, nextPosition, func(latest, next *state) error {
		return t.fill(latest, next, o.Hook)
	})
	if err != nil {
		return 0, fmt.Errorf("commit: %w", err)
	}
	s.counts.commits.Add(1)
	s.counts.bytesWritten.Add(uint64(t.set.Size()))
	if s.recent.Watched() {
		s.recent.Append(recent.NewChanges(&t.set), next.position)
	}
	if o.Published != nil {
		o.Published(next.position)
	}
	return next.position, nil
}

// fill runs the hook and writes everything into next.
func (t *txn) fill(latest, next *state, hook kv.CommitHook) error {
	if hook != nil {
		if err := hook(&committed{store: t.store, base: latest}, t, next.position); err != nil {
			return err
		}
	}
	if err := next.apply(&t.set); err != nil {
		return err
	}
	next.pairs.Set(pair{key: kv.MetaPosition, value: kv.AppendPosition(nil, next.position)})
	return nil
}

func (t *txn) Rollback() {
	if t.done {
		return
	}
	t.done = true
	t.ResetSnapshot()
	t.set.Reset()
	if t.watch != nil {
		t.watch.End()
	}
	if t.owner != nil {
		t.owner.ReleaseAll()
	}
}

// reader implements kv.Reader for a transaction: a base under its own writes.
type reader struct {
	txn  *txn
	base *state  // nil: the latest at each call
	at   kv.Mark // Now: the own writes at each call
}

// state is what the reader's own writes are laid over at this moment.
func (r *reader) state() *state {
	if r.base != nil {
		return r.base
	}
	return r.txn.store.current.Load()
}

func (r *reader) Get(ctx context.Context, key []byte) ([]byte, error) {
	if err := r.txn.usable(ctx); err != nil {
		return nil, err
	}
	own := r.txn.set.Get
	if mark, ok := r.at.(*writeset.Mark); ok {
		own = mark.Get
	}
	switch value, known := own(key); known {
	case writeset.Present:
		return append([]byte{}, value...), nil
	case writeset.Deleted:
		return nil, kv.ErrNotFound
	}
	r.txn.store.counts.gets.Add(1)
	return r.state().get(key)
}

func (r *reader) Scan(ctx context.Context, rng kv.Range, o kv.ScanOptions) kv.Iterator {
	if err := r.txn.usable(ctx); err != nil {
		return failed{err}
	}
	own, ok := r.at.(*writeset.Mark)
	if !ok {
		own = r.txn.set.Savepoint()
	}
	return writeset.Merge(r.state().scan(ctx, r.txn.store, rng, o), own, rng, o.Reverse)
}

// committed implements kv.Reader for a hook: one state, nobody's writes. The
// section ignores the caller's context; that of the calls counts.
type committed struct {
	store *Store
	base  *state
}

func (c *committed) Get(ctx context.Context, key []byte) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c.store.counts.gets.Add(1)
	return c.base.get(key)
}

func (c *committed) Scan(ctx context.Context, r kv.Range, o kv.ScanOptions) kv.Iterator {
	return c.base.scan(ctx, c.store, r, o)
}
