package locks

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/vtab/kv"
)

var ctx = context.Background()

// patience bounds every wait of a test that should end soon.
const patience = 10 * time.Second

func req(key string, m kv.LockMode, wait time.Duration) kv.LockRequest {
	return kv.LockRequest{Key: []byte(key), Mode: m, Wait: wait}
}

// mustLock locks without waiting.
func mustLock(t *testing.T, o *Owner, key string, m kv.LockMode) {
	t.Helper()
	require.NoError(t, o.Lock(ctx, req(key, m, 0)))
}

// mustRefuse fails the test unless the lock is busy.
func mustRefuse(t *testing.T, o *Owner, key string, m kv.LockMode) {
	t.Helper()
	requireReason(t, o.Lock(ctx, req(key, m, 0)), kv.LockBusy, key)
}

func requireReason(t *testing.T, err error, reason kv.LockReason, key string) {
	t.Helper()
	var le *kv.LockError
	require.ErrorAs(t, err, &le)
	require.Equal(t, reason, le.Reason, err.Error())
	require.Equal(t, key, string(le.Key))
}

// lockLater locks without bound in the background and returns once the request
// waits or is decided.
func lockLater(t *testing.T, o *Owner, key string, m kv.LockMode) <-chan error {
	t.Helper()
	return lockLaterCtx(ctx, t, o, req(key, m, -1))
}

func lockLaterCtx(ctx context.Context, t *testing.T, o *Owner, r kv.LockRequest) <-chan error {
	t.Helper()
	done := make(chan error, 1)
	before := o.waiting.Load()
	require.Nil(t, before)
	go func() { done <- o.Lock(ctx, r) }()
	require.Eventually(t, func() bool { return o.waiting.Load() != nil || len(done) > 0 }, patience, 10*time.Microsecond)
	// Joining and deciding on a deadlock are one step under detect.
	o.table.detect.Lock()
	defer o.table.detect.Unlock()
	return done
}

func requireWaiting(t *testing.T, done <-chan error) {
	t.Helper()
	select {
	case err := <-done:
		t.Fatalf("decided (%v), should wait", err)
	case <-time.After(2 * time.Millisecond):
	}
}

func requireDecided(t *testing.T, done <-chan error) error {
	t.Helper()
	select {
	case err := <-done:
		return err
	case <-time.After(patience):
		t.Fatal("still waiting")
		return nil
	}
}

// requireEmpty asserts that nothing is left in the table.
func requireEmpty(t *testing.T, lt *Table) {
	t.Helper()
	c := lt.Counters()
	require.Zero(t, c.Held)
	require.Zero(t, c.Keys)
	require.Zero(t, c.Waiting)
	require.Empty(t, lt.Snapshot())
	for i := range lt.shards {
		s := &lt.shards[i]
		require.LessOrEqual(t, s.spareCount, spareMax)
		require.LessOrEqual(t, s.spareHoldN, spareMax)
		require.LessOrEqual(t, len(s.buckets), 64*bucketsMin)
	}
}

var modes = []kv.LockMode{kv.LockIS, kv.LockIX, kv.LockS, kv.LockSU, kv.LockX}

// matrix is the table of the package comment, rows and columns as in modes.
var matrix = []string{
	"++++-",
	"++-+-",
	"+-++-",
	"+++--",
	"-----",
}

// TestMatrix covers INV-LOCK-1.
func TestMatrix(t *testing.T) {
	for i, a := range modes {
		for j, b := range modes {
			t.Run(a.String()+"/"+b.String(), func(t *testing.T) {
				lt := New()
				p, q := lt.NewOwner(), lt.NewOwner()
				mustLock(t, p, "k", a)
				if matrix[i][j] == '+' {
					mustLock(t, q, "k", b)
					require.Equal(t, b, q.Mode([]byte("k")))
				} else {
					mustRefuse(t, q, "k", b)
					require.Equal(t, kv.LockNone, q.Mode([]byte("k")))
				}
				require.Equal(t, a, p.Mode([]byte("k")))
				p.ReleaseAll()
				q.ReleaseAll()
				requireEmpty(t, lt)
			})
		}
	}
}

// TestConversionHoldsBoth: after asking for b on top of a, exactly those are
// kept out whom a or b keeps out.
func TestConversionHoldsBoth(t *testing.T) {
	for i, a := range modes {
		for j, b := range modes {
			lt := New()
			p, q := lt.NewOwner(), lt.NewOwner()
			mustLock(t, p, "k", a)
			mustLock(t, p, "k", b)
			require.True(t, p.Holds([]byte("k"), a))
			require.True(t, p.Holds([]byte("k"), b))
			require.Equal(t, 1, p.Count())
			for k, c := range modes {
				if matrix[i][k] == '+' && matrix[j][k] == '+' {
					mustLock(t, q, "k", c)
				} else {
					mustRefuse(t, q, "k", c)
				}
				q.ReleaseAll()
			}
			p.ReleaseAll()
			requireEmpty(t, lt)
		}
	}
}

