package locks

import (
	"bytes"
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/freshetdb/freshet/vtab/kv"
)

// firstLocks is how many of an owner's oldest locks are looked at before the
// table is asked: a transaction takes its tables' locks early and asks for them
// again with every row.
const firstLocks = 4

// Owner is one holder of locks: a transaction. It is used by one goroutine at a
// time. An owner that never locks needs no release.
type Owner struct {
	table *Table
	id    uint64

	held  []*hold
	bytes int64 // of the locks held, as counted against MaxOwnerBytes

	// count is len(held), for the choice of a victim by other goroutines.
	count atomic.Int64
	// defeats is how often in a row what the owner does has been the victim of a
	// deadlock.
	defeats atomic.Int64
	// waiting is the request under way. It is set while Table.detect is held
	// and cleared by the owner; a request that is not in stateWaiting any more
	// counts as none.
	waiting atomic.Pointer[waiter]
}

// NewOwner returns an owner with a new id. Ids grow: a greater id is younger.
func (t *Table) NewOwner() *Owner {
	return &Owner{table: t, id: t.lastID.Add(1)}
}

// ID is unique within the table, above zero.
func (o *Owner) ID() uint64 { return o.id }

// Count is the number of keys held.
func (o *Owner) Count() int { return len(o.held) }

// SetDefeats says how often in a row what the owner does has been tried before and
// was the victim of a deadlock.
func (o *Owner) SetDefeats(n int) { o.defeats.Store(int64(max(0, min(n, defeatsMax)))) }

// weight is what the owner has to lose.
func (o *Owner) weight() int64 { return (o.count.Load() + 1) << o.defeats.Load() }

