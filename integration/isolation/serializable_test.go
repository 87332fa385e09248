package isolation

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// ST-105: two doctors on call; each goes if another one stays.
func TestST105WriteSkew(t *testing.T) {
	for _, c := range []struct {
		level string
		fails bool
	}{{repeatableRead, false}, {serializable, true}} {
		t.Run(c.level, func(t *testing.T) {
			w := newWorld(t)
			a, b := w.client("a", c.level), w.client("b", c.level)
			a.exec("CREATE TABLE doctors (name VARCHAR(10) PRIMARY KEY, on_call BOOL NOT NULL, KEY (on_call))")
			for _, check := range []string{
				"SELECT COUNT(*) FROM doctors WHERE on_call", "SELECT COUNT(*) FROM doctors WHERE on_call = 1",
				"SELECT SUM(on_call) FROM doctors", "SELECT COUNT(*) FROM doctors x JOIN doctors y ON x.name = y.name WHERE y.on_call = 1",
				"SELECT (SELECT on_call FROM doctors WHERE name = 'a') + (SELECT on_call FROM doctors WHERE name = 'b')",
			} {
				a.exec("REPLACE INTO doctors VALUES ('a',1),('b',1)")
				a.exec("BEGIN")
				b.exec("BEGIN")
				a.sees("2", check)
				b.sees("2", check)
				a.exec("UPDATE doctors SET on_call = 0 WHERE name = 'a'")
				b.exec("UPDATE doctors SET on_call = 0 WHERE name = 'b'")
				a.exec("COMMIT")
				if c.fails {
					require.Contains(t, b.fails(1213, "COMMIT"), "40001")
					b.sees("1", "SELECT COUNT(*) FROM doctors WHERE on_call")
					b.exec("UPDATE doctors SET on_call = 1 WHERE name = 'a'") // outside any transaction
				} else {
					b.exec("COMMIT")
					b.sees("0", "SELECT COUNT(*) FROM doctors WHERE on_call")
				}
			}
			w.check()
		})
	}
}

// phantom is a pair of transactions that each look for something absent and insert
// what the other one looks for.
type phantom struct {
	name string
	// look is what both look at; it finds nothing.
	look string
	// first and second insert.
	first, second string
	// fk: the look is an insert that fails with 1452.
	fk bool
}

var phantoms = []phantom{
	{name: "index range", look: "SELECT v FROM t WHERE k BETWEEN 100 AND 200", first: "INSERT INTO t VALUES (1,150,0)", second: "INSERT INTO t VALUES (2,150,0)"},
	{name: "covering index range", look: "SELECT k FROM t WHERE k >= 100", first: "INSERT INTO t VALUES (1,150,0)", second: "INSERT INTO t VALUES (2,151,0)"},
	{name: "primary range", look: "SELECT v FROM t WHERE id > 100", first: "INSERT INTO t VALUES (101,0,0)", second: "INSERT INTO t VALUES (102,0,0)"},
	{name: "full scan", look: "SELECT id FROM t WHERE v = 7", first: "INSERT INTO t VALUES (1,0,7)", second: "INSERT INTO t VALUES (2,0,7)"},
	{name: "COUNT(*)", look: "SELECT COUNT(*) FROM t HAVING COUNT(*) > 10", first: "INSERT INTO t VALUES (1,0,7)", second: "INSERT INTO t VALUES (2,0,7)"},
	{name: "MAX by index", look: "SELECT MAX(k) FROM t HAVING MAX(k) > 100", first: "INSERT INTO t VALUES (1,150,7)", second: "INSERT INTO t VALUES (2,160,7)"},
	{name: "absent key", look: "SELECT v FROM t WHERE id IN (1,2)", first: "INSERT INTO t VALUES (1,0,7)", second: "INSERT INTO t VALUES (2,0,7)"},
	{name: "absent unique key", look: "SELECT k FROM u WHERE name IN ('a','b')", first: "INSERT INTO u VALUES (1,'a',1)", second: "INSERT INTO u VALUES (2,'b',1)"},
	{name: "join", look: "SELECT t.v FROM one JOIN t ON t.id = one.n + 0", first: "INSERT INTO t VALUES (1,0,7)", second: "INSERT INTO t VALUES (2,0,7)"},
	{name: "EXISTS", look: "SELECT n FROM one WHERE EXISTS (SELECT 1 FROM t WHERE t.id = one.n)", first: "INSERT INTO t VALUES (1,0,7)", second: "INSERT INTO t VALUES (2,0,7)"},
	{name: "union", look: "SELECT v FROM t WHERE id = 1 UNION SELECT v FROM t WHERE id = 2", first: "INSERT INTO t VALUES (1,0,7)", second: "INSERT INTO t VALUES (2,0,7)"},
	{name: "current read", look: "SELECT v FROM t WHERE k > 100 FOR SHARE", first: "INSERT INTO t VALUES (1,150,0)", second: "INSERT INTO t VALUES (2,150,0)"},
	{name: "UPDATE of nothing", look: "UPDATE t SET v = 1 WHERE k > 100", first: "INSERT INTO t VALUES (1,150,0)", second: "INSERT INTO t VALUES (2,150,0)"},
	{name: "DELETE of nothing", look: "DELETE FROM t WHERE v = 7", first: "INSERT INTO t VALUES (1,150,7)", second: "INSERT INTO t VALUES (2,150,7)"},
	{name: "INSERT of nothing", look: "INSERT INTO one SELECT 5 FROM t WHERE k > 100", first: "INSERT INTO t VALUES (1,150,7)", second: "INSERT INTO t VALUES (2,150,7)"},
	{name: "row that comes by an UPDATE", look: "SELECT v FROM t WHERE k BETWEEN 100 AND 200", first: "UPDATE t SET k = 150 WHERE id = -1", second: "UPDATE t SET k = 150 WHERE id = -2"},
	{name: "row whose content comes", look: "SELECT id FROM t WHERE k = 5 AND v = 7", first: "UPDATE t SET v = 7 WHERE id = -1", second: "UPDATE t SET v = 7 WHERE id = -2"},
	{name: "absent parent", look: "INSERT INTO child VALUES (9,50)", first: "INSERT INTO t VALUES (1,0,0)", second: "INSERT INTO parent VALUES (50,1)", fk: true},
	{name: "absent parent by a key that is not unique", look: "INSERT INTO child2 VALUES (9,50)", first: "INSERT INTO t VALUES (1,0,0)", second: "INSERT INTO parent VALUES (1,50)", fk: true},
}

