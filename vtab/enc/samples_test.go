package enc

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"strings"
	"time"

	"github.com/cockroachdb/apd/v3"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"
	"github.com/dolthub/vitess/go/vt/proto/query"
	"pgregory.net/rapid"
)

// sample is a type with a generator of values as the engine stores them.
type sample struct {
	typ sql.Type
	gen *rapid.Generator[any]
}

func (s sample) String() string { return fmt.Sprintf("%s %T", s.typ, s.typ.Zero()) }

func anyOf[T any](g *rapid.Generator[T]) *rapid.Generator[any] {
	return rapid.Map(g, func(v T) any { return v })
}

// samples is every type that the engine has, with its variants that matter.
func samples() []sample {
	var out []sample
	out = append(out, integerSamples()...)
	out = append(out, numberSamples()...)
	out = append(out, momentSamples()...)
	out = append(out, textSamples()...)
	return append(out, otherSamples()...)
}

// signedGen draws integers near zero, near powers of two, and anywhere.
func signedGen(bits int) *rapid.Generator[int64] {
	lo, hi := int64(-1)<<(bits-1), int64(uint64(1)<<(bits-1)-1)
	return rapid.OneOf(
		rapid.Int64Range(max(lo, -300), min(hi, 300)),
		rapid.Map(rapid.IntRange(0, bits-2), func(n int) int64 { return int64(1) << n }),
		rapid.Map(rapid.IntRange(0, bits-1), func(n int) int64 { return int64(-1) << n }),
		rapid.Map(rapid.IntRange(0, bits-2), func(n int) int64 { return -(int64(1) << n) - 1 }),
		rapid.Just(lo), rapid.Just(hi), rapid.Int64Range(lo, hi))
}

func unsignedGen(bits int) *rapid.Generator[uint64] {
	hi := ^uint64(0) >> (64 - bits)
	return rapid.OneOf(
		rapid.Uint64Range(0, min(hi, 300)),
		rapid.Map(rapid.IntRange(0, bits-1), func(n int) uint64 { return uint64(1) << n }),
		rapid.Just(hi), rapid.Uint64Range(0, hi))
}

func integerSamples() []sample {
	s := func(t sql.Type, bits int, box func(int64) any) sample {
		return sample{typ: t, gen: rapid.Map(signedGen(bits), box)}
	}
	u := func(t sql.Type, bits int, box func(uint64) any) sample {
		return sample{typ: t, gen: rapid.Map(unsignedGen(bits), box)}
	}
	bit := func(n uint8) sample {
		return u(types.MustCreateBitType(n), int(n), func(v uint64) any { return v })
	}
	names := make([]string, 300)
	for i := range names {
		names[i] = fmt.Sprintf("m%03d", i)
	}
	return []sample{
		s(types.Int8, 8, func(v int64) any { return int8(v) }),
		s(types.Boolean, 8, func(v int64) any { return int8(v) }),
		s(types.Int16, 16, func(v int64) any { return int16(v) }),
		s(types.Int24, 24, func(v int64) any { return int32(v) }),
		s(types.Int32, 32, func(v int64) any { return int32(v) }),
		s(types.Int64, 64, func(v int64) any { return v }),
		u(types.Uint8, 8, func(v uint64) any { return uint8(v) }),
		u(types.Uint16, 16, func(v uint64) any { return uint16(v) }),
		u(types.Uint24, 24, func(v uint64) any { return uint32(v) }),
		u(types.Uint32, 32, func(v uint64) any { return uint32(v) }),
		u(types.Uint64, 64, func(v uint64) any { return v }),
		bit(1), bit(8), bit(13), bit(63), bit(64),
		{typ: types.Year, gen: anyOf(rapid.Map(rapid.OneOf(rapid.Just(0), rapid.IntRange(1901, 2155)), func(v int) int16 { return int16(v) }))},
		{typ: types.MustCreateEnumType(names, sql.Collation_Default), gen: anyOf(rapid.Uint16Range(0, 300))},
		{typ: types.MustCreateSetType(names[:64], sql.Collation_Default), gen: anyOf(unsignedGen(64))},
		{typ: types.MustCreateSetType(names[:3], sql.Collation_Default), gen: anyOf(unsignedGen(3))},
	}
}

