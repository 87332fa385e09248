package correct

import (
	"cmp"
	"math"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// integerComparison compares an integer column with an integer constant. The engine
// converts both for every row, which costs more than reading the row.
type integerComparison struct {
	expression.Comparer
	column   *expression.GetField
	constant int64
	holds    func(order int) bool // of the column and the constant
}

// compareIntegers returns nil for comparisons of anything else.
func compareIntegers(ctx *sql.Context, c expression.Comparer) *integerComparison {
	column, ok := c.Left().(*expression.GetField)
	constant, isLiteral := c.Right().(*expression.Literal)
	flipped := !ok
	if flipped {
		column, ok = c.Right().(*expression.GetField)
		constant, isLiteral = c.Left().(*expression.Literal)
	}
	if !ok || !isLiteral || !types.IsInteger(column.Type(ctx)) || !types.IsInteger(constant.Type(ctx)) {
		return nil
	}
	n, ok := asInt64(constant.Value())
	if !ok {
		return nil
	}
	var holds func(int) bool
	switch c.(type) {
	case *expression.Equals:
		holds = func(order int) bool { return order == 0 }
	case *expression.LessThan:
		holds = func(order int) bool { return order < 0 }
	case *expression.LessThanOrEqual:
		holds = func(order int) bool { return order <= 0 }
	case *expression.GreaterThan:
		holds = func(order int) bool { return order > 0 }
	case *expression.GreaterThanOrEqual:
		holds = func(order int) bool { return order >= 0 }
	default:
		return nil
	}
	if flipped {
		asWritten := holds
		holds = func(order int) bool { return asWritten(-order) }
	}
	return &integerComparison{Comparer: c, column: column, constant: n, holds: holds}
}

// asInt64 gives the value of a Go integer that an int64 holds.
func asInt64(v any) (int64, bool) {
	switch n := v.(type) {
	case int8:
		return int64(n), true
	case int16:
		return int64(n), true
	case int32:
		return int64(n), true
	case int64:
		return n, true
	case int:
		return int64(n), true
	case uint8:
		return int64(n), true
	case uint16:
		return int64(n), true
	case uint32:
		return int64(n), true
	case uint64:
		return int64(n), n <= math.MaxInt64
	}
	return 0, false
}

// Eval implements sql.Expression.
func (i *integerComparison) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	if i.column.Index() >= len(row) {
		return i.Comparer.Eval(ctx, row)
	}
	v := row[i.column.Index()]
	if v == nil {
		return nil, nil
	}
	if n, ok := asInt64(v); ok {
		return i.holds(cmp.Compare(n, i.constant)), nil
	}
	if _, ok := v.(uint64); ok { // above all constants
		return i.holds(1), nil
	}
	return i.Comparer.Eval(ctx, row)
}

// WithChildren implements sql.Expression.
func (i *integerComparison) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	changed, err := i.Comparer.WithChildren(ctx, children...)
	if err != nil {
		return nil, err
	}
	c, ok := changed.(expression.Comparer)
	if !ok {
		return changed, nil
	}
	if fast := compareIntegers(ctx, c); fast != nil {
		return fast, nil
	}
	return c, nil
}
