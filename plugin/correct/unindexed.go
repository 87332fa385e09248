package correct

import (
	"math"

	"github.com/cockroachdb/apd/v3"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// unindexed is a condition of which the engine would build an index range with
// other rows than those that satisfy it. It does not look through this expression.
type unindexed struct{ child sql.Expression }

var _ sql.Expression = (*unindexed)(nil)

// Eval implements sql.Expression.
func (u *unindexed) Eval(ctx *sql.Context, row sql.Row) (any, error) { return u.child.Eval(ctx, row) }

// Type implements sql.Expression.
func (u *unindexed) Type(ctx *sql.Context) sql.Type { return u.child.Type(ctx) }

// IsNullable implements sql.Expression.
func (u *unindexed) IsNullable(ctx *sql.Context) bool { return u.child.IsNullable(ctx) }

// Resolved implements sql.Expression.
func (u *unindexed) Resolved() bool { return u.child.Resolved() }

// String implements sql.Expression.
func (u *unindexed) String() string { return u.child.String() }

// DebugString implements sql.DebugStringer.
func (u *unindexed) DebugString(ctx *sql.Context) string { return sql.DebugString(ctx, u.child) }

// Children implements sql.Expression.
func (u *unindexed) Children() []sql.Expression { return []sql.Expression{u.child} }

// WithChildren implements sql.Expression.
func (u *unindexed) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(u, len(children), 1)
	}
	return &unindexed{children[0]}, nil
}

// exactRanges gives constants in conditions the type of the column they are
// compared with, and hides conditions from index selection where that cannot be.
func exactRanges(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	return transform.NodeWithOpaque(ctx, n, func(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		keyedSame := transform.SameTree
		switch condition := n.(type) {
		case *plan.Filter:
			keyed, same := joinByKeys(ctx, condition.Expression)
			if same == transform.NewTree {
				n, keyedSame = plan.NewFilter(ctx, keyed, condition.Child), same
			}
		case *plan.JoinNode:
			if condition.Filter == nil {
				break
			}
			keyed, same := joinByKeys(ctx, condition.Filter)
			if same == transform.NewTree {
				changed, err := condition.WithExpressions(ctx, keyed)
				if err != nil {
					return nil, transform.SameTree, err
				}
				n, keyedSame = changed, same
			}
		default:
			return n, transform.SameTree, nil
		}
		n, same, err := transform.OneNodeExpressions(ctx, n, exactCondition)
		return n, same && keyedSame, err
	})
}

func exactCondition(ctx *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	switch e := e.(type) {
	case *unindexed:
		if inner, ok := e.child.(*unindexed); ok {
			return inner, transform.NewTree, nil
		}
	case *expression.Not:
		return exactNot(ctx, e)
	case *expression.Between:
		if _, ok := e.Val.(*expression.GetField); ok && isConstant(ctx, e.Lower) && isConstant(ctx, e.Upper) {
			lower, _, err := exactCondition(ctx, expression.NewGreaterThanOrEqual(e.Val, e.Lower))
			if err != nil {
				return nil, transform.SameTree, err
			}
			upper, _, err := exactCondition(ctx, expression.NewLessThanOrEqual(e.Val, e.Upper))
			return expression.NewAnd(lower, upper), transform.NewTree, err
		}
	case *expression.InTuple:
		return exactIn(ctx, e)
	case *expression.Equals, *expression.NullSafeEquals:
		return exactComparison(ctx, e.(expression.Comparer), true)
	case *expression.LessThan, *expression.LessThanOrEqual, *expression.GreaterThan, *expression.GreaterThanOrEqual:
		return exactComparison(ctx, e.(expression.Comparer), false)
	}
	return e, transform.SameTree, nil
}

func isConstant(ctx *sql.Context, e sql.Expression) bool {
	_, ok := constantOf(ctx, e)
	return ok
}

