package main

import (
	"io"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// constant is a table of one row, (7, 7), found through its primary key without
// looking: what a point select costs over it is the engine's own.
type constant struct{ schema sql.Schema }

var (
	_ sql.IndexAddressableTable = (*constant)(nil)
	_ sql.IndexedTable          = (*constant)(nil)
	_ sql.PrimaryKeyTable       = (*constant)(nil)
	_ sql.DatabaseProvider      = (*constantProvider)(nil)
	_ sql.Database              = (*constantProvider)(nil)
	_ sql.Index                 = constantIndex{}
)

func newConstant() *constant {
	return &constant{schema: sql.Schema{
		{Name: "id", Type: types.Int64, Source: "one", DatabaseSource: "floor", PrimaryKey: true},
		{Name: "v", Type: types.Int64, Source: "one", DatabaseSource: "floor", Nullable: true},
	}}
}

func (t *constant) Name() string                   { return "one" }
func (t *constant) String() string                 { return "one" }
func (t *constant) Schema(*sql.Context) sql.Schema { return t.schema }
func (t *constant) Collation() sql.CollationID     { return sql.Collation_Default }
func (t *constant) PreciseMatch() bool             { return true }

func (t *constant) PrimaryKeySchema(*sql.Context) sql.PrimaryKeySchema {
	return sql.NewPrimaryKeySchema(t.schema)
}

func (t *constant) Partitions(*sql.Context) (sql.PartitionIter, error) {
	return sql.PartitionsToPartitionIter(onePartition{}), nil
}

func (t *constant) PartitionRows(*sql.Context, sql.Partition) (sql.RowIter, error) {
	return &oneRow{}, nil
}

func (t *constant) IndexedAccess(*sql.Context, sql.IndexLookup) sql.IndexedTable { return t }

func (t *constant) GetIndexes(*sql.Context) ([]sql.Index, error) {
	return []sql.Index{constantIndex{}}, nil
}

func (t *constant) LookupPartitions(ctx *sql.Context, _ sql.IndexLookup) (sql.PartitionIter, error) {
	return t.Partitions(ctx)
}

type onePartition struct{}

func (onePartition) Key() []byte { return nil }

// oneRow returns the row once.
type oneRow struct{ done bool }

func (r *oneRow) Next(*sql.Context) (sql.Row, error) {
	if r.done {
		return nil, io.EOF
	}
	r.done = true
	return sql.Row{int64(7), int64(7)}, nil
}

func (r *oneRow) Close(*sql.Context) error { return nil }

// constantIndex is the primary key of constant.
type constantIndex struct{}

func (constantIndex) ID() string                                 { return "PRIMARY" }
func (constantIndex) Database() string                           { return "floor" }
func (constantIndex) Table() string                              { return "one" }
func (constantIndex) Expressions() []string                      { return []string{"one.id"} }
func (constantIndex) IsUnique() bool                             { return true }
func (constantIndex) IsSpatial() bool                            { return false }
func (constantIndex) IsFullText() bool                           { return false }
func (constantIndex) IsVector() bool                             { return false }
func (constantIndex) Comment() string                            { return "" }
func (constantIndex) IndexType() string                          { return "BTREE" }
func (constantIndex) IsGenerated() bool                          { return false }
func (constantIndex) CanSupport(*sql.Context, ...sql.Range) bool { return true }
func (constantIndex) CanSupportOrderBy(sql.Expression) bool      { return false }
func (constantIndex) CoversColumns([]string) bool                { return true }
func (constantIndex) PrefixLengths() []uint16                    { return nil }

func (constantIndex) ColumnExpressionTypes(*sql.Context) []sql.ColumnExpressionType {
	return []sql.ColumnExpressionType{{Expression: "one.id", Type: types.Int64}}
}

// constantProvider is a provider, and its only database, that holds constant.
type constantProvider struct{ table *constant }

func (p *constantProvider) Name() string { return "floor" }

func (p *constantProvider) Database(_ *sql.Context, name string) (sql.Database, error) {
	if name != p.Name() {
		return nil, sql.ErrDatabaseNotFound.New(name)
	}
	return p, nil
}

func (p *constantProvider) HasDatabase(_ *sql.Context, name string) bool { return name == p.Name() }
func (p *constantProvider) AllDatabases(*sql.Context) []sql.Database     { return []sql.Database{p} }

func (p *constantProvider) GetTableInsensitive(_ *sql.Context, name string) (sql.Table, bool, error) {
	return p.table, name == p.table.Name(), nil
}

func (p *constantProvider) GetTableNames(*sql.Context) ([]string, error) {
	return []string{p.table.Name()}, nil
}
