package memkv

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/freshetdb/freshet/vtab/kv"
)

// sectionSamples is how many of the last commits SectionSeconds knows.
const sectionSamples = 1024

type counts struct {
	commits, bytesWritten, gets, seeks, keysScanned atomic.Uint64
}

// snapshots notes since when transactions hold a snapshot.
type snapshots struct {
	mu    sync.Mutex
	since map[*txn]time.Time
}

func (s *snapshots) open(t *txn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.since == nil {
		s.since = make(map[*txn]time.Time)
	}
	s.since[t] = time.Now()
}

func (s *snapshots) close(t *txn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.since, t)
}

// summary is the number of open snapshots and the age of the oldest.
func (s *snapshots) summary() (int, time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var oldest time.Duration
	for _, since := range s.since {
		oldest = max(oldest, time.Since(since))
	}
	return len(s.since), oldest
}

// sectionTimes is a ring of the last section times.
type sectionTimes struct {
	mu   sync.Mutex
	ring [sectionSamples]time.Duration
	n    int
}

func (s *sectionTimes) add(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ring[s.n%sectionSamples] = d
	s.n++
}

// quantile returns seconds; q is from 0 to 1.
func (s *sectionTimes) quantile(q float64) float64 {
	s.mu.Lock()
	known := slices.Clone(s.ring[:min(s.n, sectionSamples)])
	s.mu.Unlock()
	if len(known) == 0 {
		return 0
	}
	slices.Sort(known)
	i := int(math.Ceil(min(max(q, 0), 1)*float64(len(known)))) - 1
	return known[max(i, 0)].Seconds()
}

// Metrics implements kv.Store.
func (s *Store) Metrics() kv.Metrics {
	open, oldest := s.snapshots.summary()
	l := s.locks.Counters()
	return kv.Metrics{
		Commits: s.counts.commits.Load(), BytesWritten: s.counts.bytesWritten.Load(),
		Gets: s.counts.gets.Load(), Seeks: s.counts.seeks.Load(), KeysScanned: s.counts.keysScanned.Load(),
		OpenSnapshots: open, OldestSnapshot: oldest,
		LockWaits: l.Waits, Deadlocks: l.Deadlocks,
		SectionSeconds: s.times.quantile,
	}
}
