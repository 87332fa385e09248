package sysdb

import (
	"io"
	"slices"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"
)

// table is a table that is made up when it is read.
type table struct {
	name   string
	schema sql.Schema
	rows   func(*sql.Context) ([]sql.Row, error)
}

var (
	_ sql.Table          = (*table)(nil)
	_ sql.TemporaryTable = (*table)(nil)
	_ sql.Databaseable   = (*table)(nil)
)

// newTable makes a table of the given columns.
func newTable(name string, columns []column, rows func(*sql.Context) ([]sql.Row, error)) *table {
	t := &table{name: name, rows: rows}
	for _, c := range columns {
		t.schema = append(t.schema, &sql.Column{Name: c.name, Type: c.typ, Nullable: c.nullable, Source: name, DatabaseSource: Name})
	}
	t.schema = slices.Clip(t.schema) // the engine appends to what it is given
	return t
}

// column is a column of a table.
type column struct {
	name     string
	typ      sql.Type
	nullable bool
}

// The types of the columns.
var (
	number = types.Uint64
	flag   = types.Boolean
	word   = types.MustCreateString(sqltypes.VarChar, 255, sql.Collation_Default)
	text   = types.LongText
	moment = types.MustCreateDatetimeType(sqltypes.Datetime, 6)
)

// Name implements sql.Table.
func (t *table) Name() string { return t.name }

// String implements sql.Table.
func (t *table) String() string { return t.name }

// Database implements sql.Databaseable.
func (t *table) Database() string { return Name }

// IsTemporary implements sql.TemporaryTable.
func (t *table) IsTemporary() bool { return false }

// Schema implements sql.Table.
func (t *table) Schema(*sql.Context) sql.Schema { return t.schema }

// Collation implements sql.Table.
func (t *table) Collation() sql.CollationID { return sql.Collation_Default }

// Partitions implements sql.Table.
func (t *table) Partitions(*sql.Context) (sql.PartitionIter, error) { return &partition{}, nil }

// PartitionRows implements sql.Table.
func (t *table) PartitionRows(ctx *sql.Context, _ sql.Partition) (sql.RowIter, error) {
	rows, err := t.rows(ctx)
	if err != nil {
		return nil, err
	}
	return sql.RowsToRowIter(rows...), nil
}

// partition yields itself once.
type partition struct{ done bool }

// Key implements sql.Partition.
func (*partition) Key() []byte { return []byte{0} }

// Next implements sql.PartitionIter.
func (p *partition) Next(*sql.Context) (sql.Partition, error) {
	if p.done {
		return nil, io.EOF
	}
	p.done = true
	return p, nil
}

// Close implements sql.PartitionIter.
func (*partition) Close(*sql.Context) error { return nil }

// Values of columns that may be NULL.

func numberOrNull(n uint64) any {
	if n == 0 {
		return nil
	}
	return n
}

func textOrNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// milliseconds is a time span as a number.
func milliseconds(d time.Duration) uint64 { return uint64(max(0, d.Milliseconds())) }
