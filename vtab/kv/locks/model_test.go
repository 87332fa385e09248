package locks

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/vtab/kv"
)

// model is the lock table in its simplest form: one step at a time, no hashing,
// no wake-ups. Deadlocks are found by reachability, and whom the table made the
// victim is taken from it, as long as the choice breaks a ring.
type model struct {
	keys map[string]*modelKey
}

type modelKey struct {
	held  map[uint64]modeSet
	queue []modelRequest
}

type modelRequest struct {
	owner uint64
	mode  kv.LockMode
	conv  bool
}

func (m *model) key(k string) *modelKey {
	if m.keys[k] == nil {
		m.keys[k] = &modelKey{held: map[uint64]modeSet{}}
	}
	return m.keys[k]
}

func (m *model) clone() *model {
	c := &model{keys: map[string]*modelKey{}}
	for k, e := range m.keys {
		c.keys[k] = &modelKey{held: maps.Clone(e.held), queue: slices.Clone(e.queue)}
	}
	return c
}

// blockers are the owners that block a request standing at index i.
func (k *modelKey) blockers(r modelRequest, i int) []uint64 {
	var out []uint64
	clash := func(a, b kv.LockMode) bool { return matrix[a-kv.LockIS][b-kv.LockIS] == '-' }
	for o, set := range k.held {
		set.modes(func(h kv.LockMode) {
			if o != r.owner && clash(h, r.mode) {
				out = append(out, o)
			}
		})
	}
	if !r.conv {
		for _, a := range k.queue[:i] {
			if clash(a.mode, r.mode) {
				out = append(out, a.owner)
			}
		}
	}
	return out
}

// ask returns whether the request was granted, otherwise it joined the queue if
// join is set.
func (m *model) ask(owner uint64, key string, mode kv.LockMode, join bool) bool {
	k := m.key(key)
	held, conv := k.held[owner]
	r := modelRequest{owner, mode, conv}
	if conv && held.covers(mode) || len(k.blockers(r, len(k.queue))) == 0 {
		k.grant(r)
		return true
	}
	if join {
		at := len(k.queue)
		if conv {
			at = 0
			for at < len(k.queue) && k.queue[at].conv {
				at++
			}
		}
		k.queue = slices.Insert(k.queue, at, r)
	}
	return false
}

func (k *modelKey) grant(r modelRequest) {
	if s, ok := k.held[r.owner]; ok && s.covers(r.mode) {
		return
	}
	k.held[r.owner] = k.held[r.owner].with(r.mode)
}

// settle grants from the head of the queue until nothing changes.
func (k *modelKey) settle() {
	for i := 0; i < len(k.queue); {
		if len(k.blockers(k.queue[i], i)) == 0 {
			k.grant(k.queue[i])
			k.queue = slices.Delete(k.queue, i, i+1)
			i = 0
			continue
		}
		i++
	}
}

func (m *model) release(owner uint64, key string) {
	if k := m.keys[key]; k != nil {
		delete(k.held, owner)
		k.settle()
	}
}

func (m *model) leave(owner uint64) {
	for _, k := range m.keys {
		if i := slices.IndexFunc(k.queue, func(r modelRequest) bool { return r.owner == owner }); i >= 0 {
			k.queue = slices.Delete(k.queue, i, i+1)
			k.settle()
		}
	}
}

// reach is the set of owners that owner waits for, directly or not.
func (m *model) reach(owner uint64) map[uint64]bool {
	seen := map[uint64]bool{}
	var visit func(uint64)
	visit = func(o uint64) {
		for _, k := range m.keys {
			for i, r := range k.queue {
				if r.owner != o {
					continue
				}
				for _, b := range k.blockers(r, i) {
					if !seen[b] {
						seen[b] = true
						visit(b)
					}
				}
			}
		}
	}
	visit(owner)
	return seen
}

// breakRings removes the victims from the model in some order in which each of
// them lies on a ring with owner, so that no ring is left. Nil: impossible.
func (m *model) breakRings(owner uint64, victims []uint64) *model {
	inRing := m.reach(owner)[owner]
	if len(victims) == 0 {
		if inRing {
			return nil
		}
		return m
	}
	for i, v := range victims {
		if !inRing || !m.reach(owner)[v] || !m.reach(v)[owner] {
			continue
		}
		c := m.clone()
		c.leave(v)
		if c := c.breakRings(owner, slices.Delete(slices.Clone(victims), i, i+1)); c != nil {
			return c
		}
	}
	return nil
}

// waits lists the owners in queues.
func (m *model) waits() map[uint64]bool {
	w := map[uint64]bool{}
	for _, k := range m.keys {
		for _, r := range k.queue {
			w[r.owner] = true
		}
	}
	return w
}

// lines renders holders and queues in comparable form.
func (m *model) lines() []string {
	var out []string
	for key, k := range m.keys {
		for o, set := range k.held {
			set.modes(func(h kv.LockMode) { out = append(out, fmt.Sprintf("%s: %d holds %s", key, o, h.String())) })
		}
		for i, r := range k.queue {
			out = append(out, fmt.Sprintf("%s: %d. %d wants %s", key, i, r.owner, r.mode.String()))
		}
	}
	slices.Sort(out)
	return out
}

