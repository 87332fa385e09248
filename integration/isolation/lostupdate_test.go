package isolation

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// ST-098: of two transactions that read a row and then write it, one fails.
func TestST098ReadThenWrite(t *testing.T) {
	w := newWorld(t)
	a, b := w.client("a", repeatableRead), w.client("b", repeatableRead)
	a.exec("CREATE TABLE t (id INT PRIMARY KEY, v INT, w INT, u INT, KEY (w), UNIQUE KEY (u))")
	reads := []string{
		"SELECT v FROM t WHERE id = 1", "SELECT v FROM t", "SELECT v FROM t WHERE w = 5", "SELECT w FROM t WHERE w > 3",
		"SELECT v FROM t WHERE u = 8", "SELECT v FROM t WHERE u BETWEEN 7 AND 9", "SELECT COUNT(*) FROM t",
		"SELECT MAX(w) FROM t", "SELECT MIN(id) FROM t", "SELECT v FROM t ORDER BY w DESC LIMIT 1",
		"SELECT x.v FROM t x JOIN t y ON y.id = x.id + 1", "SELECT 1 FROM (SELECT 1 AS o) s WHERE EXISTS (SELECT 1 FROM t WHERE w = 5)",
		"SELECT v FROM t WHERE id IN (1,7)", "SELECT v FROM t WHERE id < 2 UNION SELECT 3",
	}
	writes := []string{
		"UPDATE t SET v = 11 WHERE id = 1", "UPDATE t SET v = 11", "UPDATE t SET v = v + 1 WHERE w = 5", "DELETE FROM t WHERE id = 1",
		"DELETE FROM t WHERE v = 11", "REPLACE INTO t VALUES (1,11,5,8)", "INSERT INTO t VALUES (1,0,0,0) ON DUPLICATE KEY UPDATE v = 11",
		"INSERT INTO t VALUES (1,0,0,0) ON DUPLICATE KEY UPDATE v = 12", "INSERT INTO t VALUES (9,0,0,8) ON DUPLICATE KEY UPDATE v = 12",
		"UPDATE t x JOIN t y ON y.id = 2 SET x.v = 11 WHERE x.id = 1", "DELETE x FROM t x JOIN t y ON y.id = 2 WHERE x.id = 1",
		"UPDATE t SET id = 3 WHERE id = 1", "UPDATE IGNORE t SET v = 11 WHERE id = 1", "UPDATE t SET v = 11 ORDER BY w DESC LIMIT 1",
	}
	for _, read := range reads {
		for _, write := range writes {
			t.Run(read+"; "+write, func(t *testing.T) {
				a, b := a.of(t), b.of(t)
				a.exec("REPLACE INTO t VALUES (1,10,5,8),(2,20,2,2)")
				a.exec("BEGIN")
				b.exec("BEGIN")
				a.exec(read)
				b.exec(read)
				a.exec("UPDATE t SET v = 11 WHERE id = 1")
				a.exec("COMMIT")
				text := b.fails(1213, write)
				require.Contains(t, text, "lost update")
				require.Contains(t, text, "40001")
				// The transaction is over.
				b.sees("11", "SELECT v FROM t WHERE id = 1")
				b.exec("UPDATE t SET v = 12 WHERE id = 1")
				a.sees("12", "SELECT v FROM t WHERE id = 1")
				a.exec("DELETE FROM t")
			})
		}
	}
	w.check()
}

// of is the client for another part of a test.
func (c *client) of(t testing.TB) *client {
	other := *c
	other.t = t
	return &other
}

