package vtab

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/cespare/xxhash/v2"
	"github.com/dolthub/go-mysql-server/sql"

	"github.com/freshetdb/freshet/vtab/kv"
)

// tableCheck is one run of CheckTable.
type tableCheck struct {
	engine  *Engine
	view    *view
	shape   *shape
	db      string
	found   *findings
	foreign []*foreignCheck

	rows, entries uint64
	largestAuto   uint64 // AUTO_INCREMENT value
	largestID     uint64 // hidden row id
	sums          map[*indexShape]fingerprint
	buf           []byte
}

// fingerprint stands for a set of entries whatever their order: sums of two
// independent hashes of each, and the number.
type fingerprint struct {
	a, b, n uint64
}

func (f *fingerprint) add(key, value []byte, buf []byte) []byte {
	buf = binary.AppendUvarint(append(buf[:0], 0), uint64(len(key)))
	buf = append(append(buf, key...), value...)
	f.a += xxhash.Sum64(buf)
	buf[0] = 1
	f.b += xxhash.Sum64(buf)
	f.n++
	return buf
}

// run checks every part of the table that can be read, and reports those that cannot.
// Its error is that of ctx.
func (c *tableCheck) run(ctx context.Context) (err error) {
	c.sums = map[*indexShape]fingerprint{}
	if err := c.part(ctx, "foreign keys", c.openForeign); err != nil {
		return err
	}
	defer c.closeForeign(&err)
	readable := len(c.found.problems)
	if err := c.part(ctx, "", func(ctx context.Context) error { return c.eachRow(ctx, c.row) }); err != nil {
		return err
	}
	whole := !c.found.has(ProblemUnreadable, readable)
	for _, x := range c.shape.indexes {
		if !x.stores {
			continue
		}
		check := func(ctx context.Context) error { return c.index(ctx, x) }
		if !whole {
			// There is nothing to compare the entries with.
			check = func(ctx context.Context) error { return c.readRange(ctx, x.span) }
		}
		if err := c.part(ctx, "index "+quoteName(x.name), check); err != nil {
			return err
		}
	}
	if !whole {
		return nil
	}
	if err := c.part(ctx, "AUTO_INCREMENT", c.sequence); err != nil {
		return err
	}
	return c.part(ctx, "row count", c.count)
}

// part runs a part of the check. That it cannot be read is one more finding, and the
// check goes on, but for the end of ctx.
func (c *tableCheck) part(ctx context.Context, name string, check func(context.Context) error) error {
	err := check(ctx)
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return err
	}
	c.found.add(ProblemUnreadable, name, nil, "%v", err)
	return nil
}

// readRange reads all of a range.
func (c *tableCheck) readRange(ctx context.Context, span kv.Range) (err error) {
	it := c.view.reader.Scan(ctx, span, kv.ScanOptions{})
	defer closing(&err, it.Close)
	for n := 1; it.Next(); n++ {
		if n%contextEveryRows == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		if _, err := it.Value(); err != nil {
			return err
		}
	}
	return it.Err()
}

// eachRow decodes the rows; visit gets a row that it may not keep. Rows that do
// not decode are counted and, in the first pass, reported.
func (c *tableCheck) eachRow(ctx context.Context, visit func(ctx context.Context, key, value []byte, row sql.Row, err error) error) (err error) {
	dec := newDecoder(c.shape, c.shape.allColumns())
	row := make(sql.Row, len(c.shape.schema))
	it := c.view.reader.Scan(ctx, c.shape.primary.span, kv.ScanOptions{})
	defer closing(&err, it.Close)
	for n := 1; it.Next(); n++ {
		if n%contextEveryRows == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		value, err := it.Value()
		if err != nil {
			return err
		}
		clear(row)
		if err := visit(ctx, it.Key(), value, row, c.decode(ctx, dec, it.Key(), value, row)); err != nil {
			return err
		}
	}
	return it.Err()
}

// decode decodes a row, making sure of the length of a hidden row id first.
func (c *tableCheck) decode(ctx context.Context, dec *decoder, key, value []byte, row sql.Row) error {
	if c.shape.keyless() && len(key) != len(c.shape.primary.prefix)+rowIDBytes {
		return fmt.Errorf("the key holds no row id: %w", kv.ErrCorrupt)
	}
	return dec.decode(ctx, key, value, row)
}

