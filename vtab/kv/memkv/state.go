package memkv

import (
	"bytes"
	"context"
	"sort"

	"github.com/tidwall/btree"

	"github.com/freshetdb/freshet/vtab/kv"
	"github.com/freshetdb/freshet/vtab/kv/writeset"
)

// approximationSamples is how many pairs Approximate looks at.
const approximationSamples = 64

// pair is one key with its value. Neither is ever changed.
type pair struct{ key, value []byte }

// newPair copies key and value: a set's own copies lie in chunks that would all
// be kept alive by one of them.
func newPair(key, value []byte) pair {
	data := make([]byte, len(key)+len(value))
	copy(data, key)
	copy(data[len(key):], value)
	return pair{key: data[:len(key):len(key)], value: data[len(key):]}
}

type tree = btree.BTreeG[pair]

func lessPair(a, b pair) bool { return bytes.Compare(a.key, b.key) < 0 }

// state is the committed contents at one position. Once published it never
// changes, so any number of goroutines read it. Only the commit section copies
// its tree, which writes a field of the tree that readers don't look at.
type state struct {
	pairs    *tree
	position kv.Position
	// superseded is closed when the next state is published.
	superseded chan struct{}
}

func newState() *state {
	return &state{
		pairs:      btree.NewBTreeGOptions(lessPair, btree.Options{NoLocks: true}),
		superseded: make(chan struct{}),
	}
}

// next returns a state that may be changed until it is published.
func (s *state) next(pos kv.Position) *state {
	return &state{pairs: s.pairs.Copy(), position: pos, superseded: make(chan struct{})}
}

// apply writes a set into an unpublished state: deleted ranges first, so that
// pending keys in them stay.
func (s *state) apply(set *writeset.Set) error {
	if err := set.AscendRanges(func(r kv.Range) error { s.drop(r); return nil }); err != nil {
		return err
	}
	return set.Ascend(func(key, value []byte, tombstone bool) error {
		if tombstone {
			s.pairs.Delete(pair{key: key})
		} else {
			s.pairs.Set(newPair(key, value))
		}
		return nil
	})
}

// drop removes the keys of r from an unpublished state.
func (s *state) drop(r kv.Range) {
	var doomed []pair
	s.pairs.Ascend(pair{key: r.Start}, func(p pair) bool {
		if !r.Contains(p.key) {
			return false
		}
		doomed = append(doomed, p)
		return true
	})
	for _, p := range doomed {
		s.pairs.Delete(p)
	}
}

func (s *state) get(key []byte) ([]byte, error) {
	p, ok := s.pairs.Get(pair{key: key})
	if !ok {
		return nil, kv.ErrNotFound
	}
	return append([]byte{}, p.value...), nil
}

// approximate estimates the bytes of r from its number of keys and some samples.
func (s *state) approximate(r kv.Range) uint64 {
	first := s.rank(r.Start)
	end := s.pairs.Len()
	if r.End != nil {
		end = s.rank(r.End)
	}
	n := end - first
	if n <= 0 {
		return 0
	}
	samples := min(n, approximationSamples)
	bytes := 0
	for i := range samples {
		p, _ := s.pairs.GetAt(first + i*n/samples)
		bytes += len(p.key) + len(p.value)
	}
	return uint64(bytes) * uint64(n) / uint64(samples)
}

// rank is the number of keys before key.
func (s *state) rank(key []byte) int {
	return sort.Search(s.pairs.Len(), func(i int) bool {
		p, _ := s.pairs.GetAt(i)
		return bytes.Compare(p.key, key) >= 0
	})
}

// scan walks a range of one state. It looks at ctx with every step.
type scan struct {
	ctx     context.Context
	store   *Store
	iter    btree.IterG[pair]
	bounds  kv.Range
	reverse bool
	started bool
	ended   bool
	err     error
}

func (s *state) scan(ctx context.Context, store *Store, r kv.Range, o kv.ScanOptions) *scan {
	return &scan{ctx: ctx, store: store, iter: s.pairs.Iter(), bounds: r, reverse: o.Reverse}
}

func (c *scan) Next() bool {
	if c.ended {
		return false
	}
	c.ended = true
	if c.err = c.store.readable(c.ctx); c.err != nil {
		return false
	}
	if !c.step() || !c.bounds.Contains(c.iter.Item().key) {
		return false
	}
	c.ended = false
	c.store.counts.keysScanned.Add(1)
	return true
}

// step moves the tree's iterator to the next key, from outside the bounds to
// their first.
func (c *scan) step() bool {
	switch {
	case c.started && c.reverse:
		return c.iter.Prev()
	case c.started:
		return c.iter.Next()
	}
	c.started = true
	c.store.counts.seeks.Add(1)
	if !c.reverse {
		return c.iter.Seek(pair{key: c.bounds.Start})
	}
	if c.bounds.End == nil || !c.iter.Seek(pair{key: c.bounds.End}) {
		return c.iter.Last()
	}
	return c.iter.Prev() // from the first key that is not before the end
}

func (c *scan) SeekTo(r kv.Range) {
	c.bounds, c.started, c.ended, c.err = r, false, false, nil
}

func (c *scan) Key() []byte            { return c.iter.Item().key }
func (c *scan) Value() ([]byte, error) { return c.iter.Item().value, nil }
func (c *scan) Err() error             { return c.err }
func (c *scan) Close() error           { c.ended = true; return nil }

// failed is the iterator of a scan that could not begin.
type failed struct{ err error }

func (f failed) Next() bool             { return false }
func (f failed) SeekTo(kv.Range)        {}
func (f failed) Key() []byte            { return nil }
func (f failed) Value() ([]byte, error) { return nil, f.err }
func (f failed) Err() error             { return f.err }
func (f failed) Close() error           { return nil }