// What a transaction may write although it has read the table.
func TestST098WhatIsNoLostUpdate(t *testing.T) {
	w := newWorld(t)
	b := w.client("b", repeatableRead)
	b.exec("CREATE TABLE t (id INT PRIMARY KEY, v INT, w INT, KEY (w))")
	b.exec("CREATE TABLE n (v INT)")
	b.exec("CREATE TABLE p (id INT PRIMARY KEY)")
	for _, c := range []struct{ name, level, before, others, after, rows string }{
		{name: "not read", before: "SELECT v FROM t WHERE id = 1", others: "UPDATE t SET v = 0 WHERE id = 2", after: "UPDATE t SET v = v + 5 WHERE id = 2", rows: "1,10,1; 2,5,2; 3,30,3"},
		{name: "another table read", before: "SELECT * FROM p", others: "UPDATE t SET v = 0 WHERE id = 2", after: "UPDATE t SET v = v + 5 WHERE id = 2", rows: "1,10,1; 2,5,2; 3,30,3"},
		{name: "behind a LIMIT", before: "SELECT v FROM t ORDER BY id LIMIT 1", others: "UPDATE t SET v = 0 WHERE id = 3", after: "UPDATE t SET v = v + 5 WHERE id = 3", rows: "1,10,1; 2,20,2; 3,5,3"},
		{name: "before a LIMIT from the end", before: "SELECT v FROM t ORDER BY w DESC LIMIT 1", others: "UPDATE t SET v = 0 WHERE id = 1", after: "UPDATE t SET v = v + 5 WHERE id = 1", rows: "1,5,1; 2,20,2; 3,30,3"},
		{name: "the end of an index", before: "SELECT MAX(w) FROM t", others: "UPDATE t SET v = 0 WHERE id = 1", after: "UPDATE t SET v = v + 5 WHERE id = 1", rows: "1,5,1; 2,20,2; 3,30,3"},
		{name: "outside a range", before: "SELECT v FROM t WHERE w < 3", others: "UPDATE t SET w = 4 WHERE id = 3", after: "UPDATE t SET v = v + 5 WHERE id = 3", rows: "1,10,1; 2,20,2; 3,35,4"},
		{name: "rejected by WHERE", before: "SELECT v FROM t", others: "UPDATE t SET v = 0 WHERE id = 2", after: "UPDATE t SET v = 99 WHERE v = 30", rows: "1,10,1; 2,0,2; 3,99,3"},
		{name: "rejected by the other side of a join", before: "SELECT v FROM t", others: "UPDATE t SET v = 0 WHERE id = 2", after: "UPDATE t JOIN p ON p.id = t.id SET t.v = 99", rows: "1,99,1; 2,0,2; 3,30,3"},
		{name: "not in the snapshot", before: "SELECT v FROM t", others: "INSERT INTO t VALUES (4,1,1)", after: "UPDATE t SET v = v + 5 WHERE id = 4", rows: "1,10,1; 2,20,2; 3,30,3; 4,6,1"},
		{name: "deleted meanwhile", before: "SELECT v FROM t", others: "DELETE FROM t WHERE id = 2", after: "UPDATE t SET v = 0 WHERE id = 2", rows: "1,10,1; 3,30,3"},
		{name: "insert of what was deleted meanwhile", before: "SELECT v FROM t", others: "DELETE FROM t WHERE id = 2", after: "INSERT INTO t VALUES (2,21,2)", rows: "1,10,1; 2,21,2; 3,30,3"},
		{name: "deleted and inserted again as it was", before: "SELECT v FROM t", others: "REPLACE INTO t VALUES (2,20,2)", after: "UPDATE t SET v = 0 WHERE id = 2", rows: "1,10,1; 2,0,2; 3,30,3"},
		{name: "read for update since", before: "SELECT v FROM t", others: "UPDATE t SET v = 0 WHERE id = 2", after: "SELECT v FROM t WHERE id = 2 FOR UPDATE; UPDATE t SET v = 1 WHERE id = 2", rows: "1,10,1; 2,1,2; 3,30,3"},
		{name: "read for share since", before: "SELECT v FROM t", others: "UPDATE t SET v = 0 WHERE id = 2", after: "SELECT v FROM t WHERE w = 2 LOCK IN SHARE MODE; UPDATE t SET v = 1 WHERE id = 2", rows: "1,10,1; 2,1,2; 3,30,3"},
		{name: "written before it was read", before: "UPDATE t SET v = 1 WHERE id = 2; SELECT v FROM t", others: "UPDATE t SET v = 0 WHERE id = 3", after: "UPDATE t SET v = 2 WHERE id = 2", rows: "1,10,1; 2,2,2; 3,0,3"},
		{name: "read committed", level: readCommitted, before: "SELECT v FROM t", others: "UPDATE t SET v = 0 WHERE id = 2", after: "UPDATE t SET v = v + 5 WHERE id = 2", rows: "1,10,1; 2,5,2; 3,30,3"},
		{name: "as InnoDB", before: "SET freshet_rr_lost_updates = 'innodb'; BEGIN; SELECT v FROM t", others: "UPDATE t SET v = 0 WHERE id = 2", after: "UPDATE t SET v = v + 5 WHERE id = 2", rows: "1,10,1; 2,5,2; 3,30,3"},
		{name: "as InnoDB from now on", before: "SELECT v FROM t", others: "UPDATE t SET v = 0 WHERE id = 2", after: "SET freshet_rr_lost_updates = 'innodb'; UPDATE t SET v = v + 5 WHERE id = 2", rows: "1,10,1; 2,5,2; 3,30,3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.level == "" {
				c.level = repeatableRead
			}
			a, b := w.client("a", c.level).of(t), b.of(t)
			b.exec("DELETE FROM t")
			b.exec("INSERT INTO t VALUES (1,10,1),(2,20,2),(3,30,3)")
			b.exec("REPLACE INTO p VALUES (1)")
			a.exec("BEGIN")
			a.all(c.before)
			b.exec(c.others)
			a.all(c.after)
			a.exec("COMMIT")
			b.sees(c.rows, "SELECT * FROM t ORDER BY id")
		})
	}
	t.Run("savepoint", func(t *testing.T) {
		a, b := w.client("a", repeatableRead).of(t), b.of(t)
		a.exec("REPLACE INTO t VALUES (1,10,1)")
		a.exec("BEGIN")
		a.exec("SELECT v FROM t WHERE id = 1")
		a.exec("SAVEPOINT s")
		a.exec("UPDATE t SET v = 11 WHERE id = 1")
		a.exec("ROLLBACK TO s")
		p := w.waits(b, "UPDATE t SET v = v + 1 WHERE id = 1") // the lock outlives the savepoint
		a.exec("UPDATE t SET v = 12 WHERE id = 1")
		a.exec("COMMIT")
		require.NoError(t, p.wait())
		b.sees("13", "SELECT v FROM t WHERE id = 1")
	})
	t.Run("keyless", func(t *testing.T) {
		a, b := w.client("a", repeatableRead).of(t), b.of(t)
		a.exec("INSERT INTO n VALUES (1),(1),(2)")
		a.exec("BEGIN")
		a.sees("1; 1; 2", "SELECT v FROM n ORDER BY v")
		b.exec("UPDATE n SET v = 5 WHERE v = 2")
		a.exec("UPDATE n SET v = 3 WHERE v = 1 LIMIT 1")
		a.fails(1213, "UPDATE n SET v = 5 WHERE v = 5")
		a.sees("1; 1; 5", "SELECT v FROM n ORDER BY v")
	})
	w.check()
}

