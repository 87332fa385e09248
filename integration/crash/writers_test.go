package crash

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/integration/process"
)

const (
	writers = 8
	// partsMax is the most rows of one transaction.
	partsMax = 6
	// uptimeMax is the longest a server lives before it is killed.
	uptimeMax = 400 * time.Millisecond
	// checkEvery is how many rounds pass between two runs of freshet check.
	checkEvery = 10
)

// ledger is what one writer was told. Every acknowledgement is a line of its
// side file before the writer goes on.
type ledger struct {
	id        int
	file      *os.File
	acked     int   // last transaction that was acknowledged
	attempted int   // last transaction that was begun
	handedOut int64 // largest AUTO_INCREMENT value that was returned
}

func newLedger(t *testing.T, dir string, id int) *ledger {
	f, err := os.OpenFile(filepath.Join(dir, fmt.Sprintf("writer-%d", id)), os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	require.NoError(t, err)
	t.Cleanup(func() { _ = f.Close() })
	return &ledger{id: id, file: f}
}

// acknowledge notes a transaction and a handed-out value.
func (l *ledger) acknowledge(number int, value int64) error {
	_, err := fmt.Fprintf(l.file, "%d %d\n", number, value)
	l.acked, l.handedOut = number, max(l.handedOut, value)
	return err
}

// reload reads the side file again: what counts is what is in it.
func (l *ledger) reload(t *testing.T) {
	_, err := l.file.Seek(0, 0)
	require.NoError(t, err)
	last, value := 0, int64(0)
	lines := bufio.NewScanner(l.file)
	for lines.Scan() {
		var number int
		var v int64
		_, err := fmt.Sscan(lines.Text(), &number, &v)
		require.NoError(t, err)
		require.GreaterOrEqual(t, number, last)
		last, value = number, max(value, v)
	}
	require.NoError(t, lines.Err())
	require.Equal(t, l.acked, last)
	require.Equal(t, l.handedOut, value)
}

// write runs transactions until one fails. A transaction is some parts in one
// table, the writer's last number in another and one row with an AUTO_INCREMENT
// key in a third.
func (l *ledger) write(db *sql.DB, random *rand.Rand) error {
	for {
		l.attempted = l.acked + 1
		if random.IntN(10) == 0 {
			if err := rolledBack(db, l); err != nil {
				return err
			}
		}
		value, err := transaction(db, l.id, l.attempted, 1+random.IntN(partsMax))
		if err != nil {
			return err
		}
		if err := l.acknowledge(l.attempted, value); err != nil {
			return err
		}
	}
}

func transaction(db *sql.DB, writer, number, parts int) (int64, error) {
	tx, err := db.Begin()
	if err != nil {
		return 0, err
	}
	defer func() { _ = tx.Rollback() }()
	for part := range parts {
		if _, err := tx.Exec("INSERT INTO parts VALUES (?,?,?,?,REPEAT('x', ?))", writer, number, part, parts, 10*part*part); err != nil {
			return 0, err
		}
	}
	if _, err := tx.Exec("INSERT INTO last VALUES (?,?) ON DUPLICATE KEY UPDATE number = VALUES(number)", writer, number); err != nil {
		return 0, err
	}
	result, err := tx.Exec("INSERT INTO numbered (writer, number) VALUES (?,?)", writer, number)
	if err != nil {
		return 0, err
	}
	value, err := result.LastInsertId()
	if err != nil {
		return 0, err
	}
	return value, tx.Commit()
}

// rolledBack takes a value from the sequence in a transaction that ends in
// nothing. The value was returned to a client all the same.
func rolledBack(db *sql.DB, l *ledger) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	result, err := tx.Exec("INSERT INTO numbered (writer, number) VALUES (?,?)", l.id, -1)
	if err != nil {
		_ = tx.Rollback()
		return err
	}
	value, err := result.LastInsertId()
	if err != nil {
		return err
	}
	if err := tx.Rollback(); err != nil {
		return err
	}
	return l.note(value)
}

// ST-034 and ST-047: acknowledged means durable and whole, and AUTO_INCREMENT
// values are never handed out twice, at random moments under eight writers.
func TestKilledUnderWriters(t *testing.T) {
	random := newRandom(t)
	data, side := t.TempDir(), t.TempDir()
	ledgers := make([]*ledger, writers)
	for i := range ledgers {
		ledgers[i] = newLedger(t, side, i)
	}
	s := process.Start(t, data)
	setup(t, s.Open("", ""))
	for round := range rounds(writerRounds) {
		killUnderLoad(s, ledgers, random, t)
		if round%checkEvery == checkEvery-1 {
			process.Check(t, data)
		}
		s = process.Start(t, data)
		verifyWriters(t, s.Open("crash", ""), ledgers, round)
	}
	s.Kill()
	process.Check(t, data)
	total := 0
	for _, l := range ledgers {
		total += l.acked
	}
	t.Logf("%d rounds, %d acknowledged transactions", rounds(writerRounds), total)
}

