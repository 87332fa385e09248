package isolation

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/integration/process"
)

// service is a server that may be killed: a process of its own over a folder.
type service struct {
	t      *testing.T
	data   string
	server *process.Server
}

func newService(t *testing.T) *service {
	s := &service{t: t, data: t.TempDir()}
	s.server = process.Start(t, s.data)
	_, err := s.pool().Exec("CREATE DATABASE d")
	require.NoError(t, err)
	return s
}

func (s *service) pool() *sql.DB { return s.server.Open("", "") }

// client opens a session in the present life of the server.
func (s *service) client(name, level string) *client {
	s.t.Helper()
	return newClient(s.t, s.pool(), name, level)
}

// revive kills the server and starts it again, over a store that is sound.
func (s *service) revive() {
	s.t.Helper()
	s.server.Kill()
	process.Check(s.t, s.data)
	s.server = process.Start(s.t, s.data)
}

// stop ends the server, over a store that is sound.
func (s *service) stop() {
	s.t.Helper()
	s.server.Stop()
	process.Check(s.t, s.data)
}

// errGone: the connection is lost; whether the last statement took effect is not
// known.
var errGone = errors.New("the server is gone")

// sent is try for clients of a server that may be killed.
func (c *client) sent(query string, args ...any) (string, error) {
	rows, err := c.try(query, args...)
	if err != nil && errorNumber(err) == 0 {
		return "", errGone
	}
	return rows, err
}

// life runs clients until the time is over, each in a goroutine, and ends it by a
// kill unless it is the last.
func (s *service) life(d time.Duration, last bool, clients ...func(stop context.Context) error) {
	s.t.Helper()
	stop, cancel := context.WithCancel(context.Background())
	defer cancel()
	var running sync.WaitGroup
	for _, run := range clients {
		running.Add(1)
		go func() {
			defer running.Done()
			if err := run(stop); err != nil && !errors.Is(err, errGone) {
				s.t.Error(err)
			}
		}()
	}
	time.Sleep(d)
	if last {
		cancel()
		running.Wait()
	} else {
		s.revive()
		running.Wait()
	}
	if s.t.Failed() {
		s.t.FailNow()
	}
}

// again reports whether a transaction is to be repeated: it was refused, as 1213 and
// 1205 say, and has ended.
func (c *client) again(err error) bool {
	switch errorNumber(err) {
	case 1213:
		return true
	case 1205:
		_, err := c.sent("ROLLBACK")
		return err == nil
	}
	return false
}
