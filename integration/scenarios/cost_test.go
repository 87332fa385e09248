package scenarios

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fill inserts rows 1..n of (id, v) with v = id, in statements of a thousand.
func (w *world) fill(table string, n int) {
	w.t.Helper()
	for from := 1; from <= n; from += 1000 {
		var b strings.Builder
		for id := from; id < from+1000 && id <= n; id++ {
			if id > from {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, "(%d,%d)", id, id)
		}
		w.exec("%s", fmt.Sprintf("INSERT INTO %s (id, v) VALUES %s", table, b.String()))
	}
}

// work is what reads cost.
type work struct{ gets, keys uint64 }

func (w *world) cost(query string) (work, []string) {
	w.t.Helper()
	before := w.db.Metrics()
	rows := w.rows("%s", query)
	after := w.db.Metrics()
	return work{after.Gets - before.Gets, after.KeysScanned - before.KeysScanned}, rows
}

// ST-069: MIN, MAX and ORDER BY … LIMIT 1 both ways read a constant number of
// keys, also where the transaction's own rows are at the ends.
func TestEndsOfAnIndex(t *testing.T) {
	w := newWorld(t)
	w.exec("CREATE TABLE t (id INT PRIMARY KEY, v INT, KEY (v))")
	w.fill("t", 5000)
	ends := []struct{ query, committed, own string }{
		{"SELECT MIN(id) FROM t", "1", "-5"},
		{"SELECT MAX(id) FROM t", "5000", "9000"},
		{"SELECT MIN(v) FROM t", "1", "-5"},
		{"SELECT MAX(v) FROM t", "5000", "9000"},
		{"SELECT id FROM t ORDER BY id LIMIT 1", "1", "-5"},
		{"SELECT id FROM t ORDER BY id DESC LIMIT 1", "5000", "9000"},
		{"SELECT v FROM t ORDER BY v LIMIT 1", "1", "-5"},
		{"SELECT v FROM t ORDER BY v DESC LIMIT 1", "5000", "9000"},
	}
	for _, own := range []bool{false, true} {
		if own {
			w.exec("BEGIN")
			w.exec("INSERT INTO t VALUES (-5,-5),(9000,9000)")
		}
		for _, e := range ends {
			cost, rows := w.cost(e.query)
			want := e.committed
			if own {
				want = e.own
			}
			require.Equal(t, []string{want}, rows, e.query)
			assert.Less(t, cost.keys+cost.gets, uint64(30), "%s (own rows: %v)", e.query, own)
		}
	}
	w.exec("ROLLBACK")
	w.finish()
}

// ST-094: own inserts, updates and deletes among committed rows merge right,
// forward, backward, by index, joined and counted, and a narrow read costs what it
// reads, not what is pending.
func TestST094OwnWritesInOrder(t *testing.T) {
	w := newWorld(t)
	w.exec("CREATE TABLE t (id INT PRIMARY KEY, v INT, KEY (v))")
	w.fill("t", 1000)
	w.exec("BEGIN")
	want := map[int]int{}
	for id := 1; id <= 1000; id++ {
		want[id] = id
	}
	for id := 10; id <= 1000; id += 10 {
		w.exec("UPDATE t SET v = %d WHERE id = %d", id+5000, id)
		want[id] = id + 5000
		w.exec("DELETE FROM t WHERE id = %d", id-1)
		delete(want, id-1)
		w.exec("INSERT INTO t VALUES (%d,%d)", id+20000, -id)
		want[id+20000] = -id
	}
	var forward []string
	for id := 1; id <= 30000; id++ {
		if v, ok := want[id]; ok {
			forward = append(forward, fmt.Sprintf("%d,%d", id, v))
		}
	}
	require.Equal(t, forward, w.rows("SELECT id, v FROM t ORDER BY id"))
	backward := w.rows("SELECT id, v FROM t ORDER BY id DESC")
	for i := range backward {
		require.Equal(t, forward[len(forward)-1-i], backward[i])
	}
	require.Equal(t, []string{fmt.Sprint(len(want))}, w.rows("SELECT COUNT(*) FROM t"))
	require.Equal(t, forward[:7], w.rows("SELECT id, v FROM t ORDER BY id LIMIT 7"))
	require.Len(t, w.rows("SELECT id FROM t FORCE INDEX (v) WHERE v < 0"), 100)
	require.Equal(t, []string{"20010,-10"}, w.rows("SELECT id, v FROM t WHERE v = -10"))
	require.Empty(t, w.rows("SELECT id FROM t WHERE v = 9"))
	for _, query := range []string{"SELECT v FROM t WHERE id = 500", "SELECT id FROM t WHERE v BETWEEN 101 AND 103", "SELECT id FROM t WHERE id BETWEEN 20010 AND 20030"} {
		cost, rows := w.cost(query)
		require.NotEmpty(t, rows)
		require.Less(t, cost.keys+cost.gets, uint64(40), query)
	}
	w.exec("COMMIT")
	require.Equal(t, forward, w.rows("SELECT id, v FROM t ORDER BY id"))
	w.finish()
}

// ST-073: a row inserted into a table with two unique keys costs the same late in
// a long transaction as early in it.
func TestBulkInsertUnderUnique(t *testing.T) {
	w := newWorld(t)
	w.exec("CREATE TABLE t (id INT PRIMARY KEY, v INT, u INT AS (v + 1) STORED, UNIQUE (v), UNIQUE (u))")
	w.exec("BEGIN")
	per := func(from, rows int) float64 {
		before := w.db.Metrics()
		for ; rows > 0; rows, from = rows-500, from+500 {
			var b strings.Builder
			for i := range 500 {
				fmt.Fprintf(&b, ",(%d,%d)", from+i, from+i)
			}
			w.exec("%s", "INSERT INTO t (id, v) VALUES "+b.String()[1:])
		}
		after := w.db.Metrics()
		return float64(after.Gets-before.Gets+after.KeysScanned-before.KeysScanned+after.Seeks-before.Seeks) / 1000
	}
	early := per(0, 1000)
	per(10000, 8000)
	late := per(100000, 1000)
	require.LessOrEqual(t, late, 2*early+1)
	w.session("").fails(1062, "INSERT INTO t (id, v) VALUES (-1, 500)")
	w.exec("COMMIT")
	w.finish()
}
