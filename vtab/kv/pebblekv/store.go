package pebblekv

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"

	"github.com/freshetdb/freshet/vtab/kv"
	"github.com/freshetdb/freshet/vtab/kv/locks"
	"github.com/freshetdb/freshet/vtab/kv/recent"
)

// Store is a kv.Store on Pebble. All methods are safe for concurrent use.
type Store struct {
	options Options
	folder  *folder
	guard   *guardFS
	latch   *latch
	health  io.Closer // the watcher of slow file operations; nil off disk
	db      *pebble.DB
	tables  sstable.WriterOptions // of table files made here
	locks   *locks.Table
	caps    kv.Caps

	// section is the commit section: whoever holds it is the only one to give
	// out positions and to apply transactions.
	section sync.Mutex
	// last is the newest position given out and reserved the newest that may be
	// without another reservation. Both are guarded by section.
	last, reserved kv.Position
	// stored is MetaReserved as it was when the store was opened.
	stored kv.Position

	// applied and durable are positions. applied is stored inside the section
	// after the batch has become visible; durable only grows, and only after a
	// sync that covers it returned while the latch was open.
	applied, durable atomic.Uint64
	// generation counts what has become visible: commits, bulk writes, dropped
	// ranges. A snapshot is current as long as generation is what it was before
	// the snapshot was taken.
	generation atomic.Uint64
	// bulkFiles numbers the table files of bulk loads.
	bulkFiles atomic.Uint64
	// unsynced is set by every write that nobody waits for.
	unsynced atomic.Bool

	// recent is what commits have changed while a serializable transaction is open.
	recent recent.Log

	progress  progress
	snapshots snapshots
	space     space
	counters  counters

	// users counts held snapshots, open iterators and calls that are under way.
	// Close waits for them; a transaction that only holds writes and locks does
	// not keep it.
	users   atomic.Int64
	closing atomic.Bool
	idle    chan struct{} // closed when closing is set and users reaches zero
	quiet   sync.Once     // closes idle
	stop    chan struct{} // closed to end the background goroutines
	workers sync.WaitGroup
	closed  sync.Once
}

var _ kv.Store = (*Store)(nil)

// Open opens the data folder dir, making it if it is absent or empty. It fails
// with kv.ErrLocked, kv.ErrNotOurs, kv.ErrNewerFormat or kv.ErrCorrupt, the
// first three before anything in the folder has been changed. The context
// bounds nothing but a store that was not reached yet.
func Open(ctx context.Context, dir string, o Options) (*Store, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	onDisk := o.onDisk()
	o = o.withDefaults()
	lock := lockOnFS
	if onDisk {
		lock = lockOnDisk
	}
	f, err := openFolder(o.FS, dir, lock)
	if err != nil {
		return nil, err
	}
	s := newStore(o, f)
	if err = s.openEngine(onDisk); err == nil {
		err = s.start()
	}
	if err != nil {
		// Whatever of Pebble is still running must not touch the folder again.
		s.latch.trip(err)
		return nil, errors.Join(err, s.letGo())
	}
	return s, nil
}

func newStore(o Options, f *folder) *Store {
	s := &Store{
		options: o, folder: f, locks: locks.New(),
		latch: newLatch(o.Logger),
		idle:  make(chan struct{}), stop: make(chan struct{}),
		caps: kv.Caps{
			MaxKeyBytes:      keyBytesMax,
			MaxValueBytes:    int(min(valueBytesMax, o.MaxTxnBytes)),
			MaxTxnBytes:      o.MaxTxnBytes,
			RangeDeleteInTxn: true,
			SerialCommit:     true,
		},
	}
	s.guard = &guardFS{FS: o.FS, root: f.storePath(), latch: s.latch, onFull: s.space.setFull}
	s.snapshots.store = s
	return s
}

// start reads where the store stands and begins the background work.
func (s *Store) start() error {
	position, err := s.readMeta(kv.MetaPosition)
	if err != nil {
		return err
	}
	reserved, err := s.readMeta(kv.MetaReserved)
	if err != nil {
		return err
	}
	// After a clean close the mark is the position itself. Otherwise anything up
	// to the mark may have been handed out by commits that are lost now.
	s.last = max(position, reserved)
	s.reserved, s.stored = s.last, reserved
	s.applied.Store(uint64(position))
	s.durable.Store(uint64(position))
	if err := s.folder.finish(); err != nil {
		return err
	}
	if s.options.Durability == kv.DurabilityInterval {
		s.workers.Go(s.syncRegularly)
	}
	s.startWatching()
	return nil
}

// enter registers a user of Pebble; it fails once Close has begun.
func (s *Store) enter() error {
	s.users.Add(1)
	if s.closing.Load() {
		s.leave()
		return kv.ErrClosed
	}
	return nil
}

func (s *Store) leave() {
	if s.users.Add(-1) == 0 && s.closing.Load() {
		s.quiet.Do(func() { close(s.idle) })
	}
}

// Begin starts a transaction.
func (s *Store) Begin(context.Context) (kv.Txn, error) {
	if s.closing.Load() {
		return nil, kv.ErrClosed
	}
	if err := s.latch.err(); err != nil {
		return nil, err
	}
	t := &txn{store: s}
	t.snapshotNow = txnReader{txn: t, stable: true}
	t.latestNow = txnReader{txn: t}
	return t, nil
}

