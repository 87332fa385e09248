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
	db := &DB{options: o, log: o.logger(), backend: b, engine: engine}
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

// NewSession makes a session for a Go caller that acts as client. A session
// runs one statement at a time; end it with EndSession.
func (db *DB) NewSession(client sql.Client) (sql.Session, error) {
	id := embeddedConnectionBase + db.nextSession.Add(1)
	base := sql.NewBaseSessionWithClientServer("", client, id)
	session, err := db.backend.newSession(base)
	if err != nil {
		return nil, err
	}
	db.engine.ProcessList.AddConnection(id, client.Address)
	db.engine.ProcessList.ConnectionReady(session)
	return session, nil
}

// EndSession rolls back what the session has open and releases what it holds.
func (db *DB) EndSession(session sql.Session) {
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

// Close ends all statements, flushes and closes the store. Nil means that
// everything reached stable storage. A second Close returns what the first did.
func (db *DB) Close() error {
	db.closing.Do(func() {
		db.closed = errors.Join(db.engine.Close(), db.backend.close())
	})
	return db.closed
}

// eventContext makes the context in which the scheduler looks for events.
func (db *DB) eventContext() (*sql.Context, error) {
	session, err := db.NewSession(sql.Client{User: rootUser, Address: rootHost})
	if err != nil {
		return nil, err
	}
	return db.NewContext(context.Background(), session), nil
}
