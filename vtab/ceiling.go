package vtab

import (
	"bytes"
	"context"
	"sync"

	"github.com/freshetdb/freshet/catalog"
	"github.com/freshetdb/freshet/vtab/kv"
)

// ceiling is an upper bound of the keys of one unique key range, over what is
// committed and what any transaction has pending. A key above it is new without
// a read, which is what rows that arrive in key order cost then.
//
// Every key that an editor puts into the range passes through above first, while
// its transaction holds the key's lock; builds write ranges that no editor knows
// yet. The bound never falls: after a rollback or a delete it is only less use.
type ceiling struct {
	mu    sync.Mutex
	known bool
	key   []byte // nil: the range is empty
}

// above reports whether key is above all keys of span, and makes it the bound if
// so. The caller holds the lock on key.
func (c *ceiling) above(ctx context.Context, latest kv.Reader, span kv.Range, key []byte) (bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.known {
		last, err := lastKey(ctx, latest, span)
		if err != nil {
			return false, err
		}
		c.key, c.known = last, true
	}
	if bytes.Compare(key, c.key) <= 0 {
		return false, nil
	}
	c.key = append(c.key[:0], key...)
	return true, nil
}

// lastKey is the largest key of a range, nil if there is none.
func lastKey(ctx context.Context, r kv.Reader, span kv.Range) (key []byte, err error) {
	it := r.Scan(ctx, span, kv.ScanOptions{Reverse: true, KeysOnly: true})
	defer closing(&err, it.Close)
	if it.Next() {
		return bytes.Clone(it.Key()), nil
	}
	return nil, it.Err()
}

// ceilings holds the bounds by the id of the range.
type ceilings struct {
	mu sync.Mutex
	of map[catalog.ID]*ceiling
}

func (c *ceilings) get(id catalog.ID) *ceiling {
	c.mu.Lock()
	defer c.mu.Unlock()
	found := c.of[id]
	if found == nil {
		if c.of == nil {
			c.of = map[catalog.ID]*ceiling{}
		}
		found = &ceiling{}
		c.of[id] = found
	}
	return found
}

func (c *ceilings) forget(id catalog.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.of, id)
}
