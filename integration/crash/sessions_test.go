package crash

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/integration/process"
)

const sessions = 4

// session runs random statements in a database of its own and knows what the
// database must hold.
type session struct {
	database  string
	random    *rand.Rand
	serial    int
	committed state
	// possible are the states that the statement under way may have led to when
	// its answer was lost, the committed one among them.
	possible []state
	// statements is the end of what was run, for the report.
	statements []string

	tx         state // nil outside a transaction
	savepoints []savepoint
}

type savepoint struct {
	name string
	at   state
}

// run runs statements until the connection breaks, whose error it returns as
// nil. Every other error is the test's.
func (s *session) run(conn *sql.Conn) error {
	s.tx, s.savepoints = nil, nil
	s.possible = []state{s.committed}
	if err := s.exec(conn, "USE "+s.database); err != nil {
		return brokenOK(err)
	}
	for {
		if err := s.next(conn); err != nil {
			return brokenOK(err)
		}
		s.possible = []state{s.committed}
	}
}

// brokenOK hides the error of a broken connection.
func brokenOK(err error) error {
	var answered *mysql.MySQLError
	if errors.As(err, &answered) {
		return err
	}
	return nil
}

func (s *session) exec(conn *sql.Conn, statement string) error {
	s.statements = append(s.statements, statement)
	if len(s.statements) > 30 {
		s.statements = s.statements[1:]
	}
	_, err := conn.ExecContext(context.Background(), statement)
	return err
}

// next runs one statement, or one that opens or ends a transaction.
func (s *session) next(conn *sql.Conn) error {
	if s.tx == nil {
		if s.random.IntN(3) == 0 {
			s.tx = s.committed.clone()
			return s.exec(conn, "BEGIN")
		}
		return s.change(conn)
	}
	switch s.random.IntN(12) {
	case 0:
		s.possible = append(s.possible, s.tx)
		if err := s.exec(conn, "COMMIT"); err != nil {
			return err
		}
		s.committed = s.tx
		s.tx, s.savepoints = nil, nil
		return nil
	case 1:
		s.tx, s.savepoints = nil, nil
		return s.exec(conn, "ROLLBACK")
	case 2, 3:
		name := fmt.Sprintf("p%d", s.random.IntN(3))
		s.setSavepoint(name)
		return s.exec(conn, "SAVEPOINT "+name)
	case 4:
		if len(s.savepoints) > 0 {
			i := s.random.IntN(len(s.savepoints))
			s.tx = s.savepoints[i].at.clone()
			s.savepoints = s.savepoints[:i+1]
			return s.exec(conn, "ROLLBACK TO "+s.savepoints[i].name)
		}
	case 5:
		if len(s.savepoints) > 0 {
			i := s.random.IntN(len(s.savepoints))
			name := s.savepoints[i].name
			s.savepoints = s.savepoints[:i]
			return s.exec(conn, "RELEASE SAVEPOINT "+name)
		}
	}
	return s.change(conn)
}

// setSavepoint replaces one of the same name, as MySQL does.
func (s *session) setSavepoint(name string) {
	for i, p := range s.savepoints {
		if p.name == name {
			s.savepoints = append(s.savepoints[:i:i], s.savepoints[i+1:]...)
			break
		}
	}
	s.savepoints = append(s.savepoints, savepoint{name, s.tx.clone()})
}

// change runs a statement that changes rows or definitions.
func (s *session) change(conn *sql.Conn) error {
	s.serial++
	current := s.committed
	if s.tx != nil {
		current = s.tx
	}
	next, ok := change(s.random, current)
	if !ok || s.random.IntN(6) == 0 {
		next = define(s.random, current, s.serial)
	}
	after := current.clone()
	next.apply(after)
	if s.tx != nil && !next.ends {
		if err := s.exec(conn, next.sql); err != nil {
			return err
		}
		s.tx = after
		return nil
	}
	// Under autocommit the statement commits; a definition first commits what is
	// open, then itself.
	s.possible = append(s.possible, current, after)
	if err := s.exec(conn, next.sql); err != nil {
		return err
	}
	s.committed, s.tx, s.savepoints = after, nil, nil
	return nil
}

// ST-046: random statements from four sessions, ended by a kill; each open
// agrees with what the sessions were told and passes freshet check.
func TestKilledUnderSessions(t *testing.T) {
	random := newRandom(t)
	data := t.TempDir()
	all := make([]*session, sessions)
	s := process.Start(t, data)
	for i := range all {
		all[i] = &session{database: fmt.Sprintf("s%d", i), random: rand.New(rand.NewPCG(random.Uint64(), 0)), committed: state{}}
		_, err := s.Open("", "").Exec("CREATE DATABASE " + all[i].database)
		require.NoError(t, err)
	}
	for round := range rounds(sessionRounds) {
		runSessions(t, s, all, time.Duration(random.Int64N(int64(uptimeMax))))
		process.Check(t, data)
		s = process.Start(t, data)
		for _, each := range all {
			each.verify(t, s.Open("", ""), round)
		}
	}
	s.Stop()
	process.Check(t, data)
}

func runSessions(t *testing.T, s *process.Server, all []*session, uptime time.Duration) {
	var running sync.WaitGroup
	for _, each := range all {
		db := s.Open("", "")
		conn, err := db.Conn(t.Context())
		require.NoError(t, err)
		running.Add(1)
		go func() {
			defer running.Done()
			defer db.Close()
			if err := each.run(conn); err != nil {
				t.Errorf("%s: %v, after\n%s", each.database, err, strings.Join(each.statements, ";\n"))
			}
		}()
	}
	time.Sleep(uptime)
	s.Kill()
	running.Wait()
	if t.Failed() {
		t.FailNow()
	}
}

// verify compares the database with the states it may be in and goes on from the
// one it is in.
func (s *session) verify(t *testing.T, db *sql.DB, round int) {
	found := readState(t, db, s.database)
	for _, p := range s.possible {
		if p.String() == found.String() {
			s.committed = p
			return
		}
	}
	t.Fatalf("round %d: %s holds\n%s\nbut it must hold\n%s\nafter\n%s", round, s.database, found,
		s.possible[len(s.possible)-1], strings.Join(s.statements, ";\n"))
}

func readState(t *testing.T, db *sql.DB, database string) state {
	found := state{}
	for _, name := range texts(t, db, "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = ?", database) {
		columns := texts(t, db, "SELECT COLUMN_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? ORDER BY ORDINAL_POSITION", database, name)
		require.Equal(t, "id", columns[0])
		r := &relation{columns: columns[1:], rows: map[int][]int{}}
		rows, err := db.Query(fmt.Sprintf("SELECT * FROM %s.%s", database, name))
		require.NoError(t, err)
		for rows.Next() {
			values := make([]int, len(columns))
			targets := make([]any, len(columns))
			for i := range values {
				targets[i] = &values[i]
			}
			require.NoError(t, rows.Scan(targets...))
			r.rows[values[0]] = values[1:]
		}
		require.NoError(t, rows.Err())
		require.NoError(t, rows.Close())
		found[name] = r
	}
	return found
}

func texts(t *testing.T, db *sql.DB, query string, args ...any) []string {
	t.Helper()
	rows, err := db.Query(query, args...)
	require.NoError(t, err)
	defer rows.Close()
	var out []string
	for rows.Next() {
		var text string
		require.NoError(t, rows.Scan(&text))
		out = append(out, text)
	}
	require.NoError(t, rows.Err())
	return out
}
