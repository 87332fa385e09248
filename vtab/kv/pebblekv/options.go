package pebblekv

import (
	"log/slog"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/freshetdb/freshet/vtab/kv"
)

// Limits. Each is what Pebble can take with room to spare.
const (
	// keyBytesMax: an index key of MySQL has at most 3072 bytes before
	// weights and escapes; a longer one than this only bloats every index block.
	keyBytesMax = 64<<10 - 1
	// valueBytesMax: MySQL's largest packet, hence value, is 1 GiB.
	valueBytesMax = 1 << 30
	// txnBytesMaxDefault bounds a transaction where memory does not.
	txnBytesMaxDefault = 1 << 30
	// batchBytesMax bounds a batch including what the commit hook adds: Pebble
	// panics at 4 GiB.
	batchBytesMax = 7 << 29 // 3.5 GiB
)

// Sizes.
const (
	cacheBytesMin = 8 << 20
	cacheBytesMax = 8 << 30 // beyond it the file cache of the system serves as well

	memTableBytesMin = 4 << 20
	memTableBytesMax = 64 << 20

	// What a store on a file system in memory gets: tests open thousands.
	smallCacheBytes    = 1 << 20
	smallMemTableBytes = 4 << 20
)

const (
	intervalDefault    = time.Second // as innodb_flush_log_at_trx_commit = 2 has it
	watchEveryDefault  = 500 * time.Millisecond
	closeWithinDefault = time.Minute
)

// Options are the settings of a store. The zero value is right for a server on
// this machine's disk.
type Options struct {
	// FS is the file system, nil the machine's.
	FS vfs.FS
	// Durability is what DurabilityDefault means; itself defaulting to
	// DurabilityCommit.
	Durability kv.Durability
	// IntervalMS is the time between syncs under DurabilityInterval, in
	// milliseconds. 0 is one second.
	IntervalMS int
	// CacheBytes is the size of the block cache. 0 is a quarter of memory on
	// disk, 1 MiB on a file system in memory.
	CacheBytes int64
	// MemTableBytes is the size of one memory table. 0 is 1/64 of memory, from 4
	// to 64 MiB, on disk; 4 MiB on a file system in memory.
	MemTableBytes int64
	// MaxTxnBytes bounds a transaction's pending writes. 0 is an eighth of
	// memory, at most 1 GiB.
	MaxTxnBytes int64
	// ReserveBytes of free disk space are kept: below, writes are refused with
	// kv.ErrDiskFull. 0 is what Pebble may still have to write of what it holds
	// in memory; below 0 nothing is watched.
	ReserveBytes int64
	// WatchEvery is the time between looks at the free space. 0 is half a second.
	WatchEvery time.Duration
	// CloseWithin bounds Close. 0 is a minute.
	CloseWithin time.Duration
	// Logger receives what happens. Nil discards it.
	Logger *slog.Logger
}

// withDefaults fills in what the caller left open.
func (o Options) withDefaults() Options {
	onDisk := o.onDisk()
	memory := MachineMemory()
	if o.FS == nil {
		o.FS = vfs.Default
	}
	if o.Durability == kv.DurabilityDefault {
		o.Durability = kv.DurabilityCommit
	}
	if o.CacheBytes <= 0 {
		o.CacheBytes = smallCacheBytes
		if onDisk {
			o.CacheBytes = max(cacheBytesMin, min(memory/4, cacheBytesMax))
		}
	}
	if o.MemTableBytes <= 0 {
		o.MemTableBytes = smallMemTableBytes
		if onDisk {
			o.MemTableBytes = max(memTableBytesMin, min(memory/64, memTableBytesMax))
		}
	}
	if o.MaxTxnBytes <= 0 {
		o.MaxTxnBytes = min(txnBytesMaxDefault, memory/8)
	}
	o.MaxTxnBytes = min(o.MaxTxnBytes, batchBytesMax/hookFactor)
	if o.ReserveBytes == 0 {
		// Two memory tables on their way to table files, the log of a third, and
		// as much again for what is written between two looks at the disk.
		o.ReserveBytes = 6 * o.MemTableBytes
	}
	if o.WatchEvery <= 0 {
		o.WatchEvery = watchEveryDefault
	}
	if o.CloseWithin <= 0 {
		o.CloseWithin = closeWithinDefault
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

func (o Options) onDisk() bool { return o.FS == nil || o.FS == vfs.Default }

func (o Options) interval() time.Duration {
	if o.IntervalMS <= 0 {
		return intervalDefault
	}
	return time.Duration(o.IntervalMS) * time.Millisecond
}

// engineOptions are Pebble's settings. Where nothing is said, Pebble's default
// is meant.
func (o Options) engineOptions() *pebble.Options {
	e := &pebble.Options{
		// The newest: its log chunks carry an offset synced so far, one of the
		// two that tell a torn tail from damage (history.go).
		FormatMajorVersion: pebble.FormatNewest,
		MemTableSize:       uint64(o.MemTableBytes),
		// Writes stop when this many memory tables wait for the flush; two would
		// stop a bulk load at every one.
		MemTableStopWritesThreshold: 4,
		// Compact L0 early, reads pay for each of its sublevels; stop writes
		// late, a stop blocks the commit section.
		L0CompactionThreshold: 2,
		L0StopWritesThreshold: 1000,
		LBaseMaxBytes:         o.MemTableBytes * 4, // L0 is worth one move down when it holds a few flushes
		// One compaction as a rule and two at most: on two cores a third takes
		// time from the sessions that its progress would not give back.
		CompactionConcurrencyRange: func() (int, int) { return 1, 2 },
		// Long files are cheaper for scans and for the file cache, short ones
		// for compactions; 4 MiB at L0 doubles down to 128 MiB at the bottom.
		FlushSplitBytes: 8 << 20,
		MaxOpenFiles:    1000,
		// Hand log bytes to the disk every half megabyte, so that the sync of a
		// commit never finds the whole of a bulk load before it.
		WALBytesPerSync: 512 << 10,
		BytesPerSync:    1 << 20,
		// A range deletion is what DROP and TRUNCATE are; its space comes back
		// with the flush that follows. Pebble would do that flush on a timer of
		// its own, where it can panic: see guardFS. Left to ordinary flushes.
		FlushDelayDeleteRange: 0,
	}
	e.TargetFileSizes[0] = 4 << 20
	e.Experimental.FileCacheShards = 2 // as many as there are cores to contend
	for i := range e.Levels {
		l := &e.Levels[i]
		l.BlockSize = 16 << 10       // about a hundred rows: scans gain more than point reads lose
		l.IndexBlockSize = 256 << 10 // one index level for ordinary table files
		// 10 bits per key turn away 99 % of the reads of absent keys, which is
		// what every insert does once per unique key.
		l.FilterPolicy = bloom.FilterPolicy(10)
	}
	// Compression costs the two cores more than it saves disk, except a fast one.
	e.ApplyCompressionSettings(func() pebble.DBCompressionSettings { return pebble.DBCompressionFastest })
	return e
}
