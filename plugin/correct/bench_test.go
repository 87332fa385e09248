package correct_test

import (
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/freshetdb/freshet/plugin/correct"
)

// The cost of one value to our SUM and to the engine's.
func BenchmarkSum(b *testing.B) {
	ctx := sql.NewEmptyContext()
	decimal := types.MustCreateColumnDecimalType(10, 2)
	value, _, err := decimal.Convert(ctx, "12345.67")
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		typ   sql.Type
		value any
	}{{"int", types.Int64, int64(7)}, {"double", types.Float64, 0.1}, {"decimal", decimal, value}} {
		column := expression.NewGetField(0, c.typ, "x", false)
		for name, aggregate := range map[string]sql.Aggregation{"ours": correct.NewAggregate(correct.Sum, column), "engine": aggregation.NewSum(column)} {
			b.Run(c.name+"/"+name, func(b *testing.B) {
				buffer, err := aggregate.NewBuffer(ctx)
				if err != nil {
					b.Fatal(err)
				}
				row := sql.Row{c.value}
				for b.Loop() {
					if err := buffer.Update(ctx, row); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
