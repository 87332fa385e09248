package vtab

import (
	"slices"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/fulltext"

	"github.com/freshetdb/freshet/catalog"
)

// Database is one database as a statement sees it.
type Database struct {
	engine *Engine
	id     catalog.ID
	name   string
}

var (
	_ sql.Database                  = (*Database)(nil)
	_ sql.TableCreator              = (*Database)(nil)
	_ sql.IndexedTableCreator       = (*Database)(nil)
	_ sql.TemporaryTableCreator     = (*Database)(nil)
	_ sql.TemporaryTableDatabase    = (*Database)(nil)
	_ sql.TableDropper              = (*Database)(nil)
	_ sql.TableRenamer              = (*Database)(nil)
	_ sql.VersionedDatabase         = (*Database)(nil)
	_ sql.CollatedDatabase          = (*Database)(nil)
	_ sql.SchemaObjectNameValidator = (*Database)(nil)
	_ sql.SchemaValidator           = (*Database)(nil)
	_ fulltext.Database             = (*Database)(nil)
)

func newDatabase(e *Engine, db *catalog.DB) *Database {
	return &Database{engine: e, id: db.Desc().ID, name: db.Name()}
}

// Name implements sql.Database.
func (d *Database) Name() string { return d.name }

// view returns this database in the catalog that the statement sees.
func (d *Database) view(ctx *sql.Context) (*catalog.DB, *Transaction, error) {
	tx, err := transactionOf(ctx)
	if err != nil {
		return nil, nil, err
	}
	defs, err := tx.definitions(ctx)
	if err != nil {
		return nil, nil, err
	}
	db, ok := defs.DB(d.name)
	if !ok {
		return nil, nil, sql.ErrDatabaseNotFound.New(d.name)
	}
	return db, tx, nil
}

