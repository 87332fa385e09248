package catalog

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/freshetdb/freshet/vtab/kv"
)

// Txn collects the catalog changes of one transaction over the Snapshot it began
// with. It is used by one goroutine at a time. The life of one that changes
// something is Lock, Put and Drop, Flush into the transaction's batch, Publish
// from inside the commit section, End. One that only reads needs no End.
//
// The writer lock is no lock of the store: a wait for it takes no part in
// deadlock detection. So take it after every lock of the store that the
// statement needs, and wait for no other while holding it.
type Txn struct {
	catalog *Catalog
	base    *Snapshot
	cur     *Snapshot // base itself until the first change
	// private: nobody but this transaction has seen cur, so it may be changed
	// in place.
	private bool
	locked  bool
	ended   bool
	// touched lists every entry that was ever changed, in order of the first
	// change; rolling back does not shorten it, since what counts is how base
	// and cur differ.
	touched []entryID
	seen    map[entryID]bool
	flushed *Snapshot // what the batch holds, nil if nothing yet
}

type entryID struct {
	kind Kind
	id   ID
}

// Savepoint is a moment in a Txn's changes.
type Savepoint struct {
	txn      *Txn
	snapshot *Snapshot // nil: nothing was changed yet
}

// Snapshot is the base with the transaction's own changes; while there are none,
// the base itself.
func (t *Txn) Snapshot() *Snapshot {
	t.private = false
	return t.cur
}

// Base is the snapshot without the transaction's own changes.
func (t *Txn) Base() *Snapshot { return t.base }

// Lock takes the catalog's writer lock, waiting for it until ctx ends, and moves
// the base to the current snapshot. It is a must before the first change.
func (t *Txn) Lock(ctx context.Context) error {
	if t.ended {
		return ErrEnded
	}
	if t.locked {
		return nil
	}
	if err := t.catalog.acquire(ctx); err != nil {
		return err
	}
	t.locked = true
	t.catalog.writing.Store(true)
	t.base = t.catalog.Current()
	t.cur, t.private = t.base, false
	return nil
}

// Locked reports whether the transaction holds the writer lock.
func (t *Txn) Locked() bool { return t.locked }

// NewID returns an id that was never handed out before, rolled-back transactions
// included. It needs no lock. It returns 0 when all ids are used; Put refuses
// that one with ErrNoMoreIDs.
func (t *Txn) NewID() ID { return t.catalog.newID() }

// Put inserts an object or replaces the one with the same kind and id, a broken
// one included. The descriptor is copied; Header.Version is set in the copy. A
// descriptor equal to the stored one changes nothing. Errors: *ExistsError,
// *NameError, ErrInvalid, ErrNoParent, ErrNoMoreIDs, ErrNotLocked, ErrEnded.
func (t *Txn) Put(o Object) error {
	if err := t.changeable(); err != nil {
		return err
	}
	it, err := newItem(o, t.base.version+1, t.catalog.work)
	if err != nil {
		return err
	}
	if err := t.admissible(it); err != nil {
		return err
	}
	old := t.cur.item(it.Kind, it.ID)
	if old != nil && old.sameContent(it) {
		return nil
	}
	// What goes back to the stored content is that entry again, so that the
	// whole transaction may turn out to change nothing.
	if stored := t.base.item(it.Kind, it.ID); stored != nil && stored.sameContent(it) {
		it = stored
	}
	t.edit(entryID{it.Kind, it.ID})
	if old != nil {
		t.cur.remove(old)
	}
	t.cur.add(it)
	return nil
}

// admissible says whether an item may be put into the current state.
func (t *Txn) admissible(it *item) error {
	next := t.catalog.peekID()
	if it.ID == 0 || slices.Contains(it.physical, 0) {
		if next >= maxNextID {
			return ErrNoMoreIDs
		}
		return fmt.Errorf("%w: %v %s or one of its key ranges has no id", ErrInvalid, it.Kind, quote(it.Name))
	}
	if uint64(it.maxID) >= next {
		return fmt.Errorf("%w: %v %s uses id %d, which NewID has not handed out",
			ErrInvalid, it.Kind, quote(it.Name), it.maxID)
	}
	if parents := it.Kind.info().parents; len(parents) == 0 && it.Parent != 0 {
		return fmt.Errorf("%w: a %v has no parent", ErrInvalid, it.Kind)
	} else if len(parents) > 0 {
		p := t.cur.parent(it)
		if p == nil {
			return fmt.Errorf("%w: id %d of %v %s", ErrNoParent, it.Parent, it.Kind, quote(it.Name))
		}
		if _, err := t.cur.object(p); err != nil && t.cur.item(it.Kind, it.ID) == nil {
			return err
		}
	}
	holder := t.cur.named(it.Kind.namespace(), it.Parent, it.Name)
	if holder != nil && (holder.ID != it.ID || holder.Kind != it.Kind) {
		return &ExistsError{Kind: holder.Kind, Name: holder.Name, Broken: holder.broken() != nil}
	}
	return nil
}

