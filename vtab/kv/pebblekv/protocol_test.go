package pebblekv

import (
	"bytes"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/vtab/kv"
)

// slowSyncFS is a file system on which a sync of the log takes a while, as on a
// disk.
func slowSyncFS(d time.Duration) vfs.FS {
	_, inj, fs := faultyFS()
	inj.set(func(op errorfs.Op) error {
		if isSync(op) && isLog(op) {
			time.Sleep(d)
		}
		return nil
	})
	return fs
}

// ST-111, INV-KV-11: commits share syncs, and a single writer has one each.
func TestGroupCommit(t *testing.T) {
	s := open(t, Options{FS: slowSyncFS(2 * time.Millisecond)})
	put(t, s, "\x03first", "")
	before := s.Metrics()
	for i := range 20 {
		put(t, s, fmt.Sprintf("\x03single%d", i), "")
	}
	after := s.Metrics()
	require.Equal(t, uint64(20), after.Commits-before.Commits)
	require.Equal(t, uint64(20), after.Syncs-before.Syncs)

	const writers, commits = 32, 20
	before = after
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() {
			for n := range commits {
				put(t, s, fmt.Sprintf("\x03%d-%d", i, n), "x")
			}
		})
	}
	wg.Wait()
	after = s.Metrics()
	require.Equal(t, uint64(writers*commits), after.Commits-before.Commits)
	require.Less(t, after.Syncs-before.Syncs, uint64(writers*commits/4))
	require.Equal(t, s.Applied(), s.Durable())
}

// INV-KV-11: nobody waits for the disk inside the section, and locks are free
// before the sync is done.
func TestSectionDoesNotWaitForTheDisk(t *testing.T) {
	_, inj, fs := faultyFS()
	s := open(t, Options{FS: fs})
	put(t, s, "\x03first", "")
	release := make(chan struct{})
	var held atomic.Bool
	inj.set(func(op errorfs.Op) error {
		if isSync(op) && isLog(op) {
			held.Store(true)
			<-release
		}
		return nil
	})
	x := begin(t, s)
	require.NoError(t, x.Lock(ctx, kv.LockRequest{Key: []byte("\x03a"), Mode: kv.LockX}))
	require.NoError(t, x.Put([]byte("\x03a"), []byte("1")))
	done := make(chan error, 1)
	go func() {
		_, err := x.Commit(ctx, kv.CommitOptions{})
		done <- err
	}()
	require.Eventually(t, held.Load, patience, tick)
	y := begin(t, s)
	defer y.Rollback()
	require.NoError(t, y.Lock(ctx, kv.LockRequest{Key: []byte("\x03a"), Mode: kv.LockX, Wait: patience}))
	v, err := y.Latest(kv.Now).Get(ctx, []byte("\x03a"))
	require.NoError(t, err, "a commit is visible while its sync is under way")
	require.Equal(t, "1", string(v))
	require.NoError(t, y.Put([]byte("\x03a"), []byte("2")))
	_, err = y.Commit(ctx, kv.CommitOptions{Durability: kv.DurabilityNone})
	require.NoError(t, err, "another commit passes the section")
	require.Equal(t, kv.Position(3), s.Applied())
	require.Equal(t, kv.Position(1), s.Durable())
	select {
	case <-done:
		t.Fatal("acknowledged before the sync was done")
	default:
	}
	close(release)
	require.NoError(t, <-done)
	require.GreaterOrEqual(t, s.Durable(), kv.Position(2))
}

// ST-116, INV-KV-12: a transaction that changes nothing makes no batch and no
// sync, and leaves nothing behind.
func TestEmptyTransactionsAreFree(t *testing.T) {
	_, inj, fs := faultyFS()
	s := open(t, Options{FS: fs})
	put(t, s, "\x03a", "1")
	ops := counter{}
	inj.set(func(errorfs.Op) error { ops.next(); return nil })
	before := s.Metrics()
	for range 100 {
		x := begin(t, s)
		r, err := x.Snapshot(kv.Now)
		require.NoError(t, err)
		_, err = r.Get(ctx, []byte("\x03a"))
		require.NoError(t, err)
		require.NoError(t, x.Lock(ctx, kv.LockRequest{Key: []byte("\x03a"), Mode: kv.LockX}))
		p, err := x.Commit(ctx, kv.CommitOptions{Hook: func(kv.Reader, kv.Writer, kv.Position) error { return errors.New("called") }})
		require.NoError(t, err)
		require.Zero(t, p)
		x = begin(t, s)
		require.NoError(t, x.Put([]byte("\x03b"), []byte("2")))
		x.Rollback()
	}
	after := s.Metrics()
	require.Equal(t, before.Commits, after.Commits)
	require.Equal(t, before.Syncs, after.Syncs)
	require.Equal(t, before.BytesWritten, after.BytesWritten)
	require.Zero(t, ops.value(), "the disk was touched")
	require.Zero(t, after.OpenSnapshots)
	require.Empty(t, s.Locks())
	require.Equal(t, kv.Position(1), s.Applied())
}

