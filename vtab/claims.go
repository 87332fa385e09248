package vtab

import (
	"sync"

	"github.com/freshetdb/freshet/catalog"
)

// claims are the ids whose key ranges may hold keys although no committed entry
// names them: those handed out to running transactions, and those of temporary
// tables. It is safe for concurrent use.
type claims struct {
	mu  sync.Mutex
	ids map[catalog.ID]struct{}
}

func newClaims() *claims { return &claims{ids: map[catalog.ID]struct{}{}} }

func (c *claims) add(id catalog.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ids[id] = struct{}{}
}

// drop ends claims. What lies in the ranges must be owned or gone by then.
func (c *claims) drop(ids ...catalog.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range ids {
		delete(c.ids, id)
	}
}

func (c *claims) has(id catalog.ID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, ok := c.ids[id]
	return ok
}
