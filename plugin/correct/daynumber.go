package correct

import (
	"time"

	"github.com/cockroachdb/apd/v3"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// In MySQL a number is a date and time by its digits (20200228, 200228,
// 20200228101112.5); the engine takes it for none.

// momentOfNumber reads a Go number as a date and time; false for another value and
// for a number that is no date.
func momentOfNumber(ctx *sql.Context, value any) (time.Time, bool) {
	switch value.(type) {
	case int8, int16, int32, int64, int, uint8, uint16, uint32, uint64, uint, float32, float64, *apd.Decimal:
	default:
		return time.Time{}, false
	}
	n, err := numberOf(ctx, types.Int64, value)
	if err != nil {
		return time.Time{}, false
	}
	return momentOf(n)
}

// momentOf is dateOfNumber, also for numbers with a fraction of a second.
func momentOf(n number) (time.Time, bool) {
	if moment, ok := dateOfNumber(n); ok {
		return moment, true
	}
	d, err := n.asDecimal()
	if err != nil || d.Negative {
		return time.Time{}, false
	}
	down := decimals.WithPrecision(200)
	down.Rounding = apd.RoundDown
	whole, micros := new(apd.Decimal), new(apd.Decimal)
	if _, err := down.Quantize(whole, d, 0); err != nil {
		return time.Time{}, false
	}
	if _, err := down.Sub(micros, d, whole); err != nil {
		return time.Time{}, false
	}
	micros.Exponent += 6
	rounded := roundedInteger(micros)
	moment, ok := dateOfNumber(number{kind: numberDecimal, decimal: whole})
	return moment.Add(time.Duration(rounded.magnitude) * time.Microsecond), ok
}

// dayNumbers are the rows of an INSERT, with dates in the place of numbers that are
// dates in the columns that hold dates.
type dayNumbers struct {
	plan.UnaryNode
	columns []int
	width   int // of a row to insert
}

var _ sql.ExecBuilderNode = (*dayNumbers)(nil)

// withDayNumbers puts dayNumbers above the source of an INSERT, and below what
// computes its generated columns; false if the table has no dates, or it is there.
func withDayNumbers(ctx *sql.Context, n *plan.InsertInto, source sql.Node) (sql.Node, bool, error) {
	switch source := source.(type) {
	case *dayNumbers, *lenientSource:
		return source, false, nil
	case *regenerated:
		child, changed, err := withDayNumbers(ctx, n, source.Child)
		if err != nil || !changed {
			return source, false, err
		}
		fixed, err := source.WithChildren(ctx, child)
		return fixed, true, err
	}
	schema := n.Destination.Schema(ctx)
	days := &dayNumbers{UnaryNode: plan.UnaryNode{Child: source}, width: len(schema)}
	for i, column := range schema {
		if isDay(column.Type) {
			days.columns = append(days.columns, i)
		}
	}
	if len(days.columns) == 0 {
		return source, false, nil
	}
	return days, true, nil
}

// IsReadOnly implements sql.Node.
func (d *dayNumbers) IsReadOnly() bool { return d.Child.IsReadOnly() }

// String implements sql.Node.
func (d *dayNumbers) String() string { return d.Child.String() }

// WithChildren implements sql.Node.
func (d *dayNumbers) WithChildren(_ *sql.Context, children ...sql.Node) (sql.Node, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(d, len(children), 1)
	}
	changed := *d
	changed.Child = children[0]
	return &changed, nil
}

// BuildRowIter implements sql.ExecBuilderNode.
func (d *dayNumbers) BuildRowIter(ctx *sql.Context, b sql.NodeExecBuilder, row sql.Row) (sql.RowIter, error) {
	rows, err := b.Build(ctx, d.Child, row)
	if err != nil {
		return nil, err
	}
	return &dayNumbersIter{RowIter: rows, node: d}, nil
}

type dayNumbersIter struct {
	sql.RowIter
	node *dayNumbers
}

// Next implements sql.RowIter. Rows may have values of an outer scope in front of
// those to insert.
func (i *dayNumbersIter) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := i.RowIter.Next(ctx)
	if err != nil {
		return nil, err
	}
	offset, copied := max(len(row)-i.node.width, 0), false
	for _, column := range i.node.columns {
		if offset+column >= len(row) {
			break
		}
		moment, ok := momentOfNumber(ctx, row[offset+column])
		if !ok {
			continue
		}
		if !copied {
			row, copied = row.Copy(), true
		}
		row[offset+column] = moment
	}
	return row, nil
}

