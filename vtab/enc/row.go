package enc

import (
	"context"
	"encoding/binary"
	"math"
	"math/bits"
	"sync/atomic"

	"github.com/dolthub/go-mysql-server/sql"
)

// A row is
//
//	head | layout version | NULL bits | fixed columns | offsets | variable columns
//
// The first byte holds the format and two facts: whether there are NULL bits
// (there are none if no column is NULL) and how wide the offsets are. Columns
// that are NULL take no room among the fixed ones.
const (
	rowFormat      = 1 << 3 // in the upper five bits
	rowFormatMask  = 0xf8
	rowHasNulls    = 1 << 2
	rowOffsetsMask = 3 // 0: one byte, 1: two bytes, 2: four bytes
)

// Layout is the order and the types of the columns of rows of one version. It is
// immutable (but for a counter) and safe for concurrent use.
type Layout struct {
	version  uint32
	columns  []layoutColumn
	fixed    []int // positions of the fixed columns, in storage order
	variable []int // positions of the others
	// fixedSize is the length of the fixed columns if none is NULL.
	fixedSize int
	decoded   atomic.Uint64
}

type layoutColumn struct {
	column
	// bit is the column's number in storage order: fixed columns first.
	bit int
	// offset of a fixed column among the fixed ones, if none is NULL.
	offset int
}

// NewLayout returns the layout of the given version. It fails with *TypeError
// for types that cannot be stored.
func NewLayout(version uint32, columnTypes []sql.Type) (*Layout, error) {
	l := &Layout{version: version, columns: make([]layoutColumn, len(columnTypes))}
	for i, t := range columnTypes {
		c, err := columnOf(t)
		if err != nil {
			return nil, err
		}
		c.fixScale()
		l.columns[i].column = c
		if c.fixed() {
			l.columns[i].bit = len(l.fixed)
			l.columns[i].offset = l.fixedSize
			l.fixed = append(l.fixed, i)
			l.fixedSize += c.width
		} else {
			l.variable = append(l.variable, i)
		}
	}
	for ord, i := range l.variable {
		l.columns[i].bit = len(l.fixed) + ord
	}
	return l, nil
}

// Version is the version that rows of this layout carry.
func (l *Layout) Version() uint32 { return l.version }

// Len is the number of columns.
func (l *Layout) Len() int { return len(l.columns) }

// Decoded is the number of values that Decode has been asked for since the
// layout was made.
func (l *Layout) Decoded() uint64 { return l.decoded.Load() }

// RowVersion returns the layout version of an encoded row. It fails with
// ErrCorrupt.
func RowVersion(src []byte) (uint32, error) {
	version, _, err := rowHead(src)
	return version, err
}

// rowHead reads what precedes the NULL bits and returns its length.
func rowHead(src []byte) (version uint32, size int, err error) {
	if len(src) < 2 || src[0]&rowFormatMask != rowFormat || src[0]&rowOffsetsMask == rowOffsetsMask {
		return 0, 0, corrupt("not a row")
	}
	if src[1] < 0x80 {
		return uint32(src[1]), 2, nil
	}
	v, n := binary.Uvarint(src[1:])
	if n <= 0 || src[n] == 0 || v > math.MaxUint32 {
		return 0, 0, corrupt("row has a wrong layout version")
	}
	return uint32(v), 1 + n, nil
}

// Append appends the row of vals, which are in layout order; nil is NULL. It
// fails with ErrColumnCount, *ValueError or ErrRowTooLarge. On failure the
// contents of dst beyond its length are undefined.
func (l *Layout) Append(ctx context.Context, dst []byte, vals []any) ([]byte, error) {
	if len(vals) != len(l.columns) {
		return dst, ErrColumnCount
	}
	out := append(dst, rowFormat)
	out = binary.AppendUvarint(out, uint64(l.version))
	out, nulls := l.appendNulls(out, vals)
	if nulls {
		out[len(dst)] |= rowHasNulls
	}
	var err error
	for _, i := range l.fixed {
		if vals[i] == nil {
			continue
		}
		if out, err = l.columns[i].appendBody(ctx, out, vals[i]); err != nil {
			return dst, err
		}
	}
	if len(l.variable) == 0 {
		return out, nil
	}
	out, code, err := l.appendVariable(ctx, out, vals)
	if err != nil {
		return dst, err
	}
	out[len(dst)] |= code
	return out, nil
}

