package vtab

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/freshetdb/freshet/catalog"
	"github.com/freshetdb/freshet/vtab/kv"
)

// LockedObject is what a key of the lock table stands for.
type LockedObject struct {
	Database, Table string // empty if there is no such table any more
	Index           string // PRIMARY for a row; empty for a table as a whole
	Key             string // the values of the key, as in SQL; empty for a table
}

// String names the object in one line.
func (o LockedObject) String() string {
	table := quoted(o.Database) + "." + quoted(o.Table)
	switch {
	case o.Table == "":
		return "a key that has no name: " + o.Key
	case o.Index == "":
		return "table " + table
	case o.Index == primaryName:
		return "row " + o.Key + " of " + table
	}
	return "key " + o.Key + " of index " + quoted(o.Index) + " of " + table
}

func quoted(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

// LockNames knows which tables and indexes the keys of locks belong to, in one
// state of the catalog.
type LockNames struct {
	engine *Engine
	// owners are the tables by the ids that stand in keys: their own (tables), that
	// of their rows, and those of their indexes.
	owners map[catalog.ID]lockOwner
}

// lockOwner is the table that an id belongs to.
type lockOwner struct {
	database string
	table    *catalog.Table
}

// LockNames returns the names of the present catalog. It decodes every definition
// that has not been used yet; what is broken has no name.
func (e *Engine) LockNames() *LockNames {
	n := &LockNames{engine: e, owners: map[catalog.ID]lockOwner{}}
	for _, db := range e.catalog.Current().Databases() {
		for _, name := range db.TableNames() {
			t, ok, err := db.Table(name)
			if err != nil || !ok {
				continue
			}
			owner := lockOwner{db.Name(), t}
			n.owners[t.ID], n.owners[t.Physical] = owner, owner
			for i := range t.Indexes {
				n.owners[t.Indexes[i].Physical] = owner
			}
		}
	}
	return n
}

// Describe names what a key stands for.
func (n *LockNames) Describe(ctx *sql.Context, key []byte) LockedObject {
	o := LockedObject{Key: fmt.Sprintf("0x%X", key)}
	if len(key) < kv.PrefixBytes {
		return o
	}
	id := catalog.ID(binary.BigEndian.Uint32(key[1:kv.PrefixBytes]))
	owner, ok := n.owners[id]
	if !ok {
		return o
	}
	o.Database, o.Table = owner.database, owner.table.Name
	if kv.Space(key[0]) == kv.SpaceLock {
		o.Key = ""
		return o
	}
	o.Key = fmt.Sprintf("0x%X", key[kv.PrefixBytes:])
	v, err := owner.table.Derive(func(t *catalog.Table) (any, error) { return newShape(ctx, owner.database, t) })
	if err != nil {
		return o
	}
	s := v.(*shape)
	x := s.primary
	for _, other := range s.indexes {
		if other.physical == id {
			x = other
		}
	}
	o.Index = x.name
	if text, err := n.values(ctx, s, x, key); err == nil {
		o.Key = text
	}
	return o
}

// values renders the values of a key. Where the key does not hold them exactly
// (collations), the row that has it is read.
func (n *LockNames) values(ctx *sql.Context, s *shape, x *indexShape, key []byte) (string, error) {
	if x == s.primary && s.keyless() {
		return fmt.Sprint("#", decodeRowID(key[len(key)-rowIDBytes:])), nil
	}
	row := make(sql.Row, len(s.schema))
	rest := key[len(x.prefix):]
	for i, ord := range x.cols {
		if !x.codec.Reversible(i) {
			stored, err := n.stored(ctx, s, x, key)
			if err != nil {
				return "", err
			}
			row = stored
			break
		}
		var err error
		if row[ord], rest, err = x.codec.Decode(i, rest); err != nil {
			return "", err
		}
	}
	parts := make([]string, len(x.cols))
	for i, ord := range x.cols {
		text, err := literalOf(ctx, s.schema[ord].Type, row[ord])
		if err != nil {
			return "", err
		}
		parts[i] = text
	}
	return "(" + strings.Join(parts, ", ") + ")", nil
}

// stored reads the row that has a key of x, committed or not by now.
func (n *LockNames) stored(ctx *sql.Context, s *shape, x *indexShape, key []byte) (sql.Row, error) {
	t, err := n.engine.store.Begin(ctx)
	if err != nil {
		return nil, err
	}
	defer t.Rollback()
	r := t.Latest(kv.Now)
	if x != s.primary {
		value, err := r.Get(ctx, key)
		if err != nil {
			return nil, err
		}
		_, suffix, _, err := x.splitEntry(key, value, nil)
		if err != nil {
			return nil, err
		}
		key = append(append([]byte(nil), s.primary.prefix...), suffix...)
	}
	row, ok, err := s.readRow(ctx, r, key)
	if err == nil && !ok {
		err = errors.New("no such row")
	}
	return row, err
}

// literalOf renders a value as SQL.
func literalOf(ctx *sql.Context, typ sql.Type, v any) (string, error) {
	if v == nil {
		return "NULL", nil
	}
	value, err := typ.SQL(ctx, nil, v)
	if err != nil {
		return "", err
	}
	if !utf8.ValidString(value.ToString()) {
		return fmt.Sprintf("0x%X", value.Raw()), nil
	}
	if value.IsQuoted() {
		return "'" + strings.ReplaceAll(value.ToString(), "'", "''") + "'", nil
	}
	return value.ToString(), nil
}
