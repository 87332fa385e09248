package scenarios

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// ring is a deadlock: each session runs its first statements, then all of them,
// one after the other, the last one, which closes the ring.
type ring struct {
	name     string
	setup    []string
	sessions [][]string
}

var rings = []ring{
	{"two rows", nil, [][]string{
		{"UPDATE t SET w = 1 WHERE id = 1", "UPDATE t SET w = 1 WHERE id = 2"},
		{"UPDATE t SET w = 2 WHERE id = 2", "UPDATE t SET w = 2 WHERE id = 1"},
	}},
	{"three rows", nil, [][]string{
		{"UPDATE t SET w = 1 WHERE id = 1", "UPDATE t SET w = 1 WHERE id = 2"},
		{"UPDATE t SET w = 2 WHERE id = 2", "UPDATE t SET w = 2 WHERE id = 3"},
		{"UPDATE t SET w = 3 WHERE id = 3", "UPDATE t SET w = 3 WHERE id = 1"},
	}},
	{"two upgrades", nil, [][]string{
		{"SELECT * FROM t WHERE id = 1 FOR SHARE", "UPDATE t SET w = 1 WHERE id = 1"},
		{"SELECT * FROM t WHERE id = 1 FOR SHARE", "UPDATE t SET w = 2 WHERE id = 1"},
	}},
	{"unique keys", []string{"ALTER TABLE t ADD UNIQUE (name)"}, [][]string{
		{"INSERT INTO t VALUES (11, 1, 1, 'a')", "INSERT INTO t VALUES (12, 1, 1, 'b')"},
		{"INSERT INTO t VALUES (21, 1, 1, 'b')", "INSERT INTO t VALUES (22, 1, 1, 'a')"},
	}},
	{"a unique key and a row", []string{"ALTER TABLE t ADD UNIQUE (name)"}, [][]string{
		{"UPDATE t SET name = 'x' WHERE id = 1", "UPDATE t SET w = 1 WHERE id = 2"},
		{"UPDATE t SET w = 2 WHERE id = 2", "UPDATE t SET name = 'n1' WHERE id = 2"},
	}},
	{"foreign keys", []string{"CREATE TABLE child (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES t (id))"}, [][]string{
		{"INSERT INTO child VALUES (1, 1)", "UPDATE t SET w = 1 WHERE id = 2"},
		{"INSERT INTO child VALUES (2, 2)", "DELETE FROM t WHERE id = 1"},
	}},
	{"scans from both ends", nil, [][]string{
		{"SELECT * FROM t WHERE id = 1 FOR UPDATE", "UPDATE t SET w = 1 WHERE w > 10"},
		{"SELECT * FROM t WHERE id = 5 FOR UPDATE", "UPDATE t SET w = 2 WHERE w < 50 ORDER BY id DESC"},
	}},
	{"a row and a definition", nil, [][]string{
		{"UPDATE t SET w = 1 WHERE id = 1", "UPDATE u SET w = 1 WHERE id = 1"},
		{"UPDATE u SET w = 2 WHERE id = 1", "UPDATE t SET w = 2 WHERE id = 1"},
	}},
}

// ST-100: a deadlock is found at once, its victim is wholly rolled back, and the
// others go on.
func TestST100Deadlocks(t *testing.T) {
	for _, r := range rings {
		t.Run(r.name, func(t *testing.T) {
			w := newWorld(t)
			w.numbers("t", 5, "")
			w.numbers("u", 5, "")
			for _, text := range r.setup {
				w.exec(text)
			}
			var running []*later
			for i, statements := range r.sessions {
				c := w.session(fmt.Sprint(i))
				c.exec("BEGIN")
				c.exec("INSERT INTO u (id) VALUES (%d)", 100+i) // work to lose
				c.exec(statements[0])
			}
			last := len(r.sessions) - 1
			for i, statements := range r.sessions {
				c := w.session(fmt.Sprint(i))
				if i < last {
					running = append(running, c.waits(statements[1]))
				} else {
					running = append(running, c.start(statements[1]))
				}
			}
			victim := ""
			left := len(running)
			for left > 0 {
				// Those that wait for the victim go on in the order of the ring.
				for i, l := range running {
					if l == nil {
						continue
					}
					select {
					case err := <-l.done:
						running[i] = nil
						left--
						if err == nil {
							l.c.exec("COMMIT")
							continue
						}
						require.Equal(t, 1213, errorNumber(err), "%s: %v", l.text, err)
						require.Empty(t, victim, "one victim is enough")
						victim = fmt.Sprint(i)
					case <-time.After(time.Millisecond):
					}
				}
			}
			require.NotEmpty(t, victim)
			require.EqualValues(t, 1, w.db.Metrics().Deadlocks)
			require.Zero(t, w.locks())
			for i := range r.sessions {
				want := 1
				if victim == fmt.Sprint(i) {
					want = 0
				}
				require.Equal(t, want, w.count(fmt.Sprintf("SELECT count(*) FROM u WHERE id = %d", 100+i)), "victim %s", victim)
			}
			require.Equal(t, len(r.sessions), w.count("SELECT count(*) FROM freshet.last_deadlock"))
			require.Equal(t, 1, w.count("SELECT count(*) FROM freshet.last_deadlock WHERE victim"))
			w.finish()
		})
	}
}

