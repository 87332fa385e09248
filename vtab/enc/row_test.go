package enc

import (
	"bytes"
	"context"
	"math"
	"testing"

	"github.com/cockroachdb/apd/v3"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// requireSame demands the same Go type and the same value to the last detail:
// sign of zero, scale, spelling, SRID.
func requireSame(t require.TestingT, ctx context.Context, typ sql.Type, want, got any) {
	switch w := want.(type) {
	case float64:
		require.IsType(t, want, got)
		require.Equal(t, math.Float64bits(w), math.Float64bits(got.(float64)))
		return
	case float32:
		require.IsType(t, want, got)
		require.Equal(t, math.Float32bits(w), math.Float32bits(got.(float32)))
		return
	case *apd.Decimal:
		require.IsType(t, want, got)
		require.Equal(t, w.Text('f'), got.(*apd.Decimal).Text('f'))
		require.Equal(t, w.Exponent, got.(*apd.Decimal).Exponent)
		return
	case types.JSONDocument:
		require.IsType(t, want, got)
		require.Equal(t, w.String(), got.(types.JSONDocument).String())
		require.Equal(t, w.Val, got.(types.JSONDocument).Val)
		return
	case types.GeometryValue:
		require.IsType(t, want, got)
		require.Equal(t, w.Serialize(), got.(types.GeometryValue).Serialize())
		return
	}
	require.Equal(t, want, got)
}

// Rows give back exactly what was put in, for any choice of columns
// (ST-051; INV-ENC-5).
func TestRowRoundTrip(t *testing.T) {
	ctx := context.Background()
	all := samples()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 40).Draw(t, "columns")
		ts, vals := make([]sql.Type, n), make([]any, n)
		for i := range ts {
			s := all[rapid.IntRange(0, len(all)-1).Draw(t, "type")]
			ts[i], vals[i] = s.typ, orNull(s.gen).Draw(t, "v")
		}
		version := rapid.Uint32().Draw(t, "version")
		l, err := NewLayout(version, ts)
		require.NoError(t, err)
		prefix := []byte("prefix")
		row, err := l.Append(ctx, prefix, vals)
		require.NoError(t, err)
		require.Equal(t, "prefix", string(row[:6]))
		row = row[6:]
		got, err := RowVersion(row)
		require.NoError(t, err)
		require.Equal(t, version, got)

		var cols, to []int
		for i := range ts {
			if rapid.Bool().Draw(t, "asked") {
				cols, to = append(cols, i), append(to, n-1-i)
			}
		}
		for _, decode := range []func(context.Context, []byte, []int, []any, []int) error{l.Decode, l.DecodeShared} {
			dst := make([]any, n)
			for i := range dst {
				dst[i] = untouched{}
			}
			src := bytes.Clone(row)
			require.NoError(t, decode(ctx, src, cols, dst, to))
			for k, col := range cols {
				requireSame(t, ctx, ts[col], vals[col], dst[to[k]])
				dst[to[k]] = untouched{}
			}
			for i := range dst {
				require.Equal(t, untouched{}, dst[i])
			}
		}
	})
}

type untouched struct{}

// Equal bytes if and only if exactly the same value (INV-ENC-6).
func TestRowsAreCanonical(t *testing.T) {
	ctx := context.Background()
	for _, s := range samples() {
		t.Run(s.String(), func(t *testing.T) {
			l, err := NewLayout(1, []sql.Type{s.typ})
			require.NoError(t, err)
			rapid.Check(t, func(t *rapid.T) {
				a, b := orNull(s.gen).Draw(t, "a"), orNull(s.gen).Draw(t, "b")
				ra, err := l.Append(ctx, nil, []any{a})
				require.NoError(t, err)
				rb, err := l.Append(ctx, nil, []any{b})
				require.NoError(t, err)
				if bytes.Equal(ra, rb) {
					requireSame(t, ctx, s.typ, a, b)
				}
				dst := make([]any, 1)
				require.NoError(t, l.Decode(ctx, ra, []int{0}, dst, []int{0}))
				again, err := l.Append(ctx, nil, dst)
				require.NoError(t, err)
				require.Equal(t, ra, again)
			})
		})
	}
}

// Single values are exact and self-delimiting (INV-ENC-7).
func TestValueRoundTrip(t *testing.T) {
	ctx := context.Background()
	for _, s := range samples() {
		t.Run(s.String(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				v := orNull(s.gen).Draw(t, "v")
				tail := rapid.SliceOfN(rapid.Byte(), 0, 4).Draw(t, "tail")
				src, err := AppendValue(ctx, []byte{9}, s.typ, v)
				require.NoError(t, err)
				got, rest, err := DecodeValue(ctx, s.typ, append(src[1:], tail...))
				require.NoError(t, err)
				require.Equal(t, len(tail), len(rest))
				requireSame(t, ctx, s.typ, v, got)
			})
		})
	}
}

