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
	if text, ok := asText(value); ok && !calendarDay(text) {
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

var dayText = regexp.MustCompile(`^\s*(\d{4})[^\d\s](\d{1,2})[^\d\s](\d{1,2})(?:\D|$)`)

// calendarDay is false for a text that begins with year, month and a day the month
// does not have. Texts of another shape are left to the engine.
func calendarDay(text string) bool {
	parts := dayText.FindStringSubmatch(text)
	if parts == nil {
		return true
	}
	var numbers [3]int
	for i := range numbers {
		n, err := strconv.Atoi(parts[i+1])
		if err != nil {
			return true
		}
		numbers[i] = n
	}
	year, month, day := numbers[0], numbers[1], numbers[2]
	if month < 1 || month > 12 {
		return true
	}
	last := time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
	return day <= last
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
