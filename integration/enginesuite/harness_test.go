package enginesuite

import (
	"context"
	"errors"
	"net"
	"reflect"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/enginetest"
	"github.com/dolthub/go-mysql-server/enginetest/scriptgen/setup"
	"github.com/dolthub/go-mysql-server/server"
	"github.com/dolthub/go-mysql-server/sql"
	vitess "github.com/dolthub/vitess/go/mysql"
	"github.com/go-sql-driver/mysql"

	"github.com/freshetdb/freshet/plugin"
)

// cacheBytes is small: the suite opens thousands of stores of a few rows.
const cacheBytes = 1 << 20

// harness gives the suite engines over fresh stores in memory.
type harness struct {
	overServer bool // statements go through the server
	clients    bool // and each session has a connection of its own

	t       *testing.T
	db      *plugin.DB
	session sql.Session
	setup   []setup.SetupScript
	// engine is the client of the server, nil in process.
	engine enginetest.QueryEngine
	// keepSession keeps the session that ran the setup; the suite's join
	// statistics live in it.
	keepSession bool
}

var (
	_ enginetest.Harness             = (*harness)(nil)
	_ enginetest.ClientHarness       = (*harness)(nil)
	_ enginetest.ServerHarness       = (*harness)(nil)
	_ enginetest.IndexHarness        = (*harness)(nil)
	_ enginetest.ForeignKeyHarness   = (*harness)(nil)
	_ enginetest.KeylessTableHarness = (*harness)(nil)
	_ enginetest.TransactionHarness  = (*harness)(nil)
)

func newHarness(t *testing.T, overServer bool) *harness {
	return &harness{t: t, overServer: overServer}
}

// store returns the open store, opening one if there is none yet.
func (h *harness) store() *plugin.DB {
	if h.db == nil {
		h.open(h.t)
	}
	return h.db
}

// open replaces the store by a fresh one, which is closed at the end of t.
func (h *harness) open(t *testing.T) {
	db, err := plugin.Open(context.Background(), plugin.Options{CacheBytes: cacheBytes})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	h.db, h.session = db, nil
}

// newSession makes a session with the connection id that the suite expects.
func (h *harness) newSession(client sql.Client) sql.Session {
	session, err := h.store().NewSession(client)
	if err != nil {
		h.t.Fatal(err)
	}
	session.SetConnectionId(suiteConnection)
	ctx := sql.NewContext(context.Background(), sql.WithSession(session))
	if err := session.SetSessionVariable(ctx, "innodb_lock_wait_timeout", int64(lockWaitS)); err != nil {
		h.t.Fatal(err)
	}
	return session
}

const (
	suiteConnection = 1
	// lockWaitS is short: the suite plays all its clients from one goroutine, so a
	// wait for a lock never ends well.
	lockWaitS = 1
)

var rootClient = sql.Client{Address: "localhost", User: "root"}

// NewContext implements enginetest.Harness.
func (h *harness) NewContext() *sql.Context {
	if h.session == nil {
		h.session = h.newSession(rootClient)
	}
	return sql.NewContext(context.Background(), sql.WithSession(h.session))
}

// NewSession implements enginetest.TransactionHarness.
func (h *harness) NewSession() *sql.Context {
	h.session = h.newSession(rootClient)
	return h.NewContext()
}

// NewContextWithClient implements enginetest.ClientHarness.
func (h *harness) NewContextWithClient(client sql.Client) *sql.Context {
	return sql.NewContext(context.Background(), sql.WithSession(h.newSession(client)))
}

// Setup implements enginetest.Harness.
func (h *harness) Setup(scripts ...[]setup.SetupScript) {
	h.setup = nil
	for _, s := range scripts {
		h.setup = append(h.setup, s...)
	}
}

// NewEngine implements enginetest.Harness.
func (h *harness) NewEngine(t *testing.T) (enginetest.QueryEngine, error) {
	h.open(t)
	scripts := h.setup
	if len(scripts) == 0 {
		scripts = setup.MydbData
	}
	engine, err := enginetest.RunSetupScripts(enginetest.NewContext(h), h.db.Engine(), scripts, true)
	if err != nil {
		return nil, err
	}
	if h.overServer {
		return h.serve(t, engine)
	}
	if !h.keepSession {
		h.session = nil
	}
	return engine, nil
}

