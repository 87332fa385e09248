package memkv_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/vtab/kv"
	"github.com/freshetdb/freshet/vtab/kv/kvtest"
	"github.com/freshetdb/freshet/vtab/kv/memkv"
)

// TestConformance is ST-146 on the reference model.
func TestConformance(t *testing.T) {
	kvtest.Run(t, func(*testing.T) kv.Store { return memkv.New(memkv.Options{MaxTxnBytes: 8 << 20}) })
}

func TestDefaults(t *testing.T) {
	c := memkv.New(memkv.Options{}).Caps()
	require.EqualValues(t, memkv.DefaultMaxTxnBytes, c.MaxTxnBytes)
	require.True(t, c.SerialCommit)
	require.True(t, c.RangeDeleteInTxn)
}

// TestApproximate: with values of one size the estimate is exact.
func TestApproximate(t *testing.T) {
	ctx := context.Background()
	s := memkv.New(memkv.Options{})
	b, err := s.Bulk(ctx)
	require.NoError(t, err)
	for i := range 10_000 {
		require.NoError(t, b.Put(fmt.Appendf(nil, "\x03%05d", i), make([]byte, 94)))
	}
	require.NoError(t, b.Flush())
	for _, c := range []struct {
		start, end string
		want       uint64
	}{
		{"\x03", "\x04", 1_000_000}, {"\x0302500", "\x0305000", 250_000}, {"\x0309999", "", 100}, {"\x04", "", 0},
		{"\x03", "\x03", 0}, {"\x04", "\x03", 0}, {"", "\x0300001", 100},
	} {
		r := kv.Range{Start: []byte(c.start)}
		if c.end != "" {
			r.End = []byte(c.end)
		}
		a, err := s.Approximate(r)
		require.NoError(t, err)
		require.Equal(t, c.want, a.Bytes, "%q to %q", c.start, c.end)
	}
}

// TestReadersDontDisturbTheWriter: snapshots are walked by many goroutines while
// commits copy the tree they stand on; the race detector watches.
func TestReadersDontDisturbTheWriter(t *testing.T) {
	ctx := context.Background()
	s := memkv.New(memkv.Options{})
	commit := func(i int) {
		x, err := s.Begin(ctx)
		require.NoError(t, err)
		for k := range 50 {
			require.NoError(t, x.Put(fmt.Appendf(nil, "\x03%04d", k), fmt.Append(nil, i)))
		}
		_, err = x.Commit(ctx, kv.CommitOptions{})
		require.NoError(t, err)
	}
	commit(0)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for {
				select {
				case <-stop:
					return
				default:
				}
				if err := sameValues(ctx, s); err != nil {
					t.Error(err)
					return
				}
			}
		}()
	}
	for i := range 300 {
		commit(i + 1)
	}
	close(stop)
	wg.Wait()
}

// sameValues checks that a snapshot holds the 50 keys of one commit.
func sameValues(ctx context.Context, s kv.Store) error {
	x, err := s.Begin(ctx)
	if err != nil {
		return err
	}
	defer x.Rollback()
	r, err := x.Snapshot(kv.Now)
	if err != nil {
		return err
	}
	it := r.Scan(ctx, kv.SpaceRange(kv.SpaceRow), kv.ScanOptions{})
	defer it.Close()
	n, first := 0, ""
	for it.Next() {
		v, err := it.Value()
		if err != nil {
			return err
		}
		if n == 0 {
			first = string(v)
		}
		if string(v) != first {
			return fmt.Errorf("%q beside %q", v, first)
		}
		n++
	}
	if n != 50 {
		return fmt.Errorf("%d keys", n)
	}
	return it.Err()
}