func TestSharedPlusIntentionIsReportedAsBoth(t *testing.T) {
	lt := New()
	p := lt.NewOwner()
	mustLock(t, p, "k", kv.LockIX)
	mustLock(t, p, "k", kv.LockS)
	require.Equal(t, kv.LockS, p.Mode([]byte("k")))
	require.False(t, p.Holds([]byte("k"), kv.LockX))
	infos := lt.Snapshot()
	require.Len(t, infos, 2)
	require.Equal(t, kv.LockIX, infos[0].Mode)
	require.Equal(t, kv.LockS, infos[1].Mode)
}

func TestConversionBlockedKeepsWhatWasHeld(t *testing.T) {
	lt := New()
	p, q := lt.NewOwner(), lt.NewOwner()
	mustLock(t, p, "k", kv.LockS)
	mustLock(t, q, "k", kv.LockS)
	mustRefuse(t, p, "k", kv.LockX)
	require.Equal(t, kv.LockS, p.Mode([]byte("k")))
	done := lockLater(t, p, "k", kv.LockX)
	requireWaiting(t, done)
	q.ReleaseAll()
	require.NoError(t, requireDecided(t, done))
	require.Equal(t, kv.LockX, p.Mode([]byte("k")))
	require.Equal(t, 1, p.Count())
	p.ReleaseAll()
	requireEmpty(t, lt)
}

func TestReentrantIsFreeBehindAQueue(t *testing.T) {
	lt := New()
	p, q := lt.NewOwner(), lt.NewOwner()
	mustLock(t, p, "k", kv.LockS)
	done := lockLater(t, q, "k", kv.LockX)
	mustLock(t, p, "k", kv.LockS)
	mustLock(t, p, "k", kv.LockX) // nobody else holds: granted past the queue
	requireWaiting(t, done)
	p.ReleaseAll()
	require.NoError(t, requireDecided(t, done))
	q.ReleaseAll()
	requireEmpty(t, lt)
}

// TestNoOvertaking: a shared request behind a waiting exclusive one waits, one
// that excludes nobody ahead does not (INV-LOCK-2).
func TestNoOvertaking(t *testing.T) {
	lt := New()
	p, q, r, u := lt.NewOwner(), lt.NewOwner(), lt.NewOwner(), lt.NewOwner()
	mustLock(t, p, "k", kv.LockS)
	ix := lockLater(t, q, "k", kv.LockIX)
	requireWaiting(t, ix)
	mustRefuse(t, r, "k", kv.LockS)
	s := lockLater(t, r, "k", kv.LockS)
	requireWaiting(t, s)
	mustLock(t, u, "k", kv.LockIS)
	p.ReleaseAll()
	require.NoError(t, requireDecided(t, ix))
	requireWaiting(t, s)
	q.ReleaseAll()
	require.NoError(t, requireDecided(t, s))
	r.ReleaseAll()
	u.ReleaseAll()
	requireEmpty(t, lt)
}

func TestQueueIsFirstComeFirstServed(t *testing.T) {
	lt := New()
	holder := lt.NewOwner()
	mustLock(t, holder, "k", kv.LockX)
	const n = 20
	order := make(chan uint64, n)
	var last *Owner
	for range n {
		o := lt.NewOwner()
		last = o
		go func() {
			if err := o.Lock(ctx, req("k", kv.LockX, -1)); err != nil {
				order <- 0
				return
			}
			order <- o.ID()
			o.ReleaseAll()
		}()
		require.Eventually(t, func() bool { return o.waiting.Load() != nil }, patience, 10*time.Microsecond)
	}
	holder.ReleaseAll()
	for i := range n {
		select {
		case id := <-order:
			require.Equal(t, last.ID()-n+1+uint64(i), id)
		case <-time.After(patience):
			t.Fatal("lost wake-up")
		}
	}
	require.Eventually(t, func() bool { return lt.Counters().Held == 0 }, patience, time.Millisecond)
	requireEmpty(t, lt)
}

func TestConversionGoesFirst(t *testing.T) {
	lt := New()
	p, q, r := lt.NewOwner(), lt.NewOwner(), lt.NewOwner()
	mustLock(t, p, "k", kv.LockS)
	mustLock(t, q, "k", kv.LockS)
	x := lockLater(t, r, "k", kv.LockX)
	up := lockLater(t, p, "k", kv.LockX)
	requireWaiting(t, x)
	requireWaiting(t, up)
	q.ReleaseAll()
	require.NoError(t, requireDecided(t, up))
	requireWaiting(t, x)
	p.ReleaseAll()
	require.NoError(t, requireDecided(t, x))
	r.ReleaseAll()
	requireEmpty(t, lt)
}

