package writeset

import (
	"bytes"

	"github.com/tidwall/btree"

	"github.com/freshetdb/freshet/vtab/kv"
)

// rangeTree is a set of disjoint, non-adjacent ranges ordered by start.
type rangeTree struct {
	tree *btree.BTreeG[kv.Range]
}

func lessRange(a, b kv.Range) bool { return bytes.Compare(a.Start, b.Start) < 0 }

func newRangeTree() *rangeTree {
	return &rangeTree{tree: btree.NewBTreeGOptions(lessRange, btree.Options{Degree: treeDegree, NoLocks: true})}
}

func (t *rangeTree) share() *rangeTree { return &rangeTree{tree: t.tree.Copy()} }

// covering returns the range that contains key.
func (t *rangeTree) covering(key []byte) (found kv.Range, ok bool) {
	t.tree.Descend(kv.Range{Start: key}, func(r kv.Range) bool {
		found, ok = r, r.Contains(key)
		return false
	})
	return found, ok
}

// add unites r with what is there and returns by how many bytes the ends of the
// ranges have grown (negative when ranges were joined). The bytes of r are
// copied.
func (t *rangeTree) add(r kv.Range) int64 {
	united := kv.Range{Start: bytes.Clone(r.Start), End: bytes.Clone(r.End)}
	if united.Start == nil {
		united.Start = []byte{}
	}
	growth := int64(0)
	for _, old := range t.touching(united) {
		t.tree.Delete(old)
		growth -= rangeBytes(old)
		if bytes.Compare(old.Start, united.Start) < 0 {
			united.Start = old.Start
		}
		if united.End != nil && (old.End == nil || bytes.Compare(old.End, united.End) > 0) {
			united.End = old.End
		}
	}
	t.tree.Set(united)
	return growth + rangeBytes(united)
}

// touching lists the ranges that overlap or adjoin r.
func (t *rangeTree) touching(r kv.Range) []kv.Range {
	var found []kv.Range
	t.tree.Descend(r, func(old kv.Range) bool {
		if old.End == nil || bytes.Compare(old.End, r.Start) >= 0 {
			found = append(found, old)
		}
		return false
	})
	t.tree.Ascend(r, func(old kv.Range) bool {
		if bytes.Equal(old.Start, r.Start) {
			return true // found by the walk down
		}
		if r.End != nil && bytes.Compare(old.Start, r.End) > 0 {
			return false
		}
		found = append(found, old)
		return true
	})
	return found
}

func (t *rangeTree) ascend(visit func(kv.Range) error) error {
	var err error
	t.tree.Scan(func(r kv.Range) bool {
		err = visit(r)
		return err == nil
	})
	return err
}

func rangeBytes(r kv.Range) int64 { return int64(len(r.Start)) + int64(len(r.End)) }
