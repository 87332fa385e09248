package locks

import (
	"time"

	"github.com/freshetdb/freshet/vtab/kv"
)

// waitState is what has become of a request that joined a queue.
type waitState uint8

const (
	stateWaiting waitState = iota
	stateGranted
	stateVictim
	stateGone // timed out or cancelled
)

// waiter is one request in a queue. The shard's mutex guards state, result,
// report and links; the rest is fixed when it joins.
type waiter struct {
	owner      *Owner
	shard      *shard
	hash       uint64
	entry      *entry // valid while state is stateWaiting
	mode       kv.LockMode
	held       *hold  // set for a conversion: what the owner holds already
	seq        uint64 // order of joining, over all queues
	since      time.Duration
	prev, next *waiter

	state  waitState
	result *hold         // of a granted request
	report *kv.Deadlock  // of a victim
	done   chan struct{} // closed when granted or made a victim
}

// queue is the list of requests for one key: conversions first, each part in
// order of joining.
type queue struct {
	head, tail     *waiter
	lastConversion *waiter
}

// push adds w behind its kind.
func (q *queue) push(w *waiter) {
	after := q.tail
	if w.held != nil {
		after = q.lastConversion
		q.lastConversion = w
	}
	w.prev = after
	if after != nil {
		w.next, after.next = after.next, w
	} else {
		w.next, q.head = q.head, w
	}
	if w.next != nil {
		w.next.prev = w
	} else {
		q.tail = w
	}
}

// drop takes w out.
func (q *queue) drop(w *waiter) {
	if q.lastConversion == w {
		q.lastConversion = w.prev // only conversions stand before a conversion
	}
	if w.prev != nil {
		w.prev.next = w.next
	} else {
		q.head = w.next
	}
	if w.next != nil {
		w.next.prev = w.prev
	} else {
		q.tail = w.prev
	}
	w.prev, w.next = nil, nil
}

// asked is the union of the modes asked for.
func (q *queue) asked() modeSet {
	var m modeSet
	for w := q.head; w != nil && m&setX == 0; w = w.next {
		m |= setOf(w.mode)
	}
	return m
}

// blockedByHolders reports whether a holder other than o excludes mode m.
func (e *entry) blockedByHolders(o *Owner, m kv.LockMode) bool {
	c := conflictsOf[m]
	if e.granted&c == 0 {
		return false
	}
	for h := e.holders; h != nil; h = h.next {
		if h.owner != o && h.modes&c != 0 {
			return true
		}
	}
	return false
}

// blockers calls f for every owner that w waits for, with what it holds or asks
// for, until f returns false. An owner can come twice.
func (w *waiter) blockers(f func(o *Owner, m modeSet, waiting bool) bool) {
	c := conflictsOf[w.mode]
	if w.entry.granted&c != 0 {
		for h := w.entry.holders; h != nil; h = h.next {
			if h.owner != w.owner && h.modes&c != 0 && !f(h.owner, h.modes, false) {
				return
			}
		}
	}
	if w.held != nil {
		return
	}
	for a := w.entry.queue.head; a != w; a = a.next {
		if setOf(a.mode)&c != 0 && !f(a.owner, setOf(a.mode), true) {
			return
		}
	}
}

// grant grants everything in e's queue that nothing blocks, from the head on.
func (s *shard) grant(t *Table, e *entry) {
	var ahead modeSet // asked for by those who go on waiting
	for w := e.queue.head; w != nil && (w.held != nil || ahead&setX == 0); {
		next := w.next
		blocked := e.blockedByHolders(w.owner, w.mode) ||
			w.held == nil && ahead&conflictsOf[w.mode] != 0
		if blocked {
			ahead |= setOf(w.mode)
		} else {
			e.queue.drop(w)
			w.result = w.held
			if w.held != nil {
				w.held.modes = w.held.modes.with(w.mode)
				e.granted |= w.held.modes
			} else {
				w.result = s.link(t, e, w.owner, setOf(w.mode))
			}
			w.finish(stateGranted)
		}
		w = next
	}
}

// finish ends the wait. The request is out of the queue.
func (w *waiter) finish(state waitState) {
	w.state = state
	w.entry = nil
	w.owner.table.counts.waiting.Add(-1)
	close(w.done)
}

// cancel takes a request that still waits out of its queue and grants what it
// held up. It reports whether the request was still waiting. The caller holds
// the shard's mutex.
func (s *shard) cancel(t *Table, w *waiter, state waitState) bool {
	if w.state != stateWaiting {
		return false
	}
	e := w.entry
	e.queue.drop(w)
	w.finish(state)
	s.settle(t, e, w.hash)
	return true
}

// settle is called when a hold or a request of e went away: it grants what has
// become free, or drops the entry if nobody wants it.
func (s *shard) settle(t *Table, e *entry, hash uint64) {
	if e.queue.head != nil {
		s.grant(t, e)
	}
	if e.idle() {
		s.remove(hash, e)
	}
}