// DropRange removes a range outside transactions. It is allowed when the disk
// is full: it is what makes room.
func (s *Store) DropRange(ctx context.Context, r kv.Range) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if empty(r) {
		return nil
	}
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	if err := s.latch.err(); err != nil {
		return err
	}
	b := s.db.NewBatch()
	defer s.release(b)
	if err := b.DeleteRange(r.Start, endOf(r), nil); err != nil {
		return translate(err)
	}
	return s.applyUnsynced(b)
}

// applyUnsynced makes a batch visible that no commit waits for.
func (s *Store) applyUnsynced(b *pebble.Batch) error {
	s.unsynced.Store(true)
	err := s.apply(b, false)
	s.generation.Add(1)
	if err != nil {
		return err
	}
	return s.latch.err()
}

// release gives a batch back. It has nothing left to fail with but misuse.
func (s *Store) release(b *pebble.Batch) {
	if err := b.Close(); err != nil {
		s.options.Logger.Error("releasing a batch", "error", err)
	}
}

// Applied is the position of the last visible commit.
func (s *Store) Applied() kv.Position { return kv.Position(s.applied.Load()) }

// Durable is the position of the last commit known to be on stable storage.
func (s *Store) Durable() kv.Position { return kv.Position(s.durable.Load()) }

// Approximate returns the size of the table files of a range; what is still in
// memory does not count.
func (s *Store) Approximate(r kv.Range) (kv.Approximation, error) {
	if empty(r) {
		return kv.Approximation{}, nil
	}
	if err := s.enter(); err != nil {
		return kv.Approximation{}, err
	}
	defer s.leave()
	size, err := s.db.EstimateDiskUsage(r.Start, endOf(r))
	return kv.Approximation{Bytes: size}, translate(err)
}

// Incarnation identifies this copy of the data.
func (s *Store) Incarnation() [16]byte { return s.folder.identity.incarnation }

// Caps are the limits and abilities.
func (s *Store) Caps() kv.Caps { return s.caps }

// Locks describes the lock table.
func (s *Store) Locks() []kv.LockInfo { return s.locks.Snapshot() }

// LastDeadlock is the report of the last deadlock.
func (s *Store) LastDeadlock() *kv.Deadlock { return s.locks.LastDeadlock() }

// Err is nil while the store is usable.
func (s *Store) Err() error { return s.latch.err() }

// Close waits for held snapshots, open iterators and calls under way, at most
// as long as Options.CloseWithin, makes everything durable and closes. If some
// are left, or the store has failed, Pebble is not closed but cut off from the
// folder, which is then free for the next to open.
func (s *Store) Close() error {
	var err error
	s.closed.Do(func() { err = s.close() })
	return err
}

func (s *Store) close() error {
	s.closing.Store(true)
	close(s.stop)
	s.workers.Wait()
	deadline := time.NewTimer(s.options.CloseWithin)
	defer deadline.Stop()
	unused := s.awaitUsers(deadline.C)
	err := s.latch.err()
	switch {
	case err != nil: // Pebble is not asked any more
	case unused:
		err = s.within(deadline.C, s.closeEngine)
	default:
		err = fmt.Errorf("%w: %d snapshots, iterators or calls are left", errInUse, s.users.Load())
		patience := time.NewTimer(s.options.CloseWithin) // the first is used up
		err = errors.Join(err, s.within(patience.C, s.settle))
		patience.Stop()
	}
	if err != nil {
		s.latch.trip(err)
	} else {
		s.latch.close() // Pebble is closed: this keeps late users away
	}
	return errors.Join(err, s.letGo())
}

// letGo frees the folder. The latch is tripped, so what may be left of Pebble
// writes to no file that matters; now it cannot make or remove one either.
func (s *Store) letGo() error {
	err := s.guard.sever(time.Now().Add(s.options.CloseWithin))
	if err != nil {
		return err // the folder stays locked
	}
	if s.health != nil {
		err = s.health.Close()
	}
	return errors.Join(err, s.folder.close())
}

// awaitUsers reports whether the last user has left before the deadline.
func (s *Store) awaitUsers(deadline <-chan time.Time) bool {
	if s.users.Load() == 0 {
		return true
	}
	select {
	case <-s.idle:
		return true
	case <-deadline:
		return false
	}
}

// within runs f on a goroutine of its own, as Pebble may never return, and waits
// for it until the deadline or until the store fails.
func (s *Store) within(deadline <-chan time.Time, f func() error) error {
	result := make(chan error, 1)
	go func() { result <- recovered(f) }()
	select {
	case err := <-result:
		if err == nil {
			err = s.latch.err() // what the guard kept from Pebble
		}
		return err
	case <-s.latch.done:
		return s.latch.err()
	case <-deadline:
		return errTimeout
	}
}

// recovered turns a panic of f into an error.
func recovered(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v", errPanicked, r)
			if cause, ok := r.(error); ok {
				err = fmt.Errorf("%w: %w", errPanicked, cause)
			}
		}
	}()
	return f()
}

// settle makes durable what was written and, if positions were given out since
// the store was opened, says that those reserved beyond will never be.
func (s *Store) settle() error {
	s.section.Lock()
	defer s.section.Unlock()
	if s.reserved > s.stored {
		if err := s.writeReserved(s.last); err != nil {
			return err
		}
	} else if s.unsynced.Load() {
		if err := s.syncLog(); err != nil {
			return err
		}
	}
	return nil
}
