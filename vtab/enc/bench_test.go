package enc

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/cockroachdb/apd/v3"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"
)

// The row of the benchmarks: INT, BIGINT, VARCHAR(50), DECIMAL(10,2), DATETIME.
func benchRow(b *testing.B) (*Layout, []sql.Type, []any) {
	ts := []sql.Type{types.Int32, types.Int64, types.MustCreateStringWithDefaults(sqltypes.VarChar, 50),
		types.MustCreateColumnDecimalType(10, 2), types.Datetime}
	l, err := NewLayout(1, ts)
	if err != nil {
		b.Fatal(err)
	}
	return l, ts, []any{int32(123456), int64(9_876_543_210), "a name of usual size", apd.New(1234567, -2),
		time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)}
}

func BenchmarkRowAppend(b *testing.B) {
	ctx := context.Background()
	l, _, vals := benchRow(b)
	var row []byte
	b.ReportAllocs()
	for b.Loop() {
		var err error
		if row, err = l.Append(ctx, row[:0], vals); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(row)), "bytes/row")
}

func benchDecode(b *testing.B, cols []int, shared bool) {
	ctx := context.Background()
	l, _, vals := benchRow(b)
	row, err := l.Append(ctx, nil, vals)
	if err != nil {
		b.Fatal(err)
	}
	decode := l.Decode
	if shared {
		decode = l.DecodeShared
	}
	b.ReportAllocs()
	for b.Loop() {
		dst := make([]any, len(vals)) // a scan makes one row for each
		if err := decode(ctx, row, cols, dst, cols); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRowDecode(b *testing.B) {
	all := []int{0, 1, 2, 3, 4}
	b.Run("5-columns", func(b *testing.B) { benchDecode(b, all, false) })
	b.Run("5-columns-shared", func(b *testing.B) { benchDecode(b, all, true) })
	b.Run("5-columns-decoder", func(b *testing.B) {
		l, _, vals := benchRow(b)
		row, err := l.Append(context.Background(), nil, vals)
		if err != nil {
			b.Fatal(err)
		}
		d := l.NewDecoder(all, all)
		b.ReportAllocs()
		for b.Loop() {
			if err := d.Decode(row, make([]any, len(vals))); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("1-column", func(b *testing.B) { benchDecode(b, []int{1}, false) })
}

func BenchmarkRowDecodeWide(b *testing.B) {
	ctx := context.Background()
	ts, vals := make([]sql.Type, 60), make([]any, 60)
	for i := range ts {
		ts[i], vals[i] = types.Text, "some text of usual size"
		if i%3 == 0 {
			vals[i] = nil
		}
	}
	l, err := NewLayout(1, ts)
	if err != nil {
		b.Fatal(err)
	}
	row, err := l.Append(ctx, nil, vals)
	if err != nil {
		b.Fatal(err)
	}
	dst := make([]any, 1)
	b.ReportAllocs()
	for b.Loop() {
		if err := l.Decode(ctx, row, []int{7}, dst, []int{0}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkKeyAppend(b *testing.B) {
	ctx := context.Background()
	char := func(id sql.CollationID) sql.Type { return types.MustCreateString(sqltypes.VarChar, 50, id) }
	for _, bench := range []struct {
		name string
		typ  sql.Type
		v    any
	}{
		{"bigint", types.Int64, int64(9_876_543_210)},
		{"decimal", types.MustCreateColumnDecimalType(10, 2), apd.New(1234567, -2)},
		{"datetime", types.Datetime, time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)},
		{"double", types.Float64, 1.5},
		{"varbinary", types.MustCreateBinary(sqltypes.VarBinary, 50), []byte("a name of usual size")},
		{"utf8mb4_bin", char(sql.Collation_utf8mb4_bin), "a name of usual size"},
		{"0900_ai_ci", char(sql.Collation_utf8mb4_0900_ai_ci), "a name of usual size"},
		{"0900_ai_ci/accents", char(sql.Collation_utf8mb4_0900_ai_ci), "Überraschung für Müßiggänger"},
		{"0900_ai_ci/cjk", char(sql.Collation_utf8mb4_0900_ai_ci), "日本語の文字列"},
		{"general_ci/cjk", char(sql.Collation_utf8mb4_general_ci), "日本語の文字列"},
	} {
		b.Run(bench.name, func(b *testing.B) {
			c := codec(b, KeyPart{Type: bench.typ})
			var key []byte
			b.ReportAllocs()
			for b.Loop() {
				var err error
				if key, err = c.Append(ctx, key[:0], 0, bench.v); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(key)), "bytes/key")
		})
	}
}

func BenchmarkKeyDecode(b *testing.B) {
	c := codec(b, KeyPart{Type: types.Int64})
	key := appendKey(b, c, int64(9_876_543_210))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := c.Decode(0, key); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNewKeyCodec(b *testing.B) {
	for _, id := range []sql.CollationID{sql.Collation_utf8mb4_0900_ai_ci, sql.Collation_utf8mb4_bin} {
		b.Run(fmt.Sprint(id), func(b *testing.B) {
			typ := types.MustCreateString(sqltypes.VarChar, 50, id)
			b.ReportAllocs()
			for b.Loop() {
				codec(b, KeyPart{Type: typ}, KeyPart{Type: types.Int64})
			}
		})
	}
}
