package vtab

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/freshetdb/freshet/vtab/enc"
	"github.com/freshetdb/freshet/vtab/kv"
)

// rowIDBytes is the length of a hidden row id in a key.
const rowIDBytes = 8

// appendRowKey encodes the key of a row of a table with a primary key.
func (s *shape) appendRowKey(ctx context.Context, dst []byte, row sql.Row) ([]byte, error) {
	return s.primary.appendParts(ctx, append(dst, s.primary.prefix...), row)
}

// appendParts encodes the key parts of x for a row.
func (x *indexShape) appendParts(ctx context.Context, dst []byte, row sql.Row) ([]byte, error) {
	var err error
	for i, ord := range x.cols {
		if dst, err = x.codec.Append(ctx, dst, i, row[ord]); err != nil {
			return nil, fmt.Errorf("key part %d of %s: %w", i+1, x.name, err)
		}
	}
	return dst, nil
}

// appendRowID appends a hidden row id.
func (s *shape) appendRowID(dst []byte, id uint64) []byte {
	return binary.BigEndian.AppendUint64(append(dst, s.primary.prefix...), id)
}

// encodeRow encodes the value of a row: the columns that its key does not hold.
// scratch is reused for the column values.
func (s *shape) encodeRow(ctx context.Context, dst []byte, row sql.Row, scratch []any) ([]byte, error) {
	vals := scratch[:0]
	for _, ord := range s.layout.ordinals {
		vals = append(vals, row[ord])
	}
	return s.layout.codec.Append(ctx, dst, vals)
}

// entry is an index entry of a row.
type entry struct {
	key, value []byte
	// unique is the part of the key that no other row may have; nil when the
	// entry constrains nothing (plain index, or a NULL among its parts).
	unique []byte
}

// encodeEntry encodes the entry of x for a row whose key suffix (the row key
// without the table's prefix) is suffix.
func (x *indexShape) encodeEntry(ctx context.Context, row sql.Row, suffix []byte) (entry, error) {
	key, err := x.appendParts(ctx, append(make([]byte, 0, len(x.prefix)+len(suffix)+16*len(x.cols)), x.prefix...), row)
	if err != nil {
		return entry{}, err
	}
	if len(key)-len(x.prefix) > maxStoredKeyBytes {
		return entry{}, errKeyTooLong(maxIndexBytes)
	}
	constrains := x.unique
	for _, ord := range x.cols {
		constrains = constrains && row[ord] != nil
	}
	var e entry
	var value []byte
	if constrains {
		e.unique = key
		value = append(binary.AppendUvarint(nil, uint64(len(suffix))+1), suffix...)
	} else {
		key = append(key, suffix...)
		value = []byte{0}
	}
	for _, i := range x.exact {
		if value, err = enc.AppendValue(ctx, value, x.parts[i].Type, row[x.cols[i]]); err != nil {
			return entry{}, err
		}
	}
	e.key, e.value = key, value
	return e, nil
}

// maxStoredKeyBytes bounds one encoded key. Collation weights take up to four
// bytes a character, so it is larger than what MySQL counts.
const maxStoredKeyBytes = 6 * maxIndexBytes

// splitEntry takes an index entry apart: the offsets of the key parts, the key
// suffix of the row, and the exact values.
func (x *indexShape) splitEntry(key, value []byte, parts [][]byte) (split [][]byte, suffix, exact []byte, err error) {
	rest := key[len(x.prefix):]
	for i := range x.cols {
		after, err := x.codec.Skip(i, rest)
		if err != nil {
			return nil, nil, nil, fmt.Errorf("index %s: %w", x.name, err)
		}
		parts = append(parts, rest[:len(rest)-len(after)])
		rest = after
	}
	n, w := binary.Uvarint(value)
	if w <= 0 || n > uint64(len(value)-w)+1 {
		return nil, nil, nil, fmt.Errorf("index %s: entry value: %w", x.name, kv.ErrCorrupt)
	}
	if n == 0 {
		return parts, rest, value[w:], nil
	}
	end := w + int(n) - 1
	return parts, value[w:end], value[end:], nil
}

// decoder decodes some columns of rows of one shape into rows of len(to) values.
type decoder struct {
	s    *shape
	want []int // ordinals, in output order
	// plans by layout version; built on first use.
	plans map[uint32]*decodePlan
	last  *decodePlan
	lastV uint32
	width int
}

// decodePlan says for one layout which stored column and which key part goes where.
type decodePlan struct {
	stored   *enc.Decoder // nil if no stored column is wanted
	cols, to []int        // stored columns and their places in the output
	keyTo    []int        // per key part: place in the output, -1 if not wanted
	lastKey  int          // last key part that is wanted, -1 for none
	missing  []missing
}

