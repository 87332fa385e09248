package catalog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/freshetdb/freshet/vtab/kv"
)

// RehydrationResult says what Open found.
type RehydrationResult struct {
	Counts map[Kind]int // readable entries
	Errors []RehydrationError
	// Unclean: the last session did not end with Close.
	Unclean bool
	// StaleAtClose are the ids that Options.Stale gave at the last Close; nil
	// after an unclean end.
	StaleAtClose []ID
	// Swept are the key ranges that no entry named and that were removed.
	Swept []SweptRange
	// Kept counts the ranges that would have been swept but for an entry that
	// may own them (SweepHeldBy).
	Kept        int
	SweepHeldBy string
}

// RehydrationError is one thing that is wrong in the stored catalog.
type RehydrationError struct {
	Kind     Kind   // 0 for a counter or a key that is no entry's
	ID       ID     // 0 if there is none
	Database string // that holds the object, "" if none or unknown
	Name     string // as declared, "" if unknown
	Key      []byte
	Reason   string
	Err      error // what Reason was made from; for errors.Is
}

func (s *Snapshot) rehydrationError(it *item, cause error) RehydrationError {
	return RehydrationError{
		Kind: it.Kind, ID: it.ID, Database: s.database(it), Name: it.Name,
		Key: entryKey(it.Kind, it.ID), Reason: cause.Error(), Err: cause,
	}
}

// loader is the state of one rehydration.
type loader struct {
	*Catalog
	result  *RehydrationResult
	version uint64
	next    uint64
	repair  bool // a counter was damaged and has to be written anew
	items   []*item
	// holder is the first entry or key whose key ranges are not known for sure;
	// while there is one nothing is swept.
	holder string
}

// rehydrate reads the store into the current snapshot. The order matters: the
// marker goes first, sweeping comes last and only with all owners known.
func (c *Catalog) rehydrate(ctx context.Context) (*RehydrationResult, error) {
	fresh := c.store.Applied() == 0
	m, clean, err := c.consumeMarker(ctx)
	if err != nil {
		return nil, err
	}
	c.avoid = make(map[ID]bool)
	l := &loader{Catalog: c, result: &RehydrationResult{Counts: make(map[Kind]int)}}
	l.result.Unclean = !clean && !fresh
	l.result.StaleAtClose = m.Stale
	orphans, err := l.read(ctx)
	if err != nil {
		return nil, err
	}
	snapshot := l.build()
	c.next.Store(l.next)
	c.current.Store(snapshot)
	if l.repair {
		if err := l.repairCounters(ctx); err != nil {
			return nil, err
		}
	}
	if err := l.sweep(ctx, orphans); err != nil {
		return nil, err
	}
	l.result.Errors = c.Errors()
	l.report()
	return l.result, nil
}

// read takes counters, entries and the ids in use from one snapshot of the store.
func (l *loader) read(ctx context.Context) ([]SweptRange, error) {
	txn, err := l.store.Begin(ctx)
	if err != nil {
		return nil, err
	}
	defer txn.Rollback()
	reader, err := txn.Snapshot(kv.Now)
	if err != nil {
		return nil, err
	}
	if err := l.readEntries(ctx, reader); err != nil {
		return nil, fmt.Errorf("read the catalog entries: %w", err)
	}
	orphans, err := findOrphans(ctx, reader, l.items)
	if err != nil {
		return nil, fmt.Errorf("look for key ranges that nothing owns: %w", err)
	}
	if err := l.readCounters(ctx, reader); err != nil {
		return nil, err
	}
	return orphans, nil
}

func (l *loader) readEntries(ctx context.Context, reader kv.Reader) (err error) {
	entries := reader.Scan(ctx, kv.SpaceRange(kv.SpaceCatalog), kv.ScanOptions{})
	defer func() { err = errors.Join(err, entries.Close()) }()
	for entries.Next() {
		value, err := entries.Value()
		if err != nil {
			return err
		}
		it, err := readItem(entries.Key(), value, l.work)
		if err != nil {
			key := bytes.Clone(entries.Key())
			l.loadErrors = append(l.loadErrors, RehydrationError{Key: key, Reason: err.Error(), Err: err})
			l.hold(fmt.Sprintf("the key %x", key))
			continue
		}
		if !it.ownsKnown() {
			l.hold(fmt.Sprintf("the %v with id %d", it.Kind, it.ID))
		}
		l.items = append(l.items, it)
	}
	return entries.Err()
}

func (l *loader) hold(holder string) {
	if l.holder == "" {
		l.holder = holder
	}
}

// idGap and versionGap are how far a damaged counter is moved past everything
// that is still seen to have used it: what was dropped has left no trace.
const (
	idGap      = 1 << 16
	versionGap = 1 << 20
)

