package routine

import (
	"errors"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	goerrors "gopkg.in/src-d/go-errors.v1"

	"github.com/freshetdb/freshet/plugin/parser"
)

// errNoData: a SELECT … INTO or FETCH found no row. It matches NOT FOUND handlers.
var errNoData = mysql.NewSQLError(1329, "02000", "No data - zero rows fetched, selected, or processed")

// known is an error with MySQL's number and text, which Go callers know by the
// engine's kind. Values are those of the kind's message.
func known(kind *goerrors.Kind, number int, state, text string, values ...any) error {
	return kind.Wrap(mysql.NewSQLError(number, state, "%s", text), values...)
}

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
	return known(sql.ErrLoopLabelNotFound, 1308, "42000", action+" with no matching label: "+label, action, label)
}

func errCondition(name string) error {
	return known(sql.ErrDeclareConditionNotFound, 1319, "42000", "Undefined CONDITION: "+name, name)
}

func errCursor(name string) error {
	return known(sql.ErrCursorNotFound, 1324, "42000", "Undefined CURSOR: "+name, name)
}

func errVariable(name string) error {
	return mysql.NewSQLError(1327, "42000", "Undeclared variable: %s", name)
}

func errDuplicateVariable(name string) error {
	return known(sql.ErrDeclareVariableDuplicate, 1331, "42000", "Duplicate variable: "+name, name)
}

func errDuplicateCondition(name string) error {
	return known(sql.ErrDeclareConditionDuplicate, 1332, "42000", "Duplicate condition: "+name, name)
}

func errDuplicateCursor(name string) error {
	return known(sql.ErrDeclareCursorDuplicate, 1333, "42000", "Duplicate cursor: "+name, name)
}

func errDuplicateHandler() error {
	return known(sql.ErrDeclareHandlerDuplicate, 1413, "42000", "Duplicate handler declared in the same block")
}

func errCaseNotFound() error {
	return mysql.NewSQLError(1339, "20000", "Case not found for CASE statement")
}

func errColumnCount() error {
	return mysql.NewSQLError(1222, "21000", "The used SELECT statements have a different number of columns")
}

func errFetchCount() error {
	return known(sql.ErrFetchIncorrectCount, 1328, "HY000", "Incorrect number of FETCH variables")
}

func errTooManyRows() error {
	return mysql.NewSQLError(1172, "42000", "Result consisted of more than one row")
}

func errCursorOpen() error {
	return known(sql.ErrCursorAlreadyOpen, 1325, "24000", "Cursor is already open", "")
}

func errCursorNotOpen() error {
	return known(sql.ErrCursorNotOpen, 1326, "24000", "Cursor is not open", "")
}

func errResignalInactive() error {
	return mysql.NewSQLError(1645, "0K000", "RESIGNAL when handler not active")
}

func errBadState(state string) error {
	return mysql.NewSQLError(1407, "42000", "Bad SQLSTATE: '%s'", state)
}

func errReturn() error {
	return mysql.NewSQLError(1313, "42000", "RETURN is only allowed in a FUNCTION")
}

func errNoProcedure(database, name string) error {
	return mysql.NewSQLError(1305, "42000", "PROCEDURE %s.%s does not exist", database, name)
}

func errProcedureArguments(database, name string, want, got int) error {
	return mysql.NewSQLError(1318, "42000", "Incorrect number of arguments for PROCEDURE %s.%s; expected %d, got %d", database, name, want, got)
}

func errNotAVariable(i int, name string) error {
	return mysql.NewSQLError(1414, "42000", "OUT or INOUT argument %d for routine %s is not a variable or NEW pseudo-variable in BEFORE trigger", i, name)
}

func errTooDeep(name string) error {
	return mysql.NewSQLError(1456, "HY000", "Recursive limit %d (as set by the max_sp_recursion_depth variable) was exceeded for routine %s", callDepthMax, name)
}

func errNoDatabase() error {
	return mysql.NewSQLError(1046, "3D000", "No database selected")
}

// errMisplaced is for a declaration behind one that has to follow it, or elsewhere
// than at the start of a block.
func errMisplaced(kind *goerrors.Kind, number int, text string) error {
	return known(kind, number, "42000", text)
}

func errLimitType(name string, typ sql.Type) error {
	return mysql.NewSQLError(1691, "HY000", "A variable of a non-integer based type in LIMIT clause: %s is %s", name, typ)
}

func errWithin(what string) error {
	return mysql.NewSQLError(1303, "2F003", "Can't create a %s from within another stored routine", what)
}

func errSystemVariable(name string) error {
	return mysql.NewSQLError(1193, "HY000", "Unknown system variable '%s'", name)
}

func errMissingRight(rights string) error {
	return mysql.NewSQLError(1227, "42000", "Access denied; you need (at least one of) the %s privilege(s) for this operation", rights)
}

func errNoDefiner(account parser.Account) error {
	return mysql.NewSQLError(1449, "HY000", "The user specified as a definer ('%s'@'%s') does not exist", account.User, account.Host)
}

func errMayNotCall(account parser.Account, database, name string) error {
	return mysql.NewSQLError(1370, "42000", "execute command denied to user '%s'@'%s' for routine '%s.%s'", account.User, account.Host, database, name)
}
