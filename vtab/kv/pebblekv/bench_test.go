package pebblekv

import (
	"encoding/binary"
	"fmt"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/vtab/kv"
)

// benchValue is a row of ordinary size; a benchmark commit writes it and two
// index entries.
var benchValue = make([]byte, 100)

// benchKeys appends the three keys of commit n of a writer.
func benchKeys(writer, n int) [3][]byte {
	var keys [3][]byte
	for i := range keys {
		k := kv.AppendPrefix(nil, kv.SpaceRow, uint32(i+1))
		k = binary.BigEndian.AppendUint32(k, uint32(writer))
		keys[i] = binary.BigEndian.AppendUint64(k, uint64(n)*0x9e3779b97f4a7c15)
	}
	return keys
}

// parallel runs b.N calls of f in a number of goroutines.
func parallel(b *testing.B, writers int, f func(writer, n int) error) {
	b.ReportAllocs()
	b.ResetTimer()
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for n := w; n < b.N; n += writers {
				if err := f(w, n); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "commits/s")
}

// BenchmarkRawCommit is the yardstick: the same bytes, durable, on bare Pebble
// with the same settings.
func BenchmarkRawCommit(b *testing.B) {
	for _, writers := range []int{1, 8, 32} {
		b.Run(fmt.Sprint(writers), func(b *testing.B) {
			db, err := pebble.Open(b.TempDir(), quiet(Options{}.withDefaults().engineOptions()))
			require.NoError(b, err)
			defer db.Close()
			parallel(b, writers, func(w, n int) error {
				batch := db.NewBatch()
				keys := benchKeys(w, n)
				_ = batch.Set(keys[0], benchValue, nil)
				_ = batch.Set(keys[1], nil, nil)
				_ = batch.Set(keys[2], nil, nil)
				_ = batch.Set(kv.MetaPosition, kv.AppendPosition(nil, kv.Position(n)), nil)
				if err := batch.Commit(pebble.Sync); err != nil {
					return err
				}
				return batch.Close()
			})
		})
	}
}

func quiet(o *pebble.Options) *pebble.Options {
	o.Logger = silent{}
	return o
}

type silent struct{}

func (silent) Infof(string, ...any)      {}
func (silent) Errorf(string, ...any)     {}
func (silent) Fatalf(f string, a ...any) { panic(fmt.Sprintf(f, a...)) }

// BenchmarkCommit is the same through the seam.
func BenchmarkCommit(b *testing.B) {
	for _, writers := range []int{1, 8, 32} {
		b.Run(fmt.Sprint(writers), func(b *testing.B) { benchCommit(b, writers, kv.DurabilityCommit) })
	}
}

// BenchmarkCommitNone does not wait for the disk: what the seam itself costs.
func BenchmarkCommitNone(b *testing.B) {
	for _, writers := range []int{1, 8} {
		b.Run(fmt.Sprint(writers), func(b *testing.B) { benchCommit(b, writers, kv.DurabilityNone) })
	}
}

func benchCommit(b *testing.B, writers int, d kv.Durability) {
	s, err := Open(ctx, b.TempDir(), Options{Durability: d})
	require.NoError(b, err)
	defer s.Close()
	put(b, s, "\x03first", "")
	before := s.Metrics()
	parallel(b, writers, func(w, n int) error {
		x, err := s.Begin(ctx)
		if err != nil {
			return err
		}
		keys := benchKeys(w, n)
		if err := x.Lock(ctx, kv.LockRequest{Key: keys[0], Mode: kv.LockX}); err != nil {
			return err
		}
		_ = x.Put(keys[0], benchValue)
		_ = x.Put(keys[1], nil)
		_ = x.Put(keys[2], nil)
		_, err = x.Commit(ctx, kv.CommitOptions{})
		return err
	})
	after := s.Metrics()
	if syncs := after.Syncs - before.Syncs; syncs > 0 {
		b.ReportMetric(float64(after.Commits-before.Commits)/float64(syncs), "commits/sync")
	}
	b.ReportMetric(after.SectionSeconds(0.5)*1e9, "ns-section-p50")
	b.ReportMetric(after.SectionSeconds(0.99)*1e9, "ns-section-p99")
}

const benchRows = 200_000

func loaded(b *testing.B) *Store {
	b.Helper()
	s, err := Open(ctx, b.TempDir(), Options{})
	require.NoError(b, err)
	b.Cleanup(func() { _ = s.Close() })
	bulk, err := s.Bulk(ctx)
	require.NoError(b, err)
	for i := range benchRows {
		require.NoError(b, bulk.Put(benchRow(i), benchValue))
	}
	require.NoError(b, bulk.Flush())
	bulk.Close()
	require.NoError(b, s.db.Flush())
	put(b, s, "\x02a", "1")
	return s
}

func benchRow(i int) []byte {
	return binary.BigEndian.AppendUint64(kv.AppendPrefix(nil, kv.SpaceRow, 7), uint64(i))
}

