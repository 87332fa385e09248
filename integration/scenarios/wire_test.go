package scenarios

import (
	"context"
	"database/sql"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/plugin"
)

// wireTimeout bounds the end of a server.
const wireTimeout = 20 * time.Second

// serve has the sessions that are made from now on talk to a server over TCP.
func (w *world) serve() {
	w.t.Helper()
	server, err := w.db.NewServer(plugin.ServerOptions{Address: "127.0.0.1:0"})
	require.NoError(w.t, err)
	served := make(chan struct{})
	go func() {
		defer close(served)
		server.Serve()
	}()
	// Parameters are left out, so that statements go as they are.
	pool, err := sql.Open("mysql", fmt.Sprintf("root@%s(%s)/?multiStatements=true", socketNetwork, server.Addr()))
	require.NoError(w.t, err)
	pool.SetMaxIdleConns(0)
	w.server, w.pool, w.clients = server, pool, map[string]*client{}
	w.endServer = func() error {
		err := pool.Close()
		ctx, cancel := context.WithTimeout(context.Background(), wireTimeout)
		defer cancel()
		if endErr := server.Shutdown(ctx); err == nil {
			err = endErr
		}
		<-served
		return err
	}
}

// connect makes a session on a connection of its own.
func (w *world) connect() *client {
	w.t.Helper()
	c := &client{w: w}
	var err error
	c.conn, err = w.pool.Conn(context.WithValue(context.Background(), socketKey{}, &c.socket))
	require.NoError(w.t, err)
	return c
}

// socketNetwork is TCP to the driver; the socket is given to the client, so that the
// test can cut it.
const socketNetwork = "cut"

type socketKey struct{}

// dialSockets makes the driver know socketNetwork.
func dialSockets() {
	mysql.RegisterDialContext(socketNetwork, func(ctx context.Context, address string) (net.Conn, error) {
		var d net.Dialer
		conn, err := d.DialContext(ctx, "tcp", address)
		if into, ok := ctx.Value(socketKey{}).(*net.Conn); ok && err == nil {
			*into = conn
		}
		return conn, err
	})
}

// vanish cuts the client's connection without a word.
func (c *client) vanish() error { return c.socket.Close() }

// answersOK requires that a statement answers without columns: a client that expects
// none would be out of step.
func (c *client) answersOK(query string) {
	c.w.t.Helper()
	rows, err := c.conn.QueryContext(context.Background(), query)
	require.NoError(c.w.t, err, query)
	columns, err := rows.Columns()
	require.NoError(c.w.t, err, query)
	require.Empty(c.w.t, columns, query)
	require.NoError(c.w.t, rows.Close())
}

// tryWire runs one statement on the client's connection.
func (c *client) tryWire(ctx context.Context, query string) (r result, err error) {
	if !answersRows(query) {
		done, err := c.conn.ExecContext(ctx, query)
		if err != nil {
			return r, err
		}
		affected, err := done.RowsAffected()
		if err != nil {
			return r, err
		}
		id, err := done.LastInsertId()
		r.affected, r.insertID = uint64(affected), uint64(id)
		return r, err
	}
	rows, err := c.conn.QueryContext(ctx, query)
	if err != nil {
		return r, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return r, err
	}
	values := make([]sql.RawBytes, len(columns))
	into := make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return r, err
		}
		parts := make([]string, len(values))
		for i, v := range values {
			if parts[i] = string(v); v == nil {
				parts[i] = "NULL"
			}
		}
		r.rows = append(r.rows, strings.Join(parts, ","))
	}
	return r, rows.Err()
}

// answersRows tells the statements that answer with rows.
func answersRows(query string) bool {
	switch word, _, _ := strings.Cut(strings.TrimLeft(query, "( \n\t"), " "); strings.ToUpper(word) {
	case "SELECT", "SHOW", "WITH", "TABLE", "EXPLAIN", "CHECK", "ANALYZE", "OPTIMIZE", "REPAIR", "CHECKSUM":
		return true
	}
	return false
}

// ways are in process and, beside that unless the run is to be short, over the wire.
func ways() []bool {
	if testing.Short() {
		return []bool{false}
	}
	return []bool{false, true}
}

// runBothWays runs scenarios in process and over the wire.
func runBothWays(t *testing.T, all []scenario) {
	for _, wire := range ways() {
		way := "process"
		if wire {
			way = "wire"
		}
		t.Run(way, func(t *testing.T) {
			for _, s := range all {
				t.Run(s.name, func(t *testing.T) {
					t.Parallel()
					w := newWorld(t)
					w.wire = wire
					if wire {
						w.serve()
					}
					if s.setup != nil {
						s.setup(w)
					}
					w.run(s.script)
					w.finish()
				})
			}
		})
	}
}
