package correct

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/freshetdb/freshet/vtab/enc"
)

// checkedComparison is =, <, <=, >, >= or <=> of two values that the engine does
// not compare as MySQL does. Its printed form is the engine's.
type checkedComparison struct {
	expression.Comparer
	by comparator
}

var _ expression.Comparer = (*checkedComparison)(nil)

// Compare implements expression.Comparer.
func (c *checkedComparison) Compare(ctx *sql.Context, row sql.Row) (int, error) {
	left, right, err := c.operands(ctx, row)
	if err != nil {
		return 0, err
	}
	if _, ok := c.Comparer.(*expression.NullSafeEquals); ok {
		return c.nullSafe(ctx, left, right)
	}
	order, null, err := c.by.compare(ctx, left, right)
	if err == nil && null {
		err = expression.ErrNilOperand.New()
	}
	return order, err
}

func (c *checkedComparison) operands(ctx *sql.Context, row sql.Row) (left, right any, err error) {
	if left, err = c.Left().Eval(ctx, row); err != nil {
		return nil, nil, err
	}
	right, err = c.Right().Eval(ctx, row)
	return left, right, err
}

// nullSafe is 0 for equal values, NULL being equal to NULL.
func (c *checkedComparison) nullSafe(ctx *sql.Context, left, right any) (int, error) {
	l, lok := left.([]any)
	r, rok := right.([]any)
	if lok && rok && c.by.how == comparisonTuple && len(l) == len(c.by.parts) && len(r) == len(l) {
		for i := range l {
			part := checkedComparison{Comparer: c.Comparer, by: c.by.parts[i]}
			if order, err := part.nullSafe(ctx, l[i], r[i]); err != nil || order != 0 {
				return order, err
			}
		}
		return 0, nil
	}
	switch {
	case left == nil && right == nil:
		return 0, nil
	case left == nil:
		return 1, nil
	case right == nil:
		return -1, nil
	}
	order, _, err := c.by.compare(ctx, left, right)
	return order, err
}

// Eval implements sql.Expression.
func (c *checkedComparison) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	left, right, err := c.operands(ctx, row)
	if err != nil {
		return nil, err
	}
	if _, ok := c.Comparer.(*expression.NullSafeEquals); ok {
		order, err := c.nullSafe(ctx, left, right)
		return order == 0, err
	}
	order, null, err := c.by.compare(ctx, left, right)
	if err != nil {
		return nil, err
	}
	_, equality := c.Comparer.(*expression.Equals)
	if null && (!equality || order == 0) {
		return nil, nil
	}
	switch c.Comparer.(type) {
	case *expression.LessThan:
		return order < 0, nil
	case *expression.LessThanOrEqual:
		return order <= 0, nil
	case *expression.GreaterThan:
		return order > 0, nil
	case *expression.GreaterThanOrEqual:
		return order >= 0, nil
	}
	return order == 0, nil
}

// WithChildren implements sql.Expression.
func (c *checkedComparison) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	changed, err := c.Comparer.WithChildren(ctx, children...)
	if err != nil {
		return nil, err
	}
	comparer, ok := changed.(expression.Comparer)
	if !ok {
		return changed, nil
	}
	by := c.by
	if !isPrinted(ctx, children[0]) && !isPrinted(ctx, children[1]) {
		by = newComparator(ctx, children[0], children[1])
	}
	return &checkedComparison{Comparer: comparer, by: by}, nil
}

// isPrinted reports whether e holds the text of a subquery in its place, as the
// engine makes for the names of columns: it has no collation to ask for.
func isPrinted(ctx *sql.Context, e sql.Expression) bool {
	return transform.InspectExpr(ctx, e, func(_ *sql.Context, e sql.Expression) bool {
		query, ok := e.(*plan.Subquery)
		if !ok {
			return false
		}
		_, ok = query.Query.(*plan.StrExpr)
		return ok
	})
}

// DebugString implements sql.DebugStringer.
func (c *checkedComparison) DebugString(ctx *sql.Context) string {
	return sql.DebugString(ctx, c.Comparer)
}

