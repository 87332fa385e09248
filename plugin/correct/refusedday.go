package correct

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
)

// codeWrongValue is the number for a constant that is no date where one is compared.
const codeWrongValue = 1525

// refuseDays is the error for a date that is compared with the text of one that
// there is not; the engine would compare with another date.
func refuseDays(ctx *sql.Context, n sql.Node) (err error) {
	transform.InspectExpressions(ctx, n, func(ctx *sql.Context, e sql.Expression) bool {
		if err != nil {
			return false
		}
		switch e := e.(type) {
		case *expression.Between:
			err = refuseDay(ctx, e.Val, e.Lower, e.Upper)
		case expression.Comparer:
			if !e.Resolved() {
				break
			}
			if list, ok := e.Right().(expression.Tuple); ok {
				err = refuseDay(ctx, e.Left(), list...)
				break
			}
			if err = refuseDay(ctx, e.Left(), e.Right()); err == nil {
				err = refuseDay(ctx, e.Right(), e.Left())
			}
		}
		return err == nil
	})
	return err
}

// refuseDay looks for constants that the value cannot be compared with.
func refuseDay(ctx *sql.Context, value sql.Expression, others ...sql.Expression) error {
	for _, other := range others {
		constant, ok := constantOf(ctx, other)
		if !ok {
			continue
		}
		text, ok := asText(constant.Value())
		if !ok || faultOfDay(text) == dayFine || !value.Resolved() || isPrinted(ctx, value) {
			continue
		}
		if typ := value.Type(ctx); isDay(typ) {
			kind := "DATETIME"
			switch typ.Type() {
			case sqltypes.Date:
				kind = "DATE"
			case sqltypes.Timestamp:
				kind = "TIMESTAMP"
			}
			return mysql.NewSQLError(codeWrongValue, mysql.SSUnknownSQLState, "Incorrect %s value: '%s'", kind, text)
		}
	}
	return nil
}
