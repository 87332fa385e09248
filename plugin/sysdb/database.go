package sysdb

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/freshetdb/freshet/vtab"
)

// Name is the database's.
const Name = "freshet"

// Database is the database. It may be used by any number of goroutines.
type Database struct {
	tables []*table
}

var (
	_ sql.ViewDatabase    = (*Database)(nil)
	_ sql.TriggerDatabase = (*Database)(nil)
)

// New returns the database over the tables of a store.
func New(e *vtab.Engine) *Database {
	return &Database{tables: []*table{lastDeadlock(e), locks(e), transactions(e)}}
}

// Name implements sql.Database.
func (d *Database) Name() string { return Name }

// GetTableInsensitive implements sql.Database.
func (d *Database) GetTableInsensitive(_ *sql.Context, name string) (sql.Table, bool, error) {
	i := slices.IndexFunc(d.tables, func(t *table) bool { return strings.EqualFold(t.name, name) })
	if i < 0 {
		return nil, false, nil
	}
	return d.tables[i], true, nil
}

// GetTableNames implements sql.Database.
func (d *Database) GetTableNames(*sql.Context) ([]string, error) {
	names := make([]string, len(d.tables))
	for i, t := range d.tables {
		names[i] = t.name
	}
	return names, nil
}

// GetViewDefinition implements sql.ViewDatabase: the engine looks for a view before
// it looks for a table.
func (d *Database) GetViewDefinition(*sql.Context, string) (sql.ViewDefinition, bool, error) {
	return sql.ViewDefinition{}, false, nil
}

// AllViews implements sql.ViewDatabase.
func (d *Database) AllViews(*sql.Context) ([]sql.ViewDefinition, error) { return nil, nil }

// CreateView implements sql.ViewDatabase.
func (d *Database) CreateView(*sql.Context, string, string, string) error { return errDenied() }

// DropView implements sql.ViewDatabase.
func (d *Database) DropView(*sql.Context, string) error { return errDenied() }

// GetTriggers implements sql.TriggerDatabase.
func (d *Database) GetTriggers(*sql.Context) ([]sql.TriggerDefinition, error) { return nil, nil }

// CreateTrigger implements sql.TriggerDatabase.
func (d *Database) CreateTrigger(*sql.Context, sql.TriggerDefinition) error { return errDenied() }

// DropTrigger implements sql.TriggerDatabase.
func (d *Database) DropTrigger(*sql.Context, string) error { return errDenied() }

// errDenied is the refusal to change the database.
func errDenied() error {
	return mysql.NewSQLError(1044, "42000", "Access denied to database '%s': it shows the state of the server", Name)
}
