package pebblekv

import (
	"log/slog"
	"sync/atomic"

	"github.com/freshetdb/freshet/vtab/kv"
)

// latch is the one-way failure switch of a store. It is tripped by the first
// error after which the engine can no longer promise that what it holds in
// memory will be found on disk.
type latch struct {
	log   *slog.Logger
	cause atomic.Pointer[kv.FailedError]
	done  chan struct{} // closed when tripped
}

func newLatch(log *slog.Logger) *latch {
	return &latch{log: log, done: make(chan struct{})}
}

// trip switches the latch; only the first cause counts.
func (l *latch) trip(cause error) {
	failure := &kv.FailedError{Cause: translate(cause)}
	if !l.cause.CompareAndSwap(nil, failure) {
		return
	}
	close(l.done)
	l.log.Error("the store stops taking writes; reopen it after the cause is removed", "cause", cause)
}

// close switches the latch after an orderly end, without a word.
func (l *latch) close() {
	if l.cause.CompareAndSwap(nil, &kv.FailedError{Cause: kv.ErrClosed}) {
		close(l.done)
	}
}

// tripped reports whether the store has failed.
func (l *latch) tripped() bool { return l.cause.Load() != nil }

// err is nil or the *kv.FailedError.
func (l *latch) err() error {
	if f := l.cause.Load(); f != nil {
		return f
	}
	return nil
}
