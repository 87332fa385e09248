package enc

import (
	"bytes"
	"context"
	"math"
	"math/big"
	"testing"
	"time"

	"github.com/cockroachdb/apd/v3"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// boundCase is a type, the bounds that ranges over it may have, and the exact
// comparison of a stored value with a bound.
type boundCase struct {
	sample
	bounds  *rapid.Generator[any]
	compare func(value, bound any) int
}

func decimalOf(v any) *apd.Decimal {
	switch f := v.(type) {
	case float32:
		v = float64(f)
	case string:
		d, _, err := apd.NewFromString(f)
		if err != nil {
			panic(err)
		}
		return d
	}
	if f, ok := v.(float64); ok && math.IsInf(f, 0) {
		return &apd.Decimal{Form: apd.Infinite, Negative: f < 0}
	}
	d, err := types.InternalDecimalType.ConvertToDecimal(v)
	if err != nil {
		panic(err)
	}
	return d
}

func compareNumbers(value, bound any) int { return decimalOf(value).Cmp(decimalOf(bound)) }

// compareWhole takes a floating-point bound for the number that it is, not for
// the shortest decimal that stands for it.
func compareWhole(value, bound any) int {
	if f, ok := bound.(float32); ok {
		bound = float64(f)
	}
	if f, ok := bound.(float64); ok && !math.IsInf(f, 0) {
		const digits = 800 // no float64 has more
		bound = new(big.Float).SetFloat64(f).Text('e', digits)
	}
	return compareNumbers(value, bound)
}

func compareDoubles(value, bound any) int {
	a, _ := floatOf(value)
	b, _ := floatOf(bound)
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// number draws numbers of every Go type in and around the range of integers.
func number() *rapid.Generator[any] {
	exact := rapid.OneOf(anyOf(signedGen(64)), anyOf(unsignedGen(64)), anyOf(rapid.Int8()))
	half := rapid.Map(exact, func(v any) any {
		d := new(apd.Decimal)
		if _, err := apd.BaseContext.WithPrecision(40).Add(d, decimalOf(v), apd.New(5, -1)); err != nil {
			panic(err)
		}
		return d
	})
	near := rapid.Map(rapid.Float64Range(-300, 300), func(f float64) any { return f })
	far := rapid.SampledFrom([]any{math.Inf(1), math.Inf(-1), 1e30, -1e30, float64(1 << 63), float64(1 << 62 * 4), -float64(1 << 63),
		apd.New(1, 40), apd.New(-1, 40), apd.New(1, -40), apd.New(-1, -40), "12.5", "-12.5", "3"})
	return rapid.OneOf(exact, half, near, anyOf(rapid.Float32Range(-300, 300)), anyOf(rapid.Float64Range(-1e20, 1e20)),
		decimalGen(22, 2), far)
}

func boundCases() []boundCase {
	var out []boundCase
	moments := fractionGen(momentGen(time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(9999, 12, 30, 0, 0, 0, 0, time.UTC), time.Second), time.Nanosecond)
	compareMoments := func(value, bound any) int { return value.(time.Time).Compare(bound.(time.Time)) }
	for _, s := range samples() {
		c := boundCase{sample: s}
		col, err := columnOf(s.typ)
		if err != nil {
			panic(err)
		}
		switch {
		case col.kind.isNumber():
			c.bounds, c.compare = number(), compareWhole
		case col.kind == kindDecimal:
			c.bounds, c.compare = number(), compareNumbers
		case col.kind == kindFloat32 || col.kind == kindFloat64:
			c.bounds = number().Filter(func(v any) bool { _, text := v.(string); return !text })
			c.compare = compareDoubles
		case col.kind == kindDate || col.kind == kindDatetime:
			c.bounds, c.compare = rapid.OneOf(moments, s.gen), compareMoments
		default:
			c.bounds = s.gen
			c.compare = func(value, bound any) int {
				cmp, err := comparePadded(context.Background(), s.typ.Promote(), value, bound)
				if err != nil {
					panic(err)
				}
				return cmp
			}
		}
		out = append(out, c)
	}
	return out
}

// A bound lies among the keys where it lies among the values, and so does the
// position behind it, though no stored value may equal it (INV-ENC-8).
func TestBoundsKeepOrder(t *testing.T) {
	ctx := context.Background()
	for _, s := range boundCases() {
		t.Run(s.String(), func(t *testing.T) {
			for _, desc := range []bool{false, true} {
				c := codec(t, KeyPart{Type: types.Uint8}, KeyPart{Type: s.typ, Desc: desc}, KeyPart{Type: types.Uint8})
				rapid.Check(t, func(t *rapid.T) {
					v, bound := s.gen.Draw(t, "value"), s.bounds.Draw(t, "bound")
					want := s.compare(v, bound)
					if desc {
						want = -want
					}
					key := appendKey(t, c, uint8(7), v, uint8(1))
					pos, err := c.AppendBound(ctx, appendKey(t, codec(t, KeyPart{Type: types.Uint8}), uint8(7)), 1, bound)
					require.NoError(t, err)
					after := Successor(nil, pos)
					require.Equal(t, want < 0, bytes.Compare(key, pos) < 0, "%v %v", v, bound)
					require.Equal(t, want > 0, bytes.Compare(key, after) >= 0, "%v %v", v, bound)
				})
			}
		})
	}
}

// drawCut draws an end of a range, and says on which side of it a value lies.
func drawCut(t *rapid.T, label string, bounds *rapid.Generator[any]) Cut {
	c := Cut{At: CutAt(rapid.IntRange(0, int(CutEnd)).Draw(t, label))}
	if c.At == CutBefore || c.At == CutAfter {
		c.Value = bounds.Draw(t, label+" value")
	}
	return c
}

// above reports whether v lies above the cut.
func (s boundCase) above(c Cut, v any) bool {
	switch c.At {
	case CutStart:
		return true
	case CutEnd:
		return false
	case CutAfterNull:
		return v != nil
	}
	if v == nil {
		return false
	}
	cmp := s.compare(v, c.Value)
	return cmp > 0 || cmp == 0 && c.At == CutBefore
}

// A range holds exactly the keys of the values between its ends, below its
// prefix (INV-ENC-8).
func TestRangesHoldTheirValues(t *testing.T) {
	ctx := context.Background()
	for _, s := range boundCases() {
		t.Run(s.String(), func(t *testing.T) {
			for _, desc := range []bool{false, true} {
				c := codec(t, KeyPart{Type: types.Uint8, Desc: true}, KeyPart{Type: s.typ, Desc: desc}, KeyPart{Type: types.Int8, Desc: true})
				rapid.Check(t, func(t *rapid.T) {
					v := orNull(s.gen).Draw(t, "value")
					lo, hi := drawCut(t, "lo", s.bounds), drawCut(t, "hi", s.bounds)
					first := rapid.SampledFrom([]any{nil, uint8(0), uint8(255)}).Draw(t, "first")
					prefix := appendKey(t, codec(t, KeyPart{Type: types.Uint8, Desc: true}), first)
					start, end, err := c.AppendRange(ctx, prefix, 1, lo, hi)
					require.NoError(t, err)
					last := rapid.SampledFrom([]any{nil, int8(0), int8(127), int8(-128)}).Draw(t, "last")
					key := appendKey(t, c, first, v, last)
					inside := bytes.Compare(key, start) >= 0 && bytes.Compare(key, end) < 0
					require.Equal(t, s.above(lo, v) && !s.above(hi, v), inside, "%v in %v..%v", v, lo, hi)
					other := rapid.SampledFrom([]any{nil, uint8(0), uint8(1), uint8(254), uint8(255)}).Draw(t, "other")
					if key := appendKey(t, c, other, v, last); other != first {
						require.False(t, bytes.Compare(key, start) >= 0 && bytes.Compare(key, end) < 0)
					}
				})
			}
		})
	}
}

// ST-052: a range over a prefix part holds every value between its ends, and
// leaves out those whose prefixes are outside.
func TestPrefixRanges(t *testing.T) {
	ctx := context.Background()
	for _, typ := range []sql.Type{
		types.MustCreateString(sqltypes.VarChar, 100, sql.Collation_utf8mb4_0900_ai_ci),
		types.MustCreateString(sqltypes.VarChar, 100, sql.Collation_utf8mb4_bin),
		types.Blob,
	} {
		s := boundCase{compare: func(value, bound any) int {
			cmp, err := comparePadded(ctx, typ.Promote(), value, bound)
			if err != nil {
				panic(err)
			}
			return cmp
		}}
		gen := anyOf(rapid.StringOfN(rapid.SampledFrom([]rune("aAáb日")), 0, 4, -1))
		if typ == types.Blob {
			gen = anyOf(rapid.SliceOfN(rapid.SampledFrom([]byte{0, 1, 'a', 0xff}), 0, 4))
		}
		cut := func(v any) any {
			if b, ok := v.([]byte); ok {
				return b[:min(2, len(b))]
			}
			prefix, _ := truncate(v.(string), 2)
			return prefix
		}
		for _, desc := range []bool{false, true} {
			c := codec(t, KeyPart{Type: typ, Prefix: 2, Desc: desc})
			rapid.Check(t, func(t *rapid.T) {
				v := gen.Draw(t, "value")
				lo, hi := drawCut(t, "lo", gen), drawCut(t, "hi", gen)
				start, end, err := c.AppendRange(ctx, nil, 0, lo, hi)
				require.NoError(t, err)
				key := appendKey(t, c, v)
				inside := bytes.Compare(key, start) >= 0 && bytes.Compare(key, end) < 0
				if s.above(lo, v) && !s.above(hi, v) {
					require.True(t, inside, "%v in %v..%v", v, lo, hi)
				}
				for _, end := range []*Cut{&lo, &hi} {
					if end.Value != nil {
						end.Value = cut(end.Value)
						end.At = CutBefore
					}
				}
				if hi.Value != nil {
					hi.At = CutAfter
				}
				if inside {
					require.True(t, s.above(lo, cut(v)) && !s.above(hi, cut(v)), "%v in %v..%v", v, lo, hi)
				}
			})
		}
	}
}

func TestCutOf(t *testing.T) {
	for _, test := range []struct {
		cut  sql.MySQLRangeCut
		want Cut
	}{
		{sql.BelowNull{}, Cut{At: CutStart}},
		{sql.AboveNull{}, Cut{At: CutAfterNull}},
		{sql.Below{Key: 5}, Cut{At: CutBefore, Value: 5}},
		{sql.Above{Key: 5}, Cut{At: CutAfter, Value: 5}},
		{sql.AboveAll{}, Cut{At: CutEnd}},
	} {
		got, err := CutOf(test.cut)
		require.NoError(t, err)
		require.Equal(t, test.want, got)
	}
	_, err := CutOf(nil)
	require.Error(t, err)
}

func TestSuccessor(t *testing.T) {
	require.Equal(t, []byte{1, 3}, Successor(nil, []byte{1, 2}))
	require.Equal(t, []byte{9, 2}, Successor([]byte{9}, []byte{1, 0xff, 0xff}))
	require.Nil(t, Successor(nil, []byte{0xff, 0xff}))
	require.Nil(t, Successor(nil, nil))
	rapid.Check(t, func(t *rapid.T) {
		key := bytesGen(6).Draw(t, "key")
		other := append(bytes.Clone(key), bytesGen(3).Draw(t, "suffix")...)
		if rapid.Bool().Draw(t, "unrelated") {
			other = bytesGen(6).Draw(t, "other")
		}
		next := Successor(nil, key)
		below := next == nil || bytes.Compare(other, next) < 0
		require.Equal(t, bytes.Compare(other, key) < 0 || bytes.HasPrefix(other, key), below)
	})
}

// narrow gives the nearest single-precision number on the side asked for.
func TestNarrow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.OneOf(rapid.Float64(), rapid.Float64Range(-2, 2)).Draw(t, "f")
		down, exact := narrow(f, false)
		up, _ := narrow(f, true)
		require.LessOrEqual(t, float64(down), f)
		require.GreaterOrEqual(t, float64(up), f)
		require.Equal(t, exact, down == up)
		if !exact {
			require.Equal(t, up, math.Nextafter32(down, float32(math.Inf(1))))
		}
	})
}