// ST-106: both look for what is not there and insert it; one of two fails.
func TestST106Phantoms(t *testing.T) {
	w := newWorld(t)
	s := w.client("setup", repeatableRead)
	for _, q := range []string{
		"CREATE TABLE t (id INT PRIMARY KEY, k INT, v INT, KEY (k))",
		"CREATE TABLE u (id INT PRIMARY KEY, name VARCHAR(10), k INT, UNIQUE KEY (name))",
		"CREATE TABLE one (n INT)",
		"CREATE TABLE parent (id INT PRIMARY KEY, k INT, KEY (k))",
		"CREATE TABLE child (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES parent (id))",
		"CREATE TABLE child2 (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES parent (k))",
	} {
		s.exec(q)
	}
	a, b := w.client("a", serializable), w.client("b", serializable)
	for _, p := range phantoms {
		t.Run(p.name, func(t *testing.T) {
			a, b, s := a.of(t), b.of(t), s.of(t)
			s.all("DELETE FROM child; DELETE FROM child2; DELETE FROM parent; DELETE FROM t; DELETE FROM u; DELETE FROM one")
			s.all("INSERT INTO t VALUES (-1,5,0),(-2,5,0); INSERT INTO one VALUES (1),(2)")
			if p.fk {
				// a finds no parent and inserts; b has seen that a's row is not there,
				// and inserts the parent. The key that a looked for is locked where
				// it is unique, so that b waits.
				a.exec("BEGIN")
				b.exec("BEGIN")
				b.sees("0", "SELECT COUNT(*) FROM t WHERE id = 1")
				a.fails(1452, p.look)
				a.exec(p.first)
				done := b.start(p.second)
				a.exec("COMMIT")
				require.NoError(t, done.wait())
				b.fails(1213, "COMMIT")
				return
			}
			for _, c := range []*client{a, b} {
				c.exec("BEGIN")
				c.sees("", p.look)
			}
			a.exec(p.first)
			if _, err := b.try(p.second); err != nil {
				require.Equal(t, 1213, errorNumber(err))
				a.exec("COMMIT")
				return
			}
			a.exec("COMMIT")
			b.fails(1213, "COMMIT")
		})
	}
	w.check()
}