// Lock acquires req.Mode on req.Key in addition to what the owner holds of it.
// It fails with *kv.LockError (its key is a copy), with the error of a context
// that ended before the lock was granted, or with ErrMode. After a failure the
// owner holds what it held before.
func (o *Owner) Lock(ctx context.Context, req kv.LockRequest) error {
	if !valid(req.Mode) {
		return fmt.Errorf("lock on key %x, mode %d: %w", req.Key, req.Mode, ErrMode)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if h := o.early(req.Key); h != nil && h.modes.covers(req.Mode) {
		return nil
	}
	t := o.table
	hash, s := t.locate(req.Key)
	s.mu.Lock()
	h, status := s.try(t, o, hash, req)
	s.mu.Unlock()
	if status != tryBlocked {
		return o.accept(h, status, req.Key)
	}
	if req.Wait == 0 {
		t.counts.busy.Add(1)
		return lockError(kv.LockBusy, req.Key)
	}
	return o.wait(ctx, req, hash, s)
}

// accept turns an attempt that did not block into the owner's state.
func (o *Owner) accept(h *hold, status tryStatus, key []byte) error {
	if status == tryFull {
		return lockError(kv.LockTooMany, key)
	}
	if status == tryGranted {
		o.take(h)
	}
	return nil
}

// tryStatus is the outcome of an attempt to lock without waiting.
type tryStatus uint8

const (
	tryBlocked tryStatus = iota
	tryGranted           // a new hold
	tryHeld              // held before, in the mode asked for now if not then
	tryFull              // the owner is at its cap
)

// try grants req if nothing blocks it. The caller holds the shard's mutex.
func (s *shard) try(t *Table, o *Owner, hash uint64, req kv.LockRequest) (*hold, tryStatus) {
	e := s.find(hash, req.Key)
	if e != nil {
		if h := o.holdOf(e); h != nil {
			if h.modes.covers(req.Mode) {
				return h, tryHeld
			}
			if e.blockedByHolders(o, req.Mode) {
				return nil, tryBlocked
			}
			h.modes = h.modes.with(req.Mode)
			e.granted |= h.modes
			return h, tryHeld
		}
	}
	if o.bytes+lockBytes+int64(len(req.Key)) > t.ownerBytesMax {
		return nil, tryFull
	}
	if e == nil {
		e = s.add(t, hash, req.Key)
	} else if e.blockedByHolders(o, req.Mode) || e.queue.asked()&conflictsOf[req.Mode] != 0 {
		return nil, tryBlocked
	}
	return s.link(t, e, o, setOf(req.Mode)), tryGranted
}

// wait joins the queue and stays until the request is decided.
func (o *Owner) wait(ctx context.Context, req kv.LockRequest, hash uint64, s *shard) error {
	t := o.table
	t.detect.Lock()
	s.mu.Lock()
	h, status := s.try(t, o, hash, req)
	if status != tryBlocked { // freed meanwhile
		s.mu.Unlock()
		t.detect.Unlock()
		return o.accept(h, status, req.Key)
	}
	w := s.join(t, o, hash, req)
	s.mu.Unlock()
	t.resolve(w)
	t.detect.Unlock()
	return o.await(ctx, w, req)
}

// join puts a blocked request into its key's queue. The caller holds
// Table.detect and the shard's mutex.
func (s *shard) join(t *Table, o *Owner, hash uint64, req kv.LockRequest) *waiter {
	e := s.find(hash, req.Key)
	t.seq++
	w := &waiter{
		owner: o, shard: s, hash: hash, entry: e, mode: req.Mode, held: o.holdOf(e),
		seq: t.seq, since: t.clock(), done: make(chan struct{}),
	}
	e.queue.push(w)
	o.waiting.Store(w)
	t.counts.waits.Add(1)
	t.counts.waiting.Add(1)
	return w
}

// await sleeps until w is granted, chosen as victim, late or cancelled.
func (o *Owner) await(ctx context.Context, w *waiter, req kv.LockRequest) error {
	t := o.table
	defer o.waiting.Store(nil)
	var late <-chan time.Time
	if req.Wait > 0 {
		timer := time.NewTimer(req.Wait)
		defer timer.Stop()
		late = timer.C
	}
	var failure error
	select {
	case <-w.done:
	case <-late:
		failure = lockError(kv.LockTimeout, req.Key)
	case <-ctx.Done():
		failure = ctx.Err()
	}
	if failure != nil {
		w.shard.mu.Lock()
		gone := w.shard.cancel(t, w, stateGone)
		w.shard.mu.Unlock()
		if gone {
			t.counts.gone.Add(1)
			return failure
		}
	}
	// The request was decided before done was closed, or before cancel came.
	if w.state == stateVictim {
		return &kv.LockError{Reason: kv.LockDeadlock, Key: bytes.Clone(req.Key), Deadlock: w.report}
	}
	if w.held == nil {
		o.take(w.result)
	}
	return nil
}

// take enters a new hold into the owner's list.
func (o *Owner) take(h *hold) {
	h.slot = uint32(len(o.held))
	o.held = append(o.held, h)
	o.bytes += lockBytes + int64(len(h.entry.key))
	o.count.Store(int64(len(o.held)))
}

// early looks for key among the owner's first locks.
func (o *Owner) early(key []byte) *hold {
	for _, h := range o.held[:min(firstLocks, len(o.held))] {
		if bytes.Equal(h.entry.key, key) {
			return h
		}
	}
	return nil
}

// holdOf returns the owner's hold on e or nil, from the shorter of two lists at
// hand. The caller holds the shard's mutex.
func (o *Owner) holdOf(e *entry) *hold {
	for _, h := range o.held[:min(firstLocks, len(o.held))] {
		if h.entry == e {
			return h
		}
	}
	if len(o.held) <= firstLocks {
		return nil
	}
	for h := e.holders; h != nil; h = h.next {
		if h.owner == o {
			return h
		}
	}
	return nil
}

// Mode is the strongest single mode in which the owner holds key: a lower
// bound where it holds several (S for S and IX). Holds asks for one exactly.
func (o *Owner) Mode(key []byte) kv.LockMode { return o.modes(key).strongest() }

// Holds reports whether what the owner holds of key covers mode m, that is,
// whether asking for it would be free.
func (o *Owner) Holds(key []byte, m kv.LockMode) bool {
	return valid(m) && o.modes(key).covers(m)
}

func (o *Owner) modes(key []byte) modeSet {
	if len(o.held) == 0 {
		return 0
	}
	if h := o.early(key); h != nil {
		return h.modes
	}
	hash, s := o.table.locate(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.find(hash, key); e != nil {
		if h := o.holdOf(e); h != nil {
			return h.modes
		}
	}
	return 0
}

// Blockers returns the ids of the other owners that hold key in a mode that
// excludes mode.
func (o *Owner) Blockers(key []byte, mode kv.LockMode) []uint64 {
	if !valid(mode) {
		return nil
	}
	hash, s := o.table.locate(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.find(hash, key)
	if e == nil {
		return nil
	}
	var ids []uint64
	for h := e.holders; h != nil; h = h.next {
		if h.owner != o && h.modes&conflictsOf[mode] != 0 {
			ids = append(ids, h.owner.id)
		}
	}
	return ids
}

// Unlock drops what the owner holds of key, if anything, before its end. It is
// for rows that were locked to be looked at and turned out not to match.
func (o *Owner) Unlock(key []byte) {
	if len(o.held) == 0 {
		return
	}
	hash, s := o.table.locate(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.find(hash, key)
	if e == nil {
		return
	}
	h := o.holdOf(e)
	if h == nil {
		return
	}
	last := len(o.held) - 1
	o.held[h.slot] = o.held[last]
	o.held[h.slot].slot = h.slot
	o.held[last] = nil
	o.held = o.held[:last]
	o.bytes -= lockBytes + int64(len(key))
	o.count.Store(int64(last))
	s.unlink(h)
	s.settle(o.table, e, hash)
}

// ReleaseAll drops all locks. The owner can be used again.
func (o *Owner) ReleaseAll() {
	t := o.table
	for _, h := range o.held {
		e := h.entry
		hash, s := t.locate(e.key) // the key of an entry one holds is fixed
		s.mu.Lock()
		s.unlink(h)
		s.settle(t, e, hash)
		s.mu.Unlock()
	}
	o.held, o.bytes = nil, 0
	o.count.Store(0)
}

func lockError(reason kv.LockReason, key []byte) error {
	return &kv.LockError{Reason: reason, Key: bytes.Clone(key)}
}
