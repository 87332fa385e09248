package correct

import (
	"fmt"
	"io"
	"sort"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation/window"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// rangeFrame is a RANGE frame that respects all ORDER BY expressions and their
// directions. The engine's own looks at the first expression only and takes it as
// ascending, so peers are wrong under a second key and everything is under DESC.
type rangeFrame struct{ sql.WindowFrame }

// defaultFrame is what SQL says when there is an ORDER BY and no frame.
func defaultFrame() sql.WindowFrame {
	return rangeFrame{plan.NewRangeUnboundedPrecedingToCurrentRowFrame()}
}

// fixFrame is the definition with a right RANGE frame; false if it needs none.
func fixFrame(definition *sql.WindowDefinition, frameSensitive bool) (*sql.WindowDefinition, bool) {
	if definition == nil {
		return nil, false
	}
	fixed := *definition
	switch frame := definition.Frame.(type) {
	case nil:
		if !frameSensitive || len(definition.OrderBy) == 0 {
			return definition, false
		}
		fixed.Frame = defaultFrame()
	case *plan.RangeUnboundedPrecedingToNPrecedingFrame, *plan.RangeUnboundedPrecedingToCurrentRowFrame,
		*plan.RangeUnboundedPrecedingToNFollowingFrame, *plan.RangeUnboundedPrecedingToUnboundedFollowingFrame,
		*plan.RangeNPrecedingToNPrecedingFrame, *plan.RangeNPrecedingToCurrentRowFrame,
		*plan.RangeNPrecedingToNFollowingFrame, *plan.RangeNPrecedingToUnboundedFollowingFrame,
		*plan.RangeCurrentRowToNPrecedingFrame, *plan.RangeCurrentRowToCurrentRowFrame,
		*plan.RangeCurrentRowToNFollowingFrame, *plan.RangeCurrentRowToUnboundedFollowingFrame,
		*plan.RangeNFollowingToNPrecedingFrame, *plan.RangeNFollowingToCurrentRowFrame,
		*plan.RangeNFollowingToNFollowingFrame, *plan.RangeNFollowingToUnboundedFollowingFrame:
		fixed.Frame = rangeFrame{frame}
	default:
		return definition, false
	}
	return &fixed, true
}

// frameSensitive says whether the function's result depends on its frame.
func frameSensitive(e sql.Expression) bool {
	switch e.(type) {
	case sql.Aggregation, *window.FirstValue, *window.LastValue:
		return true
	}
	return false
}

// fixWindow gives all functions of a window node right frames; nil if they have
// them.
func fixWindow(ctx *sql.Context, n *plan.Window) sql.Node {
	exprs := make([]sql.Expression, len(n.SelectExprs))
	changed := false
	for i, e := range n.SelectExprs {
		exprs[i] = e
		fn, ok := e.(sql.WindowAdaptableExpression)
		if !ok {
			continue
		}
		definition, framed := fixFrame(fn.Window(), frameSensitive(e))
		if !framed {
			definition = fn.Window()
		}
		definition, unpaddedToo := unpaddedWindow(ctx, definition)
		if framed || unpaddedToo {
			exprs[i] = fn.WithWindow(ctx, definition)
			changed = true
		}
	}
	if !changed {
		return nil
	}
	return plan.NewWindow(exprs, n.Child)
}

// NewFramer implements sql.WindowFrame.
func (f rangeFrame) NewFramer(definition *sql.WindowDefinition) (sql.WindowFramer, error) {
	framer := &rangeFramer{order: definition.OrderBy}
	start, startOp := f.StartNPreceding(), ast.MinusStr
	if start == nil {
		start, startOp = f.StartNFollowing(), ast.PlusStr
	}
	end, endOp := f.EndNPreceding(), ast.MinusStr
	if end == nil {
		end, endOp = f.EndNFollowing(), ast.PlusStr
	}
	if (start != nil || end != nil) && len(framer.order) != 1 {
		return nil, aggregation.ErrRangeInvalidOrderBy.New(len(framer.order))
	}
	framer.start = bound{unbounded: f.UnboundedPreceding()}
	framer.end = bound{unbounded: f.UnboundedFollowing()}
	if start != nil {
		framer.start.limit = offset(framer.order[0], start, startOp)
	}
	if end != nil {
		framer.end.limit = offset(framer.order[0], end, endOp)
	}
	return framer, nil
}

// offset is the key of a row moved by the distance in the direction of the order.
func offset(key sql.SortCondition, distance sql.Expression, op string) sql.Expression {
	if key.Order == sql.Descending {
		if op == ast.PlusStr {
			op = ast.MinusStr
		} else {
			op = ast.PlusStr
		}
	}
	return expression.NewArithmetic(key.Expr, distance, op)
}

// bound is one end of a frame: the end of the partition, the key at a distance
// (limit), or the current row's peers.
type bound struct {
	unbounded bool
	limit     sql.Expression
}

// rangeFramer is the frame of one row after the other. As a prototype it has no
// partition.
type rangeFramer struct {
	order      sql.SortConditions
	start, end bound

	partition sql.WindowInterval
	started   bool
	row       int // the next one
	frame     sql.WindowInterval
	keys      [][]any // of the partition's rows, made at the first row
}

// NewFramer implements sql.WindowFramer.
func (f *rangeFramer) NewFramer(partition sql.WindowInterval) (sql.WindowFramer, error) {
	return &rangeFramer{order: f.order, start: f.start, end: f.end,
		partition: partition, started: true, row: partition.Start}, nil
}

// Next implements sql.WindowFramer.
func (f *rangeFramer) Next(ctx *sql.Context, rows sql.WindowBuffer) (sql.WindowInterval, error) {
	if !f.started || f.row >= f.partition.End {
		return sql.WindowInterval{}, io.EOF
	}
	if f.keys == nil {
		if err := f.evalKeys(ctx, rows); err != nil {
			return sql.WindowInterval{}, err
		}
	}
	frame := f.partition
	var err error
	if !f.start.unbounded {
		if frame.Start, err = f.search(ctx, rows, f.start, false); err != nil {
			return sql.WindowInterval{}, err
		}
	}
	if !f.end.unbounded {
		if frame.End, err = f.search(ctx, rows, f.end, true); err != nil {
			return sql.WindowInterval{}, err
		}
	}
	if frame.Start > frame.End {
		frame.Start = frame.End
	}
	f.row++
	f.frame = frame
	return frame, nil
}

func (f *rangeFramer) evalKeys(ctx *sql.Context, rows sql.WindowBuffer) error {
	f.keys = make([][]any, 0, f.partition.End-f.partition.Start)
	for _, row := range rows[f.partition.Start:f.partition.End] {
		key := make([]any, len(f.order))
		for i, condition := range f.order {
			value, err := condition.Expr.Eval(ctx, row)
			if err != nil {
				return err
			}
			key[i] = value
		}
		f.keys = append(f.keys, key)
	}
	return nil
}

// search finds the first row whose key is not below the bound of the current row
// or, if after is set, the first one above it.
func (f *rangeFramer) search(ctx *sql.Context, rows sql.WindowBuffer, b bound, after bool) (int, error) {
	limit := f.keys[f.row-f.partition.Start]
	typ := sql.Type(nil)
	if b.limit != nil {
		value, err := b.limit.Eval(ctx, rows[f.row])
		if err != nil {
			return 0, err
		}
		limit = []any{value}
		typ = types.GetCompareType(f.order[0].Expr.Type(ctx), b.limit.Type(ctx))
	}
	var failed error
	n := sort.Search(len(f.keys), func(i int) bool {
		order, err := f.compare(ctx, f.keys[i], limit, typ)
		if err != nil {
			failed = err
			return true
		}
		return order > 0 || (order == 0 && !after)
	})
	return f.partition.Start + n, failed
}

// compare orders two keys as the window does: NULL is below everything. A typ
// that is not nil replaces that of the first expression.
func (f *rangeFramer) compare(ctx *sql.Context, a, b []any, typ sql.Type) (int, error) {
	for i, condition := range f.order {
		columnType := condition.Expr.Type(ctx)
		if typ != nil {
			columnType = typ
		}
		order, err := compareNullsFirst(ctx, columnType, a[i], b[i])
		if err != nil {
			return 0, err
		}
		if condition.Order == sql.Descending {
			order = -order
		}
		if order != 0 {
			return order, nil
		}
	}
	return 0, nil
}

func compareNullsFirst(ctx *sql.Context, typ sql.Type, a, b any) (int, error) {
	switch {
	case a == nil && b == nil:
		return 0, nil
	case a == nil:
		return -1, nil
	case b == nil:
		return 1, nil
	}
	return typ.Compare(ctx, a, b)
}

// FirstIdx implements sql.WindowFramer.
func (f *rangeFramer) FirstIdx() int { return f.frame.Start }

// LastIdx implements sql.WindowFramer.
func (f *rangeFramer) LastIdx() int { return f.frame.End }

// Interval implements sql.WindowFramer.
func (f *rangeFramer) Interval() (sql.WindowInterval, error) {
	if !f.started {
		return sql.WindowInterval{}, fmt.Errorf("the frame has no partition")
	}
	return f.frame, nil
}

// windowText is the definition's text. The planner takes window functions of equal
// text for one, and the engine prints every frame that starts at UNBOUNDED
// PRECEDING as if it ended at UNBOUNDED FOLLOWING; so the end is added here.
func windowText(definition *sql.WindowDefinition) string {
	if definition == nil {
		return ""
	}
	text := definition.String()
	frame := definition.Frame
	if frame == nil || !frame.UnboundedPreceding() {
		return text
	}
	end := ""
	switch {
	case frame.EndCurrentRow():
		end = "CURRENT ROW"
	case frame.EndNPreceding() != nil:
		end = frame.EndNPreceding().String() + " PRECEDING"
	case frame.EndNFollowing() != nil:
		end = frame.EndNFollowing().String() + " FOLLOWING"
	default:
		return text
	}
	return strings.Replace(text, "AND UNBOUNDED FOLLOWING", "AND "+end, 1)
}
