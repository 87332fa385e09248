package correct

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
)

// Function is the corrected function of that name, for the database provider's
// sql.FunctionProvider: the engine asks its provider before its own functions,
// and takes aggregates and window functions by the same way. False for every name
// that the engine answers rightly itself.
//
// It has no state and may be called by any number of goroutines.
func Function(name string) (sql.Function, bool) {
	name = strings.ToLower(name)
	if scalar, ok := scalarFunction(name); ok {
		return scalar, true
	}
	if kind, ok := aggregateKind(name); ok {
		return sql.Function1{Name: name, Fn: func(_ *sql.Context, arg sql.Expression) sql.Expression {
			return NewAggregate(kind, arg)
		}}, true
	}
	if name == "unix_timestamp" {
		return sql.FunctionN{Name: name, Fn: unixTimestamp}, true
	}
	return nil, false
}

func aggregateKind(name string) (AggregateKind, bool) {
	switch name {
	case "sum":
		return Sum, true
	case "avg":
		return Avg, true
	case "variance", "var_pop":
		return VarPop, true
	case "var_samp":
		return VarSamp, true
	case "std", "stddev", "stddev_pop":
		return StdDevPop, true
	case "stddev_samp":
		return StdDevSamp, true
	}
	return 0, false
}
