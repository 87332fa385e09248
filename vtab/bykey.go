package vtab

import (
	"regexp"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/freshetdb/freshet/catalog"
	"github.com/freshetdb/freshet/vtab/enc"
	"github.com/freshetdb/freshet/vtab/kv"
)

// The row with one value of an integer primary key can be read and updated without
// the SQL engine: by the scans and editors that the engine would use.

// Keyed reports whether column is the whole primary key of database.table, of an
// integer type, and the session sees that table under the name. An update must
// moreover have nothing to do but to change the row. It reads nothing but memory.
func (e *Engine) Keyed(ctx *sql.Context, database, table, column string, update bool) bool {
	s, ok := ctx.Session.(*Session)
	if !ok {
		return false
	}
	db, ok := e.catalog.Current().DB(database)
	if !ok || s.temp.find(db.Name(), table) != nil {
		return false
	}
	t, ok, err := db.Table(table)
	if err != nil || !ok || !keyedBy(t, column) {
		return false
	}
	return !update || updatesPlainly(e.catalog.Current(), db, t)
}

// keyedBy reports whether column alone is the primary key, of an integer type, and
// no column is computed.
func keyedBy(t *catalog.Table, column string) bool {
	for i := range t.Columns {
		if c := &t.Columns[i]; c.Generated != "" || c.Hidden {
			return false
		}
	}
	if len(t.PK) != 1 {
		return false
	}
	for i := range t.Columns {
		if c := &t.Columns[i]; c.ID == t.PK[0].Column {
			return sameName(c.Name, column) && integerType.MatchString(c.Type)
		}
	}
	return false
}

// integerType matches the text of the integer types.
var integerType = regexp.MustCompile(`^(tiny|small|medium|big)?int\b`)

// updatesPlainly reports whether an UPDATE of a row of t changes that row only.
func updatesPlainly(defs *catalog.Snapshot, db *catalog.DB, t *catalog.Table) bool {
	if !plainTable(t) || !untriggered(db, t) {
		return false
	}
	for i := range t.Columns {
		if t.Columns[i].OnUpdate != "" {
			return false
		}
	}
	children, err := defs.References(db.Name(), t.Name)
	return err == nil && len(children) == 0
}

// KeyedTable finds the table of a statement for which Keyed was true; nil if that is
// so no longer. A table that is only updated needs no snapshot.
func (e *Engine) KeyedTable(ctx *sql.Context, database, name, column string, update bool) (*Table, error) {
	tx, err := transactionOf(ctx)
	if err != nil {
		return nil, err
	}
	if update {
		if err := tx.admitWrite(ctx); err != nil {
			return nil, err
		}
	}
	defs := e.catalog.Current()
	if tx.synced || !update {
		if defs, err = tx.definitions(ctx); err != nil {
			return nil, err
		}
	}
	db, ok := defs.DB(database)
	if !ok || tx.sess.temp.find(db.Name(), name) != nil {
		return nil, nil
	}
	t, ok, err := db.Table(name)
	if err != nil || !ok || !keyedBy(t, column) || update && !updatesPlainly(defs, db, t) {
		return nil, nil // what is wrong, the engine finds too
	}
	return newTable(ctx, newDatabase(e, db), t, scanMode{})
}

// Version is the version of the definition. It changes with it.
func (t *Table) Version() uint64 { return t.shape.desc.Version }

// KeyColumn is the first column of the primary key.
func (t *Table) KeyColumn() *sql.Column { return t.shape.schema[t.shape.primary.cols[0]] }

// ByKey returns the row in which the primary key, of one column, has a value of the
// column's type. It is locked if an editor has been taken from the table.
func (t *Table) ByKey(ctx *sql.Context, value any) (sql.RowIter, error) {
	x := t.shape.primary
	key, err := x.codec.Append(ctx, append([]byte(nil), x.prefix...), 0, value)
	if err != nil {
		return nil, err
	}
	l := &lookup{index: x, spans: []span{{Range: kv.Range{Start: key, End: enc.Successor(nil, key)}, point: true}}}
	return newRowIter(t, &partition{lookup: l}), nil
}