// row checks one row by itself and adds what it should have elsewhere to the sums.
func (c *tableCheck) row(ctx context.Context, key, value []byte, row sql.Row, err error) error {
	c.rows++
	if err != nil {
		c.found.add(ProblemRow, "", key, "the row cannot be read: %v", err)
		return nil
	}
	for i, col := range c.shape.schema {
		if row[i] == nil && !c.shape.desc.Columns[i].Nullable && (!col.Virtual || c.shape.desc.Columns[i].Stored) {
			c.found.add(ProblemRow, "column "+quoteName(col.Name), key, "the value is NULL and the column is NOT NULL")
		}
	}
	if err := c.rowKey(ctx, key, row); err != nil {
		return err
	}
	for _, x := range c.shape.indexes {
		if !x.stores {
			continue
		}
		e, err := x.encodeEntry(ctx, row, c.shape.suffix(key))
		if err != nil {
			c.found.add(ProblemRow, "index "+quoteName(x.name), key, "no entry can be made of the row: %v", err)
			continue
		}
		sum := c.sums[x]
		c.buf = sum.add(e.key, e.value, c.buf)
		c.sums[x] = sum
	}
	return c.checkForeign(ctx, key, row)
}

// rowKey checks that the key is that of the values, and notes the largest values
// that counters must be beyond.
func (c *tableCheck) rowKey(ctx context.Context, key []byte, row sql.Row) error {
	if c.shape.keyless() {
		c.largestID = max(c.largestID, decodeRowID(c.shape.suffix(key)))
	} else {
		again, err := c.shape.appendRowKey(ctx, nil, row)
		if err != nil {
			c.found.add(ProblemRowKey, "", key, "no key can be made of the row: %v", err)
		} else if !bytes.Equal(again, key) {
			c.found.add(ProblemRowKey, "", key, "the values of the row make the key %x", again)
		}
	}
	if c.shape.autoCol < 0 {
		return nil
	}
	n, err := c.shape.autoValue(ctx, row)
	c.largestAuto = max(c.largestAuto, n)
	return err
}

// index compares an index with the rows.
func (c *tableCheck) index(ctx context.Context, x *indexShape) error {
	var sum fingerprint
	if err := c.eachEntry(ctx, x, func(key, value []byte) error {
		c.entries++
		c.buf = sum.add(key, value, c.buf)
		return nil
	}); err != nil {
		return err
	}
	if sum == c.sums[x] {
		return nil
	}
	before := len(c.found.problems) + int(c.found.more)
	if err := c.entriesOfRows(ctx, x); err != nil {
		return err
	}
	if err := c.rowsOfEntries(ctx, x); err != nil {
		return err
	}
	if len(c.found.problems)+int(c.found.more) == before {
		c.found.add(ProblemWrongEntry, "index "+quoteName(x.name), nil, "the index differs from the rows")
	}
	return nil
}

func (c *tableCheck) eachEntry(ctx context.Context, x *indexShape, visit func(key, value []byte) error) (err error) {
	it := c.view.reader.Scan(ctx, x.span, kv.ScanOptions{})
	defer closing(&err, it.Close)
	for n := 1; it.Next(); n++ {
		if n%contextEveryRows == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		value, err := it.Value()
		if err != nil {
			return err
		}
		if err := visit(it.Key(), value); err != nil {
			return err
		}
	}
	return it.Err()
}

// entriesOfRows looks up the entry of each row.
func (c *tableCheck) entriesOfRows(ctx context.Context, x *indexShape) error {
	part := "index " + quoteName(x.name)
	return c.eachRow(ctx, func(ctx context.Context, key, _ []byte, row sql.Row, err error) error {
		if err != nil {
			return nil // reported by the first pass
		}
		want, err := x.encodeEntry(ctx, row, c.shape.suffix(key))
		if err != nil {
			return nil // reported by the first pass
		}
		got, err := c.view.reader.Get(ctx, want.key)
		switch {
		case errors.Is(err, kv.ErrNotFound):
			c.found.add(ProblemMissingEntry, part, want.key, "the row with key %x, %s, has no entry", key, x.keyText(ctx, row))
		case err != nil:
			return err
		case bytes.Equal(got, want.value):
		case want.unique != nil && c.otherRow(ctx, x, want.key, got, key):
			c.found.add(ProblemDuplicate, part, want.key, "the row with key %x has the value %s of another row", key, x.keyText(ctx, row))
		default:
			c.found.add(ProblemWrongEntry, part, want.key, "the entry holds %x, the row with key %x makes %x", got, key, want.value)
		}
		return nil
	})
}

