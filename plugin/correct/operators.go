package correct

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/cockroachdb/apd/v3"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/types"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// Operator is what the parser puts in the place of an arithmetic operation, of a
// negation or of ~ (sqlparser.Injectable). The engine declares a result as BIGINT
// that MySQL has as BIGINT UNSIGNED, and the negation of an unsigned number as
// unsigned; what it declares cannot be changed behind the binder.
type Operator struct{ written ast.Expr }

// NewOperator stands for an *ast.BinaryExpr or *ast.UnaryExpr.
func NewOperator(written ast.Expr) Operator { return Operator{written} }

// String implements fmt.Stringer, for the text of the syntax tree.
func (o Operator) String() string { return ast.String(o.written) }

// WithResolvedChildren implements sqlparser.Injectable. What the engine declares
// rightly is the engine's.
func (o Operator) WithResolvedChildren(c context.Context, children []any) (any, error) {
	ctx, ok := c.(*sql.Context)
	if !ok {
		ctx = sql.NewContext(c)
	}
	operands := make([]sql.Expression, len(children))
	for i, child := range children {
		if operands[i], ok = child.(sql.Expression); !ok {
			return nil, fmt.Errorf("an operand of %s is no expression but a %T", o, child)
		}
	}
	switch e := o.written.(type) {
	case *ast.UnaryExpr:
		if len(operands) != 1 {
			break
		}
		if e.Operator == ast.TildaStr {
			return &complement{operands[0]}, nil
		}
		if isInteger(ctx, operands[0]) {
			return newNegation(operands[0]), nil
		}
		return expression.NewUnaryMinus(operands[0]), nil
	case *ast.BinaryExpr:
		if len(operands) == 2 {
			return newArithmetic(ctx, e.Operator, operands[0], operands[1]), nil
		}
	}
	return nil, fmt.Errorf("%s with %d operands", o, len(operands))
}

// newNegation is the negative of an integer. That of a literal is a DECIMAL if no
// BIGINT holds it.
func newNegation(e sql.Expression) sql.Expression {
	if literal, ok := e.(*expression.Literal); ok {
		n, ok := integerOf(literal.Val)
		n.negative = !n.negative
		if ok && !n.fitsSigned() {
			return expression.NewLiteral(n.decimal(), types.InternalDecimalType)
		}
	}
	return &negation{signedLiteral(e)}
}

// decimal is the value as a DECIMAL.
func (s signMagnitude) decimal() *apd.Decimal {
	d := types.DecimalFromUint64(s.magnitude)
	d.Negative = s.negative && s.magnitude != 0
	return d
}

// isInteger says whether an expression, whose type may not be known yet, is an
// integer.
func isInteger(ctx *sql.Context, e sql.Expression) bool {
	return e.Resolved() && types.IsInteger(e.Type(ctx))
}

// newArithmetic is +, - or *.
func newArithmetic(ctx *sql.Context, op string, left, right sql.Expression) sql.Expression {
	left, right = signedLiteral(left), signedLiteral(right)
	arithmetic := expression.NewArithmetic(left, right, op)
	if !isInteger(ctx, left) || !isInteger(ctx, right) || !types.IsUnsigned(left.Type(ctx)) && !types.IsUnsigned(right.Type(ctx)) {
		return arithmetic
	}
	e := &integerArithmetic{Arithmetic: arithmetic, left: left, right: right, typ: types.Uint64}
	if e.signedAllowed(ctx) {
		e.typ = types.Int64
	}
	return e
}

// signedLiteral gives an integer literal that a BIGINT holds that type: the engine
// takes 200 for a TINYINT UNSIGNED.
func signedLiteral(e sql.Expression) sql.Expression {
	literal, ok := e.(*expression.Literal)
	if !ok || !types.IsUnsigned(literal.Typ) {
		return e
	}
	if n, ok := integerOf(literal.Val); ok && n.fitsSigned() {
		return expression.NewLiteral(n.signed(), types.Int64)
	}
	return e
}

// negation is the negative of an integer, a BIGINT.
type negation struct{ child sql.Expression }

var _ sql.Expression = (*negation)(nil)
var _ sql.CollationCoercible = (*negation)(nil)

