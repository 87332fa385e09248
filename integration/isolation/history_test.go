package isolation

import (
	"fmt"
	"slices"
	"sync"
)

// Histories of list-append transactions, checked by their dependency graph: Adya,
// "Weak Consistency", 1999; Kingsbury and Alvaro, "Elle", 2020. A transaction
// appends values, each of its own, to lists, and reads lists. What a list holds in
// the end says in which order its values came; what a transaction has read of a
// list says whose appends it has seen, and whose not.

// outcome is what became of a transaction.
type outcome uint8

const (
	committed outcome = iota
	aborted
	unknown // the server died while it committed
)

// op is an append of a value to a list, or a read of a list.
type op struct {
	key   int
	value int   // what was appended; 0 for a read
	list  []int // what was read
	// current: the read was a locking one, of the latest state.
	current bool
}

// listTxn is one transaction.
type listTxn struct {
	name    string
	ops     []op
	outcome outcome
	// lost: it went with the server that was killed while it committed. Reads show
	// what is committed before it is on disk, so it may have been seen.
	lost bool
}

func (x *listTxn) String() string { return x.name }

// readOnly reports whether the transaction has only read its snapshot.
func (x *listTxn) readOnly() bool {
	return !slices.ContainsFunc(x.ops, func(o op) bool { return o.value != 0 || o.current })
}

// appended returns the values that the transaction appends to a list.
func (x *listTxn) appended(key int) []int {
	var values []int
	for _, o := range x.ops {
		if o.value != 0 && o.key == key {
			values = append(values, o.value)
		}
	}
	return values
}

// history is all transactions of a run.
type history struct {
	mu   sync.Mutex
	txns []*listTxn
}

func (h *history) add(x *listTxn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.txns = append(h.txns, x)
}

// checker looks for what a level does not allow.
type checker struct {
	level    string
	final    map[int][]int
	writer   map[int]*listTxn // of a value
	edges    map[*listTxn][]edge
	problems []string
}

type edge struct {
	to   *listTxn
	kind string
}

// check returns what is wrong with a history after which the lists hold final.
func (h *history) check(level string, final map[int][]int) []string {
	c := &checker{level: level, final: final, writer: map[int]*listTxn{}, edges: map[*listTxn][]edge{}}
	for _, x := range h.txns {
		for _, o := range x.ops {
			if o.value != 0 {
				c.writer[o.value] = x
			}
		}
	}
	c.lists()
	for _, x := range h.txns {
		c.effects(x)
	}
	for _, x := range h.txns {
		if c.sawLost(x) {
			continue
		}
		for i := range x.ops {
			if x.ops[i].value == 0 {
				c.read(x, i)
			}
		}
	}
	if len(c.problems) == 0 {
		c.cycles(h.txns)
	}
	return c.problems
}

func (c *checker) problem(format string, args ...any) {
	c.problems = append(c.problems, fmt.Sprintf(format, args...))
}

// lists looks at what the lists hold, and makes the edges from each writer to the
// next one.
func (c *checker) lists() {
	seen := map[int]bool{}
	for key, list := range c.final {
		for i, v := range list {
			x := c.writer[v]
			switch {
			case seen[v]:
				c.problem("list %d holds %d twice", key, v)
			case x == nil:
				c.problem("list %d holds %d, which nobody appended", key, v)
			case x.outcome == aborted:
				c.problem("list %d holds %d of %v, which was rolled back (G1a)", key, v, x)
			case i > 0:
				c.edge(c.writer[list[i-1]], x, "ww")
			}
			seen[v] = true
		}
	}
}

func (c *checker) edge(from, to *listTxn, kind string) {
	if from != nil && to != nil && from != to {
		c.edges[from] = append(c.edges[from], edge{to, kind})
	}
}

// effects requires that a transaction is there as a whole or not at all.
func (c *checker) effects(x *listTxn) {
	there, missing := 0, 0
	for _, o := range x.ops {
		if o.value == 0 {
			continue
		}
		if slices.Contains(c.final[o.key], o.value) {
			there++
		} else {
			missing++
		}
	}
	switch {
	case x.outcome == committed && missing > 0:
		c.problem("%v is committed, and %d of its values are lost", x, missing)
	case there > 0 && missing > 0:
		c.problem("of %v %d values are there and %d are not", x, there, missing)
	}
	if x.outcome == unknown {
		x.outcome = aborted
		if there > 0 {
			x.outcome = committed
		}
		x.lost = there == 0
	}
}