// What does not concern the other one commits.
func TestST106WhatIsNoPhantom(t *testing.T) {
	w := newWorld(t)
	s := w.client("setup", repeatableRead)
	s.exec("CREATE TABLE t (id INT PRIMARY KEY, k INT, v INT, KEY (k))")
	for _, c := range []struct{ name, look, others, then string }{
		{"other keys", "SELECT v FROM t WHERE id = 1", "INSERT INTO t VALUES (50,0,0)", "INSERT INTO t VALUES (60,0,0)"},
		{"outside the range", "SELECT k FROM t WHERE k BETWEEN 1 AND 5", "INSERT INTO t VALUES (50,6,0)", "INSERT INTO t VALUES (60,3,0)"},
		{"behind a LIMIT", "SELECT id FROM t ORDER BY id LIMIT 1", "INSERT INTO t VALUES (50,6,0)", "INSERT INTO t VALUES (60,3,0)"},
		{"before the end of an index", "SELECT MAX(k) FROM t", "INSERT INTO t VALUES (50,1,0)", "INSERT INTO t VALUES (60,3,0)"},
		{"own writes", "UPDATE t SET v = 1 WHERE id = 1", "SELECT 1", "UPDATE t SET v = v + 1 WHERE id = 1"},
		{"nothing written", "SELECT COUNT(*) FROM t", "INSERT INTO t VALUES (50,6,0)", "SELECT COUNT(*) FROM t"},
		{"jobs that others hold", "SELECT id FROM t WHERE k > 0 ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED", "INSERT INTO t VALUES (50,6,0)", "UPDATE t SET v = 9 WHERE id = 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, s := w.client("a", serializable).of(t), s.of(t)
			s.all("DELETE FROM t; INSERT INTO t VALUES (1,10,0),(2,20,0)")
			a.exec("BEGIN")
			a.exec(c.look)
			s.exec(c.others)
			a.exec(c.then)
			a.exec("COMMIT")
		})
	}
	t.Run("what was waited for", func(t *testing.T) {
		// A row that changes while its lock is waited for is read afterwards.
		a, s := w.client("a", serializable).of(t), s.of(t)
		for _, update := range []string{"UPDATE t SET v = v + 1 WHERE id = 1", "UPDATE t SET v = v + 1 WHERE v = 5", "UPDATE t SET v = v + 1 WHERE k = 10"} {
			s.all("DELETE FROM t; INSERT INTO t VALUES (1,10,4),(2,20,0); UPDATE t SET v = 5 WHERE id = 1; BEGIN; UPDATE t SET v = 6 WHERE id = 1; UPDATE t SET v = 5 WHERE id = 1")
			a.exec("BEGIN")
			done := w.waits(a, update)
			s.exec("COMMIT")
			require.NoError(t, done.wait())
			a.exec("COMMIT")
			a.sees("1,10,6; 2,20,0", "SELECT * FROM t ORDER BY id")
		}
	})
	t.Run("statements on their own", func(t *testing.T) {
		a, s := w.client("a", serializable).of(t), s.of(t)
		s.all("DELETE FROM t; INSERT INTO t VALUES (1,10,5),(2,20,0)")
		a.sees("2", "SELECT COUNT(*) FROM t")
		a.exec("UPDATE t SET v = 1 WHERE k = 10")
		a.exec("INSERT INTO t SELECT id + 10, k, v FROM t")
		a.sees("4", "SELECT COUNT(*) FROM t")
	})
	w.check()
}

// A table whose rows are replaced as a whole by a new definition was changed.
func TestST106DefinitionsThatReplaceRows(t *testing.T) {
	w := newWorld(t)
	s := w.client("setup", repeatableRead)
	for i, ddl := range []string{"TRUNCATE TABLE t", "ALTER TABLE t ADD COLUMN w INT", "DROP TABLE t", "RENAME TABLE t TO t9"} {
		s.exec("DROP TABLE IF EXISTS t")
		s.exec("CREATE TABLE t (id INT PRIMARY KEY)")
		s.exec("CREATE TABLE IF NOT EXISTS o (id INT PRIMARY KEY)")
		s.exec("INSERT INTO t VALUES (1)")
		a := w.client("a", serializable)
		a.exec("BEGIN")
		a.sees("1", "SELECT COUNT(*) FROM t")
		s.exec(ddl)
		a.exec(fmt.Sprintf("INSERT INTO o VALUES (%d)", i))
		a.fails(1213, "COMMIT")
	}
	s.sees("0", "SELECT COUNT(*) FROM o")
	w.check()
}

// A transaction that is declared READ ONLY, and one that writes nothing, commit
// whatever happened.
func TestSerializableReadOnly(t *testing.T) {
	w := newWorld(t)
	s := w.client("setup", repeatableRead)
	s.exec("CREATE TABLE t (id INT PRIMARY KEY, v INT)")
	s.exec("INSERT INTO t VALUES (1,0)")
	for _, begin := range []string{"BEGIN", "START TRANSACTION READ ONLY"} {
		a := w.client("a", serializable)
		a.exec(begin)
		a.sees("0", "SELECT v FROM t")
		s.exec("UPDATE t SET v = 1")
		a.sees("0", "SELECT v FROM t")
		a.exec("COMMIT")
		s.exec("UPDATE t SET v = 0")
	}
	w.check()
}