// exactNot states `column <> fraction` as two ranges, which the engine takes for
// every row.
func exactNot(ctx *sql.Context, not *expression.Not) (sql.Expression, transform.TreeIdentity, error) {
	switch child := not.Child.(type) {
	case *plan.InSubquery:
		// Some of the engine's joins for NOT IN take NULL for a value that is not in it.
		if child.Left().IsNullable(ctx) || subqueryHasNull(ctx, child.Right()) {
			return expression.NewNot(&unindexed{child}), transform.NewTree, nil
		}
	case *expression.Equals:
		column, constant, _, ok := columnAndConstant(ctx, child)
		if ok && fraction(constant.Value()) {
			return expression.NewOr(expression.NewLessThan(column, constant), expression.NewGreaterThan(column, constant)), transform.NewTree, nil
		}
	case *expression.InTuple:
		elements, ok := child.Right().(expression.Tuple)
		for i := 0; ok && i < len(elements); i++ {
			if literal, ok := elements[i].(*expression.Literal); ok && fraction(literal.Value()) {
				return expression.NewNot(&unindexed{child}), transform.NewTree, nil
			}
		}
	}
	return not, transform.SameTree, nil
}

func subqueryHasNull(ctx *sql.Context, e sql.Expression) bool {
	subquery, ok := e.(*plan.Subquery)
	if !ok {
		return true
	}
	for _, column := range subquery.Query.Schema(ctx) {
		if column.Nullable {
			return true
		}
	}
	return false
}

// fraction says whether the engine's ranges take a number for one that no column
// holds.
func fraction(value any) bool {
	switch v := value.(type) {
	case float32:
		return float64(v) != math.Trunc(float64(v)) || math.Abs(float64(v)) >= 1<<63
	case float64:
		return v != math.Trunc(v) || math.Abs(v) >= 1<<63
	case *apd.Decimal:
		return !wholeDecimal(v)
	}
	return false
}

// columnAndConstant are the operands if one is a column and the other a constant;
// swapped if the constant is on the left.
func columnAndConstant(ctx *sql.Context, c expression.Comparer) (column sql.Expression, constant *expression.Literal, swapped, ok bool) {
	if field, isField := c.Left().(*expression.GetField); isField {
		constant, ok = constantOf(ctx, c.Right())
		return field, constant, false, ok
	}
	if field, isField := c.Right().(*expression.GetField); isField {
		constant, ok = constantOf(ctx, c.Left())
		return field, constant, true, ok
	}
	return nil, nil, false, false
}

func exactComparison(ctx *sql.Context, c expression.Comparer, equality bool) (sql.Expression, transform.TreeIdentity, error) {
	column, constant, swapped, ok := columnAndConstant(ctx, c)
	if !ok {
		if exactOtherwise(ctx, c.Left(), c.Right(), equality) {
			return c, transform.SameTree, nil
		}
		return &unindexed{c}, transform.NewTree, nil
	}
	folded := foldConstant(ctx, column, constant, equality)
	switch folded.how {
	case foldingNone:
		return &unindexed{c}, transform.NewTree, nil
	case foldingAbove, foldingBefore:
		return besideEdge(c, column, folded, swapped), transform.NewTree, nil
	}
	left, right := c.Left(), sql.Expression(folded.constant)
	if swapped {
		left, right = right, c.Right()
	}
	if left == c.Left() && right == c.Right() {
		return c, transform.SameTree, nil
	}
	changed, err := c.WithChildren(ctx, left, right)
	return changed, transform.NewTree, err
}

// besideEdge is the comparison of a column with a constant that is none of its
// values, in terms of the value next to it.
func besideEdge(c expression.Comparer, column sql.Expression, folded folding, swapped bool) sql.Expression {
	edge := folded.constant
	above, below := sql.Expression(expression.NewGreaterThan(column, edge)), sql.Expression(expression.NewLessThanOrEqual(column, edge))
	if folded.how == foldingBefore {
		above, below = expression.NewGreaterThanOrEqual(column, edge), expression.NewLessThan(column, edge)
	}
	switch c.(type) {
	case *expression.NullSafeEquals:
		return expression.NewFalse()
	case *expression.GreaterThan, *expression.GreaterThanOrEqual:
		if swapped {
			return below
		}
		return above
	case *expression.LessThan, *expression.LessThanOrEqual:
		if swapped {
			return above
		}
		return below
	}
	return neverBeside(column, edge)
}

// neverBeside is false, or NULL for a NULL in the column.
func neverBeside(column sql.Expression, edge *expression.Literal) sql.Expression {
	return expression.NewAnd(expression.NewGreaterThan(column, edge), expression.NewLessThan(column, edge))
}

