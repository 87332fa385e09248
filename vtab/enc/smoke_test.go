package enc

import (
	"context"
	"testing"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/stretchr/testify/require"
)

func TestRowRoundTrip(t *testing.T) {
	ctx := context.Background()
	dec := types.MustCreateColumnDecimalType(10, 2)
	ts := []sql.Type{types.Int32, types.Int64, types.MustCreateStringWithDefaults(types.Text.Type(), 100), dec, types.Datetime}
	l, err := NewLayout(7, ts)
	require.NoError(t, err)
	d, _, err := dec.Convert(ctx, "12.5")
	require.NoError(t, err)
	vals := []any{int32(-5), nil, "héllo", d, time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC)}
	row, err := l.Append(ctx, nil, vals)
	require.NoError(t, err)
	got := make([]any, 5)
	all := []int{0, 1, 2, 3, 4}
	require.NoError(t, l.Decode(ctx, row, all, got, all))
	require.Equal(t, vals, got)
}
