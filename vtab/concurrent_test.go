package vtab

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/vtab/kv"
)

// number is the MySQL error number of an error, 0 for none.
func number(err error) int {
	var e *mysql.SQLError
	if errors.As(err, &e) {
		return e.Num
	}
	if err == nil {
		return 0
	}
	return sql.CastSQLError(err).Num
}

// ST-095: increments of one row by many sessions add up, at every level.
func TestIncrementsAddUp(t *testing.T) {
	d := newDatabaseForTest(t)
	s := d.session()
	s.exec("CREATE TABLE t (id INT PRIMARY KEY, v INT, KEY (v))")
	s.exec("INSERT INTO t VALUES (1,0)")
	const sessions, rounds = 8, 40
	var wg sync.WaitGroup
	var mu sync.Mutex
	acknowledged := 0
	for i := range sessions {
		wg.Add(1)
		go func() {
			defer wg.Done()
			c := d.session()
			defer c.end()
			c.exec("SET transaction_isolation = '%s'", []string{"READ-COMMITTED", "REPEATABLE-READ"}[i%2])
			for r := range rounds {
				explicit := (i+r)%3 == 0
				if explicit {
					c.exec("BEGIN")
				}
				_, err := c.try("UPDATE t SET v = v + 1 WHERE id = 1")
				if err == nil && explicit {
					_, err = c.try("COMMIT")
				}
				if err == nil {
					mu.Lock()
					acknowledged++
					mu.Unlock()
				}
			}
		}()
	}
	wg.Wait()
	s.check("SELECT v FROM t", sql.FormatRow(sql.Row{int32(acknowledged)})+"\n")
	require.Equal(t, sessions*rounds, acknowledged, "nothing stands in the way of an increment")
	s.check("SELECT count(*) FROM t WHERE v > 0", "[1]\n")
}

// ST-100: a deadlock is found at once; the victim's transaction is gone.
func TestDeadlock(t *testing.T) {
	d := newDatabaseForTest(t)
	a, b := d.session(), d.session()
	a.exec("CREATE TABLE t (id INT PRIMARY KEY, v INT)")
	a.exec("INSERT INTO t VALUES (1,0),(2,0)")
	a.exec("BEGIN")
	b.exec("BEGIN")
	a.exec("UPDATE t SET v = 1 WHERE id = 1")
	b.exec("UPDATE t SET v = 2 WHERE id = 2")
	start := time.Now()
	done := make(chan error)
	go func() {
		_, err := a.try("UPDATE t SET v = 1 WHERE id = 2")
		done <- err
	}()
	_, errB := b.try("UPDATE t SET v = 2 WHERE id = 1")
	if errB == nil {
		b.exec("COMMIT")
	}
	errA := <-done
	require.Less(t, time.Since(start), 5*time.Second)
	require.True(t, (errA == nil) != (errB == nil), "a: %v, b: %v", errA, errB)
	if errA != nil {
		require.Equal(t, 1213, number(errA))
	} else {
		require.Equal(t, 1213, number(errB))
		a.exec("COMMIT")
	}
	c := d.session()
	rows := c.rows("SELECT v FROM t ORDER BY id")
	require.Contains(t, []string{"[1]\n[1]\n", "[2]\n[2]\n"}, rows)
	require.Empty(t, d.store.Locks())
}

// ST-103: an uncommitted unique key is waited for.
func TestUniqueKeyIsALock(t *testing.T) {
	d := newDatabaseForTest(t)
	a, b := d.session(), d.session()
	a.exec("CREATE TABLE t (id INT PRIMARY KEY, u VARCHAR(10), UNIQUE KEY (u))")
	for _, end := range []string{"COMMIT", "ROLLBACK"} {
		a.exec("DELETE FROM t")
		a.exec("BEGIN")
		a.exec("INSERT INTO t VALUES (1,'x')")
		done := make(chan error)
		go func() {
			_, err := b.try("INSERT INTO t VALUES (2,'x')")
			done <- err
		}()
		select {
		case err := <-done:
			t.Fatalf("did not wait: %v", err)
		case <-time.After(50 * time.Millisecond):
		}
		a.exec("%s", end)
		err := <-done
		if end == "COMMIT" {
			require.Equal(t, 1062, number(err))
		} else {
			require.NoError(t, err)
		}
	}
}

