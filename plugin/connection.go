package plugin

import (
	"sync"

	"github.com/dolthub/vitess/go/mysql"
)

// connection is what the server knows about an open connection beyond its
// session.
type connection struct {
	mysql    *mysql.Conn
	watch    clientWatch
	prepared preparedTexts
}

// connections holds the open connections by id.
type connections struct {
	mu   sync.RWMutex
	byID map[uint32]*connection
}

func newConnections() *connections { return &connections{byID: map[uint32]*connection{}} }

func (s *connections) add(c *mysql.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.byID[c.ConnectionID] = &connection{mysql: c}
}

func (s *connections) remove(c *mysql.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.byID, c.ConnectionID)
}

// of returns the connection of c. It exists from NewConnection to
// ConnectionClosed, between which all commands run.
func (s *connections) of(c *mysql.Conn) *connection {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.byID[c.ConnectionID]
}

func (s *connections) all() []*connection {
	s.mu.RLock()
	defer s.mu.RUnlock()
	all := make([]*connection, 0, len(s.byID))
	for _, c := range s.byID {
		all = append(all, c)
	}
	return all
}
