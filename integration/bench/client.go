package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/sql"

	"github.com/freshetdb/freshet/plugin"
	"github.com/freshetdb/freshet/vtab/kv"
)

// client runs statements in process, as a Go program that embeds the engine.
type client struct {
	engine  *sqle.Engine
	context func() *sql.Context
	session sql.Session
}

func newClient(ctx context.Context, db *plugin.DB, database string) (*client, error) {
	session, err := db.NewSession(sql.Client{User: "root", Address: "localhost"})
	if err != nil {
		return nil, err
	}
	session.SetCurrentDatabase(database)
	return &client{engine: db.Engine(), session: session, context: func() *sql.Context { return db.NewContext(ctx, session) }}, nil
}

// exec runs a statement, reads all its rows and returns their number.
func (c *client) exec(statement string) (int, error) {
	ctx := c.context()
	if err := sql.SessionCommandBegin(c.session); err != nil {
		return 0, err
	}
	defer sql.SessionCommandEnd(c.session)
	_, rows, _, err := c.engine.Query(ctx, statement)
	if err != nil {
		return 0, fmt.Errorf("%.60s: %w", statement, err)
	}
	n := 0
	for {
		_, err := rows.Next(ctx)
		if errors.Is(err, io.EOF) {
			return n, rows.Close(ctx)
		}
		if err != nil {
			return n, errors.Join(fmt.Errorf("%.60s: %w", statement, err), rows.Close(ctx))
		}
		n++
	}
}

// run runs statements whose results do not matter.
func (c *client) run(statements ...string) error {
	for _, statement := range statements {
		if _, err := c.exec(statement); err != nil {
			return err
		}
	}
	return nil
}

// expect runs a statement that must return n rows.
func (c *client) expect(n int, statement string) error {
	got, err := c.exec(statement)
	if err == nil && got != n {
		err = fmt.Errorf("%s: %d rows, not %d", statement, got, n)
	}
	return err
}

// openStore opens a store with the durability of a server's default.
func openStore(ctx context.Context, dir string) (*plugin.DB, error) {
	return plugin.Open(ctx, plugin.Options{Dir: dir, Durability: kv.DurabilityCommit})
}
