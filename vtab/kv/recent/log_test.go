package recent

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/vtab/kv"
	"github.com/freshetdb/freshet/vtab/kv/writeset"
)

func key(n int) []byte { return fmt.Appendf(nil, "%04d", n) }

// changesOf are those of a commit that wrote some keys, half of them by its hook.
func changesOf(keys ...int) *Changes {
	var set writeset.Set
	for _, k := range keys[:len(keys)/2] {
		set.Put(key(k), nil)
	}
	c := NewChanges(&set)
	for _, k := range keys[len(keys)/2:] {
		c.Add(key(k))
	}
	return c
}

// Validate finds a conflict exactly if a commit after a read changed a key of it,
// whichever of the two is the larger, in one step or in two.
func TestValidateAgainstModel(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	conflicts := 0
	for range 600 {
		var l Log
		w := l.Watch(0)
		var reads kv.ReadSet
		type read struct {
			from, to int
			at       kv.Position
		}
		var model []read
		for range 1 + random.IntN(8) {
			r := read{from: random.IntN(1000), at: kv.Position(random.IntN(10))}
			r.to = r.from + 1 + random.IntN(3)
			model = append(model, r)
			reads.AddLatest(kv.Range{Start: key(r.from), End: key(r.to)}, r.at)
		}
		want := false
		since, _ := reads.Since()
		var through kv.Position
		var err error
		for pos := kv.Position(1); pos <= 10; pos++ {
			keys := random.Perm(1000)[:1+random.IntN(30)]
			l.Append(changesOf(keys...), pos)
			for _, k := range keys {
				for _, r := range model {
					want = want || k >= r.from && k < r.to && r.at < pos
				}
			}
			if pos == 5 && !want {
				through, err = l.Validate(&reads, 0)
				require.NoError(t, err)
				require.Equal(t, max(since, pos), through)
			}
		}
		_, err = l.Validate(&reads, through)
		var conflict *kv.ConflictError
		require.Equal(t, want, errors.As(err, &conflict), "%v", err)
		if want {
			conflicts++
			require.NotNil(t, conflict.Key)
		}
		w.End()
		require.Zero(t, l.Bytes())
	}
	require.Greater(t, conflicts, 30)
	require.Less(t, conflicts, 570)
}

func TestRemovedRange(t *testing.T) {
	var l Log
	defer l.Watch(0).End()
	var reads kv.ReadSet
	reads.AddSnapshot(kv.PointRange(key(5)), 0)
	var set writeset.Set
	set.DeleteRange(kv.Range{Start: key(6), End: key(9)})
	l.Append(NewChanges(&set), 1)
	_, err := l.Validate(&reads, 0)
	require.NoError(t, err)
	c := NewChanges(&writeset.Set{})
	c.AddRange(kv.Range{Start: key(1), End: key(6)})
	l.Append(c, 2)
	_, err = l.Validate(&reads, 0)
	require.Error(t, err)
}

// The log keeps what the oldest watcher needs and no more, and nothing without one.
func TestLogForgets(t *testing.T) {
	var l Log
	require.False(t, l.Watched())
	l.Append(changesOf(1), 1)
	require.Zero(t, l.Bytes())
	a := l.Watch(1)
	require.True(t, l.Watched())
	l.Append(changesOf(2), 2)
	b := l.Watch(2)
	l.Append(changesOf(3), 3)
	require.Len(t, l.commits, 2)
	b.End()
	b.End()
	require.Len(t, l.commits, 2, "a needs them")
	c := l.Watch(3)
	a.End()
	require.Empty(t, l.commits)
	require.Equal(t, kv.Position(3), l.from)
	l.Append(changesOf(4), 4)
	require.Len(t, l.commits, 1)
	c.End()
	require.Zero(t, l.Bytes())
	require.False(t, l.Watched())
	l.Append(changesOf(5), 5)
	require.Zero(t, l.Bytes())
}

// A transaction that is older than what the bound has left fails.
func TestLogIsBounded(t *testing.T) {
	l := Log{maxBytes: 3000}
	defer l.Watch(0).End()
	var old, young kv.ReadSet
	old.AddSnapshot(kv.PointRange(key(9999)), 0)
	young.AddSnapshot(kv.PointRange(key(9999)), 90)
	for pos := kv.Position(1); pos <= 100; pos++ {
		l.Append(changesOf(int(pos)), pos)
		require.LessOrEqual(t, l.Bytes(), 3000)
	}
	_, err := l.Validate(&old, 0)
	var conflict *kv.ConflictError
	require.ErrorAs(t, err, &conflict)
	require.True(t, conflict.TooOld)
	_, err = l.Validate(&young, 0)
	require.NoError(t, err)
	l.Append(changesOf(make([]int, 1000)...), 101)
	require.Zero(t, l.Bytes(), "one that alone is too large is forgotten at once")
	_, err = l.Validate(&young, 100)
	require.ErrorAs(t, err, &conflict)
	require.True(t, conflict.TooOld)
}
