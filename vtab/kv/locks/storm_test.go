package locks

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/vtab/kv"
)

// storm is many transactions that lock few keys in no order. Each key guards a
// plain counter, so that the race detector and the totals tell whether
// exclusion held.
type storm struct {
	lt       *Table
	counters [5]int // by key
}

func (s *storm) key(i int) string { return fmt.Sprint("row", i) }

// once runs one transaction and tallies what it counted up in added. An error
// that is neither a *kv.LockError nor of ctx is a fault.
func (s *storm) once(ctx context.Context, r *rand.Rand, added *[5]int) error {
	o := s.lt.NewOwner()
	defer o.ReleaseAll()
	tableMode := []kv.LockMode{kv.LockIX, kv.LockIX, kv.LockIX, kv.LockS, kv.LockX}[r.IntN(5)]
	if err := o.Lock(ctx, req("table", tableMode, -1)); err != nil {
		return err
	}
	for range 1 + r.IntN(4) {
		i := r.IntN(len(s.counters))
		k := s.key(i)
		if err := o.Lock(ctx, req(k, kv.LockS, s.wait(r))); err != nil {
			return err
		}
		before := s.counters[i]
		if r.IntN(2) == 0 {
			continue
		}
		if err := o.Lock(ctx, req("table", kv.LockIX, -1)); err != nil {
			return err
		}
		if err := o.Lock(ctx, req(k, kv.LockX, s.wait(r))); err != nil {
			return err
		}
		if s.counters[i] != before {
			return fmt.Errorf("%s changed under a shared lock", k)
		}
		s.counters[i]++
		added[i]++
	}
	return nil
}

func (s *storm) wait(r *rand.Rand) time.Duration {
	switch r.IntN(8) {
	case 0:
		return time.Duration(r.IntN(200)) * time.Microsecond
	default:
		return -1
	}
}

// TestStormEnds: whatever the interleaving, every transaction is granted, made
// a victim, late or cancelled, and nothing is left (INV-LOCK-3, 4, 5).
func TestStormEnds(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	s := &storm{lt: New()}
	const sessions = 16
	var wg sync.WaitGroup
	added := make([][5]int, sessions)
	problems := make(chan error, sessions)
	stop := time.Now().Add(time.Second)
	for g := range sessions {
		wg.Add(1)
		go func() {
			defer wg.Done()
			r := rand.New(rand.NewPCG(seed, uint64(g)))
			for time.Now().Before(stop) {
				cctx, cancel := context.Background(), context.CancelFunc(func() {})
				if r.IntN(4) == 0 {
					cctx, cancel = context.WithTimeout(cctx, time.Duration(r.IntN(300))*time.Microsecond)
				}
				err := s.once(cctx, r, &added[g])
				if err != nil && lockReason(err) == 0 && cctx.Err() == nil {
					problems <- err
					cancel()
					return
				}
				cancel()
			}
		}()
	}
	ended := make(chan struct{})
	go func() { wg.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(patience):
		t.Fatalf("the storm does not end: %+v\n%s", s.lt.Counters(), s.lt.LastDeadlock().String())
	}
	close(problems)
	for err := range problems {
		t.Error(err)
	}
	c := s.lt.Counters()
	t.Logf("%+v", c)
	var total [5]int
	for _, a := range added {
		for i, n := range a {
			total[i] += n
		}
	}
	require.Equal(t, s.counters, total)
	require.NotZero(t, c.Deadlocks)
	require.NotZero(t, c.Gone)
	requireEmpty(t, s.lt)
}

// TestExclusionHolds: increments under exclusive locks are all counted.
func TestExclusionHolds(t *testing.T) {
	lt := New()
	const sessions, rounds = 8, 300
	var a, b int
	var wg sync.WaitGroup
	for g := range sessions {
		wg.Add(1)
		go func() {
			defer wg.Done()
			first, second := "a", "b"
			if g%2 == 1 {
				first, second = second, first
			}
			for done := 0; done < rounds; {
				o := lt.NewOwner()
				if o.Lock(ctx, req(first, kv.LockX, -1)) == nil && o.Lock(ctx, req(second, kv.LockX, -1)) == nil {
					a, b = a+1, b+1
					done++
				}
				o.ReleaseAll()
			}
		}()
	}
	wg.Wait()
	require.Equal(t, sessions*rounds, a)
	require.Equal(t, sessions*rounds, b)
	requireEmpty(t, lt)
}

// TestGrantMeetsCancel: a wait that is granted and cancelled at one moment ends
// once, either way, and whoever queues behind it is not forgotten.
func TestGrantMeetsCancel(t *testing.T) {
	lt := New()
	granted, cancelled := 0, 0
	for range 500 {
		p, q, r := lt.NewOwner(), lt.NewOwner(), lt.NewOwner()
		mustLock(t, p, "k", kv.LockX)
		cctx, cancel := context.WithCancel(ctx)
		dq := make(chan error, 1)
		go func() { dq <- q.Lock(cctx, req("k", kv.LockX, -1)) }()
		for q.waiting.Load() == nil {
			time.Sleep(time.Microsecond)
		}
		dr := make(chan error, 1)
		go func() { dr <- r.Lock(ctx, req("k", kv.LockX, -1)) }()
		go cancel()
		p.ReleaseAll()
		if err := requireDecided(t, dq); err != nil {
			require.ErrorIs(t, err, context.Canceled)
			cancelled++
		} else {
			require.Equal(t, kv.LockX, q.Mode([]byte("k")))
			granted++
			q.ReleaseAll()
		}
		require.NoError(t, requireDecided(t, dr))
		r.ReleaseAll()
		cancel()
	}
	t.Logf("granted %d, cancelled %d", granted, cancelled)
	requireEmpty(t, lt)
}

// TestLongQueue: the search for rings stays cheap behind hundreds of waiters.
func TestLongQueue(t *testing.T) {
	lt := New()
	p := lt.NewOwner()
	mustLock(t, p, "hot", kv.LockX)
	const n = 1000
	var wg sync.WaitGroup
	start := time.Now()
	for range n {
		o := lt.NewOwner()
		wg.Add(1)
		go func() {
			defer wg.Done()
			if err := o.Lock(ctx, req("hot", kv.LockX, -1)); err != nil {
				t.Error(err)
			}
			o.ReleaseAll()
		}()
	}
	require.Eventually(t, func() bool { return lt.Counters().Waiting == n }, patience, time.Millisecond)
	t.Logf("%d waiters queued in %v", n, time.Since(start))
	p.ReleaseAll()
	wg.Wait()
	requireEmpty(t, lt)
}