func tableLines(lt *Table) []string {
	var out []string
	place := map[string]int{}
	for _, i := range lt.Snapshot() {
		key := string(i.Key)
		if !i.Waiting {
			out = append(out, fmt.Sprintf("%s: %d holds %s", key, i.Owner, i.Mode.String()))
			continue
		}
		out = append(out, fmt.Sprintf("%s: %d. %d wants %s", key, place[key], i.Owner, i.Mode.String()))
		place[key]++
	}
	slices.Sort(out)
	return out
}

// actor is one owner of the random history.
type actor struct {
	*Owner
	done   <-chan error
	cancel context.CancelFunc
}

// history drives table and model side by side.
type history struct {
	t      *testing.T
	rnd    *rand.Rand
	lt     *Table
	m      *model
	actors []*actor
	kills  int
}

func (h *history) step() {
	a := h.actors[h.rnd.IntN(len(h.actors))]
	key := string(rune('a' + h.rnd.IntN(4)))
	if a.done != nil { // it waits: leave it alone, or end its wait
		if h.rnd.IntN(4) == 0 {
			a.cancel()
			require.ErrorIs(h.t, requireDecided(h.t, a.done), context.Canceled)
			a.done = nil
			h.m.leave(a.ID())
			h.settle(a.ID(), nil)
		}
		return
	}
	switch h.rnd.IntN(10) {
	case 0:
		a.ReleaseAll()
		for k := range h.m.keys {
			h.m.release(a.ID(), k)
		}
		h.settle(a.ID(), nil)
	case 1:
		a.Unlock([]byte(key))
		h.m.release(a.ID(), key)
		h.settle(a.ID(), nil)
	default:
		h.lock(a, key, modes[h.rnd.IntN(len(modes))])
	}
}

func (h *history) lock(a *actor, key string, mode kv.LockMode) {
	join := h.rnd.IntN(4) > 0
	granted := h.m.ask(a.ID(), key, mode, join)
	if !join {
		err := a.Lock(ctx, req(key, mode, 0))
		require.Equal(h.t, granted, err == nil)
		h.settle(a.ID(), nil)
		return
	}
	cctx, cancel := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- a.Lock(cctx, req(key, mode, -1)) }()
	for a.waiting.Load() == nil && len(done) == 0 {
		runtime.Gosched()
	}
	h.lt.detect.Lock() // joining and resolving are one step
	_ = h.lt.seq
	h.lt.detect.Unlock()
	a.done, a.cancel = done, cancel
	if granted {
		require.NoError(h.t, requireDecided(h.t, done))
		a.done = nil
	}
	h.settle(a.ID(), a)
}

// settle brings the model to where the table is after a step of mover and
// compares the two.
func (h *history) settle(mover uint64, joined *actor) {
	var victims []uint64
	if joined != nil {
		for _, a := range h.actors {
			if a.done != nil && h.decided(a) == stateVictim {
				require.Equal(h.t, kv.LockDeadlock, lockReason(requireDecided(h.t, a.done)))
				a.done = nil
				victims = append(victims, a.ID())
			}
		}
	}
	h.kills += len(victims)
	m := h.m.breakRings(mover, victims)
	require.NotNil(h.t, m, "victims %v don't fit the model", victims)
	h.m = m
	waits := h.m.waits()
	for _, a := range h.actors {
		if a.done != nil && !waits[a.ID()] {
			require.NoError(h.t, requireDecided(h.t, a.done))
			a.done = nil
		}
	}
	require.Equal(h.t, h.m.lines(), tableLines(h.lt))
}

func (h *history) decided(a *actor) waitState {
	w := a.waiting.Load()
	if w == nil { // the goroutine has come back
		err := <-a.done
		back := make(chan error, 1)
		back <- err
		a.done = back
		if err != nil {
			return stateVictim
		}
		return stateGranted
	}
	w.shard.mu.Lock()
	defer w.shard.mu.Unlock()
	return w.state
}

// TestModel runs random histories against the model (INV-LOCK-1 to 5).
func TestModel(t *testing.T) {
	first := uint64(time.Now().UnixNano())
	kills := 0
	for i := range 60 {
		seed := first + uint64(i)
		t.Run(fmt.Sprint(seed), func(t *testing.T) { kills += runHistory(t, seed) })
		if t.Failed() {
			break
		}
	}
	require.NotZero(t, kills, "no history had a deadlock")
}

// TestModelFixedSeeds runs the same histories every time, for bisecting.
func TestModelFixedSeeds(t *testing.T) {
	for _, seed := range []uint64{1, 2, 3} {
		runHistory(t, seed)
	}
}

func runHistory(t *testing.T, seed uint64) int {
	h := &history{t: t, rnd: rand.New(rand.NewPCG(seed, 1)), lt: New(), m: &model{keys: map[string]*modelKey{}}}
	for range 3 + h.rnd.IntN(5) {
		h.actors = append(h.actors, &actor{Owner: h.lt.NewOwner()})
	}
	for range 200 {
		h.step()
	}
	for _, a := range h.actors {
		if a.done != nil {
			a.cancel()
			require.ErrorIs(t, requireDecided(t, a.done), context.Canceled)
			a.done = nil
			h.m.leave(a.ID())
			h.settle(a.ID(), nil)
		}
	}
	for _, a := range h.actors {
		a.ReleaseAll()
	}
	requireEmpty(t, h.lt)
	return h.kills
}
