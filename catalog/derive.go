package catalog

import (
	"sync"
	"sync/atomic"
)

// derivation is the slot for what another layer computes from a published table
// descriptor. It knows its owner because a descriptor that was copied by value
// shares the slot, and must not be served what was derived from the original.
type derivation struct {
	owner *Table
	mu    sync.Mutex
	value atomic.Pointer[any]
}

// Derive returns what build makes of the descriptor. For a descriptor that came
// out of a Snapshot, build runs once and its value is kept with the descriptor;
// a failure is not kept. For any other descriptor build runs at each call. There
// is one slot: every caller must pass the same build. Safe for concurrent use;
// build must not call Derive on the same descriptor.
func (t *Table) Derive(build func(*Table) (any, error)) (any, error) {
	d := t.derived
	if d == nil || d.owner != t {
		return build(t)
	}
	if v := d.value.Load(); v != nil {
		return *v, nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if v := d.value.Load(); v != nil {
		return *v, nil
	}
	v, err := build(t)
	if err != nil {
		return nil, err
	}
	d.value.Store(&v)
	return v, nil
}