// serve returns an engine whose statements go through Freshet's server. The
// suite's own client starts a server of the engine's kind and connects to its
// port; the driver's dialer sends those connections to Freshet's server instead.
func (h *harness) serve(t *testing.T, engine *sqle.Engine) (enginetest.QueryEngine, error) {
	freshet, err := h.db.NewServer(plugin.ServerOptions{Address: "127.0.0.1:0"})
	if err != nil {
		return nil, err
	}
	served := make(chan struct{})
	go func() {
		defer close(served)
		freshet.Serve()
	}()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := freshet.Shutdown(ctx); err != nil {
			t.Error(err)
		}
		<-served
	})
	address := freshet.Addr().String()
	if h.clients {
		h.engine = &clients{h: h, t: t, engine: engine, address: address, bySession: map[sql.Session]*enginetest.ServerQueryEngine{}}
		return h.engine, nil
	}
	client, err := h.connect(t, engine, address)
	if err != nil {
		return nil, err
	}
	h.engine = client
	return client, nil
}

// connect returns a client of the suite's kind whose connections go to address.
func (h *harness) connect(t *testing.T, engine *sqle.Engine, address string) (*enginetest.ServerQueryEngine, error) {
	client, err := suiteClient(t, engine, h.SessionBuilder())
	if err != nil {
		return nil, err
	}
	port := strconv.FormatInt(reflect.ValueOf(client).Elem().FieldByName("port").Int(), 10)
	redirects.set(port, address)
	t.Cleanup(func() { redirects.set(port, "") })
	return client, nil
}

// portAttempts is how often a client of the suite looks for a port.
const portAttempts = 5

// suiteClient makes a client of the suite's kind. The client looks for a free port
// and listens on it later: by then another process, or a connection of this one,
// may have it. Functions that make an engine for each statement, as TestDelete does,
// met that now and then. The client's own server counts its connections from one,
// as Freshet's does, so it gets a list of processes of its own: a stray connection
// to it would take Freshet's of the same number off the list when it ends.
func suiteClient(t *testing.T, engine *sqle.Engine, sessions server.SessionBuilder) (*enginetest.ServerQueryEngine, error) {
	list := engine.ProcessList
	engine.ProcessList = sqle.NewProcessList()
	defer func() { engine.ProcessList = list }()
	for attempt := 1; ; attempt++ {
		client, err := enginetest.NewServerQueryEngine(t, engine, sessions)
		if err == nil || attempt == portAttempts || !errors.Is(err, syscall.EADDRINUSE) {
			return client, err
		}
	}
}

// SessionBuilder implements enginetest.ServerHarness.
func (h *harness) SessionBuilder() server.SessionBuilder {
	return func(_ context.Context, c *vitess.Conn, _ string) (sql.Session, error) {
		client := sql.Client{Capabilities: c.Capabilities}
		if user, ok := c.UserData.(sql.MysqlConnectionUser); ok {
			client.User, client.Address = user.User, user.Host
		}
		return h.store().NewSession(client)
	}
}

// SupportsNativeIndexCreation implements enginetest.IndexHarness.
func (h *harness) SupportsNativeIndexCreation() bool { return true }

// SupportsForeignKeys implements enginetest.ForeignKeyHarness.
func (h *harness) SupportsForeignKeys() bool { return true }

// SupportsKeylessTables implements enginetest.KeylessTableHarness.
func (h *harness) SupportsKeylessTables() bool { return true }

// redirectTable says where connections to a local port go instead.
type redirectTable struct {
	mu     sync.Mutex
	byPort map[string]string
}

var redirects = &redirectTable{byPort: map[string]string{}}

func (r *redirectTable) set(port, address string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if address == "" {
		delete(r.byPort, port)
		return
	}
	r.byPort[port] = address
}

// install makes the driver dial through the table.
func (r *redirectTable) install() {
	mysql.RegisterDialContext("tcp", func(ctx context.Context, address string) (net.Conn, error) {
		if _, port, err := net.SplitHostPort(address); err == nil {
			r.mu.Lock()
			if to := r.byPort[port]; to != "" {
				address = to
			}
			r.mu.Unlock()
		}
		var d net.Dialer
		conn, err := d.DialContext(ctx, "tcp", address)
		if err != nil {
			return nil, err
		}
		return &stateBlind{Conn: conn}, nil
	})
}
