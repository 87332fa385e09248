package vtab

import (
	"context"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/freshetdb/freshet/catalog"
	"github.com/freshetdb/freshet/vtab/kv"
)

// Fill puts the rows of one statement into an empty table, in memory for a chunk
// of them: they go to key ranges of their own, which become the table's when the
// statement's transaction commits. Until then nobody sees them, and a crash leaves
// ranges that the next open sweeps.
//
// The table is locked exclusively from the beginning; the catalog only at the end.
type Fill struct {
	t     *Table
	tx    *Transaction
	build *build
	zone  *zone // of the rows that the engine gives
	next  *catalog.Table
}

// NewFill returns nil where rows have to be inserted one by one: the table has
// rows, or the transaction is not the statement's own.
func (t *Table) NewFill(ctx *sql.Context) (*Fill, error) {
	tx, err := transactionOf(ctx)
	if err != nil {
		return nil, err
	}
	if t.temporary || tx.dirty() || !tx.sess.autocommits(ctx) || ctx.IsInterpreted() {
		return nil, nil
	}
	if err := tx.admitWrite(ctx); err != nil {
		return nil, err
	}
	if err := tx.lockTable(ctx, t.shape.desc, kv.LockX); err != nil {
		return nil, err
	}
	s, err := tx.store(ctx)
	if err != nil {
		return nil, err
	}
	last, err := lastKey(ctx, s.Latest(kv.Now), t.shape.primary.span)
	if err != nil || last != nil {
		return nil, err
	}
	f := &Fill{t: t, tx: tx}
	if f.next, err = catalog.Clone(t.shape.desc); err != nil {
		return nil, err
	}
	f.next.Physical = tx.newID()
	for i := range f.next.Indexes {
		f.next.Indexes[i].Physical = tx.newID()
	}
	shape, err := newShape(ctx, t.db.name, f.next)
	if err != nil {
		return nil, err
	}
	if f.zone, err = shape.zoneOf(ctx, tx.sess); err != nil {
		return nil, err
	}
	f.build, err = newBuild(ctx, tx, shape, physicalIDs(f.next))
	return f, err
}

// Insert adds a row. A duplicate is refused like an editor does (ErrUniqueKeyViolation
// or ErrPrimaryKeyViolation, without the existing row) and leaves nothing.
func (f *Fill) Insert(ctx *sql.Context, row sql.Row) error {
	row, err := f.build.shape.keep(ctx, f.zone, row, nil)
	if err != nil {
		return err
	}
	if row, err = f.build.shape.fitted(ctx, row); err != nil {
		return err
	}
	return f.build.insertRow(ctx, row)
}

// Finish makes the rows the table's, with the commit. After an error the
// transaction has to be abandoned.
func (f *Fill) Finish(ctx *sql.Context) error {
	if err := ctx.Err(); err != nil {
		f.build.discard()
		return err
	}
	if err := f.build.finish(); err != nil {
		return err
	}
	return f.t.alter(ctx, func(tx *Transaction, d *catalog.Table) error {
		if err := tx.dropRanges(ctx, physicalIDs(d)...); err != nil {
			return err
		}
		tx.noteBuilt(f.next.Physical, f.build.rows)
		if err := f.raiseSequences(ctx); err != nil {
			return err
		}
		d.Physical = f.next.Physical
		for i := range d.Indexes {
			d.Indexes[i].Physical = f.next.Indexes[i].Physical
		}
		return nil
	})
}

// raiseSequences makes sure that no AUTO_INCREMENT value of a row is handed out.
func (f *Fill) raiseSequences(ctx context.Context) error {
	s := f.build.shape
	if f.build.largest == 0 {
		return nil
	}
	return f.tx.engine().sequences.advance(ctx, f.next.ID, s.sequenceStart(), f.build.largest, s.autoMax)
}

// Discard drops the rows. The transaction has to be abandoned.
func (f *Fill) Discard() { f.build.discard() }
