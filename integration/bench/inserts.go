package main

import (
	"context"
	gosql "database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/freshetdb/freshet/integration/process"
	"github.com/freshetdb/freshet/plugin"
)

// callers are the numbers of concurrent writers.
var callers = []int{1, 8, 32}

// insertRow is the tuple that every insert writes: some 100 bytes.
func insertRow(id uint64) string {
	return fmt.Sprintf("INSERT INTO t VALUES (%d, %d, 'a value of some length, as in a small table of a real program, row %d')", id, id%1000, id)
}

const insertTable = "CREATE TABLE t (id BIGINT UNSIGNED PRIMARY KEY, n INT, v VARCHAR(120))"

// benchInsert measures durable autocommit inserts against commits of the same
// bytes by the storage engine alone.
func benchInsert(ctx context.Context, s settings, r *report) error {
	size, err := insertBytes(ctx, filepath.Join(s.dir, "insert-size"))
	if err != nil {
		return err
	}
	fmt.Printf("a durable insert writes %d bytes\n", size)
	for _, n := range callers {
		var raw, inside, wire []float64
		for range s.rounds {
			for _, m := range []struct {
				into *[]float64
				run  func() (float64, error)
			}{
				{&raw, func() (float64, error) { return rawCommits(s, n, size) }},
				{&inside, func() (float64, error) { return insertsInside(ctx, s, n) }},
				{&wire, func() (float64, error) { return insertsOverWire(ctx, s, n) }},
			} {
				rate, err := m.run()
				if err != nil {
					return err
				}
				*m.into = append(*m.into, rate)
			}
		}
		floor := middle(raw)
		r.rate(fmt.Sprintf("durable insert, %d in process", n), middle(inside), floor)
		r.rate(fmt.Sprintf("durable insert, %d on the wire", n), middle(wire), floor)
	}
	return nil
}

func middle(all []float64) float64 {
	next := -1
	m, _ := median(len(all), func() (float64, error) { next++; return all[next], nil })
	return m
}

// insertBytes is how many bytes one insert hands to the storage engine.
func insertBytes(ctx context.Context, dir string) (size uint64, err error) {
	db, err := openStore(ctx, dir)
	if err != nil {
		return 0, err
	}
	defer func() { err = joinClose(err, db) }()
	c, err := newClient(ctx, db, "")
	if err != nil {
		return 0, err
	}
	if err := c.run("CREATE DATABASE b", "USE b", insertTable, insertRow(1)); err != nil {
		return 0, err
	}
	const inserts = 100
	before := db.Metrics()
	for i := range uint64(inserts) {
		if err := c.run(insertRow(1000 + i)); err != nil {
			return 0, err
		}
	}
	after := db.Metrics()
	return (after.BytesWritten - before.BytesWritten) / inserts, nil
}

// together runs n workers for a while and returns operations per second.
func together(n int, each time.Duration, operation func(worker int) error) (float64, error) {
	var done atomic.Int64
	var stop atomic.Bool
	failures := make([]error, n)
	var workers sync.WaitGroup
	began := time.Now()
	for w := range n {
		workers.Add(1)
		go func() {
			defer workers.Done()
			for !stop.Load() {
				if failures[w] = operation(w); failures[w] != nil {
					stop.Store(true)
					return
				}
				done.Add(1)
			}
		}()
	}
	time.Sleep(each)
	stop.Store(true)
	workers.Wait()
	return float64(done.Load()) / time.Since(began).Seconds(), errors.Join(failures...)
}

// rawCommits commits batches of one key with synced log writes.
func rawCommits(s settings, n int, size uint64) (rate float64, err error) {
	dir, err := os.MkdirTemp(s.dir, "raw")
	if err != nil {
		return 0, err
	}
	store, err := pebble.Open(dir, &pebble.Options{Logger: silent{}})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, store.Close(), os.RemoveAll(dir)) }()
	var next atomic.Uint64
	const keyBytes = 13
	value := make([]byte, max(1, int(size)-keyBytes))
	return together(n, s.each, func(int) error {
		key := fmt.Appendf(nil, "%0*d", keyBytes, next.Add(1))
		return store.Set(key, value, pebble.Sync)
	})
}

// silent drops the storage engine's log.
type silent struct{}

func (silent) Infof(string, ...any)  {}
func (silent) Errorf(string, ...any) {}
func (silent) Fatalf(format string, args ...any) {
	panic(fmt.Sprintf(format, args...))
}

func insertsInside(ctx context.Context, s settings, n int) (rate float64, err error) {
	dir, err := os.MkdirTemp(s.dir, "inside")
	if err != nil {
		return 0, err
	}
	db, err := openStore(ctx, dir)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(joinClose(err, db), os.RemoveAll(dir)) }()
	clients := make([]*client, n)
	for i := range clients {
		if clients[i], err = newClient(ctx, db, ""); err != nil {
			return 0, err
		}
		if i == 0 {
			if err := clients[i].run("CREATE DATABASE b", "USE b", insertTable); err != nil {
				return 0, err
			}
		}
		if err := clients[i].run("USE b"); err != nil {
			return 0, err
		}
	}
	var next atomic.Uint64
	return together(n, s.each, func(w int) error { return clients[w].run(insertRow(next.Add(1))) })
}

func insertsOverWire(ctx context.Context, s settings, n int) (rate float64, err error) {
	t := newStage()
	defer t.end(&err)
	dir, err := os.MkdirTemp(s.dir, "wire")
	if err != nil {
		return 0, err
	}
	server := process.Start(t, dir)
	db := server.Open("", "")
	for _, statement := range []string{"CREATE DATABASE b", "USE b"} {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return 0, err
		}
	}
	pool := server.Open("b", "")
	pool.SetMaxOpenConns(n)
	pool.SetMaxIdleConns(n)
	if _, err := pool.ExecContext(ctx, insertTable); err != nil {
		return 0, err
	}
	conns := make([]*gosql.Conn, n)
	for i := range conns {
		if conns[i], err = pool.Conn(ctx); err != nil {
			return 0, err
		}
		defer conns[i].Close()
	}
	var next atomic.Uint64
	return together(n, s.each, func(w int) error {
		_, err := conns[w].ExecContext(ctx, insertRow(next.Add(1)))
		return err
	})
}

// joinClose closes a store and adds its error.
func joinClose(err error, db *plugin.DB) error { return errors.Join(err, db.Close()) }
