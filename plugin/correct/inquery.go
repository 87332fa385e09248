package correct

import (
	"sync"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// inQuery is IN with a subquery whose column has another type than the operand. The
// engine gives the operand the column's type, clipped, before it looks.
type inQuery struct {
	*plan.InSubquery // for its printed form
	subquery         *plan.Subquery
	by               comparator
	kind             keyKind

	// set holds the keys of a subquery that does not depend on the row, once it was
	// evaluated. Guarded by mu.
	mu  sync.Mutex
	set *querySet
}

// querySet are the values of a subquery as keys.
type querySet struct {
	keys    map[string]struct{}
	hasNull bool
	empty   bool
}

var _ sql.Expression = (*inQuery)(nil)

// checkInSubquery leaves subqueries of several columns, and those of one type with
// the operand, to the engine.
func checkInSubquery(ctx *sql.Context, in *plan.InSubquery) (sql.Expression, transform.TreeIdentity, error) {
	subquery, ok := in.Right().(*plan.Subquery)
	if !ok || len(subquery.Query.Schema(ctx)) != 1 || types.IsTuple(in.Left().Type(ctx)) || isPrinted(ctx, in) {
		return in, transform.SameTree, nil
	}
	left, column := in.Left().Type(ctx), subquery.Type(ctx)
	kind := keyKindOf(left, column, inCollation(ctx, in.Left(), column) == collationOf(column))
	switch {
	case left == types.Null || column == types.Null:
		kind = keysNone
	case kind == keysNatural && holdsAll(column, left):
		return in, transform.SameTree, nil
	case kind == keysNatural:
		kind = keysExact
	}
	return newInQuery(ctx, in, subquery, kind), transform.NewTree, nil
}

// inCollation is the collation by which an operand is looked for in a column.
func inCollation(ctx *sql.Context, left sql.Expression, column sql.Type) sql.CollationID {
	own, strength := sql.GetCoercibility(ctx, left)
	text, ok := column.(sql.TypeWithCollation)
	if !ok {
		return own
	}
	collation, _ := sql.ResolveCoercibility(own, strength, text.Collation(), columnStrength)
	return collation
}

func collationOf(typ sql.Type) sql.CollationID {
	if text, ok := typ.(sql.TypeWithCollation); ok {
		return text.Collation()
	}
	return sql.Collation_binary
}

// columnStrength is the coercibility of a column (MySQL 8.0 Reference Manual,
// 10.8.4).
const columnStrength = 2

func newInQuery(ctx *sql.Context, in *plan.InSubquery, subquery *plan.Subquery, kind keyKind) *inQuery {
	column := subquery.Type(ctx)
	by := comparatorOf(in.Left().Type(ctx), column, inCollation(ctx, in.Left(), column))
	return &inQuery{InSubquery: in, subquery: subquery, by: by, kind: kind}
}

// Eval implements sql.Expression.
func (q *inQuery) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	left, err := q.Left().Eval(ctx, row)
	if err != nil {
		return nil, err
	}
	if q.kind == keysNone {
		return q.compareAll(ctx, left, row)
	}
	set, err := q.values(ctx, row)
	switch {
	case err != nil:
		return nil, err
	case set.empty:
		return false, nil
	case left == nil:
		return nil, nil
	}
	key, err := q.key(ctx, q.by.left, left)
	if err != nil {
		return nil, err
	}
	if _, found := set.keys[key]; found {
		return true, nil
	}
	if set.hasNull {
		return nil, nil
	}
	return false, nil
}

func (q *inQuery) key(ctx *sql.Context, typ sql.Type, value any) (string, error) {
	value, err := keyValue(ctx, q.kind, typ, q.by.text, value)
	if err != nil {
		return "", err
	}
	key, err := appendKey(ctx, nil, nil, value)
	return string(key), err
}

// values are the subquery's, kept if it has the same ones for every row.
func (q *inQuery) values(ctx *sql.Context, row sql.Row) (*querySet, error) {
	if !q.subquery.CanCacheResults() {
		return q.read(ctx, row)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.set == nil {
		set, err := q.read(ctx, row)
		if err != nil {
			return nil, err
		}
		q.set = set
	}
	return q.set, nil
}

func (q *inQuery) read(ctx *sql.Context, row sql.Row) (*querySet, error) {
	values, err := q.subquery.EvalMultiple(ctx, row)
	if err != nil {
		return nil, err
	}
	set := &querySet{keys: make(map[string]struct{}, len(values)), empty: len(values) == 0}
	for _, value := range values {
		if value == nil {
			set.hasNull = true
			continue
		}
		key, err := q.key(ctx, q.by.right, value)
		if err != nil {
			return nil, err
		}
		set.keys[key] = struct{}{}
	}
	return set, nil
}

// compareAll is for types that have no keys in common.
func (q *inQuery) compareAll(ctx *sql.Context, left any, row sql.Row) (any, error) {
	values, err := q.subquery.EvalMultiple(ctx, row)
	if err != nil {
		return nil, err
	}
	unknown := left == nil && len(values) > 0
	for _, value := range values {
		order, null, err := q.by.compare(ctx, left, value)
		switch {
		case err != nil:
			return nil, err
		case null:
			unknown = true
		case order == 0:
			return true, nil
		}
	}
	if unknown {
		return nil, nil
	}
	return false, nil
}

// WithChildren implements sql.Expression.
func (q *inQuery) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 2 {
		return nil, sql.ErrInvalidChildrenNumber.New(q, len(children), 2)
	}
	in := plan.NewInSubquery(ctx, children[0], children[1])
	subquery, ok := children[1].(*plan.Subquery)
	if !ok || isPrinted(ctx, in) {
		return in, nil
	}
	return newInQuery(ctx, in, subquery, q.kind), nil
}

var _ expression.BinaryExpression = (*inQuery)(nil)
