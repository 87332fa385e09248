package correct

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"

	"github.com/freshetdb/freshet/vtab"
)

// Warnings of conversions that strict mode would refuse.
const (
	codeBadNull        = 1048
	codeOutOfRange     = 1264
	codeTruncated      = 1265
	codeNoDefault      = 1364
	codeIncorrectValue = 1366
)

// conversion stores a value in a column as INSERT and UPDATE do. Lenient is for
// IGNORE and for sessions without strict mode: a value that does not fit becomes
// the closest one that does, with a warning, where otherwise it is an error.
type conversion struct {
	column  string
	typ     sql.Type
	lenient bool
	anyDay  bool // the value is the column's default: NO_ZERO_DATE does not ask
	limits  vtab.Limits
}

// lenient says whether a statement converts with warnings.
func lenient(ctx *sql.Context, ignore bool) bool {
	return ignore || !sql.LoadSqlMode(ctx).Strict()
}

// store converts the value for the row, which is counted from 1 and only shown in
// messages.
func (c conversion) store(ctx *sql.Context, value any, row int64) (any, error) {
	if value == nil {
		return nil, nil
	}
	value, err := c.plain(ctx, value)
	if err != nil {
		return nil, err
	}
	value = c.asMember(ctx, value)
	converted, inRange, err := c.convert(ctx, value, row)
	if types.ErrLengthBeyondLimit.Is(err) {
		if cut, ok := c.withoutExcessBlanks(value); ok {
			if !c.lenient && c.typ.Type() != sqltypes.Char {
				ctx.Session.Warn(&sql.Warning{Level: "Note", Code: codeTruncated, Message: fmt.Sprintf("Data truncated for column '%s' at row %d", c.column, row)})
			}
			converted, inRange, err = c.convert(ctx, cut, row)
		}
	}
	if err == nil && inRange == sql.InRange {
		return converted, c.checkZeroDay(ctx, converted, row)
	}
	if !c.lenient || c.typ.Type() == sqltypes.TypeJSON {
		return nil, c.refusal(value, row, err)
	}
	if err == nil {
		ctx.Warn(codeOutOfRange, "Out of range value for column '%s' at row %d", c.column, row)
		return c.clip(converted, inRange), nil
	}
	return c.closest(ctx, value, converted, row, err)
}

func (c conversion) convert(ctx *sql.Context, value any, row int64) (any, sql.ConvertInRange, error) {
	named := context.WithValue(ctx.Context, types.ColumnNameKey, c.column)
	named = context.WithValue(named, types.RowNumberKey, row)
	if isDay(c.typ) {
		if moment, ok := momentOfNumber(ctx, value); ok {
			value = moment
		}
	}
	if text, ok := asText(value); ok {
		switch {
		case isDay(c.typ) && faultOfDay(text) != dayFine:
			return nil, sql.InRange, types.ErrConvertingToTime.New(text)
		case takesNumbers(c.typ) && strings.TrimSpace(text) == "":
			return nil, sql.InRange, sql.ErrInvalidValue.New(text, c.typ)
		}
	}
	var converted any
	var inRange sql.ConvertInRange
	var err error
	if rounding, ok := c.typ.(sql.RoundingNumberType); ok {
		converted, inRange, err = rounding.ConvertRound(ctx.WithContext(named), value)
	} else {
		converted, inRange, err = c.typ.Convert(ctx.WithContext(named), value)
	}
	if err != nil || inRange != sql.InRange {
		return converted, inRange, err
	}
	if err := c.representable(ctx, converted, row); err != nil {
		return nil, sql.InRange, err
	}
	if converted, inRange = withinLimits(value, converted); inRange != sql.InRange {
		return converted, inRange, nil
	}
	return c.limits.Apply(converted)
}

// withoutExcessBlanks is a text cut to the column's length, if it loses nothing but
// blanks: MySQL drops those of a CHAR without a word, those of a VARCHAR with a note.
func (c conversion) withoutExcessBlanks(value any) (string, bool) {
	typ, ok := c.typ.(sql.StringType)
	if !ok || typ.Type() != sqltypes.Char && typ.Type() != sqltypes.VarChar {
		return "", false
	}
	text, ok := asText(value)
	if !ok || !utf8.ValidString(text) {
		return "", false
	}
	runes := []rune(text)
	limit := int(typ.MaxCharacterLength())
	if limit >= len(runes) || strings.Trim(string(runes[limit:]), " ") != "" {
		return "", false
	}
	return string(runes[:limit]), true
}

