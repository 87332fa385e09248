package writeset

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"sort"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/freshetdb/freshet/vtab/kv"
)

// sliceIterator is a base over sorted pairs; it fails before the key failAt.
type sliceIterator struct {
	keys, values []string
	reverse      bool
	lo, hi, at   int
	failAt       string
	err          error
	closed       bool
}

var errTorn = errors.New("torn")

func newBase(content map[string]string, r kv.Range, reverse bool) *sliceIterator {
	it := &sliceIterator{reverse: reverse}
	for k := range content {
		it.keys = append(it.keys, k)
	}
	sort.Strings(it.keys)
	for _, k := range it.keys {
		it.values = append(it.values, content[k])
	}
	it.SeekTo(r)
	return it
}

func (s *sliceIterator) SeekTo(r kv.Range) {
	s.lo = sort.SearchStrings(s.keys, string(r.Start))
	s.hi = len(s.keys)
	if r.End != nil {
		s.hi = max(s.lo, sort.SearchStrings(s.keys, string(r.End)))
	}
	s.at = s.lo - 1
	if s.reverse {
		s.at = s.hi
	}
	s.err = nil
}

func (s *sliceIterator) Next() bool {
	if s.err != nil {
		return false
	}
	if s.reverse {
		s.at = max(s.at-1, s.lo-1)
	} else {
		s.at = min(s.at+1, s.hi)
	}
	if s.at < s.lo || s.at >= s.hi {
		return false
	}
	if s.failAt != "" && s.keys[s.at] == s.failAt {
		s.err = errTorn
		return false
	}
	return true
}
func (s *sliceIterator) Key() []byte            { return []byte(s.keys[s.at]) }
func (s *sliceIterator) Value() ([]byte, error) { return []byte(s.values[s.at]), nil }
func (s *sliceIterator) Err() error             { return s.err }
func (s *sliceIterator) Close() error           { s.closed = true; return nil }

// model is the naive equivalent of a set: what is written, and the ranges.
type model struct {
	writes map[string]*string // nil is a tombstone
	ranges []kv.Range
}

func (m model) clone() model {
	c := model{writes: map[string]*string{}, ranges: slices.Clone(m.ranges)}
	for k, v := range m.writes {
		c.writes[k] = v
	}
	return c
}

func (m model) hidden(key string) bool {
	return slices.ContainsFunc(m.ranges, func(r kv.Range) bool { return r.Contains([]byte(key)) })
}

// over lays the model over base and returns the pairs of r in order.
func (m model) over(base map[string]string, r kv.Range, reverse bool) []string {
	result := map[string]string{}
	for k, v := range base {
		if !m.hidden(k) {
			result[k] = v
		}
	}
	for k, v := range m.writes {
		if v == nil {
			delete(result, k)
		} else {
			result[k] = *v
		}
	}
	pairs := []string{}
	for k, v := range result {
		if r.Contains([]byte(k)) {
			pairs = append(pairs, k+"="+v)
		}
	}
	sort.Strings(pairs)
	if reverse {
		slices.Reverse(pairs)
	}
	return pairs
}

func collect(t require.TestingT, it kv.Iterator) []string {
	pairs := []string{}
	for it.Next() {
		v, err := it.Value()
		require.NoError(t, err)
		pairs = append(pairs, fmt.Sprintf("%s=%s", it.Key(), v))
	}
	require.NoError(t, it.Err())
	require.False(t, it.Next(), "an ended iterator stays ended")
	return pairs
}

var (
	genKey   = rapid.StringMatching(`[a-d]{1,2}`)
	genRange = rapid.Custom(func(t *rapid.T) kv.Range {
		r := kv.Range{Start: []byte(rapid.StringMatching(`[a-d]{0,2}`).Draw(t, "start"))}
		if rapid.IntRange(0, 3).Draw(t, "bounded") > 0 {
			r.End = []byte(rapid.StringMatching(`[a-e]{1,2}`).Draw(t, "end"))
		}
		return r
	})
)

