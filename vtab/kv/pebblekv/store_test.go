package pebblekv

import (
	"context"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/vtab/kv"
)

var ctx = context.Background()

// open opens a store in "data" and closes it with the test, unless the test did.
func open(t testing.TB, o Options) *Store {
	t.Helper()
	if o.CloseWithin == 0 {
		o.CloseWithin = 5 * time.Second
	}
	s, err := Open(ctx, "data", o)
	require.NoError(t, err)
	t.Cleanup(func() {
		if err := s.Close(); err != nil && s.Err() == nil {
			t.Error(err)
		}
	})
	return s
}

func begin(t testing.TB, s *Store) kv.Txn {
	t.Helper()
	x, err := s.Begin(ctx)
	require.NoError(t, err)
	return x
}

// put commits pairs of key and value.
func put(t testing.TB, s *Store, pairs ...string) kv.Position {
	t.Helper()
	x := begin(t, s)
	for i := 0; i < len(pairs); i += 2 {
		require.NoError(t, x.Put([]byte(pairs[i]), []byte(pairs[i+1])))
	}
	p, err := x.Commit(ctx, kv.CommitOptions{})
	require.NoError(t, err)
	return p
}

// dump returns all pairs outside the meta space.
func dump(t testing.TB, s *Store) map[string]string {
	t.Helper()
	x := begin(t, s)
	defer x.Rollback()
	return collect(t, x.Latest(kv.Now).Scan(ctx, kv.Range{Start: []byte{2}}, kv.ScanOptions{}))
}

func collect(t testing.TB, it kv.Iterator) map[string]string {
	t.Helper()
	got := map[string]string{}
	for it.Next() {
		v, err := it.Value()
		require.NoError(t, err)
		got[string(it.Key())] = string(v)
	}
	require.NoError(t, it.Err())
	require.NoError(t, it.Close())
	return got
}

func TestCommitAndReopen(t *testing.T) {
	fs := vfs.NewMem()
	s := open(t, Options{FS: fs})
	id := s.Incarnation()
	require.Equal(t, kv.Position(1), put(t, s, "a", "1", "b", "2"))
	require.Equal(t, kv.Position(2), put(t, s, "a", "3"))
	require.Equal(t, kv.Position(2), s.Applied())
	require.Equal(t, kv.Position(2), s.Durable())
	require.NoError(t, s.Close())
	require.NoError(t, s.Close(), "a second Close does nothing")

	s = open(t, Options{FS: fs})
	require.Equal(t, map[string]string{"a": "3", "b": "2"}, dump(t, s))
	require.Equal(t, id, s.Incarnation())
	require.Equal(t, kv.Position(2), s.Applied())
	require.Equal(t, kv.Position(3), put(t, s, "c", "4"), "positions go on after a clean close")
}

func BenchmarkOpenClose(b *testing.B) {
	for b.Loop() {
		s, err := Open(ctx, "data", Options{FS: vfs.NewMem()})
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
