package kvtest

import (
	"fmt"
	"math/rand/v2"

	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/vtab/kv"
)

// outsideTests are about what goes past transactions.
var outsideTests = []test{
	{"bulk", func(e *env) {
		const rows = 20_000
		before := e.write("\x02a", "1")
		b, err := e.store.Bulk(e.ctx)
		require.NoError(e, err)
		for _, i := range rand.New(rand.NewPCG(1, 1)).Perm(rows) {
			k, v := []byte(row(i)), []byte(fmt.Sprint("value ", i))
			require.NoError(e, b.Put(k, v))
			clear(k) // copied
			clear(v)
		}
		require.NoError(e, b.Flush())
		b.Close()
		require.Equal(e, before, e.store.Applied(), "a bulk load is no commit")
		t := e.begin()
		got := e.scan(t.Latest(kv.Now), span("\x03", "\x04"), true)
		require.Len(e, got, rows)
		for i, kvp := range got {
			require.Equal(e, fmt.Sprintf("%s=value %d", row(i), i), kvp)
		}
		e.requireGet(e.snapshot(t, kv.Now), row(7), "value 7")
		t.Rollback()
		e.write("\x03000007", "later") // a commit goes over it
		t = e.begin()
		e.requireGet(t.Latest(kv.Now), row(7), "later")
		t.Rollback()
	}},
	{"bulk closed without flush", func(e *env) {
		b, err := e.store.Bulk(e.ctx)
		require.NoError(e, err)
		require.NoError(e, b.Put([]byte("\x03a"), []byte("1")))
		b.Close()
		e.requireStored()
	}},
	{"bulk goes on after a flush", func(e *env) {
		b, err := e.store.Bulk(e.ctx)
		require.NoError(e, err)
		require.NoError(e, b.Flush()) // of nothing
		require.NoError(e, b.Put([]byte("\x03a"), nil))
		require.NoError(e, b.Flush())
		require.NoError(e, b.Put([]byte("\x03b"), []byte("2")))
		require.NoError(e, b.Flush())
		b.Close()
		e.requireStored("\x03a=", "\x03b=2")
	}},
	{"drop range", func(e *env) {
		e.write("\x03a", "1", "\x03b", "2", "\x03c", "3")
		t := e.begin()
		old := e.snapshot(t, kv.Now)
		for range 2 {
			require.NoError(e, e.store.DropRange(e.ctx, span("\x03b", "\x03c")))
		}
		require.NoError(e, e.store.DropRange(e.ctx, span("\x04", "")))
		e.requireScan(old, data, "\x03a=1", "\x03b=2", "\x03c=3")
		e.requireGet(old, "\x03b", "2")
		e.requireGet(t.Latest(kv.Now), "\x03a", "1")
		e.requireGet(t.Latest(kv.Now), "\x03c", "3")
		t.Rollback()
	}},
	{"approximate", func(e *env) {
		for i := range 1000 {
			e.write(row(i), "some value")
		}
		_, err := e.store.Approximate(span(row(0), row(500)))
		require.NoError(e, err)
		a, err := e.store.Approximate(span("\x05", "\x06"))
		require.NoError(e, err)
		require.Less(e, a.Bytes, uint64(1000), "nothing is there")
	}},
	{"incarnation", func(e *env) {
		require.NotZero(e, e.store.Incarnation())
		require.Equal(e, e.store.Incarnation(), e.store.Incarnation())
	}},
}
