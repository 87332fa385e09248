package pebblekv

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/freshetdb/freshet/vtab/kv"
)

const (
	// slowFileOperation is from when on a file operation is reported as slow.
	slowFileOperation = 5 * time.Second

	// flushFailuresMax is after how many flushes in a row that failed for
	// another reason than a full disk the store gives up: the memory tables
	// fill and commits would come to wait for ever.
	flushFailuresMax = 20
)

// openEngine opens Pebble in the folder.
func (s *Store) openEngine(onDisk bool) error {
	e := s.options.engineOptions()
	e.Logger = engineLogger{log: s.options.Logger, latch: s.latch}
	e.EventListener = s.listener()
	e.FS = s.guard
	if onDisk {
		e.FS, s.health = vfs.WithDiskHealthChecks(s.guard, slowFileOperation, nil, e.EventListener.DiskSlow)
	}
	e.ErrorIfExists = s.folder.created
	e.ErrorIfNotExists = !s.folder.created
	e.CacheSize = s.options.CacheBytes
	e.EnsureDefaults() // table files made here are to be as Pebble makes them
	path := s.folder.storePath()

	// Pebble may stop in the middle for ever, hence within.
	err := s.within(nil, func() error {
		if err := s.guard.MkdirAll(path, 0o750); err != nil {
			return err
		}
		db, err := pebble.Open(path, e)
		if err != nil {
			return err
		}
		s.db, s.tables = db, e.MakeWriterOptions(0, db.TableFormat())
		return nil
	})
	var failed *kv.FailedError
	if errors.As(err, &failed) {
		err = failed.Cause
	}
	if err != nil && errors.Is(err, fs.ErrNotExist) && !s.folder.created {
		err = fmt.Errorf("%w: %w: %w", kv.ErrCorrupt, errIncomplete, err)
	}
	if err != nil {
		return fmt.Errorf("opening %s: %w", path, translate(err))
	}
	return nil
}

// closeEngine makes everything durable and closes Pebble, which waits for its
// flushes and compactions.
func (s *Store) closeEngine() error {
	if err := s.settle(); err != nil {
		return err
	}
	s.snapshots.close()
	return translate(s.db.Close())
}

// listener turns Pebble's events into log records and failures.
func (s *Store) listener() *pebble.EventListener {
	log := s.options.Logger
	flushFailures := 0 // flushes run one at a time
	l := &pebble.EventListener{
		BackgroundError: func(err error) {
			if !s.latch.tripped() {
				log.Error("a flush or compaction failed and will be repeated", "error", err)
			}
		},
		DataCorruption: func(info pebble.DataCorruptionInfo) {
			log.Error("stored data is damaged", "file", info.Path, "error", info.Details)
		},
		WALCreated: func(info pebble.WALCreateInfo) {
			if info.Err == nil {
				s.noteLog(uint64(info.FileNum))
			}
		},
		DiskSlow: func(info pebble.DiskSlowInfo) {
			log.Warn("a file operation is slow", "file", info.Path, "operation", info.OpType, "duration", info.Duration)
		},
		WriteStallBegin: func(info pebble.WriteStallBeginInfo) {
			log.Warn("writes wait for a flush or compaction", "reason", info.Reason)
		},
		WriteStallEnd: func() { log.Warn("writes go on") },
		FlushEnd: func(info pebble.FlushInfo) {
			switch {
			case info.Err == nil:
				flushFailures = 0
			case !vfs.IsNoSpaceError(info.Err):
				if flushFailures++; flushFailures == flushFailuresMax {
					s.latch.trip(fmt.Errorf("memory tables cannot be written: %w", info.Err))
				}
			}
		},
	}
	l.EnsureDefaults(nil)
	return l
}

// noteLog writes down that there is a new log, before a commit is written to it.
func (s *Store) noteLog(number uint64) {
	if s.latch.tripped() {
		return // the log exists in memory only
	}
	defer s.guard.pass()()
	if err := s.folder.noteLog(number); err != nil {
		if vfs.IsNoSpaceError(err) {
			s.space.setFull()
		}
		s.latch.trip(err)
	}
}

// apply hands a batch to Pebble. If it returns nil the batch is visible; under
// sync the caller must then wait for it (pebble.Batch.SyncWait). An error means
// that nothing was written, unless the latch is tripped too.
func (s *Store) apply(b *pebble.Batch, sync bool) error {
	err := recovered(func() error {
		if sync {
			return s.db.ApplyNoSyncWait(b, pebble.Sync)
		}
		return s.db.Apply(b, pebble.NoSync)
	})
	if errors.Is(err, errPanicked) {
		// The panic may have left Pebble's commit mutex locked; nobody comes
		// here again once the latch is tripped.
		s.latch.trip(err)
	}
	return translate(err)
}

// writeSynced applies a batch and waits until it is durable.
func (s *Store) writeSynced(b *pebble.Batch) error {
	if err := s.apply(b, true); err != nil {
		return err
	}
	if err := b.SyncWait(); err != nil {
		s.latch.trip(err)
	}
	return s.latch.err()
}

// syncLog forces a sync of the write-ahead log by a record without content.
func (s *Store) syncLog() error {
	b := s.db.NewBatch()
	defer s.release(b)
	if err := b.LogData(nil, nil); err != nil {
		return err
	}
	return s.writeSynced(b)
}

// readMeta reads a meta key that holds a position; an absent one is zero.
func (s *Store) readMeta(key []byte) (kv.Position, error) {
	value, err := s.get(s.db, key)
	if errors.Is(err, kv.ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	position, err := kv.DecodePosition(value)
	if err != nil {
		return 0, fmt.Errorf("meta key %x: %w", key, err)
	}
	return position, nil
}

// read is one counted Get of a user of the store.
func (s *Store) read(from pebble.Reader, key []byte) ([]byte, error) {
	if err := s.enter(); err != nil {
		return nil, err
	}
	defer s.leave()
	s.counters.gets.Add(1)
	return s.get(from, key)
}

// get reads a key from Pebble and copies the value.
func (s *Store) get(from pebble.Reader, key []byte) ([]byte, error) {
	value, closer, err := from.Get(key)
	if err != nil {
		return nil, translate(err)
	}
	own := make([]byte, len(value))
	copy(own, value)
	return own, translate(closer.Close())
}
