package crash

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/integration/process"
	"github.com/freshetdb/freshet/plugin"
)

// The same random statements without a kill: after each one that commits the
// database holds what it must, and after every few the store is sound. It finds
// faults of single statements with a short history to look at.
func TestRandomStatementsStaySound(t *testing.T) {
	random := newRandom(t)
	const histories, checkEvery = 20, 5
	for range rounds(histories) {
		s := &session{database: "s0", random: rand.New(rand.NewPCG(random.Uint64(), 0)), committed: state{}}
		db, err := plugin.Open(t.Context(), plugin.Options{})
		require.NoError(t, err)
		server := process.ServeDB(t, db)
		pool := server.Open("", "")
		_, err = pool.Exec("CREATE DATABASE s0")
		require.NoError(t, err)
		conn, err := pool.Conn(t.Context())
		require.NoError(t, err)
		require.NoError(t, s.exec(conn, "USE s0"))
		for step := range 120 {
			s.possible = []state{s.committed}
			require.NoError(t, s.next(conn), "after\n%s", s.history())
			if s.tx != nil {
				continue
			}
			s.possible = []state{s.committed}
			s.verify(t, pool, step)
			if step%checkEvery == 0 {
				report, err := db.Check(t.Context())
				require.NoError(t, err)
				require.Empty(t, report.Problems, "after\n%s", s.history())
			}
		}
		require.NoError(t, conn.Close())
		server.End()
		require.NoError(t, db.Close())
	}
}

// Four sessions at the same time, without a kill.
func TestRandomSessionsStaySound(t *testing.T) {
	random := newRandom(t)
	const histories, steps = 10, 150
	for range rounds(histories) {
		db, err := plugin.Open(t.Context(), plugin.Options{})
		require.NoError(t, err)
		server := process.ServeDB(t, db)
		var running sync.WaitGroup
		all := make([]*session, sessions)
		for i := range all {
			s := &session{database: fmt.Sprintf("s%d", i), random: rand.New(rand.NewPCG(random.Uint64(), 0)), committed: state{}}
			all[i] = s
			pool := server.Open("", "")
			_, err := pool.Exec("CREATE DATABASE " + s.database)
			require.NoError(t, err)
			conn, err := pool.Conn(t.Context())
			require.NoError(t, err)
			running.Add(1)
			go func() {
				defer running.Done()
				defer conn.Close()
				err := s.exec(conn, "USE "+s.database)
				for step := 0; step < steps && err == nil; step++ {
					err = s.next(conn)
				}
				if err == nil {
					err = s.exec(conn, "ROLLBACK")
				}
				if err != nil {
					t.Errorf("%s: %v, after\n%s", s.database, err, s.history())
				}
			}()
		}
		running.Wait()
		pool := server.Open("", "")
		for _, s := range all {
			s.possible = []state{s.committed}
			s.verify(t, pool, 0)
		}
		report, err := db.Check(t.Context())
		require.NoError(t, err)
		require.Empty(t, report.Problems)
		server.End()
		require.NoError(t, db.Close())
	}
}

func (s *session) history() string {
	return fmt.Sprintf("%s\n", strings.Join(s.statements, ";\n"))
}
