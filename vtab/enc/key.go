package enc

import (
	"context"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/cockroachdb/apd/v3"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// First bytes of a key part, ascending. Values begin with 0x03 to 0xfd. The
// bytes 0x00 and 0xff begin no part, so that a whole part followed by 0xff lies
// after every key that starts with the part and before every other key that does.
const (
	tagNull  = 0x01
	tagBelow = 0x02 // in bounds only: below every value, above NULL
	tagAbove = 0xfe // in bounds only: above every value
	tagAfter = 0xff // in bounds only, behind a part
)

// KeyPart is one part of a key.
type KeyPart struct {
	Type sql.Type
	// Prefix is the number of leading characters (bytes for binary types) that
	// are part of the key; 0 is all.
	Prefix int
	// Desc inverts the order; NULL, which otherwise comes first, comes last.
	Desc bool
}

// KeyCodec encodes the parts of keys of one shape. It is immutable and safe for
// concurrent use.
type KeyCodec struct {
	parts []keyPart
}

type keyPart struct {
	column
	prefix    int
	mask      byte // 0xff flips every byte, for descending parts
	collation *collation
}

// NewKeyCodec returns the codec of keys with the given parts. It fails with
// *TypeError for a type that cannot be part of a key, and for a prefix on a type
// that has none.
func NewKeyCodec(parts []KeyPart) (*KeyCodec, error) {
	c := &KeyCodec{parts: make([]keyPart, len(parts))}
	for i, part := range parts {
		p, err := c.newPart(i, part)
		if err != nil {
			return nil, err
		}
		c.parts[i] = p
	}
	return c, nil
}

func (c *KeyCodec) newPart(i int, part KeyPart) (keyPart, error) {
	col, err := columnOf(part.Type)
	if err != nil {
		return keyPart{}, err
	}
	col.fixScale()
	p := keyPart{column: col, prefix: part.Prefix}
	if part.Desc {
		p.mask = 0xff
	}
	if p.prefix != 0 && p.kind != kindText && p.kind != kindBytes {
		return keyPart{}, &TypeError{Type: part.Type, Reason: "has no prefixes"}
	}
	if p.prefix < 0 {
		return keyPart{}, &TypeError{Type: part.Type, Reason: fmt.Sprintf("has no prefix of %d", p.prefix)}
	}
	if p.kind == kindText {
		id := part.Type.(sql.StringType).Collation()
		for j := range c.parts[:i] {
			if before := c.parts[j].collation; before != nil && before.id == id {
				p.collation = before
			}
		}
		if p.collation == nil {
			p.collation = newCollation(id)
		}
	}
	return p, nil
}

// Len is the number of parts.
func (c *KeyCodec) Len() int { return len(c.parts) }

// Append appends v as part i of a key. v is a value of the part's type as the
// engine stores it, or nil for NULL; values of a neighbouring Go type are
// converted by the engine's rules. It fails with *ValueError if v is no value of
// the type. On failure the contents of dst beyond its length are undefined.
func (c *KeyCodec) Append(ctx context.Context, dst []byte, i int, v any) ([]byte, error) {
	p := &c.parts[i]
	from := len(dst)
	if v == nil {
		return append(dst, tagNull^p.mask), nil
	}
	out, ok, err := p.appendValue(ctx, dst, v)
	if !ok && err == nil {
		if v, err = p.convert(ctx, v); err == nil {
			out, ok, err = p.appendValue(ctx, dst, v)
		}
	}
	if err != nil {
		return dst, err
	}
	if !ok {
		return dst, &ValueError{Type: p.typ, Value: v}
	}
	if p.mask != 0 {
		flip(out[from:])
	}
	return out, nil
}

// appendValue appends v in ascending form. ok is false if v does not have a Go
// type that the kind knows, or needs rounding, and must be converted first.
func (p *keyPart) appendValue(ctx context.Context, dst []byte, v any) (out []byte, ok bool, err error) {
	switch p.kind {
	case kindText:
		return p.appendText(dst, v)
	case kindBytes, kindVector:
		return p.appendBytes(dst, v)
	case kindFloat32:
		if f, ok := v.(float32); ok {
			return appendKeyFloat32(dst, f), true, nil
		}
		return dst, false, nil
	case kindFloat64:
		if f, ok := v.(float64); ok {
			return appendKeyFloat64(dst, f), true, nil
		}
		return dst, false, nil
	case kindDecimal:
		return p.appendDecimal(dst, v)
	case kindDate, kindDatetime, kindTime:
		return p.appendMoment(dst, v)
	case kindJSON:
		return appendKeyJSON(ctx, dst, v)
	case kindGeometry:
		if g, ok := v.(types.GeometryValue); ok {
			return appendKeyBytes(append(dst, tagValue), g.Serialize()), true, nil
		}
		return dst, false, nil
	case kindNull:
		return dst, false, &ValueError{Type: p.typ, Value: v}
	}
	return p.appendInteger(dst, v)
}

func (p *keyPart) appendInteger(dst []byte, v any) ([]byte, bool, error) {
	n, ok := integerOf(v)
	if !ok || p.kind == kindEnum && !isIndex(v) || p.kind == kindYear && !isYear(v) {
		return dst, false, nil
	}
	if !n.fits(&p.column) {
		return dst, false, &ValueError{Type: p.typ, Value: v, Cause: ErrOutOfRange}
	}
	return appendKeyInteger(dst, n), true, nil
}

// isIndex reports whether v is an ENUM as stored. Other integers are subject to
// the engine's conversion, which depends on the SQL mode.
func isIndex(v any) bool { _, ok := v.(uint16); return ok }

// isYear reports whether v is a YEAR as stored. Other integers may be years of
// two digits.
func isYear(v any) bool { _, ok := v.(int16); return ok }

func (p *keyPart) appendText(dst []byte, v any) ([]byte, bool, error) {
	s, ok := v.(string)
	if !ok {
		return dst, false, nil
	}
	if p.prefix > 0 {
		s, _ = truncate(s, p.prefix)
	} else if p.collation.reversible() && !utf8.ValidString(s) {
		// The key could not give the text back.
		return dst, false, &ValueError{Type: p.typ, Value: v, Cause: errIllFormed}
	}
	return p.collation.appendKey(append(dst, tagValue), s), true, nil
}

func (p *keyPart) appendBytes(dst []byte, v any) ([]byte, bool, error) {
	switch b := v.(type) {
	case []byte:
		if p.prefix > 0 && len(b) > p.prefix {
			b = b[:p.prefix]
		}
		return appendKeyBytes(append(dst, tagValue), b), true, nil
	case string:
		if p.kind == kindVector {
			return dst, false, nil
		}
		if p.prefix > 0 && len(b) > p.prefix {
			b = b[:p.prefix]
		}
		return appendKeyBytes(append(dst, tagValue), b), true, nil
	}
	return dst, false, nil
}

func (p *keyPart) appendDecimal(dst []byte, v any) ([]byte, bool, error) {
	d, ok := v.(*apd.Decimal)
	if !ok {
		return dst, false, nil
	}
	if d = p.atScale(d); p.scaled && d.Exponent != -p.scale {
		return dst, false, nil
	}
	if !p.holds(d) {
		return dst, false, &ValueError{Type: p.typ, Value: v, Cause: ErrOutOfRange}
	}
	return appendKeyDecimal(dst, d), true, nil
}

func (p *keyPart) appendMoment(dst []byte, v any) ([]byte, bool, error) {
	n, ok, err := p.momentNumber(v)
	if !ok {
		return dst, false, err
	}
	return appendKeyInteger(dst, signedInteger(n)), true, nil
}

// momentNumber returns the integer that a DATE (days), DATETIME or TIME
// (microseconds) is stored as.
func (c *column) momentNumber(v any) (n int64, ok bool, err error) {
	if c.kind == kindTime {
		span, ok := v.(types.Timespan)
		if !ok {
			return 0, false, nil
		}
		if n = span.AsMicroseconds(); n > timeMax || n < -timeMax {
			return 0, false, &ValueError{Type: c.typ, Value: v, Cause: ErrOutOfRange}
		}
		return n, true, nil
	}
	t, ok := v.(time.Time)
	if !ok {
		return 0, false, nil
	}
	if !inRange(t) {
		return 0, false, &ValueError{Type: c.typ, Value: v, Cause: ErrOutOfRange}
	}
	if c.kind == kindDate {
		day, exact := floorDay(t)
		return day, exact, nil
	}
	return t.UnixMicro(), t.Nanosecond()%c.unitNanos == 0, nil
}

// Reversible reports whether Decode returns the exact value of part i. It does
// not for FLOAT and DOUBLE (the zeros and the NaNs are one key), for text under
// a collation that makes different texts equal, for prefixes, JSON and geometry.
func (c *KeyCodec) Reversible(i int) bool {
	p := &c.parts[i]
	switch p.kind {
	case kindText:
		return p.prefix == 0 && p.collation.reversible()
	case kindBytes:
		return p.prefix == 0
	case kindDecimal:
		return p.scaled
	case kindFloat32, kindFloat64, kindJSON, kindGeometry:
		return false
	}
	return true
}

// Decode reads part i from the beginning of src and returns its value, nil for
// NULL, and what follows. The value shares nothing with src. It fails with
// ErrNotReversible, or with ErrCorrupt.
func (c *KeyCodec) Decode(i int, src []byte) (v any, rest []byte, err error) {
	if !c.Reversible(i) {
		return nil, nil, ErrNotReversible
	}
	p := &c.parts[i]
	if len(src) == 0 {
		return nil, nil, corrupt("key part is missing")
	}
	if src[0] == tagNull^p.mask {
		return nil, src[1:], nil
	}
	switch p.kind {
	case kindNull:
		return nil, nil, corrupt("key part of type NULL has a value")
	case kindText, kindBytes, kindVector:
		return p.decodeBytes(src)
	case kindDecimal:
		return p.decodeDecimal(src)
	}
	n, rest, err := readKeyInteger(src, p.mask)
	if err != nil {
		return nil, nil, err
	}
	switch {
	case p.kind == kindDate || p.kind == kindDatetime:
		t, err := p.moment(int64(n.bits))
		if err != nil {
			return nil, nil, err
		}
		return t, rest, nil
	case p.kind == kindTime:
		span, err := timespan(int64(n.bits))
		if err != nil {
			return nil, nil, err
		}
		return span, rest, nil
	case !n.fits(&p.column):
		return nil, nil, corrupt("integer is out of range")
	}
	return boxInteger(p.kind, n.bits), rest, nil
}

func (p *keyPart) decodeBytes(src []byte) (any, []byte, error) {
	if src[0]^p.mask != tagValue {
		return nil, nil, corrupt("key part has an unknown tag")
	}
	b, rest, err := readKeyBytes(src[1:], p.mask)
	if err != nil {
		return nil, nil, err
	}
	if p.kind != kindText {
		return b, rest, nil
	}
	if !utf8.Valid(b) {
		return nil, nil, corrupt("text in a key is ill-formed")
	}
	return alias(b), rest, nil
}

func (p *keyPart) decodeDecimal(src []byte) (any, []byte, error) {
	d, rest, err := readKeyDecimal(src, p.mask, p.scale, p.precision)
	if err != nil {
		return nil, nil, err
	}
	return d, rest, nil
}

// Skip returns what follows part i at the beginning of src. It fails with
// ErrCorrupt.
func (c *KeyCodec) Skip(i int, src []byte) (rest []byte, err error) {
	p := &c.parts[i]
	if len(src) == 0 {
		return nil, corrupt("key part is missing")
	}
	tag := src[0] ^ p.mask
	if tag == tagNull {
		return src[1:], nil
	}
	switch p.kind {
	case kindNull:
		return nil, corrupt("key part of type NULL has a value")
	case kindDecimal:
		_, _, _, rest, err = keyDecimalParts(src, p.mask)
		return rest, err
	case kindJSON:
		return skipKeyJSON(src, p.mask)
	case kindText, kindBytes, kindVector, kindGeometry, kindFloat32, kindFloat64:
		if tag != tagValue {
			return nil, corrupt("key part has an unknown tag")
		}
		return p.skipTagged(src[1:])
	}
	_, rest, err = readKeyInteger(src, p.mask)
	return rest, err
}

// skipTagged skips what follows a tagValue.
func (p *keyPart) skipTagged(src []byte) ([]byte, error) {
	switch p.kind {
	case kindText:
		return p.collation.skipKey(src, p.mask)
	case kindFloat32, kindFloat64:
		if len(src) < p.width {
			return nil, corrupt("float key is cut off")
		}
		return src[p.width:], nil
	}
	return skipKeyBytes(src, p.mask)
}
