package correct

import (
	"regexp"
	"strconv"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"
)

// dateCast is CAST of text or of a number to DATE or DATETIME. The engine drops digits from the
// end of a text until it finds a date in it, so the 30th of February is the 3rd.
type dateCast struct {
	*expression.Convert
	child sql.Expression
}

// Eval implements sql.Expression: NULL with a warning for a day that is not in the
// calendar.
func (d *dateCast) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	value, err := d.child.Eval(ctx, row)
	if err != nil {
		return nil, err
	}
	value, err = sql.UnwrapAny(ctx, value)
	if err != nil {
		return nil, err
	}
	if types.IsNumber(d.child.Type(ctx)) && value != nil {
		moment, ok := momentOfNumber(ctx, value)
		if !ok {
			warnNoDay(ctx, value, d.child.Type(ctx))
			return nil, nil
		}
		converted, _, err := d.Type(ctx).Convert(ctx, moment)
		return converted, err
	}
	if text, ok := asText(value); ok && faultOfDay(text) != dayFine {
		ctx.Warn(codeTruncatedIncorrect, "Incorrect datetime value: '%s'", text)
		return nil, nil
	}
	return d.Convert.Eval(ctx, row)
}

// WithChildren implements sql.Expression.
func (d *dateCast) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	changed, err := d.Convert.WithChildren(ctx, children...)
	if err != nil {
		return nil, err
	}
	if convert, ok := changed.(*expression.Convert); ok {
		return &dateCast{Convert: convert, child: children[0]}, nil
	}
	return changed, nil
}

var dayText = regexp.MustCompile(`^\s*(\d{4})[^\d\s](\d{1,2})[^\d\s](\d{1,2})(?:[T:\s]\s*(\d+)(?:[^\d\s](\d+)(?:[^\d\s](\d+))?)?)?`)
var digitsOfMoment = regexp.MustCompile(`^\s*(\d{4})(\d{2})(\d{2})(?:(\d{2})(\d{2})(\d{2}))?(?:\D|$)`)

// dayFault is why a text that begins as a date is none.
type dayFault uint8

const (
	dayFine       dayFault = iota // or of another shape, which is left to the engine
	dayNotInMonth                 // the month does not have the day
	dayNoMoment                   // no month, day or time of day has such numbers
)

// faultOfDay looks at texts that begin with year, month and day.
func faultOfDay(text string) dayFault {
	parts := dayText.FindStringSubmatch(text)
	if parts == nil {
		parts = digitsOfMoment.FindStringSubmatch(text)
	}
	if parts == nil {
		return dayFine
	}
	var numbers [6]int
	for i := range numbers {
		if parts[i+1] == "" {
			break
		}
		n, err := strconv.Atoi(parts[i+1])
		if err != nil {
			return dayNoMoment
		}
		numbers[i] = n
	}
	year, month, day := numbers[0], numbers[1], numbers[2]
	if month > 12 || day > 31 || numbers[3] > 23 || numbers[4] > 59 || numbers[5] > 59 {
		return dayNoMoment
	}
	if month < 1 {
		return dayFine
	}
	if day > time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day() {
		return dayNotInMonth
	}
	return dayFine
}

func isDateCast(ctx *sql.Context, convert *expression.Convert) bool {
	switch convert.Type(ctx).Type() {
	case sqltypes.Date, sqltypes.Datetime:
		from := convert.Child.Type(ctx)
		_, text := from.(sql.StringType)
		return text || types.IsNumber(from) && !types.IsYear(from)
	}
	return false
}
