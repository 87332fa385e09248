package vtab

import (
	"context"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/freshetdb/freshet/catalog"
)

var _ sql.AutoIncrementTable = (*Table)(nil)

// sequenceStart is the first value of the table's AUTO_INCREMENT.
func (s *shape) sequenceStart() uint64 { return max(1, s.desc.AutoIncrement) }

// PeekNextAutoIncrementValue implements sql.AutoIncrementGetter. Where the type is
// used up it is the largest value.
func (t *Table) PeekNextAutoIncrementValue(ctx *sql.Context) (uint64, error) {
	if t.shape.autoCol < 0 {
		return 1, nil
	}
	n, err := t.db.engine.sequences.peek(ctx, t.shape.desc.ID, t.shape.sequenceStart())
	return min(n, t.shape.autoMax), err
}

// GetNextAutoIncrementValue implements sql.AutoIncrementTable. Without a given
// value the next one is taken; a given one raises the sequence.
func (t *Table) GetNextAutoIncrementValue(ctx *sql.Context, given any) (uint64, error) {
	q := t.db.engine.sequences
	u := t.use
	if u.sequence.own == 0 {
		var err error
		if u.sequence, err = q.begin(ctx, t.shape.desc.ID, t.shape.sequenceStart()); err != nil {
			return 0, err
		}
	}
	if given == nil {
		if u.ids == u.idsEnd {
			first, end, err := q.run(ctx, t.shape.desc.ID, t.shape.sequenceStart(), t.shape.autoMax, max(1, u.expected))
			if err != nil {
				return 0, err
			}
			u.ids, u.idsEnd, u.expected = first, end, 0
			u.sequence.own++
		}
		u.ids++
		return u.ids - 1, nil
	}
	n, err := toUint64(ctx, given)
	if err != nil {
		return 0, err
	}
	if n >= u.ids {
		u.ids, u.idsEnd = 0, 0 // what was taken is behind the value now
	}
	u.sequence.own++
	return n, q.advance(ctx, t.shape.desc.ID, t.shape.sequenceStart(), n, t.shape.autoMax)
}

// ExpectRows says that the statement inserts n rows into the table: values that it
// needs are then consecutive, which clients count on (LAST_INSERT_ID is the first).
func (t *Table) ExpectRows(n int) { t.use.expected = uint64(n) }

func toUint64(ctx context.Context, v any) (uint64, error) {
	n, _, err := types.Uint64.Convert(ctx, v)
	if err != nil {
		return 0, err
	}
	u, _ := n.(uint64)
	return u, nil
}

// AutoIncrementSetter implements sql.AutoIncrementTable.
func (t *Table) AutoIncrementSetter(*sql.Context) sql.AutoIncrementSetter {
	return &autoIncrementSetter{t}
}

// autoIncrementSetter is ALTER TABLE … AUTO_INCREMENT and the column moves of
// UPDATE and LOAD DATA.
type autoIncrementSetter struct{ t *Table }

// SetAutoIncrementValue implements sql.AutoIncrementSetter. Like InnoDB it does
// not go below the largest value in the table; the caller has checked that.
func (s *autoIncrementSetter) SetAutoIncrementValue(ctx *sql.Context, n uint64) error {
	return s.t.alter(ctx, func(tx *Transaction, d *catalog.Table) error {
		largest, err := s.t.largestAutoIncrement(ctx)
		if err != nil {
			return err
		}
		n = max(n, largest+1)
		d.AutoIncrement = n
		if _, made := tx.built[d.Physical]; made || s.t.temporary {
			// Nobody else sees the table, and the statement may go on to fill it, beyond
			// what a reset at its end would set.
			fresh, err := tx.engine().sequences.unused(ctx, d.ID)
			if err != nil || fresh {
				return err
			}
		}
		return tx.resetSequence(ctx, d.ID, n)
	})
}

// AcquireAutoIncrementLock implements sql.AutoIncrementSetter: values are handed
// out without a lock (innodb_autoinc_lock_mode 2).
func (s *autoIncrementSetter) AcquireAutoIncrementLock(*sql.Context) (func(), error) {
	return func() {}, nil
}

// Close implements sql.Closer.
func (s *autoIncrementSetter) Close(*sql.Context) error { return nil }

// resetSequence sets the next value when the transaction commits.
func (tx *Transaction) resetSequence(ctx context.Context, id catalog.ID, next uint64) error {
	w, err := tx.store(ctx)
	if err != nil {
		return err
	}
	committed, err := tx.engine().sequences.reset(w, id, next)
	if err != nil {
		return err
	}
	tx.onCommit = append(tx.onCommit, committed)
	return nil
}

// raiseSequence makes sure that values written into the AUTO_INCREMENT
// column behind the engine's back (UPDATE, a rewrite) are not handed out later.
func (e *editor) raiseSequence(ctx *sql.Context, row sql.Row) error {
	n, err := e.shape.autoValue(ctx, row)
	if err != nil || n == 0 {
		return err
	}
	return e.tx.engine().sequences.advance(ctx, e.shape.desc.ID, e.shape.sequenceStart(), n, e.shape.autoMax)
}

// autoValue is the AUTO_INCREMENT value of a row, 0 where it has none above 0.
func (s *shape) autoValue(ctx context.Context, row sql.Row) (uint64, error) {
	c := s.autoCol
	if c < 0 || row[c] == nil {
		return 0, nil
	}
	cmp, err := s.schema[c].Type.Compare(ctx, row[c], s.schema[c].Type.Zero())
	if err != nil || cmp <= 0 {
		return 0, err
	}
	return toUint64(ctx, row[c])
}
