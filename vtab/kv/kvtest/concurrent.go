package kvtest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/vtab/kv"
)

// sessions is how many goroutines the concurrent cases run.
const sessions = 8

// concurrently runs f in sessions goroutines and reports their errors.
func (e *env) concurrently(f func(ctx context.Context, session int) error) {
	e.Helper()
	ctx, cancel := context.WithTimeout(e.ctx, patience)
	defer cancel()
	var wg sync.WaitGroup
	errs := make([]error, sessions)
	for i := range sessions {
		wg.Add(1)
		go func() {
			defer wg.Done()
			errs[i] = f(ctx, i)
		}()
	}
	wg.Wait()
	require.NoError(e, errors.Join(errs...))
}

// number reads a decimal value, 0 if there is none.
func number(ctx context.Context, r kv.Reader, key string) (int, error) {
	v, err := r.Get(ctx, []byte(key))
	if errors.Is(err, kv.ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(string(v))
}

// retry runs f in transactions until one is no victim.
func (e *env) retry(ctx context.Context, f func(t kv.Txn) error) error {
	for {
		t, err := e.store.Begin(ctx)
		if err != nil {
			return err
		}
		err = f(t)
		t.Rollback()
		var le *kv.LockError
		if !errors.As(err, &le) || le.Reason != kv.LockDeadlock {
			return err
		}
	}
}

var concurrentTests = []test{
	{"a hot counter loses nothing", func(e *env) {
		const rounds = 40
		e.concurrently(func(ctx context.Context, _ int) error {
			for range rounds {
				err := e.retry(ctx, func(t kv.Txn) error {
					if err := t.Lock(ctx, lockRequest("\x03hot", kv.LockX, -1)); err != nil {
						return err
					}
					n, err := number(ctx, t.Latest(kv.Now), "\x03hot")
					if err != nil {
						return err
					}
					if err := t.Put([]byte("\x03hot"), []byte(strconv.Itoa(n+1))); err != nil {
						return err
					}
					_, err = t.Commit(ctx, kv.CommitOptions{})
					return err
				})
				if err != nil {
					return err
				}
			}
			return nil
		})
		e.requireStored(fmt.Sprintf("\x03hot=%d", sessions*rounds))
	}},
	{"hooks are serial, published in order", func(e *env) {
		const rounds = 40
		var inside atomic.Int32
		var published []kv.Position // guarded by the section, as the race detector checks
		e.concurrently(func(ctx context.Context, session int) error {
			for i := range rounds {
				t, err := e.store.Begin(ctx)
				if err != nil {
					return err
				}
				if err := t.Put([]byte(fmt.Sprintf("\x03s%d-%d", session, i)), []byte("x")); err != nil {
					return err
				}
				var hooked kv.Position
				pos, err := t.Commit(ctx, kv.CommitOptions{
					Hook: func(latest kv.Reader, w kv.Writer, pos kv.Position) error {
						if inside.Add(1) != 1 {
							return errors.New("two hooks at once")
						}
						defer inside.Add(-1)
						hooked = pos
						n, err := number(ctx, latest, "\x04count")
						if err != nil {
							return err
						}
						return w.Put([]byte("\x04count"), []byte(strconv.Itoa(n+1)))
					},
					Published: func(pos kv.Position) { published = append(published, pos) },
				})
				if err != nil {
					return err
				}
				if pos != hooked {
					return fmt.Errorf("position %d, in the hook %d", pos, hooked)
				}
			}
			return nil
		})
		require.Len(e, published, sessions*rounds)
		for i := 1; i < len(published); i++ {
			require.Greater(e, published[i], published[i-1])
		}
		t := e.begin()
		e.requireGet(t.Latest(kv.Now), "\x04count", strconv.Itoa(sessions*rounds))
		require.Len(e, e.scan(t.Latest(kv.Now), span("\x03", "\x04"), false), sessions*rounds)
		t.Rollback()
	}},
	{"snapshots sum up while money moves", func(e *env) { e.bank() }},
	{"begin, close and the rest at once", func(e *env) {
		var wg sync.WaitGroup
		for i := range sessions {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for n := 0; ; n++ {
					t, err := e.store.Begin(e.ctx)
					if errors.Is(err, kv.ErrClosed) {
						return
					}
					err = errors.Join(err, t.Put([]byte(row(i)), []byte(strconv.Itoa(n))))
					_, commitErr := t.Commit(e.ctx, kv.CommitOptions{Durability: kv.DurabilityNone})
					if err = errors.Join(err, commitErr); errors.Is(err, kv.ErrClosed) {
						return
					}
					if err != nil {
						e.Error(err)
						return
					}
				}
			}()
		}
		time.Sleep(5 * time.Millisecond)
		e.closed = true
		require.NoError(e, e.store.Close())
		require.NoError(e, e.within("the sessions", func() error { wg.Wait(); return nil }))
	}},
}

const (
	accounts     = 10
	startBalance = 100
)

// bank moves money between accounts under locks while snapshots sum it up.
func (e *env) bank() {
	const transfers = 60
	t := e.begin()
	for i := range accounts {
		e.put(t, row(i), strconv.Itoa(startBalance))
	}
	e.commit(t)
	e.concurrently(func(ctx context.Context, session int) error {
		r := rand.New(rand.NewPCG(uint64(session), 5))
		for range transfers {
			from, to := r.IntN(accounts), r.IntN(accounts)
			var err error
			if session%4 == 0 {
				err = e.audit(ctx)
			} else if from != to {
				err = e.retry(ctx, func(t kv.Txn) error { return transfer(ctx, t, from, to) })
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	require.NoError(e, e.audit(e.ctx))
}

// transfer moves 1, locking in the order of the arguments.
func transfer(ctx context.Context, t kv.Txn, from, to int) error {
	for _, change := range []struct{ account, by int }{{from, -1}, {to, 1}} {
		key := row(change.account)
		if err := t.Lock(ctx, lockRequest(key, kv.LockX, -1)); err != nil {
			return err
		}
		n, err := number(ctx, t.Latest(kv.Now), key)
		if err != nil {
			return err
		}
		if err := t.Put([]byte(key), []byte(strconv.Itoa(n+change.by))); err != nil {
			return err
		}
	}
	_, err := t.Commit(ctx, kv.CommitOptions{})
	return err
}

// audit sums up the accounts in a snapshot.
func (e *env) audit(ctx context.Context) error {
	t, err := e.store.Begin(ctx)
	if err != nil {
		return err
	}
	defer t.Rollback()
	r, err := t.Snapshot(kv.Now)
	if err != nil {
		return err
	}
	sum := 0
	for i := range accounts {
		n, err := number(ctx, r, row(i))
		if err != nil {
			return err
		}
		sum += n
	}
	if sum != accounts*startBalance {
		return fmt.Errorf("the sum is %d", sum)
	}
	// In this order: a commit between the two calls only raises the second.
	if d, a := e.store.Durable(), e.store.Applied(); d > a {
		return fmt.Errorf("durable %d, applied %d", d, a)
	}
	return nil
}
