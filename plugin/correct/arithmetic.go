package correct

import (
	"math"
	"math/bits"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// integerArithmetic is +, - or * of two integers with an error where the engine
// wraps around. Without a type of its own it has the engine's, BIGINT: then an
// unsigned result that a BIGINT does not hold is out of range too, rather than a
// wrong number.
type integerArithmetic struct {
	*expression.Arithmetic
	left, right sql.Expression
	// typ is BIGINT or BIGINT UNSIGNED, nil for what the engine has declared.
	typ sql.Type
}

// Type implements sql.Expression.
func (a *integerArithmetic) Type(ctx *sql.Context) sql.Type {
	if a.typ != nil {
		return a.typ
	}
	return a.Arithmetic.Type(ctx)
}

// Eval implements sql.Expression.
func (a *integerArithmetic) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	left, err := a.left.Eval(ctx, row)
	if err != nil || left == nil {
		return nil, err
	}
	right, err := a.right.Eval(ctx, row)
	if err != nil || right == nil {
		return nil, err
	}
	l, lok := integerOf(left)
	r, rok := integerOf(right)
	if !lok || !rok {
		return a.Arithmetic.Eval(ctx, row)
	}
	result, ok := a.compute(l, r)
	unsigned := a.typ == types.Uint64
	if unsigned && ok && !result.negative {
		return result.magnitude, nil
	}
	if !ok || unsigned || !result.fitsSigned() || (result.negative && (l.unsigned || r.unsigned) && !a.signedAllowed(ctx)) {
		kind := "BIGINT"
		if l.unsigned || r.unsigned {
			kind = "BIGINT UNSIGNED"
		}
		return nil, errOutOfRange(kind, a.Arithmetic.String())
	}
	return result.signed(), nil
}

// signedAllowed says whether unsigned operands may have a negative difference.
func (a *integerArithmetic) signedAllowed(ctx *sql.Context) bool {
	return a.Op == "-" && sql.LoadSqlMode(ctx).ModeEnabled("NO_UNSIGNED_SUBTRACTION")
}

// signMagnitude is an integer between -(2^64-1) and 2^64-1.
type signMagnitude struct {
	magnitude          uint64
	negative, unsigned bool
}

func integerOf(value any) (signMagnitude, bool) {
	var signed int64
	switch v := value.(type) {
	case int64:
		signed = v
	case int32:
		signed = int64(v)
	case int16:
		signed = int64(v)
	case int8:
		signed = int64(v)
	case int:
		signed = int64(v)
	case uint64:
		return signMagnitude{magnitude: v, unsigned: true}, true
	case uint32:
		return signMagnitude{magnitude: uint64(v), unsigned: true}, true
	case uint16:
		return signMagnitude{magnitude: uint64(v), unsigned: true}, true
	case uint8:
		return signMagnitude{magnitude: uint64(v), unsigned: true}, true
	case bool:
		if v {
			signed = 1
		}
	default:
		return signMagnitude{}, false
	}
	if signed < 0 {
		return signMagnitude{magnitude: uint64(-(signed + 1)) + 1, negative: true}, true
	}
	return signMagnitude{magnitude: uint64(signed)}, true
}

// compute is false if the result has more than 64 bits.
func (a *integerArithmetic) compute(l, r signMagnitude) (signMagnitude, bool) {
	var result signMagnitude
	switch a.Op {
	case "*":
		high, low := bits.Mul64(l.magnitude, r.magnitude)
		if high != 0 {
			return result, false
		}
		result = signMagnitude{magnitude: low, negative: l.negative != r.negative && low != 0}
	case "-":
		r.negative = !r.negative
		fallthrough
	default:
		sum, ok := addSigned(l, r)
		if !ok {
			return result, false
		}
		result = sum
	}
	return result, true
}

func addSigned(l, r signMagnitude) (signMagnitude, bool) {
	if l.negative == r.negative {
		sum, carry := bits.Add64(l.magnitude, r.magnitude, 0)
		return signMagnitude{magnitude: sum, negative: l.negative && sum != 0}, carry == 0
	}
	if l.magnitude < r.magnitude {
		l, r = r, l
	}
	difference := l.magnitude - r.magnitude
	return signMagnitude{magnitude: difference, negative: l.negative && difference != 0}, true
}

// fitsSigned says whether a BIGINT holds the value.
func (s signMagnitude) fitsSigned() bool {
	limit := uint64(math.MaxInt64)
	if s.negative {
		limit++
	}
	return s.magnitude <= limit
}

// signed is the value as a BIGINT that holds it.
func (s signMagnitude) signed() int64 {
	if s.negative {
		return -int64(s.magnitude-1) - 1
	}
	return int64(s.magnitude)
}

// WithChildren implements sql.Expression.
func (a *integerArithmetic) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	changed, err := a.Arithmetic.WithChildren(ctx, children...)
	if err != nil {
		return nil, err
	}
	if arithmetic, ok := changed.(*expression.Arithmetic); ok {
		return &integerArithmetic{Arithmetic: arithmetic, left: children[0], right: children[1], typ: a.typ}, nil
	}
	return changed, nil
}

func checkedArithmetic(ctx *sql.Context, arithmetic *expression.Arithmetic) (sql.Expression, transform.TreeIdentity, error) {
	var e sql.Expression = arithmetic
	if isInterval(arithmetic.LeftChild) || isInterval(arithmetic.RightChild) {
		return checkInterval(ctx, arithmetic)
	}
	if !types.IsInteger(arithmetic.Type(ctx)) {
		return e, transform.SameTree, nil
	}
	switch arithmetic.Op {
	case "+", "-", "*":
	default:
		return e, transform.SameTree, nil
	}
	children := []sql.Expression{signedLiteral(arithmetic.LeftChild), signedLiteral(arithmetic.RightChild)}
	for _, child := range children {
		if !types.IsInteger(child.Type(ctx)) {
			return e, transform.SameTree, nil
		}
	}
	return &integerArithmetic{Arithmetic: arithmetic, left: children[0], right: children[1]}, transform.NewTree, nil
}

func isInterval(e sql.Expression) bool {
	_, ok := e.(*expression.Interval)
	return ok
}