// edit returns this database in the catalog that the statement is changing.
func (d *Database) edit(ctx *sql.Context) (*catalog.DB, *catalog.Txn, *Transaction, error) {
	tx, err := transactionOf(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	c, err := tx.redefine(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	db, ok := c.Snapshot().DB(d.name)
	if !ok {
		return nil, nil, nil, sql.ErrDatabaseNotFound.New(d.name)
	}
	return db, c, tx, nil
}

// GetTableInsensitive implements sql.Database. Each call makes a Table for one
// use: an editor taken from it tells the scans of the same use to lock.
func (d *Database) GetTableInsensitive(ctx *sql.Context, name string) (sql.Table, bool, error) {
	return d.bind(ctx, name, scanMode{})
}

func (d *Database) bind(ctx *sql.Context, name string, mode scanMode) (sql.Table, bool, error) {
	db, tx, err := d.view(ctx)
	if err != nil {
		return nil, false, err
	}
	if t := tx.sess.temp.find(d.name, name); t != nil {
		table, err := newTable(ctx, d, t, mode)
		return table, err == nil, err
	}
	t, ok, err := db.Table(name)
	if b := brokenOf(err); b != nil {
		return bindBroken(ctx, b)
	}
	if err != nil || !ok {
		return nil, false, err
	}
	table, err := newTable(ctx, d, t, mode)
	return table, err == nil, err
}

// GetTableNames implements sql.Database.
func (d *Database) GetTableNames(ctx *sql.Context) ([]string, error) {
	db, _, err := d.view(ctx)
	if err != nil {
		return nil, err
	}
	return visible(db)
}

// GetTableInsensitiveAsOf implements sql.VersionedDatabase. The only versions
// there are mark tables that a SELECT locks (see LockMark).
func (d *Database) GetTableInsensitiveAsOf(ctx *sql.Context, name string, asOf any) (sql.Table, bool, error) {
	mode, err := parseLockMark(asOf)
	if err != nil {
		return nil, false, err
	}
	return d.bind(ctx, name, mode)
}

// GetTableNamesAsOf implements sql.VersionedDatabase.
func (d *Database) GetTableNamesAsOf(ctx *sql.Context, _ any) ([]string, error) {
	return d.GetTableNames(ctx)
}

// GetCollation implements sql.CollatedDatabase.
func (d *Database) GetCollation(ctx *sql.Context) sql.CollationID {
	db, _, err := d.view(ctx)
	if err != nil {
		return sql.Collation_Default
	}
	c, err := sql.ParseCollation("", db.Desc().Collation, false)
	if err != nil {
		return sql.Collation_Default
	}
	return c
}

// SetCollation implements sql.CollatedDatabase.
func (d *Database) SetCollation(ctx *sql.Context, collation sql.CollationID) error {
	db, c, _, err := d.edit(ctx)
	if err != nil {
		return err
	}
	desc := *db.Desc()
	desc.Collation = collation.Name()
	return c.Put(&desc)
}

// CreateTable implements sql.TableCreator.
func (d *Database) CreateTable(ctx *sql.Context, name string, schema sql.PrimaryKeySchema, collation sql.CollationID, comment string) error {
	return d.createTable(ctx, name, schema, nil, collation, comment)
}

// CreateIndexedTable implements sql.IndexedTableCreator.
func (d *Database) CreateIndexedTable(ctx *sql.Context, name string, schema sql.PrimaryKeySchema, pk sql.IndexDef, collation sql.CollationID, comment string) error {
	return d.createTable(ctx, name, schema, pk.Columns, collation, comment)
}

func (d *Database) createTable(ctx *sql.Context, name string, schema sql.PrimaryKeySchema, pk []sql.IndexColumn, collation sql.CollationID, comment string) error {
	if err := checkIdentifier("table", 1103, name); err != nil {
		return err
	}
	db, c, tx, err := d.edit(ctx)
	if err != nil {
		return err
	}
	if _, ok, _ := db.Table(name); ok {
		return sql.ErrTableAlreadyExists.New(name)
	}
	if tx.sess.LocksTables() {
		return errNotLocked(name)
	}
	t := &catalog.Table{
		Header:    catalog.Header{ID: tx.newID(), Kind: catalog.KindTable, Parent: d.id, Name: name},
		Physical:  tx.newID(),
		Layout:    1,
		Collation: collation.Name(),
		Comment:   comment,
		Created:   ctx.QueryTime().UTC().Truncate(time.Second),
	}
	if slices.Contains(tx.sideTables, name) {
		t.Role = roleFullText
	}
	if err := describeSchema(ctx, t, schema, pk, tx.newID); err != nil {
		return err
	}
	if _, err := newShape(ctx, d.name, t); err != nil {
		return err
	}
	tx.noteBuilt(t.Physical, 0)
	return tx.putTable(c, t)
}

// DropTable implements sql.TableDropper.
func (d *Database) DropTable(ctx *sql.Context, name string) error {
	s, err := SessionOf(ctx)
	if err != nil {
		return err
	}
	if t := s.temp.find(d.name, name); t != nil {
		return s.dropTemporaryTable(ctx, d.name, t)
	}
	db, c, tx, err := d.edit(ctx)
	if err != nil {
		return err
	}
	t, ok, err := db.Table(name)
	if b := brokenOf(err); b != nil {
		return d.dropBrokenTable(ctx, c, tx, b)
	}
	if err != nil {
		return err
	}
	if !ok {
		return sql.ErrTableNotFound.New(name)
	}
	return tx.dropTable(ctx, c, t)
}

// RenameTable implements sql.TableRenamer. Foreign keys of other tables that name
// this one follow.
func (d *Database) RenameTable(ctx *sql.Context, from, to string) error {
	if err := checkIdentifier("table", 1103, to); err != nil {
		return err
	}
	s, err := SessionOf(ctx)
	if err != nil {
		return err
	}
	if t := s.temp.find(d.name, from); t != nil {
		return s.temp.rename(d.name, t, to)
	}
	db, c, tx, err := d.edit(ctx)
	if err != nil {
		return err
	}
	t, ok, err := db.Table(from)
	if err != nil {
		return err
	}
	if !ok {
		return sql.ErrTableNotFound.New(from)
	}
	if other, ok, _ := db.Table(to); ok && other.ID != t.ID {
		return sql.ErrTableAlreadyExists.New(to)
	}
	if err := tx.lockTable(ctx, t, exclusive); err != nil {
		return err
	}
	children, err := c.Snapshot().References(d.name, t.Name)
	if err != nil {
		return err
	}
	renamed, err := catalog.Clone(t)
	if err != nil {
		return err
	}
	renamed.Name = to
	if err := tx.putTable(c, renamed); err != nil {
		return err
	}
	for _, child := range children {
		if err := tx.renameParent(c, child.ID, d.name, t.Name, to); err != nil {
			return err
		}
	}
	return nil
}

// renameParent makes the foreign keys of a child follow a renamed parent.
func (tx *Transaction) renameParent(c *catalog.Txn, child catalog.ID, db, from, to string) error {
	o, ok, err := c.Snapshot().ByID(catalog.KindTable, child)
	if err != nil || !ok {
		return err
	}
	t, err := catalog.Clone(o.(*catalog.Table))
	if err != nil {
		return err
	}
	for i := range t.Foreign {
		if fk := &t.Foreign[i]; strings.EqualFold(fk.ParentTable, from) && strings.EqualFold(fk.ParentDatabase, db) {
			fk.ParentTable = to
		}
	}
	return tx.putTable(c, t)
}

// ValidateSchema implements sql.SchemaValidator.
func (d *Database) ValidateSchema(schema sql.Schema) error {
	for _, col := range schema {
		if col.HiddenSystem {
			continue
		}
		if err := checkIdentifier("column", 1166, col.Name); err != nil {
			return err
		}
	}
	return nil
}

// ValidateNewTableName implements sql.SchemaObjectNameValidator: tables and views
// share one namespace.
func (d *Database) ValidateNewTableName(ctx *sql.Context, name string, skipIfExists bool) (bool, error) {
	if err := checkIdentifier("table", 1103, name); err != nil {
		return false, err
	}
	db, _, err := d.view(ctx)
	if err != nil {
		return false, err
	}
	if _, ok, err := db.View(name); err != nil {
		return false, err
	} else if ok && !skipIfExists {
		return true, sql.ErrTableAlreadyExists.New(name)
	} else if ok {
		return true, nil
	}
	return false, nil
}

// ValidateNewIndexName implements sql.SchemaObjectNameValidator.
func (d *Database) ValidateNewIndexName(_ *sql.Context, name string, _ bool) (bool, error) {
	if name == "" {
		return false, nil
	}
	return false, checkIdentifier("index", 1280, name)
}

// ValidateNewViewName implements sql.SchemaObjectNameValidator.
func (d *Database) ValidateNewViewName(ctx *sql.Context, name string, _ bool) error {
	if err := checkIdentifier("table", 1103, name); err != nil {
		return err
	}
	db, _, err := d.view(ctx)
	if err != nil {
		return err
	}
	if _, ok, err := db.Table(name); err != nil {
		return err
	} else if ok {
		return sql.ErrTableAlreadyExists.New(name)
	}
	return nil
}

// ValidateNewSequenceName implements sql.SchemaObjectNameValidator; MySQL has no
// sequences.
func (d *Database) ValidateNewSequenceName(*sql.Context, string, bool) (bool, error) {
	return false, nil
}
