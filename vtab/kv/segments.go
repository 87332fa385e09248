package kv

import (
	"bytes"
	"container/heap"
	"slices"
)

// segment is a range with the position that it was read at.
type segment struct {
	Range
	at Position
}

// segments are the ranges of a ReadSet. Once tidied they are sorted and disjoint,
// and each has the oldest position at which it was read: a commit after that
// changes what was read.
type segments struct {
	list []segment
	// tidied is how many of list, from its beginning, are sorted and disjoint.
	tidied int
	bytes  int
}

// untidyMin is how many ranges may come before the list is sorted again, at least;
// otherwise it is as many as there are, so that sorting costs O(log n) a range.
const untidyMin = 64

func (l *segments) add(g segment) {
	if !before(g.Start, g.End) {
		return
	}
	if n := len(l.list); n > 0 {
		// The inner side of a join looks for the same key again and again.
		if last := &l.list[n-1]; last.at <= g.at && last.Contains(g.Start) && reaches(last.End, g.End) {
			return
		}
	}
	l.list = append(l.list, g)
	l.bytes += len(g.Start) + len(g.End)
	if fresh := len(l.list) - l.tidied; fresh > max(untidyMin, l.tidied) || l.bytes > MaxReadBytes {
		l.tidy()
	}
}

func (l *segments) len() int {
	l.tidy()
	return len(l.list)
}

// find returns the segment that key lies in.
func (l *segments) find(key []byte) (segment, bool) {
	l.tidy()
	i, found := slices.BinarySearchFunc(l.list, key, func(g segment, key []byte) int { return bytes.Compare(g.Start, key) })
	if !found {
		i--
	}
	if i < 0 || !l.list[i].Contains(key) {
		return segment{}, false
	}
	return l.list[i], true
}

// tidy makes the list sorted and disjoint, and coarser if it is beyond its bounds.
func (l *segments) tidy() {
	if l.tidied == len(l.list) {
		return
	}
	l.list = disjoint(l.list)
	for len(l.list) > MaxReadRanges || l.count() > MaxReadBytes {
		coarse := coarser(l.list)
		if len(coarse) == len(l.list) {
			break // one range an object: as coarse as it gets
		}
		l.list = coarse
	}
	l.tidied, l.bytes = len(l.list), l.count()
}

func (l *segments) count() int {
	n := 0
	for i := range l.list {
		n += len(l.list[i].Start) + len(l.list[i].End)
	}
	return n
}

// disjoint sweeps over segments from the smallest key to the largest. Where several
// cover a key, the one of the oldest position counts.
func disjoint(all []segment) []segment {
	slices.SortFunc(all, func(a, b segment) int { return bytes.Compare(a.Start, b.Start) })
	out := make([]segment, 0, len(all))
	var open oldest
	var at []byte
	for i := 0; i < len(all) || len(open) > 0; {
		if len(open) == 0 {
			at = all[i].Start
		}
		for ; i < len(all) && bytes.Compare(all[i].Start, at) <= 0; i++ {
			heap.Push(&open, all[i])
		}
		for len(open) > 0 && !before(at, open[0].End) {
			heap.Pop(&open)
		}
		if len(open) == 0 {
			continue
		}
		end := open[0].End
		if i < len(all) && before(all[i].Start, end) {
			end = all[i].Start
		}
		out = extend(out, segment{Range{Start: at, End: end}, open[0].at})
		if end == nil {
			return out // nothing lies behind
		}
		at = end
	}
	return out
}

// extend appends g, which begins where out ends or later.
func extend(out []segment, g segment) []segment {
	if n := len(out); n > 0 && out[n-1].at == g.at && bytes.Equal(out[n-1].End, g.Start) {
		out[n-1].End = g.End
		return out
	}
	return append(out, g)
}

// coarser makes one of each two neighbours that belong to the same object.
func coarser(all []segment) []segment {
	out := all[:0]
	for i := 0; i < len(all); i++ {
		g := all[i]
		if i+1 < len(all) && sameObject(g.Start, all[i+1].Start) {
			i++
			g.End, g.at = all[i].End, min(g.at, all[i].at)
		}
		out = append(out, g)
	}
	return out
}

func sameObject(a, b []byte) bool {
	return len(a) >= PrefixBytes && len(b) >= PrefixBytes && bytes.Equal(a[:PrefixBytes], b[:PrefixBytes])
}

// reaches reports whether an end is at least another; nil is the end of all keys.
func reaches(end, other []byte) bool {
	return end == nil || other != nil && bytes.Compare(end, other) >= 0
}

// oldest is a heap of segments, the oldest read first.
type oldest []segment

func (h oldest) Len() int           { return len(h) }
func (h oldest) Less(i, j int) bool { return h[i].at < h[j].at }
func (h oldest) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *oldest) Push(x any)        { *h = append(*h, x.(segment)) }
func (h *oldest) Pop() any {
	old := *h
	g := old[len(old)-1]
	*h = old[:len(old)-1]
	return g
}
