package own

import (
	"sort"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/freshetdb/freshet/catalog"
	"github.com/freshetdb/freshet/plugin/routine"
	"github.com/freshetdb/freshet/vtab"
)

// Definitions keeps stored functions in the catalog, and finds procedures there.
type Definitions struct{ databases *vtab.Provider }

var (
	_ routine.Definitions     = Definitions{}
	_ routine.ProcedureSource = Definitions{}
)

// NewDefinitions returns the stored functions of a store.
func NewDefinitions(databases *vtab.Provider) Definitions { return Definitions{databases} }

// find returns a database of the store, nil if there is none of that name.
func (d Definitions) find(ctx *sql.Context, name string) (*vtab.Database, error) {
	found, err := d.databases.Database(ctx, name)
	if sql.ErrDatabaseNotFound.Is(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	database, ok := found.(*vtab.Database)
	if !ok {
		return nil, nil // a system database has none
	}
	return database, nil
}

// Lookup implements routine.Definitions.
func (d Definitions) Lookup(ctx *sql.Context, database, name string) (*catalog.Routine, error) {
	found, err := d.find(ctx, database)
	if err != nil || found == nil {
		return nil, err
	}
	r, ok, err := found.Routine(ctx, catalog.KindFunction, name)
	if err != nil || !ok {
		return nil, err
	}
	return r, nil
}

// Procedure implements routine.ProcedureSource.
func (d Definitions) Procedure(ctx *sql.Context, database, name string) (*catalog.Routine, error) {
	found, err := d.find(ctx, database)
	if err != nil || found == nil {
		return nil, err
	}
	r, ok, err := found.Routine(ctx, catalog.KindProcedure, name)
	if err != nil || !ok {
		return nil, err
	}
	return r, nil
}

// List implements routine.Definitions.
func (d Definitions) List(ctx *sql.Context, database string) ([]*catalog.Routine, error) {
	found, err := d.find(ctx, database)
	if err != nil || found == nil {
		return nil, err
	}
	all, err := found.Routines(ctx, catalog.KindFunction)
	if err != nil {
		return nil, err
	}
	sort.Slice(all, func(i, j int) bool { return strings.ToLower(all[i].Name) < strings.ToLower(all[j].Name) })
	return all, nil
}

// Create implements routine.Definitions.
func (d Definitions) Create(ctx *sql.Context, database string, r *catalog.Routine) error {
	found, err := storeDatabase(ctx, d.databases, database)
	if err != nil {
		return err
	}
	return found.SaveRoutine(ctx, catalog.KindFunction, details(r))
}

// Replace implements routine.Definitions.
func (d Definitions) Replace(ctx *sql.Context, database string, r *catalog.Routine) error {
	found, err := storeDatabase(ctx, d.databases, database)
	if err != nil {
		return err
	}
	return found.ReplaceRoutine(ctx, catalog.KindFunction, details(r))
}

// Drop implements routine.Definitions.
func (d Definitions) Drop(ctx *sql.Context, database, name string) error {
	found, err := storeDatabase(ctx, d.databases, database)
	if err != nil {
		return err
	}
	return found.DropRoutine(ctx, catalog.KindFunction, name)
}

func details(r *catalog.Routine) sql.StoredProcedureDetails {
	return sql.StoredProcedureDetails{
		Name: r.Name, CreateStatement: r.Statement, CreatedAt: r.Created, ModifiedAt: r.Modified, SqlMode: r.SQLMode,
	}
}
