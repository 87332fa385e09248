package correct

import (
	"errors"

	"github.com/dolthub/vitess/go/mysql"
)

// Planning.
var (
	// ErrEvalAggregate: an aggregate was evaluated as an ordinary expression,
	// which only a fault of the planner can cause.
	ErrEvalAggregate = errors.New("an aggregate was evaluated outside GROUP BY")
	// ErrAlreadyInstalled: Rules was applied to an analyzer twice.
	ErrAlreadyInstalled = errors.New("the corrections are already applied to this analyzer")
	// ErrMissingRule: the engine lacks a rule that a correction replaces.
	ErrMissingRule = errors.New("the engine lacks a rule that is to be corrected")
)

// errOutOfRange: a value of the type does not hold the result of expression.
func errOutOfRange(typ, expression string) error {
	return mysql.NewSQLError(1690, "22003", "%s value is out of range in '%s'", typ, expression)
}

// errDistinctWindow: SQL has no DISTINCT aggregates over windows in MySQL.
func errDistinctWindow(function string) error {
	return mysql.NewSQLError(1235, "42000", "This version of MySQL doesn't yet support '%s(DISTINCT ..)' as a window function", function)
}
