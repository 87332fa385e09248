package vtab

import (
	"context"
	"fmt"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer/analyzererrors"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/freshetdb/freshet/catalog"
	"github.com/freshetdb/freshet/vtab/kv"
)

// Changes of definitions. Every one goes through alter (or dropTable), which is
// the one place that decides what a statement persists.

var (
	_ sql.AlterableTable           = (*Table)(nil)
	_ sql.IndexAlterableTable      = (*Table)(nil)
	_ sql.CheckAlterableTable      = (*Table)(nil)
	_ sql.CollationAlterableTable  = (*Table)(nil)
	_ sql.CommentAlterableTable    = (*Table)(nil)
	_ sql.PrimaryKeyAlterableTable = (*Table)(nil)
	_ sql.TruncateableTable        = (*Table)(nil)
)

// definition returns the table's descriptor and the catalog as the transaction
// sees them now: an earlier clause of the statement may have changed both.
func (t *Table) definition(ctx *sql.Context) (*catalog.Table, *catalog.Snapshot, error) {
	tx, err := transactionOf(ctx)
	if err != nil {
		return nil, nil, err
	}
	defs, err := tx.definitions(ctx)
	if err != nil {
		return nil, nil, err
	}
	if t.temporary {
		if d := tx.sess.temp.byID(t.shape.desc.ID); d != nil {
			return d, defs, nil
		}
		return nil, nil, errDroppedTable(t.Name())
	}
	o, ok, err := defs.ByID(catalog.KindTable, t.shape.desc.ID)
	if err != nil {
		return nil, nil, err
	}
	if !ok {
		return nil, nil, errDroppedTable(t.Name())
	}
	return o.(*catalog.Table), defs, nil
}

// alter changes the definition under the catalog's and the table's lock. The
// handle stays usable: its shape follows.
func (t *Table) alter(ctx *sql.Context, change func(*Transaction, *catalog.Table) error) error {
	tx, err := transactionOf(ctx)
	if err != nil {
		return err
	}
	if t.temporary {
		return t.alterTemporary(ctx, tx, change)
	}
	c, err := tx.redefine(ctx)
	if err != nil {
		return err
	}
	d, _, err := t.definition(ctx)
	if err != nil {
		return err
	}
	if d.Version != t.shape.desc.Version && !tx.altered[d.ID] {
		return errTableChanged(d.Name)
	}
	if err := tx.lockTable(ctx, d, exclusive); err != nil {
		return err
	}
	tx.refresh()
	clone, err := catalog.Clone(d)
	if err != nil {
		return err
	}
	if err := change(tx, clone); err != nil {
		return err
	}
	if !tx.unfilled(d) {
		if err := t.keepsLayouts(ctx, d, clone); err != nil {
			return err
		}
	}
	if err := tx.putTable(c, clone); err != nil {
		return err
	}
	return t.follow(ctx)
}

// refresh makes the next reads see what is committed now. A statement that holds
// the table exclusively must not read a snapshot from before it got the lock.
func (tx *Transaction) refresh() {
	if tx.kv != nil && tx.readers == 0 {
		tx.snapshotCounts = nil
		tx.kv.ResetSnapshot()
	}
}

// follow makes the handle's shape that of the present definition.
func (t *Table) follow(ctx *sql.Context) error {
	d, _, err := t.definition(ctx)
	if err != nil {
		return err
	}
	s, err := newShape(ctx, t.db.name, d)
	if err != nil {
		return err
	}
	t.shape = s
	if t.names == nil && t.projection != nil {
		t.projection = copySchema(s.schema)
	}
	return nil
}

// putTable records a new definition.
func (tx *Transaction) putTable(c *catalog.Txn, t *catalog.Table) error {
	if err := checkRowLength(t); err != nil {
		return err
	}
	if err := checkKeyLengths(t); err != nil {
		return err
	}
	if err := c.Put(t); err != nil {
		return err
	}
	if tx.altered == nil {
		tx.altered = map[catalog.ID]bool{}
	}
	tx.altered[t.ID] = true
	return nil
}

