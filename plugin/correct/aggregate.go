package correct

import (
	"math"
	"strconv"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// Aggregate is SUM, AVG, VAR_* or STDDEV_* computed exactly and typed as MySQL
// types it. It prints as the engine's own aggregate does, so plans look the same.
type Aggregate struct {
	kind   AggregateKind
	child  sql.Expression // a *expression.DistinctExpression for DISTINCT
	window *sql.WindowDefinition
	id     sql.ColumnId
}

var (
	_ sql.FunctionExpression        = (*Aggregate)(nil)
	_ sql.Aggregation               = (*Aggregate)(nil)
	_ sql.WindowAdaptableExpression = (*Aggregate)(nil)
	_ sql.CollationCoercible        = (*Aggregate)(nil)
)

// NewAggregate makes an aggregate over the argument.
func NewAggregate(kind AggregateKind, child sql.Expression) *Aggregate {
	return &Aggregate{kind: kind, child: child}
}

// Kind says which aggregate it is.
func (a *Aggregate) Kind() AggregateKind { return a.kind }

// Distinct says whether equal values count once.
func (a *Aggregate) Distinct() bool {
	_, ok := a.child.(*expression.DistinctExpression)
	return ok
}

// argument is the child without its DISTINCT.
func (a *Aggregate) argument() sql.Expression {
	if d, ok := a.child.(*expression.DistinctExpression); ok {
		return d.Child
	}
	return a.child
}

// FunctionName implements sql.FunctionExpression.
func (a *Aggregate) FunctionName() string {
	return [...]string{"", "Sum", "Avg", "VarPop", "VarSamp", "StdDevPop", "StdDevSamp"}[a.kind]
}

// Description implements sql.FunctionExpression.
func (a *Aggregate) Description() string {
	return [...]string{"",
		"returns the sum of expr in all rows",
		"returns the average value of expr in all rows",
		"returns the population variance of expr",
		"returns the sample variance of expr",
		"returns the population standard deviation of expr",
		"returns the sample standard deviation of expr",
	}[a.kind]
}

func (a *Aggregate) label() string {
	return [...]string{"", "SUM", "AVG", "VARPOP", "VARSAMP", "STDDEVPOP", "STDDEVSAMP"}[a.kind]
}

// Type implements sql.Expression: DECIMAL for SUM and AVG of exact arguments,
// else DOUBLE.
func (a *Aggregate) Type(ctx *sql.Context) sql.Type {
	if a.kind.moments() {
		return types.Float64
	}
	in := shapeOf(a.child.Type(ctx))
	if a.kind == Avg {
		return averageType(in, averageExtra(ctx))
	}
	return sumType(in)
}

// IsNullable implements sql.Expression: over no rows all of them are NULL.
func (a *Aggregate) IsNullable(*sql.Context) bool { return true }

// Resolved implements sql.Expression.
func (a *Aggregate) Resolved() bool {
	if !a.child.Resolved() {
		return false
	}
	for _, e := range a.window.ToExpressions() {
		if !e.Resolved() {
			return false
		}
	}
	return true
}

// String implements sql.Expression.
func (a *Aggregate) String() string {
	return a.print(windowText(a.window), a.child.String())
}

// DebugString implements sql.DebugStringer.
func (a *Aggregate) DebugString(ctx *sql.Context) string {
	return a.print(windowText(a.window), sql.DebugString(ctx, a.child))
}

func (a *Aggregate) print(window, child string) string {
	if a.window == nil {
		return a.label() + "(" + child + ")"
	}
	printer := sql.NewTreePrinter()
	// The printer fails only when it is used out of order.
	if err := printer.WriteNode("%s", a.label()); err != nil {
		return a.label()
	}
	if err := printer.WriteChildren(window, child); err != nil {
		return a.label()
	}
	return printer.String()
}

// Eval implements sql.Expression; aggregates are evaluated through buffers.
func (a *Aggregate) Eval(*sql.Context, sql.Row) (any, error) {
	return nil, ErrEvalAggregate
}

// Children implements sql.Expression.
func (a *Aggregate) Children() []sql.Expression {
	return append([]sql.Expression{a.child}, a.window.ToExpressions()...)
}

// WithChildren implements sql.Expression.
func (a *Aggregate) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) < 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(a, len(children), 1)
	}
	changed := *a
	changed.child = children[0]
	if a.window != nil && len(children) > 1 {
		window, err := a.window.FromExpressions(ctx, children[1:])
		if err != nil {
			return nil, err
		}
		changed.window = window
	}
	return &changed, nil
}

// Id implements sql.IdExpression.
func (a *Aggregate) Id() sql.ColumnId { return a.id }

// WithId implements sql.IdExpression.
func (a *Aggregate) WithId(id sql.ColumnId) sql.IdExpression {
	changed := *a
	changed.id = id
	return &changed
}

// Window implements sql.WindowAdaptableExpression.
func (a *Aggregate) Window() *sql.WindowDefinition { return a.window }

// WithWindow implements sql.WindowAdaptableExpression.
func (a *Aggregate) WithWindow(_ *sql.Context, window *sql.WindowDefinition) sql.WindowAdaptableExpression {
	changed := *a
	changed.window = window
	return &changed
}

// CollationCoercibility implements sql.CollationCoercible.
func (a *Aggregate) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 5
}

// NewBuffer implements sql.Aggregation.
func (a *Aggregate) NewBuffer(ctx *sql.Context) (sql.AggregationBuffer, error) {
	child, err := transform.Clone(ctx, a.argument())
	if err != nil {
		return nil, err
	}
	buffer := &aggregateBuffer{child: child, typ: child.Type(ctx), state: a.newAccumulator(ctx)}
	if a.Distinct() {
		buffer.seen = map[string]struct{}{}
	}
	return buffer, nil
}

func (a *Aggregate) newAccumulator(ctx *sql.Context) accumulator {
	in := shapeOf(a.child.Type(ctx))
	state := newAccumulator(a.String(), a.kind, in.approximate)
	if a.kind == Avg {
		state.extra = int32(averageExtra(ctx))
	}
	if !in.unknown {
		state.scale = min(int32(in.scale), types.DecimalTypeMaxScale)
	}
	return state
}

// aggregateBuffer is the state of one group. It is used by one goroutine.
type aggregateBuffer struct {
	child sql.Expression
	typ   sql.Type
	state accumulator
	seen  map[string]struct{} // of DISTINCT, else nil
}

// Update implements sql.AggregationBuffer.
func (b *aggregateBuffer) Update(ctx *sql.Context, row sql.Row) error {
	value, err := b.child.Eval(ctx, row)
	if err != nil || value == nil {
		return err
	}
	n, err := numberOf(ctx, b.typ, value)
	if err != nil {
		return err
	}
	if b.seen != nil && n.kind != numberNull {
		key, err := n.distinctKey(b.state.double)
		if err != nil {
			return err
		}
		if _, ok := b.seen[key]; ok {
			return nil
		}
		b.seen[key] = struct{}{}
	}
	return b.state.add(n)
}

// Eval implements sql.AggregationBuffer.
func (b *aggregateBuffer) Eval(*sql.Context) (any, error) { return b.state.result() }

// Dispose implements sql.Disposable.
func (b *aggregateBuffer) Dispose(ctx *sql.Context) { expression.Dispose(ctx, b.child) }

func floatKey(f float64) string {
	return strconv.FormatUint(math.Float64bits(f), 36)
}
