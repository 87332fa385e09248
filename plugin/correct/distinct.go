package correct

import (
	"errors"
	"io"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/iters"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
	"go.opentelemetry.io/otel/trace"
)

// buildByKeys builds the operators that tell equal rows, with rowKeys in the place
// of the engine's hash; nil for all other nodes.
func (p *Priority) buildByKeys(ctx *sql.Context, n sql.Node, row sql.Row) (sql.RowIter, error) {
	switch n := n.(type) {
	case *plan.Distinct:
		span, ctx := ctx.Span("plan.Distinct")
		return inSpan(span)(p.buildDistinct(ctx, n, row))
	case *plan.SetOp:
		span, ctx := ctx.Span("plan.SetOp")
		return inSpan(span)(p.buildSetOp(ctx, n, row))
	}
	return nil, nil
}

// inSpan ends a span with the rows, or with the error.
func inSpan(span trace.Span) func(sql.RowIter, error) (sql.RowIter, error) {
	return func(rows sql.RowIter, err error) (sql.RowIter, error) {
		if err != nil {
			span.End()
			return nil, err
		}
		return sql.NewSpanIter(span, rows), nil
	}
}

func (p *Priority) buildDistinct(ctx *sql.Context, n *plan.Distinct, row sql.Row) (sql.RowIter, error) {
	rows, err := p.engine.Build(ctx, n.Child, row)
	if err != nil {
		return nil, err
	}
	if on := n.DistinctOn(); len(on) > 0 {
		return &distinctRows{rows: rows, keys: keysOfExpressions(ctx, on), on: on}, nil
	}
	return newDistinctRows(rows, n.Schema(ctx)), nil
}

// distinctRows leaves out rows that equal an earlier one.
type distinctRows struct {
	rows sql.RowIter
	keys *rowKeys
	on   []sql.Expression // what is compared, nil for the whole row
	seen map[string]struct{}
	kept keptMemory
}

func newDistinctRows(rows sql.RowIter, schema sql.Schema) *distinctRows {
	return &distinctRows{rows: rows, keys: keysOf(schema)}
}

// Next implements sql.RowIter.
func (d *distinctRows) Next(ctx *sql.Context) (sql.Row, error) {
	if d.seen == nil {
		d.seen = map[string]struct{}{}
	}
	for {
		row, err := d.rows.Next(ctx)
		if err != nil {
			return nil, err
		}
		compared := row
		if d.on != nil {
			if compared, err = evaluated(ctx, d.on, row); err != nil {
				return nil, err
			}
		}
		key, err := d.keys.of(ctx, compared)
		if err != nil {
			return nil, err
		}
		if _, known := d.seen[key]; !known {
			if err := d.kept.keep(ctx, keyMemory+int64(len(key))); err != nil {
				return nil, err
			}
			d.seen[key] = struct{}{}
			return row, nil
		}
	}
}

// Close implements sql.RowIter.
func (d *distinctRows) Close(ctx *sql.Context) error {
	d.seen = nil
	d.kept.release(ctx)
	return d.rows.Close(ctx)
}

func evaluated(ctx *sql.Context, expressions []sql.Expression, row sql.Row) (sql.Row, error) {
	values := make(sql.Row, len(expressions))
	for i, e := range expressions {
		value, err := e.Eval(ctx, row)
		if err != nil {
			return nil, err
		}
		values[i] = value
	}
	return values, nil
}

// buildSetOp builds UNION, INTERSECT and EXCEPT.
func (p *Priority) buildSetOp(ctx *sql.Context, n *plan.SetOp, row sql.Row) (sql.RowIter, error) {
	rows, err := p.engine.Build(ctx, n.Left(), row)
	if err != nil {
		return nil, err
	}
	second := func(ctx *sql.Context) (sql.RowIter, error) { return p.engine.Build(ctx, n.Right(), row) }
	schema := n.Schema(ctx)
	if n.SetOpType == plan.UnionType {
		rows = &iters.UnionIter{Cur: rows, NextIter: second}
	} else {
		except := n.SetOpType == plan.ExceptType
		if except && n.Distinct {
			rows = newDistinctRows(rows, schema)
		}
		rows = &againstRows{rows: rows, open: second, keys: keysOf(schema), except: except, distinct: n.Distinct}
	}
	if n.Distinct && n.SetOpType != plan.ExceptType {
		rows = newDistinctRows(rows, schema)
	}
	limited, err := limitSetOp(ctx, n, rows)
	if err != nil {
		return nil, errors.Join(err, rows.Close(ctx))
	}
	return limited, nil
}