// all runs statements that "; " separates.
func (c *client) all(script string) {
	c.t.Helper()
	for _, query := range splitScript(script) {
		c.exec(query)
	}
}

// ST-098: clients that read and write back lose nothing if they repeat what fails.
func TestST098Loop(t *testing.T) {
	w := newWorld(t)
	const clients, rounds = 8, 25
	for _, level := range []string{repeatableRead, serializable} {
		setup := w.client("setup", level)
		setup.exec("DROP TABLE IF EXISTS t")
		setup.exec("CREATE TABLE t (id INT PRIMARY KEY, v INT)")
		setup.exec("INSERT INTO t VALUES (1,0)")
		var committed, refused atomic.Int64
		var running sync.WaitGroup
		for i := range clients {
			c := w.client(fmt.Sprint(i), level)
			running.Add(1)
			go func() {
				defer running.Done()
				for done := 0; done < rounds; {
					switch err := readAndWriteBack(c); errorNumber(err) {
					case 0:
						if err != nil {
							t.Error(err)
							return
						}
						done++
						committed.Add(1)
					case 1213:
						refused.Add(1)
					default:
						t.Error(err)
						return
					}
				}
			}()
		}
		running.Wait()
		setup.sees(fmt.Sprint(committed.Load()), "SELECT v FROM t")
		require.EqualValues(t, clients*rounds, committed.Load())
		require.Positive(t, refused.Load(), "nothing met")
	}
	w.check()
}

func readAndWriteBack(c *client) error {
	if _, err := c.try("BEGIN"); err != nil {
		return err
	}
	rows, err := c.try("SELECT v FROM t WHERE id = 1")
	if err != nil {
		return err
	}
	var v int
	if _, err := fmt.Sscan(rows, &v); err != nil {
		return err
	}
	if _, err := c.try("UPDATE t SET v = %d WHERE id = 1", v+1); err != nil {
		return err
	}
	_, err = c.try("COMMIT")
	return err
}
