package pebblekv

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"
)

// snapshots hands out Pebble's snapshots, one for all who ask while nothing has
// become visible in between.
type snapshots struct {
	store *Store

	// current is the newest snapshot, or nil. It holds one reference itself.
	current atomic.Pointer[snapshot]

	mu sync.Mutex
	// open is every snapshot that is not closed, oldest first. Guarded by mu.
	open []*snapshot
}

// snapshot is one of Pebble's, counted.
type snapshot struct {
	engine *pebble.Snapshot
	// generation is the store's, read before the snapshot was taken. So the
	// snapshot holds at least what had become visible by then, and while the
	// store's generation is the same nothing that anybody was told about is
	// missing from it.
	generation uint64
	taken      time.Time
	// refs counts holders, and one for being current. It only leaves zero by
	// being made: a compare-and-swap from at least one is the only way up, so a
	// snapshot that was closed is never handed out again.
	refs atomic.Int64
}

// retain adds a holder unless the snapshot is dead.
func (n *snapshot) retain() bool {
	for {
		refs := n.refs.Load()
		if refs == 0 {
			return false
		}
		if n.refs.CompareAndSwap(refs, refs+1) {
			return true
		}
	}
}

// acquire returns a snapshot that holds everything visible now. The caller
// releases it.
func (c *snapshots) acquire() (*snapshot, error) {
	if n := c.usable(); n != nil {
		return n, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := c.usable(); n != nil {
		return n, nil
	}
	if err := c.store.latch.err(); err != nil {
		return nil, err
	}
	n := &snapshot{generation: c.store.generation.Load(), taken: time.Now()}
	n.engine = c.store.db.NewSnapshot()
	n.refs.Store(2) // the caller and current
	c.open = append(c.open, n)
	if old := c.current.Swap(n); old != nil {
		c.releaseLocked(old)
	}
	return n, nil
}

// usable returns the current snapshot, retained, if nothing has become visible
// since it was taken and the store has not failed.
func (c *snapshots) usable() *snapshot {
	n := c.current.Load()
	if n == nil || c.store.latch.tripped() || n.generation != c.store.generation.Load() || !n.retain() {
		return nil
	}
	return n
}

// release gives up a holder.
func (c *snapshots) release(n *snapshot) {
	if n.refs.Add(-1) > 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bury(n)
}

func (c *snapshots) releaseLocked(n *snapshot) {
	if n.refs.Add(-1) == 0 {
		c.bury(n)
	}
}

// bury closes a snapshot that nobody holds. mu is held.
func (c *snapshots) bury(n *snapshot) {
	for i := range c.open {
		if c.open[i] == n {
			c.open = append(c.open[:i], c.open[i+1:]...)
			break
		}
	}
	if c.store.latch.tripped() {
		return // Pebble may be stuck with its mutex held
	}
	if err := n.engine.Close(); err != nil {
		c.store.options.Logger.Error("closing a snapshot", "error", err)
	}
}

// dropStale forgets the current snapshot if something has become visible since:
// nobody will share it any more, and it would keep old versions from being
// compacted away.
func (c *snapshots) dropStale() {
	n := c.current.Load()
	if n == nil || n.generation == c.store.generation.Load() {
		return
	}
	if c.current.CompareAndSwap(n, nil) {
		c.release(n)
	}
}

// close forgets the current snapshot.
func (c *snapshots) close() {
	if n := c.current.Swap(nil); n != nil {
		c.release(n)
	}
}

// held returns how many snapshots somebody holds and the age of the oldest.
func (c *snapshots) held() (count int, oldest time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	current := c.current.Load()
	for _, n := range c.open {
		holders := n.refs.Load()
		if n == current {
			holders--
		}
		if holders <= 0 {
			continue
		}
		if count++; count == 1 {
			oldest = time.Since(n.taken)
		}
	}
	return count, oldest
}