func setup(t *testing.T, db *sql.DB) {
	for _, statement := range []string{
		"CREATE DATABASE crash",
		"CREATE TABLE crash.parts (writer INT, number INT, part INT, parts INT, filler TEXT, PRIMARY KEY (writer, number, part), KEY by_number (number, parts))",
		"CREATE TABLE crash.last (writer INT PRIMARY KEY, number INT)",
		"CREATE TABLE crash.numbered (id BIGINT AUTO_INCREMENT PRIMARY KEY, writer INT, number INT, UNIQUE KEY one (writer, number, id))",
	} {
		_, err := db.Exec(statement)
		require.NoError(t, err, statement)
	}
}

// killUnderLoad lets all writers write and kills the server at a random moment.
func killUnderLoad(s *process.Server, ledgers []*ledger, random *rand.Rand, t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var running sync.WaitGroup
	for _, l := range ledgers {
		db := s.Open("crash", "")
		db.SetMaxOpenConns(1)
		own := rand.New(rand.NewPCG(random.Uint64(), 0))
		running.Add(1)
		go func() {
			defer running.Done()
			defer db.Close()
			if err := l.write(db, own); err == nil || ctx.Err() != nil {
				t.Errorf("writer %d ended before the server was killed: %v", l.id, err)
			} else if !s.Ended() && !lostConnection(s) {
				t.Errorf("writer %d: %v", l.id, err)
			}
		}()
	}
	time.Sleep(time.Duration(random.Int64N(int64(uptimeMax))))
	s.Kill()
	running.Wait()
}

// lostConnection waits for a kill that is under way: a writer sees its
// connection break before the process is seen to have ended.
func lostConnection(s *process.Server) bool {
	for range 200 {
		if s.Ended() {
			return true
		}
		time.Sleep(10 * time.Millisecond)
	}
	return false
}

func verifyWriters(t *testing.T, db *sql.DB, ledgers []*ledger, round int) {
	handedOut := int64(0)
	for _, l := range ledgers {
		l.reload(t)
		stored := storedTransactions(t, db, l.id)
		if len(stored) < l.acked || len(stored) > l.attempted {
			t.Fatalf("round %d: writer %d had %d transactions acknowledged and %d attempted, %d are stored", round, l.id, l.acked, l.attempted, len(stored))
		}
		require.Equal(t, len(stored), number(t, db, "SELECT COALESCE(MAX(number), 0) FROM last WHERE writer = ?", l.id), "writer %d", l.id)
		require.Equal(t, len(stored), number(t, db, "SELECT COUNT(*) FROM numbered WHERE writer = ?", l.id), "writer %d", l.id)
		// A transaction that was stored but not acknowledged counts from now on.
		if len(stored) > l.acked {
			require.NoError(t, l.acknowledge(len(stored), l.handedOut))
		}
		handedOut = max(handedOut, l.handedOut)
	}
	require.Equal(t, number(t, db, "SELECT COUNT(*) FROM parts"), number(t, db, "SELECT COUNT(*) FROM parts FORCE INDEX (by_number) WHERE number > 0 AND parts > 0"))
	result, err := db.Exec("INSERT INTO numbered (writer, number) VALUES (-1, 0)")
	require.NoError(t, err)
	value, err := result.LastInsertId()
	require.NoError(t, err)
	require.Greater(t, value, handedOut, "round %d: a value that a client was given came again", round)
	require.NoError(t, ledgers[0].note(value))
}

// note records a value that a client was given outside a stored transaction.
func (l *ledger) note(value int64) error { return l.acknowledge(l.acked, value) }

// storedTransactions checks that a writer's transactions are 1..n without a gap,
// each with all its parts, and returns them.
func storedTransactions(t *testing.T, db *sql.DB, writer int) []int {
	rows, err := db.Query("SELECT number, COUNT(*), MAX(parts), MIN(parts), SUM(LENGTH(filler)) FROM parts WHERE writer = ? GROUP BY number ORDER BY number", writer)
	require.NoError(t, err)
	defer rows.Close()
	var stored []int
	for rows.Next() {
		var n, count, most, least, filler int
		require.NoError(t, rows.Scan(&n, &count, &most, &least, &filler))
		require.Equal(t, len(stored)+1, n, "writer %d misses a transaction", writer)
		want := 0
		for part := range most {
			want += 10 * part * part
		}
		if count != most || most != least || filler != want {
			t.Fatalf("writer %d: transaction %d is partial: %d of %d parts, %d bytes", writer, n, count, most, filler)
		}
		stored = append(stored, n)
	}
	require.NoError(t, rows.Err())
	return stored
}

func number(t *testing.T, db *sql.DB, query string, args ...any) (n int) {
	t.Helper()
	require.NoError(t, db.QueryRow(query, args...).Scan(&n), query)
	return n
}
