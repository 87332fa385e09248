package isolation

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	historyClients = 8
	listKeys       = 6
	opsMax         = 5
)

// ST-109: random transactions append to lists and read them, while the server is
// killed now and then; the dependencies between them are those that the level
// allows.
func TestST109ListAppend(t *testing.T) {
	random := newRandom(t)
	for _, level := range []string{readCommitted, repeatableRead, serializable} {
		t.Run(level, func(t *testing.T) {
			s := newService(t)
			s.client("setup", level).exec("CREATE TABLE lists (k INT PRIMARY KEY, g INT NOT NULL, vals TEXT NOT NULL, KEY (g))")
			var h history
			var next atomic.Int64
			for life := range lives {
				var all []func(context.Context) error
				for i := range historyClients {
					a := &appender{client: s.client(fmt.Sprintf("%d.%d", life, i), level), random: rand.New(rand.NewPCG(random.Uint64(), 0)),
						history: &h, next: &next, level: level}
					all = append(all, a.run)
				}
				s.life(historyTime, life == lives-1, all...)
			}
			final, err := s.client("final", level).lists("SELECT k, vals FROM lists")
			require.NoError(t, err)
			counts := map[outcome]int{}
			for _, x := range h.txns {
				counts[x.outcome]++
			}
			t.Logf("%d committed, %d rolled back, %d unknown", counts[committed], counts[aborted], counts[unknown])
			require.Greater(t, counts[committed], 20)
			require.Empty(t, h.check(level, final))
			s.stop()
		})
	}
}

// appender is a client that runs list-append transactions.
type appender struct {
	*client
	random  *rand.Rand
	history *history
	next    *atomic.Int64 // the next value
	level   string
}

func (a *appender) run(stop context.Context) error {
	for n := 0; stop.Err() == nil; n++ {
		x := &listTxn{name: fmt.Sprintf("T%s-%d", a.name, n)}
		err := a.transaction(x)
		a.history.add(x)
		if err != nil && !a.again(err) {
			return err
		}
	}
	return nil
}

// transaction runs one and says what became of it.
func (a *appender) transaction(x *listTxn) error {
	x.outcome = aborted
	if _, err := a.sent("BEGIN"); err != nil {
		return err
	}
	readOnly := a.random.IntN(3) == 0
	for range 1 + a.random.IntN(opsMax) {
		var err error
		if readOnly || a.random.IntN(2) == 0 {
			err = a.read(x, !readOnly && a.random.IntN(5) == 0)
		} else {
			err = a.append(x)
		}
		if err != nil {
			return err
		}
	}
	if a.random.IntN(10) == 0 {
		_, err := a.sent("ROLLBACK")
		return err
	}
	_, err := a.sent("COMMIT")
	switch {
	case err == nil:
		x.outcome = committed
	case errors.Is(err, errGone):
		x.outcome = unknown
	}
	return err
}

func (a *appender) append(x *listTxn) error {
	o := op{key: a.random.IntN(listKeys), value: int(a.next.Add(1))}
	query := fmt.Sprintf("INSERT INTO lists VALUES (%[1]d,%[2]d,'%[3]d') ON DUPLICATE KEY UPDATE vals = CONCAT(vals, ' %[3]d')", o.key, o.key%2, o.value)
	if a.random.IntN(4) == 0 {
		// An UPDATE finds a list that is there; it says nothing of one that is not.
		list, err := a.lists(fmt.Sprintf("SELECT k, vals FROM lists WHERE k = %d", o.key))
		if err != nil {
			return err
		}
		x.ops = append(x.ops, op{key: o.key, list: list[o.key]})
		if len(list) > 0 {
			query = fmt.Sprintf("UPDATE lists SET vals = CONCAT(vals, ' %d') WHERE k = %d", o.value, o.key)
		}
	}
	x.ops = append(x.ops, o)
	_, err := a.sent("%s", query)
	return err
}

// read reads one list, or several in one statement.
func (a *appender) read(x *listTxn, current bool) error {
	key := a.random.IntN(listKeys)
	keys, where := []int{key}, fmt.Sprintf(" WHERE k = %d", key)
	switch a.random.IntN(4) {
	case 0:
		keys, where = nil, fmt.Sprintf(" WHERE k >= %d", key)
		for k := key; k < listKeys; k++ {
			keys = append(keys, k)
		}
	case 1:
		keys, where = nil, fmt.Sprintf(" WHERE g = %d", key%2)
		for k := key % 2; k < listKeys; k += 2 {
			keys = append(keys, k)
		}
	case 2:
		where = fmt.Sprintf(" WHERE CONCAT(k) = '%d'", key)
	}
	if current {
		where += " FOR SHARE"
	}
	lists, err := a.lists("SELECT k, vals FROM lists" + where)
	if err != nil {
		return err
	}
	for _, k := range keys {
		x.ops = append(x.ops, op{key: k, list: lists[k], current: current})
	}
	return nil
}

