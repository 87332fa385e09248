package vtab

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
)

// lockingFilter is a filter right above a table whose rows a statement locks: only
// those that pass are locked. A row is read, tested, locked, read again, and, if
// it is not what it was, tested again.
type lockingFilter struct {
	use  *stmtState
	cond sql.Expression
	rows sql.RowIter
	// scan is the table's iterator far below rows, nil until the first row, and for
	// good where the rows come from elsewhere (they are locked then). Between it and
	// the filter, each row is handed on by itself.
	scan *rowIter
}

var _ sql.RowIter = (*lockingFilter)(nil)

// FilteredTable returns the table whose rows n gives out one by one, nil if n is
// something else, or a table that the running statement does not lock. A filter
// above it is to be made with NewLockingFilter.
func FilteredTable(ctx *sql.Context, n sql.Node) *Table {
	t := tableBelow(n)
	if t == nil || t.temporary {
		return nil
	}
	session, err := SessionOf(ctx)
	if err != nil || !session.inWrite() && t.use.mode.lock == 0 {
		return nil
	}
	return t
}

// tableBelow is the table that n is, under an alias or with an outer row in front.
func tableBelow(n sql.Node) *Table {
	var t sql.Table
	switch n := n.(type) {
	case *plan.TableAlias:
		return tableBelow(n.Child)
	case *plan.PrependNode:
		return tableBelow(n.Child)
	case *plan.ResolvedTable:
		t = n.Table
	case *plan.IndexedTableAccess:
		t = n.Table
	default:
		return nil
	}
	switch t := sql.GetUnderlyingTable(t).(type) {
	case *Table:
		return t
	case *IndexedTable:
		return t.Table
	}
	return nil
}

// NewLockingFilter filters rows, which come from t, by cond.
func NewLockingFilter(t *Table, cond sql.Expression, rows sql.RowIter) sql.RowIter {
	return &lockingFilter{use: t.use, cond: cond, rows: rows}
}

// Next implements sql.RowIter.
func (f *lockingFilter) Next(ctx *sql.Context) (sql.Row, error) {
	for {
		row, err := f.next(ctx)
		if err != nil {
			return nil, err
		}
		value, err := sql.EvaluateCondition(ctx, f.cond, row)
		if err != nil {
			return nil, err
		}
		wanted := sql.IsTrue(value)
		if f.scan == nil {
			if wanted {
				return row, nil
			}
			continue
		}
		if !wanted {
			f.scan.release()
			continue
		}
		outcome, err := f.scan.lockGiven(ctx)
		if err != nil {
			return nil, err
		}
		if outcome == lockKept {
			return row, nil
		}
	}
}

// next takes a row from below. The scan that is made for the first one becomes
// the filter's.
func (f *lockingFilter) next(ctx *sql.Context) (sql.Row, error) {
	if f.scan != nil {
		return f.rows.Next(ctx)
	}
	f.use.filter = f
	defer func() { f.use.filter = nil }()
	return f.rows.Next(ctx)
}

// Close implements sql.RowIter.
func (f *lockingFilter) Close(ctx *sql.Context) error { return f.rows.Close(ctx) }
