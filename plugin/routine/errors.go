package routine

import (
	"errors"

	"github.com/dolthub/vitess/go/mysql"
)

// errNoData: a SELECT … INTO or FETCH found no row. It matches NOT FOUND handlers.
var errNoData = mysql.NewSQLError(1329, "02000", "No data - zero rows fetched, selected, or processed")

// ErrDefinition: a stored definition is not a CREATE FUNCTION statement.
var ErrDefinition = errors.New("the stored definition is not a function")

func errNoFunction(database, name string) error {
	return mysql.NewSQLError(1305, "42000", "FUNCTION %s.%s does not exist", database, name)
}

func errExists(name string) error {
	return mysql.NewSQLError(1304, "42000", "FUNCTION %s already exists", name)
}

func errArguments(database, name string, want, got int) error {
	return mysql.NewSQLError(1318, "42000", "Incorrect number of arguments for FUNCTION %s.%s; expected %d, got %d", database, name, want, got)
}

func errEndedWithoutReturn(name string) error {
	return mysql.NewSQLError(1321, "2F005", "FUNCTION %s ended without RETURN", name)
}

func errRecursive() error {
	return mysql.NewSQLError(1424, "HY000", "Recursive stored functions and triggers are not allowed.")
}

func errResultSet() error {
	return mysql.NewSQLError(1415, "0A000", "Not allowed to return a result set from a function")
}

func errCommit() error {
	return mysql.NewSQLError(1422, "HY000", "Explicit or implicit commit is not allowed in stored function or trigger.")
}

func errNotInRoutine(statement string) error {
	return mysql.NewSQLError(1314, "0A000", "%s is not allowed in stored procedures", statement)
}

func errDynamic() error {
	return mysql.NewSQLError(1336, "0A000", "Dynamic SQL is not allowed in stored function or trigger")
}

func errUnsupported(what string) error {
	return mysql.NewSQLError(1235, "42000", "This version doesn't yet support '%s in a stored function'", what)
}

func errLabel(action, label string) error {
	return mysql.NewSQLError(1308, "42000", "%s with no matching label: %s", action, label)
}

func errCondition(name string) error {
	return mysql.NewSQLError(1319, "42000", "Undefined CONDITION: %s", name)
}

func errCursor(name string) error {
	return mysql.NewSQLError(1324, "42000", "Undefined CURSOR: %s", name)
}

func errVariable(name string) error {
	return mysql.NewSQLError(1327, "42000", "Undeclared variable: %s", name)
}

func errDuplicate(number int, kind, name string) error {
	return mysql.NewSQLError(number, "42000", "Duplicate %s: %s", kind, name)
}

func errCaseNotFound() error {
	return mysql.NewSQLError(1339, "20000", "Case not found for CASE statement")
}

func errColumnCount() error {
	return mysql.NewSQLError(1222, "21000", "The used SELECT statements have a different number of columns")
}

func errFetchCount() error {
	return mysql.NewSQLError(1328, "HY000", "Incorrect number of FETCH variables")
}

func errTooManyRows() error {
	return mysql.NewSQLError(1172, "42000", "Result consisted of more than one row")
}

func errCursorOpen() error {
	return mysql.NewSQLError(1325, "24000", "Cursor is already open")
}

func errCursorNotOpen() error {
	return mysql.NewSQLError(1326, "24000", "Cursor is not open")
}

func errResignalInactive() error {
	return mysql.NewSQLError(1645, "0K000", "RESIGNAL when handler not active")
}

func errBadState(state string) error {
	return mysql.NewSQLError(1407, "42000", "Bad SQLSTATE: '%s'", state)
}

func errNoDatabase() error {
	return mysql.NewSQLError(1046, "3D000", "No database selected")
}

func errDeclarationOrder(number int, text string) error {
	return mysql.NewSQLError(number, "42000", "%s", text)
}

func errSystemVariable(name string) error {
	return mysql.NewSQLError(1193, "HY000", "Unknown system variable '%s'", name)
}
