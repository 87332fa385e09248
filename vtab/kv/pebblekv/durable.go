package pebblekv

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/freshetdb/freshet/vtab/kv"
)

// raiseDurable records that everything up to p is on stable storage: the log is
// written in the order of positions, so the sync that covered p covered all
// before it.
func (s *Store) raiseDurable(p kv.Position) {
	for {
		now := s.durable.Load()
		if now >= uint64(p) || s.durable.CompareAndSwap(now, uint64(p)) {
			return
		}
	}
}

// WaitDurable returns when everything up to pos is on stable storage.
func (s *Store) WaitDurable(ctx context.Context, pos kv.Position) error {
	if err := s.awaitApplied(ctx, pos); err != nil {
		return err
	}
	if s.Durable() >= pos {
		return nil
	}
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	return s.forceDurable()
}

// awaitApplied returns when pos is visible.
func (s *Store) awaitApplied(ctx context.Context, pos kv.Position) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		moved := s.progress.next() // before the look, so that no move is missed
		if s.Applied() >= pos {
			return nil
		}
		select {
		case <-moved:
		case <-ctx.Done():
		case <-s.stop:
			return kv.ErrClosed
		case <-s.latch.done:
			return s.latch.err()
		}
	}
}

// progress wakes those who wait for a commit.
type progress struct {
	waiting atomic.Bool // saves the commit a mutex when nobody waits
	mu      sync.Mutex
	moved   chan struct{} // closed at the next commit; nil if nobody waits
}

// next returns a channel that is closed by the next announce.
func (p *progress) next() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.moved == nil {
		p.moved = make(chan struct{})
		p.waiting.Store(true)
	}
	return p.moved
}

func (p *progress) announce() {
	if !p.waiting.Load() {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.moved != nil {
		close(p.moved)
		p.moved = nil
		p.waiting.Store(false)
	}
}

// forceDurable syncs the log and raises durable to what was applied before.
func (s *Store) forceDurable() error {
	if err := s.latch.err(); err != nil {
		return err
	}
	s.unsynced.Store(false) // before the sync: a write in between sets it again
	applied := s.Applied()
	if err := s.syncLog(); err != nil {
		s.unsynced.Store(true)
		return err
	}
	s.raiseDurable(applied)
	return nil
}

// syncRegularly is the background work of DurabilityInterval. It ends when the
// store stops, or fails.
func (s *Store) syncRegularly() {
	ticker := time.NewTicker(s.options.interval())
	defer ticker.Stop()
	for {
		select {
		case <-s.stop:
			return
		case <-s.latch.done:
			return
		case <-ticker.C:
			if !s.unsynced.Load() {
				continue
			}
			if err := s.forceDurable(); err != nil {
				s.options.Logger.Error("the regular sync failed", "error", err)
			}
		}
	}
}