// missing is the value, in its place, of a column that rows of an old layout do not
// store. All rows share it.
type missing struct {
	to    int
	value any
}

func newDecoder(s *shape, want []int) *decoder {
	return &decoder{s: s, want: want, plans: map[uint32]*decodePlan{}, width: len(want)}
}

func (d *decoder) plan(ctx context.Context, version uint32) (*decodePlan, error) {
	if d.last != nil && d.lastV == version {
		return d.last, nil
	}
	p := d.plans[version]
	if p == nil {
		l := d.s.layouts[version]
		if l == nil {
			return nil, fmt.Errorf("table %s: row of unknown layout %d: %w", d.s.desc.Name, version, kv.ErrCorrupt)
		}
		var err error
		if p, err = d.newPlan(ctx, l); err != nil {
			return nil, err
		}
		d.plans[version] = p
	}
	d.last, d.lastV = p, version
	return p, nil
}

func (d *decoder) newPlan(ctx context.Context, l *storedLayout) (*decodePlan, error) {
	p := &decodePlan{lastKey: -1, keyTo: make([]int, len(d.s.primary.cols))}
	for i := range p.keyTo {
		p.keyTo[i] = -1
	}
	for to, ord := range d.want {
		if src, ok := d.s.primary.covers[ord]; ok {
			p.keyTo[src.part] = to
			p.lastKey = max(p.lastKey, src.part)
			continue
		}
		if at := l.at[ord]; at >= 0 {
			p.cols = append(p.cols, at)
			p.to = append(p.to, to)
			continue
		}
		if !d.s.schema[ord].Virtual {
			v, err := d.s.missingValue(ctx, ord)
			if err != nil {
				return nil, fmt.Errorf("table %s: column %s of old rows: %w", d.s.desc.Name, d.s.desc.Columns[ord].Name, err)
			}
			p.missing = append(p.missing, missing{to, v})
		}
	}
	if len(p.cols) > 0 {
		p.stored = l.codec.NewDecoder(p.cols, p.to)
	}
	return p, nil
}

// decode decodes the wanted columns of a stored row into dst.
func (d *decoder) decode(ctx context.Context, key, value []byte, dst sql.Row) error {
	version, err := enc.RowVersion(value)
	if err != nil {
		return err
	}
	p, err := d.plan(ctx, version)
	if err != nil {
		return err
	}
	if p.stored != nil {
		if err := p.stored.Decode(value, dst); err != nil {
			return fmt.Errorf("table %s: %w", d.s.desc.Name, err)
		}
	}
	for _, m := range p.missing {
		dst[m.to] = m.value
	}
	return d.decodeKey(p, key, dst)
}

func (d *decoder) decodeKey(p *decodePlan, key []byte, dst sql.Row) error {
	if p.lastKey < 0 {
		return nil
	}
	return decodeParts(d.s.primary, key[len(d.s.primary.prefix):], p.keyTo, p.lastKey, dst)
}

// decodeParts decodes the wanted parts of an encoded key.
func decodeParts(x *indexShape, src []byte, to []int, last int, dst sql.Row) error {
	var err error
	for i := 0; i <= last; i++ {
		if to[i] < 0 {
			src, err = x.codec.Skip(i, src)
		} else {
			dst[to[i]], src, err = x.codec.Decode(i, src)
		}
		if err != nil {
			return fmt.Errorf("key %s: %w", x.name, err)
		}
	}
	return nil
}

// missingValue is the value of a column in rows stored before it was added.
func (s *shape) missingValue(ctx context.Context, ord int) (any, error) {
	b := s.desc.Columns[ord].Missing
	if b == nil {
		return nil, nil
	}
	v, _, err := enc.DecodeValue(ctx, s.schema[ord].Type, b)
	return v, err
}

// allColumns lists every ordinal.
func (s *shape) allColumns() []int {
	all := make([]int, len(s.schema))
	for i := range all {
		all[i] = i
	}
	return all
}

// decodeRow decodes a whole row.
func (s *shape) decodeRow(ctx context.Context, key, value []byte) (sql.Row, error) {
	d := newDecoder(s, s.allColumns())
	row := make(sql.Row, len(s.schema))
	return row, d.decode(ctx, key, value, row)
}

// readRow reads and decodes a row; ok is false if there is none.
func (s *shape) readRow(ctx context.Context, r kv.Reader, key []byte) (row sql.Row, ok bool, err error) {
	value, err := r.Get(ctx, key)
	if errors.Is(err, kv.ErrNotFound) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	row, err = s.decodeRow(ctx, key, value)
	return row, err == nil, err
}

// decodeRowID reads a hidden row id from the end of a key.
func decodeRowID(id []byte) uint64 { return binary.BigEndian.Uint64(id) }
