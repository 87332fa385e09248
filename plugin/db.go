package plugin

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/eventscheduler"
	"github.com/dolthub/go-mysql-server/sql"

	"github.com/freshetdb/freshet/vtab/kv"
)

// eventPeriod is how often the event scheduler looks for events that are due,
// in seconds. MySQL's events have a resolution of one second.
const eventPeriod = 1

// embeddedConnectionBase is where the connection ids of sessions made by
// NewSession start, so that they cannot meet the ids of connections.
const embeddedConnectionBase = 1 << 30

// DB is an open store with the SQL engine over it. Its methods may be called
// concurrently.
type DB struct {
	options Options
	log     *slog.Logger
	backend backend
	engine  *sqle.Engine

	// sessions are those of Go callers that have not ended.
	mu       sync.Mutex
	sessions map[sql.Session]struct{}

	nextSession atomic.Uint32
	nextPid     atomic.Uint64

	closing sync.Once
	closed  error
}

// Open opens the store in o.Dir, creating it if the folder is absent or empty.
// It fails with kv.ErrLocked, kv.ErrNotOurs, kv.ErrNewerFormat or kv.ErrCorrupt
// without having changed a file.
func Open(ctx context.Context, o Options) (*DB, error) {
	b, err := openStore(ctx, o)
	if err != nil {
		return nil, err
	}
	db, err := newDB(ctx, o, b)
	if err != nil {
		return nil, errors.Join(err, b.close())
	}
	return db, nil
}

func newDB(ctx context.Context, o Options, b backend) (*DB, error) {
	engine, err := newEngine(b)
	if err != nil {
		return nil, fmt.Errorf("building the engine: %w", err)
	}
	b.start(engine)
	db := &DB{options: o, log: o.logger(), backend: b, engine: engine, sessions: map[sql.Session]struct{}{}}
	if err := setVariables(ctx, o, b); err != nil {
		return nil, err
	}
	if err := loadPrivileges(ctx, engine.Analyzer.Catalog.MySQLDb, b); err != nil {
		return nil, err
	}
	if o.Events {
		if err := engine.InitializeEventScheduler(db.eventContext, eventscheduler.SchedulerOn, eventPeriod); err != nil {
			return nil, fmt.Errorf("starting the event scheduler: %w", err)
		}
	}
	return db, nil
}

// Engine returns the SQL engine. It is the DB's: do not close it.
func (db *DB) Engine() *sqle.Engine { return db.engine }

// Metrics are the storage engine's counters since the store was opened.
func (db *DB) Metrics() kv.Metrics { return db.backend.metrics() }

// NewSession makes a session for a Go caller that acts as client. A session
// runs one statement at a time; end it with EndSession.
func (db *DB) NewSession(client sql.Client) (sql.Session, error) {
	session, err := db.makeSession(client)
	if err != nil {
		return nil, err
	}
	db.mu.Lock()
	db.sessions[session] = struct{}{}
	db.mu.Unlock()
	db.engine.ProcessList.AddConnection(session.ID(), client.Address)
	db.engine.ProcessList.ConnectionReady(session)
	return session, nil
}

func (db *DB) makeSession(client sql.Client) (sql.Session, error) {
	id := embeddedConnectionBase + db.nextSession.Add(1)
	return db.backend.newSession(sql.NewBaseSessionWithClientServer("", client, id))
}

// EndSession rolls back what the session has open and releases what it holds.
// Ending it again does nothing.
func (db *DB) EndSession(session sql.Session) {
	db.mu.Lock()
	_, open := db.sessions[session]
	delete(db.sessions, session)
	db.mu.Unlock()
	if !open {
		return
	}
	sql.SessionEnd(session)
	db.engine.CloseSession(session.ID())
	db.engine.ProcessList.RemoveConnection(session.ID())
}

// NewContext makes a context for one statement of the session.
func (db *DB) NewContext(ctx context.Context, session sql.Session) *sql.Context {
	return sql.NewContext(ctx,
		sql.WithSession(session),
		sql.WithPid(embeddedConnectionBase+db.nextPid.Add(1)),
		sql.WithMemoryManager(db.engine.MemoryManager),
		sql.WithProcessList(db.engine.ProcessList),
	)
}

// Close cancels all statements, ends the sessions of Go callers, flushes and
// closes the store; sessions of connections end with their Server. Nil means
// that everything reached stable storage. A second Close returns what the first
// did.
func (db *DB) Close() error {
	db.closing.Do(func() {
		err := db.engine.Close()
		db.endSessions()
		db.closed = errors.Join(err, db.backend.close())
	})
	return db.closed
}

func (db *DB) endSessions() {
	db.mu.Lock()
	open := make([]sql.Session, 0, len(db.sessions))
	for session := range db.sessions {
		open = append(open, session)
	}
	db.mu.Unlock()
	for _, session := range open {
		db.EndSession(session)
	}
}

// eventContext makes the context in which the scheduler looks for events and
// runs one. The scheduler ends its session.
func (db *DB) eventContext() (*sql.Context, error) {
	session, err := db.makeSession(sql.Client{User: rootUser, Address: rootHost})
	if err != nil {
		return nil, err
	}
	return sql.NewContext(context.Background(), sql.WithSession(session)), nil
}
