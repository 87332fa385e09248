package correct

import (
	"fmt"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// The engine joins by an index, by a hash or by merging as if the values of both
// sides were of one type: it looks a text up in an index of numbers, and counts an
// ENUM's position for its text. An equality of two types that it gets wrong is
// restated over keys: expressions of one type that are equal where the operands
// are. It can hash those. Where that cannot be done the equality is hidden from it.

// keyKind is what the operands of an equality are turned into.
type keyKind uint8

const (
	keysNatural keyKind = iota // nothing: the engine is right
	keysDouble
	keysText
	keysMoment
	keysBytes
	keysExact
	keysNone // no such keys
)

func keyKindOf(left, right sql.Type, sameCollation bool) keyKind {
	switch {
	case types.IsTuple(left) || types.IsTuple(right):
		return keysNatural // judged part by part elsewhere
	case types.IsTextOnly(left) && types.IsTextOnly(right):
		if sameCollation && !padded(left) && !padded(right) {
			return keysNatural
		}
		return keysText
	case types.TypesEqual(left, right), left == types.Null, right == types.Null:
		return keysNatural
	case isExactNumber(left) && isExactNumber(right):
		if types.IsDecimal(left) || types.IsDecimal(right) {
			return keysExact // an index of decimals refuses to look for what it cannot hold
		}
		return keysNatural
	case types.IsText(left) && types.IsText(right): // one is binary, so both are taken as bytes
		if types.IsBinaryType(left) && types.IsBinaryType(right) {
			return keysNatural
		}
		return keysBytes
	case isDay(left) && isDay(right):
		return keysMoment
	}
	switch mixedKind(left, right) {
	case comparisonNumber:
		return keysDouble
	case comparisonText:
		return keysText
	}
	return keysNone
}

// isExactNumber says whether a type is an integer, a YEAR or a DECIMAL.
func isExactNumber(typ sql.Type) bool { return types.IsNumber(typ) && !types.IsFloat(typ) }

// keyKindOfOperands judges two expressions.
func keyKindOfOperands(ctx *sql.Context, left, right sql.Expression) keyKind {
	l, _ := sql.GetCoercibility(ctx, left)
	r, _ := sql.GetCoercibility(ctx, right)
	return keyKindOf(left.Type(ctx), right.Type(ctx), l == r)
}

// joins says whether both operands depend on rows.
func joins(ctx *sql.Context, left, right sql.Expression) bool {
	return !allColumns(ctx, left).Empty() && !allColumns(ctx, right).Empty() && !hasQuery(ctx, left) && !hasQuery(ctx, right)
}

func hasQuery(ctx *sql.Context, e sql.Expression) bool {
	return transform.InspectExpr(ctx, e, func(_ *sql.Context, e sql.Expression) bool {
		_, ok := e.(*plan.Subquery)
		return ok
	})
}

// joinByKeys restates the equalities of a condition, where NULL is as good as
// false: as a part of the condition itself, not inside another one.
func joinByKeys(ctx *sql.Context, condition sql.Expression) (sql.Expression, transform.TreeIdentity) {
	parts := expression.SplitConjunction(ctx, condition)
	same := transform.SameTree
	for i, part := range parts {
		equals, ok := part.(*expression.Equals)
		if !ok || !joins(ctx, equals.Left(), equals.Right()) {
			continue
		}
		if keyed := keyedEquals(ctx, equals); keyed != nil {
			parts[i], same = keyed, transform.NewTree
		}
	}
	if same == transform.SameTree {
		return condition, same
	}
	return expression.JoinAnd(parts...), same
}

// keyedEquals is an equality over keys, nil if it is right as it is or has none.
func keyedEquals(ctx *sql.Context, equals *expression.Equals) sql.Expression {
	kind := keyKindOfOperands(ctx, equals.Left(), equals.Right())
	if kind == keysNatural || kind == keysNone {
		return nil
	}
	left, right := keyPair(ctx, kind, equals.Left(), equals.Right())
	return expression.NewEquals(left, right)
}

func keyPair(ctx *sql.Context, kind keyKind, left, right sql.Expression) (*joinKey, *joinKey) {
	by := newComparator(ctx, left, right)
	return &joinKey{child: left, kind: kind, text: by.text}, &joinKey{child: right, kind: kind, text: by.text}
}

// unnestName is the engine's rule that makes joins of IN with a subquery.
const unnestName = "unnestInSubqueries"

// keyUnnested restates the conditions of the joins that the engine's rule makes.
func keyUnnested(unnest analyzer.RuleFunc) analyzer.RuleFunc {
	return func(ctx *sql.Context, a *analyzer.Analyzer, n sql.Node, scope *plan.Scope, sel analyzer.RuleSelector, flags *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
		n, same, err := unnest(ctx, a, n, scope, sel, flags)
		if err != nil || same == transform.SameTree {
			return n, same, err
		}
		n, _, err = transform.NodeWithOpaque(ctx, n, func(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
			join, ok := n.(*plan.JoinNode)
			if !ok || join.Filter == nil || !join.Op.IsSemi() && !join.Op.IsAnti() {
				return n, transform.SameTree, nil
			}
			keyed, same := joinByKeys(ctx, join.Filter)
			if same == transform.SameTree {
				keyed, same = hideMixed(ctx, join.Filter)
			}
			if same == transform.SameTree {
				return n, same, nil
			}
			changed, err := join.WithExpressions(ctx, keyed)
			return changed, transform.NewTree, err
		})
		return n, transform.NewTree, err
	}
}

// hideMixed hides an equality that has no keys.
func hideMixed(ctx *sql.Context, condition sql.Expression) (sql.Expression, transform.TreeIdentity) {
	equals, ok := condition.(*expression.Equals)
	if !ok || keyKindOfOperands(ctx, equals.Left(), equals.Right()) != keysNone {
		return condition, transform.SameTree
	}
	return &unindexed{equals}, transform.NewTree
}

// holdsAll says whether a type of numbers has all values of another one. Where the
// engine does not make a join of IN, it gives the operand the type of the column.
func holdsAll(column, operand sql.Type) bool {
	if !isExactNumber(column) || !isExactNumber(operand) || types.TypesEqual(column, operand) {
		return true
	}
	least, most, ok := integerLimits(column)
	low, high, ok2 := integerLimits(operand)
	return ok && ok2 && least.Cmp(low) <= 0 && most.Cmp(high) >= 0
}

// joinKey is an operand of an equality as a value of the type in which both are
// compared.
type joinKey struct {
	child sql.Expression
	kind  keyKind
	text  sql.Type // of keysText: with the collation of the comparison
}

var _ sql.Expression = (*joinKey)(nil)
var _ sql.CollationCoercible = (*joinKey)(nil)

// Eval implements sql.Expression.
func (k *joinKey) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	value, err := k.child.Eval(ctx, row)
	if err != nil {
		return nil, err
	}
	return keyValue(ctx, k.kind, k.child.Type(ctx), k.text, value)
}