// Eval implements sql.Expression.
func (n *negation) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	value, err := n.child.Eval(ctx, row)
	if err != nil || value == nil {
		return nil, err
	}
	integer, ok := integerOf(value)
	if !ok {
		return nil, sql.ErrInvalidValueType.New(value, types.Int64.String())
	}
	integer.negative = !integer.negative && integer.magnitude != 0
	if !integer.fitsSigned() {
		return nil, errOutOfRange("BIGINT", n.String())
	}
	return integer.signed(), nil
}

// Type implements sql.Expression.
func (n *negation) Type(*sql.Context) sql.Type { return types.Int64 }

// IsNullable implements sql.Expression.
func (n *negation) IsNullable(ctx *sql.Context) bool { return n.child.IsNullable(ctx) }

// Resolved implements sql.Expression.
func (n *negation) Resolved() bool { return n.child.Resolved() }

// CollationCoercibility implements sql.CollationCoercible.
func (n *negation) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 5
}

// String implements sql.Expression.
func (n *negation) String() string { return "-" + n.child.String() }

// Children implements sql.Expression.
func (n *negation) Children() []sql.Expression { return []sql.Expression{n.child} }

// WithChildren implements sql.Expression.
func (n *negation) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(n, len(children), 1)
	}
	return &negation{children[0]}, nil
}

// complement is ~, all 64 bits turned.
type complement struct{ child sql.Expression }

var _ sql.Expression = (*complement)(nil)
var _ sql.CollationCoercible = (*complement)(nil)

// Eval implements sql.Expression.
func (c *complement) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	value, err := c.child.Eval(ctx, row)
	if err != nil || value == nil {
		return nil, err
	}
	n, err := numberOf(ctx, c.child.Type(ctx), value)
	if err != nil {
		return nil, err
	}
	return ^bitsOf(n), nil
}

// Type implements sql.Expression.
func (c *complement) Type(*sql.Context) sql.Type { return types.Uint64 }

// IsNullable implements sql.Expression.
func (c *complement) IsNullable(ctx *sql.Context) bool { return c.child.IsNullable(ctx) }

// Resolved implements sql.Expression.
func (c *complement) Resolved() bool { return c.child.Resolved() }

// CollationCoercibility implements sql.CollationCoercible.
func (c *complement) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 5
}

// String implements sql.Expression.
func (c *complement) String() string { return "~" + c.child.String() }

// Children implements sql.Expression.
func (c *complement) Children() []sql.Expression { return []sql.Expression{c.child} }

// WithChildren implements sql.Expression.
func (c *complement) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(c, len(children), 1)
	}
	return &complement{children[0]}, nil
}

// bitsOf are the 64 bits of a number as bit operations take it: rounded, and cut to
// what a BIGINT or BIGINT UNSIGNED holds.
func bitsOf(n number) uint64 {
	switch n.kind {
	case numberInt:
		return uint64(n.integer)
	case numberUint:
		return n.bits
	case numberFloat:
		switch rounded := math.RoundToEven(n.float); {
		case rounded >= 1<<64:
			return math.MaxUint64
		case rounded >= 0:
			return uint64(rounded)
		case rounded < -1<<63:
			return 1 << 63
		default:
			return uint64(int64(rounded))
		}
	}
	whole := roundedInteger(n.decimal)
	if whole.negative {
		return uint64(whole.signed())
	}
	return whole.magnitude
}

// roundedInteger is a decimal rounded half away from zero, cut to what a BIGINT or
// BIGINT UNSIGNED holds.
func roundedInteger(d *apd.Decimal) signMagnitude {
	rounding := apd.BaseContext.WithPrecision(200)
	rounding.Rounding = apd.RoundHalfUp
	whole := new(apd.Decimal)
	negative := d.Negative
	if _, err := rounding.Quantize(whole, d, 0); err != nil {
		return signMagnitude{magnitude: math.MaxInt64, negative: negative}
	}
	magnitude, err := strconv.ParseUint(strings.TrimPrefix(whole.Text('f'), "-"), 10, 64)
	if err != nil { // only the range can be wrong
		magnitude = math.MaxUint64
	}
	if negative && magnitude > 1<<63 {
		magnitude = 1 << 63
	}
	return signMagnitude{magnitude: magnitude, negative: negative && magnitude != 0}
}

