package plugin

import (
	"errors"
	"fmt"

	"github.com/dolthub/vitess/go/mysql"

	"github.com/freshetdb/freshet/plugin/correct"
)

// toSQLError gives an error the number and SQLSTATE that MySQL would: those of
// the server itself here, all others where the engine is corrected.
func toSQLError(err error) *mysql.SQLError {
	var panicked *panicError
	switch {
	case errors.As(err, &panicked):
		return errInternal()
	case errors.Is(err, errShutdown), errors.Is(err, ErrClosed):
		return mysql.NewSQLError(mysql.ERServerShutdown, mysql.SSServerShutdown, "Server shutdown in progress")
	case errors.Is(err, errQueryTimeout):
		return mysql.NewSQLError(3024, mysql.SSUnknownSQLState, "Query execution was interrupted, maximum statement execution time exceeded")
	case errors.Is(err, errClientGone):
		return mysql.NewSQLError(mysql.ERQueryInterrupted, mysql.SSQueryInterrupted, "Query execution was interrupted")
	}
	var mapped *mysql.SQLError
	if !errors.As(correct.MySQLError(err), &mapped) {
		return mysql.NewSQLError(mysql.ERUnknownError, mysql.SSUnknownSQLState, "%v", err)
	}
	return mapped
}

// panicError is a panic that a goroutine of a statement has contained.
type panicError struct {
	value any
	stack string
}

// Error implements error.
func (e *panicError) Error() string { return fmt.Sprintf("panic: %v\n%s", e.value, e.stack) }

// errInternal is what a client sees of a panic.
func errInternal() *mysql.SQLError {
	return mysql.NewSQLError(mysql.ERUnknownError, mysql.SSUnknownSQLState,
		"Internal error; the transaction was rolled back. The server's log has the details")
}

// errMixedResult: a statement returned rows and a count.
var errMixedResult = errors.New("a result mixed rows with a count of rows")
