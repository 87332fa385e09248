package pebblekv

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/freshetdb/freshet/vtab/kv"
)

// space says whether the disk has room for writes.
type space struct {
	full atomic.Bool
	free atomic.Uint64 // bytes at the last look, for the message
}

func (p *space) setFull() { p.full.Store(true) }

// err is nil or kv.ErrDiskFull with the figures.
func (p *space) err() error {
	if !p.full.Load() {
		return nil
	}
	return fmt.Errorf("%w: %d MiB are free and kept in reserve", kv.ErrDiskFull, p.free.Load()>>20)
}

// startWatching begins to watch the free space if the file system knows it.
func (s *Store) startWatching() {
	if s.options.ReserveBytes < 0 || !s.lookAtSpace() {
		return
	}
	s.workers.Go(func() {
		ticker := time.NewTicker(s.options.WatchEvery)
		defer ticker.Stop()
		for {
			select {
			case <-s.stop:
				return
			case <-ticker.C:
				s.lookAtSpace()
			}
		}
	})
}

// lookAtSpace compares the free space with the reserve and reports whether the
// file system knows its free space. Writing resumes only a quarter above the
// reserve, so that the state does not flicker.
func (s *Store) lookAtSpace() bool {
	usage, err := s.options.FS.GetDiskUsage(s.folder.path)
	if errors.Is(err, vfs.ErrUnsupported) {
		return false
	}
	log := s.options.Logger
	if err != nil {
		log.Error("the free disk space cannot be read", "error", err)
		return true
	}
	reserve := uint64(s.options.ReserveBytes)
	s.space.free.Store(usage.AvailBytes)
	switch full := s.space.full.Load(); {
	case !full && usage.AvailBytes < reserve:
		s.space.full.Store(true)
		log.Error("the disk is full: writes are refused", "free", usage.AvailBytes, "reserve", reserve)
	case full && usage.AvailBytes >= reserve+reserve/4:
		s.space.full.Store(false)
		log.Info("the disk has room again: writes are taken", "free", usage.AvailBytes)
	}
	return true
}
