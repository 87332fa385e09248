package pebblekv

import (
	"context"
	"fmt"

	"github.com/freshetdb/freshet/vtab/kv"
	"github.com/freshetdb/freshet/vtab/kv/locks"
	"github.com/freshetdb/freshet/vtab/kv/recent"
	"github.com/freshetdb/freshet/vtab/kv/writeset"
)

// txn is a transaction. It is used by one goroutine at a time.
type txn struct {
	store *Store
	set   writeset.Set
	snap  *snapshot
	owner *locks.Owner
	ended bool
	// watch keeps what others commit; nil unless the transaction watches.
	watch *recent.Watcher

	// The readers for kv.Now, handed out by address.
	snapshotNow, latestNow txnReader
}

// usable is the check at the start of every call.
func (t *txn) usable() error {
	if t.ended {
		return kv.ErrDone
	}
	if t.store.closing.Load() {
		return kv.ErrClosed
	}
	return nil
}

// end gives back all the transaction holds, locks last.
func (t *txn) end() {
	if t.ended {
		return
	}
	t.ended = true
	t.set.Reset()
	t.dropSnapshot()
	t.unwatch()
	t.unlock()
}

// Watch takes the section, so that each commit is either in the state that the
// transaction will read or in what is remembered.
func (t *txn) Watch() error {
	if err := t.usable(); err != nil {
		return err
	}
	if t.watch == nil {
		t.store.section.Lock()
		defer t.store.section.Unlock()
		t.watch = t.store.recent.Watch(t.store.last)
	}
	return nil
}

func (t *txn) unwatch() {
	if t.watch != nil {
		t.watch.End()
	}
}

func (t *txn) unlock() {
	if t.owner != nil {
		t.owner.ReleaseAll()
	}
}

func (t *txn) dropSnapshot() {
	if t.snap != nil {
		t.store.snapshots.release(t.snap)
		t.snap = nil
		t.store.leave()
	}
}

// mark turns a mark of the seam into the write set's; nil stands for now.
func mark(at kv.Mark) *writeset.Mark {
	if at == nil {
		return nil
	}
	m, ok := at.(*writeset.Mark)
	if !ok {
		panic(fmt.Errorf("%T: %w", at, errForeign)) // a mistake in the calling code
	}
	return m
}

func (t *txn) Snapshot(at kv.Mark) (kv.Reader, error) {
	if err := t.usable(); err != nil {
		return nil, err
	}
	if t.snap == nil {
		if err := t.takeSnapshot(); err != nil {
			return nil, err
		}
	}
	if at == nil {
		return &t.snapshotNow, nil
	}
	return &txnReader{txn: t, stable: true, at: mark(at)}, nil
}

// takeSnapshot takes the snapshot; whoever holds one is a user of the store.
func (t *txn) takeSnapshot() error {
	if err := t.store.enter(); err != nil {
		return err
	}
	n, err := t.store.snapshots.acquire()
	if err != nil {
		t.store.leave()
		return err
	}
	t.snap = n
	return nil
}

func (t *txn) Latest(at kv.Mark) kv.Reader {
	if at == nil {
		return &t.latestNow
	}
	return &txnReader{txn: t, at: mark(at)}
}

func (t *txn) ResetSnapshot() { t.dropSnapshot() }

func (t *txn) Lock(ctx context.Context, req kv.LockRequest) error {
	if err := t.usable(); err != nil {
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

func (t *txn) Put(key, value []byte) error {
	if err := t.admit(len(key), len(value)); err != nil {
		return err
	}
	t.set.Put(key, value)
	return nil
}

func (t *txn) Delete(key []byte) error {
	if err := t.admit(len(key), 0); err != nil {
		return err
	}
	t.set.Delete(key)
	return nil
}

func (t *txn) DeleteRange(r kv.Range) error {
	if err := t.admit(max(len(r.Start), len(r.End)), 0); err != nil {
		return err
	}
	t.set.DeleteRange(r)
	return nil
}

// admit decides whether one more write may be made.
func (t *txn) admit(keyBytes, valueBytes int) error {
	if err := t.usable(); err != nil {
		return err
	}
	s := t.store
	if err := s.checkSizes(keyBytes, valueBytes); err != nil {
		return err
	}
	if size := t.set.Size() + int64(keyBytes) + int64(valueBytes); size > s.caps.MaxTxnBytes {
		return &kv.SizeError{What: "transaction", Size: size, Limit: s.caps.MaxTxnBytes}
	}
	return nil
}

func (t *txn) Savepoint() kv.Mark { return t.set.Savepoint() }

func (t *txn) RollbackTo(m kv.Mark) {
	if m != nil && !t.ended {
		t.set.RollbackTo(mark(m))
	}
}

func (t *txn) Size() int64 { return t.set.Size() }

func (t *txn) Dirty() bool { return !t.set.Empty() }

func (t *txn) Commit(ctx context.Context, o kv.CommitOptions) (kv.Position, error) {
	if t.ended {
		return 0, kv.ErrDone
	}
	defer t.end()
	if t.set.Empty() {
		if o.Reads == nil {
			return 0, nil
		}
		_, err := t.store.recent.Validate(o.Reads, 0)
		return 0, err
	}
	return t.store.commit(ctx, &t.set, o, func() {
		t.dropSnapshot()
		t.unwatch()
		t.unlock()
	})
}

func (t *txn) Rollback() { t.end() }
