package vtab

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/freshetdb/freshet/vtab/kv"
)

// observed is what other sessions may see of an open transaction.
type observed struct {
	started   time.Time
	id        atomic.Uint64 // of its locks, 0 before it asks for the first
	isolation atomic.Uint32 // once it is fixed
	readOnly  atomic.Bool   // likewise
	changed   atomic.Uint64 // rows that it has changed, undone changes included
	snapshot  atomic.Int64  // when its snapshot was taken, in nanoseconds since 1970; 0 for none
	escalated sync.Map      // ids of the tables that it holds in the place of rows
}

// show lets others see the transaction from now on.
func (tx *Transaction) show() {
	tx.seen.started = time.Now()
	tx.sess.shown.Store(&tx.seen)
}

// hide ends that.
func (tx *Transaction) hide() { tx.sess.shown.CompareAndSwap(&tx.seen, nil) }

// String is the level as in SET TRANSACTION, empty if it is not fixed. READ
// UNCOMMITTED is READ COMMITTED.
func (i Isolation) String() string {
	switch i {
	case ReadCommitted:
		return "READ COMMITTED"
	case RepeatableRead:
		return "REPEATABLE READ"
	case Serializable:
		return "SERIALIZABLE"
	}
	return ""
}

// noteStatement keeps the text of a statement of the client's while it runs.
func (s *Session) noteStatement(ctx *sql.Context) {
	if text := ctx.Query(); text != "" && s.calls == 0 {
		s.statement.Store(&text)
	}
}

// TransactionInfo describes an open transaction that has used the store.
type TransactionInfo struct {
	ID            uint64 // that of its locks; 0 if it has asked for none
	Connection    uint32
	User, Host    string
	Started       time.Time
	Isolation     Isolation // isolationUnset before the first read, write or lock
	ReadOnly      bool
	RowsChanged   uint64    // changes that were undone included
	SnapshotTaken time.Time // zero if it holds no snapshot
	Statement     string    // that runs; empty between statements
}

// Transactions describes the transactions that are open, by the time when they
// began. It reads nothing but memory, and is not a state of one moment.
func (e *Engine) Transactions() []TransactionInfo {
	e.mu.Lock()
	defer e.mu.Unlock()
	var all []TransactionInfo
	for s := range e.sessions {
		o := s.shown.Load()
		if o == nil {
			continue
		}
		client := s.Client()
		t := TransactionInfo{
			ID: o.id.Load(), Connection: s.ID(), User: client.User, Host: client.Address, Started: o.started,
			Isolation: Isolation(o.isolation.Load()), ReadOnly: o.readOnly.Load(), RowsChanged: o.changed.Load(),
		}
		if text := s.statement.Load(); text != nil {
			t.Statement = *text
		}
		if at := o.snapshot.Load(); at != 0 {
			t.SnapshotTaken = time.Unix(0, at)
		}
		all = append(all, t)
	}
	slices.SortFunc(all, func(a, b TransactionInfo) int {
		return cmp.Or(a.Started.Compare(b.Started), cmp.Compare(a.Connection, b.Connection))
	})
	return all
}

// Connections are the connections by the transaction ids that their locks are held
// under, those of LOCK TABLES included.
func (e *Engine) Connections() map[uint64]uint32 {
	e.mu.Lock()
	defer e.mu.Unlock()
	all := map[uint64]uint32{}
	for s := range e.sessions {
		if o := s.shown.Load(); o != nil && o.id.Load() != 0 {
			all[o.id.Load()] = s.ID()
		}
		if id := s.shownTables.Load(); id != 0 {
			all[id] = s.ID()
		}
	}
	return all
}

// DeadlockReport describes the last deadlock with what was known of its
// transactions at the time.
type DeadlockReport struct {
	*kv.Deadlock
	// Members are the transactions of the waits, in their order; ID is 0 for one
	// that had gone.
	Members []DeadlockMember
}

// DeadlockMember is one transaction of a deadlock.
type DeadlockMember struct {
	TransactionInfo
	WaitsFor LockedObject
}

// LastDeadlock returns the report of the last deadlock, nil if there was none.
func (e *Engine) LastDeadlock() *DeadlockReport { return e.deadlock.Load() }

// noteDeadlock is called by the victim before it gives anything back: the others of
// the ring wait for it until then.
func (e *Engine) noteDeadlock(ctx *sql.Context, d *kv.Deadlock) {
	if d == nil {
		return
	}
	open := map[uint64]TransactionInfo{}
	for _, t := range e.Transactions() {
		open[t.ID] = t
	}
	names := e.LockNames()
	r := &DeadlockReport{Deadlock: d}
	for _, w := range d.Waits {
		r.Members = append(r.Members, DeadlockMember{TransactionInfo: open[w.Owner], WaitsFor: names.Describe(ctx, w.Key)})
	}
	e.deadlock.Store(r)
}
