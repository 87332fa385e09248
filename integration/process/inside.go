package process

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/freshetdb/freshet/plugin"
)

// Inside is a server within the test's process, over a store that the test
// holds.
type Inside struct {
	t      T
	server *plugin.Server
	served chan struct{}
	ended  bool
	pools  []*sql.DB
}

// ServeDB serves db on a free port until End or the end of the test.
func ServeDB(t T, db *plugin.DB) *Inside {
	t.Helper()
	server, err := db.NewServer(plugin.ServerOptions{Address: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	s := &Inside{t: t, server: server, served: make(chan struct{})}
	go func() {
		defer close(s.served)
		server.Serve()
	}()
	t.Cleanup(s.End)
	return s
}

// Open returns a pool of connections as root.
func (s *Inside) Open(database, parameters string) *sql.DB {
	s.t.Helper()
	db, err := sql.Open("mysql", fmt.Sprintf("root@tcp(%s)/%s?%s", s.server.Addr(), database, parameters))
	if err != nil {
		s.t.Fatal(err)
	}
	s.pools = append(s.pools, db)
	return db
}

// End closes the pools and shuts the server down. A second End does nothing.
func (s *Inside) End() {
	if s.ended {
		return
	}
	s.ended = true
	for _, pool := range s.pools {
		_ = pool.Close()
	}
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	began := time.Now()
	if err := s.server.Shutdown(ctx); err != nil {
		s.t.Fatalf("shutting down, for %v: %v", time.Since(began), err)
	}
	<-s.served
}
