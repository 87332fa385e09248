package vtab

import (
	"encoding/binary"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/freshetdb/freshet/catalog"
	"github.com/freshetdb/freshet/vtab/kv"
)

// RepairTable rebuilds what can be derived from the rows of a table: all indexes,
// in new key ranges, the row count, and counters that are behind. Rows are not
// touched: one that cannot be read, or that shares a unique value with another,
// fails the repair and changes nothing. The session's transaction commits it; the
// table is locked meanwhile, also against readers that come later.
//
// One pass over the rows and bulk writes of the entries; memory as for CREATE
// INDEX. Errors: sql.ErrDatabaseNotFound, sql.ErrTableNotFound,
// *catalog.BrokenEntryError, 1062, lock waits, failures to read or write.
func (e *Engine) RepairTable(ctx *sql.Context, db, table string) error {
	tx, err := transactionOf(ctx)
	if err != nil {
		return err
	}
	defs, err := tx.definitions(ctx)
	if err != nil {
		return err
	}
	d, ok := defs.DB(db)
	if !ok {
		return sql.ErrDatabaseNotFound.New(db)
	}
	found, ok, err := newDatabase(e, d).GetTableInsensitive(ctx, table)
	if err != nil {
		return err
	}
	if !ok {
		return sql.ErrTableNotFound.New(table)
	}
	return found.(*Table).repair(ctx)
}

// repair builds the indexes anew beside the old ones and puts them in their place.
func (t *Table) repair(ctx *sql.Context) error {
	var tx *Transaction
	var next *catalog.Table
	var old, ids []catalog.ID
	err := t.alter(ctx, func(x *Transaction, d *catalog.Table) (err error) {
		tx = x
		if next, err = catalog.Clone(d); err != nil {
			return err
		}
		for i := range next.Indexes {
			old = append(old, next.Indexes[i].Physical)
			next.Indexes[i].Physical = tx.newID()
			ids = append(ids, next.Indexes[i].Physical)
		}
		return nil // the present definition stays until the indexes are built
	})
	if err != nil {
		return err
	}
	s, err := newShape(ctx, t.db.name, next)
	if err != nil {
		return err
	}
	b, err := newBuild(ctx, tx, s, ids)
	if err != nil {
		return err
	}
	if err := b.repair(ctx); err != nil {
		b.discard()
		return err
	}
	if err := b.finish(); err != nil {
		return err
	}
	if err := tx.dropRows(ctx, t.temporary, old...); err != nil {
		return err
	}
	if err := tx.repairCount(ctx, next.Physical, b.rows); err != nil {
		return err
	}
	if err := b.repairCounters(ctx); err != nil {
		return err
	}
	return t.alter(ctx, func(_ *Transaction, d *catalog.Table) error {
		*d = *next
		return nil
	})
}

// repairCount sets the number of rows, also where nothing else changes.
func (tx *Transaction) repairCount(ctx *sql.Context, id catalog.ID, rows uint64) error {
	w, err := tx.store(ctx)
	if err != nil {
		return err
	}
	tx.noteBuilt(id, rows)
	return w.Put(countKey(id), binary.BigEndian.AppendUint64(nil, rows))
}

// repair writes the entries of every row into the new ranges.
func (b *build) repair(ctx *sql.Context) (err error) {
	s, err := b.tx.store(ctx)
	if err != nil {
		return err
	}
	dec := newDecoder(b.shape, b.shape.allColumns())
	row := make(sql.Row, len(b.shape.schema))
	it := s.Latest(kv.Now).Scan(ctx, b.shape.primary.span, kv.ScanOptions{})
	defer closing(&err, it.Close)
	for it.Next() {
		if err := b.tick(ctx); err != nil {
			return err
		}
		value, err := it.Value()
		if err != nil {
			return err
		}
		clear(row)
		if err := dec.decode(ctx, it.Key(), value, row); err != nil {
			return err
		}
		if err := b.repairRow(ctx, it.Key(), row); err != nil {
			return err
		}
	}
	return it.Err()
}

func (b *build) repairRow(ctx *sql.Context, key []byte, row sql.Row) error {
	for _, x := range b.shape.indexes {
		if !x.stores {
			continue
		}
		if err := b.insertEntry(ctx, x, row, b.shape.suffix(key)); err != nil {
			return err
		}
	}
	b.rows++
	auto, err := b.shape.autoValue(ctx, row)
	if err != nil {
		return err
	}
	b.largest = max(b.largest, auto)
	if b.shape.keyless() {
		b.largestID = max(b.largestID, decodeRowID(b.shape.suffix(key)))
	}
	return nil
}

// repairCounters moves counters beyond the values in use.
func (b *build) repairCounters(ctx *sql.Context) error {
	q := b.tx.engine().sequences
	if b.largest > 0 {
		if err := q.repair(ctx, b.shape.desc.ID, b.shape.sequenceStart(), b.largest); err != nil {
			return err
		}
	}
	if b.shape.keyless() && b.largestID > 0 {
		return q.repair(ctx, b.shape.desc.Physical, 1, b.largestID)
	}
	return nil
}
