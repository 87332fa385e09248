package writeset

import (
	"bytes"

	"github.com/tidwall/btree"

	"github.com/freshetdb/freshet/vtab/kv"
)

// treeDegree is half the number of items of a tree node. An item has 32 bytes,
// so a full node has 1 KiB: small enough that the copy after a savepoint is
// cheap, large enough that a hundred thousand keys are four levels deep.
const treeDegree = 16

// State says what a set knows about a key.
type State uint8

const (
	// Unknown: the set does not mention the key; ask the base.
	Unknown State = iota
	// Present: the set holds a value for the key.
	Present
	// Deleted: the set deletes the key, by itself or as part of a range.
	Deleted
)

// item is one pending write. Key and value lie behind one another in one slice
// that is never written again once the item exists.
type item struct {
	data      []byte
	keyBytes  uint32
	tombstone bool
}

func (i item) key() []byte   { return i.data[:i.keyBytes:i.keyBytes] }
func (i item) value() []byte { return i.data[i.keyBytes:] }

func lessItem(a, b item) bool { return bytes.Compare(a.key(), b.key()) < 0 }

// probe is an item to search with.
func probe(key []byte) item { return item{data: key, keyBytes: uint32(len(key))} }

type tree = btree.BTreeG[item]

// Set is the pending writes of one transaction. The zero Set is empty and ready
// for use. It is used by one goroutine at a time.
type Set struct {
	// live is the present state. live.items is nil until the first write. While
	// mark is not nil the trees of live are logically those of mark, and a write
	// drops mark; the tree library copies shared nodes on write.
	live  Mark
	mark  *Mark
	arena arena
}

// Mark is an immutable picture of a set. Any number of goroutines may read a
// mark.
type Mark struct {
	items  *tree
	ranges *rangeTree
	size   int64
}

// empty is the mark of every set without writes.
var empty = &Mark{}

// Put sets key to value. Both are copied. The caller keeps within the limits of
// its engine; a key has less than 4 GiB.
func (s *Set) Put(key, value []byte) { s.write(key, value, false) }

// Delete deletes key.
func (s *Set) Delete(key []byte) { s.write(key, nil, true) }

func (s *Set) write(key, value []byte, tombstone bool) {
	s.mark = nil
	if s.live.items == nil {
		s.live.items = btree.NewBTreeGOptions(lessItem, btree.Options{Degree: treeDegree, NoLocks: true})
	}
	data := s.arena.take(len(key) + len(value))
	copy(data, key)
	copy(data[len(key):], value)
	old, replaced := s.live.items.Set(item{data: data, keyBytes: uint32(len(key)), tombstone: tombstone})
	s.live.size += int64(len(data))
	if replaced {
		s.live.size -= int64(len(old.data))
	}
}

// DeleteRange deletes what the base holds in r. An empty range is ignored.
func (s *Set) DeleteRange(r kv.Range) {
	if r.End != nil && bytes.Compare(r.Start, r.End) >= 0 {
		return
	}
	s.mark = nil
	if s.live.ranges == nil {
		s.live.ranges = newRangeTree()
	}
	s.live.size += s.live.ranges.add(r)
}

// Get returns what the set says about key. The value is valid as long as the
// caller likes and must not be changed.
func (s *Set) Get(key []byte) ([]byte, State) { return s.live.Get(key) }

// Empty reports whether the set has no pending write at all.
func (s *Set) Empty() bool { return s.live.Empty() }

// Len is the number of keys written or deleted one by one.
func (s *Set) Len() int { return s.live.Len() }

// Size is the number of bytes of the keys and values pending, and of the ends of
// deleted ranges.
func (s *Set) Size() int64 { return s.live.size }

// Ascend calls visit for each key written or deleted one by one, in order, until
// visit returns an error, and returns that. The slices must not be changed.
func (s *Set) Ascend(visit func(key, value []byte, tombstone bool) error) error {
	return s.live.Ascend(visit)
}

// AscendRanges calls visit for each deleted range, in order and disjoint, until
// visit returns an error, and returns that.
func (s *Set) AscendRanges(visit func(r kv.Range) error) error { return s.live.AscendRanges(visit) }

// Savepoint returns the mark of the present moment. It allocates nothing when
// the set is empty or unchanged since the last savepoint.
func (s *Set) Savepoint() *Mark {
	if s.live.Empty() {
		return empty
	}
	if s.mark == nil {
		s.mark = s.live.share()
	}
	return s.mark
}

// RollbackTo makes the set equal to m, a mark of this set. The mark stays
// usable.
func (s *Set) RollbackTo(m *Mark) {
	if s.mark == m {
		return
	}
	if m.Empty() {
		*s = Set{}
		return
	}
	s.live = *m.share()
	s.mark = m
}

// Reset empties the set. Marks taken before stay readable.
func (s *Set) Reset() { *s = Set{} }

// share returns a mark that looks the same and may be written independently.
func (m *Mark) share() *Mark {
	c := &Mark{size: m.size}
	if m.items != nil {
		c.items = m.items.Copy()
	}
	if m.ranges != nil {
		c.ranges = m.ranges.share()
	}
	return c
}

// Get returns what the mark says about key, as Set.Get does.
func (m *Mark) Get(key []byte) ([]byte, State) {
	if m.items != nil {
		if i, ok := m.items.Get(probe(key)); ok {
			if i.tombstone {
				return nil, Deleted
			}
			return i.value(), Present
		}
	}
	if m.ranges != nil {
		if _, ok := m.ranges.covering(key); ok {
			return nil, Deleted
		}
	}
	return nil, Unknown
}

// Empty reports whether the mark has no pending write.
func (m *Mark) Empty() bool { return m.items == nil && m.ranges == nil }

// Len is the number of keys written or deleted one by one.
func (m *Mark) Len() int {
	if m.items == nil {
		return 0
	}
	return m.items.Len()
}

// Size is the number of pending bytes.
func (m *Mark) Size() int64 { return m.size }

// Ascend is as Set.Ascend.
func (m *Mark) Ascend(visit func(key, value []byte, tombstone bool) error) error {
	if m.items == nil {
		return nil
	}
	var err error
	m.items.Scan(func(i item) bool {
		if i.tombstone {
			err = visit(i.key(), nil, true)
		} else {
			err = visit(i.key(), i.value(), false)
		}
		return err == nil
	})
	return err
}

// AscendRanges is as Set.AscendRanges.
func (m *Mark) AscendRanges(visit func(r kv.Range) error) error {
	if m.ranges == nil {
		return nil
	}
	return m.ranges.ascend(visit)
}
