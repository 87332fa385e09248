package scenarios

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/plugin/correct"
)

// ST-115: a statement that failed leaves no transaction, lock or snapshot.
func TestST115NothingIsHeld(t *testing.T) {
	w := newWorld(t)
	w.exec("CREATE TABLE t (id INT PRIMARY KEY, v INT CHECK (v < 100))")
	w.exec("INSERT INTO t VALUES (1, 1)")
	a := w.session("A")
	for _, statement := range []string{
		"INSERT INTO t VALUES (2, 2), (1, 1)", "INSERT INTO t VALUES (2, 200)", "UPDATE t SET v = 200", "INSERT INTO t SELECT 1, 1", "SELECT * FROM nowhere",
		"INSERT INTO t VALUES (3, 'x')", "SELECT (SELECT 1 UNION SELECT 2) FROM t", "ALTER TABLE t ADD UNIQUE (nothing)", "CREATE TABLE t (id INT)", "SELECT * FROM t FOR UPDATE OF x",
	} {
		_, err := a.try(statement)
		require.Error(t, err, statement)
		require.Nil(t, a.sess.GetTransaction(), statement)
		require.Zero(t, w.db.Metrics().OpenSnapshots, statement)
		require.Equal(t, []string{"0"}, w.session("B").exec("SELECT COUNT(*) FROM freshet.locks").rows, statement)
		w.session("B").exec("UPDATE t SET v = v + 1 WHERE id = 1")
	}
	w.finish()
}

// ST-116: what changes nothing writes nothing.
func TestST116EmptyTransactionsAreFree(t *testing.T) {
	w := newWorld(t)
	w.exec("CREATE TABLE t (id INT PRIMARY KEY, v INT)")
	w.exec("INSERT INTO t VALUES (1, 1)")
	before := w.db.Metrics()
	w.run(`
BEGIN
SELECT * FROM t --= 1,1
COMMIT
BEGIN
COMMIT
SELECT * FROM t FOR UPDATE --= 1,1
BEGIN
INSERT INTO t VALUES (2, 2)
UPDATE t SET v = 9
DELETE FROM t WHERE id = 1
ROLLBACK
BEGIN
SAVEPOINT s
INSERT INTO t VALUES (2, 2)
ROLLBACK TO s
COMMIT
INSERT INTO t VALUES (1, 1) --! 1062
UPDATE t SET v = 1 --# 0
DELETE FROM t WHERE id = 99 --# 0
START TRANSACTION WITH CONSISTENT SNAPSHOT
COMMIT AND CHAIN
ROLLBACK
LOCK TABLES t WRITE
UNLOCK TABLES
`)
	after := w.db.Metrics()
	require.Equal(t, before.Commits, after.Commits, "no batch")
	require.Equal(t, before.Syncs, after.Syncs, "no sync")
	require.Equal(t, before.BytesWritten, after.BytesWritten, "no log record")
	require.Zero(t, after.OpenSnapshots)
	w.finish()
}

// ST-111: 32 writers share syncs, one has one sync for each commit.
func TestST111GroupCommit(t *testing.T) {
	const writers, each = 32, 20
	w := newWorldOnDisk(t)
	w.exec("CREATE TABLE t (id INT PRIMARY KEY)")
	before := w.db.Metrics()
	for i := range each {
		w.exec("INSERT INTO t VALUES (%d)", -1-i)
	}
	single := w.db.Metrics()
	require.EqualValues(t, each, single.Commits-before.Commits)
	require.GreaterOrEqual(t, single.Syncs-before.Syncs, uint64(each), "a commit alone is synced alone")
	var group sync.WaitGroup
	clients := make([]*client, writers)
	for n := range clients {
		clients[n] = w.session(fmt.Sprint("w", n))
	}
	failures := make(chan error, writers)
	for n, c := range clients {
		group.Add(1)
		go func() {
			defer group.Done()
			for i := range each {
				if _, err := c.try(fmt.Sprintf("INSERT INTO t VALUES (%d)", n*each+i)); err != nil {
					failures <- err
					return
				}
			}
		}()
	}
	group.Wait()
	close(failures)
	for err := range failures {
		require.NoError(t, err)
	}
	after := w.db.Metrics()
	commits, syncs := after.Commits-single.Commits, after.Syncs-single.Syncs
	t.Logf("%d commits, %d syncs", commits, syncs)
	require.EqualValues(t, writers*each, commits)
	require.Less(t, syncs, commits/4, "commits share syncs")
	w.finish()
}

