package vtab

import (
	"context"
	"errors"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/freshetdb/freshet/catalog"
	"github.com/freshetdb/freshet/vtab/enc"
)

// ADD COLUMN and DROP COLUMN that leave the rows as they are. Every row says under
// which layout it was written, and the descriptor keeps the layouts that rows may
// still have. A column that a row's layout lacks has the value that the descriptor
// keeps as Missing: the default at the moment of the ALTER.

// maxOldLayouts bounds the layouts that a descriptor keeps beside the present one,
// and with them the size of the descriptor and what a reader prepares. The next
// change after it rewrites the rows and starts anew. InnoDB's bound is the same.
const maxOldLayouts = 64

// addsInstantly reports whether the rows can stay when col is added: all that are
// there get one and the same value, or none.
func addsInstantly(ctx *sql.Context, d *catalog.Table, col *sql.Column) bool {
	switch {
	case !mayRetireLayout(d), col.AutoIncrement, col.PrimaryKey:
		return false
	case col.Generated != nil:
		return col.Virtual && col.Nullable
	}
	return col.Default == nil || SameForAllRows(ctx, col.Default.Expr)
}

// mayRetireLayout reports whether the rows of d can get another layout beside theirs.
func mayRetireLayout(d *catalog.Table) bool {
	return len(d.Layouts) < maxOldLayouts && !slices.ContainsFunc(d.Indexes, func(x catalog.Index) bool {
		return x.Type == catalog.IndexFullText // its side tables hold places of columns
	})
}

// SameForAllRows reports whether a default gives every row of one statement the
// same value. What it does not know it takes for different.
func SameForAllRows(ctx *sql.Context, e sql.Expression) bool {
	same := true
	transform.InspectExpr(ctx, e, func(_ *sql.Context, e sql.Expression) bool {
		switch e.(type) {
		case *expression.Literal, *expression.UnaryMinus, *expression.Convert, *expression.Arithmetic,
			*function.Now, *function.CurrDate, *function.CurrTime:
		default:
			same = false
		}
		return !same
	})
	return same
}

// addInstantly adds a column without touching a row. schema is the new one.
func (t *Table) addInstantly(ctx *sql.Context, schema sql.Schema, col *sql.Column) error {
	return t.alter(ctx, func(tx *Transaction, d *catalog.Table) error {
		// The hidden column of a functional index exists already if the index does; the
		// clause that adds the index says so.
		if !col.HiddenSystem && findColumn(d, col.Name) != nil {
			return sql.ErrColumnExists.New(col.Name)
		}
		c, err := describeColumn(ctx, col, nil)
		if err != nil {
			return err
		}
		c.ID = tx.newID()
		at := schema.IndexOfColName(col.Name)
		if at < 0 || at > len(d.Columns) {
			return sql.ErrTableColumnNotFound.New(d.Name, col.Name)
		}
		if !c.Virtual && !tx.unfilled(d) {
			if types.IsGeometry(col.Type) && !col.Nullable && col.Default == nil {
				if n, err := tx.rowCount(ctx, d.Physical); err != nil || n > 0 {
					return errors.Join(err, mysqlError(1416, "22003", "Cannot get geometry object from data you send to the GEOMETRY field"))
				}
			}
			if c.Missing, err = missingOf(ctx, tx.sess, col, c.Attributes); err != nil {
				return err
			}
			if err := t.retireLayout(ctx, d); err != nil {
				return err
			}
		}
		d.Columns = slices.Insert(d.Columns, at, c)
		return nil
	})
}

// missingOf is what rows older than the column have in it, encoded; nil for NULL.
func missingOf(ctx *sql.Context, sess *Session, col *sql.Column, a catalog.Attributes) ([]byte, error) {
	v, err := plan.ColDefaultExpression{Column: col}.Eval(ctx, nil)
	if err != nil {
		return nil, err
	}
	if _, ok := col.Type.(sql.EnumType); ok && col.Default == nil && !col.Nullable {
		v = uint16(1) // the first member, where the engine takes the empty text
	}
	if v == nil {
		return nil, nil
	}
	v, inRange, err := newLimits(col.Type, a).Apply(v)
	if err != nil {
		return nil, err
	}
	if inRange != sql.InRange {
		return nil, mysqlError(1067, "42000", "Invalid default value for '%s'", col.Name)
	}
	z, err := sess.zone(ctx)
	if err != nil {
		return nil, err
	}
	if z != nil && isTimestamp(col.Type) {
		if v, err = z.keep(ctx, col, v); err != nil {
			return nil, err
		}
	}
	return enc.AppendValue(ctx, nil, col.Type, v)
}

// retireLayout keeps the present row layout of d among the earlier ones; rows that
// are written from now on have the next.
func (t *Table) retireLayout(ctx context.Context, d *catalog.Table) error {
	s, err := newShape(ctx, t.db.name, d)
	if err != nil {
		return err
	}
	d.Layouts = append(d.Layouts, catalog.RowLayout{Version: d.Layout, Columns: s.storedColumns()})
	d.Layout++
	return nil
}

// dropsInstantly reports whether the rows and the entries of all indexes can stay
// when a column goes: no key has it.
func dropsInstantly(d *catalog.Table, name string) bool {
	c := findColumn(d, name)
	if c == nil || c.AutoIncrement || !mayRetireLayout(d) {
		return false
	}
	has := func(p catalog.Part) bool { return p.Column == c.ID }
	return !slices.ContainsFunc(d.PK, has) && !slices.ContainsFunc(d.Indexes, func(x catalog.Index) bool {
		return slices.ContainsFunc(x.Parts, has)
	})
}

// dropInstantly drops a column and leaves its values where they are, unread.
func (t *Table) dropInstantly(ctx *sql.Context, name string) error {
	return t.alter(ctx, func(tx *Transaction, d *catalog.Table) error {
		c := findColumn(d, name)
		if c == nil {
			return sql.ErrTableColumnNotFound.New(d.Name, name)
		}
		if (!c.Virtual || c.Stored) && !tx.unfilled(d) {
			if err := t.retireLayout(ctx, d); err != nil {
				return err
			}
		}
		return dropColumn(d, c.ID)
	})
}

// keepsLayouts makes sure that a change which leaves the rows where they are also
// leaves what is known of each layout they may have: rows read under another one
// are lost.
func (t *Table) keepsLayouts(ctx context.Context, was, now *catalog.Table) error {
	if was.Physical != now.Physical {
		return nil
	}
	before, err := t.layoutsOf(ctx, was)
	if err != nil {
		return err
	}
	after, err := t.layoutsOf(ctx, now)
	if err != nil {
		return err
	}
	for version, a := range before {
		if b, ok := after[version]; !ok || !slices.Equal(a, b) {
			return errInternal("table %s: rows of layout %d, %v, would be read as %v", was.Name, version, a, b)
		}
	}
	return nil
}

// layoutsOf lists the stored columns of every layout of a definition.
func (t *Table) layoutsOf(ctx context.Context, d *catalog.Table) (map[uint32][]catalog.LayoutColumn, error) {
	s, err := newShape(ctx, t.db.name, d)
	if err != nil {
		return nil, err
	}
	all := map[uint32][]catalog.LayoutColumn{d.Layout: s.storedColumns()}
	for _, l := range d.Layouts {
		all[l.Version] = l.Columns
	}
	return all, nil
}
