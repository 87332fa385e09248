package scenarios

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// stormStatement is a statement that moves an amount to or from a row, found in
// one of many ways.
func stormStatement(rng *rand.Rand, row, amount int) string {
	set := fmt.Sprintf("w = w + (%d)", amount)
	switch rng.IntN(8) {
	case 0:
		return fmt.Sprintf("UPDATE t SET %s WHERE v = %d", set, row)
	case 1:
		return fmt.Sprintf("UPDATE t SET %s WHERE name = 'n%d'", set, row)
	case 2:
		return fmt.Sprintf("UPDATE t SET %s WHERE id BETWEEN %d AND %d AND name = 'n%d' ORDER BY id DESC", set, row-3, row+3, row)
	case 3:
		return fmt.Sprintf("UPDATE t JOIN p ON p.id = t.id SET %s WHERE p.id = %d", set, row)
	case 4:
		return fmt.Sprintf("INSERT INTO t (id) VALUES (%d) ON DUPLICATE KEY UPDATE %s", row, set)
	case 5:
		return fmt.Sprintf("UPDATE t SET %s, u = u WHERE u = %d", set, row+1000)
	}
	return fmt.Sprintf("UPDATE t SET %s WHERE id = %d", set, row)
}

// stormAside is a statement that changes no amount but locks something.
func stormAside(rng *rand.Rand, row int) string {
	switch rng.IntN(6) {
	case 0:
		return fmt.Sprintf("SELECT * FROM t WHERE id >= %d FOR SHARE", row)
	case 1:
		return fmt.Sprintf("SELECT * FROM t WHERE v < %d ORDER BY v LIMIT 3 FOR UPDATE", row)
	case 2:
		return fmt.Sprintf("INSERT INTO c (p) VALUES (%d)", row)
	case 3:
		return fmt.Sprintf("UPDATE p SET n = n + 1 WHERE id = %d", row)
	case 4:
		return fmt.Sprintf("UPDATE p SET n = (SELECT count(*) FROM c WHERE c.p = p.id) WHERE id = %d", row)
	}
	return "SELECT * FROM t WHERE id > 0 LIMIT 5 FOR UPDATE SKIP LOCKED"
}

// ST-100: a storm of deadlocks ends, whatever the rows are found by, and loses and
// invents nothing.
func TestST100Storm(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	w := newWorld(t)
	w.numbers("t", 20, ", u INT UNIQUE, KEY (v)")
	w.exec("UPDATE t SET v = id, u = id + 1000, w = 100")
	w.exec("CREATE TABLE p (id INT PRIMARY KEY, n INT)")
	w.exec("INSERT INTO p SELECT id, 0 FROM t")
	w.exec("CREATE TABLE c (id INT PRIMARY KEY AUTO_INCREMENT, p INT, FOREIGN KEY (p) REFERENCES p (id))")
	sessions, rounds := 8, 60
	if testing.Short() {
		sessions, rounds = 6, 15
	}
	var wg sync.WaitGroup
	for s := range sessions {
		c := w.session(fmt.Sprint("s", s))
		c.exec("SET SESSION TRANSACTION ISOLATION LEVEL " + []string{"READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"}[s%3])
		rng := rand.New(rand.NewPCG(seed, uint64(s)))
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range rounds {
				amount := 1 + rng.IntN(5)
				from, to := 1+rng.IntN(20), 1+rng.IntN(20)
				statements := []string{stormStatement(rng, from, -amount), stormAside(rng, 1+rng.IntN(20)), stormStatement(rng, to, amount)}
				for !c.transact(t, statements) {
				}
			}
		}()
	}
	wg.Wait()
	w.shows(t, "SELECT sum(w), count(*), count(DISTINCT u) FROM t", "2000,20,20")
	require.Zero(t, w.locks())
	t.Logf("%d deadlocks, %d waits", w.db.Metrics().Deadlocks, w.db.Metrics().LockWaits)
	w.finish()
}

// transact runs statements as one transaction. It reports false if the transaction
// is to be tried again.
func (c *client) transact(t *testing.T, statements []string) bool {
	for _, text := range append(append([]string{"BEGIN"}, statements...), "COMMIT") {
		if _, err := c.try(text); err != nil {
			require.Equal(t, 1213, errorNumber(err), "%s: %v", text, err)
			return false
		}
	}
	return true
}