// ST-104: a child waits for its parent's fate, and a parent for its child's.
func TestForeignKeyLocksTheParent(t *testing.T) {
	d := newDatabaseForTest(t)
	a, b, c := d.session(), d.session(), d.session()
	a.exec("CREATE TABLE p (id INT PRIMARY KEY)")
	a.exec("CREATE TABLE c (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES p (id))")
	a.exec("INSERT INTO p VALUES (1),(2)")
	waits := func(s *client, q string, end func()) error {
		done := make(chan error)
		go func() {
			_, err := s.try("%s", q)
			done <- err
		}()
		select {
		case err := <-done:
			t.Fatalf("%s did not wait: %v", q, err)
		case <-time.After(50 * time.Millisecond):
		}
		end()
		return <-done
	}
	a.exec("BEGIN")
	a.exec("DELETE FROM p WHERE id = 1")
	require.Equal(t, 1452, number(waits(b, "INSERT INTO c VALUES (1,1)", func() { a.exec("COMMIT") })))
	a.exec("BEGIN")
	a.exec("INSERT INTO c VALUES (2,2)")
	c.exec("INSERT INTO c VALUES (3,2)") // two children do not wait for each other
	require.Equal(t, 1451, number(waits(b, "DELETE FROM p WHERE id = 2", func() { a.exec("COMMIT") })))
}

// ST-092, ST-093, ST-096: what a transaction sees.
func TestSnapshots(t *testing.T) {
	d := newDatabaseForTest(t)
	a, b := d.session(), d.session()
	a.exec("CREATE TABLE t (id INT PRIMARY KEY, v INT, KEY (v))")
	a.exec("INSERT INTO t VALUES (1,1),(2,1)")
	a.exec("BEGIN")
	b.exec("UPDATE t SET v = 2 WHERE id = 1")
	a.check("SELECT v FROM t WHERE id = 1", "[2]\n") // the snapshot is that of the first read
	b.exec("UPDATE t SET v = 5")
	b.exec("INSERT INTO t VALUES (3,1)")
	a.check("SELECT v FROM t", "[2]\n[1]\n")
	a.check("SELECT count(*) FROM t WHERE v = 1", "[1]\n")
	a.check("SELECT count(*) FROM t", "[2]\n")
	_, err := a.try("INSERT INTO t VALUES (3,9)")
	require.Equal(t, 1062, number(err))
	a.exec("UPDATE t SET v = v + 1 WHERE id = 3") // current, and not in what was read
	a.check("SELECT v FROM t WHERE id = 3", "[2]\n")
	_, err = a.try("UPDATE t SET v = v + 1 WHERE id = 2")
	require.Equal(t, 1213, number(err), "read, and changed since")
	a.exec("SET transaction_isolation = 'READ-COMMITTED'")
	a.exec("BEGIN")
	a.check("SELECT v FROM t WHERE id = 1", "[5]\n")
	b.exec("UPDATE t SET v = 7 WHERE id = 1")
	a.check("SELECT v FROM t WHERE id = 1", "[7]\n")
	a.exec("COMMIT")
}

// ST-112: a write to a table that was redefined meanwhile.
func TestDefinitionChanged(t *testing.T) {
	d := newDatabaseForTest(t)
	a, b := d.session(), d.session()
	a.exec("CREATE TABLE t (id INT PRIMARY KEY)")
	a.exec("BEGIN")
	a.check("SELECT * FROM t", "")
	b.exec("ALTER TABLE t ADD COLUMN v INT")
	_, err := a.try("INSERT INTO t VALUES (1)")
	require.Equal(t, 1412, number(err))
	a.exec("ROLLBACK")
	a.exec("INSERT INTO t VALUES (1,2)")
}

// A transaction's definitions and rows are those of one commit, whoever changes
// definitions meanwhile, also where the catalog's version is not read.
func TestDefinitionsAndRowsOfOneCommit(t *testing.T) {
	d := newDatabaseForTest(t)
	s := d.session()
	s.exec("CREATE TABLE t (id INT PRIMARY KEY, v INT)")
	const changes, readers = 60, 4
	var done atomic.Bool
	var wg sync.WaitGroup
	for range readers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			c := d.session()
			defer c.end()
			for !done.Load() {
				tx := &Transaction{sess: c.sess}
				defs, err := tx.definitions(t.Context())
				if !assert.NoError(t, err) {
					return
				}
				r, err := tx.kv.Snapshot(kv.Now)
				if assert.NoError(t, err) {
					stored, err := readUint64(t.Context(), r, kv.MetaCatalogVersion)
					assert.NoError(t, err)
					assert.Equal(t, stored, defs.Version())
				}
				tx.rollback()
			}
		}()
	}
	for i := range changes {
		s.exec("ALTER TABLE t COMMENT = 'c%d'", i)
	}
	done.Store(true)
	wg.Wait()
}
