package correct

import (
	"math"
	"strconv"

	"github.com/cockroachdb/apd/v3"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"
)

// doubleDigits is how many decimal digits a double always keeps: text is compared
// with a DECIMAL as a double, and so is a double.
const doubleDigits = 15

// wholeDoubles is where doubles no longer tell all integers apart.
const wholeDoubles = 1 << 53

// foldNumber folds constants that numbers are compared with. A text that only
// begins with a number gets its warning here, once, rather than for every row.
func foldNumber(ctx *sql.Context, typ sql.Type, constant *expression.Literal) folding {
	n, ok := constantNumber(ctx, constant)
	text, cut := "", false
	if !ok {
		if text, cut = asText(constant.Value()); !cut || !types.IsTextOnly(constant.Type(ctx)) {
			return folding{}
		}
		digits, _ := types.TruncateStringToDouble(text)
		d, _, err := apd.NewFromString(digits)
		if err != nil {
			return folding{}
		}
		n = number{kind: numberDecimal, decimal: d}
	}
	asDouble := cut || n.kind == numberFloat || types.IsTextOnly(constant.Type(ctx))
	var folded folding
	switch {
	case types.IsFloat(typ):
		folded = foldFloat(typ, n.asFloat())
	case types.IsDecimal(typ):
		folded = foldDecimal(typ, n, asDouble)
	default:
		folded = foldInteger(typ, n)
	}
	if cut && folded.how != foldingNone {
		leadingFloat(ctx, text)
	}
	return folded
}

func foldFloat(typ sql.Type, value float64) folding {
	if typ.Type() != sqltypes.Float32 {
		return foldedTo(value, types.Float64)
	}
	narrow := float32(value)
	switch {
	case math.IsNaN(value):
		return folding{}
	case value > math.MaxFloat32:
		return folding{foldingAbove, expression.NewLiteral(float32(math.MaxFloat32), typ)}
	case value < -math.MaxFloat32:
		return folding{foldingBefore, expression.NewLiteral(float32(-math.MaxFloat32), typ)}
	case float64(narrow) == value:
		return foldedTo(narrow, typ)
	case float64(narrow) > value:
		narrow = math.Nextafter32(narrow, -math.MaxFloat32)
	}
	return folding{foldingAbove, expression.NewLiteral(narrow, typ)}
}

func foldInteger(typ sql.Type, n number) folding {
	if n.kind == numberFloat && math.Abs(n.float) >= wholeDoubles && (typ.Type() == sqltypes.Int64 || typ.Type() == sqltypes.Uint64) {
		return folding{} // several integers equal it
	}
	d, err := n.asDecimal()
	least, most, ok := integerLimits(typ)
	if err != nil || !ok {
		return folding{}
	}
	how, edge := edgeOf(d, least, most, 0)
	literal, ok := integerLiteral(edge, types.IsUnsigned(typ))
	if !ok {
		return folding{}
	}
	return folding{how, literal}
}

func integerLiteral(d *apd.Decimal, unsigned bool) (*expression.Literal, bool) {
	text := d.Text('f')
	if unsigned {
		value, err := strconv.ParseUint(text, 10, 64)
		return expression.NewLiteral(value, types.Uint64), err == nil
	}
	value, err := strconv.ParseInt(text, 10, 64)
	return expression.NewLiteral(value, types.Int64), err == nil
}

// integerLimits are the least and the greatest value of an integer type.
func integerLimits(typ sql.Type) (least, most *apd.Decimal, ok bool) {
	bits, ok := map[sql.Type]uint{
		types.Boolean: 8, types.Int8: 8, types.Int16: 16, types.Int24: 24, types.Int32: 32, types.Int64: 64,
		types.Uint8: 8, types.Uint16: 16, types.Uint24: 24, types.Uint32: 32, types.Uint64: 64,
	}[typ]
	if !ok {
		return nil, nil, false
	}
	if types.IsUnsigned(typ) {
		return apd.New(0, 0), types.DecimalFromUint64(math.MaxUint64 >> (64 - bits)), true
	}
	return apd.New(math.MinInt64>>(64-bits), 0), apd.New(math.MaxInt64>>(64-bits), 0), true
}

func foldDecimal(typ sql.Type, n number, asDouble bool) folding {
	decimal, ok := typ.(sql.DecimalType)
	if !ok {
		return folding{}
	}
	d, err := n.asDecimal()
	if err != nil {
		return folding{}
	}
	// As doubles, decimals keep their order only while they have few digits.
	if asDouble && (d.NumDigits()+int64(max(d.Exponent, 0)) > doubleDigits || decimal.Precision() > doubleDigits) {
		return folding{}
	}
	most := apd.New(1, int32(decimal.Precision())-int32(decimal.Scale()))
	if _, err := decimals.Sub(most, most, apd.New(1, -int32(decimal.Scale()))); err != nil {
		return folding{}
	}
	least := new(apd.Decimal).Neg(most)
	how, edge := edgeOf(d, least, most, int32(decimal.Scale()))
	if how == foldingNone {
		return folding{}
	}
	stored, inRange, err := typ.Convert(sql.NewEmptyContext(), edge)
	if err != nil || inRange != sql.InRange {
		return folding{}
	}
	return folding{how, expression.NewLiteral(stored, typ)}
}

// decimals computes with more digits than any constant between the limits of a
// DECIMAL has before it is rounded.
var decimals = apd.BaseContext.WithPrecision(200)

// edgeOf finds the value of a column of that scale next to d. The result is a new
// decimal.
func edgeOf(d, least, most *apd.Decimal, scale int32) (foldingKind, *apd.Decimal) {
	switch {
	case d.Cmp(most) > 0:
		return foldingAbove, most
	case d.Cmp(least) < 0:
		return foldingBefore, least
	}
	floor := decimals.WithPrecision(200)
	floor.Rounding = apd.RoundFloor
	edge := new(apd.Decimal)
	if _, err := floor.Quantize(edge, d, -scale); err != nil {
		return foldingNone, least
	}
	if edge.Cmp(d) == 0 {
		return foldingEqual, edge
	}
	return foldingAbove, edge
}
