package vtab

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/freshetdb/freshet/catalog"
	"github.com/freshetdb/freshet/vtab/kv"
)

var (
	_ sql.ForeignKeyTable  = (*Table)(nil)
	_ sql.ForeignKeyEditor = (*editor)(nil)
)

// GetDeclaredForeignKeys implements sql.ForeignKeyTable.
func (t *Table) GetDeclaredForeignKeys(ctx *sql.Context) ([]sql.ForeignKeyConstraint, error) {
	d, defs, err := t.definition(ctx)
	if err != nil {
		return nil, err
	}
	var all []sql.ForeignKeyConstraint
	for i := range d.Foreign {
		all = append(all, constraintOf(defs, t.db.name, d, &d.Foreign[i]))
	}
	slices.SortFunc(all, func(a, b sql.ForeignKeyConstraint) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

// GetReferencedForeignKeys implements sql.ForeignKeyTable.
func (t *Table) GetReferencedForeignKeys(ctx *sql.Context) ([]sql.ForeignKeyConstraint, error) {
	if t.temporary {
		return nil, nil
	}
	d, defs, err := t.definition(ctx)
	if err != nil {
		return nil, err
	}
	children, err := defs.References(t.db.name, d.Name)
	if err != nil {
		return nil, err
	}
	var all []sql.ForeignKeyConstraint
	for _, child := range children {
		db, ok := defs.DBByID(child.Parent)
		if !ok {
			continue
		}
		for i := range child.Foreign {
			fk := &child.Foreign[i]
			if sameName(fk.ParentTable, d.Name) && sameName(fk.ParentDatabase, t.db.name) {
				all = append(all, constraintOf(defs, db.Name(), child, fk))
			}
		}
	}
	return all, nil
}

// constraintOf turns a descriptor into the engine's constraint. A key that was
// declared before its parent (foreign_key_checks = 0) is resolved as soon as the
// parent is there.
func constraintOf(defs *catalog.Snapshot, db string, child *catalog.Table, fk *catalog.FK) sql.ForeignKeyConstraint {
	resolved := fk.Resolved
	if !resolved {
		if parent, ok := defs.DB(fk.ParentDatabase); ok {
			_, resolved = parent.Lookup(catalog.KindTable, fk.ParentTable)
		}
	}
	return sql.ForeignKeyConstraint{
		Name: fk.Name, Database: db, Table: child.Name,
		ParentDatabase: fk.ParentDatabase, ParentTable: fk.ParentTable,
		Columns: slices.Clone(fk.Columns), ParentColumns: slices.Clone(fk.ParentColumns),
		OnUpdate: sql.ForeignKeyReferentialAction(fk.OnUpdate), OnDelete: sql.ForeignKeyReferentialAction(fk.OnDelete),
		IsResolved: resolved, IsNotValid: fk.NotValid, MatchType: sql.ForeignKeyMatchType(fk.Match),
	}
}

func describeForeign(fk sql.ForeignKeyConstraint) catalog.FK {
	return catalog.FK{
		Name: fk.Name, Columns: slices.Clone(fk.Columns),
		ParentDatabase: fk.ParentDatabase, ParentTable: fk.ParentTable, ParentColumns: slices.Clone(fk.ParentColumns),
		OnUpdate: string(fk.OnUpdate), OnDelete: string(fk.OnDelete),
		Resolved: fk.IsResolved, NotValid: fk.IsNotValid, Match: uint8(fk.MatchType),
	}
}

// CreateIndexForForeignKey implements sql.ForeignKeyTable. The rows that are there
// get their entries at once: GMS builds only the indexes that it creates itself.
func (t *Table) CreateIndexForForeignKey(ctx *sql.Context, def sql.IndexDef) error {
	if err := t.CreateIndex(ctx, def); err != nil {
		return err
	}
	return t.buildIndex(ctx, def.Name)
}

// AddForeignKey implements sql.ForeignKeyTable. Names are unique in a database.
func (t *Table) AddForeignKey(ctx *sql.Context, fk sql.ForeignKeyConstraint) error {
	if err := checkIdentifier("constraint", 1059, fk.Name); err != nil {
		return err
	}
	if fk.OnDelete == sql.ForeignKeyReferentialAction_SetDefault || fk.OnUpdate == sql.ForeignKeyReferentialAction_SetDefault {
		return sql.ErrForeignKeySetDefault.New()
	}
	return t.alter(ctx, func(tx *Transaction, d *catalog.Table) error {
		if err := t.checkForeignName(tx, fk.Name); err != nil {
			return err
		}
		d.Foreign = append(d.Foreign, describeForeign(fk))
		return nil
	})
}

func (t *Table) checkForeignName(tx *Transaction, name string) error {
	db, ok := tx.cat.Snapshot().DB(t.db.name)
	if !ok {
		return sql.ErrDatabaseNotFound.New(t.db.name)
	}
	taken, err := foreignNameTaken(db, name)
	if err != nil {
		return err
	}
	if taken {
		return sql.ErrForeignKeyDuplicateName.New(name)
	}
	return nil
}

func foreignNameTaken(db *catalog.DB, name string) (bool, error) {
	for _, table := range db.TableNames() {
		other, ok, err := db.Table(table)
		if brokenOf(err) != nil {
			continue // its names are lost with it
		}
		if err != nil {
			return false, err
		}
		if !ok {
			continue
		}
		for _, fk := range other.Foreign {
			if sameName(fk.Name, name) {
				return true, nil
			}
		}
	}
	return false, nil
}

// DropForeignKey implements sql.ForeignKeyTable.
func (t *Table) DropForeignKey(ctx *sql.Context, name, _, _ string) error {
	return t.alter(ctx, func(_ *Transaction, d *catalog.Table) error {
		i := findForeign(d, name)
		if i < 0 {
			return sql.ErrForeignKeyNotFound.New(name, d.Name)
		}
		d.Foreign = slices.Delete(d.Foreign, i, i+1)
		return nil
	})
}

func findForeign(d *catalog.Table, name string) int {
	return slices.IndexFunc(d.Foreign, func(fk catalog.FK) bool { return sameName(fk.Name, name) })
}

// UpdateForeignKey implements sql.ForeignKeyTable. GMS also calls it from writing
// statements, to note that a key has been resolved; that is not stored, because
// it follows from the parent's being there.
func (t *Table) UpdateForeignKey(ctx *sql.Context, name string, fk sql.ForeignKeyConstraint) error {
	d, _, err := t.definition(ctx)
	if err != nil {
		return err
	}
	i := findForeign(d, name)
	if i < 0 {
		return sql.ErrForeignKeyNotFound.New(name, d.Name)
	}
	next := describeForeign(fk)
	was := d.Foreign[i]
	was.Resolved = next.Resolved
	if equalForeign(was, next) {
		return nil
	}
	return t.alter(ctx, func(tx *Transaction, d *catalog.Table) error {
		i := findForeign(d, name)
		if i < 0 {
			return sql.ErrForeignKeyNotFound.New(name, d.Name)
		}
		if !sameName(name, fk.Name) {
			if err := t.checkForeignName(tx, fk.Name); err != nil {
				return err
			}
		}
		d.Foreign[i] = next
		return nil
	})
}

func equalForeign(a, b catalog.FK) bool {
	return a.Name == b.Name && slices.Equal(a.Columns, b.Columns) && slices.Equal(a.ParentColumns, b.ParentColumns) &&
		strings.EqualFold(a.ParentDatabase, b.ParentDatabase) && a.ParentTable == b.ParentTable &&
		a.OnUpdate == b.OnUpdate && a.OnDelete == b.OnDelete && a.NotValid == b.NotValid && a.Match == b.Match
}

// GetForeignKeyEditor implements sql.ForeignKeyTable. GMS takes it instead of
// Updater and Deleter for tables with foreign keys, from the table that the scan
// uses, and also for tables that a statement only checks or cascades to.
func (t *Table) GetForeignKeyEditor(*sql.Context) sql.ForeignKeyEditor {
	t.use.mode = scanMode{lock: kv.LockX}
	return newEditor(t)
}

// GetIndexes implements sql.IndexAddressable for foreign-key look-ups.
func (e *editor) GetIndexes(ctx *sql.Context) ([]sql.Index, error) { return e.t.GetIndexes(ctx) }

// PreciseMatch implements sql.IndexAddressable.
func (e *editor) PreciseMatch() bool { return true }

// IndexedAccess implements sql.IndexAddressable: what a foreign key looks up. It
// sees the latest committed rows and all own writes, those of the statement
// included, and locks what it finds.
func (e *editor) IndexedAccess(_ *sql.Context, l sql.IndexLookup) sql.IndexedTable {
	c := *e.t
	c.columns, c.names, c.projection = nil, nil, nil
	c.lookup = &l
	// The rows that an action changes are found through this use, so that the
	// editor knows their row ids.
	c.use = &stmtState{mode: scanMode{lock: kv.LockX}, seen: e.t.use.seenMap()}
	return &referenceTable{IndexedTable{Table: &c}}
}

// seenMap returns the map of row ids that scans of this use fill.
func (u *stmtState) seenMap() map[uint64][]uint64 {
	if u.seen == nil {
		u.seen = map[uint64][]uint64{}
	}
	return u.seen
}

// referenceTable is a table as a foreign key sees it.
type referenceTable struct {
	IndexedTable
}

var _ sql.ReferenceChecker = (*referenceTable)(nil)

// SetReferenceCheck implements sql.ReferenceChecker: the look-up asks whether the
// parent is there, so that others may ask too but none may delete it.
func (t *referenceTable) SetReferenceCheck() error {
	t.use.mode.lock = kv.LockS
	return nil
}

// LookupPartitions implements sql.IndexedTable. A key value that is looked up as
// a whole is locked before it is read, so that an uncommitted parent is waited
// for, be it appearing or going.
func (t *referenceTable) LookupPartitions(ctx *sql.Context, l sql.IndexLookup) (sql.PartitionIter, error) {
	x, ok := l.Index.(*Index)
	if !ok {
		return nil, errInternal("lookup in an index of type %T", l.Index)
	}
	p, err := t.newLookup(ctx, x.shape, l)
	if err != nil {
		return nil, err
	}
	if t.use.mode.lock == kv.LockS && p.points() && !t.temporary {
		tx, err := transactionOf(ctx)
		if err != nil {
			return nil, err
		}
		if err := tx.lockTable(ctx, t.shape.desc, kv.LockIS); err != nil {
			return nil, err
		}
		for _, s := range p.spans {
			if _, err := tx.lockKey(ctx, t.shape.desc.ID, s.Start, kv.LockS, tx.sess.lockWait(ctx)); err != nil {
				return nil, err
			}
		}
	}
	return &partitions{next: &partition{lookup: p}}, nil
}