// checkRowLength refuses rows that MySQL refuses: the columns that are kept in the
// row may not take more than 65,535 bytes.
func checkRowLength(t *catalog.Table) error {
	total := int64(0)
	for _, c := range t.Columns {
		typ, err := parseType(context.Background(), c.Type)
		if err != nil {
			return err
		}
		total += rowBytes(typ)
	}
	if total > int64(types.MaxRowLength) {
		return analyzererrors.ErrInvalidRowLength.New(types.MaxRowLength, total)
	}
	return nil
}

// rowBytes is what a value of the type takes in a row at the most, as the limit
// counts it.
func rowBytes(t sql.Type) int64 {
	const pointer = 12 // a BLOB, TEXT, JSON or geometry is kept elsewhere
	switch {
	case types.IsTextBlob(t), types.IsJSON(t), types.IsGeometry(t):
		return pointer
	}
	if s, ok := t.(sql.StringType); ok {
		return s.MaxByteLength()
	}
	if _, ok := t.(types.VectorType); ok {
		return pointer
	}
	return 8
}

// unfilled reports whether this transaction made the table and put no rows into it.
func (tx *Transaction) unfilled(t *catalog.Table) bool {
	n, ok := tx.built[t.Physical]
	return ok && n == 0 && tx.counts[t.Physical] == 0
}

// noteBuilt records that the rows of a physical id were made by this transaction.
func (tx *Transaction) noteBuilt(id catalog.ID, rows uint64) {
	if tx.built == nil {
		tx.built = map[catalog.ID]uint64{}
	}
	tx.built[id] = rows
}

// dropTable removes a table with all its rows.
func (tx *Transaction) dropTable(ctx *sql.Context, c *catalog.Txn, t *catalog.Table) error {
	if err := tx.lockTable(ctx, t, exclusive); err != nil {
		return err
	}
	if err := c.Drop(catalog.KindTable, t.ID); err != nil {
		return err
	}
	if err := tx.dropRanges(ctx, physicalIDs(t)...); err != nil {
		return err
	}
	return tx.dropSequence(ctx, t.ID)
}

// dropSequence removes the AUTO_INCREMENT counter of a table that is dropped.
func (tx *Transaction) dropSequence(ctx context.Context, id catalog.ID) error {
	w, err := tx.store(ctx)
	if err != nil {
		return err
	}
	if err := w.Delete(sequenceKey(id)); err != nil {
		return err
	}
	tx.onCommit = append(tx.onCommit, func() { tx.engine().sequences.forget(id) })
	return nil
}

// physicalIDs lists the key ranges that a table owns.
func physicalIDs(t *catalog.Table) []catalog.ID {
	ids := []catalog.ID{t.Physical}
	for i := range t.Indexes {
		ids = append(ids, t.Indexes[i].Physical)
	}
	return ids
}

// dropRanges removes all keys of physical ids together with the commit. Open
// snapshots keep what they see.
func (tx *Transaction) dropRanges(ctx context.Context, ids ...catalog.ID) error {
	w, err := tx.store(ctx)
	if err != nil {
		return err
	}
	for _, id := range ids {
		for _, space := range []kv.Space{kv.SpaceRow, kv.SpaceIndex} {
			if err := w.DeleteRange(kv.PrefixRange(space, uint32(id))); err != nil {
				return fmt.Errorf("drop range of id %d: %w", id, err)
			}
		}
		if err := w.Delete(countKey(id)); err != nil {
			return err
		}
		if err := w.Delete(sequenceKey(id)); err != nil {
			return err
		}
		delete(tx.built, id)
		delete(tx.counts, id)
		tx.onCommit = append(tx.onCommit, func() {
			tx.engine().sequences.forget(id)
			tx.engine().ceilings.forget(id)
			tx.engine().counts.forget(id)
		})
	}
	return nil
}

// dropRows is dropRanges. Those of a temporary table go when the transaction has
// ended, with what it has pending there.
func (tx *Transaction) dropRows(ctx context.Context, temporary bool, ids ...catalog.ID) error {
	if !temporary {
		return tx.dropRanges(ctx, ids...)
	}
	for _, id := range ids {
		delete(tx.built, id)
		delete(tx.counts, id)
	}
	tx.retired = append(tx.retired, ids...)
	return nil
}