// readCounters reads version and next id. A damaged one is replaced by a value
// beyond all that can have been handed out. Ids that an entry uses although the
// counter has not reached them are avoided one by one: following them would let
// one stray entry use up the ids.
func (l *loader) readCounters(ctx context.Context, reader kv.Reader) error {
	var highest, versionSeen uint64
	for _, it := range l.items {
		highest = max(highest, uint64(it.ID), uint64(it.maxID))
		versionSeen = max(versionSeen, it.Version)
	}
	version, err := l.readCounter(ctx, reader, kv.MetaCatalogVersion, "the catalog version")
	if err != nil {
		return err
	}
	next, err := l.readCounter(ctx, reader, kv.MetaNextID, "the next id")
	if err != nil {
		return err
	}
	l.version, l.next = version.or(versionSeen+versionGap), next.or(min(highest+idGap, maxNextID))
	l.next = max(l.next, 1)
	for _, it := range l.items {
		for _, id := range append(slices.Clone(it.physical), it.ID, it.maxID) {
			if uint64(id) >= l.next {
				l.avoid[id] = true
			}
		}
	}
	return nil
}

// counter is a stored counter as found.
type counter struct {
	value   uint64
	damaged bool
}

func (c counter) or(value uint64) uint64 {
	if c.damaged {
		return value
	}
	return c.value
}

func (l *loader) readCounter(ctx context.Context, reader kv.Reader, key []byte, what string) (counter, error) {
	value, err := reader.Get(ctx, key)
	if errors.Is(err, kv.ErrNotFound) {
		if len(l.items) == 0 {
			return counter{}, nil
		}
		err = nil // entries without a counter: it was lost
	}
	if err != nil {
		return counter{}, fmt.Errorf("read %s: %w", what, err)
	}
	n, err := decodeCounter(what, value)
	if err != nil {
		l.repair = true
		l.loadErrors = append(l.loadErrors, RehydrationError{Name: what, Key: key, Reason: err.Error(), Err: err})
		return counter{damaged: true}, nil
	}
	return counter{value: n}, nil
}

// repairCounters writes counters that had been damaged.
func (l *loader) repairCounters(ctx context.Context) error {
	txn, err := l.store.Begin(ctx)
	if err != nil {
		return err
	}
	defer txn.Rollback()
	if err := writeCounters(txn, l.version, l.next); err != nil {
		return fmt.Errorf("repair the catalog counters: %w", err)
	}
	if _, err := txn.Commit(ctx, kv.CommitOptions{Durability: kv.DurabilityCommit}); err != nil {
		return fmt.Errorf("repair the catalog counters: %w", err)
	}
	return nil
}

// build makes the first snapshot. Entries that are sound in themselves but do
// not fit the others become broken here; of two that collide the older one stays.
func (l *loader) build() *Snapshot {
	slices.SortFunc(l.items, compareItems)
	s := newSnapshot(l.version)
	s.building = true
	for _, it := range l.items {
		s.objects.Set(it) // so that parents are found
	}
	owners := make(map[ID]bool)
	for _, it := range l.items {
		it = settle(s, it, owners)
		s.add(it)
		if it.cause == nil {
			l.result.Counts[it.Kind]++
		}
	}
	s.building = false
	return s
}

// settle checks one entry against those already added.
func settle(s *Snapshot, it *item, owners map[ID]bool) *item {
	var own []ID
	for _, id := range it.physical {
		if !owners[id] {
			owners[id] = true
			own = append(own, id)
		}
	}
	cause := it.cause
	switch {
	case cause != nil:
	case it.Parent != 0 && s.parent(it) == nil, it.Parent == 0 && len(it.Kind.info().parents) > 0:
		cause = fmt.Errorf("%w: it is id %d", ErrOrphan, it.Parent)
	case s.named(it.Kind.namespace(), it.Parent, it.Name) != nil:
		holder := s.named(it.Kind.namespace(), it.Parent, it.Name)
		cause = fmt.Errorf("%w: %v with id %d", ErrDuplicateName, holder.Kind, holder.ID)
	case len(own) != len(it.physical):
		cause = ErrDuplicateRange
	}
	if cause == it.cause && len(own) == len(it.physical) {
		return it
	}
	// Dropping this entry must not take the other owner's rows along.
	it = it.withCause(cause)
	it.physical = own
	return it
}

// maxLogged bounds the log lines of one open; the result has everything.
const maxLogged = 100

func (l *loader) report() {
	for i, e := range l.result.Errors {
		if i == maxLogged {
			l.log.Warn("further catalog problems are not logged", "count", len(l.result.Errors)-i)
			break
		}
		l.log.Warn("a catalog entry cannot be used; it is kept as it is", "kind", e.Kind.String(),
			"id", e.ID, "database", e.Database, "name", e.Name, "key", fmt.Sprintf("%x", e.Key), "reason", e.Reason)
	}
	l.log.Info("catalog opened", "version", l.version, "entries", len(l.items),
		"errors", len(l.result.Errors), "unclean", l.result.Unclean, "swept", len(l.result.Swept))
}
