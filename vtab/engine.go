package vtab

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/freshetdb/freshet/catalog"
	"github.com/freshetdb/freshet/vtab/kv"
)

// CommitHook takes part in every commit that changes something: view
// maintenance and the transaction log hang in here. It runs inside the commit
// section, so its work must be bounded. An error fails the commit.
type CommitHook interface {
	// Extend may read the committed state without the transaction's writes,
	// and add to the batch. pos is the position that the commit will have.
	Extend(ctx context.Context, tx *Transaction, latest kv.Reader, w kv.Writer, pos kv.Position) error
}

// Options configure an Engine.
type Options struct {
	Logger *slog.Logger // nil: slog.Default()
	Hooks  []CommitHook // run in order
	// StoredText prepares the text of a view, trigger or procedure for the engine's
	// parser, which reads it under the session's mode although the text was written
	// under sqlMode. Nil leaves texts as they are.
	StoredText func(ctx *sql.Context, text, sqlMode string) string
}

// Engine is what all sessions of one store share. It is safe for concurrent use.
type Engine struct {
	store     kv.Store
	catalog   *catalog.Catalog
	sequences *sequences
	ceilings  ceilings
	counts    rowCounts
	log       *slog.Logger
	hooks     []CommitHook
	// storedText is never nil.
	storedText func(ctx *sql.Context, text, sqlMode string) string
	claims     *claims
	querier    Querier
	// refuseWrites is asked before a session writes; nil refuses nothing.
	refuseWrites func(*sql.Context) error
	// gate is what FLUSH TABLES WITH READ LOCK closes.
	gate commitGate
	// writeLocked counts the tables that LOCK TABLES has locked for writing: plain
	// reads look for such locks while there are any.
	writeLocked atomic.Int64
	// uniqueHashes is uniqueHashesMax; tests lower it.
	uniqueHashes int
	deadlock     atomic.Pointer[DeadlockReport]
	// escalateEvery is the constant of that name; tests lower it.
	escalateEvery int
	// buildBytes is the most memory that one build has held.
	buildBytes atomic.Int64

	mu       sync.Mutex
	sessions map[*Session]struct{} // that have used the store and are not closed
}

// NewEngine returns the table layer over a store and its catalog. The caller
// keeps both and closes them after the last session has ended.
func NewEngine(store kv.Store, cat *catalog.Catalog, o Options) *Engine {
	log := o.Logger
	if log == nil {
		log = slog.Default()
	}
	if o.StoredText == nil {
		o.StoredText = func(_ *sql.Context, text, _ string) string { return text }
	}
	return &Engine{storedText: o.StoredText, store: store, catalog: cat, sequences: newSequences(store), log: log, hooks: o.Hooks, claims: newClaims(), sessions: map[*Session]struct{}{}, uniqueHashes: uniqueHashesMax, escalateEvery: escalateEvery}
}

func (e *Engine) noteBuildBytes(n int64) {
	for old := e.buildBytes.Load(); n > old && !e.buildBytes.CompareAndSwap(old, n); old = e.buildBytes.Load() {
	}
}

// RefuseWrites has f asked before a statement writes rows that are not temporary,
// or definitions. Its error fails the statement. Call it before there are sessions.
func (e *Engine) RefuseWrites(f func(*sql.Context) error) { e.refuseWrites = f }

// Store is the storage engine below.
func (e *Engine) Store() kv.Store { return e.store }

// Catalog is the catalog below.
func (e *Engine) Catalog() *catalog.Catalog { return e.catalog }

// join and leave keep the list of sessions that may hold something of the store.
func (e *Engine) join(s *Session) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.sessions[s] = struct{}{}
}

func (e *Engine) leave(s *Session) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.sessions, s)
}

// dropRange removes what lies under an id in one space, outside transactions. A
// failure costs space until the next open, whose sweep finds the range.
func (e *Engine) dropRange(space kv.Space, id catalog.ID) {
	e.ceilings.forget(id)
	e.counts.forget(id)
	if err := e.store.DropRange(context.Background(), kv.PrefixRange(space, uint32(id))); err != nil {
		e.log.Warn("a key range that is no longer needed stays until the next open", "space", uint8(space), "id", id, "error", err)
	}
}

// dropRanges removes all that lies under an id.
func (e *Engine) dropRanges(id catalog.ID) {
	e.sequences.forget(id)
	for _, space := range []kv.Space{kv.SpaceRow, kv.SpaceIndex, kv.SpaceCount, kv.SpaceSequence} {
		e.dropRange(space, id)
	}
}

// Close ends the sessions that are left and returns unused sequence values. No
// statement may be running. Call it before the store is closed.
func (e *Engine) Close(ctx context.Context) error {
	e.mu.Lock()
	left := slices.Collect(maps.Keys(e.sessions))
	e.mu.Unlock()
	for _, s := range left {
		s.Close(ctx)
	}
	return e.sequences.close(ctx)
}
