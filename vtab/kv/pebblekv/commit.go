package pebblekv

import (
	"context"
	"fmt"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/freshetdb/freshet/vtab/kv"
	"github.com/freshetdb/freshet/vtab/kv/recent"
	"github.com/freshetdb/freshet/vtab/kv/writeset"
)

// positionsPerReserve is how many positions one synced reservation covers. Only
// the commit that crosses it waits for the disk inside the section.
const positionsPerReserve = 1 << 20

// hookFactor is how many times MaxTxnBytes the batch may have in the end: what
// the hook derives from the transaction's own writes (log record, view rows) is
// seldom more than they are, and a transaction that was let grow should commit.
const hookFactor = 2

// batchOverhead is about what a batch adds to a key and a value: kind and two
// lengths.
const batchOverhead = 8

// fill copies the pending writes into a batch: deleted ranges first, so that
// the transaction's own puts survive them. Before them goes how far the log is
// synced, which only a check of the log reads.
func fill(b *pebble.Batch, set *writeset.Set, mark syncMark) error {
	if err := b.LogData(mark.encode(), nil); err != nil {
		return err
	}
	err := set.AscendRanges(func(r kv.Range) error { return b.DeleteRange(r.Start, endOf(r), nil) })
	if err != nil {
		return err
	}
	return set.Ascend(func(key, value []byte, tombstone bool) error {
		if tombstone {
			return b.Delete(key, nil)
		}
		return b.Set(key, value, nil)
	})
}

// commit makes a transaction's writes visible and waits for their durability.
// unlock is called once, after the section, if the batch was applied.
func (s *Store) commit(ctx context.Context, set *writeset.Set, o kv.CommitOptions, unlock func()) (kv.Position, error) {
	if err := s.enter(); err != nil {
		return 0, err
	}
	defer s.leave()
	c := commitment{store: s, batch: s.db.NewBatchWithSize(int(set.Size()) + batchOverhead*set.Len() + 96)}
	defer func() { s.release(c.batch) }()
	if err := fill(c.batch, set, s.guard.syncMark()); err != nil {
		return 0, translate(err)
	}
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	durability := o.Durability
	if durability == kv.DurabilityDefault {
		durability = s.options.Durability
	}
	c.sync = durability == kv.DurabilityCommit
	if err := c.prepare(set, o); err != nil {
		return 0, err
	}
	if err := c.enterSection(o); err != nil {
		return 0, err
	}
	unlock()
	s.snapshots.dropStale()
	if err := c.wait(); err != nil {
		return c.position, fmt.Errorf("%w: %w", kv.ErrOutcomeUnknown, err)
	}
	return c.position, nil
}

// commitment is one commit on its way.
type commitment struct {
	store    *Store
	batch    *pebble.Batch
	sync     bool
	position kv.Position
	// set are the transaction's writes, and changes what the commit changes, nil
	// unless somebody watches.
	set     *writeset.Set
	changes *recent.Changes
	// validated: no commit up to here has changed what the transaction has read.
	validated kv.Position
}

// prepare does outside the section what it can of what the section needs for
// serializable transactions, this one and others: the section then validates only
// against what was committed meanwhile.
func (c *commitment) prepare(set *writeset.Set, o kv.CommitOptions) (err error) {
	c.set = set
	if c.store.recent.Watched() {
		c.changes = recent.NewChanges(set)
	}
	if o.Reads != nil {
		c.validated, err = c.store.recent.Validate(o.Reads, 0)
	}
	return err
}

// watched makes sure, inside the section, that there are changes if somebody
// watches.
func (c *commitment) watched() {
	switch {
	case !c.store.recent.Watched():
		c.changes = nil
	case c.changes == nil:
		c.changes = recent.NewChanges(c.set)
	}
}

// enterSection runs the serial part. Nothing of the transaction is visible if
// it fails, unless with kv.ErrOutcomeUnknown.
func (c *commitment) enterSection(o kv.CommitOptions) error {
	s := c.store
	s.section.Lock()
	defer s.section.Unlock() // a hook may panic
	defer s.counters.sectionSince(time.Now())
	if err := s.writable(); err != nil {
		return err
	}
	if err := s.reserve(); err != nil {
		return err
	}
	if o.Reads != nil {
		if _, err := s.recent.Validate(o.Reads, c.validated); err != nil {
			return err
		}
	}
	c.watched()
	c.position = s.last + 1
	if o.Hook != nil {
		w := &hookWriter{commitment: c}
		if err := o.Hook(storeReader{s}, w, c.position); err != nil {
			return err
		}
		if w.err != nil { // the hook passed over it
			return w.err
		}
	}
	if err := c.batch.Set(kv.MetaPosition, kv.AppendPosition(nil, c.position), nil); err != nil {
		return translate(err)
	}
	bytes := uint64(c.batch.Len())
	if err := s.latch.err(); err != nil { // it may have tripped under the hook
		return err
	}
	if !c.sync {
		s.unsynced.Store(true)
	}
	if err := s.apply(c.batch, c.sync); err != nil {
		if s.latch.tripped() {
			return fmt.Errorf("%w: %w", kv.ErrOutcomeUnknown, err)
		}
		return err
	}
	s.last = c.position
	if c.changes != nil {
		s.recent.Append(c.changes, c.position)
	}
	s.applied.Store(uint64(c.position))
	s.generation.Add(1)
	s.progress.announce()
	s.counters.commits.Add(1)
	s.counters.bytesWritten.Add(bytes)
	if o.Published != nil {
		o.Published(c.position)
	}
	return nil
}

