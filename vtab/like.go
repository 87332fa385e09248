package vtab

import (
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/fulltext"

	"github.com/freshetdb/freshet/catalog"
)

// CreateTableLike makes an empty table with the definition of another one: all but
// its rows, its foreign keys and where its AUTO_INCREMENT stands. CHECKs get names of
// their own. A name that is in use is sql.ErrTableAlreadyExists.
func (d *Database) CreateTableLike(ctx *sql.Context, name string, source *Table, temporary bool) error {
	if err := checkIdentifier("table", 1103, name); err != nil {
		return err
	}
	was, _, err := source.definition(ctx)
	if err != nil {
		return err
	}
	if temporary {
		return d.createTemporaryLike(ctx, name, was)
	}
	db, c, tx, err := d.edit(ctx)
	if err != nil {
		return err
	}
	if _, ok, err := db.Table(name); ok || brokenOf(err) != nil {
		return sql.ErrTableAlreadyExists.New(name)
	}
	if _, ok, err := db.View(name); ok || brokenOf(err) != nil {
		return sql.ErrTableAlreadyExists.New(name)
	}
	t, err := d.copyDefinition(ctx, tx, name, was)
	if err != nil {
		return err
	}
	for _, check := range t.Checks {
		taken, err := checkNameTaken(db, &catalog.Table{}, check.Name)
		if err != nil {
			return err
		}
		if taken {
			return sql.ErrDuplicateCheckName.New(check.Name)
		}
	}
	tx.noteBuilt(t.Physical, 0)
	if err := tx.putTable(c, t); err != nil {
		return err
	}
	return d.copyFullText(ctx, t, was)
}

func (d *Database) createTemporaryLike(ctx *sql.Context, name string, was *catalog.Table) error {
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
	for i := range was.Indexes {
		if was.Indexes[i].Type == catalog.IndexFullText {
			return errTemporaryFullText()
		}
	}
	t, err := d.copyDefinition(ctx, tx, name, was)
	if err != nil {
		return err
	}
	t.Role = roleTemporary
	tx.sess.temp.put(d.name, t)
	return nil
}

// copyDefinition is a definition under new ids, without full-text keys.
func (d *Database) copyDefinition(ctx *sql.Context, tx *Transaction, name string, was *catalog.Table) (*catalog.Table, error) {
	t, err := catalog.Clone(was)
	if err != nil {
		return nil, err
	}
	t.Header = catalog.Header{ID: tx.newID(), Kind: catalog.KindTable, Parent: d.id, Name: name}
	t.Physical, t.Layout, t.Layouts = tx.newID(), 1, nil
	t.Foreign, t.AutoIncrement, t.Role = nil, 0, ""
	t.Created = ctx.QueryTime().UTC().Truncate(time.Second)
	ids := map[catalog.ID]catalog.ID{}
	for i := range t.Columns {
		id := tx.newID()
		ids[t.Columns[i].ID] = id
		t.Columns[i].ID, t.Columns[i].Stored, t.Columns[i].Missing = id, false, nil
	}
	renumber := func(parts []catalog.Part) {
		for i := range parts {
			parts[i].Column = ids[parts[i].Column]
		}
	}
	renumber(t.PK)
	kept := t.Indexes[:0]
	for _, x := range t.Indexes {
		if x.Type == catalog.IndexFullText {
			continue
		}
		x.Physical = tx.newID()
		renumber(x.Parts)
		kept = append(kept, x)
	}
	t.Indexes = kept
	storeIndexed(t)
	checks := t.Checks
	t.Checks = nil
	for _, check := range checks {
		check.Name = newCheckName(t)
		t.Checks = append(t.Checks, check)
	}
	_, err = newShape(ctx, d.name, t)
	return t, err
}

// copyFullText makes the full-text keys of a definition on a copy of it.
func (d *Database) copyFullText(ctx *sql.Context, t, was *catalog.Table) error {
	var keys sql.IndexDefs
	for _, x := range was.Indexes {
		if x.Type != catalog.IndexFullText {
			continue
		}
		key := &sql.IndexDef{Name: x.Name, Constraint: sql.IndexConstraint_Fulltext, Comment: x.Comment}
		for _, p := range x.Parts {
			for i := range was.Columns {
				if was.Columns[i].ID == p.Column {
					key.Columns = append(key.Columns, sql.IndexColumn{Name: was.Columns[i].Name})
				}
			}
		}
		keys = append(keys, key)
	}
	if len(keys) == 0 {
		return nil
	}
	table, err := newTable(ctx, d, t, scanMode{})
	if err != nil {
		return err
	}
	return fulltext.CreateFulltextIndexes(ctx, d, table, nil, keys)
}