func decimalGen(precision, scale int) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		digits := rapid.OneOf(rapid.IntRange(0, min(3, precision)), rapid.IntRange(0, precision)).Draw(t, "digits")
		n := new(big.Int)
		for range digits {
			n.Mul(n, big.NewInt(10))
			n.Add(n, big.NewInt(int64(rapid.OneOf(rapid.Just(0), rapid.Just(9), rapid.IntRange(0, 9)).Draw(t, "digit"))))
		}
		d := &apd.Decimal{Exponent: int32(-scale), Negative: n.Sign() != 0 && rapid.Bool().Draw(t, "negative")}
		d.Coeff.SetMathBigInt(n)
		return d
	})
}

// looseDecimalGen draws decimals of any scale, as expressions yield.
func looseDecimalGen() *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		d := decimalGen(60, 0).Draw(t, "unscaled").(*apd.Decimal)
		d.Exponent = int32(rapid.OneOf(rapid.IntRange(-3, 2), rapid.IntRange(-90, 90)).Draw(t, "exponent"))
		return d
	})
}

func numberSamples() []sample {
	doubles := rapid.OneOf(
		rapid.SampledFrom([]float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.MaxFloat64,
			math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64, 1 << 53, 0.1}),
		rapid.Float64Range(-10, 10), rapid.Float64())
	singles := rapid.OneOf(
		rapid.SampledFrom([]float32{0, float32(math.Copysign(0, -1)), 1, -1, math.MaxFloat32,
			math.SmallestNonzeroFloat32, -math.SmallestNonzeroFloat32, 1 << 24, 0.1}),
		rapid.Float32Range(-10, 10), rapid.Float32())
	out := []sample{
		{typ: types.Float32, gen: anyOf(singles)},
		{typ: types.Float64, gen: anyOf(doubles)},
		{typ: types.InternalDecimalType, gen: looseDecimalGen()},
	}
	for _, ps := range [][2]uint8{{1, 0}, {2, 2}, {4, 1}, {9, 3}, {10, 0}, {10, 3}, {18, 9}, {19, 9}, {38, 10}, {65, 0}, {65, 30}} {
		out = append(out, sample{
			typ: types.MustCreateColumnDecimalType(ps[0], ps[1]),
			gen: decimalGen(int(ps[0]), int(ps[1])),
		})
	}
	return out
}

func momentGen(lo, hi time.Time, unit time.Duration) *rapid.Generator[any] {
	return rapid.Map(rapid.OneOf(
		rapid.Int64Range(lo.Unix(), hi.Unix()),
		rapid.Int64Range(max(lo.Unix(), -100_000), 100_000),
	), func(sec int64) time.Time { return time.Unix(sec, 0).UTC().Truncate(unit) }).
		Filter(func(t time.Time) bool { return !t.Before(lo) }).AsAny()
}

func fractionGen(base *rapid.Generator[any], unit time.Duration) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		n := rapid.OneOf(rapid.Just(int64(0)), rapid.Int64Range(0, int64(time.Second/unit)-1)).Draw(t, "fraction")
		return base.Draw(t, "second").(time.Time).Add(time.Duration(n) * unit)
	})
}

func momentSamples() []sample {
	first, last := time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)
	zero := rapid.Just[any](types.ZeroTime)
	datetime := func(base query.Type, precision int, lo, hi time.Time) sample {
		unit := time.Second
		for range precision {
			unit /= 10
		}
		gen := fractionGen(momentGen(lo, hi, time.Second), unit)
		return sample{typ: types.MustCreateDatetimeType(base, precision), gen: rapid.OneOf(zero, gen, gen, gen)}
	}
	day := momentGen(first, last, 24*time.Hour)
	epoch, end := time.Unix(1, 0).UTC(), time.Unix(math.MaxInt32, 0).UTC()
	span := rapid.OneOf(rapid.Int64Range(-2_000_000, 2_000_000), rapid.Int64Range(-timeMax, timeMax))
	return []sample{
		{typ: types.Date, gen: rapid.OneOf(zero, day, day)},
		datetime(sqltypes.Datetime, 0, first, last),
		datetime(sqltypes.Datetime, 3, first, last),
		datetime(sqltypes.Datetime, 6, first, last),
		datetime(sqltypes.Timestamp, 0, epoch, end),
		datetime(sqltypes.Timestamp, 6, epoch, end),
		{typ: types.Time, gen: rapid.Map(span, func(v int64) any { return types.Timespan(v) })},
	}
}