// The victim is who has least to lose; who has lost before is spared in the end.
func TestST100FairVictim(t *testing.T) {
	w := newWorld(t)
	w.numbers("t", 200, "")
	large, small := w.session("large"), w.session("small")
	for round := 0; ; round++ {
		require.Less(t, round, 20, "the small one never gets through")
		large.exec("BEGIN")
		large.exec("UPDATE t SET w = 0 WHERE id <= 100")
		small.exec("BEGIN")
		small.exec("UPDATE t SET w = 0 WHERE id = 150")
		waiting := large.waits("UPDATE t SET w = 0 WHERE id = 150")
		_, err := small.try("UPDATE t SET w = 0 WHERE id = 1")
		if err == nil {
			waiting.failsWith(1213)
			small.exec("COMMIT")
			require.NotZero(t, round, "the first to lose is the small one")
			break
		}
		require.Equal(t, 1213, errorNumber(err))
		waiting.succeeds()
		large.exec("COMMIT")
	}
	require.Zero(t, w.locks())
}

// What freshet.transactions, freshet.locks and the report of a deadlock say.
func TestST100WhoWaitsForWhom(t *testing.T) {
	w := newWorld(t)
	w.exec("CREATE TABLE people (id INT, born DATE, name VARCHAR(20) COLLATE utf8mb4_0900_ai_ci, PRIMARY KEY (id, born), UNIQUE KEY by_name (name))")
	w.exec("INSERT INTO people VALUES (1, '2001-02-03', 'Ann''a'), (2, '2002-03-04', 'Bob'), (3, '2003-04-05', NULL)")
	a, b, c := w.session("a"), w.session("b"), w.session("c")
	a.exec("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED")
	a.exec("BEGIN")
	a.exec("UPDATE people SET name = 'Carl' WHERE id = 1")
	b.exec("BEGIN")
	b.exec("SELECT * FROM people WHERE id = 2 FOR SHARE")
	c.exec("START TRANSACTION READ ONLY")
	c.exec("SELECT * FROM people")
	w.shows(t, "SELECT database_name, table_name, index_name, lock_key, mode, status FROM freshet.locks ORDER BY transaction_id, index_name, lock_key",
		"d,people,NULL,NULL,IX,granted",
		"d,people,PRIMARY,(1, '2001-02-03'),X,granted",
		"d,people,by_name,('Ann''a'),X,granted",
		"d,people,by_name,0x03534F716500,X,granted", // a key of weights, and its row is not committed
		"d,people,NULL,NULL,IS,granted",
		"d,people,PRIMARY,(2, '2002-03-04'),S,granted")
	blocked := b.waits("UPDATE people SET name = 'anna' WHERE id = 1")
	w.shows(t, "SELECT state, isolation, read_only, rows_changed, locks, waits_for, statement FROM freshet.transactions WHERE connection_id <> connection_id() ORDER BY started",
		"running,READ COMMITTED,0,1,4,NULL,NULL",
		"lock wait,REPEATABLE READ,0,0,2,row (1, '2001-02-03') of `d`.`people`,UPDATE people SET name = 'anna' WHERE id = 1",
		"running,REPEATABLE READ,1,0,0,NULL,NULL")
	w.shows(t, "SELECT w.mode, w.lock_key, h.mode FROM freshet.locks AS w JOIN freshet.locks AS h ON h.transaction_id = w.blocked_by AND h.lock_key = w.lock_key WHERE w.status = 'waiting'",
		"X,(1, '2001-02-03'),X")
	require.Equal(t, 1, w.count("SELECT count(*) FROM freshet.transactions WHERE wait_ms >= 0 AND blocked_by IS NOT NULL AND age_ms >= wait_ms"))
	require.Equal(t, 1, w.count("SELECT count(*) FROM freshet.transactions WHERE read_only AND snapshot_age_ms >= 0 AND transaction_id IS NULL"))

	// A ring: b waits for a, and a now for b.
	w.shows(t, "SELECT count(*) FROM freshet.last_deadlock", "0")
	_, err := a.try("DELETE FROM people WHERE id = 2")
	if err == nil {
		blocked.failsWith(1213)
		a.exec("COMMIT")
	} else {
		require.Equal(t, 1213, errorNumber(err))
		blocked.succeeds()
		b.exec("COMMIT")
	}
	w.shows(t, "SELECT waits_for, mode, blocking_mode, statement FROM freshet.last_deadlock ORDER BY waits_for",
		"row (1, '2001-02-03') of `d`.`people`,X,X,UPDATE people SET name = 'anna' WHERE id = 1",
		"row (2, '2002-03-04') of `d`.`people`,X,S,DELETE FROM people WHERE id = 2")
	status := w.rows("SHOW ENGINE INNODB STATUS")[0]
	require.Contains(t, status, "LATEST DETECTED DEADLOCK")
	require.Contains(t, status, "row (2, '2002-03-04') of `d`.`people`")
	require.Contains(t, status, "DELETE FROM people WHERE id = 2")
	c.exec("COMMIT")
	w.shows(t, "SELECT count(*) FROM freshet.transactions WHERE connection_id <> connection_id()", "0")

	// What LOCK TABLES holds is the session's, not a transaction's.
	a.exec("LOCK TABLES people WRITE")
	w.shows(t, "SELECT table_name, mode, status, connection_id IS NOT NULL FROM freshet.locks", "people,X,granted,1")
	a.exec("UNLOCK TABLES")
	require.Zero(t, w.locks())

	// The database.
	w.shows(t, "SHOW TABLES FROM freshet", "last_deadlock", "locks", "transactions")
	require.NotContains(t, strings.Join(w.rows("SHOW DATABASES"), " "), "freshet")
	w.session("").fails(1007, "CREATE DATABASE freshet")
	w.session("").fails(1044, "CREATE VIEW freshet.v AS SELECT 1")
	_, err = w.session("").try("INSERT INTO freshet.locks (mode) VALUES ('X')")
	require.Error(t, err)
	_, err = w.session("").try("CREATE TABLE freshet.x (id INT)")
	require.Error(t, err)
}