// dayArguments are the functions that take a date, by the positions of those
// arguments.
var dayArguments = map[string][]int{
	"date": {0}, "year": {0}, "month": {0}, "monthname": {0}, "day": {0}, "dayofmonth": {0}, "dayname": {0}, "dayofweek": {0},
	"dayofyear": {0}, "weekday": {0}, "week": {0}, "weekofyear": {0}, "yearweek": {0}, "quarter": {0}, "last_day": {0},
	"to_days": {0}, "datediff": {0, 1}, "date_format": {0}, "date_add": {0}, "date_sub": {0},
	"adddate": {0}, "subdate": {0}, "timestampdiff": {1, 2},
}

// addsToDays are the functions whose result is text for a date that is text: with a
// time of day if that had one.
var addsToDays = map[string]bool{"date_add": true, "date_sub": true, "adddate": true, "subdate": true}

// checkDayArguments gives functions of dates the dates that numbers are.
func checkDayArguments(ctx *sql.Context, f sql.FunctionExpression) (sql.Expression, transform.TreeIdentity, error) {
	positions, ok := dayArguments[f.FunctionName()]
	if !ok {
		return f, transform.SameTree, nil
	}
	var children []sql.Expression
	for _, at := range positions {
		all := f.Children()
		if at >= len(all) || !types.IsNumber(all[at].Type(ctx)) || types.IsYear(all[at].Type(ctx)) || all[at].Type(ctx) == types.Boolean {
			continue
		}
		if children == nil {
			children = append(children, all...)
		}
		children[at] = &dayOfNumber{child: all[at], text: addsToDays[f.FunctionName()]}
	}
	if children == nil {
		return f, transform.SameTree, nil
	}
	changed, err := f.WithChildren(ctx, children...)
	return changed, transform.NewTree, err
}

// dayOfNumber is a number as a date and time, NULL with a warning if it is none.
type dayOfNumber struct {
	child sql.Expression
	text  bool // as it is written
}

var _ sql.Expression = (*dayOfNumber)(nil)
var _ sql.CollationCoercible = (*dayOfNumber)(nil)

// Eval implements sql.Expression.
func (d *dayOfNumber) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	value, err := d.child.Eval(ctx, row)
	if err != nil || value == nil {
		return nil, err
	}
	if isZero(value) {
		return value, nil // the engine's functions know the date of zeros as this number only
	}
	if moment, ok := momentOfNumber(ctx, value); ok {
		if d.text {
			return writtenDay(moment), nil
		}
		return moment, nil
	}
	warnNoDay(ctx, value, d.child.Type(ctx))
	return nil, nil
}

// writtenDay is a date, with its time of day unless that is midnight.
func writtenDay(t time.Time) string {
	if t.Equal(wholeDay(types.Date, t)) {
		return t.Format(time.DateOnly)
	}
	return t.Format("2006-01-02 15:04:05.999999")
}

// warnNoDay is the warning for a value that is no date.
func warnNoDay(ctx *sql.Context, value any, typ sql.Type) {
	ctx.Warn(codeTruncatedIncorrect, "Incorrect datetime value: '%s'", expression.NewLiteral(value, typ).String())
}

func isZero(value any) bool {
	n, ok := integerOf(value)
	return ok && n.magnitude == 0
}

// Type implements sql.Expression.
func (d *dayOfNumber) Type(ctx *sql.Context) sql.Type {
	switch {
	case d.text:
		return types.LongText
	case types.IsInteger(d.child.Type(ctx)):
		return types.Datetime
	}
	return types.DatetimeMaxPrecision
}

// IsNullable implements sql.Expression.
func (d *dayOfNumber) IsNullable(*sql.Context) bool { return true }

// Resolved implements sql.Expression.
func (d *dayOfNumber) Resolved() bool { return d.child.Resolved() }

// CollationCoercibility implements sql.CollationCoercible.
func (d *dayOfNumber) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 5
}

// String implements sql.Expression.
func (d *dayOfNumber) String() string { return d.child.String() }

// Children implements sql.Expression.
func (d *dayOfNumber) Children() []sql.Expression { return []sql.Expression{d.child} }

// WithChildren implements sql.Expression.
func (d *dayOfNumber) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(d, len(children), 1)
	}
	return &dayOfNumber{child: children[0], text: d.text}, nil
}
