package kv

import (
	"bytes"

	"github.com/tidwall/btree"
)

// segment is a range with the position that it was read at.
type segment struct {
	Range
	at Position
}

// segments are the ranges of a ReadSet: sorted and disjoint, each with the oldest
// position at which it was read, because a commit after that changes what was read.
type segments struct {
	tree  *btree.BTreeG[segment] // by Start; nil while empty
	bytes int                    // of the bounds
}

func lessSegment(a, b segment) bool { return bytes.Compare(a.Start, b.Start) < 0 }

func newTree() *btree.BTreeG[segment] {
	return btree.NewBTreeGOptions(lessSegment, btree.Options{NoLocks: true})
}

func (l *segments) len() int {
	if l.tree == nil {
		return 0
	}
	return l.tree.Len()
}

// find returns the segment that key lies in.
func (l *segments) find(key []byte) (found segment, ok bool) {
	if l.tree == nil {
		return segment{}, false
	}
	l.tree.Descend(segment{Range: Range{Start: key}}, func(g segment) bool {
		found, ok = g, g.Contains(key)
		return false
	})
	return found, ok
}

// ascend calls visit with all segments until it returns false.
func (l *segments) ascend(visit func(segment) bool) {
	if l.tree != nil {
		l.tree.Scan(visit)
	}
}

func (l *segments) add(g segment) {
	if !before(g.Start, g.End) {
		return
	}
	if old, ok := l.find(g.Start); ok && old.at <= g.at && reaches(old.End, g.End) {
		return // the inner side of a join looks for the same key again and again
	}
	if l.tree == nil {
		l.tree = newTree()
	}
	l.cover(g)
	for l.len() > MaxReadRanges || l.bytes > MaxReadBytes {
		if !l.coarsen() {
			return // one range an object: as coarse as it gets
		}
	}
}

// cover puts g in the place of what it overlaps, except where that is as old.
func (l *segments) cover(g segment) {
	old := l.overlapped(g.Range)
	for _, o := range old {
		l.remove(o)
	}
	at := g.Start
	for _, o := range old {
		if before(o.Start, at) && !bytes.Equal(o.Start, at) {
			l.insert(segment{Range{o.Start, at}, o.at})
			o.Start = at
		}
		if !bytes.Equal(at, o.Start) {
			l.insert(segment{Range{at, o.Start}, g.at})
		}
		within, rest := o.Range, Range{}
		if !reaches(g.End, o.End) {
			within.End, rest = g.End, Range{g.End, o.End}
		}
		l.insert(segment{within, min(o.at, g.at)})
		if rest.Start != nil {
			l.insert(segment{rest, o.at})
		}
		at = within.End
	}
	if len(old) == 0 || at != nil && before(at, g.End) {
		l.insert(segment{Range{at, g.End}, g.at})
	}
}

// overlapped lists the segments that share keys with r.
func (l *segments) overlapped(r Range) []segment {
	var all []segment
	if first, ok := l.find(r.Start); ok {
		all = append(all, first)
	}
	l.tree.Ascend(segment{Range: r}, func(g segment) bool {
		if !before(g.Start, r.End) {
			return false
		}
		if len(all) == 0 || !bytes.Equal(all[0].Start, g.Start) {
			all = append(all, g)
		}
		return true
	})
	return all
}

// insert adds a segment that overlaps none. What is as old and ends where it begins
// becomes one with it.
func (l *segments) insert(g segment) {
	var left segment
	l.tree.Descend(segment{Range: g.Range}, func(o segment) bool {
		left = o
		return false
	})
	if left.End != nil && left.at == g.at && bytes.Equal(left.End, g.Start) {
		l.remove(left)
		g.Start = left.Start
	}
	l.tree.Set(g)
	l.bytes += len(g.Start) + len(g.End)
}

func (l *segments) remove(g segment) {
	l.tree.Delete(g)
	l.bytes -= len(g.Start) + len(g.End)
}

// coarsen makes one of each two neighbours that belong to the same object, and
// reports whether there were any.
func (l *segments) coarsen() bool {
	all := l.tree.Items()
	l.tree, l.bytes = newTree(), 0
	for i := 0; i < len(all); i++ {
		g := all[i]
		if i+1 < len(all) && sameObject(g.Start, all[i+1].Start) {
			i++
			g.End, g.at = all[i].End, min(g.at, all[i].at)
		}
		l.insert(g)
	}
	return l.tree.Len() < len(all)
}

func sameObject(a, b []byte) bool {
	return len(a) >= PrefixBytes && len(b) >= PrefixBytes && bytes.Equal(a[:PrefixBytes], b[:PrefixBytes])
}

// reaches reports whether an end is at least another; nil is the end of all keys.
func reaches(end, other []byte) bool {
	return end == nil || other != nil && bytes.Compare(end, other) >= 0
}
