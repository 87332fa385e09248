package correct

import (
	"strconv"
	"strings"
	"time"

	"github.com/cockroachdb/apd/v3"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// numberKind says which field of a number holds its value.
type numberKind uint8

const (
	numberNull numberKind = iota
	numberInt
	numberUint
	numberDecimal
	numberFloat
)

// number is an SQL value as MySQL's aggregates take it.
type number struct {
	kind    numberKind
	integer int64
	bits    uint64 // of an unsigned integer
	float   float64
	decimal *apd.Decimal // never changed: it may be the stored value
}

// codeTruncatedIncorrect is MySQL's warning for text that is not (all) a number.
const codeTruncatedIncorrect = 1292

// numberOf turns a value of the type into a number. Text counts as a double, by
// its leading number, with warning 1292 for the rest; dates and times count as
// the digits they are written with, as in MySQL.
func numberOf(ctx *sql.Context, typ sql.Type, value any) (number, error) {
	if wrapped, ok := value.(sql.AnyWrapper); ok {
		unwrapped, err := wrapped.UnwrapAny(ctx)
		if err != nil {
			return number{}, err
		}
		value = unwrapped
	}
	switch v := value.(type) {
	case nil:
		return number{}, nil
	case int64:
		return number{kind: numberInt, integer: v}, nil
	case int32:
		return number{kind: numberInt, integer: int64(v)}, nil
	case int16:
		return number{kind: numberInt, integer: int64(v)}, nil
	case int8:
		return number{kind: numberInt, integer: int64(v)}, nil
	case int:
		return number{kind: numberInt, integer: int64(v)}, nil
	case uint64:
		return number{kind: numberUint, bits: v}, nil
	case uint32:
		return number{kind: numberUint, bits: uint64(v)}, nil
	case uint16:
		return number{kind: numberUint, bits: uint64(v)}, nil
	case uint8:
		return number{kind: numberUint, bits: uint64(v)}, nil
	case uint:
		return number{kind: numberUint, bits: uint64(v)}, nil
	case bool:
		if v {
			return number{kind: numberInt, integer: 1}, nil
		}
		return number{kind: numberInt}, nil
	case *apd.Decimal:
		return number{kind: numberDecimal, decimal: v}, nil
	case float64:
		return number{kind: numberFloat, float: v}, nil
	case float32:
		return number{kind: numberFloat, float: float64(v)}, nil
	case string:
		return numberOfText(ctx, typ, v)
	case []byte:
		return numberOfText(ctx, typ, string(v))
	case time.Time:
		return numberOfTime(typ, v)
	case types.Timespan:
		return numberOfTimespan(v)
	}
	return numberByConversion(ctx, value)
}

func numberOfText(ctx *sql.Context, typ sql.Type, text string) (number, error) {
	if types.IsDecimal(typ) {
		// Some of the engine's decimal expressions yield text.
		if d, _, err := apd.NewFromString(strings.TrimSpace(text)); err == nil {
			return number{kind: numberDecimal, decimal: d}, nil
		}
	}
	return number{kind: numberFloat, float: leadingFloat(ctx, text)}, nil
}

// leadingFloat is the number a text begins with, 0 for none.
func leadingFloat(ctx *sql.Context, text string) float64 {
	digits, truncated := types.TruncateStringToDouble(text)
	if truncated {
		ctx.Warn(codeTruncatedIncorrect, "Truncated incorrect DOUBLE value: '%s'", text)
	}
	// The error can only say that the value is out of range; it is ±Inf then.
	v, err := strconv.ParseFloat(digits, 64)
	if err != nil && v == 0 {
		return 0
	}
	return v
}

func numberOfTime(typ sql.Type, t time.Time) (number, error) {
	if types.IsDateType(typ) {
		return number{kind: numberInt, integer: int64(t.Year()*10000 + int(t.Month())*100 + t.Day())}, nil
	}
	whole, err := strconv.ParseInt(t.Format("20060102150405"), 10, 64)
	if err != nil {
		return number{}, err
	}
	micros := int64(t.Nanosecond() / 1000)
	if micros == 0 {
		return number{kind: numberInt, integer: whole}, nil
	}
	decimal := apd.NewWithBigInt(apd.NewBigInt(whole), -6)
	decimal.Coeff.Mul(&decimal.Coeff, apd.NewBigInt(1e6))
	decimal.Coeff.Add(&decimal.Coeff, apd.NewBigInt(micros))
	return number{kind: numberDecimal, decimal: decimal}, nil
}

func numberOfTimespan(span types.Timespan) (number, error) {
	micros := int64(span)
	sign := int64(1)
	if micros < 0 {
		sign, micros = -1, -micros
	}
	seconds := micros / 1e6
	whole := seconds/3600*10000 + seconds/60%60*100 + seconds%60
	if micros %= 1e6; micros == 0 {
		return number{kind: numberInt, integer: sign * whole}, nil
	}
	return number{kind: numberDecimal, decimal: apd.New(sign*(whole*1e6+micros), -6)}, nil
}

// numberByConversion serves what is left: JSON, geometry.
func numberByConversion(ctx *sql.Context, value any) (number, error) {
	converted, _, err := types.Float64.Convert(ctx, value)
	if err != nil {
		if converted == nil {
			ctx.Warn(codeTruncatedIncorrect, "Truncated incorrect DOUBLE value: '%v'", value)
			return number{kind: numberFloat}, nil
		}
		ctx.Warn(codeTruncatedIncorrect, "%s", err.Error())
	}
	float, ok := converted.(float64)
	if !ok {
		return number{}, sql.ErrInvalidValueType.New(value, types.Float64.String())
	}
	return number{kind: numberFloat, float: float}, nil
}

// asFloat is the number as a double, rounded once.
func (n number) asFloat() float64 {
	switch n.kind {
	case numberInt:
		return float64(n.integer)
	case numberUint:
		return float64(n.bits)
	case numberFloat:
		return n.float
	case numberDecimal:
		// Decimal text is always a number; beyond the range it is ±Inf.
		v, err := strconv.ParseFloat(n.decimal.Text('e'), 64)
		if err != nil && v == 0 {
			return 0
		}
		return v
	}
	return 0
}

// asDecimal is the number as a decimal, a double by its shortest text. The
// result may be the stored value: it is not to be changed.
func (n number) asDecimal() (*apd.Decimal, error) {
	switch n.kind {
	case numberInt:
		return apd.New(n.integer, 0), nil
	case numberUint:
		return types.DecimalFromUint64(n.bits), nil
	case numberDecimal:
		return n.decimal, nil
	}
	return new(apd.Decimal).SetFloat64(n.float)
}
