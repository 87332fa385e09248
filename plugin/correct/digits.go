package correct

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"
)

// MySQL's limits of DECIMAL.
const (
	decimalPrecisionMax = 65
	decimalScaleMax     = 30
)

// digits are the precision and scale of an exact number.
type digits struct{ precision, scale int }

func (d digits) whole() int { return d.precision - d.scale }

// selectedTypes are the types of the columns that CREATE TABLE … SELECT makes: the
// engine's decimals of arithmetic are too narrow for their values, and it has no
// column for a bare NULL, which MySQL makes BINARY(0).
func selectedTypes(ctx *sql.Context, n sql.Node, schema sql.Schema) (sql.Schema, error) {
	var exprs []sql.Expression
	if project := topProject(n); project != nil {
		exprs = project.Projections
	}
	schema = schema.Copy()
	for i, column := range schema {
		switch {
		case column.Type == types.Null:
			column.Type, column.Nullable = types.MustCreateBinary(sqltypes.Binary, 0), true
		case types.IsDecimal(column.Type) && i < len(exprs):
			d, ok := digitsOf(ctx, exprs[i])
			if !ok {
				continue
			}
			scale := min(d.scale, decimalScaleMax)
			typ, err := types.CreateColumnDecimalType(uint8(min(d.whole()+scale, decimalPrecisionMax)), uint8(scale))
			if err != nil {
				return nil, err
			}
			column.Type = typ
		}
	}
	return schema, nil
}

// topProject is the projection that makes the columns of a plan, nil if none does.
func topProject(n sql.Node) *plan.Project {
	for {
		switch node := n.(type) {
		case *plan.Project:
			return node
		case *plan.Sort, *plan.Limit, *plan.Offset, *plan.TopN, *plan.Distinct, *plan.OrderedDistinct, *plan.Having, *displayed:
			n = node.Children()[0]
		default:
			return nil
		}
	}
}

// digitsOf are those of the result of arithmetic (8.0 Reference Manual, 12.25.2, and
// Item_func's result_precision in the server); false for anything else.
func digitsOf(ctx *sql.Context, e sql.Expression) (digits, bool) {
	switch e := e.(type) {
	case *expression.Alias:
		return digitsOf(ctx, e.Child)
	case *integerArithmetic:
		return digitsOf(ctx, e.Arithmetic)
	case *expression.Arithmetic:
		return arithmeticDigits(ctx, e.Op, e.Left(), e.Right())
	case *expression.Div:
		return arithmeticDigits(ctx, "/", e.Left(), e.Right())
	}
	return digits{}, false
}

func arithmeticDigits(ctx *sql.Context, op string, left, right sql.Expression) (digits, bool) {
	l, lok := operandDigits(ctx, left)
	r, rok := operandDigits(ctx, right)
	if !lok || !rok {
		return digits{}, false
	}
	switch op {
	case "+", "-":
		scale := max(l.scale, r.scale)
		return digits{max(l.whole(), r.whole()) + 1 + scale, scale}, true
	case "*":
		return digits{l.precision + r.precision, l.scale + r.scale}, true
	case "/":
		increment := 4
		if value, err := ctx.GetSessionVariable(ctx, "div_precision_increment"); err == nil {
			if n, ok := value.(int64); ok {
				increment = int(n)
			}
		}
		return digits{l.precision + r.scale + increment, l.scale + increment}, true
	}
	return digits{}, false
}

// operandDigits are those of an operand, whose type says them unless it is
// arithmetic itself.
func operandDigits(ctx *sql.Context, e sql.Expression) (digits, bool) {
	if d, ok := digitsOf(ctx, e); ok {
		return d, true
	}
	switch typ := e.Type(ctx).(type) {
	case sql.DecimalType:
		return digits{int(typ.Precision()), int(typ.Scale())}, true
	}
	switch typ := e.Type(ctx); typ {
	case types.Int8, types.Uint8, types.Boolean:
		return digits{precision: 3}, true
	case types.Int16, types.Uint16:
		return digits{precision: 5}, true
	case types.Int24, types.Uint24:
		return digits{precision: 8}, true
	case types.Int32, types.Uint32:
		return digits{precision: 10}, true
	case types.Int64:
		return digits{precision: 19}, true
	case types.Uint64:
		return digits{precision: 20}, true
	}
	return digits{}, false
}
