package vtab

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/vtab/kv"
)

// lockedKeys counts the locks of rows and unique keys, and lists those of tables.
func (d *database) lockedKeys() (keys int, tables []kv.LockMode) {
	for _, l := range d.store.Locks() {
		if l.Key[0] == byte(kv.SpaceLock) {
			tables = append(tables, l.Mode)
		} else {
			keys++
		}
	}
	return keys, tables
}

// ST-117: many locks of one table become one of the whole table, if that is free
// at once; until then they go on one by one.
func TestST117Escalation(t *testing.T) {
	d := newDatabaseForTest(t)
	d.engine.escalateEvery = 50
	a, b, c := d.session(), d.session(), d.session()
	a.exec("CREATE TABLE t (id INT PRIMARY KEY, v INT, u INT UNIQUE)")
	var rows []string
	for id := range 300 {
		rows = append(rows, fmt.Sprintf("(%d,%d,%d)", id, id%2, id))
	}
	a.exec("INSERT INTO t VALUES %s", strings.Join(rows, ","))

	a.exec("BEGIN")
	a.exec("UPDATE t SET v = v + 1")
	keys, tables := d.lockedKeys()
	require.Equal(t, 50, keys)
	require.Equal(t, []kv.LockMode{kv.LockX}, tables)
	a.exec("UPDATE t SET u = u + 1000") // unique keys are covered as well
	again, _ := d.lockedKeys()
	require.Equal(t, keys, again)
	b.exec("SET innodb_lock_wait_timeout = 1")
	_, err := b.try("UPDATE t SET v = 0 WHERE id = 299")
	require.Equal(t, 1205, number(err), "the row is not locked, its table is")
	_, err = b.try("INSERT INTO t VALUES (1000, 0, 5000)")
	require.Equal(t, 1205, number(err))
	b.check("SELECT count(*) FROM t", "[300]\n")
	_, err = b.try("SELECT id FROM t AS OF 'lock:update:nowait'")
	require.Equal(t, 3572, number(err))
	b.check("SELECT id FROM t AS OF 'lock:update:skip locked' WHERE id = 299", "") // as if the row were locked
	a.exec("COMMIT")
	require.Empty(t, d.store.Locks())

	// Somebody else works in the table.
	b.exec("BEGIN")
	b.exec("INSERT INTO t VALUES (2000, 0, 6000)")
	a.exec("BEGIN")
	a.exec("UPDATE t SET v = v + 1 WHERE id < 1000")
	keys, tables = d.lockedKeys()
	require.Equal(t, 300+2, keys)
	require.ElementsMatch(t, []kv.LockMode{kv.LockIX, kv.LockIX}, tables)
	c.exec("INSERT INTO t VALUES (3000, 0, 7000)")
	b.exec("COMMIT")
	a.exec("INSERT INTO t VALUES %s", strings.ReplaceAll(strings.Join(rows[:60], ","), "(", "(90")) // the next attempt succeeds
	_, tables = d.lockedKeys()
	require.Equal(t, []kv.LockMode{kv.LockX}, tables)
	a.exec("ROLLBACK")
	require.Empty(t, d.store.Locks())
}

// A row that is changed over and over is one lock.
func TestST117OneHotRowDoesNotEscalate(t *testing.T) {
	d := newDatabaseForTest(t)
	d.engine.escalateEvery = 3
	a, b := d.session(), d.session()
	a.exec("CREATE TABLE t (id INT PRIMARY KEY, v INT)")
	a.exec("INSERT INTO t VALUES (1,0),(2,0)")
	a.exec("BEGIN")
	for range 20 {
		a.exec("UPDATE t SET v = v + 1 WHERE id = 1")
	}
	b.exec("UPDATE t SET v = v + 1 WHERE id = 2")
	a.exec("COMMIT")
	a.check("SELECT v FROM t", "[20]\n[1]\n")
}