// TestSetAgainstModel: INV-KV-1. Any history of writes, savepoints and
// rollbacks leaves the set, all its marks, and all merges through them equal to
// the naive model.
func TestSetAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := rapid.MapOfN(genKey, rapid.StringMatching(`[x-z]`), 0, 12).Draw(t, "base")
		var set Set
		now := model{writes: map[string]*string{}}
		type moment struct {
			mark *Mark
			then model
		}
		var moments []moment
		mergeAt := func(t *rapid.T, mark *Mark, m model) {
			r, reverse := genRange.Draw(t, "range"), rapid.Bool().Draw(t, "reverse")
			it := Merge(newBase(base, r, reverse), mark, r, reverse)
			require.Equal(t, m.over(base, r, reverse), collect(t, it))
			next := genRange.Draw(t, "seek")
			it.SeekTo(next)
			if rapid.Bool().Draw(t, "break off") {
				it.Next()
				it.SeekTo(next)
			}
			require.Equal(t, m.over(base, next, reverse), collect(t, it))
		}
		t.Repeat(map[string]func(*rapid.T){
			"put": func(t *rapid.T) {
				k, v := genKey.Draw(t, "key"), rapid.StringMatching(`[p-r]{0,3}`).Draw(t, "value")
				set.Put([]byte(k), []byte(v))
				now.writes[k] = &v
			},
			"delete": func(t *rapid.T) {
				k := genKey.Draw(t, "key")
				set.Delete([]byte(k))
				now.writes[k] = nil
			},
			"deleteRange": func(t *rapid.T) {
				r := genRange.Draw(t, "range")
				set.DeleteRange(r)
				now.ranges = append(now.ranges, r)
			},
			"savepoint": func(t *rapid.T) {
				moments = append(moments, moment{set.Savepoint(), now.clone()})
			},
			"rollbackTo": func(t *rapid.T) {
				if len(moments) == 0 {
					t.Skip()
				}
				i := rapid.IntRange(0, len(moments)-1).Draw(t, "moment")
				set.RollbackTo(moments[i].mark)
				now = moments[i].then.clone()
				moments = moments[:i+1]
			},
			"merge": func(t *rapid.T) { mergeAt(t, set.Savepoint(), now) },
			"mergeMark": func(t *rapid.T) {
				if len(moments) == 0 {
					t.Skip()
				}
				m := rapid.SampledFrom(moments).Draw(t, "moment")
				mergeAt(t, m.mark, m.then)
			},
			"": func(t *rapid.T) { requireSame(t, &set, now) },
		})
	})
}

func requireSame(t require.TestingT, set *Set, m model) {
	size := int64(0)
	for k, v := range m.writes {
		got, state := set.Get([]byte(k))
		size += int64(len(k))
		if v == nil {
			require.Equal(t, Deleted, state)
			continue
		}
		size += int64(len(*v))
		require.Equal(t, Present, state)
		require.Equal(t, *v, string(got))
	}
	var previous *kv.Range
	require.NoError(t, set.AscendRanges(func(r kv.Range) error {
		size += int64(len(r.Start) + len(r.End))
		if previous != nil {
			require.NotNil(t, previous.End)
			require.Negative(t, bytes.Compare(previous.End, r.Start), "ranges are disjoint and apart")
		}
		previous = &r
		return nil
	}))
	require.Equal(t, size, set.Size())
	require.Equal(t, len(m.writes), set.Len())
	for _, k := range []string{"a", "aa", "b", "bd", "c", "ca", "d", "dd"} {
		if _, written := m.writes[k]; !written {
			_, state := set.Get([]byte(k))
			require.Equal(t, m.hidden(k), state == Deleted, k)
		}
	}
	n := 0
	require.NoError(t, set.Ascend(func(key, value []byte, tombstone bool) error {
		n++
		require.Equal(t, m.writes[string(key)] == nil, tombstone)
		return nil
	}))
	require.Equal(t, set.Len(), n)
}