// sawLost reports whether a transaction has seen one that was lost. If it has written
// something and was acknowledged, what it has seen cannot be lost.
func (c *checker) sawLost(x *listTxn) bool {
	saw := false
	for _, o := range x.ops {
		for _, v := range o.list {
			w := c.writer[v]
			saw = saw || w != nil && w.lost && w != x
		}
	}
	wrote := slices.ContainsFunc(x.ops, func(o op) bool { return o.value != 0 })
	if saw && x.outcome == committed && wrote {
		c.problem("%v is committed, and what it has read is lost", x)
	}
	return saw
}

// read looks at what op i of x has read.
func (c *checker) read(x *listTxn, i int) {
	o := x.ops[i]
	own := 0 // at the end of the list
	for own < len(o.list) && c.writer[o.list[len(o.list)-1-own]] == x {
		own++
	}
	others := o.list[:len(o.list)-own]
	final := c.final[o.key]
	if len(others) > len(final) || !slices.Equal(others, final[:len(others)]) {
		c.problem("%v has read %v of list %d, which never was: it became %v", x, o.list, o.key, final)
		return
	}
	before := (&listTxn{ops: x.ops[:i]}).appended(o.key)
	if !slices.Equal(before, o.list[len(others):]) {
		c.problem("%v has appended %v to list %d and read %v", x, before, o.key, o.list)
	}
	if own > 0 {
		return // it follows its own append, whose place the list tells
	}
	if len(others) > 0 {
		last := others[len(others)-1]
		w := c.writer[last]
		if values := w.appended(o.key); values[len(values)-1] != last {
			c.problem("%v has read list %d in the middle of %v (G1b)", x, o.key, w)
		}
		c.edge(w, x, "wr")
	}
	if len(others) == len(final) {
		return
	}
	next := c.writer[final[len(others)]]
	if x.outcome == committed && next != x && len(others) > 0 && c.level != readCommitted && slices.ContainsFunc(x.ops[i:], func(o2 op) bool { return o2.value != 0 && o2.key == o.key }) && c.shown(x, i) == i {
		c.problem("%v has read %v of list %d and appended behind %v: lost update", x, o.list, o.key, next)
	}
	if c.level == serializable || c.level == repeatableRead && x.readOnly() {
		c.edge(x, next, "rw")
	}
}

// shown is the last read of a list that shows its current state, before x appends
// to it: op i, or a locking read.
func (c *checker) shown(x *listTxn, i int) int {
	for n, o := range x.ops {
		if o.current && o.key == x.ops[i].key && n != i {
			return n
		}
	}
	return i
}

// cycles looks for a ring of dependencies among committed transactions.
func (c *checker) cycles(all []*listTxn) {
	const (
		fresh = iota
		open
		done
	)
	state := map[*listTxn]int{}
	var path []edge
	var visit func(x *listTxn) bool
	visit = func(x *listTxn) bool {
		state[x] = open
		for _, e := range c.edges[x] {
			if e.to.outcome != committed {
				continue
			}
			path = append(path, e)
			switch state[e.to] {
			case open:
				c.problem("a ring of dependencies at %s: %s", c.level, ring(path))
				return false
			case fresh:
				if !visit(e.to) {
					return false
				}
			}
			path = path[:len(path)-1]
		}
		state[x] = done
		return true
	}
	for _, x := range all {
		if x.outcome == committed && state[x] == fresh && !visit(x) {
			return
		}
	}
}

// ring renders the end of a path that closes a ring.
func ring(path []edge) string {
	last := path[len(path)-1].to
	text := ""
	for i := len(path) - 1; i >= 0; i-- {
		text = fmt.Sprintf(" -%s-> %v %s%s", path[i].kind, path[i].to, describe(path[i].to), text)
		if i < len(path)-1 && path[i].to == last {
			break
		}
	}
	return text
}

func describe(x *listTxn) string {
	text := "("
	for _, o := range x.ops {
		switch {
		case o.value != 0:
			text += fmt.Sprintf("%d+=%d ", o.key, o.value)
		case o.current:
			text += fmt.Sprintf("%d!=%v ", o.key, o.list)
		default:
			text += fmt.Sprintf("%d=%v ", o.key, o.list)
		}
	}
	return text + ")"
}
