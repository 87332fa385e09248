package vtab

import (
	"slices"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/freshetdb/freshet/catalog"
)

// Temporary tables live in their session: their descriptors in memory, their rows
// in the store under ids that no catalog entry names. What a crash leaves of them
// the sweep at open removes. Their rows take part in transactions; their
// definitions do not, as in MySQL.

// tempTables are the temporary tables of a session by database and name.
type tempTables struct {
	tables []tempTable
}

type tempTable struct {
	database string
	desc     *catalog.Table
}

// find returns the temporary table that shadows a name, nil if none does.
func (t *tempTables) find(db, name string) *catalog.Table {
	for i := range t.tables {
		if sameName(t.tables[i].desc.Name, name) && sameName(t.tables[i].database, db) {
			return t.tables[i].desc
		}
	}
	return nil
}

func (t *tempTables) byID(id catalog.ID) *catalog.Table {
	for i := range t.tables {
		if t.tables[i].desc.ID == id {
			return t.tables[i].desc
		}
	}
	return nil
}

// owns reports whether an id is that of a temporary table or one of its ranges.
func (t *tempTables) owns(id catalog.ID) bool {
	for i := range t.tables {
		if d := t.tables[i].desc; d.ID == id || slices.Contains(physicalIDs(d), id) {
			return true
		}
	}
	return false
}

func (t *tempTables) put(db string, d *catalog.Table) {
	for i := range t.tables {
		if t.tables[i].desc.ID == d.ID {
			t.tables[i].desc = d
			return
		}
	}
	t.tables = append(t.tables, tempTable{database: db, desc: d})
}

func (t *tempTables) remove(id catalog.ID) {
	for i := range t.tables {
		if t.tables[i].desc.ID == id {
			t.tables = append(t.tables[:i], t.tables[i+1:]...)
			return
		}
	}
}

func (t *tempTables) rename(db string, d *catalog.Table, to string) error {
	if t.find(db, to) != nil {
		return sql.ErrTableAlreadyExists.New(to)
	}
	renamed, err := catalog.Clone(d)
	if err != nil {
		return err
	}
	renamed.Name = to
	t.put(db, renamed)
	return nil
}

// CreateTemporaryTable implements sql.TemporaryTableCreator.
func (d *Database) CreateTemporaryTable(ctx *sql.Context, name string, schema sql.PrimaryKeySchema, collation sql.CollationID) error {
	if err := checkIdentifier("table", 1103, name); err != nil {
		return err
	}
	tx, err := transactionOf(ctx)
	if err != nil {
		return err
	}
	if err := tx.sync(ctx); err != nil {
		return err
	}
	if tx.sess.temp.find(d.name, name) != nil {
		return sql.ErrTableAlreadyExists.New(name)
	}
	t := &catalog.Table{
		Header:    catalog.Header{ID: tx.newID(), Kind: catalog.KindTable, Parent: d.id, Name: name},
		Physical:  tx.newID(),
		Layout:    1,
		Collation: collation.Name(),
		Created:   ctx.QueryTime().UTC().Truncate(time.Second),
		Role:      roleTemporary,
	}
	if err := describeSchema(ctx, t, schema, nil, tx.newID); err != nil {
		return err
	}
	if err := checkKeyLengths(t); err != nil {
		return err
	}
	if _, err := newShape(ctx, d.name, t); err != nil {
		return err
	}
	tx.sess.temp.put(d.name, t)
	return nil
}

// GetAllTemporaryTables implements sql.TemporaryTableDatabase.
func (d *Database) GetAllTemporaryTables(ctx *sql.Context) ([]sql.Table, error) {
	s, err := SessionOf(ctx)
	if err != nil {
		return nil, err
	}
	var all []sql.Table
	for _, t := range s.temp.tables {
		if !sameName(t.database, d.name) {
			continue
		}
		table, err := newTable(ctx, d, t.desc, scanMode{})
		if err != nil {
			return nil, err
		}
		all = append(all, table)
	}
	return all, nil
}

// alterTemporary changes the definition of a temporary table.
func (t *Table) alterTemporary(ctx *sql.Context, tx *Transaction, change func(*Transaction, *catalog.Table) error) error {
	d, _, err := t.definition(ctx)
	if err != nil {
		return err
	}
	clone, err := catalog.Clone(d)
	if err != nil {
		return err
	}
	if err := change(tx, clone); err != nil {
		return err
	}
	if err := checkKeyLengths(clone); err != nil {
		return err
	}
	tx.sess.temp.put(t.db.name, clone)
	tx.refresh()
	return t.follow(ctx)
}

// dropTemporaryTable removes one temporary table and its rows.
func (s *Session) dropTemporaryTable(ctx *sql.Context, _ string, d *catalog.Table) error {
	tx, err := s.transaction(ctx)
	if err != nil {
		return err
	}
	for _, id := range physicalIDs(d) {
		delete(tx.counts, id)
		delete(tx.built, id)
	}
	tx.retired = append(append(tx.retired, d.ID), physicalIDs(d)...)
	s.temp.remove(d.ID)
	return nil
}

// dropTemporaryOf removes the temporary tables of a database.
func (s *Session) dropTemporaryOf(ctx *sql.Context, db string) error {
	for i := len(s.temp.tables) - 1; i >= 0; i-- {
		if t := s.temp.tables[i]; sameName(t.database, db) {
			if err := s.dropTemporaryTable(ctx, db, t.desc); err != nil {
				return err
			}
		}
	}
	return nil
}

// dropTemporary removes all temporary tables at the end of the session.
func (s *Session) dropTemporary() {
	for _, t := range s.temp.tables {
		for _, id := range append(physicalIDs(t.desc), t.desc.ID) {
			s.engine.dropRanges(id)
			s.engine.claims.drop(id)
		}
	}
	s.temp.tables = nil
}
