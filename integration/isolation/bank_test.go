package isolation

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	bankClients = 32
	auditors    = 2
	accounts    = 100
	startMoney  = 1000
)

// ST-108: money is moved between accounts and never made or lost, whenever the sum
// is taken, and after each kill.
func TestST108Bank(t *testing.T) {
	random := newRandom(t)
	for _, level := range []string{readCommitted, repeatableRead, serializable} {
		if testing.Short() && level != repeatableRead {
			continue
		}
		t.Run(level, func(t *testing.T) {
			s := newService(t)
			setup := s.client("setup", repeatableRead)
			setup.exec("CREATE TABLE accounts (id INT PRIMARY KEY, money INT NOT NULL, moves INT NOT NULL, KEY (money))")
			for id := range accounts {
				setup.exec("INSERT INTO accounts VALUES (%d,%d,0)", id, startMoney)
			}
			var moved, audited atomic.Int64
			for life := range lives {
				last := life == lives-1
				var all []func(context.Context) error
				for i := range bankClients {
					c, r := s.client(fmt.Sprint("mover ", i), level), rand.New(rand.NewPCG(random.Uint64(), 0))
					all = append(all, func(stop context.Context) error {
						for stop.Err() == nil {
							if err := c.move(r, level); err != nil {
								return err
							}
							moved.Add(2)
						}
						return nil
					})
				}
				for i := range auditors {
					c := s.client(fmt.Sprint("auditor ", i), repeatableRead)
					all = append(all, func(stop context.Context) error {
						for stop.Err() == nil {
							if err := c.audit(); err != nil {
								return err
							}
							audited.Add(1)
						}
						return nil
					})
				}
				s.life(bankTime, last, all...)
				after := s.client("after", repeatableRead)
				require.NoError(t, after.audit())
				// Moves that were on the way when the server died may count too.
				var stored int64
				_, err := fmt.Sscan(after.exec("SELECT SUM(moves) FROM accounts"), &stored)
				require.NoError(t, err)
				require.GreaterOrEqual(t, stored, moved.Load())
				require.LessOrEqual(t, stored, moved.Load()+2*bankClients*int64(life+1))
				if last && life == 0 {
					require.Equal(t, moved.Load(), stored)
				}
			}
			require.Positive(t, moved.Load())
			require.Positive(t, audited.Load())
			t.Logf("%d moves, %d audits", moved.Load()/2, audited.Load())
			s.stop()
		})
	}
}

// move moves money from one account to another, again and again until it is
// committed. It reads in the way that its level makes safe.
func (c *client) move(r *rand.Rand, level string) error {
	from, to := r.IntN(accounts), r.IntN(accounts-1)
	if to >= from {
		to++
	}
	how := r.IntN(3)
	for {
		err := c.moveOnce(from, to, 1+r.IntN(50), how, level)
		if !c.again(err) {
			return err
		}
	}
}

func (c *client) moveOnce(from, to, sum, how int, level string) error {
	if _, err := c.sent("BEGIN"); err != nil {
		return err
	}
	if how == 0 { // the database computes
		for id, by := range map[int]int{from: -sum, to: sum} {
			if _, err := c.sent("UPDATE accounts SET money = money + %d, moves = moves + 1 WHERE id = %d", by, id); err != nil {
				return err
			}
		}
		_, err := c.sent("COMMIT")
		return err
	}
	lock := ""
	if how == 1 || level == readCommitted {
		lock = " FOR UPDATE"
	}
	for _, step := range [][2]int{{from, -sum}, {to, sum}} { // the client computes
		rows, err := c.sent("SELECT money FROM accounts WHERE id = %d%s", step[0], lock)
		if err != nil {
			return err
		}
		var money int
		if _, err := fmt.Sscan(rows, &money); err != nil {
			return err
		}
		if _, err := c.sent("UPDATE accounts SET money = %d, moves = moves + 1 WHERE id = %d", money+step[1], step[0]); err != nil {
			return err
		}
	}
	_, err := c.sent("COMMIT")
	return err
}

// audit adds up all accounts, in several ways within one transaction.
func (c *client) audit() error {
	if _, err := c.sent("START TRANSACTION"); err != nil {
		return err
	}
	for _, query := range []string{
		"SELECT SUM(money) FROM accounts", "SELECT SUM(money) FROM accounts WHERE money > -1000000000",
		fmt.Sprintf("SELECT (SELECT SUM(money) FROM accounts WHERE id < %[1]d) + (SELECT SUM(money) FROM accounts WHERE id >= %[1]d)", accounts/2),
	} {
		rows, err := c.sent("%s", query)
		if err != nil {
			return err
		}
		if rows != fmt.Sprint(accounts*startMoney) {
			return fmt.Errorf("%s: %s answers %s, and there is %d", c.name, query, rows, accounts*startMoney)
		}
	}
	_, err := c.sent("COMMIT")
	return err
}

