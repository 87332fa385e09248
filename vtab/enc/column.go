package enc

import (
	"context"

	"github.com/cockroachdb/apd/v3"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"
)

// kind groups the engine's types by how their values are stored.
type kind uint8

const (
	kindNull kind = iota // the type of the literal NULL
	kindInt8
	kindInt16
	kindInt24
	kindInt32
	kindInt64
	kindUint8
	kindUint16
	kindUint24
	kindUint32
	kindUint64
	kindYear
	kindBit
	kindEnum
	kindSet
	kindFloat32
	kindFloat64
	kindDecimal
	kindDate
	kindDatetime // DATETIME and TIMESTAMP
	kindTime
	kindText
	kindBytes
	kindJSON
	kindVector
	kindGeometry
)

// column is what the encodings need to know of a type.
type column struct {
	typ  sql.Type
	kind kind
	// width is the number of bytes of a value in a row; 0 for variable length.
	width int
	// min and max bound the integer kinds; maxU bounds the unsigned ones.
	min, max int64
	maxU     uint64
	// scale and precision are those of a DECIMAL. scaled: every stored value has
	// exactly this scale, and at most so many digits.
	scale     int32
	precision int
	scaled    bool
	// unitNanos is the resolution of a DATETIME.
	unitNanos int
}

// fixed reports whether all values take the same number of bytes in a row.
func (c *column) fixed() bool { return c.width > 0 || c.kind == kindNull }

// columnOf classifies t. It fails with *TypeError for types that no column can
// have.
func columnOf(t sql.Type) (column, error) {
	c := column{typ: t}
	if _, ok := t.(sql.ExtendedType); ok {
		return c, &TypeError{Type: t, Reason: "is not a MySQL type"}
	}
	if _, ok := t.(sql.SystemVariableType); ok {
		return c, &TypeError{Type: t, Reason: "is for system variables only"}
	}
	switch tt := t.(type) {
	case sql.NullType:
		c.kind = kindNull
		return c, nil
	case sql.DeferredType:
		return c, &TypeError{Type: t, Reason: "is not known yet"}
	case sql.DecimalType:
		c.kind, c.scale, c.precision = kindDecimal, int32(tt.Scale()), int(tt.Precision())
		return c, nil
	case sql.DatetimeType:
		return datetimeColumn(c, tt), nil
	case sql.EnumType:
		c.kind, c.width, c.maxU = kindEnum, 2, 1<<16-1
		return c, nil
	case sql.SetType:
		c.kind, c.width, c.maxU = kindSet, 8, 1<<64-1
		return c, nil
	case types.BitType:
		bits := int(tt.NumberOfBits())
		c.kind, c.width, c.maxU = kindBit, (bits+7)/8, 1<<bits-1
		return c, nil
	case sql.StringType:
		c.kind = kindText
		if tt.Collation() == sql.Collation_binary {
			c.kind = kindBytes
		} else if tt.Collation().Sorter() == nil {
			return c, &TypeError{Type: t, Reason: "has a collation that the engine does not implement"}
		}
		return c, nil
	case types.VectorType:
		c.kind = kindVector
		return c, nil
	case sql.SpatialColumnType:
		c.kind = kindGeometry
		return c, nil
	case types.JsonType:
		c.kind = kindJSON
		return c, nil
	}
	return numericColumn(c)
}

func datetimeColumn(c column, t sql.DatetimeType) column {
	if t.Type() == sqltypes.Date {
		c.kind, c.width = kindDate, 4
		return c
	}
	c.kind, c.width, c.unitNanos = kindDatetime, 8, 1e9
	for range min(t.Precision(), types.MaxDatetimePrecision) {
		c.unitNanos /= 10
	}
	return c
}

// numericColumn classifies the types that differ only in their wire type.
func numericColumn(c column) (column, error) {
	signed := func(k kind, width int) {
		c.kind, c.width = k, width
		c.max = 1<<(8*width-1) - 1
		c.min = -c.max - 1
	}
	unsigned := func(k kind, width int) {
		c.kind, c.width = k, width
		c.maxU = ^uint64(0) >> (64 - 8*width)
	}
	switch c.typ.Type() {
	case sqltypes.Int8:
		signed(kindInt8, 1)
	case sqltypes.Int16:
		signed(kindInt16, 2)
	case sqltypes.Int24:
		signed(kindInt24, 3)
	case sqltypes.Int32:
		signed(kindInt32, 4)
	case sqltypes.Int64:
		signed(kindInt64, 8)
	case sqltypes.Uint8:
		unsigned(kindUint8, 1)
	case sqltypes.Uint16:
		unsigned(kindUint16, 2)
	case sqltypes.Uint24:
		unsigned(kindUint24, 3)
	case sqltypes.Uint32:
		unsigned(kindUint32, 4)
	case sqltypes.Uint64:
		unsigned(kindUint64, 8)
	case sqltypes.Float32:
		c.kind, c.width = kindFloat32, 4
	case sqltypes.Float64:
		c.kind, c.width = kindFloat64, 8
	case sqltypes.Year:
		c.kind, c.width, c.max = kindYear, 2, 1<<15-1
	case sqltypes.Time:
		c.kind, c.width = kindTime, 8
	default:
		return c, &TypeError{Type: c.typ, Reason: "cannot be stored"}
	}
	return c, nil
}

// isSigned reports whether values are integers held in an int64 and bounded by
// min and max.
func (k kind) isSigned() bool { return k >= kindInt8 && k <= kindInt64 || k == kindYear }

// isUnsigned reports whether values are integers held in a uint64 and bounded
// by maxU.
func (k kind) isUnsigned() bool {
	return k >= kindUint8 && k <= kindUint64 || k >= kindBit && k <= kindSet
}

// fixScale finds out whether the engine gives every value of a DECIMAL type the
// scale of the type, as it does for types that define a column, and chooses the
// fixed-width form where the values allow it. The engine does not say so; a
// value that needs rescaling tells.
func (c *column) fixScale() {
	t, ok := c.typ.(sql.DecimalType)
	if !ok || c.kind != kindDecimal {
		return
	}
	probe := apd.New(15, -1)
	if c.scale > 0 {
		probe = apd.New(1, 0)
	}
	d, err := t.ConvertToDecimal(probe)
	if err != nil || d.Exponent != -c.scale {
		return
	}
	c.scaled = true
	switch p := c.precision; {
	case p <= 2:
		c.width = 1
	case p <= 4:
		c.width = 2
	case p <= 9:
		c.width = 4
	case p <= 18:
		c.width = 8
	default:
		return
	}
	c.max = 1
	for range c.precision {
		c.max *= 10
	}
	c.max-- // the largest number of so many digits
}

// convert brings a value that does not have the type's own Go type to it, by
// the engine's conversion.
func (c *column) convert(ctx context.Context, v any) (any, error) {
	v, err := sql.UnwrapAny(ctx, v)
	if err != nil {
		return nil, &ValueError{Type: c.typ, Value: v, Cause: err}
	}
	out, inRange, err := c.typ.Convert(ctx, v)
	if err != nil {
		return nil, &ValueError{Type: c.typ, Value: v, Cause: err}
	}
	if inRange != sql.InRange {
		return nil, &ValueError{Type: c.typ, Value: v, Cause: ErrOutOfRange}
	}
	if out, err = sql.UnwrapAny(ctx, out); err != nil {
		return nil, &ValueError{Type: c.typ, Value: v, Cause: err}
	}
	return out, nil
}
