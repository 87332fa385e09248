package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/freshetdb/freshet/vtab/enc"
)

// benchScan measures scans of a large table in process against a loop that reads
// and decodes the same rows.
func benchScan(ctx context.Context, s settings, r *report) (err error) {
	db, err := openStore(ctx, filepath.Join(s.dir, "scan"))
	if err != nil {
		return err
	}
	defer func() { err = joinClose(err, db) }()
	c, err := newClient(ctx, db, "")
	if err != nil {
		return err
	}
	if err := c.run("CREATE DATABASE b", "USE b", "CREATE TABLE t (id BIGINT PRIMARY KEY, a INT, b DOUBLE, c VARCHAR(40), d DATETIME)"); err != nil {
		return err
	}
	if err := fill(c, "t", s.rows, loadTuple); err != nil {
		return err
	}
	loop, err := newDecodeLoop(ctx, filepath.Join(s.dir, "decode"), s.rows)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, loop.store.Close()) }()
	all, err := median(s.rounds, func() (time.Duration, error) { return timed(func() error { return loop.run([]int{0, 1, 2, 3}) }) })
	if err != nil {
		return err
	}
	one, err := median(s.rounds, func() (time.Duration, error) { return timed(func() error { return loop.run([]int{0}) }) })
	if err != nil {
		return err
	}
	for _, m := range []struct {
		what, query string
		rows        int
		floor       time.Duration
	}{
		{"full scan, all columns", "SELECT * FROM t", s.rows, all},
		{"full scan, one column of five", "SELECT a FROM t", s.rows, one},
		{"filtered scan, one row in 50,000", "SELECT id, a FROM t WHERE a = 77", (s.rows + 49_999 - 77) / 50_000, one},
		{"sum over a scan", "SELECT SUM(a) FROM t", 1, one},
		{"count of rows", "SELECT COUNT(*) FROM t", 1, 0},
	} {
		took, err := median(s.rounds, func() (time.Duration, error) { return timed(func() error { return c.expect(m.rows, m.query) }) })
		if err != nil {
			return err
		}
		r.duration(fmt.Sprintf("%s, %d rows, in process", m.what, s.rows), took.Round(10*time.Microsecond), m.floor.Round(10*time.Microsecond))
	}
	return nil
}

// decodeLoop holds the same rows in a store of its own.
type decodeLoop struct {
	store  *pebble.DB
	layout *enc.Layout
	rows   int
}

func newDecodeLoop(ctx context.Context, dir string, rows int) (*decodeLoop, error) {
	text := types.MustCreateStringWithDefaults(types.Text.Type(), 40)
	layout, err := enc.NewLayout(1, []sql.Type{types.Int32, types.Float64, text, types.DatetimeMaxPrecision})
	if err != nil {
		return nil, err
	}
	store, err := pebble.Open(dir, &pebble.Options{Logger: silent{}})
	if err != nil {
		return nil, err
	}
	day := time.Date(2024, 1, 1, 10, 0, 0, 0, time.UTC)
	batch := store.NewBatch()
	for i := range rows {
		values := []any{int32(i % 50_000), float64(i) + 0.5, fmt.Sprintf("customer number %d", i), day.AddDate(0, 0, i%28)}
		row, err := layout.Append(ctx, nil, values)
		if err == nil {
			err = batch.Set(binary.BigEndian.AppendUint64([]byte("rows"), uint64(i)), row, nil)
		}
		if err == nil && i%10_000 == 9_999 {
			err = batch.Commit(pebble.NoSync)
			batch = store.NewBatch()
		}
		if err != nil {
			return nil, errors.Join(err, store.Close())
		}
	}
	if err := errors.Join(batch.Commit(pebble.NoSync), store.Flush()); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return &decodeLoop{store: store, layout: layout, rows: rows}, nil
}

// run reads all rows and decodes some of their columns into fresh rows.
func (l *decodeLoop) run(columns []int) error {
	to := make([]int, len(columns))
	for i := range to {
		to[i] = i
	}
	decoder := l.layout.NewDecoder(columns, to)
	it, err := l.store.NewIter(nil)
	if err != nil {
		return err
	}
	n := 0
	for ok := it.First(); ok; ok = it.Next() {
		row := make(sql.Row, len(columns))
		if err := decoder.Decode(it.Value(), row); err != nil {
			return errors.Join(err, it.Close())
		}
		n++
	}
	if n != l.rows {
		return errors.Join(fmt.Errorf("%d rows of %d", n, l.rows), it.Close())
	}
	return it.Close()
}
