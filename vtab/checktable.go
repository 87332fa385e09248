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
	largest       uint64 // AUTO_INCREMENT value, or hidden row id
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

func (c *tableCheck) run(ctx context.Context) error {
	c.sums = map[*indexShape]fingerprint{}
	if err := c.openForeign(ctx); err != nil {
		return err
	}
	defer c.closeForeign()
	if err := c.eachRow(ctx, c.row); err != nil {
		return err
	}
	for _, x := range c.shape.indexes {
		if !x.stores {
			continue
		}
		if err := c.index(ctx, x); err != nil {
			return err
		}
	}
	if err := c.sequence(ctx); err != nil {
		return err
	}
	return c.count(ctx)
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

// rowKey checks that the key is that of the values, and notes the largest value
// that a counter must be beyond.
func (c *tableCheck) rowKey(ctx context.Context, key []byte, row sql.Row) error {
	if c.shape.keyless() {
		c.largest = max(c.largest, decodeRowID(c.shape.suffix(key)))
	} else {
		again, err := c.shape.appendRowKey(ctx, nil, row)
		if err != nil {
			c.found.add(ProblemRowKey, "", key, "no key can be made of the row: %v", err)
		} else if !bytes.Equal(again, key) {
			c.found.add(ProblemRowKey, "", key, "the values of the row %s make the key %x", c.shape.rowText(ctx, row), again)
		}
	}
	if c.shape.autoCol < 0 || c.shape.keyless() {
		// A keyless table has no AUTO_INCREMENT of its own to look at but through
		// an index; autoValue below covers it.
		if c.shape.autoCol < 0 {
			return nil
		}
	}
	n, err := c.shape.autoValue(ctx, row[c.shape.autoCol])
	if err != nil {
		c.found.add(ProblemRow, "column "+quoteName(c.shape.schema[c.shape.autoCol].Name), key, "%v", err)
		return nil
	}
	c.auto(n)
	return nil
}
