package correct

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	goerrors "gopkg.in/src-d/go-errors.v1"
)

// keyedEditor is the editor of a keyedInsert. It stands for the inserter; its
// keyedUpdater stands for the updater of ON DUPLICATE KEY UPDATE.
type keyedEditor struct {
	table    sql.InsertableTable
	schema   sql.Schema // exact
	checks   sql.CheckConstraints
	lenient  bool
	inserter sql.RowInserter
	replacer sql.RowReplacer // of REPLACE; the inserter is the same then
	updater  sql.RowUpdater  // of ON DUPLICATE KEY UPDATE
	changes  chains
	judge    func(ctx *sql.Context, table sql.Table, row sql.Row) error
	// sameCountsOnce: a REPLACE by an identical row counts 1.
	sameCountsOnce bool
	foundRows      bool

	// idColumn is the position of the AUTO_INCREMENT column, -1 for none, and
	// firstGenerated the first source row for which the statement generates a
	// value, -1 for none.
	idColumn, firstGenerated int
	rows                     int    // of the source so far
	generated                uint64 // the first generated value that was inserted
	lastID                   uint64 // the value of the last row that was changed

	done outcome
}

// outcome is what became of the last row.
type outcome struct {
	old      sql.Row // the row before an update, nil for a new row
	row      sql.Row
	affected uint64
}

func newKeyedEditor(ctx *sql.Context, n *keyedInsert, statement *plan.InsertInto) (*keyedEditor, error) {
	table, err := plan.GetInsertable(statement.Destination)
	if err != nil {
		return nil, err
	}
	schema := statement.Destination.Schema(ctx)
	e := &keyedEditor{
		table: table, schema: n.exact(schema), checks: statement.Checks(),
		lenient: lenient(ctx, statement.Ignore), foundRows: countsFoundRows(ctx),
		judge: n.judging(ctx), idColumn: -1, firstGenerated: statement.FirstGeneratedAutoIncRowIdx,
	}
	for i, column := range schema {
		if column.AutoIncrement {
			e.idColumn = i
		}
	}
	if statement.IsReplace {
		return e, e.replaces(ctx, n)
	}
	e.inserter = table.Inserter(ctx)
	if statement.OnDupExprs.HasUpdates() {
		updatable, ok := table.(sql.UpdatableTable)
		if !ok {
			return nil, plan.ErrOnDuplicateKeyUpdateNotSupported.New()
		}
		e.updater = updatable.Updater(ctx)
	}
	return e, nil
}

// replaces makes it the editor of a REPLACE.
func (e *keyedEditor) replaces(ctx *sql.Context, n *keyedInsert) error {
	replaceable, ok := e.table.(sql.ReplaceableTable)
	if !ok {
		return plan.ErrReplaceIntoNotSupported.New()
	}
	e.replacer = replaceable.Replacer(ctx)
	e.inserter = e.replacer
	inPlace, err := updatesInPlace(ctx, e.table)
	e.sameCountsOnce = inPlace && n.changes.empty()
	return err
}

// updatesInPlace says whether MySQL replaces the only row that can be in the way
// by updating it, so that an identical row is no change: the table has a single
// unique key, and no foreign key references it.
func updatesInPlace(ctx *sql.Context, table sql.Table) (bool, error) {
	table = sql.GetUnderlyingTable(table)
	if parent, ok := table.(sql.ForeignKeyTable); ok {
		keys, err := parent.GetReferencedForeignKeys(ctx)
		if err != nil || len(keys) > 0 {
			return false, err
		}
	}
	indexed, ok := table.(sql.IndexAddressable)
	if !ok {
		return false, nil
	}
	indexes, err := indexed.GetIndexes(ctx)
	if err != nil {
		return false, err
	}
	unique := 0
	for _, index := range indexes {
		if index.IsUnique() {
			unique++
		}
	}
	return unique == 1, nil
}

// Insert implements sql.RowInserter. The engine has converted the row.
func (e *keyedEditor) Insert(ctx *sql.Context, row sql.Row) error {
	n := e.rows
	e.rows++
	if err := evaluateChecks(ctx, e.checks, row); err != nil {
		return err
	}
	var evicted uint64
	var err error
	if e.replacer != nil {
		evicted, err = e.replace(ctx, row)
	} else {
		err = e.insert(ctx, row)
	}
	if err != nil {
		return err
	}
	e.done = outcome{row: row, affected: 1 + evicted}
	e.noteID(row)
	if e.generated == 0 && e.firstGenerated >= 0 && n >= e.firstGenerated {
		e.generated = e.lastID
	}
	return nil
}

// insert adds a row. A row that is there already is found before a missing parent
// is: ON DUPLICATE KEY UPDATE never looks for the parents of a row that it does
// not insert. A row whose parent is missing goes again with its statement.
func (e *keyedEditor) insert(ctx *sql.Context, row sql.Row) error {
	handler, ok := e.table.(*plan.ForeignKeyHandler)
	if !ok || e.updater == nil {
		return e.inserter.Insert(ctx, row)
	}
	if err := handler.Editor.Editor.Insert(ctx, row); err != nil {
		return err
	}
	for _, reference := range handler.Editor.References {
		if err := reference.CheckReference(ctx, row); err != nil {
			return err
		}
	}
	return nil
}

