package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/sql"
)

const (
	// pointRows is the size of the table that points are selected from.
	pointRows = 100_000
	// rangeRows is the length of a range.
	rangeRows = 100
)

// floorClient runs statements over the constant table.
func floorClient(ctx context.Context) *client {
	engine := sqle.NewDefault(&constantProvider{table: newConstant()})
	session := sql.NewBaseSession()
	session.SetCurrentDatabase("floor")
	return &client{engine: engine, session: session, context: func() *sql.Context { return sql.NewContext(ctx, sql.WithSession(session)) }}
}

// benchSelect measures point selects and short ranges in process.
func benchSelect(ctx context.Context, s settings, r *report) (err error) {
	db, err := openStore(ctx, filepath.Join(s.dir, "select"))
	if err != nil {
		return err
	}
	defer func() { err = joinClose(err, db) }()
	c, err := newClient(ctx, db, "")
	if err != nil {
		return err
	}
	if err := c.run("CREATE DATABASE b", "USE b", "CREATE TABLE t (id BIGINT PRIMARY KEY, v BIGINT, w VARCHAR(40), KEY k (v))"); err != nil {
		return err
	}
	if err := fill(c, "t", pointRows, func(i int) string { return fmt.Sprintf("(%d,%d,'value of row %d')", i, i*7%pointRows, i) }); err != nil {
		return err
	}
	engine := floorClient(ctx)
	floor, err := perOperation(s.each, func() error { return engine.expect(1, "SELECT v FROM one WHERE id = 7") })
	if err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(1, 1))
	for _, m := range []struct {
		what string
		rows int
		text func() string
	}{
		{"point select by primary key, in process", 1, func() string { return fmt.Sprintf("SELECT v FROM t WHERE id = %d", random.IntN(pointRows)) }},
		{"point select by secondary key, in process", 1, func() string { return fmt.Sprintf("SELECT w FROM t WHERE v = %d", random.IntN(pointRows)) }},
		{"range of 100 rows by primary key, in process", rangeRows, func() string {
			from := random.IntN(pointRows - rangeRows)
			return fmt.Sprintf("SELECT v, w FROM t WHERE id >= %d AND id < %d", from, from+rangeRows)
		}},
		{"range of 100 rows by secondary key, in process", rangeRows, func() string {
			from := random.IntN(pointRows - rangeRows)
			return fmt.Sprintf("SELECT v, w FROM t WHERE v >= %d AND v < %d", from, from+rangeRows)
		}},
	} {
		took, err := perOperation(s.each, func() error { return c.expect(m.rows, m.text()) })
		if err != nil {
			return err
		}
		r.duration(m.what, took, floor)
	}
	return nil
}

// fill inserts rows in statements of 1,000.
func fill(c *client, table string, rows int, tuple func(i int) string) error {
	const perStatement = 1000
	for at := 0; at < rows; at += perStatement {
		text := make([]byte, 0, 64*perStatement)
		text = append(text, "INSERT INTO "...)
		text = append(text, table...)
		text = append(text, " VALUES "...)
		for i := at; i < min(at+perStatement, rows); i++ {
			if i > at {
				text = append(text, ',')
			}
			text = append(text, tuple(i)...)
		}
		if _, err := c.exec(string(text)); err != nil {
			return err
		}
	}
	return nil
}
