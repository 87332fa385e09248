package vtab

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/catalog"
	"github.com/freshetdb/freshet/vtab/kv/pebblekv"
)

// diskDatabase is a database on the machine's disk.
func diskDatabase(b *testing.B) *database {
	ctx := context.Background()
	store, err := pebblekv.Open(ctx, b.TempDir(), pebblekv.Options{})
	require.NoError(b, err)
	cat, _, err := catalog.Open(ctx, store, catalog.Options{})
	require.NoError(b, err)
	d := newEngineOver(b, store, cat)
	b.Cleanup(func() { d.close() })
	s := d.session()
	s.exec("CREATE DATABASE d")
	s.end()
	return d
}

func BenchmarkPointSelect(b *testing.B) {
	d := diskDatabase(b)
	s := d.session()
	s.exec("CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20), n INT, KEY (n))")
	for i := 0; i < 1000; i += 100 {
		q := "INSERT INTO t VALUES "
		for j := i; j < i+100; j++ {
			if j > i {
				q += ","
			}
			q += fmt.Sprintf("(%d,'value %d',%d)", j, j, j%10)
		}
		s.exec("%s", q)
	}
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		s.exec("SELECT id, v FROM t WHERE id = %d", i%1000)
	}
}

func BenchmarkInsert(b *testing.B) {
	for _, callers := range []int{1, 8, 32} {
		b.Run(fmt.Sprintf("callers=%d", callers), func(b *testing.B) {
			d := diskDatabase(b)
			s := d.session()
			s.exec("CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20), n INT)")
			var next atomic.Int64
			b.SetParallelism((callers + 1) / 2)
			b.ReportAllocs()
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				c := d.session()
				for pb.Next() {
					i := next.Add(1)
					c.exec("INSERT INTO t VALUES (%d,'some value',%d)", i, i)
				}
			})
		})
	}
}

// BenchmarkBulkInsert inserts 1,000 rows a statement; the time is that of one row.
func BenchmarkBulkInsert(b *testing.B) {
	d := diskDatabase(b)
	s := d.session()
	s.exec("CREATE TABLE t (id INT PRIMARY KEY, k INT, c VARCHAR(120), p DECIMAL(10,2), d DATETIME, KEY (k))")
	const rows = 1000
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; i < b.N; i += rows {
		b.StopTimer()
		var q strings.Builder
		q.WriteString("INSERT INTO t VALUES ")
		for j := i; j < i+rows; j++ {
			if j > i {
				q.WriteString(",")
			}
			fmt.Fprintf(&q, "(%d,%d,'some text of a usual length %d',%d.25,'2024-01-02 03:04:05')", j, j*7919%1000003, j, j%1000)
		}
		b.StartTimer()
		s.exec("%s", q.String())
	}
}

// BenchmarkScan reads a table of 100,000 rows; the time is that of one row.
func BenchmarkScan(b *testing.B) {
	d := diskDatabase(b)
	s := d.session()
	s.exec("CREATE TABLE t (id INT PRIMARY KEY, k INT, c VARCHAR(120), p DECIMAL(10,2), d DATETIME, KEY (k))")
	s.exec("INSERT INTO t WITH RECURSIVE n AS (SELECT 1 i UNION ALL SELECT i+1 FROM n WHERE i < 1000) SELECT a.i*1000+b.i, b.i, 'some text of a usual length', 5.25, '2024-01-02 03:04:05' FROM n a JOIN n b WHERE a.i <= 100")
	for _, q := range []string{"SELECT * FROM t", "SELECT k FROM t WHERE k = -1 OR p = 7", "SELECT count(*) FROM t", "SELECT sum(k) FROM t", "SELECT id FROM t FORCE INDEX (k) WHERE k > 0"} {
		b.Run(q, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; i < b.N; i += 100_000 {
				s.exec("%s", q)
			}
		})
	}
}
