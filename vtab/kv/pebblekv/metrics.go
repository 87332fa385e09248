package pebblekv

import (
	"math/bits"
	"sync/atomic"
	"time"

	"github.com/freshetdb/freshet/vtab/kv"
)

// counters are counted since open.
type counters struct {
	commits, bytesWritten    atomic.Uint64
	gets, seeks, keysScanned atomic.Uint64
	section                  histogram
}

// sectionSince records a stay in the commit section.
func (c *counters) sectionSince(entered time.Time) { c.section.record(time.Since(entered)) }

// Metrics returns the counters.
func (s *Store) Metrics() kv.Metrics {
	count, oldest := s.snapshots.held()
	lock := s.locks.Counters()
	return kv.Metrics{
		Commits:        s.counters.commits.Load(),
		Syncs:          s.guard.walSyncs.Load(),
		BytesWritten:   s.counters.bytesWritten.Load(),
		Gets:           s.counters.gets.Load(),
		Seeks:          s.counters.seeks.Load(),
		KeysScanned:    s.counters.keysScanned.Load(),
		OpenSnapshots:  count,
		OldestSnapshot: oldest,
		LockWaits:      lock.Waits,
		Deadlocks:      lock.Deadlocks,
		SectionSeconds: s.counters.section.quantile,
		DiskFull:       s.space.full.Load(),
	}
}

// histogram counts durations in buckets that are an eighth of their value wide:
// three bits below the leading one choose the bucket. 64 * 8 buckets hold every
// duration.
type histogram struct {
	buckets [64 * 8]atomic.Uint64
}

const subBits = 3

func bucketOf(ns uint64) int {
	if ns < 1<<subBits {
		return int(ns)
	}
	high := bits.Len64(ns) - 1 // at least subBits
	return (high-subBits+1)<<subBits + int(ns>>(high-subBits))&(1<<subBits-1)
}

// bucketTop is the smallest value beyond a bucket.
func bucketTop(bucket int) uint64 {
	if bucket < 1<<subBits {
		return uint64(bucket) + 1
	}
	shift := bucket>>subBits - 1
	return (1<<subBits + uint64(bucket)&(1<<subBits-1) + 1) << shift
}

func (h *histogram) record(d time.Duration) {
	h.buckets[bucketOf(uint64(max(d, 0)))].Add(1)
}

// quantile returns the upper end, in seconds, of the bucket that holds the given
// quantile (0 to 1), and 0 if nothing was recorded.
func (h *histogram) quantile(q float64) float64 {
	var counts [len(h.buckets)]uint64
	total := uint64(0)
	for i := range h.buckets {
		counts[i] = h.buckets[i].Load()
		total += counts[i]
	}
	if total == 0 {
		return 0
	}
	rank := min(uint64(q*float64(total)), total-1)
	for i, n := range counts {
		if rank < n {
			return time.Duration(bucketTop(i)).Seconds()
		}
		rank -= n
	}
	return 0 // not reached: the ranks add up to total
}
