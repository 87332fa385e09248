package enc

import (
	"context"
	"testing"

	"github.com/cockroachdb/apd/v3"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/stretchr/testify/require"
)

// A decimal with an exponent above the column's is the number that it is, in rows
// and in keys; one that is too large is refused.
func TestDecimalsOfAnotherScale(t *testing.T) {
	for _, typ := range []sql.Type{types.MustCreateColumnDecimalType(10, 2), types.MustCreateColumnDecimalType(40, 2)} {
		for text, want := range map[string]string{"1E+2": "100.00", "-12E+1": "-120.00", "5E+0": "5.00", "0E+3": "0.00", "7.5": "7.50"} {
			given, _, err := apd.NewFromString(text)
			require.NoError(t, err)
			row, err := AppendValue(context.Background(), nil, typ, given)
			require.NoError(t, err, text)
			layout, err := NewLayout(1, []sql.Type{typ})
			require.NoError(t, err)
			whole, err := layout.Append(context.Background(), nil, []any{given})
			require.NoError(t, err, text)
			back := make(sql.Row, 1)
			require.NoError(t, layout.NewDecoder([]int{0}, []int{0}).Decode(whole, back))
			require.Equal(t, want, back[0].(*apd.Decimal).Text('f'))
			require.NotEmpty(t, row)
			codec, err := NewKeyCodec([]KeyPart{{Type: typ}})
			require.NoError(t, err)
			exact, _, err := apd.NewFromString(want)
			require.NoError(t, err)
			a, err := codec.Append(context.Background(), nil, 0, given)
			require.NoError(t, err)
			b, err := codec.Append(context.Background(), nil, 0, exact)
			require.NoError(t, err)
			require.Equal(t, b, a)
		}
	}
	huge, _, err := apd.NewFromString("1E+9")
	require.NoError(t, err)
	layout, err := NewLayout(1, []sql.Type{types.MustCreateColumnDecimalType(10, 2)})
	require.NoError(t, err)
	_, err = layout.Append(context.Background(), nil, []any{huge})
	var refused *ValueError
	require.ErrorAs(t, err, &refused)
}
