package correct

import (
	"testing"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/stretchr/testify/require"
)

func TestRelaxedDates(t *testing.T) {
	Install()
	ctx := sql.NewEmptyContext()
	noon := time.Date(2021, 1, 2, 12, 5, 9, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"2021/1/2":                   noon.Truncate(24 * time.Hour),
		"2021.01.2":                  noon.Truncate(24 * time.Hour),
		"2021/1/2 12:5:9":            noon,
		"2021/01/02 12:05:09.25":     noon.Add(250 * time.Millisecond),
		"2021.1.2 12.5.9":            noon,
		"2021-1-2T12:5:9":            noon,
		"2021-01-02 12:05:09":        noon,
		"2021/1/2 12:5":              noon.Truncate(time.Minute),
		"2021-01-02T12:05:09.000001": noon.Add(time.Microsecond),
	} {
		got, _, err := types.DatetimeMaxPrecision.Convert(ctx, text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"2021/13/1", "2021/2/30", "1/2/2021x", "2021/1"} {
		_, _, err := types.DatetimeMaxPrecision.Convert(ctx, text)
		require.Error(t, err, text)
	}
}