// appendNulls appends the NULL bits if any value is NULL.
func (l *Layout) appendNulls(dst []byte, vals []any) ([]byte, bool) {
	from := -1
	for i, v := range vals {
		if v != nil {
			continue
		}
		if from < 0 {
			from = len(dst)
			for range (len(l.columns) + 7) / 8 {
				dst = append(dst, 0)
			}
		}
		bit := l.columns[i].bit
		dst[from+bit/8] |= 1 << (bit % 8)
	}
	return dst, from >= 0
}

// appendVariable appends offsets and variable columns and returns the code of
// the offset width.
func (l *Layout) appendVariable(ctx context.Context, dst []byte, vals []any) ([]byte, byte, error) {
	guess := l.guessSize(vals)
	code := offsetCode(guess)
	table := len(dst)
	data := table + len(l.variable)<<code
	dst = grow(dst, data-table, guess)
	var space [32]uint32
	ends := space[:0]
	for _, i := range l.variable {
		if vals[i] != nil {
			var err error
			if dst, err = l.columns[i].appendBody(ctx, dst, vals[i]); err != nil {
				return dst, 0, err
			}
		}
		if len(dst)-data > math.MaxUint32 {
			return dst, 0, ErrRowTooLarge
		}
		ends = append(ends, uint32(len(dst)-data))
	}
	if exact := offsetCode(len(dst) - data); exact != code {
		dst = moveData(dst, data, table+len(l.variable)<<exact)
		code = exact
	}
	for ord, end := range ends {
		putOffset(dst[table+ord<<code:], code, end)
	}
	return dst, code, nil
}

// guessSize estimates the length of the variable columns.
func (l *Layout) guessSize(vals []any) int {
	const other = 16
	size := 0
	for _, i := range l.variable {
		switch v := vals[i].(type) {
		case nil:
		case string:
			size += len(v)
		case []byte:
			size += len(v)
		default:
			size += other
		}
	}
	return size
}

// grow makes n more bytes part of b, with room for more after them.
func grow(b []byte, n, more int) []byte {
	if cap(b)-len(b) < n+more {
		b = append(make([]byte, 0, 2*cap(b)+n+more), b...)
	}
	return b[:len(b)+n]
}

// moveData moves what begins at from so that it begins at to.
func moveData(b []byte, from, to int) []byte {
	size := len(b) - from
	if to > from {
		b = grow(b, to-from, 0)
	}
	copy(b[to:], b[from:from+size])
	return b[:to+size]
}

// offsetCode is the smallest offset width, as the logarithm of its bytes, for
// variable columns of the given length.
func offsetCode(size int) byte {
	switch {
	case size < 1<<8:
		return 0
	case size < 1<<16:
		return 1
	}
	return 2
}

func putOffset(dst []byte, code byte, n uint32) {
	switch code {
	case 0:
		dst[0] = byte(n)
	case 1:
		binary.LittleEndian.PutUint16(dst, uint16(n))
	default:
		binary.LittleEndian.PutUint32(dst, n)
	}
}

func offsetAt(table []byte, code byte, ord int) int {
	switch code {
	case 0:
		return int(table[ord])
	case 1:
		return int(binary.LittleEndian.Uint16(table[2*ord:]))
	}
	return int(binary.LittleEndian.Uint32(table[4*ord:]))
}

// nullBytes is the total width of the fixed columns numbered below bit that are
// NULL.
func (l *Layout) nullBytes(nulls []byte, bit int) int {
	size := 0
	for i := 0; i*8 < bit; i++ {
		set := nulls[i]
		if rest := bit - i*8; rest < 8 {
			set &= 1<<rest - 1
		}
		for ; set != 0; set &= set - 1 {
			size += l.columns[l.fixed[i*8+bits.TrailingZeros8(set)]].width
		}
	}
	return size
}
