package main

import (
	"context"
	gosql "database/sql"
	"errors"
	"fmt"
	"os"
	"sync/atomic"

	_ "github.com/go-sql-driver/mysql" // the client of the server to compare with

	"github.com/freshetdb/freshet/integration/process"
)

// hotUpdate is what all clients do to one row.
const hotUpdate = "UPDATE hot SET v = v + 1 WHERE id = 1"

// benchHotRow measures clients that all increment one row, each in transactions of
// its own. The floor is another server, if there is one to compare with.
func benchHotRow(ctx context.Context, s settings, r *report) error {
	for _, n := range callers {
		inside, err := median(s.rounds, func() (float64, error) { return hotRowInside(ctx, s, n) })
		if err != nil {
			return err
		}
		r.rate(fmt.Sprintf("increments of one row, %d in process", n), inside, 0)
		own, err := median(s.rounds, func() (float64, error) { return hotRowHere(ctx, s, n) })
		if err != nil {
			return err
		}
		other := 0.0
		if s.against != "" {
			if other, err = median(s.rounds, func() (float64, error) { return hotRowThere(ctx, s, n) }); err != nil {
				return fmt.Errorf("the server to compare with: %w", err)
			}
		}
		r.rate(fmt.Sprintf("increments of one row, %d on the wire", n), own, other)
	}
	return nil
}

// hotRowInside is the rate in process.
func hotRowInside(ctx context.Context, s settings, n int) (rate float64, err error) {
	dir, err := os.MkdirTemp(s.dir, "hot-inside")
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
			if err := clients[i].run("CREATE DATABASE b", "USE b", "CREATE TABLE hot (id INT PRIMARY KEY, v BIGINT)", "INSERT INTO hot VALUES (1, 0)"); err != nil {
				return 0, err
			}
		}
		if err := clients[i].run("USE b"); err != nil {
			return 0, err
		}
	}
	return together(n, s.each, func(w int) error { return clients[w].run(hotUpdate) })
}

// hotRowHere is the rate with a server of our own.
func hotRowHere(ctx context.Context, s settings, n int) (rate float64, err error) {
	t := newStage()
	defer t.end(&err)
	dir, err := os.MkdirTemp(s.dir, "hot")
	if err != nil {
		return 0, err
	}
	server := process.Start(t, dir)
	return hotRow(ctx, s, server.Open("", ""), n)
}

// hotRowThere is the rate of the server to compare with.
func hotRowThere(ctx context.Context, s settings, n int) (rate float64, err error) {
	db, err := gosql.Open("mysql", s.against)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return hotRow(ctx, s, db, n)
}

// hotRow runs n clients for a while and makes sure that no increment is lost.
func hotRow(ctx context.Context, s settings, db *gosql.DB, n int) (rate float64, err error) {
	db.SetMaxOpenConns(n)
	db.SetMaxIdleConns(n)
	const database = "freshet_bench_hot"
	for _, statement := range []string{
		"DROP DATABASE IF EXISTS " + database,
		"CREATE DATABASE " + database,
		"CREATE TABLE " + database + ".hot (id INT PRIMARY KEY, v BIGINT)",
		"INSERT INTO " + database + ".hot VALUES (1, 0)",
	} {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return 0, err
		}
	}
	conns := make([]*gosql.Conn, n)
	for i := range conns {
		if conns[i], err = db.Conn(ctx); err != nil {
			return 0, err
		}
		defer conns[i].Close()
		if _, err := conns[i].ExecContext(ctx, "USE "+database); err != nil {
			return 0, err
		}
	}
	var done atomic.Int64
	rate, err = together(n, s.each, func(w int) error {
		_, err := conns[w].ExecContext(ctx, hotUpdate)
		if err == nil {
			done.Add(1)
		}
		return err
	})
	if err != nil {
		return 0, err
	}
	var counted int64
	if err := conns[0].QueryRowContext(ctx, "SELECT v FROM hot WHERE id = 1").Scan(&counted); err != nil {
		return 0, err
	}
	if counted != done.Load() {
		return 0, fmt.Errorf("%d increments were acknowledged, the row counts %d", done.Load(), counted)
	}
	return rate, nil
}