// A cycle of pointers: each client swaps the successors of two neighbours in its
// transaction; at SERIALIZABLE, and with locks at the other levels, there is one
// ring of all nodes whenever one looks.
func TestCycle(t *testing.T) {
	const nodes, clients, rounds = 12, 8, 40
	random := newRandom(t)
	for _, level := range []string{readCommitted, repeatableRead, serializable} {
		t.Run(level, func(t *testing.T) {
			w := newWorld(t)
			setup := w.client("setup", level)
			setup.exec("CREATE TABLE ring (id INT PRIMARY KEY, succ INT NOT NULL)")
			for id := range nodes {
				setup.exec("INSERT INTO ring VALUES (%d,%d)", id, (id+1)%nodes)
			}
			lock := ""
			if level != serializable {
				lock = " FOR UPDATE"
			}
			all := make([]func() error, 0, clients+1)
			for i := range clients {
				c, r := w.client(fmt.Sprint(i), level), rand.New(rand.NewPCG(random.Uint64(), 0))
				all = append(all, func() error {
					for done := 0; done < rounds; {
						err := c.swap(r.IntN(nodes), lock)
						if err == nil {
							done++
						} else if !c.again(err) {
							return err
						}
					}
					return nil
				})
			}
			auditor := w.client("auditor", repeatableRead)
			all = append(all, func() error {
				for range rounds {
					if err := oneRing(auditor.exec("SELECT id, succ FROM ring"), nodes); err != nil {
						return err
					}
				}
				return nil
			})
			together(t, all)
			require.NoError(t, oneRing(setup.exec("SELECT id, succ FROM ring"), nodes))
			w.check()
		})
	}
}

// swap turns a→b→c→d into a→c→b→d.
func (c *client) swap(a int, lock string) error {
	if _, err := c.try("BEGIN"); err != nil {
		return err
	}
	path := []int{a}
	for range 3 {
		rows, err := c.try("SELECT succ FROM ring WHERE id = %d%s", path[len(path)-1], lock)
		if err != nil {
			return err
		}
		var next int
		if _, err := fmt.Sscan(rows, &next); err != nil {
			return err
		}
		path = append(path, next)
	}
	for _, edge := range [][2]int{{path[0], path[2]}, {path[2], path[1]}, {path[1], path[3]}} {
		if _, err := c.try("UPDATE ring SET succ = %d WHERE id = %d", edge[1], edge[0]); err != nil {
			return err
		}
	}
	_, err := c.try("COMMIT")
	return err
}

// oneRing requires that the edges "0,1; 1,2" make one ring.
func oneRing(rows string, nodes int) error {
	next := map[int]int{}
	for _, edge := range splitScript(rows) {
		var from, to int
		if _, err := fmt.Sscanf(edge, "%d,%d", &from, &to); err != nil {
			return err
		}
		next[from] = to
	}
	at, steps := next[0], 1
	for at != 0 && steps <= nodes {
		at = next[at]
		steps++
	}
	if len(next) != nodes || steps != nodes {
		return fmt.Errorf("no ring of %d: %s", nodes, rows)
	}
	return nil
}

// Updates of one row by 8 and by 32 clients: what is acknowledged is counted.
func TestHotRow(t *testing.T) {
	for _, clients := range []int{8, 32} {
		for _, level := range []string{readCommitted, repeatableRead, serializable} {
			t.Run(fmt.Sprint(clients, " ", level), func(t *testing.T) {
				w := newWorld(t)
				setup := w.client("setup", level)
				setup.exec("CREATE TABLE t (id INT PRIMARY KEY, v INT NOT NULL)")
				setup.exec("INSERT INTO t VALUES (1,0)")
				var acknowledged, refused atomic.Int64
				var all []func() error
				for i := range clients {
					c := w.client(fmt.Sprint(i), level)
					all = append(all, func() error {
						for range max(1, hotRounds*8/clients) {
							_, err := c.try("UPDATE t SET v = v + 1 WHERE id = 1")
							switch {
							case err == nil:
								acknowledged.Add(1)
							case c.again(err):
								refused.Add(1)
							default:
								return err
							}
						}
						return nil
					})
				}
				together(t, all)
				setup.sees(fmt.Sprint(acknowledged.Load()), "SELECT v FROM t")
				require.Zero(t, refused.Load(), "nothing stands in the way of an increment")
				w.check()
			})
		}
	}
}