// lists reads lists by key.
func (c *client) lists(query string) (map[int][]int, error) {
	rows, err := c.sent("%s", query)
	if err != nil || rows == "" {
		return nil, err
	}
	lists := map[int][]int{}
	for _, row := range splitScript(rows) {
		k, vals, _ := strings.Cut(row, ",")
		key, err := strconv.Atoi(k)
		if err != nil {
			return nil, err
		}
		for _, text := range strings.Fields(vals) {
			v, err := strconv.Atoi(text)
			if err != nil {
				return nil, err
			}
			lists[key] = append(lists[key], v)
		}
	}
	return lists, nil
}

// The checker finds what it is there to find, at the levels that exclude it.
func TestST109CheckerFindsAnomalies(t *testing.T) {
	w := func(key, value int) op { return op{key: key, value: value} }
	r := func(key int, list ...int) op { return op{key: key, list: list} }
	x := func(o outcome, ops ...op) *listTxn { return &listTxn{outcome: o, ops: ops} }
	all := []string{readCommitted, repeatableRead, serializable}
	for _, c := range []struct {
		name  string
		txns  []*listTxn
		final map[int][]int
		found []string
	}{
		{"nothing wrong", []*listTxn{x(committed, w(1, 1)), x(committed, r(1, 1), w(1, 2), r(1, 1, 2)), x(committed, r(1, 1)), x(aborted, w(1, 9)), x(unknown, w(2, 8))}, map[int][]int{1: {1, 2}}, nil},
		{"G0", []*listTxn{x(committed, w(1, 1), w(2, 2)), x(committed, w(1, 3), w(2, 4))}, map[int][]int{1: {1, 3}, 2: {4, 2}}, all},
		{"G1a", []*listTxn{x(aborted, w(1, 1)), x(committed, r(1, 1))}, map[int][]int{}, all},
		{"G1a that stays", []*listTxn{x(aborted, w(1, 1))}, map[int][]int{1: {1}}, all},
		{"G1b", []*listTxn{x(committed, w(1, 1), w(1, 2)), x(committed, r(1, 1))}, map[int][]int{1: {1, 2}}, all},
		{"G1c", []*listTxn{x(committed, w(1, 1), r(2, 2)), x(committed, w(2, 2), r(1, 1))}, map[int][]int{1: {1}, 2: {2}}, all},
		{"lost write", []*listTxn{x(committed, w(1, 1))}, map[int][]int{}, all},
		{"half a transaction", []*listTxn{x(unknown, w(1, 1), w(2, 2))}, map[int][]int{1: {1}}, all},
		{"own write unseen", []*listTxn{x(committed, w(1, 1), r(1))}, map[int][]int{1: {1}}, all},
		{"a list that never was", []*listTxn{x(committed, w(1, 1)), x(committed, w(1, 2)), x(committed, r(1, 2))}, map[int][]int{1: {1, 2}}, all},
		{"P4", []*listTxn{x(committed, w(1, 1)), x(committed, r(1, 1), w(1, 2)), x(committed, r(1, 1), w(1, 3))}, map[int][]int{1: {1, 2, 3}}, all[1:]},
		{"not in the snapshot", []*listTxn{x(committed, r(1), w(1, 1)), x(committed, r(1), w(1, 2))}, map[int][]int{1: {1, 2}}, all[2:]},
		{"seen and lost", []*listTxn{x(unknown, w(1, 1)), x(committed, r(1, 1))}, map[int][]int{1: {}}, nil},
		{"seen and lost under a write", []*listTxn{x(unknown, w(1, 1)), x(committed, r(1, 1), w(2, 2))}, map[int][]int{2: {2}}, all},
		{"read skew", []*listTxn{x(committed, w(1, 1), w(2, 2)), x(committed, r(1, 1), r(2))}, map[int][]int{1: {1}, 2: {2}}, all[1:]},
		{"two orders", []*listTxn{x(committed, w(1, 1)), x(committed, w(2, 2)), x(committed, r(1, 1), r(2)), x(committed, r(2, 2), r(1))}, map[int][]int{1: {1}, 2: {2}}, all[1:]},
		{"write skew", []*listTxn{x(committed, r(1), w(2, 2)), x(committed, r(2), w(1, 1))}, map[int][]int{1: {1}, 2: {2}}, all[2:]},
	} {
		for _, level := range all {
			h := history{}
			for i, each := range c.txns {
				h.txns = append(h.txns, &listTxn{name: fmt.Sprint("T", i), ops: each.ops, outcome: each.outcome})
			}
			problems := h.check(level, c.final)
			require.Equal(t, slices.Contains(c.found, level), len(problems) > 0, "%s at %s: %v", c.name, level, problems)
		}
	}
}
