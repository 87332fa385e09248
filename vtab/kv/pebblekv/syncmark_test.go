package pebblekv

import (
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"
)

// A log record may be cut anywhere by the end of a block: what is left of its batch has
// a mark if all of the mark is there, and never takes the process down.
func TestMarkOfACutBatch(t *testing.T) {
	db, err := pebble.Open("db", &pebble.Options{FS: vfs.NewMem()})
	require.NoError(t, err)
	batch := db.NewBatch()
	want := syncMark{log: 7, offset: 1 << 40}
	require.NoError(t, batch.LogData(want.encode(), nil))
	marked := len(batch.Repr())
	require.NoError(t, batch.Set([]byte("key"), make([]byte, 300), nil))
	whole := batch.Repr()
	for n := range whole {
		got, ok := markOf(whole[:n:n])
		require.Equal(t, n >= marked, ok, n)
		if ok {
			require.Equal(t, want, got)
		}
	}
	plain := db.NewBatch()
	require.NoError(t, plain.Set([]byte("key"), make([]byte, 300), nil))
	for n := range plain.Repr() {
		_, ok := markOf(plain.Repr()[:n:n])
		require.False(t, ok)
	}
	require.NoError(t, batch.Close())
	require.NoError(t, plain.Close())
	require.NoError(t, db.Close())
}
