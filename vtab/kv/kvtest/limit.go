package kvtest

import (
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/vtab/kv"
)

// limitTests are about Caps.
var limitTests = []test{
	{"caps", func(e *env) {
		c := e.store.Caps()
		require.GreaterOrEqual(e, c.MaxKeyBytes, 4096, "an index key of 3,072 bytes and its prefix fits")
		require.GreaterOrEqual(e, c.MaxValueBytes, 1<<20)
		require.LessOrEqual(e, int64(c.MaxValueBytes), c.MaxTxnBytes)
		require.Positive(e, c.MaxTxnBytes)
		require.LessOrEqual(e, c.MaxTxnBytes, int64(MaxTxnBytes), "see the package comment")
	}},
	{"keys", func(e *env) {
		longest := "\x03" + strings.Repeat("k", e.store.Caps().MaxKeyBytes-1)
		t := e.begin()
		e.put(t, longest, "1")
		e.requireSizeError(t.Put([]byte(longest+"k"), nil), "key")
		e.requireSizeError(t.Delete([]byte(longest+"k")), "key")
		e.commit(t)
		e.requireStored(longest + "=1")
		b, err := e.store.Bulk(e.ctx)
		require.NoError(e, err)
		e.requireSizeError(b.Put([]byte(longest+"k"), nil), "key")
		b.Close()
	}},
	{"values", func(e *env) {
		tooLong := make([]byte, e.store.Caps().MaxValueBytes+1)
		t := e.begin()
		e.requireSizeError(t.Put([]byte("\x03a"), tooLong), "value")
		require.False(e, t.Dirty())
		t.Rollback()
		b, err := e.store.Bulk(e.ctx)
		require.NoError(e, err)
		e.requireSizeError(b.Put([]byte("\x03a"), tooLong), "value")
		b.Close()
	}},
	{"transactions", func(e *env) {
		limit := e.store.Caps().MaxTxnBytes
		chunk := make([]byte, min(limit/8, int64(e.store.Caps().MaxValueBytes)))
		t := e.begin()
		n := 0
		var err error
		for ; err == nil; n++ {
			before := t.Size()
			if err = t.Put([]byte(row(n)), chunk); err != nil {
				require.Equal(e, before, t.Size(), "a refused write changes nothing")
			}
			require.Less(e, n, 1000, "no limit is met")
		}
		n-- // the refused one
		e.requireSizeError(err, "transaction")
		require.LessOrEqual(e, t.Size(), limit)
		require.Greater(e, t.Size(), limit-limit/4)
		e.requireAbsent(t.Latest(kv.Now), row(n))
		e.commit(t)
		t = e.begin()
		it := t.Latest(kv.Now).Scan(e.ctx, data, kv.ScanOptions{KeysOnly: true})
		got := 0
		for it.Next() {
			got++
		}
		require.NoError(e, it.Err())
		require.NoError(e, it.Close())
		require.Equal(e, n, got)
		t.Rollback()
	}},
	{"what a hook adds counts", func(e *env) {
		limit := e.store.Caps().MaxTxnBytes
		chunk := make([]byte, min(limit/8, int64(e.store.Caps().MaxValueBytes)))
		t := e.begin()
		e.put(t, "\x03a", "1")
		_, err := t.Commit(e.ctx, kv.CommitOptions{Hook: func(_ kv.Reader, w kv.Writer, _ kv.Position) error {
			for i := range 1000 {
				if err := w.Put([]byte(row(i)), chunk); err != nil {
					return err
				}
			}
			return nil
		}})
		e.requireSizeError(err, "transaction")
		e.requireStored()
	}},
}
