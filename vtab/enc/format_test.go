package enc

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/apd/v3"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"
	"github.com/stretchr/testify/require"
)

var rewrite = flag.Bool("rewrite", false, "write the examples into the format's document")

const formatDocument = "../../docs/formats/encoding.md"

type example struct {
	what string
	key  KeyPart
	v    any
}

func keyExamples() []example {
	char := func(id sql.CollationID) sql.Type { return types.MustCreateString(sqltypes.VarChar, 20, id) }
	bin, ai := char(sql.Collation_utf8mb4_bin), char(sql.Collation_utf8mb4_0900_ai_ci)
	dec := types.MustCreateColumnDecimalType(10, 2)
	at := func(t sql.Type, v any) example { return example{key: KeyPart{Type: t}, v: v} }
	out := []example{
		at(types.Int64, nil), at(types.Int64, int64(0)), at(types.Int64, int64(234)), at(types.Int64, int64(235)),
		at(types.Int64, int64(1000)), at(types.Int64, int64(-1)), at(types.Int64, int64(-257)),
		at(types.Uint64, ^uint64(0)),
		at(types.Float64, 1.5), at(types.Float64, -1.5), at(types.Float64, 0.0),
		at(dec, apd.New(12345, -2)), at(dec, apd.New(-12345, -2)), at(dec, apd.New(100, -2)), at(dec, apd.New(0, -2)),
		at(types.Date, time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC)),
		at(types.Datetime, time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC)),
		at(types.Time, types.Timespan(-1)),
		at(bin, ""), at(bin, "Abc"), at(bin, "a\x00b"),
		at(ai, "Abc"), at(ai, "ábc"), at(ai, "日"),
		at(types.Blob, []byte{0, 1, 0xff}),
		at(types.JSON, types.MustJSON(`[1, "a"]`)), at(types.JSON, types.MustJSON(`{"a": true}`)),
	}
	out = append(out,
		example{key: KeyPart{Type: types.Int64, Desc: true}, v: nil},
		example{key: KeyPart{Type: types.Int64, Desc: true}, v: int64(1000)},
		example{key: KeyPart{Type: ai, Prefix: 2}, v: "Abc"})
	for i := range out {
		e := &out[i]
		e.what = e.key.Type.String()
		if e.key.Prefix > 0 {
			e.what += fmt.Sprintf(", prefix %d", e.key.Prefix)
		}
		if e.key.Desc {
			e.what += ", descending"
		}
	}
	return out
}

func show(v any) string {
	switch x := v.(type) {
	case nil:
		return "NULL"
	case *apd.Decimal:
		return x.Text('f')
	case time.Time:
		return x.Format(time.DateTime)
	case string, []byte:
		return fmt.Sprintf("%q", x)
	}
	return fmt.Sprint(v)
}

// formatExamples renders the worked examples of the document.
func formatExamples(t *testing.T) string {
	ctx := context.Background()
	var b strings.Builder
	b.WriteString("Keys:\n\n| part | value | bytes |\n|---|---|---|\n")
	for _, e := range keyExamples() {
		key := appendKey(t, codec(t, e.key), e.v)
		fmt.Fprintf(&b, "| %s | `%s` | `% x` |\n", e.what, show(e.v), key)
	}
	int64Key, dateKey := codec(t, KeyPart{Type: types.Int64}), codec(t, KeyPart{Type: types.Date})
	b.WriteString("\nBounds:\n\n| part | bound | bytes |\n|---|---|---|\n")
	for _, e := range []struct {
		name string
		c    *KeyCodec
		v    any
	}{{"bigint", int64Key, 1.5}, {"bigint", int64Key, 1e30}, {"bigint", int64Key, -1e30},
		{"date", dateKey, time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC)}} {
		pos, err := e.c.AppendBound(ctx, nil, 0, e.v)
		require.NoError(t, err)
		fmt.Fprintf(&b, "| %s | `%s` | `% x` |\n", e.name, show(e.v), pos)
	}
	ts := []sql.Type{types.Int32, types.Text, types.MustCreateColumnDecimalType(10, 2), types.Date, types.InternalDecimalType}
	l, err := NewLayout(7, ts)
	require.NoError(t, err)
	b.WriteString("\nRows of layout 7, columns (int, text, decimal(10,2), date, decimal(65,30) of an expression):\n\n| values | bytes |\n|---|---|\n")
	day := time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC)
	for _, vals := range [][]any{
		{int32(1000), "Abc", apd.New(12345, -2), day, apd.New(-15, -1)},
		{nil, "é", nil, day, nil},
	} {
		row, err := l.Append(ctx, nil, vals)
		require.NoError(t, err)
		var shown []string
		for _, v := range vals {
			shown = append(shown, show(v))
		}
		fmt.Fprintf(&b, "| `(%s)` | `% x` |\n", strings.Join(shown, ", "), row)
	}
	b.WriteString("\nValues:\n\n| type | value | bytes |\n|---|---|---|\n")
	for _, e := range []example{
		{key: KeyPart{Type: types.Int32}, v: nil}, {key: KeyPart{Type: types.Int32}, v: int32(1000)},
		{key: KeyPart{Type: types.Text}, v: "Abc"}, {key: KeyPart{Type: ts[2]}, v: apd.New(12345, -2)},
		{key: KeyPart{Type: types.JSON}, v: types.MustJSON(`{"a": [1, null]}`)},
		{key: KeyPart{Type: types.PointType{}}, v: types.Point{SRID: 4326, X: 1, Y: 2}},
	} {
		value, err := AppendValue(ctx, nil, e.key.Type, e.v)
		require.NoError(t, err)
		fmt.Fprintf(&b, "| %s | `%s` | `% x` |\n", e.key.Type, show(e.v), value)
	}
	return b.String()
}

// The examples in the document are what the encoders write. A change here is a
// change of the stored format: it needs a new format version.
func TestFormatExamples(t *testing.T) {
	const begin, end = "<!-- examples: begin -->\n", "<!-- examples: end -->"
	document, err := os.ReadFile(formatDocument)
	require.NoError(t, err)
	head, rest, ok := strings.Cut(string(document), begin)
	require.True(t, ok)
	old, tail, ok := strings.Cut(rest, end)
	require.True(t, ok)
	examples := formatExamples(t)
	if *rewrite {
		require.NoError(t, os.WriteFile(formatDocument, []byte(head+begin+examples+end+tail), 0o644))
		return
	}
	require.Equal(t, old, examples)
}
