package locks

import (
	"bytes"
	"hash/maphash"
	"sync"
	"sync/atomic"
	"time"

	"github.com/freshetdb/freshet/vtab/kv"
)

const (
	// shardCount spreads keys over mutexes. 64 keeps the chance that two of a
	// few dozen sessions meet in one shard small at a few kilobytes in total.
	shardCount = 64

	// spareMax bounds the entries, and the holds, that a shard keeps for reuse:
	// enough for the locks of ordinary transactions, and less than a megabyte
	// over all shards after a huge one.
	spareMax = 64

	// spareKeyBytesMax is the largest key buffer a spare entry keeps.
	spareKeyBytesMax = 256

	// bucketsMin is the hash table of a shard that is (nearly) idle.
	bucketsMin = 16

	// lockBytes is what one lock costs beside its key: entry, bucket and the
	// owner's list.
	lockBytes = 160

	// MaxOwnerBytes caps the memory of one owner's locks (kv.LockTooMany): about
	// 2.9 million locks on keys of 24 bytes. A transaction that wants more
	// wants a table lock; more than this would crowd out the block cache.
	MaxOwnerBytes = 512 << 20
)

// Table is a lock table. All methods are safe for concurrent use.
type Table struct {
	seed   maphash.Seed
	start  time.Time
	lastID atomic.Uint64

	// detect is held while a request joins a queue and looks for a ring. It
	// comes before any shard's mutex and makes waits begin one after the other,
	// which is what the search relies on (see the package comment).
	detect sync.Mutex
	// seq numbers requests in the order in which they joined; guarded by detect.
	seq uint64

	deadlock atomic.Pointer[kv.Deadlock] // the last one
	counts   counts

	// ownerBytesMax is MaxOwnerBytes; tests lower it.
	ownerBytesMax int64

	shards [shardCount]shard
}

// New returns an empty lock table.
func New() *Table {
	t := &Table{seed: maphash.MakeSeed(), start: time.Now(), ownerBytesMax: MaxOwnerBytes}
	for i := range t.shards {
		t.shards[i].buckets = make([]*entry, bucketsMin)
	}
	return t
}

// locate returns the hash of key and its shard.
func (t *Table) locate(key []byte) (uint64, *shard) {
	h := maphash.Bytes(t.seed, key)
	return h, &t.shards[h%shardCount]
}

// clock is the age of the table, the time base of holds and waits.
func (t *Table) clock() time.Duration { return time.Since(t.start) }

// entry is the state of one key that is held or waited for. The shard's mutex
// guards all of it.
type entry struct {
	key     []byte
	chain   *entry  // next in the bucket
	holders *hold   // doubly linked, in no order
	granted modeSet // union over holders
	queue   queue
	// inline is the hold of the first holder; most keys never have a second.
	// It is free if its owner is nil. Holds never move: owners point at them.
	inline hold
}

// hold is one owner's hold on one key. Its modes change under the shard's
// mutex, by the owner itself or by whoever grants to the owner while that
// waits; so the owner reads them without the mutex.
type hold struct {
	owner      *Owner
	entry      *entry
	prev, next *hold // other holds of the entry; next also links spares
	since      time.Duration
	slot       uint32 // index in owner.held
	modes      modeSet
}

// idle reports whether nobody holds or waits for the key.
func (e *entry) idle() bool { return e.holders == nil && e.queue.head == nil }

// regrade recomputes the union of granted modes after a hold went away. The
// union can only shrink, so the walk ends as soon as it is whole again.
func (e *entry) regrade() {
	var g modeSet
	for h := e.holders; h != nil && g != e.granted; h = h.next {
		g |= h.modes
	}
	e.granted = g
}

// shard is one part of the table: a chained hash table of entries.
type shard struct {
	mu         sync.Mutex
	buckets    []*entry // a power of two of them
	entries    int
	holds      int
	spares     *entry // linked by chain
	spareCount int
	spareHolds *hold // linked by next
	spareHoldN int
	_          [40]byte // shards on cache lines of their own
}

// bucket picks the chain of a hash; the low bits chose the shard already.
func (s *shard) bucket(hash uint64) **entry {
	return &s.buckets[(hash/shardCount)&uint64(len(s.buckets)-1)]
}

// find returns the entry of key or nil.
func (s *shard) find(hash uint64, key []byte) *entry {
	for e := *s.bucket(hash); e != nil; e = e.chain {
		if bytes.Equal(e.key, key) {
			return e
		}
	}
	return nil
}

// add makes an entry for a key that has none. The key is copied.
func (s *shard) add(t *Table, hash uint64, key []byte) *entry {
	if s.entries >= len(s.buckets) {
		s.rehash(t, 2*len(s.buckets))
	}
	e := s.spares
	if e != nil {
		s.spares, e.chain = e.chain, nil
		s.spareCount--
	} else {
		e = new(entry)
	}
	e.key = append(e.key[:0], key...)
	b := s.bucket(hash)
	e.chain, *b = *b, e
	s.entries++
	return e
}

// remove drops an idle entry, and the large hash table of a shard that has
// become empty.
func (s *shard) remove(hash uint64, e *entry) {
	p := s.bucket(hash)
	for *p != e {
		p = &(*p).chain
	}
	*p = e.chain
	s.entries--
	if s.entries == 0 && len(s.buckets) > 64*bucketsMin {
		s.buckets = make([]*entry, bucketsMin)
	}
	e.chain = nil
	if s.spareCount < spareMax && cap(e.key) <= spareKeyBytesMax {
		e.chain, s.spares = s.spares, e
		s.spareCount++
	}
}

// rehash moves all entries to a table of n buckets.
func (s *shard) rehash(t *Table, n int) {
	old := s.buckets
	s.buckets = make([]*entry, n)
	for _, e := range old {
		for e != nil {
			next := e.chain
			b := s.bucket(maphash.Bytes(t.seed, e.key))
			e.chain, *b = *b, e
			e = next
		}
	}
}

// link gives o a hold on e in mode set m.
func (s *shard) link(t *Table, e *entry, o *Owner, m modeSet) *hold {
	h := &e.inline
	if h.owner != nil {
		if h = s.spareHolds; h != nil {
			s.spareHolds = h.next
			s.spareHoldN--
		} else {
			h = new(hold)
		}
	}
	*h = hold{owner: o, entry: e, next: e.holders, since: t.clock(), modes: m}
	if h.next != nil {
		h.next.prev = h
	}
	e.holders = h
	e.granted |= m
	s.holds++
	return h
}

// unlink takes a hold away and puts it back into stock.
func (s *shard) unlink(h *hold) {
	e := h.entry
	if h.prev != nil {
		h.prev.next = h.next
	} else {
		e.holders = h.next
	}
	if h.next != nil {
		h.next.prev = h.prev
	}
	inline := h == &e.inline
	*h = hold{}
	if !inline && s.spareHoldN < spareMax {
		h.next, s.spareHolds = s.spareHolds, h
		s.spareHoldN++
	}
	e.regrade()
	s.holds--
}
