package routine

import (
	"github.com/dolthub/go-mysql-server/sql"

	"github.com/freshetdb/freshet/catalog"
)

// Definitions is where stored functions are kept. Names of functions ignore case.
// What is returned is shared and not changed. Changes belong to the session's
// transaction. All methods may be called by any number of goroutines.
//
// A definition's Statement is what Render makes: CREATE FUNCTION with its definer,
// without a database and IF NOT EXISTS, in the syntax of SQLMode.
type Definitions interface {
	// Lookup gives the function, nil if there is none, or no such database.
	Lookup(ctx *sql.Context, database, name string) (*catalog.Routine, error)
	// List gives the functions of a database, ordered by name.
	List(ctx *sql.Context, database string) ([]*catalog.Routine, error)
	// Create adds a function; the caller has looked that its name is free.
	Create(ctx *sql.Context, database string, r *catalog.Routine) error
	// Replace stores a changed definition under its name.
	Replace(ctx *sql.Context, database string, r *catalog.Routine) error
	// Drop removes a function that the caller has found.
	Drop(ctx *sql.Context, database, name string) error
}
