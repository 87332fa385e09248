package memkv

import (
	"context"
	"crypto/rand"
	"sync"
	"sync/atomic"

	"github.com/freshetdb/freshet/vtab/kv"
	"github.com/freshetdb/freshet/vtab/kv/locks"
	"github.com/freshetdb/freshet/vtab/kv/recent"
)

const (
	// maxKeyBytes is more than the longest index key MySQL allows (3,072 bytes
	// per key, and its parts' overhead), so that only a fault meets it.
	maxKeyBytes = 64 << 10
	// maxValueBytes bounds one value, if the transaction's limit does not: the
	// largest packet a client may send.
	maxValueBytes = 1 << 30
	// DefaultMaxTxnBytes bounds the pending writes of one transaction.
	DefaultMaxTxnBytes = 1 << 30
)

// Options are the options of New.
type Options struct {
	// MaxTxnBytes is Caps.MaxTxnBytes; 0 means DefaultMaxTxnBytes.
	MaxTxnBytes int64
}

// Store is a kv.Store in memory.
type Store struct {
	maxTxnBytes   int64
	maxValueBytes int
	incarnation   [16]byte
	locks         *locks.Table
	current       atomic.Pointer[state]
	// section is held by whoever makes the next state.
	section sync.Mutex
	closed  chan struct{} // closed by Close, under section

	// recent is what commits have changed while a serializable transaction is open.
	recent recent.Log

	counts    counts
	snapshots snapshots
	times     sectionTimes
}

var _ kv.Store = (*Store)(nil)

// New returns an empty store.
func New(o Options) *Store {
	s := &Store{maxTxnBytes: o.MaxTxnBytes, locks: locks.New(), closed: make(chan struct{})}
	if s.maxTxnBytes == 0 {
		s.maxTxnBytes = DefaultMaxTxnBytes
	}
	s.maxValueBytes = int(min(maxValueBytes, s.maxTxnBytes))
	rand.Read(s.incarnation[:]) // never fails: the runtime ends the process instead
	s.current.Store(newState())
	return s
}

// Begin implements kv.Store.
func (s *Store) Begin(ctx context.Context) (kv.Txn, error) {
	if err := s.readable(context.WithoutCancel(ctx)); err != nil {
		return nil, err
	}
	return &txn{store: s}, nil
}

// readable is the check at the start of every call.
func (s *Store) readable(ctx context.Context) error {
	select {
	case <-s.closed:
		return kv.ErrClosed
	default:
		return ctx.Err()
	}
}

// change makes the next state from the latest and publishes it. The
// caller holds section.
func (s *Store) change(ctx context.Context, pos func(latest *state) kv.Position, fill func(latest, next *state) error) (*state, error) {
	if err := s.readable(ctx); err != nil {
		return nil, err
	}
	latest := s.current.Load()
	next := latest.next(pos(latest))
	if err := fill(latest, next); err != nil {
		return nil, err
	}
	s.current.Store(next)
	close(latest.superseded)
	return next, nil
}

func samePosition(latest *state) kv.Position { return latest.position }
func nextPosition(latest *state) kv.Position { return latest.position + 1 }

// DropRange implements kv.Store.
func (s *Store) DropRange(ctx context.Context, r kv.Range) error {
	s.section.Lock()
	defer s.section.Unlock()
	_, err := s.change(ctx, samePosition, func(_, next *state) error {
		next.drop(r)
		return nil
	})
	return err
}

// Applied implements kv.Store.
func (s *Store) Applied() kv.Position { return s.current.Load().position }

// Durable implements kv.Store.
func (s *Store) Durable() kv.Position { return s.Applied() }

// WaitDurable implements kv.Store.
func (s *Store) WaitDurable(ctx context.Context, pos kv.Position) error {
	for {
		if err := s.readable(ctx); err != nil {
			return err
		}
		latest := s.current.Load()
		if latest.position >= pos {
			return nil
		}
		select {
		case <-latest.superseded:
		case <-s.closed:
		case <-ctx.Done():
		}
	}
}

// Approximate implements kv.Store.
func (s *Store) Approximate(r kv.Range) (kv.Approximation, error) {
	if err := s.readable(context.Background()); err != nil {
		return kv.Approximation{}, err
	}
	return kv.Approximation{Bytes: s.current.Load().approximate(r)}, nil
}

// Incarnation implements kv.Store.
func (s *Store) Incarnation() [16]byte { return s.incarnation }

// Caps implements kv.Store.
func (s *Store) Caps() kv.Caps {
	return kv.Caps{
		MaxKeyBytes: maxKeyBytes, MaxValueBytes: s.maxValueBytes, MaxTxnBytes: s.maxTxnBytes,
		RangeDeleteInTxn: true, SerialCommit: true,
	}
}

// Locks implements kv.Store.
func (s *Store) Locks() []kv.LockInfo { return s.locks.Snapshot() }

// LastDeadlock implements kv.Store.
func (s *Store) LastDeadlock() *kv.Deadlock { return s.locks.LastDeadlock() }

// Err implements kv.Store. Nothing fails in memory.
func (s *Store) Err() error { return nil }

// Close implements kv.Store. A commit in its section ends first.
func (s *Store) Close() error {
	s.section.Lock()
	defer s.section.Unlock()
	select {
	case <-s.closed:
	default:
		close(s.closed)
	}
	return nil
}

// checkPair refuses keys and values over the limits.
func (s *Store) checkPair(key, value []byte) error {
	if len(key) > maxKeyBytes {
		return &kv.SizeError{What: "key", Size: int64(len(key)), Limit: maxKeyBytes}
	}
	if len(value) > s.maxValueBytes {
		return &kv.SizeError{What: "value", Size: int64(len(value)), Limit: int64(s.maxValueBytes)}
	}
	return nil
}