// INV-KV-4: a position names one commit for ever.
func TestPositionsAreNeverReused(t *testing.T) {
	mem := vfs.NewCrashableMem()
	s := open(t, Options{FS: mem, Durability: kv.DurabilityNone})
	require.Equal(t, kv.Position(1), put(t, s, "\x03a", "1"))
	require.NoError(t, s.WaitDurable(ctx, 1))
	require.Equal(t, kv.Position(2), put(t, s, "\x03a", "2")) // not durable
	crashed := crashClone(mem, 0, 1)

	s2 := open(t, Options{FS: crashed})
	require.Equal(t, kv.Position(1), s2.Applied(), "position 2 is lost")
	require.Equal(t, map[string]string{"\x03a": "1"}, dump(t, s2))
	const after = kv.Position(positionsPerReserve + 1)
	require.Equal(t, after, put(t, s2, "\x03a", "3"), "an unclean open jumps past what may have been given out")
	again := crashClone(crashed, 0, 1)
	require.NoError(t, s2.Close())

	s3 := open(t, Options{FS: crashed}) // clean
	require.Equal(t, after+1, put(t, s3, "\x03a", "4"))
	s4 := open(t, Options{FS: again}) // unclean
	require.Equal(t, after+positionsPerReserve, put(t, s4, "\x03a", "4"))
}

// INV-KV-4: the reservation is renewed before it is used up.
func TestReservationIsRenewed(t *testing.T) {
	mem := vfs.NewCrashableMem()
	s := open(t, Options{FS: mem})
	put(t, s, "\x03a", "1")
	s.section.Lock()
	s.last = s.reserved - 1 // as if a million commits had been made
	s.section.Unlock()
	syncs := s.Metrics().Syncs
	require.Equal(t, kv.Position(positionsPerReserve), put(t, s, "\x03a", "2"))
	require.Equal(t, syncs+1, s.Metrics().Syncs)
	require.Equal(t, kv.Position(positionsPerReserve+1), put(t, s, "\x03a", "3"))
	require.Equal(t, syncs+3, s.Metrics().Syncs, "this one waits for the new reservation")
	s2 := open(t, Options{FS: crashClone(mem, 0, 1)})
	require.Equal(t, kv.Position(2*positionsPerReserve+1), put(t, s2, "\x03a", "4"))
}

// ST-026 at the seam: opening and closing a store that is only read writes
// nothing that a later open would see.
func TestReadingWritesNoPosition(t *testing.T) {
	fs := vfs.NewMem()
	s := open(t, Options{FS: fs})
	put(t, s, "\x03a", "1")
	require.NoError(t, s.Close())
	for range 3 {
		s = open(t, Options{FS: fs})
		logged := s.db.Metrics().WAL.BytesIn
		dump(t, s)
		require.NoError(t, s.settle())
		require.Equal(t, logged, s.db.Metrics().WAL.BytesIn, "the log was written")
		require.NoError(t, s.Close())
	}
}

// INV-KV-3: a position read through a snapshot is that of the state it shows,
// under concurrent commits.
func TestPositionThroughSnapshot(t *testing.T) {
	s := open(t, Options{FS: vfs.NewMem(), Durability: kv.DurabilityNone})
	const commits = 3000
	var wg sync.WaitGroup
	stop := make(chan struct{})
	for range 3 {
		wg.Go(func() {
			for last := kv.Position(0); ; {
				select {
				case <-stop:
					return
				default:
				}
				applied := s.Applied()
				x := begin(t, s)
				r, err := x.Snapshot(kv.Now)
				if err != nil {
					t.Error(err)
					return
				}
				p := positionIn(t, r)
				if v, err := r.Get(ctx, []byte("\x03n")); p > 0 && (err != nil || string(v) != fmt.Sprint(p)) {
					t.Errorf("at position %d the content is of %s (%v)", p, v, err)
				}
				if p < applied || p < last {
					t.Errorf("a snapshot taken after position %d (%d) was of %d", applied, last, p)
				}
				last = p
				x.Rollback()
			}
		})
	}
	for range commits {
		x := begin(t, s)
		require.NoError(t, x.Put([]byte("\x03x"), nil))
		_, err := x.Commit(ctx, kv.CommitOptions{Hook: func(_ kv.Reader, w kv.Writer, p kv.Position) error {
			return w.Put([]byte("\x03n"), fmt.Appendf(nil, "%d", p))
		}})
		require.NoError(t, err)
	}
	close(stop)
	wg.Wait()
	require.Zero(t, s.Metrics().OpenSnapshots)
}

