package enc

import (
	"context"
	"encoding/binary"
	"math"
	"time"

	"github.com/cockroachdb/apd/v3"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// A body is the exact bytes of one value that is not NULL, without its length:
// c.width bytes for fixed kinds, any number for the others. Rows and single
// values share it. Numbers are little endian.

// appendBody appends the body of v, converting v by the engine's rules if it
// does not have the type's own Go type.
func (c *column) appendBody(ctx context.Context, dst []byte, v any) ([]byte, error) {
	out, ok, err := c.tryBody(ctx, dst, v)
	if ok || err != nil {
		return out, err
	}
	if v, err = c.convert(ctx, v); err != nil {
		return dst, err
	}
	if out, ok, err = c.tryBody(ctx, dst, v); err != nil {
		return dst, err
	}
	if !ok {
		return dst, &ValueError{Type: c.typ, Value: v}
	}
	return out, nil
}

// tryBody appends the body of v. ok is false if v must be converted first.
func (c *column) tryBody(ctx context.Context, dst []byte, v any) (out []byte, ok bool, err error) {
	switch c.kind {
	case kindText:
		if s, ok := v.(string); ok {
			return append(dst, s...), true, nil
		}
		return dst, false, nil
	case kindBytes:
		switch b := v.(type) {
		case []byte:
			return append(dst, b...), true, nil
		case string:
			return append(dst, b...), true, nil
		}
		return dst, false, nil
	case kindVector:
		if b, ok := v.([]byte); ok {
			return append(dst, b...), true, nil
		}
		return dst, false, nil
	case kindFloat32:
		if f, ok := v.(float32); ok {
			return binary.LittleEndian.AppendUint32(dst, math.Float32bits(f)), true, nil
		}
		return dst, false, nil
	case kindFloat64:
		if f, ok := v.(float64); ok {
			return binary.LittleEndian.AppendUint64(dst, math.Float64bits(f)), true, nil
		}
		return dst, false, nil
	case kindDecimal:
		return c.tryDecimal(dst, v)
	case kindDate, kindDatetime, kindTime:
		n, ok, err := c.momentNumber(v)
		if !ok {
			return dst, false, err
		}
		return appendFixed(dst, uint64(n), c.width), true, nil
	case kindJSON:
		return appendJSON(ctx, dst, v)
	case kindGeometry:
		return appendGeometry(dst, v)
	case kindNull:
		return dst, false, &ValueError{Type: c.typ, Value: v}
	}
	return c.tryInteger(dst, v)
}

func (c *column) tryInteger(dst []byte, v any) ([]byte, bool, error) {
	n, ok := integerOf(v)
	if !ok || c.kind == kindEnum && !isIndex(v) || c.kind == kindYear && !isYear(v) {
		return dst, false, nil
	}
	if !n.fits(c) {
		return dst, false, &ValueError{Type: c.typ, Value: v, Cause: ErrOutOfRange}
	}
	return appendFixed(dst, n.bits, c.width), true, nil
}

func (c *column) tryDecimal(dst []byte, v any) ([]byte, bool, error) {
	d, ok := v.(*apd.Decimal)
	if !ok {
		return dst, false, nil
	}
	d = c.atScale(d)
	if c.width > 0 {
		n, ok := scaledCoefficient(c, d)
		if !ok {
			return dst, false, nil
		}
		return appendFixed(dst, uint64(n), c.width), true, nil
	}
	if c.scaled && d.Exponent != -c.scale {
		return dst, false, nil
	}
	if !c.holds(d) {
		return dst, false, &ValueError{Type: c.typ, Value: v, Cause: ErrOutOfRange}
	}
	return appendDecimal(dst, d), true, nil
}

// appendFixed appends the low width bytes of u, little endian.
func appendFixed(dst []byte, u uint64, width int) []byte {
	switch width {
	case 4:
		return binary.LittleEndian.AppendUint32(dst, uint32(u))
	case 8:
		return binary.LittleEndian.AppendUint64(dst, u)
	}
	for range width {
		dst = append(dst, byte(u))
		u >>= 8
	}
	return dst
}

// readFixed reads a little-endian number of len(src) bytes, 1 to 8, and extends
// its sign.
func readFixed(src []byte) uint64 {
	switch len(src) {
	case 4:
		return uint64(int32(binary.LittleEndian.Uint32(src)))
	case 8:
		return binary.LittleEndian.Uint64(src)
	}
	var u uint64
	for i, b := range src {
		u |= uint64(b) << (8 * i)
	}
	unused := 64 - 8*len(src)
	return uint64(int64(u<<unused) >> unused)
}

// value returns the value of a body. If shared, text and bytes may be part of
// src; otherwise they are copied.
func (c *column) value(src []byte, shared bool) (any, error) {
	switch c.kind {
	case kindInt32:
		return int32(readFixed(src)), nil
	case kindInt64:
		return int64(readFixed(src)), nil
	case kindText:
		if shared {
			return alias(src), nil
		}
		return string(src), nil
	case kindBytes, kindVector:
		if shared {
			return src[:len(src):len(src)], nil
		}
		return append(make([]byte, 0, len(src)), src...), nil
	case kindFloat32:
		return math.Float32frombits(binary.LittleEndian.Uint32(src)), nil
	case kindFloat64:
		return math.Float64frombits(binary.LittleEndian.Uint64(src)), nil
	case kindDecimal:
		return c.decimalValue(src)
	case kindDate, kindDatetime:
		t, err := c.moment(int64(readFixed(src)))
		if err != nil {
			return nil, err
		}
		return t, nil
	case kindTime:
		span, err := timespan(int64(readFixed(src)))
		if err != nil {
			return nil, err
		}
		return span, nil
	case kindJSON:
		doc, err := readJSON(src)
		if err != nil {
			return nil, err
		}
		return doc, nil
	case kindGeometry:
		return readGeometry(src)
	case kindNull:
		return nil, corrupt("value of type NULL")
	case kindUint24:
		return uint32(readFixed(src)) & 0xff_ffff, nil
	case kindBit:
		return c.bitValue(src)
	case kindYear:
		if src[1] > 0x7f {
			return nil, corrupt("year is negative")
		}
	}
	return boxInteger(c.kind, readFixed(src)), nil
}

func (c *column) decimalValue(src []byte) (any, error) {
	if c.width == 0 {
		d, err := readDecimal(src)
		if err != nil {
			return nil, err
		}
		if c.scaled && d.Exponent != -c.scale {
			return nil, corrupt("decimal has a wrong scale")
		}
		return d, nil
	}
	d := new(apd.Decimal)
	if err := c.scaledDecimal(d, int64(readFixed(src))); err != nil {
		return nil, err
	}
	return d, nil
}

// moment is the inverse of momentNumber for DATE and DATETIME.
func (c *column) moment(n int64) (time.Time, error) {
	if c.kind == kindDate {
		if !dayInRange(n) {
			return time.Time{}, corrupt("date is out of range")
		}
		return dayTime(n), nil
	}
	if !microsInRange(n) {
		return time.Time{}, corrupt("datetime is out of range")
	}
	return time.UnixMicro(n).UTC(), nil
}

// timespan is the inverse of momentNumber for TIME.
func timespan(n int64) (types.Timespan, error) {
	if n > timeMax || n < -timeMax {
		return 0, corrupt("time is out of range")
	}
	return types.Timespan(n), nil
}

func (c *column) bitValue(src []byte) (any, error) {
	n := readFixed(src)
	if len(src) < 8 {
		n &= 1<<(8*len(src)) - 1
	}
	if n > c.maxU {
		return nil, corrupt("bits are out of range")
	}
	return n, nil
}
