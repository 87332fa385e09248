package vtab

import (
	"errors"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/freshetdb/freshet/catalog"
)

var _ sql.RewritableTable = (*Table)(nil)

// ShouldRewriteTable implements sql.RewritableTable. A MODIFY that leaves type and
// place of the column alone leaves the stored rows alone, and so does the drop of a
// column that is in no key. For a new column the engine does not always ask here;
// RewriteInserter decides.
func (t *Table) ShouldRewriteTable(ctx *sql.Context, oldSchema, newSchema sql.PrimaryKeySchema, oldColumn, newColumn *sql.Column) bool {
	switch {
	case oldColumn == nil:
		return true
	case newColumn == nil:
		d, _, err := t.definition(ctx)
		return err != nil || !dropsInstantly(d, oldColumn.Name) // RewriteInserter meets the error again
	}
	sameKind := oldColumn.Virtual == newColumn.Virtual && oldColumn.AutoIncrement == newColumn.AutoIncrement &&
		(oldColumn.Generated == nil) == (newColumn.Generated == nil) &&
		(oldColumn.Generated == nil || oldColumn.Generated.String() == newColumn.Generated.String())
	samePlace := oldSchema.Schema.IndexOfColName(oldColumn.Name) == newSchema.Schema.IndexOfColName(newColumn.Name)
	if a, _, marked := ReadColumnMark(newColumn.Comment); marked {
		d, _, err := t.definition(ctx)
		if err != nil {
			return true // RewriteInserter meets the error again
		}
		// Values may have to be rounded, or refused.
		if was := findColumn(d, oldColumn.Name); was != nil && was.Attributes != a {
			return true
		}
	}
	return !sameKind || !samePlace || typeText(oldColumn.Type) != typeText(newColumn.Type)
}

// RewriteInserter implements sql.RewritableTable: every row goes to a new
// physical id under the new definition, which takes over when the inserter is
// closed. A column that can be added without that is added here.
func (t *Table) RewriteInserter(ctx *sql.Context, oldSchema, newSchema sql.PrimaryKeySchema, oldColumn, newColumn *sql.Column, pk []sql.IndexColumn) (sql.RowInserter, error) {
	if len(oldSchema.PkOrdinals) > 0 && len(newSchema.PkOrdinals) == 0 {
		if err := sql.ValidatePrimaryKeyDrop(ctx, t, oldSchema); err != nil {
			return nil, err
		}
	}
	for _, part := range pk {
		ord := newSchema.Schema.IndexOfColName(part.Name)
		if ord < 0 {
			return nil, sql.ErrColumnNotFound.New(part.Name)
		}
		if part.Length > 0 && types.IsText(newSchema.Schema[ord].Type) {
			return nil, sql.ErrUnsupportedIndexPrefix.New(part.Name)
		}
	}
	if oldColumn == nil && newColumn != nil {
		d, _, err := t.definition(ctx)
		if err != nil {
			return nil, err
		}
		if addsInstantly(ctx, d, newColumn) {
			return t.drained(), t.addInstantly(ctx, newSchema.Schema, newColumn)
		}
	}
	w, err := t.newRewriter(ctx, func(tx *Transaction, d *catalog.Table) error {
		return redescribe(ctx, tx, d, newSchema, oldColumn, newColumn)
	})
	if err != nil {
		return nil, err
	}
	var added *sql.Column
	if oldColumn == nil {
		added = newColumn
	}
	w.keepInstants(added)
	return w, nil
}

