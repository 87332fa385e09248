package correct

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/transform"
)

// NewWindowFunction implements sql.WindowAdaptableExpression.
func (a *Aggregate) NewWindowFunction(ctx *sql.Context) (sql.WindowFunction, error) {
	if a.Distinct() {
		return nil, errDistinctWindow(a.label())
	}
	child, err := transform.Clone(ctx, a.argument())
	if err != nil {
		return nil, err
	}
	fn := &windowAggregate{child: child, typ: child.Type(ctx), state: a.newAccumulator(ctx)}
	fn.framer = aggregation.NewPartitionFramer()
	if a.window == nil {
		return fn, nil
	}
	frame := a.window.Frame
	switch {
	case frame != nil:
		fn.framer, err = frame.NewFramer(a.window)
	case len(a.window.OrderBy) > 0:
		fn.framer, err = defaultFrame().NewFramer(a.window)
	}
	if err != nil {
		return nil, err
	}
	return fn, nil
}

// windowAggregate computes an aggregate over frames that slide along a
// partition: values enter and leave the accumulator, which is exact, so a frame's
// result is that of its rows alone. Both frame ends only move forward in SQL;
// should one move back the accumulator starts anew.
type windowAggregate struct {
	child  sql.Expression
	typ    sql.Type
	framer sql.WindowFramer
	state  accumulator

	first      int      // buffer position of the partition's first row
	values     []number // of the partition's rows
	start, end int      // buffer positions of the rows in state
}

// DefaultFramer implements sql.WindowFunction.
func (w *windowAggregate) DefaultFramer() sql.WindowFramer { return w.framer }

// Dispose implements sql.Disposable.
func (w *windowAggregate) Dispose(ctx *sql.Context) { expression.Dispose(ctx, w.child) }

// StartPartition implements sql.WindowFunction.
func (w *windowAggregate) StartPartition(ctx *sql.Context, partition sql.WindowInterval, rows sql.WindowBuffer) error {
	w.Dispose(ctx)
	w.state.reset()
	w.first, w.start, w.end = partition.Start, partition.Start, partition.Start
	w.values = make([]number, 0, partition.End-partition.Start)
	for _, row := range rows[partition.Start:partition.End] {
		value, err := w.child.Eval(ctx, row)
		if err != nil {
			return err
		}
		n, err := numberOf(ctx, w.typ, value)
		if err != nil {
			return err
		}
		w.values = append(w.values, n)
	}
	return nil
}

// Compute implements sql.WindowFunction.
func (w *windowAggregate) Compute(_ *sql.Context, frame sql.WindowInterval, _ sql.WindowBuffer) (any, error) {
	if frame.End <= frame.Start {
		return nil, nil
	}
	if frame.Start < w.start || frame.End < w.end || frame.Start > w.end {
		w.state.reset()
		w.start, w.end = frame.Start, frame.Start
	}
	for ; w.start < frame.Start; w.start++ {
		if err := w.state.remove(w.values[w.start-w.first]); err != nil {
			return nil, err
		}
	}
	for ; w.end < frame.End; w.end++ {
		if err := w.state.add(w.values[w.end-w.first]); err != nil {
			return nil, err
		}
	}
	return w.state.result()
}
