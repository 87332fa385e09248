package own

import (
	"errors"

	"github.com/dolthub/vitess/go/mysql"
)

// errNotAttached: a statement was run before the engine was built.
var errNotAttached = errors.New("the engine is not built yet")

func errNoDatabase() error {
	return mysql.NewSQLError(1046, "3D000", "No database selected")
}

func errNoTable(database, name string) error {
	return mysql.NewSQLError(1146, "42S02", "Table '%s.%s' doesn't exist", database, name)
}

func errNotView(database, name string) error {
	return mysql.NewSQLError(1347, "HY000", "'%s.%s' is not VIEW", database, name)
}

func errNotBaseTable(database, name string) error {
	return mysql.NewSQLError(1347, "HY000", "'%s.%s' is not BASE TABLE", database, name)
}

func errCollationMismatch(collation, charset string) error {
	return mysql.NewSQLError(1253, "42000", "COLLATION '%s' is not valid for CHARACTER SET '%s'", collation, charset)
}

func errNotUnique(name string) error {
	return mysql.NewSQLError(1066, "42000", "Not unique table/alias: '%s'", name)
}

func errNoProcedure(database, name string) error {
	return mysql.NewSQLError(1305, "42000", "PROCEDURE %s.%s does not exist", database, name)
}

func errUnknownEngine(name string) error {
	return mysql.NewSQLError(1286, "42000", "Unknown storage engine '%s'", name)
}