func BenchmarkGet(b *testing.B) {
	s := loaded(b)
	x := begin(b, s)
	defer x.Rollback()
	r, err := x.Snapshot(kv.Now)
	require.NoError(b, err)
	run := func(name string, get func(key []byte) error) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for i := range b.N {
				if err := get(benchRow(i * 7919 % benchRows)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	run("raw", func(key []byte) error {
		_, c, err := s.db.Get(key)
		if err == nil {
			err = c.Close()
		}
		return err
	})
	run("snapshot", func(key []byte) error { _, err := r.Get(ctx, key); return err })
	run("latest", func(key []byte) error { _, err := x.Latest(kv.Now).Get(ctx, key); return err })
}

// BenchmarkPointTransaction is Begin, Snapshot, Get, Rollback: a point select.
func BenchmarkPointTransaction(b *testing.B) {
	s := loaded(b)
	point := func(i int) error {
		x, err := s.Begin(ctx)
		if err != nil {
			return err
		}
		defer x.Rollback()
		r, err := x.Snapshot(kv.Now)
		if err != nil {
			return err
		}
		_, err = r.Get(ctx, benchRow(i*7919%benchRows))
		return err
	}
	b.Run("serial", func(b *testing.B) {
		b.ReportAllocs()
		for i := range b.N {
			if err := point(i); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("parallel", func(b *testing.B) {
		b.RunParallel(func(pb *testing.PB) {
			for i := 0; pb.Next(); i++ {
				if err := point(i); err != nil {
					b.Error(err)
				}
			}
		})
	})
}

func BenchmarkScan(b *testing.B) {
	s := loaded(b)
	x := begin(b, s)
	defer x.Rollback()
	r, err := x.Snapshot(kv.Now)
	require.NoError(b, err)
	all := kv.PrefixRange(kv.SpaceRow, 7)
	for _, reverse := range []bool{false, true} {
		b.Run(fmt.Sprintf("all/reverse=%v", reverse), func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				if n := benchScan(b, r, all, reverse); n != benchRows {
					b.Fatal(n)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchRows, "ns/key")
		})
	}
	b.Run("raw", func(b *testing.B) {
		for range b.N {
			it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: all.Start, UpperBound: all.End})
			require.NoError(b, err)
			bytes := 0
			for ok := it.First(); ok; ok = it.Next() {
				v, _ := it.ValueAndErr()
				bytes += len(it.Key()) + len(v)
			}
			require.NoError(b, it.Close())
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchRows, "ns/key")
	})
	b.Run("range100", func(b *testing.B) {
		b.ReportAllocs()
		for i := range b.N {
			from := i * 7919 % (benchRows - 100)
			if n := benchScan(b, r, kv.Range{Start: benchRow(from), End: benchRow(from + 100)}, false); n != 100 {
				b.Fatal(n)
			}
		}
	})
	b.Run("seek", func(b *testing.B) {
		b.ReportAllocs()
		it := r.Scan(ctx, all, kv.ScanOptions{})
		defer it.Close()
		for i := range b.N {
			from := i * 7919 % (benchRows - 1)
			it.SeekTo(kv.Range{Start: benchRow(from), End: benchRow(from + 1)})
			if !it.Next() {
				b.Fatal(it.Err())
			}
		}
	})
}

func benchScan(b *testing.B, r kv.Reader, rng kv.Range, reverse bool) int {
	it := r.Scan(ctx, rng, kv.ScanOptions{Reverse: reverse})
	n, bytes := 0, 0
	for it.Next() {
		v, err := it.Value()
		if err != nil {
			b.Fatal(err)
		}
		bytes += len(it.Key()) + len(v)
		n++
	}
	if err := it.Err(); err != nil {
		b.Fatal(err)
	}
	if err := it.Close(); err != nil {
		b.Fatal(err)
	}
	return n
}

// BenchmarkBulk is the load of keys in no order, the last commit included.
func BenchmarkBulk(b *testing.B) {
	for _, order := range []string{"ascending", "random"} {
		b.Run(order, func(b *testing.B) {
			s, err := Open(ctx, b.TempDir(), Options{})
			require.NoError(b, err)
			defer s.Close()
			bulk, err := s.Bulk(ctx)
			require.NoError(b, err)
			b.ReportAllocs()
			b.ResetTimer()
			for i := range b.N {
				key := benchRow(i)
				if order == "random" {
					key = benchKeys(0, i)[0]
				}
				if err := bulk.Put(key, benchValue); err != nil {
					b.Fatal(err)
				}
			}
			if err := bulk.Flush(); err != nil {
				b.Fatal(err)
			}
			bulk.Close()
			put(b, s, "\x02a", "1")
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "keys/s")
		})
	}
}

// BenchmarkLargeCommit is one transaction of 500,000 rows: what it costs, and how
// long others find the section closed.
func BenchmarkLargeCommit(b *testing.B) {
	const rows = 500_000
	for range b.N {
		s, err := Open(ctx, b.TempDir(), Options{})
		require.NoError(b, err)
		put(b, s, "\x02a", "1")
		x := begin(b, s)
		for i := range rows {
			require.NoError(b, x.Put(benchRow(i), benchValue))
		}
		_, err = x.Commit(ctx, kv.CommitOptions{})
		require.NoError(b, err)
		b.ReportMetric(s.Metrics().SectionSeconds(1)*1e3, "ms-section")
		require.NoError(b, s.Close())
	}
}
