package pebblekv

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/wal"
)

// Checkpoint writes a data folder at dir, which must not exist, that holds the
// state of one moment: every commit up to some position that is applied at some
// time during the call, and none after. Table files are hard links where the
// file system allows it. The copy is another incarnation. Commits go on
// meanwhile.
func (s *Store) Checkpoint(ctx context.Context, dir string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	if err := s.latch.err(); err != nil {
		return err
	}
	fsys := s.options.FS
	if _, err := fsys.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("writing a copy to %s: %w", dir, errors.Join(fs.ErrExist, err))
	}
	if err := fsys.MkdirAll(dir, 0o750); err != nil {
		return fmt.Errorf("writing a copy: %w", err)
	}
	f := &folder{fs: fsys, path: dir, created: true}
	if err := f.draft(); err != nil {
		return err
	}
	// Pebble panics, without a mutex held, if the copy's folder cannot be synced.
	err := recovered(func() error { return s.db.Checkpoint(f.storePath(), pebble.WithFlushedWAL()) })
	if err != nil {
		return fmt.Errorf("writing a copy to %s: %w", dir, translate(err))
	}
	if err := s.latch.err(); err != nil {
		return err // what was copied may lack what the latch has kept back
	}
	// The copy may hold logs; as in any folder, it is known which is the newest.
	logs, err := wal.Scan(wal.Dir{FS: fsys, Dirname: f.storePath()})
	if err == nil && len(logs) > 0 {
		err = f.noteLog(uint64(logs[len(logs)-1].Num))
	}
	if err != nil {
		return fmt.Errorf("writing a copy to %s: %w", dir, err)
	}
	return f.finish()
}