// textRunes are runes that collations treat in telling ways: case, accents,
// expansions, kana, blanks, the ends of encodings, what is outside of narrow
// character sets.
var textRunes = []rune("aAbBzZ eEéÉèáÁäÄöÖüÜßsSſœæłŁıİiIñÑçÇøØåÅ09-_'\"[]{|}~@`^\\" +
	"\x00\x01\x02\t\n\x7f\u0080\u00a0\u00ff\u0100\u0301\u0308" +
	"жЖяЯωΩσςΣאבあアぁァーゝがか゛カガ日本語国한글가각กา\u200b\u00ad" +
	"\ud7ff\ue000\ufffd\ufffe\uffff\U00010000😀😁\U0010ffff")

func textGen() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.StringOfN(rapid.SampledFrom([]rune("aAáb ")), 0, 4, -1),
		rapid.StringOfN(rapid.SampledFrom(textRunes), 0, 6, -1),
		rapid.StringN(0, 12, -1))
}

func bytesGen(n int) *rapid.Generator[[]byte] {
	few := rapid.SampledFrom([]byte{0, 1, 2, 'a', 0xfe, 0xff})
	return rapid.OneOf(
		rapid.SliceOfN(few, 0, min(n, 5)),
		rapid.SliceOfN(rapid.Byte(), 0, n))
}

// textCollations are the collations that the order properties run over.
var textCollations = []sql.CollationID{
	sql.Collation_utf8mb4_0900_ai_ci, sql.Collation_utf8mb4_0900_as_cs, sql.Collation_utf8mb4_0900_as_ci,
	sql.Collation_utf8mb4_general_ci, sql.Collation_utf8mb4_unicode_ci, sql.Collation_utf8mb4_unicode_520_ci,
	sql.Collation_utf8mb4_bin, sql.Collation_utf8mb4_0900_bin,
	sql.Collation_utf8mb4_ja_0900_as_cs, sql.Collation_utf8mb4_ja_0900_as_cs_ks, sql.Collation_utf8mb4_de_pb_0900_ai_ci,
	sql.Collation_utf8mb4_german2_ci, sql.Collation_utf8mb4_zh_0900_as_cs, sql.Collation_utf8mb4_tr_0900_ai_ci,
	sql.Collation_utf8mb3_general_ci, sql.Collation_utf8mb3_bin, sql.Collation_utf16_bin, sql.Collation_utf32_bin,
	sql.Collation_utf16_unicode_ci, sql.Collation_latin1_swedish_ci, sql.Collation_latin1_german1_ci,
	sql.Collation_latin1_german2_ci, sql.Collation_latin1_general_cs, sql.Collation_latin1_bin,
	sql.Collation_ascii_general_ci, sql.Collation_ascii_bin, sql.Collation_swe7_swedish_ci, sql.Collation_latin7_general_cs,
}

func textSamples() []sample {
	var out []sample
	for _, id := range textCollations {
		out = append(out, sample{typ: types.MustCreateString(sqltypes.VarChar, 100, id), gen: anyOf(textGen())})
	}
	fixed := rapid.Map(bytesGen(8), func(b []byte) any { return append(b, make([]byte, 8-len(b))...) })
	return append(out,
		sample{typ: types.MustCreateString(sqltypes.Char, 100, sql.Collation_Default), gen: anyOf(textGen())},
		sample{typ: types.LongText, gen: anyOf(textGen())},
		sample{typ: types.TinyText, gen: anyOf(textGen())},
		sample{typ: types.MustCreateBinary(sqltypes.Binary, 8), gen: fixed},
		sample{typ: types.MustCreateBinary(sqltypes.VarBinary, 100), gen: anyOf(bytesGen(20))},
		sample{typ: types.LongBlob, gen: anyOf(bytesGen(300))},
		sample{typ: types.MustCreateString(sqltypes.Text, 100, sql.Collation_binary), gen: anyOf(bytesGen(20))},
	)
}

func jsonGen(scalars *rapid.Generator[any]) *rapid.Generator[any] {
	var value func(depth int) *rapid.Generator[any]
	value = func(depth int) *rapid.Generator[any] {
		if depth == 0 {
			return scalars
		}
		inner := rapid.Deferred(func() *rapid.Generator[any] { return value(depth - 1) })
		return rapid.OneOf(scalars,
			anyOf(rapid.SliceOfN(inner, 0, 3)),
			anyOf(rapid.MapOfN(rapid.StringOfN(rapid.SampledFrom([]rune("ab\x00é")), 0, 2, -1), inner, 0, 3)))
	}
	return rapid.Map(value(2), func(v any) any { return types.JSONDocument{Val: v} })
}

