package correct

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"
)

// unixTimestamp makes the engine's UNIX_TIMESTAMP for a TIMESTAMP too. The engine
// takes such a value for UTC, while the tables give, as for every other use, the time
// of day in the session's time zone, which it would take of a DATETIME.
func unixTimestamp(ctx *sql.Context, args ...sql.Expression) (sql.Expression, error) {
	if len(args) == 1 {
		if t, ok := args[0].Type(ctx).(sql.DatetimeType); ok && t.Type() == sqltypes.Timestamp {
			typ, err := types.CreateDatetimeType(sqltypes.Datetime, t.Precision())
			if err != nil {
				return nil, err
			}
			args = []sql.Expression{&asDatetime{expression.UnaryExpressionStub{Child: args[0]}, typ}}
		}
	}
	return function.NewUnixTimestamp(ctx, args...)
}

// asDatetime shows a TIMESTAMP as the DATETIME of the same time of day.
type asDatetime struct {
	expression.UnaryExpressionStub
	typ sql.Type
}

var (
	_ sql.Expression         = (*asDatetime)(nil)
	_ sql.CollationCoercible = (*asDatetime)(nil)
)

// Type implements sql.Expression.
func (a *asDatetime) Type(*sql.Context) sql.Type { return a.typ }

// Eval implements sql.Expression.
func (a *asDatetime) Eval(ctx *sql.Context, row sql.Row) (any, error) { return a.Child.Eval(ctx, row) }

// String implements sql.Expression.
func (a *asDatetime) String() string { return a.Child.String() }

// WithChildren implements sql.Expression.
func (a *asDatetime) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(a, len(children), 1)
	}
	return &asDatetime{expression.UnaryExpressionStub{Child: children[0]}, a.typ}, nil
}

// CollationCoercibility implements sql.CollationCoercible.
func (*asDatetime) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 5
}
