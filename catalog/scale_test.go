package catalog

import (
	"fmt"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/vtab/kv"
	"github.com/freshetdb/freshet/vtab/kv/memkv"
	"github.com/freshetdb/freshet/vtab/kv/pebblekv"
)

const manyTables = 10_000

// fill makes a store with one database of n tables of five columns, each with a
// foreign key, and a row, an index entry and a count in the ranges.
func fill(tb testing.TB, store kv.Store, n int) {
	c, _, _ := open(tb, store)
	change(tb, c, func(txn *Txn) { addDatabase(tb, txn, "d") })
	const chunk = 1000
	for from := 0; from < n; from += chunk {
		var pairs [][]byte
		change(tb, c, func(txn *Txn) {
			db, _ := txn.Snapshot().DB("d")
			for i := from; i < min(from+chunk, n); i++ {
				table := newTable(txn, db.ID(), fmt.Sprintf("table_%d", i), 5)
				table.Foreign = []FK{{Columns: []string{"c1"}, ParentDatabase: "d", ParentTable: fmt.Sprintf("table_%d", i/2)}}
				require.NoError(tb, txn.Put(table))
				pairs = append(pairs, kv.AppendPrefix(nil, kv.SpaceRow, uint32(table.Physical)), []byte("row"),
					kv.AppendPrefix(nil, kv.SpaceIndex, uint32(table.Indexes[0].Physical)), []byte("entry"),
					kv.AppendPrefix(nil, kv.SpaceCount, uint32(table.Physical)), []byte("1"))
			}
		})
		plant(tb, store, pairs...)
	}
	require.NoError(tb, c.Close(tb.Context()))
}

// processorTime is what this process has used so far; unlike the clock it does not
// count what other processes took.
func processorTime(t *testing.T) time.Duration {
	var used syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// ST-022 at this level: ten thousand tables open within a second, opening
// decodes nothing, and using one table decodes one descriptor.
func TestST022TenThousandTables(t *testing.T) {
	store := memkv.New(memkv.Options{})
	manyTables := manyTables
	if testing.Short() {
		manyTables = 1000 // filling takes most of the time
	}
	fill(t, store, manyTables)
	start := processorTime(t)
	c, result, _ := open(t, store)
	took := processorTime(t) - start
	t.Logf("opened %d tables in %v of processor time", manyTables, took)
	require.Less(t, took, time.Second)
	require.Equal(t, manyTables, result.Counts[KindTable])
	require.Empty(t, result.Errors)
	require.Zero(t, c.Metrics().Decodes)

	s := c.Current()
	for range 3 {
		db, ok := s.DB("d")
		require.True(t, ok)
		_, ok, err := db.Table("TABLE_77")
		require.NoError(t, err)
		require.True(t, ok)
	}
	require.Equal(t, uint64(1), c.Metrics().Decodes)
	children, err := s.References("d", "table_77")
	require.NoError(t, err)
	require.Len(t, children, 2)
	require.Equal(t, uint64(3), c.Metrics().Decodes)

	// A statement on one table touches that table's descriptor only.
	change(t, c, func(txn *Txn) {
		db, _ := txn.Snapshot().DB("d")
		table, _, err := db.Table("table_77")
		require.NoError(t, err)
		renamed, err := Clone(table)
		require.NoError(t, err)
		renamed.Name = "renamed"
		require.NoError(t, txn.Put(renamed))
	})
	require.LessOrEqual(t, c.Metrics().Decodes, uint64(5))
}

// A thousand rounds of create and drop leave nothing behind in memory.
func TestDDLCyclesDoNotLeak(t *testing.T) {
	c, _, _ := open(t, newProbe(t))
	change(t, c, func(txn *Txn) { addDatabase(t, txn, "d") })
	round := func() {
		change(t, c, func(txn *Txn) {
			db, _ := txn.Snapshot().DB("d")
			addTable(t, txn, db.ID(), "t")
		})
		change(t, c, func(txn *Txn) {
			db, _ := txn.Snapshot().DB("d")
			h, _ := db.Lookup(KindTable, "t")
			require.NoError(t, txn.Drop(h.Kind, h.ID))
		})
	}
	entries := func() int {
		s := c.Current()
		return s.objects.Len() + s.names.Len() + s.refs.Len()
	}
	round()
	before := entries()
	for range 1000 {
		round()
	}
	require.Equal(t, before, entries())
}

func BenchmarkOpen10000(b *testing.B) {
	store := memkv.New(memkv.Options{})
	fill(b, store, manyTables)
	var before, after runtime.MemStats
	for b.Loop() {
		runtime.GC()
		runtime.ReadMemStats(&before)
		c, _, _ := open(b, store)
		runtime.GC()
		runtime.ReadMemStats(&after)
		runtime.KeepAlive(c)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/manyTables, "heapB/table")
	}
}

// BenchmarkOpenPebble10000 opens a store on disk and its catalog.
func BenchmarkOpenPebble10000(b *testing.B) {
	dir := b.TempDir()
	store, err := pebblekv.Open(b.Context(), dir, pebblekv.Options{})
	require.NoError(b, err)
	fill(b, store, manyTables)
	require.NoError(b, store.Close())
	var catalogOnly time.Duration
	n := 0
	for b.Loop() {
		store, err := pebblekv.Open(b.Context(), dir, pebblekv.Options{})
		require.NoError(b, err)
		start := time.Now()
		c, _, _ := open(b, store)
		catalogOnly += time.Since(start)
		n++
		require.NoError(b, c.Close(b.Context()))
		require.NoError(b, store.Close())
	}
	b.ReportMetric(float64(catalogOnly.Milliseconds())/float64(n), "catalog-ms/op")
}

func BenchmarkLookup(b *testing.B) {
	for _, n := range []int{10, manyTables} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			store := memkv.New(memkv.Options{})
			fill(b, store, n)
			c, _, _ := open(b, store)
			b.ReportAllocs()
			for b.Loop() {
				db, _ := c.Current().DB("d")
				if _, ok, err := db.Table("table_7"); !ok || err != nil {
					b.Fatal(ok, err)
				}
			}
		})
	}
}

// BenchmarkDDL is the catalog's share of one statement.
func BenchmarkDDL(b *testing.B) {
	for _, n := range []int{10, manyTables} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			store := memkv.New(memkv.Options{})
			fill(b, store, n)
			c, _, _ := open(b, store)
			i := 0
			b.ReportAllocs()
			for b.Loop() {
				i++
				txn := c.Begin()
				_ = txn.Lock(b.Context())
				db, _ := txn.Snapshot().DB("d")
				table, _, _ := db.Table("table_7")
				changed, _ := Clone(table)
				changed.Comment = fmt.Sprint(i)
				if err := txn.Put(changed); err != nil {
					b.Fatal(err)
				}
				if err := commit(b.Context(), c, txn); err != nil {
					b.Fatal(err)
				}
				txn.End()
			}
		})
	}
}
