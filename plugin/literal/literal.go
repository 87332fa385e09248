package literal

import (
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"

	"github.com/freshetdb/freshet/plugin/correct"
	"github.com/freshetdb/freshet/plugin/parser"
	"github.com/freshetdb/freshet/vtab"
)

// Converter turns a literal of a kind into a column's value. The text is that of a
// number, or the value of a string; a result may share its memory. False means that
// the engine has to do it: the value does not fit, or something is to be said about
// it.
type Converter func(ctx *sql.Context, kind parser.LiteralKind, text string) (any, bool)

// ConverterOf returns the converter for a column of type t.
func ConverterOf(t sql.Type) Converter {
	var convert Converter
	switch t.Type() {
	case sqltypes.Int8:
		convert = signed(func(n int64) (any, bool) { return int8(n), int64(int8(n)) == n })
	case sqltypes.Int16:
		convert = signed(func(n int64) (any, bool) { return int16(n), int64(int16(n)) == n })
	case sqltypes.Int24:
		convert = signed(func(n int64) (any, bool) { return int32(n), n >= -1<<23 && n < 1<<23 })
	case sqltypes.Int32:
		convert = signed(func(n int64) (any, bool) { return int32(n), int64(int32(n)) == n })
	case sqltypes.Int64:
		convert = signed(func(n int64) (any, bool) { return n, true })
	case sqltypes.Uint8:
		convert = unsigned(func(n uint64) (any, bool) { return uint8(n), n <= math.MaxUint8 })
	case sqltypes.Uint16:
		convert = unsigned(func(n uint64) (any, bool) { return uint16(n), n <= math.MaxUint16 })
	case sqltypes.Uint24:
		convert = unsigned(func(n uint64) (any, bool) { return uint32(n), n < 1<<24 })
	case sqltypes.Uint32:
		convert = unsigned(func(n uint64) (any, bool) { return uint32(n), n <= math.MaxUint32 })
	case sqltypes.Uint64:
		convert = unsigned(func(n uint64) (any, bool) { return n, true })
	case sqltypes.Float64:
		convert = toDouble
	case sqltypes.Decimal:
		convert = toDecimal(t)
	case sqltypes.VarChar, sqltypes.Text:
		convert = toText(t)
	case sqltypes.Date, sqltypes.Datetime:
		convert = toDate(t)
	case sqltypes.Timestamp, sqltypes.Char, sqltypes.Binary, sqltypes.VarBinary, sqltypes.Blob, sqltypes.Time, sqltypes.Enum, sqltypes.Set:
		convert = fromString(t)
	default:
		convert = func(*sql.Context, parser.LiteralKind, string) (any, bool) { return nil, false }
	}
	return func(ctx *sql.Context, kind parser.LiteralKind, text string) (any, bool) {
		if kind == parser.LiteralNull {
			return nil, true
		}
		return convert(ctx, kind, text)
	}
}

func signed(narrow func(int64) (any, bool)) Converter {
	return func(_ *sql.Context, kind parser.LiteralKind, text string) (any, bool) {
		if kind != parser.LiteralInteger {
			return nil, false
		}
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, false
		}
		return narrow(n)
	}
}

func unsigned(narrow func(uint64) (any, bool)) Converter {
	return func(_ *sql.Context, kind parser.LiteralKind, text string) (any, bool) {
		if kind != parser.LiteralInteger {
			return nil, false
		}
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return nil, false
		}
		return narrow(n)
	}
}

// toDouble converts numbers. -0 is left to the engine: as an integer it is 0.
func toDouble(_ *sql.Context, kind parser.LiteralKind, text string) (any, bool) {
	if kind == parser.LiteralString {
		return nil, false
	}
	f, err := strconv.ParseFloat(text, 64)
	return f, err == nil && f != 0 || f == 0 && text == "0"
}

// maxDecimalText bounds the literals that are surely within DECIMAL's 65 digits.
const maxDecimalText = 60

