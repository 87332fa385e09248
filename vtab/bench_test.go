package vtab

import (
	"context"
	"fmt"
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
