package kv

import (
	"fmt"
	"strings"
	"time"
)

// Deadlock describes a ring of transactions that waited for one another.
type Deadlock struct {
	At time.Time
	// Waits are the waits of the ring: each is for the transaction of the next, the
	// last for that of the first.
	Waits  []DeadlockWait
	Victim uint64 // the transaction that was made to give up
	Rule   string // by which it was chosen
}

// DeadlockWait is the wait of one transaction in a ring.
type DeadlockWait struct {
	Owner  uint64 // transaction id
	Locks  int64  // keys it holds
	Waited time.Duration
	Key    []byte // that it waits for; empty if the wait ended while it was described
	Mode   LockMode
	// Blocker is the transaction that stands in the way, and Blocking the modes of
	// the key that it holds, or, if Asked, has asked for before.
	Blocker  uint64
	Blocking []LockMode
	Asked    bool
}

// String renders the report, keys in hexadecimal.
func (d *Deadlock) String() string {
	return d.Render(func(key []byte) string { return fmt.Sprintf("key %x", key) })
}

// Render renders the report with keys as describe names them.
func (d *Deadlock) Render(describe func(key []byte) string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "deadlock at %s: %d transactions wait in a ring\n", d.At.UTC().Format(time.RFC3339Nano), len(d.Waits))
	for _, w := range d.Waits {
		key := "a key that was granted meanwhile"
		if len(w.Key) > 0 {
			key = describe(w.Key)
		}
		verb := "holds"
		if w.Asked {
			verb = "asked before for"
		}
		modes := make([]string, len(w.Blocking))
		for i, m := range w.Blocking {
			modes[i] = m.String()
		}
		fmt.Fprintf(&b, "transaction %d (%d locks) has waited %s for %s on %s, which transaction %d %s in %s\n",
			w.Owner, w.Locks, w.Waited.Round(time.Microsecond), w.Mode, key, w.Blocker, verb, strings.Join(modes, "+"))
	}
	fmt.Fprintf(&b, "victim: transaction %d (%s)\n", d.Victim, d.Rule)
	return b.String()
}