func toDecimal(t sql.Type) Converter {
	return func(ctx *sql.Context, kind parser.LiteralKind, text string) (any, bool) {
		if kind != parser.LiteralInteger && kind != parser.LiteralDecimal || len(text) > maxDecimalText || text[0] == '-' && strings.Trim(text, "-0.") == "" {
			return nil, false
		}
		return converted(t.Convert(ctx, text))
	}
}

// toText converts strings for columns of characters. Only what needs no look at
// the character set passes: UTF-8 that is short enough.
func toText(t sql.Type) Converter {
	typ, ok := t.(sql.StringType)
	ok = ok && typ.CharacterSet() == sql.CharacterSet_utf8mb4
	longest := int64(0)
	if ok {
		longest = typ.MaxCharacterLength()
	}
	return func(_ *sql.Context, kind parser.LiteralKind, text string) (any, bool) {
		if !ok || kind != parser.LiteralString {
			return nil, false
		}
		return text, int64(len(text)) <= longest && utf8.ValidString(text)
	}
}

// fromString lets the type convert a string.
func fromString(t sql.Type) Converter {
	return func(ctx *sql.Context, kind parser.LiteralKind, text string) (any, bool) {
		if kind != parser.LiteralString {
			return nil, false
		}
		if !utf8.ValidString(text) {
			return nil, false
		}
		v, ok := converted(t.Convert(ctx, text))
		switch v := v.(type) {
		case types.Timespan:
			ok = ok && !correct.AtTimeLimit(v)
		case time.Time:
			ok = ok && !v.Equal(types.ZeroTime)
		}
		return v, ok
	}
}

func converted(v any, inRange sql.ConvertInRange, err error) (any, bool) {
	return v, err == nil && inRange == sql.InRange
}

// toDate converts dates written in full, with or without a time of whole seconds;
// others are the type's business.
func toDate(t sql.Type) Converter {
	byType := fromString(t)
	dateOnly := t.Type() == sqltypes.Date
	return func(ctx *sql.Context, kind parser.LiteralKind, text string) (any, bool) {
		if kind != parser.LiteralString {
			return nil, false
		}
		if at, ok := fullDate(text); ok && (!dateOnly || len(text) == len(time.DateOnly)) {
			return at, true
		}
		return byType(ctx, kind, text)
	}
}

// fullDate reads YYYY-MM-DD and YYYY-MM-DD hh:mm:ss of dates that exist.
func fullDate(v string) (time.Time, bool) {
	var hour, minute, second int
	switch len(v) {
	case len(time.DateOnly):
	case len(time.DateTime):
		if v[10] != ' ' || v[13] != ':' || v[16] != ':' {
			return time.Time{}, false
		}
		hour, minute, second = digits(v[11:13]), digits(v[14:16]), digits(v[17:19])
	default:
		return time.Time{}, false
	}
	if v[4] != '-' || v[7] != '-' {
		return time.Time{}, false
	}
	year, month, day := digits(v[:4]), digits(v[5:7]), digits(v[8:10])
	if year < 1 || month < 1 || month > 12 || day < 1 || hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59 {
		return time.Time{}, false
	}
	at := time.Date(year, time.Month(month), day, hour, minute, second, 0, time.UTC)
	return at, at.Day() == day
}

// digits is the number that decimal digits stand for, negative if there is
// another byte.
func digits(text string) int {
	n := 0
	for i := 0; i < len(text); i++ {
		d := text[i] - '0'
		if d > 9 {
			return math.MinInt32
		}
		n = n*10 + int(d)
	}
	return n
}

// IsNumeric reports whether a converter for t takes numbers.
func IsNumeric(t sql.Type) bool {
	return sql.IsNumberType(t) && t.Type() != sqltypes.Bit && t.Type() != sqltypes.Year
}

// Default is the value of a column that a statement does not name, if all rows get
// the same: a constant, or the time of the statement. The column's default has to
// be resolved.
func Default(ctx *sql.Context, column *sql.Column) (any, bool) {
	if column.Default == nil {
		return nil, column.Nullable
	}
	if !vtab.SameForAllRows(ctx, column.Default.Expr) {
		return nil, false
	}
	value, err := plan.ColDefaultExpression{Column: column}.Eval(ctx, nil)
	return value, err == nil && (value != nil || column.Nullable)
}