func TestTimeoutCarriesKeyAndFreesTheQueue(t *testing.T) {
	lt := New()
	p, q, r := lt.NewOwner(), lt.NewOwner(), lt.NewOwner()
	mustLock(t, p, "k", kv.LockS)
	start := time.Now()
	x := lockLaterCtx(ctx, t, q, req("k", kv.LockX, 30*time.Millisecond))
	s := lockLater(t, r, "k", kv.LockS) // behind the exclusive request
	requireWaiting(t, s)
	requireReason(t, requireDecided(t, x), kv.LockTimeout, "k")
	require.GreaterOrEqual(t, time.Since(start), 30*time.Millisecond)
	require.NoError(t, requireDecided(t, s))
	p.ReleaseAll()
	r.ReleaseAll()
	requireEmpty(t, lt)
}

func TestCancelledContext(t *testing.T) {
	lt := New()
	p, q, r := lt.NewOwner(), lt.NewOwner(), lt.NewOwner()
	mustLock(t, p, "k", kv.LockS)
	cctx, cancel := context.WithCancel(ctx)
	x := lockLaterCtx(cctx, t, q, req("k", kv.LockX, -1))
	s := lockLater(t, r, "k", kv.LockS)
	cancel()
	require.ErrorIs(t, requireDecided(t, x), context.Canceled)
	require.NoError(t, requireDecided(t, s))
	require.ErrorIs(t, q.Lock(cctx, req("free", kv.LockX, 0)), context.Canceled)
	p.ReleaseAll()
	r.ReleaseAll()
	requireEmpty(t, lt)
}

func TestUnlock(t *testing.T) {
	lt := New()
	p, q := lt.NewOwner(), lt.NewOwner()
	for i := range 10 {
		mustLock(t, p, fmt.Sprint("k", i), kv.LockX)
	}
	done := lockLater(t, q, "k3", kv.LockX)
	p.Unlock([]byte("k3"))
	require.NoError(t, requireDecided(t, done))
	require.Equal(t, 9, p.Count())
	require.Equal(t, kv.LockNone, p.Mode([]byte("k3")))
	require.Equal(t, kv.LockX, p.Mode([]byte("k9")))
	p.Unlock([]byte("k3")) // another's lock
	p.Unlock([]byte("no such"))
	require.Equal(t, kv.LockX, q.Mode([]byte("k3")))
	p.Unlock([]byte("k9"))
	mustLock(t, q, "k9", kv.LockS)
	p.ReleaseAll()
	q.ReleaseAll()
	require.Zero(t, p.bytes)
	requireEmpty(t, lt)
}

func TestOwnerCap(t *testing.T) {
	lt := New()
	lt.ownerBytesMax = 10 * (lockBytes + 2)
	p := lt.NewOwner()
	for i := range 10 {
		mustLock(t, p, fmt.Sprint("k", i), kv.LockS)
	}
	requireReason(t, p.Lock(ctx, req("kx", kv.LockX, -1)), kv.LockTooMany, "kx")
	mustLock(t, p, "k1", kv.LockX) // more of what is held needs no room
	p.Unlock([]byte("k2"))
	mustLock(t, p, "kx", kv.LockX)
	p.ReleaseAll()
	requireEmpty(t, lt)
}

func TestModeOutOfRange(t *testing.T) {
	o := New().NewOwner()
	require.ErrorIs(t, o.Lock(ctx, req("k", kv.LockNone, 0)), ErrMode)
	require.ErrorIs(t, o.Lock(ctx, req("k", kv.LockX+1, 0)), ErrMode)
}

func TestKeyIsCopied(t *testing.T) {
	lt := New()
	p := lt.NewOwner()
	key := []byte("abc")
	require.NoError(t, p.Lock(ctx, kv.LockRequest{Key: key, Mode: kv.LockX}))
	key[0] = 'z'
	require.Equal(t, kv.LockX, p.Mode([]byte("abc")))
	require.Equal(t, kv.LockNone, p.Mode(key))
}

func TestSnapshotShowsWaits(t *testing.T) {
	lt := New()
	p, q, r := lt.NewOwner(), lt.NewOwner(), lt.NewOwner()
	mustLock(t, p, "k", kv.LockS)
	lockLater(t, q, "k", kv.LockX)
	done := lockLater(t, r, "k", kv.LockS)
	infos := lt.Snapshot()
	require.Len(t, infos, 3)
	require.False(t, infos[0].Waiting)
	require.Equal(t, q.ID(), infos[1].Owner)
	require.Equal(t, []uint64{p.ID()}, infos[1].BlockedBy)
	require.Equal(t, []uint64{q.ID()}, infos[2].BlockedBy)
	require.WithinDuration(t, time.Now(), infos[2].Since, patience)
	require.Equal(t, 2, lt.Counters().Waiting)
	p.ReleaseAll()
	requireWaiting(t, done)
}