func jsonScalars() *rapid.Generator[any] {
	return rapid.OneOf(rapid.Just[any](nil), anyOf(rapid.Bool()), anyOf(textGen()),
		anyOf(rapid.Map(signedGen(40), func(n int64) float64 { return float64(n) })),
		anyOf(rapid.Float64Range(-5, 5)), anyOf(signedGen(64)), anyOf(unsignedGen(64)), decimalGen(30, 5))
}

func pointGen(srid uint32) *rapid.Generator[types.Point] {
	axis := rapid.OneOf(rapid.SampledFrom([]float64{0, 1, -1, math.Copysign(0, -1)}), rapid.Float64())
	return rapid.Custom(func(t *rapid.T) types.Point {
		return types.Point{SRID: srid, X: axis.Draw(t, "x"), Y: axis.Draw(t, "y")}
	})
}

func geometryGen(srid uint32, depth int) *rapid.Generator[any] {
	point := pointGen(srid)
	line := rapid.Map(rapid.SliceOfN(point, 2, 5), func(p []types.Point) types.LineString {
		return types.LineString{SRID: srid, Points: p}
	})
	polygon := rapid.Map(rapid.SliceOfN(line, 1, 3), func(l []types.LineString) types.Polygon {
		return types.Polygon{SRID: srid, Lines: l}
	})
	all := []*rapid.Generator[any]{anyOf(point), anyOf(line), anyOf(polygon),
		rapid.Map(rapid.SliceOfN(point, 1, 3), func(p []types.Point) any { return types.MultiPoint{SRID: srid, Points: p} }),
		rapid.Map(rapid.SliceOfN(line, 1, 3), func(l []types.LineString) any { return types.MultiLineString{SRID: srid, Lines: l} }),
		rapid.Map(rapid.SliceOfN(polygon, 1, 2), func(p []types.Polygon) any { return types.MultiPolygon{SRID: srid, Polygons: p} }),
	}
	if depth > 0 {
		member := rapid.Map(geometryGen(srid, depth-1), func(v any) types.GeometryValue { return v.(types.GeometryValue) })
		all = append(all, rapid.Map(rapid.SliceOfN(member, 0, 3), func(g []types.GeometryValue) any {
			return types.GeomColl{SRID: srid, Geoms: g}
		}))
	}
	return rapid.OneOf(all...)
}

func otherSamples() []sample {
	vector := rapid.Map(rapid.SliceOfN(rapid.Float32(), 3, 3), func(f []float32) any { return sql.EncodeVector(f) })
	return []sample{
		{typ: types.JSON, gen: jsonGen(jsonScalars())},
		{typ: types.VectorType{Dimensions: 3}, gen: vector},
		{typ: types.GeometryType{}, gen: geometryGen(4326, 2)},
		{typ: types.PointType{}, gen: anyOf(pointGen(0))},
		{typ: types.GeomCollType{}, gen: rapid.Just[any](types.GeomColl{SRID: 4326, Geoms: []types.GeometryValue{}})},
	}
}

// compare is SQL order: NULL first, then the engine's comparison.
func compare(ctx context.Context, t sql.Type, a, b any) (int, error) {
	switch {
	case a == nil && b == nil:
		return 0, nil
	case a == nil:
		return -1, nil
	case b == nil:
		return 1, nil
	}
	return comparePadded(ctx, t, a, b)
}

// comparePadded is the engine's comparison, without the blanks at the end where the
// collation has PAD SPACE.
func comparePadded(ctx context.Context, t sql.Type, a, b any) (int, error) {
	if text, ok := t.(sql.StringType); ok && text.Collation() != sql.Collation_binary && text.Collation().PadAttribute() == "PAD SPACE" {
		trim := func(v any) any {
			if s, ok := v.(string); ok {
				return strings.TrimRight(s, " ")
			}
			return v
		}
		a, b = trim(a), trim(b)
	}
	return t.Compare(ctx, a, b)
}

// orNull draws NULL now and then.
func orNull(g *rapid.Generator[any]) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		if rapid.IntRange(0, 9).Draw(t, "null") == 0 {
			return nil
		}
		return g.Draw(t, "value")
	})
}
