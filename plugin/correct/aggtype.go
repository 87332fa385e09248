package correct

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"
)

// sumExtraDigits is how many digits SUM adds to its argument's precision in
// MySQL: room for 10^22 rows.
const sumExtraDigits = 22

// averageExtraDefault is div_precision_increment where the session has none.
const averageExtraDefault = 4

// shape is an argument's precision and scale; approximate arguments make DOUBLE.
type shape struct {
	approximate bool
	// unknown is the engine's decimal(65,30), the type of expressions whose scale
	// it does not work out: a result then has the scale its values have.
	unknown          bool
	precision, scale int
}

// shapeOf classifies an argument as MySQL does: integers, decimals and temporal
// values are exact, all else is approximate.
func shapeOf(typ sql.Type) shape {
	if typ == nil {
		return shape{approximate: true}
	}
	if d, ok := typ.(sql.DecimalType); ok && d.IsDecimalType() {
		unknown := typ.Equals(types.InternalDecimalType)
		return shape{unknown: unknown, precision: int(d.Precision()), scale: int(d.Scale())}
	}
	switch typ.Type() {
	case sqltypes.Int8, sqltypes.Uint8:
		return shape{precision: 3}
	case sqltypes.Int16, sqltypes.Uint16:
		return shape{precision: 5}
	case sqltypes.Int24, sqltypes.Uint24:
		return shape{precision: 8}
	case sqltypes.Int32, sqltypes.Uint32:
		return shape{precision: 10}
	case sqltypes.Int64:
		return shape{precision: 19}
	case sqltypes.Uint64:
		return shape{precision: 20}
	case sqltypes.Year:
		return shape{precision: 4}
	case sqltypes.Bit:
		if bit, ok := typ.(types.BitType); ok {
			return shape{precision: int(bit.NumberOfBits())}
		}
	case sqltypes.Date:
		return shape{precision: 8}
	case sqltypes.Datetime, sqltypes.Timestamp:
		if datetime, ok := typ.(sql.DatetimeType); ok {
			return shape{precision: 14 + datetime.Precision(), scale: datetime.Precision()}
		}
		return shape{precision: 14}
	case sqltypes.Time:
		return shape{precision: 13, scale: 6}
	}
	return shape{approximate: true}
}

// sumType is the type of SUM over the argument.
func sumType(in shape) sql.Type {
	if in.approximate {
		return types.Float64
	}
	return decimalType(in.precision+sumExtraDigits, in.scale)
}

// averageType is the type of AVG over the argument; extra is
// div_precision_increment.
func averageType(in shape, extra int) sql.Type {
	if in.approximate {
		return types.Float64
	}
	return decimalType(in.precision+extra, in.scale+extra)
}

func decimalType(precision, scale int) sql.Type {
	scale = min(scale, types.DecimalTypeMaxScale)
	precision = min(max(precision, scale), types.DecimalTypeMaxPrecision)
	return types.CreateLiteralDecimalType(uint8(precision), uint8(scale))
}

// averageExtra is the session's div_precision_increment.
func averageExtra(ctx *sql.Context) int {
	if ctx == nil || ctx.Session == nil {
		return averageExtraDefault
	}
	value, err := ctx.GetSessionVariable(ctx, "div_precision_increment")
	if err != nil {
		return averageExtraDefault
	}
	switch v := value.(type) {
	case int64:
		return int(v)
	case uint64:
		return int(v)
	case int:
		return v
	}
	return averageExtraDefault
}