// keyValue is a value of a type as the key of that kind.
func keyValue(ctx *sql.Context, kind keyKind, typ, text sql.Type, value any) (any, error) {
	value, err := sql.UnwrapAny(ctx, value)
	if err != nil || value == nil {
		return nil, err
	}
	switch kind {
	case keysDouble:
		n, err := memberNumber(ctx, typ, value)
		return n.asFloat(), err
	case keysExact:
		n, err := numberOf(ctx, typ, value)
		if err != nil {
			return nil, err
		}
		d, err := n.asDecimal()
		if err != nil {
			return nil, err
		}
		return appendKey(ctx, nil, types.InternalDecimalType, d)
	case keysMoment:
		if t, ok := value.(time.Time); ok {
			return t, nil
		}
		converted, _, err := types.DatetimeMaxPrecision.Convert(ctx, value)
		return converted, err
	case keysBytes:
		bytes, _, err := types.LongBlob.Convert(ctx, value)
		return bytes, err
	}
	letters, err := memberText(ctx, typ, value)
	if err != nil {
		return nil, err
	}
	converted, _, err := text.Convert(ctx, letters)
	if err != nil {
		return nil, err
	}
	return appendKey(ctx, nil, text, converted)
}

// Type implements sql.Expression.
func (k *joinKey) Type(*sql.Context) sql.Type {
	switch k.kind {
	case keysDouble:
		return types.Float64
	case keysMoment:
		return types.DatetimeMaxPrecision
	}
	return types.LongBlob
}

// IsNullable implements sql.Expression.
func (k *joinKey) IsNullable(ctx *sql.Context) bool { return k.child.IsNullable(ctx) }

// Resolved implements sql.Expression.
func (k *joinKey) Resolved() bool { return k.child.Resolved() }

// CollationCoercibility implements sql.CollationCoercible.
func (k *joinKey) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 5
}

// String implements sql.Expression.
func (k *joinKey) String() string { return k.child.String() }

// DebugString implements sql.DebugStringer.
func (k *joinKey) DebugString(ctx *sql.Context) string {
	return fmt.Sprintf("key(%s)", sql.DebugString(ctx, k.child))
}

// Children implements sql.Expression.
func (k *joinKey) Children() []sql.Expression { return []sql.Expression{k.child} }

// WithChildren implements sql.Expression.
func (k *joinKey) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(k, len(children), 1)
	}
	return &joinKey{child: children[0], kind: k.kind, text: k.text}, nil
}
