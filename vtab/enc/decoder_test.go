package enc

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// A Decoder gives what Layout.Decode gives, row after row, and the values stay
// what they are when later rows are read and memory is collected.
func TestDecoderMatchesDecode(t *testing.T) {
	ctx := context.Background()
	var ts []sql.Type
	var gens []*rapid.Generator[any]
	for _, s := range samples() {
		ts, gens = append(ts, s.typ), append(gens, orNull(s.gen))
	}
	l, err := NewLayout(1, ts)
	require.NoError(t, err)
	var cols, to []int
	for i := range ts {
		if i%7 != 3 {
			cols, to = append(cols, i), append(to, len(to))
		}
	}
	d := l.NewDecoder(cols, to)
	var want, got [][]any
	for seed := range 200 {
		vals := make([]any, len(ts))
		for i, gen := range gens {
			vals[i] = gen.Example(seed)
		}
		row, err := l.Append(ctx, nil, vals)
		require.NoError(t, err)
		dst := make([]any, len(cols))
		require.NoError(t, d.Decode(row, dst))
		clear(row)
		want, got = append(want, vals), append(got, dst)
		if seed%50 == 0 {
			runtime.GC()
		}
	}
	runtime.GC()
	for n := range want {
		for k, col := range cols {
			requireSame(t, ctx, ts[col], want[n][col], got[n][to[k]])
		}
	}
	require.Equal(t, uint64(200*len(cols)), l.Decoded())
	require.ErrorIs(t, d.Decode([]byte{8}, nil), ErrCorrupt)
}

// Values from a slab are ordinary values.
func TestSlabBox(t *testing.T) {
	var s slab[string]
	var n slab[int64]
	seen := map[any]int{}
	for i := range 500 {
		v, w := s.box(fmt.Sprint(i)), n.box(int64(i))
		seen[v] = i
		require.Equal(t, fmt.Sprint(i), v)
		require.Equal(t, any(int64(i)), w)
	}
	require.Equal(t, 7, seen["7"])
	require.Len(t, seen, 500)
}