// replace inserts a row in the place of all that it collides with, and returns
// their number.
func (e *keyedEditor) replace(ctx *sql.Context, row sql.Row) (evicted uint64, err error) {
	for {
		err := e.replacer.Insert(ctx, row)
		existing, duplicate := existingRow(err)
		if !duplicate {
			return evicted, err
		}
		if e.sameCountsOnce {
			same, err := existing.Equals(ctx, row, e.schema)
			if err != nil {
				return 0, err
			}
			if same {
				return 0, e.judge(ctx, e.table, existing)
			}
		}
		if _, err := e.changes.before.fire(ctx, existing); err != nil {
			return 0, err
		}
		if err := e.replacer.Delete(ctx, existing); err != nil {
			return 0, err
		}
		if _, err := e.changes.after.fire(ctx, existing); err != nil {
			return 0, err
		}
		evicted++
	}
}

// existingRow is the row that an editor says a new one collides with; false for
// other errors and for none.
func existingRow(err error) (sql.Row, bool) {
	var failure *goerrors.Error
	if !errors.As(err, &failure) || !sql.ErrPrimaryKeyViolation.Is(failure) && !sql.ErrUniqueKeyViolation.Is(failure) {
		return nil, false
	}
	unique, ok := failure.Cause().(sql.UniqueKeyError)
	return unique.Existing, ok
}

// update is what ON DUPLICATE KEY UPDATE does to the row that is there.
func (e *keyedEditor) update(ctx *sql.Context, old, row sql.Row) error {
	both, err := e.changes.before.fire(ctx, joined(old, row))
	if err != nil {
		return err
	}
	if len(both) < len(row) {
		return fmt.Errorf("BEFORE UPDATE triggers of %s returned %d values of %d", e.table.Name(), len(both), len(row))
	}
	row = both[len(both)-len(row):]
	if err := fillNulls(ctx, e.schema, row, e.lenient); err != nil {
		return err
	}
	if err := evaluateChecks(ctx, e.checks, row); err != nil {
		return err
	}
	same, err := old.Equals(ctx, row, e.schema)
	if err != nil {
		return err
	}
	e.done = outcome{old: old, row: row, affected: 2}
	if same {
		if err := e.judge(ctx, e.table, old); err != nil {
			return err
		}
		e.done.affected = 0
		if e.foundRows {
			e.done.affected = 1
		}
		return nil
	}
	if err := e.updater.Update(ctx, old, row); err != nil {
		return err
	}
	e.noteID(row)
	return nil
}

// noteID notes the AUTO_INCREMENT value of a row.
func (e *keyedEditor) noteID(row sql.Row) {
	if e.idColumn < 0 {
		return
	}
	switch id := reflect.ValueOf(row[e.idColumn]); {
	case id.CanInt():
		e.lastID = uint64(id.Int())
	case id.CanUint():
		e.lastID = id.Uint()
	case id.CanFloat():
		e.lastID = uint64(id.Float())
	}
}

// StatementBegin implements sql.EditOpenerCloser.
func (e *keyedEditor) StatementBegin(ctx *sql.Context) { e.inserter.StatementBegin(ctx) }

// DiscardChanges implements sql.EditOpenerCloser.
func (e *keyedEditor) DiscardChanges(ctx *sql.Context, err error) error {
	return e.inserter.DiscardChanges(ctx, err)
}

// StatementComplete implements sql.EditOpenerCloser.
func (e *keyedEditor) StatementComplete(ctx *sql.Context) error {
	return e.inserter.StatementComplete(ctx)
}

// Close implements sql.Closer.
func (e *keyedEditor) Close(ctx *sql.Context) error { return e.inserter.Close(ctx) }

// keyedUpdater is a keyedEditor as the engine's updater.
type keyedUpdater struct{ editor *keyedEditor }

var _ sql.RowUpdater = keyedUpdater{}

// Update implements sql.RowUpdater.
func (u keyedUpdater) Update(ctx *sql.Context, old, row sql.Row) error {
	return u.editor.update(ctx, old, row)
}

// StatementBegin implements sql.EditOpenerCloser.
func (u keyedUpdater) StatementBegin(ctx *sql.Context) { u.editor.updater.StatementBegin(ctx) }

// DiscardChanges implements sql.EditOpenerCloser.
func (u keyedUpdater) DiscardChanges(ctx *sql.Context, err error) error {
	return u.editor.updater.DiscardChanges(ctx, err)
}

// StatementComplete implements sql.EditOpenerCloser.
func (u keyedUpdater) StatementComplete(ctx *sql.Context) error {
	return u.editor.updater.StatementComplete(ctx)
}

// Close implements sql.Closer.
func (u keyedUpdater) Close(ctx *sql.Context) error { return u.editor.updater.Close(ctx) }
