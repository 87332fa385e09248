package kv

import (
	"errors"
	"fmt"
)

// Opening.
var (
	// ErrLocked: another process has the store open.
	ErrLocked = errors.New("the data folder is in use by another process")
	// ErrNotOurs: the folder holds something that is not a Freshet store.
	ErrNotOurs = errors.New("the folder is not a Freshet data folder")
	// ErrNewerFormat: the store was written by a newer version.
	ErrNewerFormat = errors.New("the data folder was written by a newer version")
	// ErrCorrupt: stored bytes are damaged.
	ErrCorrupt = errors.New("stored data is damaged")
)

// Reading and writing.
var (
	// ErrNotFound: there is no such key.
	ErrNotFound = errors.New("key not found")
	// ErrClosed: the store is closed.
	ErrClosed = errors.New("the store is closed")
	// ErrDone: the transaction has ended.
	ErrDone = errors.New("the transaction has ended")
	// ErrDiskFull: the disk reserve is used up; reads go on, writes are refused
	// until there is space again.
	ErrDiskFull = errors.New("the disk is full")
	// ErrUnsupported: the engine lacks the ability (see Caps).
	ErrUnsupported = errors.New("not supported by this storage engine")
)

// ErrOutcomeUnknown: the batch was applied but its durability could not be
// established. After a reopen the transaction is whole or absent.
var ErrOutcomeUnknown = errors.New("the outcome of the commit is unknown")

// FailedError says that the store has stopped taking writes and new snapshots,
// and why. Only a reopen helps.
type FailedError struct{ Cause error }

func (e *FailedError) Error() string {
	return fmt.Sprintf("the store has stopped after a failure and must be reopened: %v", e.Cause)
}
func (e *FailedError) Unwrap() error { return e.Cause }

// SizeError says that a key, value or transaction exceeds a limit of Caps.
type SizeError struct {
	What  string // "key", "value" or "transaction"
	Size  int64
	Limit int64
}

func (e *SizeError) Error() string {
	return fmt.Sprintf("%s of %d bytes exceeds the limit of %d", e.What, e.Size, e.Limit)
}

// ConflictError says that a transaction cannot commit because what it has read was
// changed by another one that committed since. Nothing of it is visible; the
// caller may run it again.
type ConflictError struct {
	Key []byte // a key that was read and has been changed; nil if TooOld
	// TooOld: the transaction was open for so long that it is no longer known what
	// was changed since it began.
	TooOld bool
}

func (e *ConflictError) Error() string {
	if e.TooOld {
		return "more was committed since the transaction began than can be compared with what it has read"
	}
	return fmt.Sprintf("key %x was read and has been changed by another transaction since", e.Key)
}

// LockReason says why a lock was not granted.
type LockReason uint8

const (
	// LockBusy: held by another transaction and the request would not wait.
	LockBusy LockReason = iota + 1
	// LockTimeout: the wait took longer than the request allowed.
	LockTimeout
	// LockDeadlock: this transaction was chosen as the victim of a deadlock.
	LockDeadlock
	// LockTooMany: the transaction holds as many locks as one may.
	LockTooMany
)

// LockError is a lock that was not granted. A wait that ends because its
// context ends is the context's error instead.
type LockError struct {
	Reason LockReason
	Key    []byte
	// Deadlock is the report, for LockDeadlock only.
	Deadlock *Deadlock
}

func (e *LockError) Error() string {
	what := map[LockReason]string{
		LockBusy: "is held by another transaction", LockTimeout: "was not granted in time",
		LockDeadlock: "would close a deadlock", LockTooMany: "is one more than a transaction may hold",
	}[e.Reason]
	return fmt.Sprintf("lock on key %x %s", e.Key, what)
}
