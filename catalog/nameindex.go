package catalog

import "github.com/cespare/xxhash/v2"

// indexFanout is the width of both levels of a nameIndex. Two levels of 64 hold
// 10,000 names with two or three in a bucket; a change copies about a kilobyte.
const indexFanout = 64

// nameIndex finds entries by name in constant time. It is immutable: with
// returns a changed copy that shares all but the path to the changed bucket. The
// tree of names keeps the same entries in order; this index exists because a
// look-up in that tree costs several times as much, and every statement makes some.
type nameIndex struct {
	top [indexFanout]*indexNode
}

type indexNode [indexFanout][]indexed

// indexed is one name and its holder.
type indexed struct {
	hash uint64
	nameKey
	item *item
}

// nameKey is what makes a name unique.
type nameKey struct {
	space  Kind
	parent ID
	name   string // folded
}

// hash mixes all parts; the multiplier is the 64-bit golden ratio, which spreads
// small numbers over the high bits.
func (k nameKey) hash() uint64 {
	const golden = 0x9e3779b97f4a7c15
	return xxhash.Sum64String(k.name) ^ (uint64(k.parent)<<8|uint64(k.space))*golden
}

func slots(hash uint64) (high, low int) {
	return int(hash >> 58), int(hash >> 52 % indexFanout)
}

// get returns the holder of a name, nil if there is none.
func (x *nameIndex) get(k nameKey) *item {
	hash := k.hash()
	high, low := slots(hash)
	if x.top[high] == nil {
		return nil
	}
	for i := range x.top[high][low] {
		if e := &x.top[high][low][i]; e.hash == hash && e.nameKey == k {
			return e.item
		}
	}
	return nil
}

// with returns an index in which k is held by it, or by nobody if it is nil.
func (x *nameIndex) with(k nameKey, it *item) *nameIndex {
	hash := k.hash()
	high, low := slots(hash)
	changed := *x
	node := &indexNode{}
	if x.top[high] != nil {
		*node = *x.top[high]
	}
	var bucket []indexed
	for _, e := range node[low] {
		if e.hash != hash || e.nameKey != k {
			bucket = append(bucket, e)
		}
	}
	if it != nil {
		bucket = append(bucket, indexed{hash: hash, nameKey: k, item: it})
	}
	node[low] = bucket
	changed.top[high] = node
	return &changed
}

// insert adds a free name in place. Only for an index that nobody else has seen
// and that shares nothing: what Open builds.
func (x *nameIndex) insert(k nameKey, it *item) {
	hash := k.hash()
	high, low := slots(hash)
	if x.top[high] == nil {
		x.top[high] = &indexNode{}
	}
	bucket := &x.top[high][low]
	*bucket = append(*bucket, indexed{hash: hash, nameKey: k, item: it})
}