// ST-110: readers wait for no lock, a snapshot that stays open stops nobody, and its
// age shows.
func TestST110ReadersNeverWait(t *testing.T) {
	w := newWorld(t)
	w.run(`
CREATE TABLE t (id INT PRIMARY KEY, v INT)
INSERT INTO t VALUES (1, 1), (2, 2), (3, 3)
@old START TRANSACTION WITH CONSISTENT SNAPSHOT
@old SELECT SUM(v) FROM t --= 6
@A BEGIN
@A UPDATE t SET v = v + 10
@A SELECT * FROM t FOR UPDATE --= 1,11; 2,12; 3,13
`)
	waits := w.db.Metrics().LockWaits
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	for range 50 {
		r, err := w.session("B").tryContext(ctx, "SELECT v FROM t WHERE id > 1")
		require.NoError(t, err)
		require.Equal(t, []string{"2", "3"}, r.rows)
	}
	require.Equal(t, waits, w.db.Metrics().LockWaits)
	w.run(`
@A COMMIT
ALTER TABLE t ADD c INT
CREATE INDEX i ON t (v)
UPDATE t SET v = v + 1
TRUNCATE TABLE t
CREATE TABLE u (id INT)
DROP TABLE u
`)
	m := w.db.Metrics()
	require.NotZero(t, m.OpenSnapshots)
	require.NotZero(t, m.OldestSnapshot)
	require.Equal(t, []string{"1"}, w.rows("SELECT COUNT(*) FROM freshet.transactions WHERE snapshot_age_ms IS NOT NULL AND snapshot_age_ms >= 0 AND isolation LIKE 'REPEATABLE%'"))
	w.session("old").exec("COMMIT")
	require.Zero(t, w.db.Metrics().OpenSnapshots)
	w.finish()
}

// ST-112: a transaction that began before a definition changed gets 1412, can roll back
// and repeat.
func TestST112DefinitionChanged(t *testing.T) {
	for _, change := range []string{
		"ALTER TABLE t ADD COLUMN c INT", "ALTER TABLE t MODIFY v BIGINT", "DROP INDEX k ON t", "TRUNCATE TABLE t", "CREATE INDEX n ON t (id, v)",
		"ALTER TABLE t ADD CONSTRAINT c CHECK (v < 1000)", "ALTER TABLE t ADD FOREIGN KEY (v) REFERENCES p (id)",
	} {
		t.Run(change, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.run(`
CREATE TABLE p (id INT PRIMARY KEY)
CREATE TABLE t (id INT PRIMARY KEY, v INT, KEY k (v))
INSERT INTO p VALUES (1), (2)
INSERT INTO t VALUES (1, 1)
@A BEGIN
@A SELECT * FROM t --= 1,1
`)
			w.exec(change)
			w.run(`
@A INSERT INTO t (id, v) VALUES (2, 2) --! 1412
@A ROLLBACK
@A BEGIN
@A INSERT INTO t (id, v) VALUES (2, 2)
@A COMMIT
SELECT COUNT(*) FROM t WHERE id = 2 --= 1
`)
			w.finish()
		})
	}
	w := newWorld(t)
	w.run(`
CREATE TABLE t (id INT PRIMARY KEY)
@A BEGIN
@A SELECT * FROM t --=
DROP TABLE t
CREATE TABLE t (id INT PRIMARY KEY, v INT)
`)
	_, err := w.session("A").try("INSERT INTO t VALUES (1)")
	require.Error(t, err)
	require.Equal(t, 1412, errorNumber(correct.MySQLError(err)))
	w.finish()
}