// limitSetOp sorts and cuts the result of a set operation.
func limitSetOp(ctx *sql.Context, n *plan.SetOp, rows sql.RowIter) (sql.RowIter, error) {
	if len(n.SortConditions) > 0 {
		rows = iters.NewSortIter(n.SortConditions, rows)
	}
	if n.Offset != nil {
		offset, err := iters.GetInt64Value(ctx, n.Offset)
		if err != nil {
			return nil, err
		}
		rows = &skippedRows{rows: rows, left: offset}
	}
	if n.Limit != nil {
		limit, err := iters.GetInt64Value(ctx, n.Limit)
		if err != nil {
			return nil, err
		}
		rows = &iters.LimitIter{Limit: limit, ChildIter: rows}
	}
	return rows, nil
}

// skippedRows leaves out the first rows.
type skippedRows struct {
	rows sql.RowIter
	left int64
}

// Next implements sql.RowIter.
func (s *skippedRows) Next(ctx *sql.Context) (sql.Row, error) {
	for ; s.left > 0; s.left-- {
		if _, err := s.rows.Next(ctx); err != nil {
			return nil, err
		}
	}
	return s.rows.Next(ctx)
}

// Close implements sql.RowIter.
func (s *skippedRows) Close(ctx *sql.Context) error { return s.rows.Close(ctx) }

// againstRows are the rows that the second query of an INTERSECT or EXCEPT lets
// pass: each of its rows answers for one row, or, if distinct, for all equal ones.
type againstRows struct {
	rows             sql.RowIter
	open             func(*sql.Context) (sql.RowIter, error)
	keys             *rowKeys
	except, distinct bool
	counts           map[string]int
}

// Next implements sql.RowIter.
func (a *againstRows) Next(ctx *sql.Context) (sql.Row, error) {
	if a.counts == nil {
		if err := a.count(ctx); err != nil {
			return nil, err
		}
	}
	for {
		row, err := a.rows.Next(ctx)
		if err != nil {
			return nil, err
		}
		key, err := a.keys.of(ctx, row)
		if err != nil {
			return nil, err
		}
		found := a.counts[key] > 0
		if found && !a.distinct {
			a.counts[key]--
		}
		if found != a.except {
			return row, nil
		}
	}
}

func (a *againstRows) count(ctx *sql.Context) (err error) {
	second, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, second.Close(ctx)) }()
	counts := map[string]int{}
	for {
		row, err := second.Next(ctx)
		if errors.Is(err, io.EOF) {
			a.counts = counts
			return nil
		}
		if err != nil {
			return err
		}
		key, err := a.keys.of(ctx, row)
		if err != nil {
			return err
		}
		counts[key]++
	}
}

// Close implements sql.RowIter.
func (a *againstRows) Close(ctx *sql.Context) error {
	a.counts = nil
	return a.rows.Close(ctx)
}

// groupByKeys gives GROUP BY one key that is exact, and the aggregates over distinct
// values sets of such keys; nil if nothing of the node needs that.
func groupByKeys(ctx *sql.Context, n *plan.GroupBy) *plan.GroupBy {
	var deps []sql.Expression
	for i, e := range n.SelectDeps {
		changed := distinctAggregate(ctx, e)
		if changed == nil {
			continue
		}
		if deps == nil {
			deps = append(deps, n.SelectDeps...)
		}
		deps[i] = changed
	}
	by := n.GroupByExprs
	if needsKey(ctx, by) {
		by = []sql.Expression{&groupKey{expressions: by, keys: keysOfExpressions(ctx, by)}}
	} else if deps == nil {
		return nil
	}
	if deps == nil {
		deps = n.SelectDeps
	}
	return plan.NewGroupBy(deps, by, n.Child)
}

// needsKey says whether the engine's hash may take different groups for one. Of one
// number or time it does not.
func needsKey(ctx *sql.Context, by []sql.Expression) bool {
	if len(by) == 1 {
		if _, done := by[0].(*groupKey); done {
			return false
		}
		typ := by[0].Type(ctx)
		return !types.IsInteger(typ) && !types.IsFloat(typ) && !types.IsTime(typ) && !types.IsTimespan(typ)
	}
	return len(by) > 1
}

// groupKey is the key of a group as one value.
type groupKey struct {
	expressions []sql.Expression
	keys        *rowKeys
}

