package correct

import (
	"sort"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// searchFrom is the length from which a list of constants is searched by halves:
// below, looking at each is as fast.
const searchFrom = 9

// inList is IN with a list. The engine looks constants up by a hash of their
// bytes or of a rounded number, and takes an error of a comparison for no match.
type inList struct {
	sql.Expression // *expression.InTuple, for its printed form
	left           sql.Expression
	elements       expression.Tuple
	by             []comparator // one an element
	sorted         []any        // the constants in order, nil if the list is not searched by halves
	hasNull        bool         // of sorted
}

func newInList(ctx *sql.Context, left sql.Expression, right expression.Tuple) (*inList, error) {
	list := &inList{Expression: expression.NewInTuple(left, right), left: left, elements: right}
	columns := types.NumColumns(left.Type(ctx))
	for _, element := range right {
		typ := element.Type(ctx)
		if n := types.NumColumns(typ); n != columns && typ != types.Null {
			return nil, sql.ErrInvalidOperandColumns.New(columns, n)
		}
		list.by = append(list.by, newComparator(ctx, left, element))
	}
	return list, list.sort(ctx)
}

// sort prepares the search by halves of constants that are all of one kind.
func (l *inList) sort(ctx *sql.Context) error {
	if len(l.elements) < searchFrom {
		return nil
	}
	var order comparator
	var values []any
	for i, element := range l.elements {
		literal, ok := element.(*expression.Literal)
		if !ok {
			return nil
		}
		if literal.Value() == nil {
			l.hasNull = true
			continue
		}
		if len(values) == 0 {
			order = comparator{left: l.by[i].right, right: l.by[i].right, how: l.by[i].how, text: l.by[i].text}
		}
		if l.by[i].how != order.how || !types.TypesEqual(l.by[i].right, order.left) || !searchable(l.by[i]) {
			return nil
		}
		values = append(values, literal.Value())
	}
	var failed error
	sort.SliceStable(values, func(i, j int) bool {
		less, _, err := order.compare(ctx, values[i], values[j])
		if err != nil {
			failed = err
		}
		return less < 0
	})
	if failed != nil || len(values) == 0 {
		return failed
	}
	l.sorted = values
	return nil
}

// searchable says whether the constants' own order is that of the comparison.
func searchable(by comparator) bool {
	switch by.how {
	case comparisonSame:
		return !isMember(by.left)
	case comparisonText:
		return sameText(by.left, by.right)
	case comparisonNumber:
		return types.IsNumber(by.left) && types.IsNumber(by.right)
	}
	return false
}

// Eval implements sql.Expression.
func (l *inList) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	left, err := l.left.Eval(ctx, row)
	if err != nil || left == nil {
		return nil, err
	}
	if l.sorted != nil {
		return l.search(ctx, left)
	}
	unknown := false
	for i, element := range l.elements {
		right, err := element.Eval(ctx, row)
		if err != nil {
			return nil, err
		}
		order, null, err := l.by[i].compare(ctx, left, right)
		switch {
		case err != nil:
			return nil, err
		case null:
			unknown = unknown || order == 0
		case order == 0:
			return true, nil
		}
	}
	if unknown {
		return nil, nil
	}
	return false, nil
}

func (l *inList) search(ctx *sql.Context, left any) (any, error) {
	by := l.by[0]
	if l.hasNull {
		for i, element := range l.elements {
			if literal, ok := element.(*expression.Literal); ok && literal.Value() != nil {
				by = l.by[i]
				break
			}
		}
	}
	low, high := 0, len(l.sorted)
	for low < high {
		middle := (low + high) / 2
		order, _, err := by.compare(ctx, left, l.sorted[middle])
		switch {
		case err != nil:
			return nil, err
		case order == 0:
			return true, nil
		case order < 0:
			high = middle
		default:
			low = middle + 1
		}
	}
	if l.hasNull {
		return nil, nil
	}
	return false, nil
}

// IsNullable implements sql.Expression.
func (l *inList) IsNullable(*sql.Context) bool { return true }

// Children implements sql.Expression. The list is flat: the engine takes a row
// constructor below anything but its own IN for an operand of several columns.
func (l *inList) Children() []sql.Expression {
	return append([]sql.Expression{l.left}, l.elements...)
}

// WithChildren implements sql.Expression.
func (l *inList) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != len(l.elements)+1 {
		return nil, sql.ErrInvalidChildrenNumber.New(l, len(children), len(l.elements)+1)
	}
	return newInList(ctx, children[0], children[1:])
}

// DebugString implements sql.DebugStringer.
func (l *inList) DebugString(ctx *sql.Context) string { return sql.DebugString(ctx, l.Expression) }

// checkIn is IN with MySQL's comparison. Lists of integers of the operand's own
// sign keep the engine's hash, which is exact there.
func checkIn(ctx *sql.Context, in expression.Comparer) (sql.Expression, transform.TreeIdentity, error) {
	right, ok := in.Right().(expression.Tuple)
	if !ok || hasSubquery(in.Left()) && types.IsTuple(in.Left().Type(ctx)) {
		return in, transform.SameTree, nil
	}
	left := in.Left().Type(ctx)
	if _, hashed := in.(*expression.HashInTuple); hashed && types.IsInteger(left) {
		// The engine hashes by the type of the first constant: of a NULL, as doubles.
		same := len(right) > 0 && types.IsInteger(right[0].Type(ctx))
		for _, element := range right {
			typ := element.Type(ctx)
			same = same && (typ == types.Null || types.IsInteger(typ) && types.IsUnsigned(typ) == types.IsUnsigned(left))
		}
		if same {
			return in, transform.SameTree, nil
		}
	}
	list, err := newInList(ctx, in.Left(), right)
	if err != nil {
		return nil, transform.SameTree, err
	}
	return list, transform.NewTree, nil
}
