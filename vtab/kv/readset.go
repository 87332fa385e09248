package kv

import "bytes"

const (
	// MaxReadRanges is how many ranges a ReadSet keeps apart of reads of one kind.
	// Beyond it neighbours become one: a long transaction costs bounded memory,
	// and is refused a little more often than it would have to be.
	MaxReadRanges = 1 << 14
	// MaxReadBytes bounds the keys of those ranges, for the same reason.
	MaxReadBytes = 4 << 20
	// MaxReadSettled is how many keys a ReadSet knows newer than their range. More
	// are as old as the range says, so that a commit between fails the transaction.
	MaxReadSettled = 1 << 16
)

// ReadSet is what a transaction has read: ranges of keys, each with the position
// of the state it was read in. It says of a commit whether it changes what was
// read. Ranges that are read in the transaction's snapshot are told from those that
// are read in the latest state, because only of those can a key have been read
// again later. The zero ReadSet is empty. It is used by one goroutine at a time.
type ReadSet struct {
	snapshot, latest segments
	// settled are keys in ranges of latest that were read again, under their lock,
	// at a later position.
	settled map[string]Position
}

// PointRange is the range that holds key alone. It does not share key's bytes.
func PointRange(key []byte) Range {
	b := make([]byte, len(key)+1)
	copy(b, key)
	return Range{Start: b[:len(key):len(key)], End: b}
}

// AddSnapshot adds a range that was read in the transaction's snapshot, the state
// at position at. The bounds are kept.
func (s *ReadSet) AddSnapshot(r Range, at Position) { s.snapshot.add(segment{r, at}) }

// AddLatest adds a range that was read in the latest state, which was that at
// position at or a later one. The bounds are kept.
func (s *ReadSet) AddLatest(r Range, at Position) { s.latest.add(segment{r, at}) }

// Settle says that a scan which is under way, and whose range is not added yet, has
// read key again at position at, under its lock, and that key counts as read there.
// What was read of key before counts as it did. Key is copied.
func (s *ReadSet) Settle(key []byte, at Position) {
	if _, read := s.latest.find(key); read || len(s.settled) >= MaxReadSettled {
		return
	}
	if _, known := s.settled[string(key)]; known {
		return
	}
	if s.settled == nil {
		s.settled = map[string]Position{}
	}
	s.settled[string(key)] = at
}

// Empty reports whether nothing was read.
func (s *ReadSet) Empty() bool { return s.snapshot.len() == 0 && s.latest.len() == 0 }

// ReadInSnapshot reports whether key lies in what was read in the snapshot.
func (s *ReadSet) ReadInSnapshot(key []byte) bool {
	_, ok := s.snapshot.find(key)
	return ok
}

// Since is the oldest position of a read; ok is false if nothing was read.
func (s *ReadSet) Since() (at Position, ok bool) {
	for _, l := range [...]*segments{&s.snapshot, &s.latest} {
		l.ascend(func(g segment) bool {
			if !ok || g.at < at {
				at, ok = g.at, true
			}
			return true
		})
	}
	return at, ok
}

// OneMoment reports whether everything was read in the state of one position: then
// it needs no validation as long as nothing is written.
func (s *ReadSet) OneMoment() bool {
	since, ok := s.Since()
	one := !ok || len(s.settled) == 0
	for _, l := range [...]*segments{&s.snapshot, &s.latest} {
		l.ascend(func(g segment) bool {
			one = one && g.at == since
			return one
		})
	}
	return one
}

// Len is the number of ranges, which is what a probe by range costs.
func (s *ReadSet) Len() int { return s.snapshot.len() + s.latest.len() }

// Changed reports whether a change of key in the commit at pos changes what was
// read.
func (s *ReadSet) Changed(key []byte, pos Position) bool {
	if g, ok := s.snapshot.find(key); ok && g.at < pos {
		return true
	}
	g, ok := s.latest.find(key)
	return ok && g.at < pos && !s.settledBy(key, pos)
}

func (s *ReadSet) settledBy(key []byte, pos Position) bool {
	at, ok := s.settled[string(key)]
	return ok && at >= pos
}

// RangeChanged reports whether the removal of a range in the commit at pos changes
// what was read, as far as ranges tell.
func (s *ReadSet) RangeChanged(r Range, pos Position) bool {
	changed := false
	s.Older(pos, func(read Range) bool {
		changed = Overlap(r, read)
		return !changed
	})
	return changed
}

// Older calls visit with the ranges that were read before pos until visit returns
// false. Keys of them may be settled: Changed tells.
func (s *ReadSet) Older(pos Position, visit func(Range) bool) {
	more := true
	for _, l := range [...]*segments{&s.snapshot, &s.latest} {
		l.ascend(func(g segment) bool {
			more = more && (g.at >= pos || visit(g.Range))
			return more
		})
	}
}

// Overlap reports whether two ranges have room for a common key.
func Overlap(a, b Range) bool {
	return before(a.Start, b.End) && before(b.Start, a.End)
}

// before compares a start with an end.
func before(start, end []byte) bool { return end == nil || bytes.Compare(start, end) < 0 }