// Drop removes the entry with this kind and id, a broken one included. What it
// holds must be dropped too, in any order: Flush checks that. Errors:
// ErrNoSuchObject, ErrNotLocked, ErrEnded.
func (t *Txn) Drop(kind Kind, id ID) error {
	if err := t.changeable(); err != nil {
		return err
	}
	it := t.cur.item(kind, id)
	if it == nil {
		return fmt.Errorf("%w: %v with id %d", ErrNoSuchObject, kind, id)
	}
	t.edit(entryID{kind, id})
	t.cur.remove(it)
	return nil
}

func (t *Txn) changeable() error {
	switch {
	case t.ended:
		return ErrEnded
	case !t.locked:
		return ErrNotLocked
	}
	return nil
}

// edit makes cur a snapshot that may be changed in place and notes the entry.
func (t *Txn) edit(e entryID) {
	if !t.private {
		t.cur = t.cur.edit(t.base.version + 1)
		t.private = true
	}
	if t.seen == nil {
		t.seen = make(map[entryID]bool)
	}
	if !t.seen[e] {
		t.seen[e] = true
		t.touched = append(t.touched, e)
	}
}

// Savepoint marks the present moment.
func (t *Txn) Savepoint() Savepoint {
	t.private = false
	if t.cur == t.base {
		return Savepoint{txn: t}
	}
	return Savepoint{txn: t, snapshot: t.cur}
}

// RollbackTo undoes the changes made after sp, which may be used again. Ids that
// were handed out stay so.
func (t *Txn) RollbackTo(sp Savepoint) {
	if sp.txn != t {
		panic("catalog: savepoint of another transaction")
	}
	t.private = false
	t.cur = sp.snapshot
	if t.cur == nil {
		t.cur = t.base
	}
}

// Changed reports whether the transaction would change the stored catalog.
func (t *Txn) Changed() bool {
	for _, e := range t.touched {
		if t.base.item(e.kind, e.id) != t.cur.item(e.kind, e.id) {
			return true
		}
	}
	return false
}

// Flush writes the changed entries, the catalog version and the next id into the
// transaction's batch; it writes nothing when there is no change. It checks the
// result first and refuses one that is not sound (ErrInvalid, ErrNotEmpty). It
// may be called again after further changes.
func (t *Txn) Flush(w kv.Writer) error {
	if err := t.changeable(); err != nil {
		if !t.Changed() && errors.Is(err, ErrNotLocked) {
			return nil
		}
		return err
	}
	if t.catalog.closed.Load() {
		return ErrClosed
	}
	again := t.flushed != nil
	if !again && !t.Changed() {
		return nil
	}
	if err := t.check(); err != nil {
		return err
	}
	for _, e := range t.touched {
		it := t.cur.item(e.kind, e.id)
		if !again && it == t.base.item(e.kind, e.id) {
			continue
		}
		// The second time around an entry may have to be put back.
		if err := writeItem(w, e, it); err != nil {
			return fmt.Errorf("write the catalog entry of %v %d: %w", e.kind, e.id, err)
		}
	}
	t.private = false
	if err := writeCounters(w, t.cur.version, t.catalog.peekID()); err != nil {
		return fmt.Errorf("write the catalog counters: %w", err)
	}
	t.flushed = t.cur
	return nil
}

func writeItem(w kv.Writer, e entryID, it *item) error {
	if it == nil {
		return w.Delete(entryKey(e.kind, e.id))
	}
	return w.Put(entryKey(e.kind, e.id), it.value)
}

func writeCounters(w kv.Writer, version, nextID uint64) error {
	if err := w.Put(kv.MetaCatalogVersion, EncodeVersion(version)); err != nil {
		return err
	}
	return w.Put(kv.MetaNextID, binary.BigEndian.AppendUint64(nil, nextID))
}

// Publish makes the changes current. It must be called from
// kv.CommitOptions.Published of the commit that Flush wrote into. It panics if
// what it would publish is not what was written, or if the catalog moved: going
// on would make memory and store disagree.
func (t *Txn) Publish() {
	if t.flushed == nil && !t.Changed() {
		return
	}
	if !t.locked || t.ended {
		panic("catalog: publishing without the writer lock")
	}
	if t.flushed != t.cur {
		panic("catalog: publishing what was not flushed")
	}
	if !t.catalog.current.CompareAndSwap(t.base, t.cur) {
		panic("catalog: the catalog moved under its writer lock")
	}
}

// End releases the writer lock, after commit or rollback. It is idempotent.
func (t *Txn) End() {
	if t.locked {
		t.locked = false
		t.catalog.release()
	}
	t.ended = true
}
