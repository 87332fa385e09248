package correct

import (
	"math"
	"strings"
	"time"

	"github.com/cockroachdb/apd/v3"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// folding is what becomes of a constant that a column is compared with. An index
// range built from the result is exact.
type folding struct {
	how foldingKind
	// constant is the column's value that equals the constant, or the edge.
	constant *expression.Literal
}

// foldingKind says how a constant lies to the values of a column.
type foldingKind uint8

const (
	foldingNone   foldingKind = iota // not known: the engine would build a range of other rows
	foldingEqual                     // it is one of them
	foldingAbove                     // it lies above the edge and below the next one
	foldingBefore                    // it lies below the edge, the least of them
)

func foldedTo(value any, typ sql.Type) folding {
	return folding{foldingEqual, expression.NewLiteral(value, typ)}
}

// keptIf leaves the constant as it is, if that is exact.
func keptIf(exact bool, constant *expression.Literal) folding {
	if !exact {
		return folding{}
	}
	return folding{foldingEqual, constant}
}

// foldConstant gives a constant the type of the column it is compared with, or
// finds the column's value next to it (MySQL 8.0 Reference Manual, 8.2.1.14,
// "Constant-Folding Optimization"). Equality says that the comparison is =, <> or
// IN.
func foldConstant(ctx *sql.Context, column sql.Expression, constant *expression.Literal, equality bool) folding {
	if constant.Value() == nil {
		return folding{foldingEqual, constant}
	}
	typ, from := column.Type(ctx), constant.Type(ctx)
	switch {
	case types.IsTextOnly(typ):
		if !types.IsTextOnly(from) || !columnCollates(ctx, column, constant) {
			return keptIf(false, constant)
		}
		return keptIf(true, unpaddedConstant(typ, constant))
	case types.IsBinaryType(from) || types.IsBinaryType(typ):
		return folding{foldingEqual, constant}
	case types.IsYear(typ):
		return foldYear(ctx, constant)
	case types.IsInteger(typ), types.IsFloat(typ), types.IsDecimal(typ):
		return foldNumber(ctx, typ, constant)
	case types.IsEnum(typ):
		return foldEnum(ctx, typ, constant, equality)
	case types.IsSet(typ):
		return keptIf(equality && setConstant(ctx, typ, constant), constant)
	case types.IsTimespan(typ):
		return foldTimespan(ctx, typ, constant)
	case isDay(typ):
		return foldDay(ctx, typ, constant)
	}
	return folding{foldingEqual, constant}
}

// columnCollates says whether the comparison goes by the column's collation, which
// is that of its indexes.
func columnCollates(ctx *sql.Context, column, other sql.Expression) bool {
	own, strength := sql.GetCoercibility(ctx, column)
	theirs, theirStrength := sql.GetCoercibility(ctx, other)
	result, _ := sql.ResolveCoercibility(own, strength, theirs, theirStrength)
	return result == own
}

// constantNumber is the number of a constant; false for text that is not a number
// as a whole and for other types.
func constantNumber(ctx *sql.Context, constant *expression.Literal) (number, bool) {
	typ := constant.Type(ctx)
	if types.IsNumber(typ) {
		n, err := numberOf(ctx, typ, constant.Value())
		return n, err == nil && n.kind != numberNull
	}
	text, ok := asText(constant.Value())
	if !ok || !types.IsTextOnly(typ) {
		return number{}, false
	}
	d, _, err := apd.NewFromString(text)
	if err != nil || d.Form != apd.Finite {
		return number{}, false
	}
	return number{kind: numberDecimal, decimal: d}, true
}

// wholeNumber is the number as an integer, if it is one.
func wholeNumber(n number) (signMagnitude, bool) {
	switch n.kind {
	case numberInt:
		return integerOf(n.integer)
	case numberUint:
		return integerOf(n.bits)
	case numberFloat:
		if n.float != math.Trunc(n.float) || math.Abs(n.float) >= 1<<63 {
			return signMagnitude{}, false
		}
		return integerOf(int64(n.float))
	case numberDecimal:
		if !wholeDecimal(n.decimal) {
			return signMagnitude{}, false
		}
		if v, err := n.decimal.Int64(); err == nil {
			return integerOf(v)
		}
	}
	return signMagnitude{}, false
}

// Years that a YEAR holds besides 0, which as a constant means 2000 to the engine.
const (
	firstYear = 1901
	lastYear  = 2155
)

func foldYear(ctx *sql.Context, constant *expression.Literal) folding {
	n, ok := constantNumber(ctx, constant)
	if !ok {
		return folding{}
	}
	whole, ok := wholeNumber(n)
	if !ok || whole.negative || whole.magnitude < firstYear || whole.magnitude > lastYear {
		return folding{}
	}
	return foldedTo(whole.signed(), types.Int64)
}

// foldEnum keeps what an index on an ENUM finds. Its order is that of the members'
// positions, text is compared by its letters.
func foldEnum(ctx *sql.Context, typ sql.Type, constant *expression.Literal, equality bool) folding {
	enum, ok := typ.(sql.EnumType)
	if !ok {
		return folding{}
	}
	if text, ok := asText(constant.Value()); ok {
		return keptIf(equality && enum.IndexOf(text) > 0, constant)
	}
	n, ok := constantNumber(ctx, constant)
	if !ok {
		return folding{}
	}
	whole, ok := wholeNumber(n)
	if !ok || whole.negative || whole.magnitude < 1 || whole.magnitude > uint64(enum.NumberOfElements()) {
		return folding{}
	}
	return foldedTo(whole.signed(), types.Int64)
}

// setConstant says whether the constant is a SET's value as it is printed.
func setConstant(ctx *sql.Context, typ sql.Type, constant *expression.Literal) bool {
	text, ok := asText(constant.Value())
	if !ok {
		return false
	}
	converted, _, err := typ.Convert(ctx, text)
	if err != nil {
		return false
	}
	printed, err := typ.SQL(ctx, nil, converted)
	return err == nil && printed.ToString() == text
}

func foldTimespan(ctx *sql.Context, typ sql.Type, constant *expression.Literal) folding {
	if isDay(constant.Type(ctx)) {
		return folding{}
	}
	span, err := types.Time.ConvertToTimespan(constant.Value())
	if err != nil {
		return folding{}
	}
	converted, inRange, err := typ.Convert(ctx, span)
	if err != nil || inRange != sql.InRange {
		return folding{}
	}
	stored, ok := converted.(types.Timespan)
	if !ok || stored != span {
		return folding{}
	}
	return foldedTo(stored, typ)
}

// foldDay leaves text that is no date to the engine, which refuses it.
func foldDay(ctx *sql.Context, typ sql.Type, constant *expression.Literal) folding {
	value := constant.Value()
	switch {
	case types.IsNumber(constant.Type(ctx)):
		n, ok := constantNumber(ctx, constant)
		if !ok {
			return folding{}
		}
		day, ok := dateOfNumber(n)
		if !ok {
			return folding{}
		}
		value = day
	case types.IsTimespan(constant.Type(ctx)):
		return folding{}
	}
	full, _, err := types.DatetimeMaxPrecision.Convert(ctx, value)
	if err != nil {
		return folding{foldingEqual, constant}
	}
	exact, ok := full.(time.Time)
	if !ok {
		return folding{}
	}
	stored := wholeDay(typ, exact)
	if stored.Equal(exact) {
		return foldedTo(stored, typ)
	}
	return folding{foldingAbove, expression.NewLiteral(stored, typ)}
}

// wholeDay is the last value of the type that is not behind t.
func wholeDay(typ sql.Type, t time.Time) time.Time {
	if types.IsDateType(typ) {
		return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location())
	}
	unit := time.Second
	if precise, ok := typ.(sql.DatetimeType); ok {
		for n := precise.Precision(); n > 0; n-- {
			unit /= 10
		}
	}
	return t.Truncate(unit)
}

