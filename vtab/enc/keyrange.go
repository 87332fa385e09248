package enc

import (
	"context"
	"fmt"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
)

// CutAt says where among the values of a key part a Cut lies.
type CutAt uint8

const (
	CutStart     CutAt = iota // before everything, NULL included
	CutAfterNull              // between NULL and all values
	CutBefore                 // just below Cut.Value
	CutAfter                  // just above Cut.Value
	CutEnd                    // after everything
)

// Cut is a position in the ascending order of a key part: NULL, then values.
type Cut struct {
	At    CutAt
	Value any // for CutBefore and CutAfter; not nil
}

// CutOf translates an end of the engine's index range.
func CutOf(c sql.MySQLRangeCut) (Cut, error) {
	switch c := c.(type) {
	case sql.BelowNull:
		return Cut{At: CutStart}, nil
	case sql.AboveNull:
		return Cut{At: CutAfterNull}, nil
	case sql.Below:
		return Cut{At: CutBefore, Value: c.Key}, nil
	case sql.Above:
		return Cut{At: CutAfter, Value: c.Key}, nil
	case sql.AboveAll:
		return Cut{At: CutEnd}, nil
	}
	return Cut{}, fmt.Errorf("unknown end of an index range: %T", c)
}

// AppendRange returns the key range [start, end) of the keys that begin with
// prefix (the encoded parts before i, which is not modified) and whose part i
// lies between lo and hi, both in ascending order also for a descending part.
// If start is not below end there are none. Values are taken as by AppendBound.
//
// For a part with a prefix length the range may hold more keys than asked for,
// never fewer: those whose value shares its prefix with an end.
func (c *KeyCodec) AppendRange(ctx context.Context, prefix []byte, i int, lo, hi Cut) (start, end []byte, err error) {
	first, last := lo, hi
	if c.parts[i].mask != 0 {
		first, last = hi, lo
	}
	if start, err = c.appendCut(ctx, prefix, i, first, true); err != nil {
		return nil, nil, err
	}
	if end, err = c.appendCut(ctx, prefix, i, last, false); err != nil {
		return nil, nil, err
	}
	return start, end, nil
}

// appendCut appends a cut to a copy of prefix, as the start or the end of a
// range.
func (c *KeyCodec) appendCut(ctx context.Context, prefix []byte, i int, cut Cut, start bool) ([]byte, error) {
	const room = 32
	dst := append(make([]byte, 0, len(prefix)+room), prefix...)
	p := &c.parts[i]
	descending := p.mask != 0
	switch cut.At {
	case CutStart, CutEnd:
		if (cut.At == CutEnd) != descending {
			dst = append(dst, tagAfter)
		}
		return dst, nil
	case CutAfterNull:
		// tagBelow, flipped for a descending part, lies between NULL and the
		// values either way.
		return append(dst, tagBelow^p.mask), nil
	}
	dst, err := c.AppendBound(ctx, dst, i, cut.Value)
	if err != nil {
		return nil, err
	}
	behind := (cut.At == CutAfter) != descending
	if p.prefix > 0 {
		behind = p.prefixBehind(cut, start, behind)
	}
	if behind {
		dst = append(dst, tagAfter)
	}
	return dst, nil
}

// prefixBehind decides whether a cut at a prefix part lies behind the keys that
// share the prefix of its value. Keys of values that may lie inside the range
// must not be cut off. A value shorter than the prefix length is the only one
// with its key, and is cut exactly, unless blanks at the end of longer ones do not
// count.
func (p *keyPart) prefixBehind(cut Cut, start, behind bool) bool {
	if p.collation != nil && p.collation.pads {
		return !start
	}
	if n := p.length(cut.Value); n >= 0 && n < p.prefix {
		return behind
	}
	return !start
}

// length is the number of characters (bytes for binary types) of v, or -1 if v
// is not text.
func (p *keyPart) length(v any) int {
	switch s := v.(type) {
	case string:
		if p.kind == kindText {
			return utf8.RuneCountInString(s)
		}
		return len(s)
	case []byte:
		if p.kind == kindText {
			return utf8.RuneCount(s)
		}
		return len(s)
	}
	return -1
}