// writable reports why the store takes no writes, nil if it does.
func (s *Store) writable() error {
	if err := s.latch.err(); err != nil {
		return err
	}
	return s.space.err()
}

// wait returns when the commit is as durable as was asked for.
func (c *commitment) wait() error {
	s := c.store
	if c.sync {
		if err := c.batch.SyncWait(); err != nil {
			s.latch.trip(err)
		}
	}
	// The guard hides a failed sync from Pebble but trips the latch before it
	// lets the sync return: open here means that the sync succeeded.
	if err := s.latch.err(); err != nil {
		return err
	}
	if c.sync {
		s.raiseDurable(c.position)
	}
	return nil
}

// reserve makes sure that the next position lies within what the reservation
// on disk covers. The section is held.
func (s *Store) reserve() error {
	if s.last < s.reserved {
		return nil
	}
	return s.writeReserved(s.last + positionsPerReserve)
}

// writeReserved stores, durably, that positions up to mark may have been handed
// out. The section is held.
func (s *Store) writeReserved(mark kv.Position) error {
	b := s.db.NewBatch()
	defer s.release(b)
	if err := b.Set(kv.MetaReserved, kv.AppendPosition(nil, mark), nil); err != nil {
		return translate(err)
	}
	if err := s.writeSynced(b); err != nil {
		return err
	}
	s.reserved = mark
	return nil
}

// hookWriter lets a commit hook add to the batch. Its first error is kept.
type hookWriter struct {
	commitment *commitment
	err        error
}

func (w *hookWriter) Put(key, value []byte) error {
	if w.check(len(key), len(value)) {
		w.err = translate(w.commitment.batch.Set(key, value, nil))
		w.note(key)
	}
	return w.err
}

func (w *hookWriter) Delete(key []byte) error {
	if w.check(len(key), 0) {
		w.err = translate(w.commitment.batch.Delete(key, nil))
		w.note(key)
	}
	return w.err
}

// note adds a key to what the commit changes.
func (w *hookWriter) note(key []byte) {
	if w.commitment.changes != nil {
		w.commitment.changes.Add(key)
	}
}

// DeleteRange must not cover what the batch already puts, so it goes before
// that, into a new batch.
func (w *hookWriter) DeleteRange(r kv.Range) error {
	if empty(r) || !w.check(len(r.Start), len(r.End)) {
		return w.err
	}
	if w.commitment.changes != nil {
		w.commitment.changes.AddRange(r)
	}
	s, old := w.commitment.store, w.commitment.batch
	b := s.db.NewBatchWithSize(old.Len() + len(r.Start) + len(r.End) + 64)
	w.err = translate(b.DeleteRange(r.Start, endOf(r), nil))
	if w.err == nil {
		w.err = translate(b.Apply(old, nil))
	}
	if w.err != nil {
		s.release(b)
		return w.err
	}
	w.commitment.batch = b
	s.release(old)
	return nil
}

// check reports whether one more write fits.
func (w *hookWriter) check(keyBytes, valueBytes int) bool {
	if w.err == nil {
		w.err = w.commitment.store.checkSizes(keyBytes, valueBytes)
	}
	limit := hookFactor * w.commitment.store.caps.MaxTxnBytes
	if size := int64(w.commitment.batch.Len()) + int64(keyBytes) + int64(valueBytes); w.err == nil && size > limit {
		w.err = &kv.SizeError{What: "transaction", Size: size, Limit: limit}
	}
	return w.err == nil
}

// checkSizes holds a key and a value against the limits.
func (s *Store) checkSizes(keyBytes, valueBytes int) error {
	if keyBytes > s.caps.MaxKeyBytes {
		return &kv.SizeError{What: "key", Size: int64(keyBytes), Limit: int64(s.caps.MaxKeyBytes)}
	}
	if valueBytes > s.caps.MaxValueBytes {
		return &kv.SizeError{What: "value", Size: int64(valueBytes), Limit: int64(s.caps.MaxValueBytes)}
	}
	return nil
}
