package recent

import (
	"bytes"
	"slices"
	"sort"

	"github.com/freshetdb/freshet/vtab/kv"
	"github.com/freshetdb/freshet/vtab/kv/writeset"
)

// Changes are the keys that one commit changes: sorted, in one piece of memory. It
// is built by one goroutine, and read by any number once it is in a Log.
type Changes struct {
	position kv.Position
	data     []byte
	ends     []int // of the keys in data
	ranges   []kv.Range
	unsorted bool
}

// changesOverhead is about what Changes take besides their keys.
const changesOverhead = 96

// NewChanges are those of a transaction's own writes.
func NewChanges(set *writeset.Set) *Changes {
	c := &Changes{ends: make([]int, 0, set.Len())}
	// The callbacks return no error, so neither call does.
	_ = set.Ascend(func(key, _ []byte, _ bool) error {
		c.data = append(c.data, key...)
		c.ends = append(c.ends, len(c.data))
		return nil
	})
	_ = set.AscendRanges(func(r kv.Range) error {
		c.AddRange(r)
		return nil
	})
	return c
}

// Add adds a key that the commit's hook changes.
func (c *Changes) Add(key []byte) {
	c.data = append(c.data, key...)
	c.ends = append(c.ends, len(c.data))
	c.unsorted = true
}

// AddRange adds a range that the commit removes.
func (c *Changes) AddRange(r kv.Range) {
	c.ranges = append(c.ranges, kv.Range{Start: bytes.Clone(r.Start), End: bytes.Clone(r.End)})
}

func (c *Changes) len() int { return len(c.ends) }

func (c *Changes) key(i int) []byte {
	start := 0
	if i > 0 {
		start = c.ends[i-1]
	}
	return c.data[start:c.ends[i]]
}

// size is about how many bytes c takes.
func (c *Changes) size() int { return changesOverhead + len(c.data) + 8*len(c.ends) + 64*len(c.ranges) }

// seal sorts the keys, and says which commit they are of.
func (c *Changes) seal(pos kv.Position) {
	c.position = pos
	if !c.unsorted {
		return
	}
	keys := make([][]byte, c.len())
	for i := range keys {
		keys[i] = c.key(i)
	}
	slices.SortFunc(keys, bytes.Compare)
	data, ends := make([]byte, 0, len(c.data)), make([]int, 0, len(keys))
	for _, key := range keys {
		data = append(data, key...)
		ends = append(ends, len(data))
	}
	c.data, c.ends, c.unsorted = data, ends, false
}

// conflict returns a key that the commit changes and reads has read before it. The
// shorter of the two is walked, the longer probed.
func (c *Changes) conflict(reads *kv.ReadSet) (key []byte, found bool) {
	for _, r := range c.ranges {
		if reads.RangeChanged(r, c.position) {
			return r.Start, true
		}
	}
	if c.len() <= reads.Len() {
		for i := range c.len() {
			if reads.Changed(c.key(i), c.position) {
				return c.key(i), true
			}
		}
		return nil, false
	}
	reads.Older(c.position, func(r kv.Range) bool {
		for i := c.seek(r.Start); i < c.len() && r.Contains(c.key(i)); i++ {
			if reads.Changed(c.key(i), c.position) {
				key, found = c.key(i), true
				return false
			}
		}
		return true
	})
	return key, found
}

// seek returns the place of the first key at or behind start.
func (c *Changes) seek(start []byte) int {
	return sort.Search(c.len(), func(i int) bool { return bytes.Compare(c.key(i), start) >= 0 })
}
