package vtab

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/stretchr/testify/require"
)

// A key at the upper end of a range is refused as a duplicate like any other:
// after inserts in order, rollbacks, deletes, updates of the key and a reopen.
// The oracle is a map of the rows.
func TestCeilingOfUniqueKeys(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	d := openDatabase(t, vfs.NewMem())
	t.Cleanup(func() { d.close() })
	c := d.session()
	c.exec("CREATE DATABASE d")
	c.exec("USE d")
	c.exec("CREATE TABLE t (id INT PRIMARY KEY, u INT, UNIQUE KEY (u))")
	ids, values := map[int]int{}, map[int]int{} // id -> u, u -> id
	expect := func(err error, free bool, what string) bool {
		t.Helper()
		want := 0
		if !free {
			want = mysql.ERDupEntry
		}
		require.Equal(t, want, number(err), "%s: %v", what, err)
		return free
	}
	next := 0
	for step := range 1500 {
		switch r.IntN(12) {
		case 0: // a rollback raises the bound for nothing
			c.exec("BEGIN")
			_, err := c.try("INSERT INTO t VALUES (%d,%d)", next+5, next+5)
			if number(err) != 0 && number(err) != mysql.ERDupEntry {
				t.Fatal(err)
			}
			c.exec("ROLLBACK")
		case 1:
			id := r.IntN(next + 3)
			c.exec("DELETE FROM t WHERE id = %d", id)
			if u, ok := ids[id]; ok {
				delete(ids, id)
				delete(values, u)
			}
		case 2:
			from, to := r.IntN(next+3), r.IntN(next+8)
			_, taken := ids[to]
			u, ok := ids[from]
			_, err := c.try("UPDATE t SET id = %d WHERE id = %d", to, from)
			if expect(err, !ok || from == to || !taken, "move of a primary key") && ok {
				delete(ids, from)
				ids[to], values[u] = u, to
				next = max(next, to+1)
			}
		case 3:
			if step%100 == 0 {
				d = d.reopen()
				c = d.session()
				c.exec("USE d")
			}
		default:
			id, u := next+r.IntN(3)-1, next+r.IntN(4)-2
			_, a := ids[id]
			_, b := values[u]
			_, err := c.try("INSERT INTO t VALUES (%d,%d)", id, u)
			if expect(err, !a && !b, fmt.Sprintf("insert of (%d,%d)", id, u)) {
				ids[id], values[u] = u, id
				next = max(next, id+1)
			}
		}
	}
	c.check("SELECT count(*) FROM t", fmt.Sprintf("[%d]\n", len(ids)))
}

// Sessions that insert the same rising keys: each key goes to one of them.
func TestCeilingAmongSessions(t *testing.T) {
	d := newDatabaseForTest(t)
	d.session().exec("CREATE TABLE t (id INT PRIMARY KEY, u INT, UNIQUE KEY (u))")
	const sessions, keys = 6, 150
	var won [keys]int
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range sessions {
		wg.Add(1)
		go func() {
			defer wg.Done()
			c := d.session()
			defer c.end()
			for k := range keys {
				_, err := c.try("INSERT INTO t VALUES (%d,%d)", k, k)
				mu.Lock()
				if err == nil {
					won[k]++
				} else if number(err) != mysql.ERDupEntry {
					t.Error(err)
				}
				mu.Unlock()
			}
		}()
	}
	wg.Wait()
	for k, n := range won {
		require.Equal(t, 1, n, "winners of key %d", k)
	}
}
