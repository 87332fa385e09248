package locks

import (
	"bytes"
	"slices"

	"github.com/freshetdb/freshet/vtab/kv"
)

// VictimRule names how the victim of a deadlock is chosen among the ring: who
// holds the fewest locks has the least work to lose, and of several such the
// youngest. Each defeat in a row doubles what an owner's locks count for, so that
// whoever is tried again does not lose for ever.
const VictimRule = "fewest locks, doubled for each defeat in a row, then youngest"

// defeatsMax bounds the doubling: 2^20 outweighs what an owner's memory can hold.
const defeatsMax = 20

// step is a waiting owner found by the search, with the edge that led to it.
type step struct {
	w       *waiter
	from    int     // index of the step that waits for it, -1 for the start
	edge    modeSet // what it holds or asks for that blocks that one
	waiting bool    // whether the edge is a request ahead, not a hold
}

// search is one breadth-first walk of the wait-for graph from one request, so
// the ring it finds is a shortest one.
type search struct {
	start *waiter
	steps []step
	seen  map[*Owner]bool
	// expanded holds, per key, a request whose blockers are all in steps. Those
	// of a request ahead of it that excludes no more are among them, which
	// keeps a long queue from being walked once per request in it. It is only
	// used for keys the start does not hold: there no request ahead can be
	// waiting for the start.
	expanded map[*entry]*waiter
}

// resolve ends every ring that w closes. The caller holds t.detect.
func (t *Table) resolve(w *waiter) {
	for {
		ring := t.findRing(w)
		if ring == nil {
			return
		}
		victim := chooseVictim(ring)
		report := t.describe(ring, victim)
		if !ring.stillWaiting() {
			continue // a wait of it ended by itself meanwhile
		}
		s := victim.shard
		s.mu.Lock()
		victim.report = report
		killed := s.cancel(t, victim, stateVictim)
		s.mu.Unlock()
		if killed {
			t.counts.deadlocks.Add(1)
			t.deadlock.Store(report)
		}
		if victim == w {
			return
		}
	}
}

// ring is a cycle of waits: each waits for the next, the last for the first.
type ring []step

// findRing returns a ring that contains w, nil if there is none.
func (t *Table) findRing(w *waiter) ring {
	f := search{start: w, steps: []step{{w: w, from: -1}}}
	for i := 0; i < len(f.steps); i++ {
		if closing := f.expand(i); closing != nil {
			return f.ring(i, *closing)
		}
	}
	return nil
}

// expand adds the owners that step i waits for. It returns the closing edge if
// the start is among them.
func (f *search) expand(i int) (closing *step) {
	w := f.steps[i].w
	w.shard.mu.Lock()
	defer w.shard.mu.Unlock()
	if w.state != stateWaiting || f.covered(w) {
		return nil
	}
	w.blockers(func(o *Owner, m modeSet, waiting bool) bool {
		if o == f.start.owner {
			closing = &step{w: f.start, from: i, edge: m, waiting: waiting}
			return false
		}
		if next := o.waiting.Load(); next != nil && !f.seen[o] {
			if f.seen == nil {
				f.seen = make(map[*Owner]bool)
			}
			f.seen[o] = true
			f.steps = append(f.steps, step{w: next, from: i, edge: m, waiting: waiting})
		}
		return true
	})
	return closing
}

// covered reports whether another request's expansion has found all that w
// waits for, and otherwise notes that w's own now will. The caller holds the
// shard's mutex.
func (f *search) covered(w *waiter) bool {
	if w.held != nil || f.holds(w.entry) {
		return false
	}
	if by := f.expanded[w.entry]; by != nil {
		wider := conflictsOf[w.mode]&^conflictsOf[by.mode] == 0
		return wider && w.seq < by.seq
	}
	if f.expanded == nil {
		f.expanded = make(map[*entry]*waiter)
	}
	f.expanded[w.entry] = w
	return false
}

// holds reports whether the start's owner holds e.
func (f *search) holds(e *entry) bool {
	for h := e.holders; h != nil; h = h.next {
		if h.owner == f.start.owner {
			return true
		}
	}
	return false
}

// ring follows the edges back from step i and returns them in order of waiting,
// each step carrying the edge by which it blocks the one before.
func (f *search) ring(i int, closing step) ring {
	var r ring
	for ; i > 0; i = f.steps[i].from {
		r = append(r, f.steps[i])
	}
	r = append(r, closing) // the start, as the one that blocks the last
	slices.Reverse(r)
	return r
}

// stillWaiting reports whether every wait of the ring is under way. Together
// with Table.detect, under which no wait begins, that makes the ring real: who
// waited all the time has released nothing.
func (r ring) stillWaiting() bool {
	for _, st := range r {
		st.w.shard.mu.Lock()
		state := st.w.state
		st.w.shard.mu.Unlock()
		if state != stateWaiting {
			return false
		}
	}
	return true
}

// chooseVictim applies VictimRule.
func chooseVictim(r ring) *waiter {
	victim := r[0].w
	for _, st := range r[1:] {
		o, v := st.w.owner, victim.owner
		if n, m := o.weight(), v.weight(); n < m || n == m && o.id > v.id {
			victim = st.w
		}
	}
	return victim
}

// describe reports a ring.
func (t *Table) describe(r ring, victim *waiter) *kv.Deadlock {
	now := t.clock()
	d := &kv.Deadlock{At: t.start.Add(now), Victim: victim.owner.id, Rule: VictimRule}
	for i, st := range r {
		w, next := st.w, r[(i+1)%len(r)]
		wait := kv.DeadlockWait{
			Owner: w.owner.id, Locks: w.owner.count.Load(), Waited: now - w.since, Mode: w.mode,
			Blocker: next.w.owner.id, Asked: next.waiting,
		}
		next.edge.modes(func(m kv.LockMode) { wait.Blocking = append(wait.Blocking, m) })
		w.shard.mu.Lock()
		if w.state == stateWaiting {
			wait.Key = bytes.Clone(w.entry.key)
		}
		w.shard.mu.Unlock()
		d.Waits = append(d.Waits, wait)
	}
	return d
}

// LastDeadlock is the report of the last deadlock, nil if there was none.
func (t *Table) LastDeadlock() *kv.Deadlock { return t.deadlock.Load() }
