package catalog

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/freshetdb/freshet/vtab/kv"
)

// Problem is one thing that Verify found.
type Problem struct {
	Key    []byte // of the entry, counter or stray key
	Kind   Kind   // 0 when the key is no entry's
	ID     ID
	Name   string
	Reason string
}

// String says all of it in a line.
func (p Problem) String() string {
	if p.Kind == 0 {
		return fmt.Sprintf("key %x: %s", p.Key, p.Reason)
	}
	return fmt.Sprintf("%v %s (id %d, key %x): %s", p.Kind, quote(p.Name), p.ID, p.Key, p.Reason)
}

// verifier is the state of one Verify.
type verifier struct {
	catalog  *Catalog
	version  uint64
	next     uint64
	items    []*item
	problems []Problem
}

// Verify reads the stored catalog through a snapshot of its own and compares it
// with what this version would have written: every entry decodes and encodes to
// the same bytes, names are unique, parents exist, ids are below the counter, no
// id and no key range has two owners, definitions do not contradict themselves,
// and memory agrees with the store. It may run beside other transactions. The
// error is a failure to read, not a finding.
func (c *Catalog) Verify(ctx context.Context) ([]Problem, error) {
	txn, err := c.store.Begin(ctx)
	if err != nil {
		return nil, fmt.Errorf("verify the catalog: %w", err)
	}
	defer txn.Rollback()
	reader, err := txn.Snapshot(kv.Now)
	if err != nil {
		return nil, fmt.Errorf("verify the catalog: %w", err)
	}
	v := &verifier{catalog: c}
	if err := v.read(ctx, reader); err != nil {
		return nil, fmt.Errorf("verify the catalog: %w", err)
	}
	for _, it := range v.items {
		v.checkEntry(it)
	}
	v.checkTogether()
	v.checkMemory()
	return v.problems, nil
}

func (v *verifier) report(it *item, format string, args ...any) {
	v.problems = append(v.problems, Problem{
		Key: entryKey(it.Kind, it.ID), Kind: it.Kind, ID: it.ID, Name: it.Name,
		Reason: fmt.Sprintf(format, args...),
	})
}

func (v *verifier) reportKey(key []byte, format string, args ...any) {
	v.problems = append(v.problems, Problem{Key: bytes.Clone(key), Reason: fmt.Sprintf(format, args...)})
}

func (v *verifier) read(ctx context.Context, reader kv.Reader) error {
	var err error
	if v.version, err = v.readCounter(ctx, reader, kv.MetaCatalogVersion, "the catalog version", 0); err != nil {
		return err
	}
	if v.next, err = v.readCounter(ctx, reader, kv.MetaNextID, "the next id", 1); err != nil {
		return err
	}
	if err := v.readEntries(ctx, reader); err != nil {
		return err
	}
	for _, space := range sweptSpaces {
		if err := v.readStrays(ctx, reader, space); err != nil {
			return err
		}
	}
	return nil
}

func (v *verifier) readCounter(ctx context.Context, reader kv.Reader, key []byte, what string, absent uint64) (uint64, error) {
	value, err := reader.Get(ctx, key)
	if errors.Is(err, kv.ErrNotFound) {
		return absent, nil
	}
	if err != nil {
		return 0, err
	}
	n, err := decodeCounter(what, value)
	if err != nil {
		v.reportKey(key, "%v", err)
	}
	return n, nil
}

func (v *verifier) readEntries(ctx context.Context, reader kv.Reader) (err error) {
	entries := reader.Scan(ctx, kv.SpaceRange(kv.SpaceCatalog), kv.ScanOptions{})
	defer func() { err = errors.Join(err, entries.Close()) }()
	for entries.Next() {
		value, err := entries.Value()
		if err != nil {
			return err
		}
		it, err := readItem(entries.Key(), value, v.catalog.work)
		if err != nil {
			v.reportKey(entries.Key(), "%v", err)
			continue
		}
		v.items = append(v.items, it)
	}
	return entries.Err()
}

