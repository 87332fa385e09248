package vtab

import (
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/fulltext"

	"github.com/freshetdb/freshet/catalog"
)

// GMS's own full-text index: five side tables that an editor of its own keeps up.

var _ fulltext.IndexAlterableTable = (*Table)(nil)

// CreateFulltextTableNames implements fulltext.Database.
func (d *Database) CreateFulltextTableNames(ctx *sql.Context, parent, index string) (fulltext.IndexTableNames, error) {
	db, tx, err := d.view(ctx)
	if err != nil {
		return fulltext.IndexTableNames{}, err
	}
	for n := 0; ; n++ {
		base := fmt.Sprintf("%s_%s_%d", parent, index, n)
		names := fulltext.IndexTableNames{
			Config:      parent + "_FTS_CONFIG",
			Position:    base + "_FTS_POSITION",
			DocCount:    base + "_FTS_DOC_COUNT",
			GlobalCount: base + "_FTS_GLOBAL_COUNT",
			RowCount:    base + "_FTS_ROW_COUNT",
		}
		taken := false
		for _, name := range []string{names.Position, names.DocCount, names.GlobalCount, names.RowCount} {
			if _, ok := db.Lookup(catalog.KindTable, name); ok {
				taken = true
			}
		}
		if !taken {
			tx.sideTables = append(tx.sideTables, names.Config, names.Position, names.DocCount, names.GlobalCount, names.RowCount)
			return names, nil
		}
	}
}

// CreateFulltextIndex implements fulltext.IndexAlterableTable.
func (t *Table) CreateFulltextIndex(ctx *sql.Context, def sql.IndexDef, key fulltext.KeyColumns, names fulltext.IndexTableNames) error {
	return t.alter(ctx, func(tx *Transaction, d *catalog.Table) error {
		x, err := describeIndex(t, d, def)
		if err != nil {
			return err
		}
		x.Physical = tx.newID()
		x.FullText = &catalog.FullText{Config: names.Config, Position: names.Position, DocCount: names.DocCount,
			GlobalCount: names.GlobalCount, RowCount: names.RowCount,
			KeyType: uint8(key.Type), KeyName: key.Name, KeyColumns: key.Positions}
		d.Indexes = append(d.Indexes, x)
		return nil
	})
}

// edit returns the editor of the table, with those of its full-text tables where
// it has any.
func (t *Table) edit(ctx *sql.Context) sql.TableEditor {
	e := newEditor(t)
	if !t.shape.fullText {
		return e
	}
	full, err := t.fullTextEditor(ctx, e)
	if err != nil {
		return &failedEditor{editor: e, err: err}
	}
	return full
}

// rebuildFullText fills the side tables anew after a rewrite of the rows.
func (t *Table) rebuildFullText(ctx *sql.Context) error {
	fresh, ok, err := t.db.GetTableInsensitive(ctx, t.Name())
	if err != nil {
		return err
	}
	if !ok {
		return errDroppedTable(t.Name())
	}
	return fulltext.RebuildTables(ctx, fresh.(*Table), t.db)
}

func (t *Table) fullTextEditor(ctx *sql.Context, e *editor) (sql.TableEditor, error) {
	var config fulltext.EditableTable
	var sets []fulltext.TableSet
	indexes, err := t.GetIndexes(ctx)
	if err != nil {
		return nil, err
	}
	for _, index := range indexes {
		x := index.(*Index)
		if !x.IsFullText() {
			continue
		}
		set, cfg, err := t.fullTextSet(ctx, x)
		if err != nil {
			return nil, err
		}
		sets = append(sets, set)
		config = cfg
	}
	inner, err := fulltext.CreateEditor(ctx, t, config, sets...)
	if err != nil {
		return nil, err
	}
	return fulltext.CreateMultiTableEditor(ctx, e, inner)
}

func (t *Table) fullTextSet(ctx *sql.Context, x *Index) (set fulltext.TableSet, config fulltext.EditableTable, err error) {
	names, err := x.FullTextTableNames(ctx)
	if err != nil {
		return set, nil, err
	}
	open := func(name string) fulltext.EditableTable {
		table, ok, e := t.db.GetTableInsensitive(ctx, name)
		if e == nil && !ok {
			e = sql.ErrTableNotFound.New(name)
		}
		if e != nil {
			err = e
			return nil
		}
		return table.(*Table)
	}
	set = fulltext.TableSet{Index: x, Position: open(names.Position), DocCount: open(names.DocCount),
		GlobalCount: open(names.GlobalCount), RowCount: open(names.RowCount)}
	return set, open(names.Config), err
}

// failedEditor reports why an editor could not be made: the interfaces of GMS
// leave no other place.
type failedEditor struct {
	*editor
	err error
}

// Insert implements sql.RowInserter.
func (e *failedEditor) Insert(*sql.Context, sql.Row) error { return e.err }

// Delete implements sql.RowDeleter.
func (e *failedEditor) Delete(*sql.Context, sql.Row) error { return e.err }

// Update implements sql.RowUpdater.
func (e *failedEditor) Update(*sql.Context, sql.Row, sql.Row) error { return e.err }

// SetAutoIncrementValue implements sql.AutoIncrementSetter, which GMS wants of the
// editor that it combines with those of the full-text tables.
func (e *editor) SetAutoIncrementValue(ctx *sql.Context, n uint64) error {
	return e.t.AutoIncrementSetter(ctx).SetAutoIncrementValue(ctx, n)
}

// AcquireAutoIncrementLock implements sql.AutoIncrementSetter.
func (e *editor) AcquireAutoIncrementLock(ctx *sql.Context) (func(), error) {
	return e.t.AutoIncrementSetter(ctx).AcquireAutoIncrementLock(ctx)
}

// roleFullText marks the descriptor of a full-text side table.
const roleFullText = "fulltext"

// visible lists the tables of a database without the side tables of full-text
// indexes, which no user made.
func visible(db *catalog.DB) ([]string, error) {
	names := db.TableNames()
	shown := names[:0:0]
	for _, name := range names {
		if strings.Contains(name, "_FTS_") {
			t, ok, err := db.Table(name)
			if brokenOf(err) != nil {
				continue
			}
			if err != nil {
				return nil, err
			}
			if ok && t.Role == roleFullText {
				continue
			}
		}
		shown = append(shown, name)
	}
	return shown, nil
}