func positionIn(t testing.TB, r kv.Reader) kv.Position {
	v, err := r.Get(ctx, kv.MetaPosition)
	if errors.Is(err, kv.ErrNotFound) {
		return 0
	}
	p, err := kv.DecodePosition(v)
	if err != nil {
		t.Error(err)
	}
	return p
}

// INV-KV-13: transactions that begin at one position share a snapshot; nobody
// gets one that is older than what was visible, or that was closed.
func TestSnapshotsAreShared(t *testing.T) {
	s := open(t, Options{FS: vfs.NewMem()})
	put(t, s, "\x03a", "1")
	take := func() (kv.Txn, *snapshot) {
		x := begin(t, s)
		_, err := x.Snapshot(kv.Now)
		require.NoError(t, err)
		return x, x.(*txn).snap
	}
	x1, n1 := take()
	x2, n2 := take()
	require.Same(t, n1, n2)
	require.Equal(t, 1, s.Metrics().OpenSnapshots)
	put(t, s, "\x03a", "2")
	x3, n3 := take()
	require.NotSame(t, n1, n3)
	require.Equal(t, 2, s.Metrics().OpenSnapshots)
	x1.Rollback()
	x2.Rollback()
	require.False(t, n1.retain(), "a closed snapshot stays closed")
	x3.Rollback()
	x4, n4 := take()
	require.Same(t, n3, n4, "the current one is kept while nothing has changed")

	b, err := s.Bulk(ctx)
	require.NoError(t, err)
	require.NoError(t, b.Put([]byte("\x03b"), []byte("bulk")))
	require.NoError(t, b.Flush())
	b.Close()
	x5, n5 := take()
	require.NotSame(t, n4, n5, "a bulk write is visible at once")
	r, err := x5.Snapshot(kv.Now)
	require.NoError(t, err)
	_, err = r.Get(ctx, []byte("\x03b"))
	require.NoError(t, err)
	x5.Rollback()
	x4.Rollback()
}

// The last commit leaves no idle snapshot behind that would keep old versions.
func TestStaleSnapshotIsDropped(t *testing.T) {
	s := open(t, Options{FS: vfs.NewMem()})
	put(t, s, "\x03a", "1")
	x := begin(t, s)
	_, err := x.Snapshot(kv.Now)
	require.NoError(t, err)
	x.Rollback()
	require.Equal(t, 1, s.db.Metrics().Snapshots.Count)
	put(t, s, "\x03a", "2")
	require.Zero(t, s.db.Metrics().Snapshots.Count)
}

// ST-043, INV-KV-7: below the reserve writes are refused, reads and range drops
// go on; with space again, writes do.
func TestDiskReserve(t *testing.T) {
	mem := vfs.NewCrashableMem()
	mem.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: 1 << 40})
	s := open(t, Options{FS: mem, ReserveBytes: 100 << 20, WatchEvery: tick})
	put(t, s, "\x03a", "1")
	mem.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: 99 << 20})
	require.Eventually(t, func() bool { return s.Metrics().DiskFull }, patience, tick)
	for range 100 {
		x := begin(t, s)
		require.NoError(t, x.Put([]byte("\x03b"), []byte("2")))
		_, err := x.Commit(ctx, kv.CommitOptions{})
		require.ErrorIs(t, err, kv.ErrDiskFull)
	}
	_, err := s.Bulk(ctx)
	require.ErrorIs(t, err, kv.ErrDiskFull)
	require.NoError(t, s.Err(), "the store has not failed")
	require.Equal(t, map[string]string{"\x03a": "1"}, dump(t, s))
	require.NoError(t, s.DropRange(ctx, kv.Range{Start: []byte("\x03z")}))
	mem.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: 110 << 20})
	time.Sleep(20 * tick)
	require.True(t, s.Metrics().DiskFull, "a little above the reserve is not enough")
	mem.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: 200 << 20})
	require.Eventually(t, func() bool { return !s.Metrics().DiskFull }, patience, tick)
	put(t, s, "\x03b", "2")
}

