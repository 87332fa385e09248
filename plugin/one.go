package plugin

import (
	"io"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/freshetdb/freshet/plugin/parser"
)

// oneDatabase holds the table of one row that SELECTs without FROM read. The
// engine's own way costs thousands of allocations for each such statement. The
// provider answers its name and does not list it.
type oneDatabase struct{}

var (
	_ sql.ViewDatabase    = oneDatabase{}
	_ sql.TriggerDatabase = oneDatabase{}
)

// Name implements sql.Nameable.
func (oneDatabase) Name() string { return parser.DualDatabase }

// GetTableInsensitive implements sql.Database.
func (oneDatabase) GetTableInsensitive(_ *sql.Context, name string) (sql.Table, bool, error) {
	return oneTable{}, name == parser.DualTable, nil
}

// GetTableNames implements sql.Database.
func (oneDatabase) GetTableNames(*sql.Context) ([]string, error) { return nil, nil }

// The engine looks for a view before it looks for a table.

// GetViewDefinition implements sql.ViewDatabase.
func (oneDatabase) GetViewDefinition(*sql.Context, string) (sql.ViewDefinition, bool, error) {
	return sql.ViewDefinition{}, false, nil
}

// AllViews implements sql.ViewDatabase.
func (oneDatabase) AllViews(*sql.Context) ([]sql.ViewDefinition, error) { return nil, nil }

// CreateView implements sql.ViewDatabase.
func (oneDatabase) CreateView(*sql.Context, string, string, string) error {
	return sql.ErrDatabaseNotFound.New(parser.DualDatabase)
}

// DropView implements sql.ViewDatabase.
func (oneDatabase) DropView(*sql.Context, string) error {
	return sql.ErrDatabaseNotFound.New(parser.DualDatabase)
}

// GetTriggers implements sql.TriggerDatabase.
func (oneDatabase) GetTriggers(*sql.Context) ([]sql.TriggerDefinition, error) { return nil, nil }

// CreateTrigger implements sql.TriggerDatabase.
func (oneDatabase) CreateTrigger(*sql.Context, sql.TriggerDefinition) error {
	return sql.ErrDatabaseNotFound.New(parser.DualDatabase)
}

// DropTrigger implements sql.TriggerDatabase.
func (oneDatabase) DropTrigger(*sql.Context, string) error {
	return sql.ErrDatabaseNotFound.New(parser.DualDatabase)
}

// oneTable has one row.
type oneTable struct{}

var (
	_ sql.Table          = oneTable{}
	_ sql.TemporaryTable = oneTable{}
	_ sql.Databaseable   = oneTable{}
)

var oneSchema = sql.Schema{{Name: parser.DualColumn, Type: types.Int8, Source: parser.DualTable, DatabaseSource: parser.DualDatabase}}

// Name implements sql.Table.
func (oneTable) Name() string { return parser.DualTable }

// String implements sql.Table.
func (oneTable) String() string { return parser.DualTable }

// Database implements sql.Databaseable.
func (oneTable) Database() string { return parser.DualDatabase }

// IsTemporary implements sql.TemporaryTable.
func (oneTable) IsTemporary() bool { return false }

// Schema implements sql.Table.
func (oneTable) Schema(*sql.Context) sql.Schema { return oneSchema }

// Collation implements sql.Table.
func (oneTable) Collation() sql.CollationID { return sql.Collation_Default }

// Partitions implements sql.Table.
func (oneTable) Partitions(*sql.Context) (sql.PartitionIter, error) { return &onePartition{}, nil }

// PartitionRows implements sql.Table.
func (oneTable) PartitionRows(*sql.Context, sql.Partition) (sql.RowIter, error) {
	return sql.RowsToRowIter(sql.Row{int8(1)}), nil
}

// onePartition yields itself once.
type onePartition struct{ done bool }

// Key implements sql.Partition.
func (*onePartition) Key() []byte { return []byte{0} }

// Next implements sql.PartitionIter.
func (p *onePartition) Next(*sql.Context) (sql.Partition, error) {
	if p.done {
		return nil, io.EOF
	}
	p.done = true
	return p, nil
}

// Close implements sql.PartitionIter.
func (*onePartition) Close(*sql.Context) error { return nil }