// Truncate implements sql.TruncateableTable: new physical ids, old ranges gone.
func (t *Table) Truncate(ctx *sql.Context) (int, error) {
	n, _, err := t.RowCount(ctx)
	if err != nil {
		return 0, err
	}
	return int(n), t.alter(ctx, func(tx *Transaction, d *catalog.Table) error {
		if err := tx.dropRows(ctx, t.temporary, physicalIDs(d)...); err != nil {
			return err
		}
		d.Physical, d.Layouts = tx.newID(), nil
		for i := range d.Columns {
			d.Columns[i].Missing = nil
		}
		for i := range d.Indexes {
			d.Indexes[i].Physical = tx.newID()
		}
		tx.noteBuilt(d.Physical, 0)
		d.AutoIncrement = 0
		if t.shape.autoCol < 0 {
			return nil
		}
		return tx.resetSequence(ctx, d.ID, 1)
	})
}

// newID takes an id for a key range or an object. Until the transaction ends the
// range may hold keys that no committed entry names.
func (tx *Transaction) newID() catalog.ID {
	id := tx.cat.NewID()
	tx.claimed = append(tx.claimed, id)
	tx.engine().claims.add(id)
	return id
}

// AddColumn implements sql.AlterableTable. GMS does not come here: every ADD COLUMN
// asks for a rewrite, and RewriteInserter decides whether there is one.
func (t *Table) AddColumn(_ *sql.Context, col *sql.Column, _ *sql.ColumnOrder) error {
	return errInternal("column %s of %s: the engine did not ask for a rewrite", col.Name, t.Name())
}

// position finds where a column goes.
func position(d *catalog.Table, order *sql.ColumnOrder, otherwise int) (int, error) {
	switch {
	case order == nil:
		return otherwise, nil
	case order.First:
		return 0, nil
	}
	for i := range d.Columns {
		if sameName(d.Columns[i].Name, order.AfterColumn) {
			return i + 1, nil
		}
	}
	return 0, sql.ErrTableColumnNotFound.New(d.Name, order.AfterColumn)
}

// DropColumn implements sql.AlterableTable. GMS comes here only where no stored row
// has to change.
func (t *Table) DropColumn(ctx *sql.Context, name string) error {
	return t.dropInstantly(ctx, name)
}

// dropColumn removes a column from a descriptor; indexes lose the part.
func dropColumn(d *catalog.Table, id catalog.ID) error {
	d.Columns = slices.DeleteFunc(d.Columns, func(c catalog.Column) bool { return c.ID == id })
	for i := range d.Indexes {
		d.Indexes[i].Parts = slices.DeleteFunc(d.Indexes[i].Parts, func(p catalog.Part) bool { return p.Column == id })
	}
	d.Indexes = slices.DeleteFunc(d.Indexes, func(x catalog.Index) bool { return len(x.Parts) == 0 })
	d.PK = slices.DeleteFunc(d.PK, func(p catalog.Part) bool { return p.Column == id })
	return nil
}

// ModifyColumn implements sql.AlterableTable. GMS comes here only where no stored
// row has to change.
func (t *Table) ModifyColumn(ctx *sql.Context, name string, col *sql.Column, order *sql.ColumnOrder) error {
	return t.alter(ctx, func(_ *Transaction, d *catalog.Table) error {
		was := findColumn(d, name)
		if was == nil {
			return sql.ErrTableColumnNotFound.New(d.Name, name)
		}
		c, err := describeColumn(ctx, col, was)
		if err != nil {
			return err
		}
		c.ID, c.Missing, c.Stored = was.ID, was.Missing, was.Stored
		if isPrimary(d, c.ID) {
			c.Nullable = false
		}
		at := slices.IndexFunc(d.Columns, func(c catalog.Column) bool { return c.ID == was.ID })
		id := was.ID
		if order != nil {
			d.Columns = slices.DeleteFunc(d.Columns, func(c catalog.Column) bool { return c.ID == id })
			if at, err = position(d, order, len(d.Columns)); err != nil {
				return err
			}
			d.Columns = slices.Insert(d.Columns, at, c)
			return nil
		}
		d.Columns[at] = c
		return nil
	})
}

func isPrimary(d *catalog.Table, id catalog.ID) bool {
	return slices.ContainsFunc(d.PK, func(p catalog.Part) bool { return p.Column == id })
}

