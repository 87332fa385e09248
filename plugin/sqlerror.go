package plugin

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dolthub/vitess/go/mysql"

	"github.com/freshetdb/freshet/plugin/correct"
)

// toSQLError gives an error the number and SQLSTATE that MySQL would: those of
// the server itself here, all others where the engine is corrected.
func toSQLError(err error) *mysql.SQLError {
	switch {
	case isPanic(err):
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

// isPanic reports whether err is a panic that was contained. The engine contains
// those of its own goroutines in an error that has no type, only this text and
// the stack, which no client should see.
func isPanic(err error) bool {
	var panicked *panicError
	if errors.As(err, &panicked) {
		return true
	}
	text := err.Error()
	return strings.Contains(text, "panic recovered: ") && strings.Contains(text, "\ngoroutine ")
}

// errInternal is what a client sees of a panic.
func errInternal() *mysql.SQLError {
	return mysql.NewSQLError(mysql.ERUnknownError, mysql.SSUnknownSQLState,
		"Internal error; the transaction was rolled back. The server's log has the details")
}

// errMixedResult: a statement returned rows and a count.
var errMixedResult = errors.New("a result mixed rows with a count of rows")
