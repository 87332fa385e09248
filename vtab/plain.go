package vtab

import (
	"sync/atomic"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/freshetdb/freshet/catalog"
)

// Rows can be put into a plain table without the SQL engine: there is nothing to
// evaluate for each of them. A plain table has no triggers, CHECKs, generated
// columns, foreign keys or full-text indexes.

// plainTable reports whether the definition alone asks for nothing.
func plainTable(t *catalog.Table) bool {
	if len(t.Checks) > 0 || len(t.Foreign) > 0 {
		return false
	}
	for i := range t.Columns {
		if c := &t.Columns[i]; c.Generated != "" || c.Hidden {
			return false
		}
	}
	for i := range t.Indexes {
		if t.Indexes[i].Type == catalog.IndexFullText {
			return false
		}
	}
	return true
}

// untriggered reports whether no trigger is known to belong to the table.
func untriggered(db *catalog.DB, t *catalog.Table) bool {
	triggers, err := db.Triggers()
	if err != nil {
		return false
	}
	for _, trigger := range triggers {
		if trigger.Table.Table == "" || sameName(trigger.Table.Table, t.Name) {
			return false
		}
	}
	return true
}

// Plain reports whether database.table is plain in the newest catalog. It reads
// nothing but memory.
func (e *Engine) Plain(database, table string) bool {
	db, ok := e.catalog.Current().DB(database)
	if !ok {
		return false
	}
	t, ok, err := db.Table(table)
	return err == nil && ok && plainTable(t) && untriggered(db, t)
}

// PlainTable finds the table for an INSERT that reads nothing but the keys it
// writes, nil if there is none or it is not plain. Where the transaction has no
// snapshot yet it gets none: the definition is the newest, and the table lock makes
// sure of it.
func (e *Engine) PlainTable(ctx *sql.Context, database, name string) (*Table, error) {
	tx, err := transactionOf(ctx)
	if err != nil {
		return nil, err
	}
	defs := e.catalog.Current()
	if tx.synced {
		defs = tx.cat.Snapshot()
	}
	db, ok := defs.DB(database)
	if !ok || tx.sess.temp.find(db.Name(), name) != nil {
		return nil, nil
	}
	t, ok, err := db.Table(name)
	if err != nil || !ok || !plainTable(t) || !untriggered(db, t) {
		return nil, nil // what is wrong, the engine finds too
	}
	return newTable(ctx, newDatabase(e, db), t, scanMode{})
}

// Plain reports whether the table is plain as the transaction sees it.
func (t *Table) Plain(ctx *sql.Context) (bool, error) {
	if !plainTable(t.shape.desc) {
		return false, nil
	}
	db, _, err := t.db.view(ctx)
	if err != nil {
		return false, err
	}
	return t.temporary || untriggered(db, t.shape.desc), nil
}

// resolvedSchema holds a schema with resolved defaults, for those that need it.
type resolvedSchema struct{ schema atomic.Pointer[sql.Schema] }

// ResolvedSchema returns the schema of the table with defaults that can be
// evaluated. The first caller's resolve makes it, for all sessions.
func (t *Table) ResolvedSchema(resolve func() (sql.Schema, error)) (sql.Schema, error) {
	if s := t.shape.resolved.schema.Load(); s != nil {
		return *s, nil
	}
	s, err := resolve()
	if err != nil {
		return nil, err
	}
	t.shape.resolved.schema.Store(&s)
	return s, nil
}

// AutoIncrementColumn is the ordinal of the AUTO_INCREMENT column, -1 for none.
func (t *Table) AutoIncrementColumn() int { return t.shape.autoCol }

// ColumnOrdinal finds a column by name, without regard to case.
func (t *Table) ColumnOrdinal(name string) (int, bool) { return t.shape.column(name) }

// Retract undoes what an editor of this package has done since StatementBegin.
// Unlike DiscardChanges it does not count as a failure of the statement, which
// the caller runs in another way.
func Retract(i sql.EditOpenerCloser) error {
	e, ok := i.(*editor)
	if !ok {
		return errInternal("inserter of type %T", i)
	}
	if len(e.marks) > 0 {
		m := e.marks[len(e.marks)-1]
		e.marks = e.marks[:len(e.marks)-1]
		e.tx.sess.editing--
		e.tx.rollbackTo(m)
	}
	e.delta = 0
	if use := e.t.use; use.sequence.own > 0 {
		e.tx.engine().sequences.putBack(e.shape.desc.ID, use.sequence)
		use.sequence, use.ids, use.idsEnd = sequenceUse{}, 0, 0
	}
	return nil
}