// exactOtherwise judges comparisons that are not of a column and a constant.
func exactOtherwise(ctx *sql.Context, left, right sql.Expression, equality bool) bool {
	lt, lok := left.(expression.Tuple)
	rt, rok := right.(expression.Tuple)
	if lok && rok {
		return exactTuple(ctx, lt, rt, equality)
	}
	if joins(ctx, left, right) {
		return keyKindOfOperands(ctx, left, right) == keysNatural
	}
	if _, ok := left.(*expression.GetField); !ok {
		left, right = right, left
	}
	if _, ok := left.(*expression.GetField); !ok || reads(ctx, right, allColumns(ctx, right)) {
		return true
	}
	l, r := left.Type(ctx), right.Type(ctx)
	switch comparatorOf(l, r, sql.Collation_binary).how {
	case comparisonText:
		return !isMember(l) && !isMember(r) && columnCollates(ctx, left, right)
	case comparisonNumber:
		return types.IsInteger(l) && types.IsInteger(r)
	case comparisonDate:
		return false
	}
	return true
}

// allColumns are the columns an expression reads.
func allColumns(ctx *sql.Context, e sql.Expression) sql.ColSet {
	var columns sql.ColSet
	sql.Inspect(ctx, e, func(_ *sql.Context, e sql.Expression) bool {
		if field, ok := e.(*expression.GetField); ok {
			columns.Add(field.Id())
		}
		return true
	})
	return columns
}

// exactTuple says whether all parts of a row constructor are exact as they stand.
func exactTuple(ctx *sql.Context, left, right expression.Tuple, equality bool) bool {
	if len(left) != len(right) {
		return true // refused later
	}
	for i := range left {
		l, r := left[i], right[i]
		if _, ok := l.(*expression.GetField); !ok {
			l, r = r, l
		}
		if _, ok := l.(*expression.GetField); !ok {
			continue
		}
		if literal, ok := constantOf(ctx, r); ok {
			if foldConstant(ctx, l, literal, equality).how != foldingEqual || fraction(literal.Value()) {
				return false
			}
			continue
		}
		if !exactOtherwise(ctx, l, r, equality) {
			return false
		}
	}
	return true
}

func exactIn(ctx *sql.Context, in *expression.InTuple) (sql.Expression, transform.TreeIdentity, error) {
	elements, ok := in.Right().(expression.Tuple)
	if !ok {
		return in, transform.SameTree, nil
	}
	column, ok := in.Left().(*expression.GetField)
	if !ok {
		if left, ok := in.Left().(expression.Tuple); ok {
			for _, element := range elements {
				if right, ok := element.(expression.Tuple); ok && !exactTuple(ctx, left, right, true) {
					return hiddenIn(ctx, in, elements)
				}
			}
		}
		return in, transform.SameTree, nil
	}
	folded := make(expression.Tuple, 0, len(elements))
	same := transform.SameTree
	var edge *expression.Literal
	for _, element := range elements {
		literal, ok := constantOf(ctx, element)
		if !ok {
			if !exactOtherwise(ctx, column, element, true) {
				return hiddenIn(ctx, in, elements)
			}
			folded = append(folded, element)
			continue
		}
		constant := foldConstant(ctx, column, literal, true)
		switch constant.how {
		case foldingNone:
			return hiddenIn(ctx, in, elements)
		case foldingEqual:
			folded = append(folded, constant.constant)
		default:
			edge = constant.constant // equal to no value of the column
		}
		if constant.constant != element {
			same = transform.NewTree
		}
	}
	switch {
	case same == transform.SameTree:
		return in, same, nil
	case len(folded) == 0:
		return neverBeside(column, edge), same, nil
	}
	return expression.NewInTuple(column, folded), same, nil
}

// hiddenIn is also out of reach of the engine's hash, which refuses constants that
// it cannot convert.
func hiddenIn(ctx *sql.Context, in *expression.InTuple, elements expression.Tuple) (sql.Expression, transform.TreeIdentity, error) {
	list, err := newInList(ctx, in.Left(), elements)
	if err != nil {
		return nil, transform.SameTree, err
	}
	return &unindexed{list}, transform.NewTree, nil
}