// exactBits is a bit operation on numbers. The engine cuts BIGINT UNSIGNED to BIGINT.
type exactBits struct{ *expression.BitOp }

// Eval implements sql.Expression.
func (b *exactBits) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	left, err := b.LeftChild.Eval(ctx, row)
	if err != nil || left == nil {
		return nil, err
	}
	right, err := b.RightChild.Eval(ctx, row)
	if err != nil || right == nil {
		return nil, err
	}
	l, err := numberOf(ctx, b.LeftChild.Type(ctx), left)
	if err != nil {
		return nil, err
	}
	r, err := numberOf(ctx, b.RightChild.Type(ctx), right)
	if err != nil {
		return nil, err
	}
	x, y := bitsOf(l), bitsOf(r)
	switch b.Op {
	case ast.BitAndStr:
		return x & y, nil
	case ast.BitOrStr:
		return x | y, nil
	case ast.BitXorStr:
		return x ^ y, nil
	case ast.ShiftLeftStr:
		return x << min(y, 64), nil
	case ast.ShiftRightStr:
		return x >> min(y, 64), nil
	}
	return b.BitOp.Eval(ctx, row)
}

// WithChildren implements sql.Expression.
func (b *exactBits) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	changed, err := b.BitOp.WithChildren(ctx, children...)
	if err != nil {
		return nil, err
	}
	if op, ok := changed.(*expression.BitOp); ok {
		return &exactBits{op}, nil
	}
	return changed, nil
}

// exactIntDiv is DIV of integers. The engine takes all of them for BIGINT.
type exactIntDiv struct {
	*expression.IntDiv
	left, right sql.Expression
}

// Eval implements sql.Expression.
func (d *exactIntDiv) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	left, err := d.left.Eval(ctx, row)
	if err != nil || left == nil {
		return nil, err
	}
	right, err := d.right.Eval(ctx, row)
	if err != nil || right == nil {
		return nil, err
	}
	l, lok := integerOf(left)
	r, rok := integerOf(right)
	if !lok || !rok || r.magnitude == 0 {
		return d.IntDiv.Eval(ctx, row) // with its warning
	}
	quotient, _ := bits.Div64(0, l.magnitude, r.magnitude)
	result := signMagnitude{magnitude: quotient, negative: l.negative != r.negative && quotient != 0}
	if l.unsigned || r.unsigned {
		if result.negative {
			return nil, errOutOfRange("BIGINT UNSIGNED", d.IntDiv.String())
		}
		return result.magnitude, nil
	}
	if !result.fitsSigned() {
		return nil, errOutOfRange("BIGINT", d.IntDiv.String())
	}
	return result.signed(), nil
}

// WithChildren implements sql.Expression.
func (d *exactIntDiv) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	changed, err := d.IntDiv.WithChildren(ctx, children...)
	if err != nil {
		return nil, err
	}
	if div, ok := changed.(*expression.IntDiv); ok {
		return &exactIntDiv{IntDiv: div, left: children[0], right: children[1]}, nil
	}
	return changed, nil
}

// integerCast is CAST AS SIGNED or UNSIGNED of a number: an integer keeps its 64
// bits, a decimal is rounded and cut; and of text with too many digits.
type integerCast struct {
	*expression.Convert
	child sql.Expression
}

// Eval implements sql.Expression.
func (c *integerCast) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	value, err := c.child.Eval(ctx, row)
	if err != nil || value == nil {
		return nil, err
	}
	unsigned := c.Type(ctx) == types.Uint64
	if text, ok := asText(value); ok {
		if cut, ok := c.tooLong(ctx, text, unsigned); ok {
			return cut, nil
		}
		return c.Convert.Eval(ctx, row)
	}
	n, err := numberOf(ctx, c.child.Type(ctx), value)
	if err != nil {
		return nil, err
	}
	var pattern uint64
	switch n.kind {
	case numberInt, numberUint:
		pattern = bitsOf(n)
	case numberDecimal:
		whole := roundedInteger(n.decimal)
		switch {
		case unsigned && whole.negative:
			whole = signMagnitude{}
		case !unsigned && !whole.fitsSigned():
			whole.magnitude = math.MaxInt64
		}
		pattern = whole.magnitude
		if whole.negative {
			pattern = uint64(whole.signed())
		}
	default:
		return c.Convert.Eval(ctx, row)
	}
	if unsigned {
		return pattern, nil
	}
	return int64(pattern), nil
}