// ST-043, INV-KV-7: a table file that finds no space refuses writes but does not
// fail the store; Pebble writes it when there is space.
func TestNoSpaceForATable(t *testing.T) {
	mem, inj, fs := faultyFS()
	mem.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: 1 << 40})
	o := small(fs)
	o.ReserveBytes, o.WatchEvery = 1<<20, time.Hour
	s := open(t, o)
	var full atomic.Bool
	full.Store(true)
	inj.set(func(op errorfs.Op) error {
		if full.Load() && op.Kind == errorfs.OpCreate && s.guard.roleOf(op.Path) == roleTable {
			return errNoSpace
		}
		return nil
	})
	w := newWorkload()
	var err error
	within(t, "the workload", func() { err = w.run(s, workloadCommits) })
	require.ErrorIs(t, err, kv.ErrDiskFull)
	require.NoError(t, s.Err())
	full.Store(false)
	s.lookAtSpace()
	w.begun.Add(-1) // the refused one
	within(t, "the rest", func() { err = w.run(s, workloadCommits) })
	require.NoError(t, err)
	w.requireState(t, s, workloadCommits, workloadCommits)
}

// INV-KV-14: a transaction grows up to its limit and is then refused, unchanged.
func TestSizes(t *testing.T) {
	if testing.Short() {
		t.Skip("hundreds of megabytes")
	}
	s := open(t, Options{FS: vfs.NewMem(), MaxTxnBytes: 96 << 20})
	x := begin(t, s)
	long := bytes.Repeat([]byte("0123456789abcdef"), 64<<20/16)
	require.NoError(t, x.Put([]byte("\x03long"), long)) // a LONGTEXT of four times 16 MB
	require.NoError(t, x.Put([]byte("\x03text"), long[:16<<20]))
	require.Equal(t, int64(80<<20+10), x.Size())
	var size *kv.SizeError
	require.ErrorAs(t, x.Put([]byte("\x03more"), long), &size)
	require.Equal(t, kv.SizeError{What: "transaction", Size: 144<<20 + 15, Limit: 96 << 20}, *size)
	require.Equal(t, int64(80<<20+10), x.Size())
	_, err := x.Commit(ctx, kv.CommitOptions{})
	require.NoError(t, err)
	y := begin(t, s)
	v, err := y.Latest(kv.Now).Get(ctx, []byte("\x03long"))
	require.NoError(t, err)
	require.True(t, bytes.Equal(long, v))
	require.NoError(t, s.db.Flush())
	v, err = y.Latest(kv.Now).Get(ctx, []byte("\x03long"))
	require.NoError(t, err)
	require.True(t, bytes.Equal(long, v))
	y.Rollback()
}

func TestHistogram(t *testing.T) {
	var h histogram
	require.Zero(t, h.quantile(0.5))
	for ns := uint64(1); ns < 1<<60; ns += ns/8 + 1 {
		b := bucketOf(ns)
		require.Less(t, b, len(h.buckets))
		require.Greater(t, bucketTop(b), ns)
		require.LessOrEqual(t, float64(bucketTop(b)), float64(ns)*1.13+1)
		if b > 0 {
			require.LessOrEqual(t, bucketTop(b-1), ns)
		}
	}
	for i := 1; i <= 1000; i++ {
		h.record(time.Duration(i) * time.Microsecond)
	}
	require.InEpsilon(t, 500e-6, h.quantile(0.5), 0.13)
	require.InEpsilon(t, 990e-6, h.quantile(0.99), 0.13)
	require.InEpsilon(t, 1000e-6, h.quantile(1), 0.13)
}

func TestMachineMemory(t *testing.T) {
	require.Equal(t, int64(24<<30), parseMeminfo([]byte("MemFree: 1 kB\nMemTotal:       25165824 kB\n")))
	require.Equal(t, parseLimit([]byte("max\n")), parseMeminfo([]byte("nothing")))
	require.Equal(t, int64(4096), parseLimit([]byte("4096\n")))
	require.Positive(t, MachineMemory())
}