// checkComparison is the comparison with MySQL's rules where the engine's differ.
func checkComparison(ctx *sql.Context, c expression.Comparer) (sql.Expression, transform.TreeIdentity, error) {
	if hasSubquery(c.Left()) || hasSubquery(c.Right()) {
		// The engine evaluates subqueries of several columns in its own way.
		if types.IsTuple(c.Left().Type(ctx)) || types.IsTuple(c.Right().Type(ctx)) {
			return c, transform.SameTree, nil
		}
	}
	if fast := compareIntegers(ctx, c); fast != nil {
		return fast, transform.NewTree, nil
	}
	_, nullSafe := c.(*expression.NullSafeEquals) // the engine's has no collation
	differs := engineDiffers(ctx, c.Left(), c.Right()) || nullSafe && sameText(c.Left().Type(ctx), c.Right().Type(ctx))
	if !differs {
		return c, transform.SameTree, nil
	}
	return &checkedComparison{Comparer: c, by: newComparator(ctx, c.Left(), c.Right())}, transform.NewTree, nil
}

func hasSubquery(e sql.Expression) bool {
	switch e := e.(type) {
	case *plan.Subquery:
		return true
	case *scalarSubquery:
		return hasSubquery(e.child)
	}
	return false
}

// engineDiffers says whether the engine compares two operands by other rules.
func engineDiffers(ctx *sql.Context, left, right sql.Expression) bool {
	l, r := left.Type(ctx), right.Type(ctx)
	switch comparatorOf(l, r, sql.Collation_binary).how {
	case comparisonNumber:
		if types.IsInteger(l) && types.IsInteger(r) {
			return types.IsUnsigned(l) != types.IsUnsigned(r)
		}
		return true
	case comparisonDate, comparisonTuple:
		return true
	case comparisonText:
		return isMember(l) || isMember(r) || enc.Pads(sharedCollation(ctx, left, right))
	}
	return false
}

// checkedBetween is BETWEEN by the same rules.
type checkedBetween struct {
	*expression.Between
	lower, upper comparator // of the bound and the value
}

func newBetween(ctx *sql.Context, b *expression.Between) *checkedBetween {
	return &checkedBetween{Between: b, lower: newComparator(ctx, b.Lower, b.Val), upper: newComparator(ctx, b.Upper, b.Val)}
}

// Eval implements sql.Expression: false if one bound excludes the value, even if
// the other is NULL.
func (b *checkedBetween) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	var values [3]any
	for i, e := range []sql.Expression{b.Val, b.Lower, b.Upper} {
		value, err := e.Eval(ctx, row)
		if err != nil {
			return nil, err
		}
		values[i] = value
	}
	below, lowerNull, err := b.lower.compare(ctx, values[1], values[0])
	if err != nil {
		return nil, err
	}
	above, upperNull, err := b.upper.compare(ctx, values[2], values[0])
	switch {
	case err != nil:
		return nil, err
	case !lowerNull && below > 0, !upperNull && above < 0:
		return false, nil
	case lowerNull || upperNull:
		return nil, nil
	}
	return true, nil
}

// WithChildren implements sql.Expression.
func (b *checkedBetween) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	changed, err := b.Between.WithChildren(ctx, children...)
	if err != nil {
		return nil, err
	}
	between, ok := changed.(*expression.Between)
	if !ok {
		return changed, nil
	}
	return newBetween(ctx, between), nil
}

// checkCase turns CASE x WHEN y into CASE WHEN x = y: the engine makes those
// comparisons while it runs, by its own rules.
func checkCase(ctx *sql.Context, c *expression.Case) (sql.Expression, transform.TreeIdentity, error) {
	if c.Expr == nil {
		return c, transform.SameTree, nil
	}
	branches := make([]expression.CaseBranch, len(c.Branches))
	for i, branch := range c.Branches {
		compared, _, err := checkComparison(ctx, expression.NewEquals(c.Expr, branch.Cond))
		if err != nil {
			return nil, transform.SameTree, err
		}
		branches[i] = expression.CaseBranch{Cond: compared, Value: branch.Value}
	}
	return expression.NewCase(nil, branches, c.Else), transform.NewTree, nil
}
