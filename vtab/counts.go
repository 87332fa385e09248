package vtab

import (
	"sync"

	"github.com/freshetdb/freshet/catalog"
)

// rowCounts holds the row counts that commits have stored, so that the next commit
// on the same table need not read its count inside the commit section.
type rowCounts struct {
	mu     sync.Mutex
	counts map[catalog.ID]uint64
}

// rowCount is the number of rows under a physical id.
type rowCount struct {
	id   catalog.ID
	rows uint64
}

// of returns the count that the last commit stored; inside the commit section that is
// the count before the next one.
func (c *rowCounts) of(id catalog.ID) (rows uint64, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	rows, known = c.counts[id]
	return rows, known
}

// keep takes over what a commit has stored. Called inside the commit section.
func (c *rowCounts) keep(stored []rowCount) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.counts == nil {
		c.counts = map[catalog.ID]uint64{}
	}
	for _, s := range stored {
		c.counts[s.id] = s.rows
	}
}

// forget drops the count of an id that is not used again.
func (c *rowCounts) forget(id catalog.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.counts, id)
}
