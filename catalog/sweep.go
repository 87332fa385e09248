package catalog

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/freshetdb/freshet/vtab/kv"
)

// SweptRange is a key range that no entry of the catalog names.
type SweptRange struct {
	Space kv.Space
	ID    ID
}

// sweptSpaces are the spaces whose keys start with the id of a key range that
// some entry must own. View state and derived indexes look after their own.
var sweptSpaces = []kv.Space{kv.SpaceRow, kv.SpaceIndex, kv.SpaceCount, kv.SpaceSequence}

// findOrphans lists the ranges that hold keys and that none of the items own. It
// reads one key per range in use, less where the ids of several live ranges
// follow each other.
func findOrphans(ctx context.Context, reader kv.Reader, items []*item) ([]SweptRange, error) {
	ranges := make(map[ID]bool)
	for _, it := range items {
		for _, id := range it.physical {
			ranges[id] = true
		}
	}
	// Sequences are reserved under the id of the table itself.
	sequences := maps.Clone(ranges)
	for _, it := range items {
		sequences[it.ID] = true
	}
	var orphans []SweptRange
	for _, space := range sweptSpaces {
		live := ranges
		if space == kv.SpaceSequence {
			live = sequences
		}
		ids, err := orphansIn(ctx, reader, space, slices.Sorted(maps.Keys(live)))
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			orphans = append(orphans, SweptRange{Space: space, ID: id})
		}
	}
	return orphans, nil
}

// Orphans lists the key ranges that hold keys at reader, which must show the same
// commit as s, and that no entry of s owns. If an entry that cannot be read may
// own any of them, nothing can be said: it is named in held.
func (s *Snapshot) Orphans(ctx context.Context, reader kv.Reader) (orphans []SweptRange, held string, err error) {
	items := s.objects.Items()
	for _, it := range items {
		if !it.ownsKnown() {
			return nil, fmt.Sprintf("the entry of the %v with id %d", it.Kind, it.ID), nil
		}
	}
	orphans, err = findOrphans(ctx, reader, items)
	return orphans, "", err
}

// orphansIn finds the ids in use in one space that are not among live (sorted).
func orphansIn(ctx context.Context, reader kv.Reader, space kv.Space, live []ID) (ids []ID, err error) {
	all := kv.SpaceRange(space)
	keys := reader.Scan(ctx, all, kv.ScanOptions{KeysOnly: true})
	defer func() { err = errors.Join(err, keys.Close()) }()
	for keys.Next() {
		key := keys.Key()
		if len(key) < kv.PrefixBytes {
			// No id, so nobody's: it is passed over. Verify reports it.
			keys.SeekTo(kv.Range{Start: append(slices.Clone(key), 0), End: all.End})
			continue
		}
		id := ID(binary.BigEndian.Uint32(key[1:kv.PrefixBytes]))
		last := id
		if at, ok := slices.BinarySearch(live, id); ok {
			for at+1 < len(live) && live[at+1] == live[at]+1 {
				at++
			}
			last = live[at]
		} else {
			ids = append(ids, id)
		}
		keys.SeekTo(kv.Range{Start: kv.PrefixRange(space, uint32(last)).End, End: all.End})
	}
	return ids, keys.Err()
}

// sweep removes orphans, the remains of what never committed or was dropped while
// its ranges were unknown. It does so only while every entry's ranges are known:
// one whose head is unreadable, or whose kind or record version is of a newer
// program, may own any of them.
func (l *loader) sweep(ctx context.Context, orphans []SweptRange) error {
	if len(orphans) == 0 {
		return nil
	}
	if l.holder != "" {
		l.result.Kept, l.result.SweepHeldBy = len(orphans), l.holder
		for _, o := range orphans {
			l.avoid[o.ID] = true
		}
		l.log.Warn("key ranges that nothing names are kept because an entry that may own them cannot be read",
			"ranges", len(orphans), "entry", l.holder)
		return nil
	}
	for _, o := range orphans {
		if err := l.store.DropRange(ctx, kv.PrefixRange(o.Space, uint32(o.ID))); err != nil {
			return fmt.Errorf("remove key range %d of space %d: %w", o.ID, o.Space, err)
		}
		l.log.Info("removed a key range that nothing names", "space", uint8(o.Space), "id", o.ID)
	}
	l.result.Swept = orphans
	return nil
}
