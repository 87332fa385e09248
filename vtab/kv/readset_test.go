package kv

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// keyOf is a key of one of two objects.
func keyOf(n int) []byte {
	return fmt.Appendf(AppendPrefix(nil, SpaceRow, uint32(n/100)), "%02d", n%100)
}

// A ReadSet answers as a list of all that was read would, key by key, and is as
// exact as long as it is within its bounds.
func TestReadSetAgainstModel(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	const keys, rounds = 200, 15
	for range rounds {
		var s ReadSet
		type read struct {
			from, to int
			at       Position
			latest   bool
		}
		var reads []read
		settled := map[int]Position{}
		for range 1 + random.IntN(200) {
			r := read{from: random.IntN(keys), at: Position(1 + random.IntN(20)), latest: random.IntN(2) == 0}
			r.to = min(keys, r.from+1+random.IntN(30))
			if !r.latest {
				r.at = 7
			}
			span := Range{Start: keyOf(r.from), End: keyOf(r.to - 1)}
			span.End = append(span.End, 0)
			if r.to == keys && random.IntN(2) == 0 {
				span.End = nil
			}
			if k := r.from + random.IntN(r.to-r.from); r.latest && random.IntN(3) == 0 {
				at := Position(1 + random.IntN(20))
				s.Settle(keyOf(k), at)
				_, known := settled[k]
				if !known && !slices.ContainsFunc(reads, func(r read) bool { return r.latest && k >= r.from && k < r.to }) {
					settled[k] = at
				}
			}
			reads = append(reads, r)
			if r.latest {
				s.AddLatest(span, r.at)
			} else {
				s.AddSnapshot(span, r.at)
			}
		}
		for k := range keys {
			for pos := Position(0); pos < 25; pos++ {
				want := false
				for _, r := range reads {
					if k < r.from || k >= r.to || r.at >= pos {
						continue
					}
					if at, ok := settled[k]; r.latest && ok && at >= pos {
						continue
					}
					want = true
				}
				require.Equal(t, want, s.Changed(keyOf(k), pos), "key %d at %d of %v settled %v", k, pos, reads, settled)
			}
		}
	}
}

// Beyond its bounds a ReadSet covers more than was read, never less, and stays in
// them.
func TestReadSetIsBounded(t *testing.T) {
	var s ReadSet
	const n = 5 * MaxReadRanges
	for i := range n {
		s.AddLatest(PointRange(fmt.Appendf(AppendPrefix(nil, SpaceIndex, 9), "%08d", 2*i)), Position(i))
		if i%1000 == 0 {
			s.Settle(fmt.Appendf(nil, "%d", i), 1)
		}
	}
	for i := range n {
		require.True(t, s.Changed(fmt.Appendf(AppendPrefix(nil, SpaceIndex, 9), "%08d", 2*i), Position(i+1)))
	}
	require.LessOrEqual(t, s.Len(), MaxReadRanges)
	require.False(t, s.Changed(AppendPrefix(nil, SpaceIndex, 10), n))
	for i := range 2 * MaxReadSettled {
		s.Settle(fmt.Appendf(nil, "key %d", i), 1)
	}
	require.Len(t, s.settled, MaxReadSettled)

	var long ReadSet
	for i := range 2000 {
		long.AddSnapshot(PointRange(append(keyOf(i%100), fmt.Appendf(nil, "%03000d", i)...)), 1)
	}
	long.Len()
	require.LessOrEqual(t, long.snapshot.bytes, MaxReadBytes)
}

func TestOverlap(t *testing.T) {
	r := func(a, b string) Range {
		if b == "" {
			return Range{Start: []byte(a)}
		}
		return Range{Start: []byte(a), End: []byte(b)}
	}
	for _, c := range []struct {
		a, b Range
		want bool
	}{
		{r("a", "c"), r("b", "d"), true}, {r("a", "b"), r("b", "c"), false}, {r("b", "c"), r("a", "b"), false},
		{r("a", ""), r("z", ""), true}, {r("m", ""), r("a", "m"), false}, {r("m", ""), r("a", "n"), true}, {r("a", "z"), r("b", "c"), true},
	} {
		require.Equal(t, c.want, Overlap(c.a, c.b), "%q %q", c.a, c.b)
		require.Equal(t, c.want, Overlap(c.b, c.a), "%q %q", c.b, c.a)
	}
}

// What a look-up by key costs a transaction that remembers it.
func BenchmarkReadSetPoint(b *testing.B) {
	var s ReadSet
	for i := range b.N {
		s.AddSnapshot(PointRange(keyOf(i*7919%100000)), 5)
	}
}