// asMember is what names a member of an ENUM, or members of a SET: blanks at the end do
// not count, and text that is no member of a SET may be the number of some.
func (c conversion) asMember(ctx *sql.Context, value any) any {
	text, ok := asText(value)
	if !ok || !isMember(c.typ) {
		return value
	}
	if trimmed := strings.TrimRight(text, " "); trimmed != text {
		text, value = trimmed, trimmed
	}
	if !types.IsSet(c.typ) {
		return value
	}
	if _, _, err := c.typ.Convert(ctx, text); err == nil {
		return value
	}
	if n, err := strconv.ParseUint(text, 10, 64); err == nil {
		return n
	}
	return value
}

// representable refuses text that the column's character set does not have.
func (c conversion) representable(ctx *sql.Context, converted any, row int64) error {
	typ, ok := c.typ.(sql.StringType)
	if !ok || typ.CharacterSet() == sql.CharacterSet_utf8mb4 || !types.IsTextOnly(typ) {
		return nil
	}
	value, err := sql.UnwrapAny(ctx, converted)
	if err != nil {
		return err
	}
	text, ok := value.(string)
	if !ok {
		return nil
	}
	if at := vtab.Unrepresentable(typ.CharacterSet(), text); at >= 0 {
		return types.ErrBadCharsetString.New(vtab.ShownBytes(text[at:]), c.column, row)
	}
	return nil
}

