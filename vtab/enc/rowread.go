package enc

import "context"

// rowView is an encoded row taken apart, without looking at any column.
type rowView struct {
	layout *Layout
	nulls  []byte // nil if no column is NULL
	fixed  []byte
	table  []byte // offsets: where each variable column ends
	code   byte
	data   []byte // variable columns
}

// view checks the frame of a row.
func (l *Layout) view(src []byte) (rowView, error) {
	version, at, err := rowHead(src)
	if err != nil {
		return rowView{}, err
	}
	if version != l.version {
		return rowView{}, ErrVersion
	}
	r := rowView{layout: l, code: src[0] & rowOffsetsMask}
	fixedSize := l.fixedSize
	if src[0]&rowHasNulls != 0 {
		size := (len(l.columns) + 7) / 8
		if len(src)-at < size {
			return rowView{}, corrupt("row is cut off in its NULL bits")
		}
		r.nulls = src[at : at+size]
		at += size
		fixedSize -= l.nullBytes(r.nulls, len(l.fixed))
	}
	tableSize := len(l.variable) << r.code
	if len(src)-at < fixedSize+tableSize {
		return rowView{}, corrupt("row is cut off")
	}
	r.fixed = src[at : at+fixedSize]
	at += fixedSize
	r.table = src[at : at+tableSize]
	r.data = src[at+tableSize:]
	end := 0
	if n := len(l.variable); n > 0 {
		end = offsetAt(r.table, r.code, n-1)
	} else if r.code != 0 {
		return rowView{}, corrupt("row has offsets and no columns for them")
	}
	if end != len(r.data) {
		return rowView{}, corrupt("row is not as long as it says")
	}
	return r, nil
}

// body returns the bytes of a column, and whether the column is NULL.
func (r *rowView) body(c *layoutColumn) (b []byte, null bool, err error) {
	if r.nulls != nil && r.nulls[c.bit/8]&(1<<(c.bit%8)) != 0 {
		return nil, true, nil
	}
	if c.width > 0 {
		at := c.offset
		if r.nulls != nil {
			at -= r.layout.nullBytes(r.nulls, c.bit)
		}
		return r.fixed[at : at+c.width], false, nil
	}
	if c.kind == kindNull {
		return nil, false, corrupt("column of type NULL is not NULL")
	}
	ord := c.bit - len(r.layout.fixed)
	start := 0
	if ord > 0 {
		start = offsetAt(r.table, r.code, ord-1)
	}
	end := offsetAt(r.table, r.code, ord)
	if start > end || end > len(r.data) {
		return nil, false, corrupt("row has its offsets out of order")
	}
	return r.data[start:end], false, nil
}

// Decode reads the columns cols of an encoded row: column cols[k] into
// dst[to[k]], nil for NULL. Other elements of dst are left alone. Values share
// nothing with src. Columns not asked for cost nothing. It fails with ErrVersion
// or ErrCorrupt; dst may then be filled in part.
func (l *Layout) Decode(ctx context.Context, src []byte, cols []int, dst []any, to []int) error {
	return l.decode(src, cols, dst, to, false)
}

// DecodeShared is Decode for bytes that will never change: text and binary
// values are parts of src and keep all of it alive.
func (l *Layout) DecodeShared(ctx context.Context, src []byte, cols []int, dst []any, to []int) error {
	return l.decode(src, cols, dst, to, true)
}

func (l *Layout) decode(src []byte, cols []int, dst []any, to []int, shared bool) error {
	r, err := l.view(src)
	if err != nil {
		return err
	}
	for k, col := range cols {
		c := &l.columns[col]
		body, null, err := r.body(c)
		if err != nil {
			return err
		}
		if null {
			dst[to[k]] = nil
			continue
		}
		if dst[to[k]], err = c.value(body, shared); err != nil {
			return err
		}
	}
	l.decoded.Add(uint64(len(cols)))
	return nil
}