var _ sql.Expression = (*groupKey)(nil)

// Eval implements sql.Expression.
func (g *groupKey) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	values, err := evaluated(ctx, g.expressions, row)
	if err != nil {
		return nil, err
	}
	key, err := g.keys.of(ctx, values)
	return []byte(key), err
}

// Type implements sql.Expression.
func (g *groupKey) Type(*sql.Context) sql.Type { return types.LongBlob }

// IsNullable implements sql.Expression.
func (g *groupKey) IsNullable(*sql.Context) bool { return false }

// Resolved implements sql.Expression.
func (g *groupKey) Resolved() bool { return expression.ExpressionsResolved(g.expressions...) }

// String implements sql.Expression.
func (g *groupKey) String() string { return expression.NewTuple(g.expressions...).String() }

// Children implements sql.Expression.
func (g *groupKey) Children() []sql.Expression { return g.expressions }

// WithChildren implements sql.Expression.
func (g *groupKey) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != len(g.expressions) {
		return nil, sql.ErrInvalidChildrenNumber.New(g, len(children), len(g.expressions))
	}
	return &groupKey{expressions: children, keys: keysOfExpressions(ctx, children)}, nil
}

// distinctAggregate is COUNT(DISTINCT …) or GROUP_CONCAT(DISTINCT …) by keys, nil
// for other aggregates.
func distinctAggregate(ctx *sql.Context, e sql.Expression) sql.Expression {
	switch e := e.(type) {
	case *aggregation.CountDistinct:
		for _, child := range e.Children() {
			if _, star := child.(*expression.Star); star {
				return nil
			}
		}
		return &countDistinct{e}
	case *aggregation.GroupConcat:
		if strings.HasPrefix(e.String(), "group_concat(distinct ") {
			return &concatDistinct{e}
		}
	}
	return nil
}

// countDistinct is COUNT(DISTINCT …).
type countDistinct struct{ *aggregation.CountDistinct }

var _ sql.Aggregation = (*countDistinct)(nil)

// NewBuffer implements sql.Aggregation.
func (c *countDistinct) NewBuffer(ctx *sql.Context) (sql.AggregationBuffer, error) {
	return &distinctBuffer{expressions: c.Children(), keys: keysOfExpressions(ctx, c.Children()), seen: map[string]struct{}{}}, nil
}

// concatDistinct is GROUP_CONCAT(DISTINCT …).
type concatDistinct struct{ *aggregation.GroupConcat }

var _ sql.Aggregation = (*concatDistinct)(nil)

// NewBuffer implements sql.Aggregation.
func (c *concatDistinct) NewBuffer(ctx *sql.Context) (sql.AggregationBuffer, error) {
	inner, err := c.GroupConcat.NewBuffer(ctx)
	if err != nil {
		return nil, err
	}
	on := c.OutputExpressions()
	return &distinctBuffer{expressions: on, keys: keysOfExpressions(ctx, on), seen: map[string]struct{}{}, inner: inner}, nil
}

// distinctBuffer counts the values without NULLs that it sees, or hands the first
// row of each on.
type distinctBuffer struct {
	expressions []sql.Expression
	keys        *rowKeys
	seen        map[string]struct{}
	inner       sql.AggregationBuffer // nil to count
}

// Update implements sql.AggregationBuffer.
func (d *distinctBuffer) Update(ctx *sql.Context, row sql.Row) error {
	values, err := evaluated(ctx, d.expressions, row)
	if err != nil {
		return err
	}
	for _, value := range values {
		if value == nil {
			return nil
		}
	}
	key, err := d.keys.of(ctx, values)
	if err != nil {
		return err
	}
	if _, known := d.seen[key]; known {
		return nil
	}
	d.seen[key] = struct{}{}
	if d.inner == nil {
		return nil
	}
	return d.inner.Update(ctx, row)
}

// Eval implements sql.AggregationBuffer.
func (d *distinctBuffer) Eval(ctx *sql.Context) (any, error) {
	if d.inner == nil {
		return int64(len(d.seen)), nil
	}
	return d.inner.Eval(ctx)
}

// Dispose implements sql.AggregationBuffer.
func (d *distinctBuffer) Dispose(ctx *sql.Context) {
	if d.inner != nil {
		d.inner.Dispose(ctx)
		return
	}
	for _, e := range d.expressions {
		expression.Dispose(ctx, e)
	}
}