// readStrays finds keys too short to hold the id of a range. They sort before
// every key with the same beginning, so only the first few are looked at each time.
func (v *verifier) readStrays(ctx context.Context, reader kv.Reader, space kv.Space) (err error) {
	all := kv.SpaceRange(space)
	keys := reader.Scan(ctx, all, kv.ScanOptions{KeysOnly: true})
	defer func() { err = errors.Join(err, keys.Close()) }()
	for keys.Next() {
		key := bytes.Clone(keys.Key())
		if len(key) < kv.PrefixBytes {
			v.reportKey(key, "the key is too short to name its key range")
			keys.SeekTo(kv.Range{Start: append(key, 0), End: all.End})
			continue
		}
		keys.SeekTo(kv.Range{Start: prefixEnd(key[:kv.PrefixBytes]), End: all.End})
	}
	return keys.Err()
}

// prefixEnd is the first key after all keys that start with prefix.
func prefixEnd(prefix []byte) []byte {
	end := bytes.Clone(prefix)
	for i := len(end) - 1; i >= 0; i-- {
		end[i]++
		if end[i] != 0 {
			return end[:i+1]
		}
	}
	return nil
}

// checkEntry looks at one entry by itself.
func (v *verifier) checkEntry(it *item) {
	o, err := it.get()
	if err != nil {
		v.report(it, "%v", err)
		return
	}
	again, err := newItem(o, it.Version, v.catalog.work)
	switch {
	case err != nil:
		v.report(it, "%v", err)
	case !bytes.Equal(again.value, it.value):
		v.report(it, "the stored bytes are not the canonical form of the definition")
	}
	if err := validate(o); err != nil {
		v.report(it, "%v", err)
	}
	if uint64(it.maxID) >= v.next {
		v.report(it, "it uses id %d, but the next id to hand out is %d", it.maxID, v.next)
	}
	if it.Version > v.version {
		v.report(it, "its version %d is beyond the catalog's %d", it.Version, v.version)
	}
}

// checkTogether looks at how the entries fit each other.
func (v *verifier) checkTogether() {
	s := newSnapshot(v.version)
	ids := make(map[ID]*item)
	for _, it := range v.items {
		s.objects.Set(it)
		if other := ids[it.ID]; other != nil {
			v.report(it, "the %v %s has the same id", other.Kind, quote(other.Name))
		}
		ids[it.ID] = it
	}
	owners := make(map[ID]*item)
	for _, it := range v.items {
		if !it.named || !it.Kind.known() {
			continue
		}
		if hasParent := len(it.Kind.info().parents) > 0; hasParent != (it.Parent != 0) ||
			hasParent && s.parent(it) == nil {
			v.report(it, "%v: it is id %d", ErrOrphan, it.Parent)
		}
		if other := s.named(it.Kind.namespace(), it.Parent, it.Name); other != nil {
			v.report(it, "the %v with id %d has the same name", other.Kind, other.ID)
		}
		for _, id := range it.physical {
			if other := owners[id]; other != nil {
				v.report(it, "the %v %s owns key range %d too", other.Kind, quote(other.Name), id)
			} else if other := ids[id]; other != nil {
				v.report(it, "its key range %d has the id of the %v %s", id, other.Kind, quote(other.Name))
			}
			owners[id] = it
		}
		s.add(it)
	}
}

// checkMemory compares the stored entries with those in memory, if the snapshot
// of the store and the current one show the same version.
func (v *verifier) checkMemory() {
	s := v.catalog.Current()
	if s.version != v.version {
		return
	}
	for _, it := range v.items {
		if have := s.item(it.Kind, it.ID); have == nil || !bytes.Equal(have.value, it.value) {
			v.report(it, "the entry in memory is another")
		}
	}
	if s.Len() != len(v.items) {
		v.problems = append(v.problems, Problem{Key: kv.SpaceRange(kv.SpaceCatalog).Start,
			Reason: fmt.Sprintf("the store has %d entries, memory %d", len(v.items), s.Len())})
	}
}