// withoutForeign puts question marks for the characters that a character set does
// not have.
func withoutForeign(charset sql.CharacterSetID, text string) string {
	var b strings.Builder
	for _, r := range text {
		if vtab.Unrepresentable(charset, string(r)) >= 0 {
			r = '?'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// refusal is the error of a strict statement.
func (c conversion) refusal(value any, row int64, err error) error {
	switch {
	case types.IsTimespan(c.typ) && err == nil, isDay(c.typ) && sql.ErrTruncatedIncorrect.Is(err),
		isDay(c.typ) && types.ErrConvertingToTime.Is(err):
		return c.incorrect(value, row)
	case err == nil:
		return sql.ErrValueOutOfRange.New(value, c.typ)
	case sql.ErrTruncatedIncorrect.Is(err):
		return sql.ErrInvalidValue.New(value, c.typ)
	case types.ErrLengthBeyondLimit.Is(err):
		return types.ErrLengthBeyondLimit.New(value, c.column)
	case sql.ErrNotMatchingSRID.Is(err):
		return sql.ErrNotMatchingSRIDWithColName.New(c.column, err)
	case types.ErrConvertingToEnum.Is(err), sql.ErrInvalidSetValue.Is(err), sql.ErrConvertingToSet.Is(err):
		return types.ErrDataTruncatedForColumnAtRow.New(c.column, row)
	}
	return err
}

// clip puts an unsigned value below zero at zero; the engine clips the rest.
func (c conversion) clip(converted any, inRange sql.ConvertInRange) any {
	if inRange == sql.Underflow && sql.IsNumberType(c.typ) && types.IsUnsigned(c.typ) {
		return c.typ.Zero()
	}
	return converted
}

// closest is the value stored when the conversion failed with err.
func (c conversion) closest(ctx *sql.Context, value, converted any, row int64, err error) (any, error) {
	text, isText := asText(value)
	if isText && isDay(c.typ) && faultOfDay(text) == dayNotInMonth {
		ctx.Warn(codeOutOfRange, "Out of range value for column '%s' at row %d", c.column, row)
		return c.typ.Zero(), nil
	}
	switch typ := c.typ.(type) {
	case sql.StringType:
		if types.ErrBadCharsetString.Is(err) && isText {
			ctx.Warn(codeIncorrectValue, "%s", err.Error())
			if utf8.ValidString(text) {
				return shorten(ctx, typ, withoutForeign(typ.CharacterSet(), text))
			}
			return shorten(ctx, typ, string(types.TruncateInvalidUTF8([]byte(text))))
		}
		if types.ErrLengthBeyondLimit.Is(err) && isText {
			ctx.Warn(codeTruncated, "Data truncated for column '%s' at row %d", c.column, row)
			return shorten(ctx, typ, text)
		}
	case sql.SetType:
		ctx.Warn(codeTruncated, "Data truncated for column '%s' at row %d", c.column, row)
		return c.knownMembers(ctx, text)
	case sql.EnumType:
		ctx.Warn(codeTruncated, "Data truncated for column '%s' at row %d", c.column, row)
		return uint16(0), nil
	case sql.DecimalType:
		if types.ErrConvertToDecimalLimit.Is(err) {
			ctx.Warn(codeOutOfRange, "Out of range value for column '%s' at row %d", c.column, row)
			return largestDecimal(typ, value)
		}
	}
	if sql.IsNumberType(c.typ) && isText {
		return c.leadingNumber(ctx, text, converted, row)
	}
	ctx.Warn(codeTruncated, "Data truncated for column '%s' at row %d", c.column, row)
	if converted != nil {
		return converted, nil
	}
	return c.typ.Zero(), nil
}

// leadingNumber stores the number a text begins with, 0 for none.
func (c conversion) leadingNumber(ctx *sql.Context, text string, converted any, row int64) (any, error) {
	digits, _ := types.TruncateStringToDouble(text)
	if digits == "0" && !strings.HasPrefix(strings.TrimSpace(text), "0") {
		kind := "integer"
		if types.IsDecimal(c.typ) {
			kind = "decimal"
		} else if types.IsFloat(c.typ) {
			kind = "double"
		}
		ctx.Warn(codeIncorrectValue, "Incorrect %s value: '%s' for column '%s' at row %d", kind, text, c.column, row)
		return c.typ.Zero(), nil
	}
	ctx.Warn(codeTruncated, "Data truncated for column '%s' at row %d", c.column, row)
	number, inRange, err := c.convert(ctx, digits, row)
	if err == nil {
		return c.clip(number, inRange), nil
	}
	if converted != nil {
		return converted, nil
	}
	return c.typ.Zero(), nil
}

// knownMembers keeps the members that the set has.
func (c conversion) knownMembers(ctx *sql.Context, text string) (any, error) {
	var bits uint64
	for _, member := range strings.Split(text, ",") {
		value, _, err := c.typ.Convert(ctx, member)
		if err != nil {
			continue // not a member: the warning is already given
		}
		if bit, ok := value.(uint64); ok {
			bits |= bit
		}
	}
	return bits, nil
}

// shorten cuts a text to the length the type takes: characters, or bytes.
func shorten(ctx *sql.Context, typ sql.StringType, text string) (any, error) {
	limit := typ.MaxCharacterLength()
	if types.IsBinaryType(typ) {
		limit = typ.MaxByteLength()
		cut, _, err := typ.Convert(ctx, []byte(text)[:min(int64(len(text)), limit)])
		return cut, err
	}
	runes := []rune(text)
	for {
		cut, _, err := typ.Convert(ctx, string(runes[:min(int64(len(runes)), limit)]))
		if !types.ErrLengthBeyondLimit.Is(err) || limit == 0 {
			return cut, err
		}
		limit-- // the limit in bytes comes before that in characters
	}
}

// largestDecimal is the largest value of the type with the sign of the number.
func largestDecimal(typ sql.DecimalType, value any) (any, error) {
	text := strings.Repeat("9", int(typ.Precision()-typ.Scale())) + "." + strings.Repeat("9", int(typ.Scale()))
	if strings.HasPrefix(text, ".") {
		text = "0" + text
	}
	if given, ok := asText(value); ok {
		if strings.HasPrefix(strings.TrimSpace(given), "-") {
			text = "-" + text
		}
	} else if d, err := types.InternalDecimalType.ConvertToDecimal(value); err == nil && d != nil && d.Negative {
		text = "-" + text
	}
	return typ.ConvertToDecimal(strings.TrimSuffix(text, "."))
}

func asText(value any) (string, bool) {
	switch v := value.(type) {
	case string:
		return v, true
	case []byte:
		return string(v), true
	}
	return "", false
}

// Store converts a value to the type of the column or variable of that name, as an
// assignment in SQL does. Lenient is for IGNORE and sessions without strict mode:
// what does not fit becomes the closest value that does, with a warning; otherwise
// it is an error. Row is counted from 1 and only shown in messages. NULL stays NULL.
func Store(ctx *sql.Context, name string, typ sql.Type, value any, lenient bool, row int64) (any, error) {
	return conversion{column: name, typ: typ, lenient: lenient}.store(ctx, value, row)
}