// CreateCheck implements sql.CheckAlterableTable. Names are unique in a database.
func (t *Table) CreateCheck(ctx *sql.Context, check *sql.CheckDefinition) error {
	return t.alter(ctx, func(tx *Transaction, d *catalog.Table) error {
		c := catalog.Check{Name: check.Name, Expr: check.CheckExpression, Enforced: check.Enforced}
		if c.Name == "" {
			c.Name = newCheckName(d)
		}
		if err := checkIdentifier("constraint", 1059, c.Name); err != nil {
			return err
		}
		db, ok := tx.cat.Snapshot().DB(t.db.name)
		if !ok {
			return sql.ErrDatabaseNotFound.New(t.db.name)
		}
		taken, err := checkNameTaken(db, d, c.Name)
		if err != nil {
			return err
		}
		if taken {
			return sql.ErrDuplicateCheckName.New(c.Name)
		}
		d.Checks = append(d.Checks, c)
		return nil
	})
}

// newCheckName makes the name that MySQL gives an unnamed check.
func newCheckName(d *catalog.Table) string {
	for n := 1; ; n++ {
		name := fmt.Sprintf("%s_chk_%d", d.Name, n)
		if !slices.ContainsFunc(d.Checks, func(c catalog.Check) bool { return sameName(c.Name, name) }) {
			return name
		}
	}
}

func checkNameTaken(db *catalog.DB, self *catalog.Table, name string) (bool, error) {
	has := func(t *catalog.Table) bool {
		return slices.ContainsFunc(t.Checks, func(c catalog.Check) bool { return sameName(c.Name, name) })
	}
	if has(self) {
		return true, nil
	}
	for _, table := range db.TableNames() {
		t, ok, err := db.Table(table)
		if brokenOf(err) != nil {
			continue // its names are lost with it
		}
		if err != nil {
			return false, err
		}
		if ok && t.ID != self.ID && has(t) {
			return true, nil
		}
	}
	return false, nil
}

// DropCheck implements sql.CheckAlterableTable.
func (t *Table) DropCheck(ctx *sql.Context, name string) error {
	return t.alter(ctx, func(_ *Transaction, d *catalog.Table) error {
		i := slices.IndexFunc(d.Checks, func(c catalog.Check) bool { return sameName(c.Name, name) })
		if i < 0 {
			return mysqlError(3821, "HY000", "Check constraint '%s' is not found in the table.", name)
		}
		d.Checks = slices.Delete(d.Checks, i, i+1)
		return nil
	})
}

// ModifyStoredCollation implements sql.CollationAlterableTable.
func (t *Table) ModifyStoredCollation(ctx *sql.Context, collation sql.CollationID) error {
	return t.ConvertTo(ctx, collation)
}

// ModifyDefaultCollation implements sql.CollationAlterableTable.
func (t *Table) ModifyDefaultCollation(ctx *sql.Context, collation sql.CollationID) error {
	return t.alter(ctx, func(_ *Transaction, d *catalog.Table) error {
		d.Collation = collation.Name()
		return nil
	})
}

// ModifyComment implements sql.CommentAlterableTable.
func (t *Table) ModifyComment(ctx *sql.Context, comment string) error {
	return t.alter(ctx, func(_ *Transaction, d *catalog.Table) error {
		d.Comment = comment
		return nil
	})
}

// CreatePrimaryKey implements sql.PrimaryKeyAlterableTable. GMS rewrites the
// table instead (RewritableTable) and comes here only to validate.
func (t *Table) CreatePrimaryKey(_ *sql.Context, cols []sql.IndexColumn) error {
	if !t.shape.keyless() {
		return sql.ErrMultiplePrimaryKeysDefined.New()
	}
	for _, c := range cols {
		ord, ok := t.shape.column(c.Name)
		if !ok {
			return sql.ErrKeyColumnDoesNotExist.New(c.Name)
		}
		if c.Length > 0 && types.IsText(t.shape.schema[ord].Type) {
			return sql.ErrUnsupportedIndexPrefix.New(c.Name)
		}
	}
	return errInternal("primary key of %s: the engine did not ask for a rewrite", t.Name())
}

// DropPrimaryKey implements sql.PrimaryKeyAlterableTable.
func (t *Table) DropPrimaryKey(ctx *sql.Context) error {
	return t.rewrite(ctx, func(d *catalog.Table) error {
		if len(d.PK) == 0 {
			return sql.ErrCantDropFieldOrKey.New(primaryName)
		}
		d.PK = nil
		return nil
	})
}
