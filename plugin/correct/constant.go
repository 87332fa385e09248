package correct

import (
	"context"
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// Constant is what the parser puts in the place of a literal or a parameter that
// is compared (sqlparser.Injectable). The binder gives literals the type of the
// column they are compared with, which rounds decimals; it leaves other
// expressions alone. Text is the SQL it was written as.
type Constant struct{ Text string }

// String implements fmt.Stringer, for the text of the syntax tree.
func (c Constant) String() string { return c.Text }

// WithResolvedChildren implements sqlparser.Injectable. Anything but a decimal
// stays what it is.
func (c Constant) WithResolvedChildren(_ context.Context, children []any) (any, error) {
	if len(children) != 1 {
		return nil, fmt.Errorf("a constant with %d values", len(children))
	}
	literal, ok := children[0].(*expression.Literal)
	if !ok {
		return children[0], nil
	}
	if _, ok := literal.Typ.(sql.DecimalType); ok {
		return &keptDecimal{literal}, nil
	}
	return literal, nil
}

// keptDecimal is a decimal literal that the binder does not know for one.
type keptDecimal struct{ literal *expression.Literal }

var _ sql.Expression = (*keptDecimal)(nil)
var _ sql.CollationCoercible = (*keptDecimal)(nil)

// Eval implements sql.Expression.
func (k *keptDecimal) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	return k.literal.Eval(ctx, row)
}

// Type implements sql.Expression.
func (k *keptDecimal) Type(ctx *sql.Context) sql.Type { return k.literal.Type(ctx) }

// IsNullable implements sql.Expression.
func (k *keptDecimal) IsNullable(ctx *sql.Context) bool { return k.literal.IsNullable(ctx) }

// Resolved implements sql.Expression.
func (k *keptDecimal) Resolved() bool { return true }

// CollationCoercibility implements sql.CollationCoercible.
func (k *keptDecimal) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return k.literal.CollationCoercibility(ctx)
}

// String implements sql.Expression.
func (k *keptDecimal) String() string { return k.literal.String() }

// DebugString implements sql.DebugStringer.
func (k *keptDecimal) DebugString(ctx *sql.Context) string { return sql.DebugString(ctx, k.literal) }

// Children implements sql.Expression.
func (k *keptDecimal) Children() []sql.Expression { return nil }

// WithChildren implements sql.Expression.
func (k *keptDecimal) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 0 {
		return nil, sql.ErrInvalidChildrenNumber.New(k, len(children), 0)
	}
	return k, nil
}

// constantOf is the literal that an expression is, also of a kept or negative one;
// false for all others.
func constantOf(ctx *sql.Context, e sql.Expression) (*expression.Literal, bool) {
	switch e := e.(type) {
	case *expression.Literal:
		return e, true
	case *keptDecimal:
		return e.literal, true
	case *negation:
		return negativeOf(ctx, e.child)
	case *expression.UnaryMinus:
		return negativeOf(ctx, e.Child)
	}
	return nil, false
}

// negativeOf is the literal of the negative of a literal number.
func negativeOf(ctx *sql.Context, child sql.Expression) (*expression.Literal, bool) {
	inner, ok := constantOf(ctx, child)
	if !ok || inner.Value() == nil || !types.IsNumber(inner.Type(ctx)) {
		return nil, false
	}
	n, err := numberOf(ctx, inner.Type(ctx), inner.Value())
	if err != nil {
		return nil, false
	}
	return negativeConstant(n, inner.Type(ctx))
}

// negativeConstant is the literal of -n.
func negativeConstant(n number, typ sql.Type) (*expression.Literal, bool) {
	switch n.kind {
	case numberFloat:
		return expression.NewLiteral(-n.float, types.Float64), true
	case numberInt, numberUint:
		whole, ok := wholeNumber(n)
		whole.negative = !whole.negative && whole.magnitude != 0
		if !ok || !whole.fitsSigned() {
			return nil, false
		}
		return expression.NewLiteral(whole.signed(), types.Int64), true
	case numberDecimal:
		negated := *n.decimal
		negated.Negative = !n.decimal.Negative && !n.decimal.IsZero()
		return expression.NewLiteral(&negated, typ), true
	}
	return nil, false
}
