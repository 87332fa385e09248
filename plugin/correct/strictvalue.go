package correct

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
)

// What the engine's types take without a word, and MySQL does not.

// plain is the value that is read for a number or a point in time, without what the
// store wraps long texts in.
func (c conversion) plain(ctx *sql.Context, value any) (any, error) {
	if _, wrapped := value.(sql.AnyWrapper); wrapped && (sql.IsNumberType(c.typ) || types.IsTime(c.typ)) {
		return sql.UnwrapAny(ctx, value)
	}
	return value, nil
}

// takesNumbers says whether a text stored in the type has to be a number.
func takesNumbers(typ sql.Type) bool {
	return types.IsInteger(typ) || types.IsDecimal(typ) || types.IsFloat(typ)
}

// withinLimits finds a value that the engine has clipped, or that is infinite.
func withinLimits(value, converted any) (any, sql.ConvertInRange) {
	switch c := converted.(type) {
	case float64:
		if math.IsInf(c, 0) {
			return math.Copysign(math.MaxFloat64, c), side(c < 0)
		}
	case float32:
		if math.IsInf(float64(c), 0) {
			return float32(math.Copysign(math.MaxFloat32, float64(c))), side(c < 0)
		}
	case types.Timespan:
		if AtTimeLimit(c) && !isTimeLimit(value) {
			return c, side(c < 0)
		}
	}
	return converted, sql.InRange
}

func side(below bool) sql.ConvertInRange {
	if below {
		return sql.Underflow
	}
	return sql.Overflow
}

// longestTime is 838:59:59.
const longestTime = types.Timespan((838*3600 + 59*60 + 59) * 1_000_000)

// AtTimeLimit says whether a TIME is the longest one, which the engine gives for
// all that are longer as well.
func AtTimeLimit(t types.Timespan) bool { return t <= -longestTime || t >= longestTime }

// isTimeLimit says whether a value is the longest TIME as it is written.
func isTimeLimit(value any) bool {
	if _, ok := value.(types.Timespan); ok {
		return true
	}
	if d, ok := value.(time.Duration); ok {
		return d.Abs() == longestTime.AsTimeDuration()
	}
	text, ok := asText(value)
	if !ok {
		text = fmt.Sprint(value)
	}
	text = strings.TrimPrefix(strings.TrimSpace(text), "-")
	if whole, fraction, ok := strings.Cut(text, "."); ok && strings.Trim(fraction, "0") == "" {
		text = whole
	}
	return text == "838:59:59" || text == "8385959"
}

// checkZeroDay serves NO_ZERO_DATE: strict mode refuses the date of zeros, without it
// there is a warning.
func (c conversion) checkZeroDay(ctx *sql.Context, converted any, row int64) error {
	moment, ok := converted.(time.Time)
	if !ok || !moment.Equal(types.ZeroTime) || c.anyDay || !sql.LoadSqlMode(ctx).ModeEnabled("NO_ZERO_DATE") {
		return nil
	}
	if !c.lenient {
		return c.incorrect(moment, row)
	}
	ctx.Warn(codeOutOfRange, "Out of range value for column '%s' at row %d", c.column, row)
	return nil
}

// incorrect is the error for a value that is no point in time of the column's type.
func (c conversion) incorrect(value any, row int64) error {
	kind := "datetime"
	switch c.typ.Type() {
	case sqltypes.Date:
		kind = "date"
	case sqltypes.Time:
		kind = "time"
	}
	text, ok := asText(value)
	if moment, isMoment := value.(time.Time); isMoment {
		switch {
		case !moment.Equal(types.ZeroTime):
			text = writtenDay(moment)
		case kind == "date":
			text = types.ZeroDateStr
		default:
			text = types.ZeroDateStr + " 00:00:00"
		}
	} else if !ok {
		text = fmt.Sprint(value)
	}
	return mysql.NewSQLError(codeTruncatedIncorrect, "22007", "Incorrect %s value: '%s' for column '%s' at row %d", kind, text, c.column, row)
}
