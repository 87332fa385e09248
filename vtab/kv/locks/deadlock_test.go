package locks

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/vtab/kv"
)

func lockReason(err error) kv.LockReason {
	var le *kv.LockError
	if errors.As(err, &le) {
		return le.Reason
	}
	return 0
}

// TestDeadlockST100 covers ST-100: rings of two and three and upgrades.
func TestDeadlockST100(t *testing.T) {
	for _, c := range deadlocks {
		t.Run(c.name, c.run)
	}
}

var deadlocks = []struct {
	name string
	run  func(t *testing.T)
}{
	{"ring of two", func(t *testing.T) {
		lt := New()
		p, q := lt.NewOwner(), lt.NewOwner()
		mustLock(t, p, "1", kv.LockX)
		mustLock(t, q, "2", kv.LockX)
		first := lockLater(t, p, "2", kv.LockX)
		start := time.Now()
		err := q.Lock(ctx, req("1", kv.LockX, -1))
		require.Less(t, time.Since(start), 100*time.Millisecond)
		requireReason(t, err, kv.LockDeadlock, "1") // as many locks: the youngest
		requireWaiting(t, first)
		q.ReleaseAll()
		require.NoError(t, requireDecided(t, first))
		report := lt.LastDeadlock().String()
		require.Contains(t, report, fmt.Sprintf("victim: transaction %d", q.ID()))
		require.Contains(t, report, fmt.Sprintf("transaction %d (1 locks)", p.ID()))
		require.Contains(t, report, "for X on key 32, which transaction")
		require.Equal(t, 4, strings.Count(report, "\n"))
		p.ReleaseAll()
		requireEmpty(t, lt)
	}},
	{"victim has fewest locks", func(t *testing.T) {
		lt := New()
		p, q := lt.NewOwner(), lt.NewOwner()
		mustLock(t, p, "1", kv.LockX)
		mustLock(t, q, "2", kv.LockX)
		mustLock(t, q, "3", kv.LockX)
		first := lockLater(t, p, "2", kv.LockX)
		second := lockLater(t, q, "1", kv.LockX)
		requireReason(t, requireDecided(t, first), kv.LockDeadlock, "2")
		requireWaiting(t, second)
		p.ReleaseAll()
		require.NoError(t, requireDecided(t, second))
		q.ReleaseAll()
		requireEmpty(t, lt)
	}},
	{"who has lost before", func(t *testing.T) {
		lt := New()
		p, q := lt.NewOwner(), lt.NewOwner()
		for i := range 5 {
			mustLock(t, p, fmt.Sprint("more", i), kv.LockX)
		}
		mustLock(t, p, "1", kv.LockX)
		mustLock(t, q, "2", kv.LockX)
		q.SetDefeats(2) // 2 << 2 is more than 7
		first := lockLater(t, p, "2", kv.LockX)
		second := lockLater(t, q, "1", kv.LockX)
		requireReason(t, requireDecided(t, first), kv.LockDeadlock, "2")
		p.ReleaseAll()
		require.NoError(t, requireDecided(t, second))
		q.ReleaseAll()
		requireEmpty(t, lt)
	}},
	{"ring of three", func(t *testing.T) {
		lt := New()
		o := []*Owner{lt.NewOwner(), lt.NewOwner(), lt.NewOwner()}
		for i := range o {
			mustLock(t, o[i], fmt.Sprint(i), kv.LockX)
		}
		d0 := lockLater(t, o[0], "1", kv.LockS)
		d1 := lockLater(t, o[1], "2", kv.LockS)
		requireReason(t, o[2].Lock(ctx, req("0", kv.LockS, -1)), kv.LockDeadlock, "0")
		o[2].ReleaseAll()
		require.NoError(t, requireDecided(t, d1))
		o[1].ReleaseAll()
		require.NoError(t, requireDecided(t, d0))
		require.Contains(t, lt.LastDeadlock().String(), "3 transactions")
	}},
	{"two upgrades", func(t *testing.T) {
		lt := New()
		p, q := lt.NewOwner(), lt.NewOwner()
		mustLock(t, p, "k", kv.LockS)
		mustLock(t, q, "k", kv.LockS)
		up := lockLater(t, p, "k", kv.LockX)
		requireReason(t, q.Lock(ctx, req("k", kv.LockX, -1)), kv.LockDeadlock, "k")
		require.Equal(t, kv.LockS, q.Mode([]byte("k")))
		q.ReleaseAll()
		require.NoError(t, requireDecided(t, up))
	}},
	{"through a request ahead", func(t *testing.T) {
		lt := New()
		p, q, r := lt.NewOwner(), lt.NewOwner(), lt.NewOwner()
		mustLock(t, p, "1", kv.LockS)
		mustLock(t, r, "2", kv.LockX)
		dq := lockLater(t, q, "1", kv.LockX) // waits for p
		dp := lockLater(t, p, "2", kv.LockX) // waits for r
		dr := lockLater(t, r, "1", kv.LockS) // waits for q's request only
		requireReason(t, requireDecided(t, dq), kv.LockDeadlock, "1")
		require.NoError(t, requireDecided(t, dr)) // the victim's request was all that stood in the way
		require.Contains(t, lt.LastDeadlock().String(), "asked before for")
		r.ReleaseAll()
		require.NoError(t, requireDecided(t, dp))
	}},
	{"one request closes two rings", func(t *testing.T) {
		lt := New()
		p, q, r := lt.NewOwner(), lt.NewOwner(), lt.NewOwner()
		mustLock(t, p, "1", kv.LockX)
		mustLock(t, p, "more", kv.LockX)
		mustLock(t, q, "2", kv.LockS)
		mustLock(t, r, "2", kv.LockS)
		dq := lockLater(t, q, "1", kv.LockS)
		dr := lockLater(t, r, "1", kv.LockS)
		dp := lockLater(t, p, "2", kv.LockX)
		requireReason(t, requireDecided(t, dq), kv.LockDeadlock, "1")
		requireReason(t, requireDecided(t, dr), kv.LockDeadlock, "1")
		require.EqualValues(t, 2, lt.Counters().Deadlocks)
		q.ReleaseAll()
		r.ReleaseAll()
		require.NoError(t, requireDecided(t, dp))
	}},
	{"conversion behind which a holder queues", func(t *testing.T) {
		lt := New()
		p, q, r := lt.NewOwner(), lt.NewOwner(), lt.NewOwner()
		mustLock(t, p, "k", kv.LockS)
		mustLock(t, q, "k", kv.LockS)
		mustLock(t, r, "2", kv.LockX)
		dr := lockLater(t, r, "k", kv.LockX) // waits for p and q
		dq := lockLater(t, q, "2", kv.LockX) // waits for r
		// q, r: one lock each, r is the younger.
		requireReason(t, requireDecided(t, dr), kv.LockDeadlock, "k")
		dp := lockLater(t, p, "k", kv.LockX)
		r.ReleaseAll()
		require.NoError(t, requireDecided(t, dq))
		requireWaiting(t, dp)
		q.ReleaseAll()
		require.NoError(t, requireDecided(t, dp))
	}},
}

func TestNoDeadlockWithoutARing(t *testing.T) {
	lt := New()
	p, q, r := lt.NewOwner(), lt.NewOwner(), lt.NewOwner()
	mustLock(t, p, "1", kv.LockX)
	mustLock(t, q, "2", kv.LockX)
	dr := lockLater(t, r, "1", kv.LockX)
	dq := lockLater(t, q, "1", kv.LockX)
	requireWaiting(t, dr)
	requireWaiting(t, dq)
	require.Zero(t, lt.Counters().Deadlocks)
	require.Nil(t, lt.LastDeadlock())
}
