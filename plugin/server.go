package plugin

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"time"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/server"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
)

// ServerVersion is what the handshake announces; clients choose their dialect
// by its number. VERSION() shows the same.
const ServerVersion = "8.0.31-" + versionPostfix

// Server serves a DB over the MySQL protocol.
type Server struct {
	db       *DB
	log      *slog.Logger
	listener *connListener
	mysql    *server.Server
	inner    mysql.Handler // the engine's own handler
	// connections are those that are open now.
	connections *connections
	watcher     *watcher
	// stopping is closed when Shutdown begins.
	stopping chan struct{}
	stop     sync.Once
}

// NewServer listens on the addresses of o. Connections wait until Serve runs.
func (db *DB) NewServer(o ServerOptions) (*Server, error) {
	if o.MaxConnections == 0 {
		o.MaxConnections = DefaultMaxConnections
	}
	if o.ReadTimeout == 0 {
		o.ReadTimeout = DefaultReadTimeout
	}
	listener, err := listen(o.Address, o.Socket, o.MaxConnections)
	if err != nil {
		return nil, err
	}
	s := &Server{db: db, log: db.log, listener: listener, connections: newConnections(), stopping: make(chan struct{})}
	s.watcher = newWatcher(s.connections)
	config := server.Config{
		Listener:         listener,
		Version:          ServerVersion,
		TLSConfig:        o.TLS,
		ConnReadTimeout:  o.ReadTimeout,
		ConnWriteTimeout: writeTimeout,
		// The statement loop watches for clients that go away itself.
		DisableConnectionWatcher: true,
	}
	config.Options = []server.Option{func(e *sqle.Engine, m *server.SessionManager, inner mysql.Handler) (*sqle.Engine, *server.SessionManager, mysql.Handler) {
		s.inner = inner
		return e, m, newHandler(s, m, inner)
	}}
	s.mysql, err = server.NewServer(config, db.engine, sql.NewContext, db.connectionSession, nil)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("starting the server: %w", err), s.Shutdown(context.Background()))
	}
	return s, nil
}

// connectionSession makes the session of a connection that has logged in.
func (db *DB) connectionSession(_ context.Context, c *mysql.Conn, address string) (sql.Session, error) {
	client := sql.Client{Capabilities: c.Capabilities}
	if user, ok := c.UserData.(sql.MysqlConnectionUser); ok {
		client.User, client.Address = user.User, user.Host
	}
	return db.backend.newSession(sql.NewBaseSessionWithClientServer(address, client, c.ConnectionID))
}

// Addr is the TCP address the server listens on.
func (s *Server) Addr() net.Addr { return s.listener.Addr() }

// Serve accepts connections until Shutdown. It returns when no more are
// accepted; connections may still be open then.
func (s *Server) Serve() { s.mysql.Listener.Accept() }

// Shutdown stops accepting, cancels the running statements, closes all
// connections and waits until they have rolled back, at most until ctx ends.
func (s *Server) Shutdown(ctx context.Context) error {
	var err error
	s.stop.Do(func() {
		close(s.stopping)
		err = s.listener.Close()
		if s.mysql != nil {
			s.mysql.Listener.Close()
			err = errors.Join(err, s.endConnections(ctx))
		}
		s.watcher.close()
	})
	return err
}

func (s *Server) endConnections(ctx context.Context) error {
	for _, p := range s.db.engine.ProcessList.Processes() {
		s.db.engine.ProcessList.Kill(p.Connection)
	}
	ended := make(chan error, 1)
	go func() {
		sessions := s.mysql.SessionManager()
		sessions.WaitForClosedConnections()
		// The last connection is said to be closed while its session still ends, under
		// the manager's lock: take it once.
		ended <- sessions.Iter(func(sql.Session) (bool, error) { return true, nil })
	}()
	// Idle connections wait for their client: close them. Those that run a
	// statement get its error to their client first if they are quick.
	for {
		s.closeIdle()
		select {
		case err := <-ended:
			return err
		case <-time.After(shutdownPoll):
		case <-ctx.Done():
			s.listener.closeOpen()
			return fmt.Errorf("connections were still open: %w", ctx.Err())
		}
	}
}

// closeIdle closes the connections that run no statement.
func (s *Server) closeIdle() {
	for _, c := range s.connections.all() {
		if !c.watch.busy() {
			c.mysql.Close()
		}
	}
}
