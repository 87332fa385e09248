package enc

import (
	"context"
	"math"
	"strings"
	"time"

	"github.com/cockroachdb/apd/v3"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// AppendBound appends v, a bound of a range over part i or a value to look up,
// as a position among the keys of stored values. It is what Append gives if v is
// a value of the type. Otherwise v need not be: a number with a fraction or
// beyond the type's range, a date with a time of day, text longer than the
// column. The position of a value between two that can be stored lies between
// theirs, also after Successor.
//
// For a part with a prefix length the position is that of v's prefix, which
// longer values share: use AppendRange, which knows both ends.
//
// It fails with *ValueError if v cannot be compared with the type.
func (c *KeyCodec) AppendBound(ctx context.Context, dst []byte, i int, v any) ([]byte, error) {
	p := &c.parts[i]
	v, err := sql.UnwrapAny(ctx, v)
	if err != nil {
		return dst, &ValueError{Type: p.typ, Value: v, Cause: err}
	}
	if v == nil {
		return append(dst, tagNull^p.mask), nil
	}
	from := len(dst)
	out, exact, err := p.appendNearest(ctx, dst, v)
	if err != nil {
		return dst, err
	}
	if p.mask != 0 {
		flip(out[from:])
	}
	if !exact {
		out = append(out, tagAfter)
	}
	return out, nil
}

// appendNearest appends, in ascending form, the last value that does not come
// after v in the order of the part: the largest not above v, or for a descending
// part the smallest not below v. exact reports whether it is v itself. Where
// there is no such value it appends a position before all of them.
func (p *keyPart) appendNearest(ctx context.Context, dst []byte, v any) (out []byte, exact bool, err error) {
	switch {
	case p.kind.isSigned() || p.kind.isUnsigned():
		return p.nearestInteger(ctx, dst, v)
	case p.kind == kindFloat32 || p.kind == kindFloat64:
		return p.nearestFloat(ctx, dst, v)
	case p.kind == kindDecimal:
		return p.nearestDecimal(dst, v)
	case p.kind == kindDate || p.kind == kindDatetime:
		return p.nearestMoment(ctx, dst, v)
	case p.kind == kindText:
		return p.boundText(ctx, dst, v)
	}
	if _, ok := v.(types.Timespan); ok && p.kind == kindTime {
		return appendKeyInteger(dst, signedInteger(int64(v.(types.Timespan)))), true, nil
	}
	out, ok, err := p.appendValue(ctx, dst, v)
	if !ok && err == nil {
		if v, err = p.promote(ctx, v); err == nil {
			out, ok, err = p.appendValue(ctx, dst, v)
		}
	}
	if err == nil && !ok {
		err = &ValueError{Type: p.typ, Value: v}
	}
	return out, true, err
}

// promote converts v to the widest type of p's kind.
func (p *keyPart) promote(ctx context.Context, v any) (any, error) {
	wide := column{typ: p.typ.Promote()}
	return wide.convert(ctx, v)
}

// appendOutside appends the position before or after all values. When no value
// comes before v in the order of the part, that is exact; after the last value
// there is none to be nearest to either.
func appendOutside(dst []byte, above bool) ([]byte, bool, error) {
	if above {
		return append(dst, tagAbove), true, nil
	}
	return append(dst, tagBelow), true, nil
}

func (p *keyPart) boundText(ctx context.Context, dst []byte, v any) ([]byte, bool, error) {
	s, ok := v.(string)
	if !ok {
		promoted, err := p.promote(ctx, v)
		if err != nil {
			return dst, false, err
		}
		if s, ok = promoted.(string); !ok {
			return dst, false, &ValueError{Type: p.typ, Value: v}
		}
	}
	if p.prefix > 0 {
		s, _ = truncate(s, p.prefix)
	}
	return p.collation.appendKey(append(dst, tagValue), s), true, nil
}

func (p *keyPart) nearestInteger(ctx context.Context, dst []byte, v any) ([]byte, bool, error) {
	if p.kind == kindYear && !isYear(v) {
		// A year of two digits is the engine's to interpret; what is no year
		// compares as a number.
		if year, err := p.convert(ctx, v); err == nil {
			v = year
		}
	}
	if n, ok := integerOf(v); ok {
		return appendKeyInteger(dst, n), true, nil
	}
	switch t := v.(type) {
	case float64:
		return p.nearestWhole(dst, t)
	case float32:
		return p.nearestWhole(dst, float64(t))
	case *apd.Decimal:
		return p.nearestWholeDecimal(dst, t)
	case string:
		if p.kind.isNumber() {
			if d, _, err := apd.NewFromString(strings.Trim(t, sql.NumericCutSet)); err == nil {
				return p.nearestWholeDecimal(dst, d)
			}
		}
	}
	v, err := p.convert(ctx, v)
	if err != nil {
		return dst, false, err
	}
	n, ok := integerOf(v)
	if !ok {
		return dst, false, &ValueError{Type: p.typ, Value: v}
	}
	return appendKeyInteger(dst, n), true, nil
}

// isNumber reports whether text stands for the number that it spells.
func (k kind) isNumber() bool { return k >= kindInt8 && k <= kindUint64 }

func (p *keyPart) nearestWhole(dst []byte, f float64) ([]byte, bool, error) {
	if math.IsNaN(f) {
		return dst, false, &ValueError{Type: p.typ, Value: f}
	}
	whole := math.Floor(f)
	if p.mask != 0 {
		whole = math.Ceil(f)
	}
	switch {
	case whole >= 1<<64:
		return appendOutside(dst, true)
	case whole < -1<<63:
		return appendOutside(dst, false)
	case whole < 0:
		return appendKeyInteger(dst, signedInteger(int64(whole))), whole == f, nil
	}
	return appendKeyInteger(dst, integer{bits: uint64(whole)}), whole == f, nil
}

// wholeDigitsMax is more digits than any 64-bit integer has.
const wholeDigitsMax = 21

func (p *keyPart) nearestWholeDecimal(dst []byte, d *apd.Decimal) ([]byte, bool, error) {
	switch {
	case d.Form == apd.Infinite:
		return appendOutside(dst, !d.Negative)
	case d.Form != apd.Finite:
		return dst, false, &ValueError{Type: p.typ, Value: d}
	case d.IsZero():
		return appendKeyInteger(dst, integer{}), true, nil
	}
	digits := d.NumDigits() + int64(d.Exponent)
	if digits > wholeDigitsMax {
		return appendOutside(dst, !d.Negative)
	}
	var whole, fraction apd.Decimal
	if digits > 0 {
		d.Modf(&whole, &fraction)
	} else {
		fraction.Set(d)
	}
	exact := fraction.IsZero()
	// Modf rounds towards zero.
	if !exact && d.Negative == (p.mask == 0) {
		step := apd.New(1, 0)
		step.Negative = d.Negative
		if _, err := apd.BaseContext.WithPrecision(wholeDigitsMax+2).Add(&whole, &whole, step); err != nil {
			return dst, false, &ValueError{Type: p.typ, Value: d, Cause: err}
		}
	}
	switch {
	case whole.Cmp(types.DecimalMaxUint64) > 0:
		return appendOutside(dst, true)
	case whole.Cmp(types.DecimalMinInt64) < 0:
		return appendOutside(dst, false)
	}
	n := integer{negative: whole.Negative && !whole.IsZero()}
	if _, err := apd.BaseContext.WithPrecision(wholeDigitsMax+2).Quantize(&whole, &whole, 0); err != nil {
		return dst, false, &ValueError{Type: p.typ, Value: d, Cause: err}
	}
	n.bits = whole.Coeff.Uint64()
	if n.negative {
		n.bits = -n.bits
	}
	return appendKeyInteger(dst, n), exact, nil
}

func (p *keyPart) nearestFloat(ctx context.Context, dst []byte, v any) ([]byte, bool, error) {
	f, ok := floatOf(v)
	if !ok {
		converted, err := p.promote(ctx, v)
		if err != nil {
			return dst, false, err
		}
		if f, ok = floatOf(converted); !ok {
			return dst, false, &ValueError{Type: p.typ, Value: v}
		}
	}
	if p.kind == kindFloat64 {
		return appendKeyFloat64(dst, f), true, nil
	}
	g, exact := narrow(f, p.mask != 0)
	return appendKeyFloat32(dst, g), exact, nil
}

// floatOf returns v as the engine converts it to DOUBLE.
func floatOf(v any) (float64, bool) {
	switch f := v.(type) {
	case float64:
		return f, true
	case float32:
		return float64(f), true
	case *apd.Decimal:
		g, _ := f.Float64()
		return g, true
	}
	n, ok := integerOf(v)
	if n.negative {
		return float64(int64(n.bits)), ok
	}
	return float64(n.bits), ok
}

func (p *keyPart) nearestDecimal(dst []byte, v any) ([]byte, bool, error) {
	if f, ok := v.(float32); ok {
		v = float64(f)
	}
	if f, ok := v.(float64); ok && (math.IsInf(f, 0) || math.IsNaN(f)) {
		if math.IsNaN(f) {
			return dst, false, &ValueError{Type: p.typ, Value: v}
		}
		return appendOutside(dst, f > 0)
	}
	d, ok := v.(*apd.Decimal)
	if !ok {
		var err error
		if d, err = types.InternalDecimalType.ConvertToDecimal(v); err != nil {
			return dst, false, &ValueError{Type: p.typ, Value: v, Cause: err}
		}
	}
	if d.Form == apd.Infinite {
		return appendOutside(dst, !d.Negative)
	}
	if !storable(d) {
		return dst, false, &ValueError{Type: p.typ, Value: v, Cause: ErrOutOfRange}
	}
	return appendKeyDecimal(dst, d), true, nil
}

func (p *keyPart) nearestMoment(ctx context.Context, dst []byte, v any) ([]byte, bool, error) {
	t, ok := v.(time.Time)
	if !ok {
		wide := column{typ: types.DatetimeMaxPrecision}
		converted, err := wide.convert(ctx, v)
		if err != nil {
			return dst, false, err
		}
		if t, ok = converted.(time.Time); !ok {
			return dst, false, &ValueError{Type: p.typ, Value: v}
		}
	}
	if !inRange(t) {
		return appendOutside(dst, t.Unix() > 0)
	}
	var n int64
	var exact bool
	if p.kind == kindDate {
		n, exact = floorDay(t)
	} else {
		n, exact = t.UnixMicro(), t.Nanosecond()%1000 == 0
	}
	if !exact && p.mask != 0 {
		n++
	}
	return appendKeyInteger(dst, signedInteger(n)), exact, nil
}