func TestManyKeysSurviveNestedSavepoints(t *testing.T) {
	const n = 20_000
	key := func(i int) []byte { return fmt.Appendf(nil, "%08d", i*7919%n) }
	var set Set
	for i := range n {
		set.Put(key(i), []byte("first"))
	}
	first := set.Savepoint()
	for i := range n {
		if i%2 == 0 {
			set.Delete(key(i))
		} else {
			set.Put(key(i), []byte("second"))
		}
	}
	second := set.Savepoint()
	for i := range n {
		set.Put(key(i), []byte("third"))
	}
	count := func(m *Mark, want string) (live int) {
		require.NoError(t, m.Ascend(func(_, v []byte, tombstone bool) error {
			if !tombstone {
				require.Equal(t, want, string(v))
				live++
			}
			return nil
		}))
		return live
	}
	require.Equal(t, n, count(&set.live, "third"))
	require.Equal(t, n/2, count(second, "second"))
	set.RollbackTo(second)
	require.Equal(t, n/2, count(&set.live, "second"))
	set.RollbackTo(first)
	require.Equal(t, n, count(&set.live, "first"))
	require.Equal(t, int64(n*(8+5)), set.Size())
}

func TestBytesAreCopied(t *testing.T) {
	var set Set
	k, v := []byte("k"), []byte("v")
	set.Put(k, v)
	k[0], v[0] = 'x', 'x'
	got, state := set.Get([]byte("k"))
	require.Equal(t, Present, state)
	require.Equal(t, "v", string(got))

	r := kv.Range{Start: []byte("m"), End: []byte("n")}
	set.DeleteRange(r)
	r.Start[0], r.End[0] = 'x', 'y'
	_, state = set.Get([]byte("m"))
	require.Equal(t, Deleted, state)
}

// A base that fails must fail the merge at that place: own keys behind it would
// look like a whole result.
func TestMergeStopsWhereTheBaseFails(t *testing.T) {
	for _, reverse := range []bool{false, true} {
		base := newBase(map[string]string{"a": "1", "c": "1", "e": "1"}, kv.Range{}, reverse)
		base.failAt = "c"
		var set Set
		set.Put([]byte("b"), nil)
		set.Put([]byte("d"), nil)
		it := Merge(base, set.Savepoint(), kv.Range{}, reverse)
		require.True(t, it.Next())
		require.False(t, it.Next())
		require.ErrorIs(t, it.Err(), errTorn)
		require.False(t, it.Next())
		require.ErrorIs(t, it.Err(), errTorn)
		require.NoError(t, it.Close())
		require.True(t, base.closed)
	}
}

func TestEmptySetCostsNothing(t *testing.T) {
	base, key := newBase(nil, kv.Range{}, false), []byte("k")
	var set Set
	require.Zero(t, testing.AllocsPerRun(100, func() {
		m := set.Savepoint()
		set.RollbackTo(m)
		if _, state := set.Get(key); state != Unknown || !set.Empty() {
			t.Fatal("not empty")
		}
		if Merge(base, m, kv.Range{}, false) != kv.Iterator(base) {
			t.Fatal("a merge over nothing must be the base itself")
		}
	}))
	set.Put([]byte("k"), nil)
	require.Same(t, set.Savepoint(), set.Savepoint(), "an unchanged set has one mark")
}

func TestRollbackKeepsTheMark(t *testing.T) {
	var set Set
	set.Put([]byte("a"), []byte("1"))
	m := set.Savepoint()
	for range 3 {
		set.Put([]byte("a"), []byte("2"))
		set.Put([]byte("b"), []byte("2"))
		set.RollbackTo(m)
		require.Equal(t, 1, set.Len())
		v, _ := set.Get([]byte("a"))
		require.Equal(t, "1", string(v))
		v, _ = m.Get([]byte("a"))
		require.Equal(t, "1", string(v))
	}
}

func BenchmarkPut(b *testing.B) {
	for _, n := range []int{1, 100, 100_000} {
		b.Run(fmt.Sprintf("keys=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			value := make([]byte, 64)
			for i := 0; i < b.N; {
				var set Set
				for j := 0; j < n && i < b.N; j, i = j+1, i+1 {
					set.Put(fmt.Appendf(nil, "key-%012d", j), value)
				}
			}
		})
	}
}

func BenchmarkSavepointThenPut(b *testing.B) {
	var set Set
	for j := range 100_000 {
		set.Put(fmt.Appendf(nil, "key-%012d", j), nil)
	}
	b.ReportAllocs()
	key := []byte("key-000000050000")
	for b.Loop() {
		set.Savepoint()
		set.Put(key, nil)
	}
}