// ST-059: the counter counts the columns that were asked for.
func TestDecodedCounter(t *testing.T) {
	ctx := context.Background()
	ts, vals := make([]sql.Type, 60), make([]any, 60)
	for i := range ts {
		ts[i], vals[i] = types.Text, "x"
	}
	l, err := NewLayout(1, ts)
	require.NoError(t, err)
	row, err := l.Append(ctx, nil, vals)
	require.NoError(t, err)
	dst := make([]any, 1)
	require.NoError(t, l.Decode(ctx, row, []int{7}, dst, []int{0}))
	require.Equal(t, uint64(1), l.Decoded())
}

// ST-057: large values round-trip, over every width of the offset table.
func TestLargeRows(t *testing.T) {
	ctx := context.Background()
	l, err := NewLayout(300, []sql.Type{types.LongText, types.JSON, types.LongBlob, types.Int32})
	require.NoError(t, err)
	for _, size := range []int{0, 100, 127, 128, 250, 260, 40_000, 66_000, 16 << 20} {
		text := string(bytes.Repeat([]byte("x"), size))
		vals := []any{text, types.JSONDocument{Val: text}, []byte(text), int32(7)}
		row, err := l.Append(ctx, nil, vals)
		require.NoError(t, err)
		dst := make([]any, 4)
		require.NoError(t, l.Decode(ctx, row, []int{0, 1, 2, 3}, dst, []int{0, 1, 2, 3}))
		for i := range vals {
			require.True(t, assertEqual(vals[i], dst[i]), "column %d of size %d", i, size)
		}
		value, err := AppendValue(ctx, nil, types.LongText, text)
		require.NoError(t, err)
		got, rest, err := DecodeValue(ctx, types.LongText, value)
		require.NoError(t, err)
		require.Empty(t, rest)
		require.True(t, got == any(text))
	}
}

func assertEqual(a, b any) bool {
	if x, ok := a.([]byte); ok {
		return bytes.Equal(x, b.([]byte))
	}
	return a == b
}

// Values of a neighbouring Go type are converted or refused, never a panic.
func TestForeignValues(t *testing.T) {
	ctx := context.Background()
	foreign := []any{int64(5), uint8(5), 5.0, float32(5), "5", []byte("5"), true, apd.New(5, 0), types.Timespan(5),
		types.ZeroTime, int64(math.MaxInt64), uint64(math.MaxUint64), -1, math.NaN(), math.Inf(1), "x", struct{}{},
		types.JSONDocument{Val: 5.0}, types.Point{}, apd.New(1, 5000), &apd.Decimal{Form: apd.NaN}, make(chan int)}
	for _, s := range samples() {
		l, err := NewLayout(1, []sql.Type{s.typ})
		require.NoError(t, err)
		c := codec(t, KeyPart{Type: s.typ, Desc: true})
		for _, v := range foreign {
			row, err := l.Append(ctx, nil, []any{v})
			key, keyErr := c.Append(ctx, nil, 0, v)
			_, boundErr := c.AppendBound(ctx, nil, 0, v)
			for _, e := range []error{err, keyErr, boundErr} {
				var want *ValueError
				if e != nil {
					require.ErrorAs(t, e, &want, "%s %T %v", s, v, v)
				}
			}
			if err == nil {
				dst := make([]any, 1)
				require.NoError(t, l.Decode(ctx, row, []int{0}, dst, []int{0}), "%s %T %v", s, v, v)
				require.NoError(t, keyErr, "%s %T %v", s, v, v)
				require.Equal(t, key, appendKey(t, c, dst[0]), "%s %T %v", s, v, v)
			}
		}
	}
	l, err := NewLayout(1, []sql.Type{types.Int32})
	require.NoError(t, err)
	_, err = l.Append(ctx, nil, []any{int64(1) << 40})
	require.ErrorIs(t, err, ErrOutOfRange)
	row, err := l.Append(ctx, nil, []any{int64(77)})
	require.NoError(t, err)
	dst := make([]any, 1)
	require.NoError(t, l.Decode(ctx, row, []int{0}, dst, []int{0}))
	require.Equal(t, int32(77), dst[0])
	require.ErrorIs(t, l.Decode(ctx, row[:len(row)-1], []int{0}, dst, []int{0}), ErrCorrupt)
	other, err := NewLayout(2, []sql.Type{types.Int32})
	require.NoError(t, err)
	require.ErrorIs(t, other.Decode(ctx, row, []int{0}, dst, []int{0}), ErrVersion)
	_, err = l.Append(ctx, nil, []any{1, 2})
	require.ErrorIs(t, err, ErrColumnCount)
}
