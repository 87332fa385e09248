package correct

import (
	"time"

	"github.com/cockroachdb/apd/v3"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
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

// checkDayArguments gives functions of dates the dates that numbers and texts are.
func checkDayArguments(ctx *sql.Context, f sql.FunctionExpression) (sql.Expression, transform.TreeIdentity, error) {
	positions, ok := dayArguments[f.FunctionName()]
	if !ok {
		return f, transform.SameTree, nil
	}
	var children []sql.Expression
	for _, at := range positions {
		all := f.Children()
		if at >= len(all) {
			continue
		}
		day, ok := dayOperand(ctx, all[at], addsToDays[f.FunctionName()])
		if !ok {
			continue
		}
		if children == nil {
			children = append(children, all...)
		}
		children[at] = day
	}
	if children == nil {
		return f, transform.SameTree, nil
	}
	changed, err := f.WithChildren(ctx, children...)
	return changed, transform.NewTree, err
}

// dayOperand is an operand that is read as a date, by MySQL's rules; false if the
// engine's do.
func dayOperand(ctx *sql.Context, e sql.Expression, text bool) (sql.Expression, bool) {
	switch e.(type) {
	case *dayOfNumber, *dayOfText:
		return e, false
	}
	typ := e.Type(ctx)
	switch {
	case types.IsTextOnly(typ):
		return &dayOfText{child: e}, true
	case types.IsNumber(typ) && !types.IsYear(typ) && typ != types.Boolean:
		return &dayOfNumber{child: e, text: text}, true
	}
	return e, false
}

// checkInterval gives a sum of a date and an interval the date that a text or number is.
func checkInterval(ctx *sql.Context, sum *expression.Arithmetic) (sql.Expression, transform.TreeIdentity, error) {
	_, left := sum.LeftChild.(*expression.Interval)
	children := []sql.Expression{sum.LeftChild, sum.RightChild}
	at := 0
	if left {
		at = 1
	}
	day, ok := dayOperand(ctx, children[at], true)
	if !ok {
		return sum, transform.SameTree, nil
	}
	children[at] = day
	changed, err := sum.WithChildren(ctx, children...)
	return changed, transform.NewTree, err
}

// dayOfText is a text that is read as a date, NULL with a warning if it begins as one
// that there is not.
type dayOfText struct{ child sql.Expression }

var _ sql.Expression = (*dayOfText)(nil)
var _ sql.CollationCoercible = (*dayOfText)(nil)

// Eval implements sql.Expression.
func (d *dayOfText) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	value, err := d.child.Eval(ctx, row)
	if err != nil || value == nil {
		return nil, err
	}
	if value, err = sql.UnwrapAny(ctx, value); err != nil {
		return nil, err
	}
	if text, ok := asText(value); ok && faultOfDay(text) != dayFine {
		ctx.Warn(codeTruncatedIncorrect, "Incorrect datetime value: '%s'", text)
		return nil, nil
	}
	return value, nil
}

// Type implements sql.Expression.
func (d *dayOfText) Type(ctx *sql.Context) sql.Type { return d.child.Type(ctx) }

// IsNullable implements sql.Expression.
func (d *dayOfText) IsNullable(*sql.Context) bool { return true }

// Resolved implements sql.Expression.
func (d *dayOfText) Resolved() bool { return d.child.Resolved() }

// CollationCoercibility implements sql.CollationCoercible.
func (d *dayOfText) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return sql.GetCoercibility(ctx, d.child)
}

// String implements sql.Expression.
func (d *dayOfText) String() string { return d.child.String() }

// Children implements sql.Expression.
func (d *dayOfText) Children() []sql.Expression { return []sql.Expression{d.child} }

// WithChildren implements sql.Expression.
func (d *dayOfText) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(d, len(children), 1)
	}
	return &dayOfText{child: children[0]}, nil
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
