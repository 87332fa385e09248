package kv

import (
	"bytes"
	"context"
	"time"
)

// Position names one commit for ever. Positions grow by at least one from each
// commit to the next; an unclean open may skip some. Zero is the empty store.
type Position uint64

// Range is the half-open key range [Start, End). A nil End is the end of the
// key space.
type Range struct {
	Start, End []byte
}

// Contains reports whether key lies in the range.
func (r Range) Contains(key []byte) bool {
	return bytes.Compare(key, r.Start) >= 0 && (r.End == nil || bytes.Compare(key, r.End) < 0)
}

// ScanOptions says how to walk a range.
type ScanOptions struct {
	Reverse  bool // from the last key to the first
	KeysOnly bool // values are not asked for; an engine may skip fetching them
}

// Reader is a consistent view of the store. A Reader is used by one goroutine
// at a time.
type Reader interface {
	// Get returns the value of key, or ErrNotFound. The slice is the caller's.
	Get(ctx context.Context, key []byte) ([]byte, error)
	// Scan walks r. It never fails itself: a failure to open is the iterator's
	// first Err. The view is fixed when Scan is called: writes made afterwards
	// through the same transaction are not seen.
	Scan(ctx context.Context, r Range, o ScanOptions) Iterator
}

// Iterator walks the keys of a range. It starts before the first key.
type Iterator interface {
	// Next moves on and reports whether there is a key. False means the end or
	// a failure: Err tells which.
	Next() bool
	// SeekTo repositions the iterator to walk r from its beginning, in the same
	// direction and on the same view. It exists because opening an iterator
	// costs more than moving one.
	SeekTo(r Range)
	// Key and Value are valid until the next call to Next, SeekTo or Close.
	Key() []byte
	Value() ([]byte, error)
	Err() error
	Close() error
}

// Mark is a moment in a transaction's own writes. Marks are cheap, immutable,
// and belong to the transaction that made them. Now means all own writes at the
// time of each Get and each Scan: a Reader made with Now follows the writes made
// after it. A mark stays readable after RollbackTo an earlier one.
type Mark any

// Now is the Mark of the present moment.
var Now Mark

// Writer takes changes. Key and value are copied.
type Writer interface {
	Put(key, value []byte) error
	Delete(key []byte) error
	// DeleteRange removes every key of r. Only where Caps.RangeDeleteInTxn; it
	// covers what was committed before this transaction commits, not the
	// transaction's own Puts, whichever came first.
	DeleteRange(r Range) error
}

// Txn is one transaction. It is used by one goroutine at a time. A Txn that
// never reads, writes or locks costs nothing and needs no Rollback.
type Txn interface {
	Writer

	// Snapshot returns the transaction's snapshot merged with its own writes up
	// to at. The snapshot is taken at the first call (transactions that begin
	// at one position share it) and kept until ResetSnapshot or the end.
	Snapshot(at Mark) (Reader, error)
	// Latest returns the latest committed state merged with the transaction's
	// own writes up to at. Each Get and each Scan sees what is committed when
	// it is called.
	Latest(at Mark) Reader
	// ResetSnapshot drops the snapshot: the next Snapshot takes a new one.
	// Readers handed out before must no longer be used.
	ResetSnapshot()

	// Lock acquires a lock until the transaction ends. Asking again for what is
	// held is free. Fails with *LockError.
	Lock(ctx context.Context, req LockRequest) error
	// Locked reports the strongest mode in which the transaction holds key
	// (LockNone if not at all).
	Locked(key []byte) LockMode
	// LockCount is the number of keys that the transaction has locked.
	LockCount() int
	// Blockers returns the ids of the other transactions that hold key in a mode
	// that excludes mode.
	Blockers(key []byte, mode LockMode) []uint64
	// Unlock drops what the transaction holds of key before its end: for a key
	// that was locked to be looked at and turned out not to matter. Nothing
	// happens if it is not held.
	Unlock(key []byte)
	// SetDefeats says how often in a row what the transaction does has been tried
	// before and was the victim of a deadlock, so that it becomes less likely to be
	// that again.
	SetDefeats(n int)
	// ID names the transaction in LockInfo. It is not 0 and unique since open.
	ID() uint64

	// Watch makes the store remember what is committed from now on until the
	// transaction ends, so that Commit can look whether that changes what the
	// transaction has read since (CommitOptions.Reads). It comes before the first
	// such read, Snapshot included. A second call does nothing.
	Watch() error

	// Savepoint marks the present moment of the own writes.
	Savepoint() Mark
	// RollbackTo undoes own writes made after m. Locks are kept.
	RollbackTo(m Mark)
	// Size is the number of bytes of the pending writes, keys and values.
	Size() int64
	// Dirty reports whether there are pending writes.
	Dirty() bool

	// Commit makes the pending writes durable and visible as one atomic batch
	// and releases locks and snapshot. A transaction without pending writes
	// commits without a batch and without Hook and Published, but what it has read
	// is validated if it brings Reads; its Position is 0.
	// Whatever the result, the transaction has ended. On any error but
	// ErrOutcomeUnknown nothing of the transaction is visible, now or later.
	// From entering the section a commit ignores ctx.
	Commit(ctx context.Context, o CommitOptions) (Position, error)
	// Rollback drops everything. It is idempotent and allowed after Commit.
	Rollback()
}

// Durability says what a commit waits for.
type Durability uint8

const (
	// DurabilityDefault is the store's setting.
	DurabilityDefault Durability = iota
	// DurabilityCommit waits until the batch is on stable storage.
	DurabilityCommit
	// DurabilityInterval leaves syncing to a timer (about once a second).
	DurabilityInterval
	// DurabilityNone leaves syncing to the engine.
	DurabilityNone
)