// otherRow reports whether a unique entry points to another row that makes it.
func (c *tableCheck) otherRow(ctx context.Context, x *indexShape, entryKey, value, key []byte) bool {
	other, ok, err := c.rowOf(ctx, x, entryKey, value)
	if err != nil || !ok || bytes.Equal(other.key, key) {
		return false
	}
	e, err := x.encodeEntry(ctx, other.row, c.shape.suffix(other.key))
	return err == nil && bytes.Equal(e.key, entryKey)
}

// keyedRow is a row with its key.
type keyedRow struct {
	key []byte
	row sql.Row
}

// rowOf reads the row that an entry points to.
func (c *tableCheck) rowOf(ctx context.Context, x *indexShape, entryKey, value []byte) (keyedRow, bool, error) {
	_, suffix, _, err := x.splitEntry(entryKey, value, nil)
	if err != nil {
		return keyedRow{}, false, err
	}
	key := append(append([]byte(nil), c.shape.primary.prefix...), suffix...)
	row, ok, err := c.shape.readRow(ctx, c.view.reader, key)
	return keyedRow{key, row}, ok, err
}

// rowsOfEntries looks up the row of each entry.
func (c *tableCheck) rowsOfEntries(ctx context.Context, x *indexShape) error {
	part := "index " + quoteName(x.name)
	return c.eachEntry(ctx, x, func(key, value []byte) error {
		found, ok, err := c.rowOf(ctx, x, key, value)
		switch {
		case errors.Is(err, kv.ErrCorrupt):
			c.found.add(ProblemStrayEntry, part, key, "the entry or its row cannot be read: %v", err)
			return nil
		case err != nil:
			return err
		case !ok:
			c.found.add(ProblemStrayEntry, part, key, "the entry points to the row key %x, where no row is", found.key)
			return nil
		}
		want, err := x.encodeEntry(ctx, found.row, c.shape.suffix(found.key))
		if err != nil || !bytes.Equal(want.key, key) {
			c.found.add(ProblemStrayEntry, part, key, "the row with key %x, %s, has another entry", found.key, x.keyText(ctx, found.row))
		}
		return nil // another value was reported with the row
	})
}

// sequence checks the counters of the table.
func (c *tableCheck) sequence(ctx context.Context) error {
	if c.shape.autoCol >= 0 {
		if err := c.counter(ctx, "AUTO_INCREMENT", sequenceKey(c.shape.desc.ID), c.shape.sequenceStart(), c.largestAuto); err != nil {
			return err
		}
	}
	if c.shape.keyless() {
		return c.counter(ctx, "hidden row id", sequenceKey(c.shape.desc.Physical), 1, c.largestID)
	}
	return nil
}

func (c *tableCheck) counter(ctx context.Context, what string, key []byte, start, largest uint64) error {
	next, err := readUint64(ctx, c.view.reader, key)
	if errors.Is(err, kv.ErrCorrupt) {
		c.found.add(ProblemSequence, what, key, "%v", err)
		return nil
	}
	if err != nil {
		return err
	}
	if next = max(next, start); next <= largest && next != math.MaxUint64 {
		c.found.add(ProblemSequence, what, key, "the next value is %d, and a row has %d", next, largest)
	}
	return nil
}

// count checks the stored number of rows.
func (c *tableCheck) count(ctx context.Context) error {
	key := countKey(c.shape.desc.Physical)
	n, err := readUint64(ctx, c.view.reader, key)
	if errors.Is(err, kv.ErrCorrupt) {
		c.found.add(ProblemCount, "", key, "%v", err)
		return nil
	}
	if err != nil {
		return err
	}
	if n != c.rows {
		c.found.add(ProblemCount, "", key, "the stored count is %d, and there are %d rows", n, c.rows)
	}
	return nil
}