// Digits of a number that is a date: two-digit years, four-digit years, and both
// with a time of six digits (MySQL 8.0 Reference Manual, 11.2.2).
const (
	shortDayMax  = 991231
	longDayMin   = 10000101
	longDayMax   = 99991231
	timeOfDay    = 1000000 // what a day is multiplied by before a time of day
	shortDayMin  = 101
	lastOf2000s  = 69 // a two-digit year up to it is in this century
	lastMonth    = 12
	minutesOrSec = 100
)

// dateOfNumber reads a number as a date or a date and time; false if it is none.
func dateOfNumber(n number) (time.Time, bool) {
	whole, ok := wholeNumber(n)
	if !ok || whole.negative || whole.magnitude > longDayMax*timeOfDay+timeOfDay-1 {
		return time.Time{}, false
	}
	digits := int(whole.magnitude)
	if digits == 0 {
		return types.ZeroTime, true
	}
	clock := 0
	if digits > longDayMax {
		digits, clock = digits/timeOfDay, digits%timeOfDay
	}
	switch {
	case digits >= shortDayMin && digits <= shortDayMax:
		year := digits / (minutesOrSec * minutesOrSec)
		if year <= lastOf2000s {
			digits += 2000 * minutesOrSec * minutesOrSec
		} else {
			digits += 1900 * minutesOrSec * minutesOrSec
		}
	case digits < longDayMin || digits > longDayMax:
		return time.Time{}, false
	}
	year, month, day := digits/10000, digits/100%100, digits%100
	hour, minute, second := clock/10000, clock/100%100, clock%100
	t := time.Date(year, time.Month(month), day, hour, minute, second, 0, time.UTC)
	valid := month >= 1 && month <= lastMonth && t.Day() == day && t.Hour() == hour && t.Minute() == minute && t.Second() == second
	return t, valid
}

// unpaddedConstant is a constant of text without the blanks at its end, where those do
// not count: ranges of equal values are then one.
func unpaddedConstant(typ sql.Type, constant *expression.Literal) *expression.Literal {
	text, ok := constant.Value().(string)
	if !ok || !padded(typ) || !strings.HasSuffix(text, " ") {
		return constant
	}
	return expression.NewLiteral(strings.TrimRight(text, " "), constant.Typ)
}