// CommitHook runs inside the commit section. latest is the committed state
// without the transaction's own writes; w adds to the batch; pos is the position
// the commit will have. An error fails the commit and leaves nothing behind.
type CommitHook func(latest Reader, w Writer, pos Position) error

// CommitOptions are the options of one commit.
type CommitOptions struct {
	Durability Durability
	// Reads is what must be unchanged since it was read: the commit fails with
	// *ConflictError if another one has changed it. Nil for nothing. Only after
	// Watch.
	Reads *ReadSet
	// Hook runs inside the section, before the batch is applied. Nil is allowed.
	Hook CommitHook
	// Published runs inside the section right after the batch has become
	// visible and before the next commit; it must be quick and cannot fail.
	// Locks are still held. Nil is allowed.
	Published func(pos Position)
}

// LockMode is the strength of a lock. Modes combine as in the usual hierarchy
// of granular locks (Gray et al., "Granularity of Locks and Degrees of
// Consistency in a Shared Data Base", 1976): intention modes are for
// containers (tables), S and X for both.
type LockMode uint8

const (
	LockNone LockMode = iota
	LockIS            // shared locks are held below
	LockIX            // exclusive locks are held below
	LockS
	LockSU // share-update: excludes SU and X, so other builds and DDL, but no reader and no writer
	LockX
)

// String is the usual short name of the mode.
func (m LockMode) String() string {
	switch m {
	case LockIS:
		return "IS"
	case LockIX:
		return "IX"
	case LockS:
		return "S"
	case LockSU:
		return "SU"
	case LockX:
		return "X"
	}
	return "none"
}

// LockRequest asks for one lock.
type LockRequest struct {
	Key  []byte
	Mode LockMode
	// Wait bounds the wait: 0 fails at once with LockBusy, below 0 waits
	// without bound (until ctx ends or a deadlock).
	Wait time.Duration
}

// Store is an ordered key-value store.
type Store interface {
	// Begin starts a transaction. It fails only when the store is closed or has
	// failed (ErrClosed, *FailedError).
	Begin(ctx context.Context) (Txn, error)
	// Bulk returns a writer that bypasses transactions: what it writes is
	// visible at once, unordered with commits except that a later commit's
	// durability covers it, and must lie in ranges that nobody else names yet.
	Bulk(ctx context.Context) (Bulk, error)
	// DropRange removes a range outside transactions. Idempotent, may be lazy.
	// Nobody may still read it at the latest state; open snapshots keep it.
	DropRange(ctx context.Context, r Range) error

	// Applied is the position of the last visible commit, Durable that of the
	// last commit known to be on stable storage. Durable <= Applied.
	Applied() Position
	Durable() Position
	// WaitDurable returns when Durable() >= pos, forcing a sync if none is under way.
	WaitDurable(ctx context.Context, pos Position) error

	// Approximate returns a rough size of a range.
	Approximate(r Range) (Approximation, error)
	// Incarnation identifies this copy of the data: a restored backup has
	// another.
	Incarnation() [16]byte
	Caps() Caps
	// Locks describes the lock table, for system tables and reports.
	Locks() []LockInfo
	// LastDeadlock is the report of the last deadlock, nil if there was none.
	LastDeadlock() *Deadlock
	Metrics() Metrics
	// Err is nil while the store is usable, else the *FailedError.
	Err() error
	// Close flushes and closes; nil means that everything reached stable
	// storage. A second Close does nothing.
	Close() error
}

// Bulk writes outside transactions, in chunks of bounded memory.
type Bulk interface {
	// Put copies key and value. Keys may come in any order.
	Put(key, value []byte) error
	// Flush hands everything to the engine. What was flushed is durable no
	// later than the next commit that waits.
	Flush() error
	// Bytes is about how much memory the writer holds.
	Bytes() int
	// Close drops what was not flushed.
	Close()
}

// Approximation is a rough size.
type Approximation struct {
	Bytes uint64 // on disk, after compression
}

// Caps are an engine's limits and abilities.
type Caps struct {
	MaxKeyBytes   int   // a longer key is refused with *SizeError
	MaxValueBytes int   // a longer value is refused with *SizeError
	MaxTxnBytes   int64 // a transaction that grows past it is refused with *SizeError (MySQL 1197)
	// RangeDeleteInTxn: Writer.DeleteRange works inside a commit.
	RangeDeleteInTxn bool
	// SerialCommit: hooks run one after the other in commit order.
	SerialCommit bool
}

// Metrics are counters since open, for tests, system tables and monitoring.
type Metrics struct {
	Commits        uint64 // commits that applied a batch
	Syncs          uint64 // syncs of the write-ahead log that were asked for
	BytesWritten   uint64 // logical bytes of committed batches
	Gets, Seeks    uint64 // reads that reached the engine
	KeysScanned    uint64
	OpenSnapshots  int
	OldestSnapshot time.Duration // age of the oldest open snapshot
	LockWaits      uint64
	Deadlocks      uint64
	SectionSeconds func(quantile float64) float64 // time spent inside the commit section
	DiskFull       bool                           // writes are refused for lack of space
}

// LockInfo describes one lock, or one wait for a lock.
type LockInfo struct {
	Key     []byte
	Mode    LockMode
	Owner   uint64 // transaction id
	Waiting bool
	Since   time.Time
	// BlockedBy are the owners a waiter waits for.
	BlockedBy []uint64
}