// redescribe gives d the columns of a new schema. Columns keep their ids; only
// one that is added gets a new one.
func redescribe(ctx *sql.Context, tx *Transaction, d *catalog.Table, schema sql.PrimaryKeySchema, oldColumn, newColumn *sql.Column) error {
	var cols []catalog.Column
	kept := map[catalog.ID]bool{}
	for _, col := range schema.Schema {
		name := col.Name
		if oldColumn != nil && newColumn != nil && sameName(name, newColumn.Name) {
			name = oldColumn.Name
		}
		was := findColumn(d, name)
		c, err := describeColumn(ctx, col, was)
		if err != nil {
			return err
		}
		if was != nil {
			c.ID = was.ID
		} else {
			c.ID = tx.newID()
		}
		kept[c.ID] = true
		cols = append(cols, c)
	}
	for i := range d.Columns {
		if !kept[d.Columns[i].ID] {
			if err := dropColumn(d, d.Columns[i].ID); err != nil {
				return err
			}
			break // an ALTER clause drops one column
		}
	}
	d.Columns = cols
	var pk []catalog.Part
	for _, ord := range schema.PkOrdinals {
		pk = append(pk, catalog.Part{Column: cols[ord].ID})
		cols[ord].Nullable = false
	}
	if !sameParts(pk, d.PK) {
		d.PK = pk
	}
	return nil
}

// sameParts reports whether two keys have the same columns, in any order: a
// schema does not say the order of the parts reliably.
func sameParts(a, b []catalog.Part) bool {
	if len(a) != len(b) {
		return false
	}
	for _, p := range a {
		if !slices.ContainsFunc(b, func(q catalog.Part) bool { return q.Column == p.Column }) {
			return false
		}
	}
	return true
}

// rewriter is the inserter of a rewrite.
type rewriter struct {
	t      *Table
	tx     *Transaction
	build  *build
	desc   *catalog.Table // the new definition
	oldIDs []catalog.ID
	zone   *zone // of the rows that the engine gives
	failed bool
	closed bool
}

var _ sql.RowInserter = (*rewriter)(nil)

// newRewriter starts a rewrite to what change makes of the definition.
func (t *Table) newRewriter(ctx *sql.Context, change func(*Transaction, *catalog.Table) error) (*rewriter, error) {
	w := &rewriter{t: t}
	err := t.alter(ctx, func(tx *Transaction, d *catalog.Table) error {
		w.tx = tx
		w.oldIDs = physicalIDs(d)
		next, err := catalog.Clone(d)
		if err != nil {
			return err
		}
		if err := change(tx, next); err != nil {
			return err
		}
		next.Physical, next.Layout, next.Layouts = tx.newID(), 1, nil
		for i := range next.Indexes {
			next.Indexes[i].Physical = tx.newID()
		}
		for i := range next.Columns {
			next.Columns[i].Stored, next.Columns[i].Missing = false, nil
		}
		storeIndexed(next)
		w.desc = next
		return nil // the present definition stays until Close
	})
	if err != nil {
		return nil, err
	}
	s, err := newShape(ctx, t.db.name, w.desc)
	if err != nil {
		return nil, err
	}
	if w.zone, err = s.zoneOf(ctx, w.tx.sess); err != nil {
		return nil, err
	}
	w.build, err = newBuild(ctx, w.tx, s, physicalIDs(w.desc))
	return w, err
}

// keepInstants lets TIMESTAMPs that only move pass through the engine as they are
// stored: a time of day may stand for two instants. Where an expression computes
// from columns, the engine has to see the time of day.
func (w *rewriter) keepInstants(added *sql.Column) {
	if added != nil && added.Default != nil && !added.Default.IsLiteral() {
		return
	}
	kept := map[catalog.ID]bool{}
	for i := range w.desc.Columns {
		c := &w.desc.Columns[i]
		if c.Generated != "" {
			return
		}
		ord, ok := w.t.shape.byID[c.ID]
		kept[c.ID] = ok && isTimestamp(w.t.shape.schema[ord].Type) && isTimestamp(w.build.shape.schema[i].Type)
	}
	w.t.use.asIs = kept
}

// Insert implements sql.RowInserter.
func (w *rewriter) Insert(ctx *sql.Context, row sql.Row) error {
	row, err := w.build.shape.keep(ctx, w.zone, row, w.t.use.asIs)
	if err != nil {
		return err
	}
	if row, err = w.build.shape.fitted(ctx, row); err != nil {
		return err
	}
	return w.build.insertRow(ctx, row)
}

// StatementBegin implements sql.EditOpenerCloser; a rewrite is the whole statement.
func (w *rewriter) StatementBegin(*sql.Context) {}