// tooLong is the end of the range for a text whose digits are beyond it, with the
// warning; false for other text.
func (c *integerCast) tooLong(ctx *sql.Context, text string, unsigned bool) (any, bool) {
	digits := strings.TrimLeft(text, " \t\r\n")
	negative := strings.HasPrefix(digits, "-")
	digits = strings.TrimLeft(digits, "+-")
	if end := strings.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' }); end >= 0 {
		digits = digits[:end]
	}
	digits = strings.TrimLeft(digits, "0")
	magnitude, err := strconv.ParseUint(digits, 10, 64)
	whole := signMagnitude{magnitude: magnitude, negative: negative}
	if digits == "" || err == nil && (whole.fitsSigned() || unsigned && !negative) {
		return nil, false
	}
	ctx.Warn(codeTruncatedIncorrect, "Truncated incorrect INTEGER value: '%s'", text)
	switch {
	case unsigned && negative:
		return uint64(1) << 63, true
	case unsigned:
		return uint64(math.MaxUint64), true
	case negative:
		return int64(math.MinInt64), true
	}
	return int64(math.MaxInt64), true
}

// WithChildren implements sql.Expression.
func (c *integerCast) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	changed, err := c.Convert.WithChildren(ctx, children...)
	if err != nil {
		return nil, err
	}
	if convert, ok := changed.(*expression.Convert); ok {
		return &integerCast{Convert: convert, child: children[0]}, nil
	}
	return changed, nil
}

// isIntegerCast says whether a cast is one of a number, or of text, to BIGINT.
func isIntegerCast(ctx *sql.Context, convert *expression.Convert) bool {
	typ := convert.Type(ctx)
	from := convert.Child.Type(ctx)
	return (typ == types.Int64 || typ == types.Uint64) && (types.IsInteger(from) || types.IsDecimal(from) || types.IsTextOnly(from))
}

// newAbs is ABS. That of an integer is a BIGINT, or BIGINT UNSIGNED.
func newAbs(ctx *sql.Context, e sql.Expression) sql.Expression {
	if isInteger(ctx, e) {
		return &absolute{signedLiteral(e)}
	}
	return function.NewAbsVal(ctx, e)
}

// absolute is ABS of an integer.
type absolute struct{ child sql.Expression }

var _ sql.FunctionExpression = (*absolute)(nil)
var _ sql.CollationCoercible = (*absolute)(nil)

// Eval implements sql.Expression.
func (a *absolute) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	value, err := a.child.Eval(ctx, row)
	if err != nil || value == nil {
		return nil, err
	}
	integer, ok := integerOf(value)
	if !ok {
		return nil, sql.ErrInvalidValueType.New(value, types.Int64.String())
	}
	if integer.unsigned {
		return integer.magnitude, nil
	}
	integer.negative = false
	if !integer.fitsSigned() {
		return nil, errOutOfRange("BIGINT", a.String())
	}
	return integer.signed(), nil
}

// Type implements sql.Expression.
func (a *absolute) Type(ctx *sql.Context) sql.Type {
	if types.IsUnsigned(a.child.Type(ctx)) {
		return types.Uint64
	}
	return types.Int64
}

// FunctionName implements sql.FunctionExpression.
func (a *absolute) FunctionName() string { return "abs" }

// Description implements sql.FunctionExpression.
func (a *absolute) Description() string { return "returns the absolute value of an integer." }

// IsNullable implements sql.Expression.
func (a *absolute) IsNullable(ctx *sql.Context) bool { return a.child.IsNullable(ctx) }

// Resolved implements sql.Expression.
func (a *absolute) Resolved() bool { return a.child.Resolved() }

// CollationCoercibility implements sql.CollationCoercible.
func (a *absolute) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 5
}

// String implements sql.Expression.
func (a *absolute) String() string { return "abs(" + a.child.String() + ")" }

// Children implements sql.Expression.
func (a *absolute) Children() []sql.Expression { return []sql.Expression{a.child} }

// WithChildren implements sql.Expression.
func (a *absolute) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(a, len(children), 1)
	}
	return &absolute{children[0]}, nil
}
