package locks

import (
	"bytes"
	"slices"
	"sync/atomic"

	"github.com/freshetdb/freshet/vtab/kv"
)

// counts are the running counters of a table.
type counts struct {
	waits, busy, gone, deadlocks atomic.Uint64
	waiting                      atomic.Int64
}

// Counters are the table's counters since New, and its present size.
type Counters struct {
	Waits     uint64 // requests that had to wait
	Busy      uint64 // requests that would not wait
	Gone      uint64 // waits that ended by their bound or their context
	Deadlocks uint64 // victims
	Waiting   int    // requests that wait now
	Held      int    // locks that are held now
	Keys      int    // keys that are held or waited for now
}

// Counters returns the counters. Those of the present are summed shard by
// shard, so they are exact only while nothing goes on.
func (t *Table) Counters() Counters {
	c := Counters{
		Waits: t.counts.waits.Load(), Busy: t.counts.busy.Load(),
		Gone: t.counts.gone.Load(), Deadlocks: t.counts.deadlocks.Load(),
		Waiting: int(t.counts.waiting.Load()),
	}
	for i := range t.shards {
		s := &t.shards[i]
		s.mu.Lock()
		c.Held += s.holds
		c.Keys += s.entries
		s.mu.Unlock()
	}
	return c
}

// Snapshot lists holds and waits in order of key: for each key the holders (one
// element per mode, since an owner can hold S and IX), then the queue. It is
// taken shard by shard and so need not be a state of one moment.
func (t *Table) Snapshot() []kv.LockInfo {
	var out []kv.LockInfo
	for i := range t.shards {
		s := &t.shards[i]
		s.mu.Lock()
		for _, e := range s.buckets {
			for ; e != nil; e = e.chain {
				out = t.appendEntry(out, e)
			}
		}
		s.mu.Unlock()
	}
	slices.SortStableFunc(out, func(a, b kv.LockInfo) int { return bytes.Compare(a.Key, b.Key) })
	return out
}

func (t *Table) appendEntry(out []kv.LockInfo, e *entry) []kv.LockInfo {
	key := bytes.Clone(e.key)
	for h := e.holders; h != nil; h = h.next {
		h.modes.modes(func(m kv.LockMode) {
			out = append(out, kv.LockInfo{Key: key, Mode: m, Owner: h.owner.id, Since: t.start.Add(h.since)})
		})
	}
	for w := e.queue.head; w != nil; w = w.next {
		info := kv.LockInfo{Key: key, Mode: w.mode, Owner: w.owner.id, Since: t.start.Add(w.since), Waiting: true}
		w.blockers(func(o *Owner, _ modeSet, _ bool) bool {
			if !slices.Contains(info.BlockedBy, o.id) {
				info.BlockedBy = append(info.BlockedBy, o.id)
			}
			return true
		})
		out = append(out, info)
	}
	return out
}