// DiscardChanges implements sql.EditOpenerCloser.
func (w *rewriter) DiscardChanges(*sql.Context, error) error {
	w.failed = true
	return nil
}

// StatementComplete implements sql.EditOpenerCloser.
func (w *rewriter) StatementComplete(*sql.Context) error { return nil }

// Close implements sql.Closer: the new definition takes over.
func (w *rewriter) Close(ctx *sql.Context) error {
	if w.closed {
		return nil
	}
	w.closed = true
	w.t.use.asIs = nil
	if w.failed {
		w.build.discard()
		return nil
	}
	if err := ctx.Err(); err != nil {
		w.build.discard()
		return err
	}
	if err := w.build.finish(); err != nil {
		return err
	}
	if err := w.tx.dropRows(ctx, w.t.temporary, w.oldIDs...); err != nil {
		return err
	}
	w.tx.noteBuilt(w.desc.Physical, w.build.rows)
	if err := w.raiseSequence(ctx); err != nil {
		return err
	}
	err := w.t.alter(ctx, func(_ *Transaction, d *catalog.Table) error {
		*d = *w.desc
		return nil
	})
	if err != nil || !w.t.shape.fullText {
		return err
	}
	return w.t.rebuildFullText(ctx)
}

// raiseSequence makes sure that no value that the rewritten rows have is handed
// out: the column may have become AUTO_INCREMENT.
func (w *rewriter) raiseSequence(ctx *sql.Context) error {
	s := w.build.shape
	if w.build.largest == 0 {
		return nil
	}
	return w.tx.engine().sequences.advance(ctx, w.desc.ID, s.sequenceStart(), w.build.largest, s.autoMax)
}

// rewrite copies all rows under a changed definition, without the engine.
func (t *Table) rewrite(ctx *sql.Context, change func(*catalog.Table) error) error {
	return t.rewriteRows(ctx, change, func(row sql.Row) (sql.Row, error) { return row, nil })
}

// rewriteRows is rewrite with a change to each row.
func (t *Table) rewriteRows(ctx *sql.Context, change func(*catalog.Table) error, changeRow func(sql.Row) (sql.Row, error)) (err error) {
	w, err := t.newRewriter(ctx, func(_ *Transaction, d *catalog.Table) error { return change(d) })
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			closing(&err, func() error { return w.DiscardChanges(ctx, err) })
		}
		closing(&err, func() error { return w.Close(ctx) })
	}()
	return t.eachRow(ctx, func(row sql.Row) error {
		row, err := changeRow(row)
		if err != nil {
			return err
		}
		return w.build.insertRow(ctx, row)
	})
}

// eachRow calls f with every row as it is stored.
func (t *Table) eachRow(ctx *sql.Context, f func(sql.Row) error) (err error) {
	it := newRowIter(&Table{db: t.db, shape: t.shape, use: &stmtState{stored: true}, temporary: t.temporary}, &partition{})
	defer closing(&err, func() error { return it.Close(ctx) })
	for {
		row, err := it.Next(ctx)
		if errors.Is(err, errEOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := f(row); err != nil {
			return err
		}
	}
}

// largestAutoIncrement is the largest value in the AUTO_INCREMENT column.
func (t *Table) largestAutoIncrement(ctx *sql.Context) (largest uint64, err error) {
	c := t.shape.autoCol
	if c < 0 {
		return 0, nil
	}
	scan := &Table{db: t.db, shape: t.shape, use: &stmtState{}, temporary: t.temporary, columns: []int{c}}
	it := newRowIter(scan, &partition{})
	defer closing(&err, func() error { return it.Close(ctx) })
	full := make(sql.Row, len(t.shape.schema))
	for {
		row, err := it.Next(ctx)
		if errors.Is(err, errEOF) {
			return largest, nil
		}
		if err != nil {
			return 0, err
		}
		full[c] = row[0]
		n, err := t.shape.autoValue(ctx, full)
		if err != nil {
			return 0, err
		}
		largest = max(largest, n)
	}
}
