package enc

import (
	"encoding/binary"
	"math"
	"time"

	"github.com/cockroachdb/apd/v3"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// Decoder reads the same columns of many rows of one layout. It does what
// Layout.Decode does with a fraction of the allocations, by taking the values of
// many rows from one piece of memory; a value that is kept therefore keeps up to
// a few kilobytes of others. A Decoder is used by one goroutine at a time.
type Decoder struct {
	layout   *Layout
	cols, to []int

	int32s    slab[int32]
	int64s    slab[int64]
	uint32s   slab[uint32]
	uint64s   slab[uint64]
	float64s  slab[float64]
	times     slab[time.Time]
	spans     slab[types.Timespan]
	strings   slab[string]
	decimals  slab[apd.Decimal]
	textBytes textSlab
}

// NewDecoder returns a decoder that reads column cols[k] into dst[to[k]]. The
// slices must not change afterwards.
func (l *Layout) NewDecoder(cols, to []int) *Decoder {
	return &Decoder{layout: l, cols: cols, to: to}
}

// Decode reads one row. Values share nothing with src. It fails with ErrVersion
// or ErrCorrupt; dst may then be filled in part.
func (d *Decoder) Decode(src []byte, dst []any) error {
	r, err := d.layout.view(src)
	if err != nil {
		return err
	}
	for k, col := range d.cols {
		c := &d.layout.columns[col]
		body, null, err := r.body(c)
		if err != nil {
			return err
		}
		if null {
			dst[d.to[k]] = nil
			continue
		}
		if dst[d.to[k]], err = d.value(&c.column, body); err != nil {
			return err
		}
	}
	d.layout.decoded.Add(uint64(len(d.cols)))
	return nil
}

// value is column.value with the values taken from slabs.
func (d *Decoder) value(c *column, src []byte) (any, error) {
	switch c.kind {
	case kindInt24, kindInt32:
		return d.int32s.box(int32(readFixed(src))), nil
	case kindInt64:
		return d.int64s.box(int64(readFixed(src))), nil
	case kindUint32:
		return d.uint32s.box(uint32(readFixed(src))), nil
	case kindUint64, kindSet:
		return d.uint64s.box(readFixed(src)), nil
	case kindFloat64:
		return d.float64s.box(math.Float64frombits(binary.LittleEndian.Uint64(src))), nil
	case kindText:
		return d.strings.box(d.textBytes.copy(src)), nil
	case kindDate, kindDatetime:
		t, err := c.moment(int64(readFixed(src)))
		if err != nil {
			return nil, err
		}
		return d.times.box(t), nil
	case kindTime:
		span, err := timespan(int64(readFixed(src)))
		if err != nil {
			return nil, err
		}
		return d.spans.box(span), nil
	case kindDecimal:
		if c.width > 0 {
			out := d.decimals.next()
			return out, c.scaledDecimal(out, int64(readFixed(src)))
		}
	}
	return c.value(src, false)
}
