package kvtest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/vtab/kv"
)

const (
	// HistoryCalls is the length of a differential history (ST-146).
	HistoryCalls = 10_000
	// historyTxns is how many transactions are open at once.
	historyTxns = 6
	// historyShown is how many of the last calls a difference is reported with.
	historyShown = 40
)

// Differential puts one random history of HistoryCalls calls over several
// interleaved transactions to two engines and fails unless all answers are the
// same. The seed is printed on failure and reproduces the history.
func Differential(t *testing.T, a, b Open, seed uint64) {
	t.Helper()
	x, y := a(t), b(t)
	defer func() {
		require.NoError(t, x.Close())
		require.NoError(t, y.Close())
	}()
	require.NoError(t, Diverge(x, y, seed))
}

// Diverge is Differential without a test: it returns an error that describes the
// first difference in the answers of two empty stores.
func Diverge(a, b kv.Store, seed uint64) error {
	h := &history{
		rnd: rand.New(rand.NewPCG(seed, 146)),
		a:   &side{store: a, txns: make([]*sideTxn, historyTxns)},
		b:   &side{store: b, txns: make([]*sideTxn, historyTxns)},
	}
	defer h.a.rollback()
	defer h.b.rollback()
	for n := range HistoryCalls {
		c := h.next()
		h.calls = append(h.calls, c.String())
		wantA, wantB := h.a.run(c), h.b.run(c)
		if wantA != wantB {
			return h.difference(seed, n, wantA, wantB)
		}
		h.note(c)
	}
	if c := (call{kind: dumpAll}); h.a.run(c) != h.b.run(c) {
		return h.difference(seed, HistoryCalls, h.a.run(c), h.b.run(c))
	}
	return nil
}

func (h *history) difference(seed uint64, n int, a, b string) error {
	last := h.calls[max(0, len(h.calls)-historyShown):]
	return fmt.Errorf("seed %d, call %d: the answers differ\n%s\nfirst:  %q\nsecond: %q", seed, n, strings.Join(last, "\n"), a, b)
}

// callKind is what a call does.
type callKind int

const (
	begin callKind = iota
	put
	remove
	deleteRange
	get
	scanSome
	openIter
	stepIter
	seekIter
	closeIter
	savepoint
	rollbackTo
	lock
	locked
	resetSnapshot
	dirty
	commit
	commitHook
	commitHookFails
	rollback
	bulkLoad
	dropBulk
	dumpAll
	callKinds
)

var kindNames = [callKinds]string{
	"begin", "put", "delete", "deleteRange", "get", "scan", "open", "step", "seek", "closeIter", "savepoint", "rollbackTo",
	"lock", "locked", "resetSnapshot", "dirty", "commit", "commitHook", "commitHookFails", "rollback", "bulk", "dropBulk", "dump",
}

// call is one call with all that chance decided about it.
type call struct {
	kind       callKind
	txn        int
	key, value string
	rng        kv.Range
	reverse    bool
	latest     bool // else the snapshot
	mark       int  // -1: now
	iter, n    int
	mode       kv.LockMode
	bulk       int
}

func (c call) String() string {
	return fmt.Sprintf("%s txn=%d key=%x value=%q range=[%x,%x) reverse=%v latest=%v mark=%d iter=%d n=%d mode=%d bulk=%d",
		kindNames[c.kind], c.txn, c.key, c.value, c.rng.Start, c.rng.End, c.reverse, c.latest, c.mark, c.iter, c.n, c.mode, c.bulk)
}

// history generates calls. What it knows of the past (marks, iterators, bulk
// ranges) is what it needs to make calls that the contract allows.
type history struct {
	rnd   *rand.Rand
	a, b  *side
	calls []string

	open    [historyTxns]bool
	marks   [historyTxns]int
	iters   [historyTxns]int
	bulks   int // loaded so far
	dropped int // of these
}

// weights say how often a kind is drawn for an open transaction.
var weights = []struct {
	kind   callKind
	weight int
}{
	{put, 16}, {remove, 8}, {deleteRange, 1}, {get, 16}, {scanSome, 8}, {openIter, 5}, {stepIter, 12}, {seekIter, 5},
	{closeIter, 3}, {savepoint, 5}, {rollbackTo, 2}, {lock, 8}, {locked, 3}, {resetSnapshot, 1}, {dirty, 1}, {commit, 3},
	{commitHook, 2}, {commitHookFails, 1}, {rollback, 1}, {bulkLoad, 1}, {dropBulk, 1}, {dumpAll, 1},
}

func (h *history) next() call {
	c := call{
		txn: h.rnd.IntN(historyTxns), key: h.key(), value: h.value(), rng: h.span(),
		reverse: h.rnd.IntN(2) == 0, latest: h.rnd.IntN(2) == 0, n: 1 + h.rnd.IntN(20),
		mode: kv.LockIS + kv.LockMode(h.rnd.IntN(int(kv.LockX))), mark: -1,
	}
	if !h.open[c.txn] {
		c.kind = begin
		return c
	}
	total := 0
	for _, w := range weights {
		total += w.weight
	}
	at := h.rnd.IntN(total)
	for _, w := range weights {
		if at -= w.weight; at < 0 {
			c.kind = w.kind
			break
		}
	}
	if n := h.marks[c.txn]; n > 0 && (c.kind == rollbackTo || h.rnd.IntN(3) == 0) {
		c.mark = h.rnd.IntN(n)
	}
	if n := h.iters[c.txn]; n > 0 {
		c.iter = h.rnd.IntN(n)
	} else if c.kind == stepIter || c.kind == seekIter || c.kind == closeIter {
		c.kind = openIter
	}
	if c.kind == dropBulk && h.bulks == h.dropped {
		c.kind = bulkLoad
	}
	c.bulk = h.bulks
	if c.kind == dropBulk {
		c.bulk = h.dropped
	}
	return c
}

// note keeps track of what c made.
func (h *history) note(c call) {
	switch c.kind {
	case begin:
		h.open[c.txn] = true
	case openIter:
		h.iters[c.txn]++
	case closeIter:
		h.iters[c.txn]--
	case resetSnapshot: // closes the iterators
		h.iters[c.txn] = 0
	case savepoint:
		h.marks[c.txn]++
	case rollbackTo:
		if c.mark >= 0 {
			h.marks[c.txn] = c.mark + 1
		}
	case commit, commitHook, commitHookFails, rollback:
		h.open[c.txn], h.marks[c.txn], h.iters[c.txn] = false, 0, 0
	case bulkLoad:
		h.bulks++
	case dropBulk:
		h.dropped++
	}
}

// key draws from a few hundred keys in three spaces, with runs of 0x00 and 0xFF.
func (h *history) key() string {
	letters := []byte{0x00, 0x01, 'a', 'b', 'c', 0xfe, 0xff}
	k := []byte{3 + byte(h.rnd.IntN(3))}
	for range h.rnd.IntN(4) {
		k = append(k, letters[h.rnd.IntN(len(letters))])
	}
	return string(k)
}

func (h *history) value() string {
	switch h.rnd.IntN(8) {
	case 0:
		return ""
	case 1:
		return strings.Repeat("long ", h.rnd.IntN(200))
	}
	return fmt.Sprint(h.rnd.IntN(1000))
}

// span draws a range; some are empty or upside down, some have no end.
func (h *history) span() kv.Range {
	if h.rnd.IntN(8) == 0 {
		return span(h.key(), "")
	}
	a, b := h.key(), h.key()
	if a > b && h.rnd.IntN(8) > 0 {
		a, b = b, a
	}
	return span(a, b)
}

// side is one engine under the history.
type side struct {
	store kv.Store
	txns  []*sideTxn
	last  kv.Position
}

type sideTxn struct {
	kv.Txn
	marks []kv.Mark
	iters []kv.Iterator
}

func (x *sideTxn) mark(i int) kv.Mark {
	if i < 0 {
		return kv.Now
	}
	return x.marks[i]
}

// reader is the view that the call asks for.
func (x *sideTxn) reader(c call) (kv.Reader, error) {
	if c.latest {
		return x.Latest(x.mark(c.mark)), nil
	}
	return x.Snapshot(x.mark(c.mark))
}

// closeIters ends the iterators, as one must before the view they stand on goes.
func (x *sideTxn) closeIters() error {
	var errs error
	for _, it := range x.iters {
		errs = errors.Join(errs, it.Close())
	}
	x.iters = nil
	return errs
}

func (s *side) rollback() {
	for _, x := range s.txns {
		if x != nil {
			_ = x.closeIters() // reported when it matters, by the call that closes
			x.Rollback()
		}
	}
}

// answer renders a result in the same form for all engines.
func answer(v string, err error) string {
	var le *kv.LockError
	switch {
	case err == nil:
		return v
	case errors.Is(err, kv.ErrNotFound):
		return v + " not found"
	case errors.As(err, &le):
		return fmt.Sprintf("%s lock %d on %x", v, le.Reason, le.Key)
	case errors.Is(err, errHook):
		return v + " hook error"
	}
	return v + " error: " + err.Error()
}

// run makes the call and renders its answer.
func (s *side) run(c call) string {
	ctx := context.Background()
	switch c.kind {
	case begin:
		t, err := s.store.Begin(ctx)
		s.txns[c.txn] = &sideTxn{Txn: t}
		return answer("", err)
	case bulkLoad:
		return answer("", s.bulkLoad(ctx, c))
	case dropBulk:
		return answer("", s.store.DropRange(ctx, bulkRange(c.bulk)))
	case dumpAll:
		return s.dump(ctx)
	}
	x := s.txns[c.txn]
	switch c.kind {
	case put:
		return answer("", x.Put([]byte(c.key), []byte(c.value)))
	case remove:
		return answer("", x.Delete([]byte(c.key)))
	case deleteRange:
		return answer("", x.DeleteRange(c.rng))
	case savepoint:
		x.marks = append(x.marks, x.Savepoint())
	case rollbackTo:
		x.RollbackTo(x.mark(c.mark))
		if c.mark >= 0 {
			x.marks = x.marks[:c.mark+1]
		}
	case lock:
		return answer("", x.Lock(ctx, kv.LockRequest{Key: []byte(c.key), Mode: c.mode}))
	case locked:
		return fmt.Sprint(x.Locked([]byte(c.key)))
	case dirty:
		return fmt.Sprint(x.Dirty())
	case resetSnapshot:
		err := x.closeIters()
		x.ResetSnapshot()
		return answer("", err)
	case commit, commitHook, commitHookFails, rollback:
		return s.end(ctx, x, c)
	default:
		return x.read(ctx, c)
	}
	return ""
}

// read makes the calls that look at data.
func (x *sideTxn) read(ctx context.Context, c call) string {
	o := kv.ScanOptions{Reverse: c.reverse}
	switch c.kind {
	case get:
		r, err := x.reader(c)
		if err != nil {
			return answer("", err)
		}
		v, err := r.Get(ctx, []byte(c.key))
		return answer(string(v), err)
	case scanSome:
		r, err := x.reader(c)
		if err != nil {
			return answer("", err)
		}
		it := r.Scan(ctx, c.rng, o)
		got := steps(it, 5*c.n)
		return answer(got, it.Close())
	case openIter:
		r, err := x.reader(c)
		if err != nil {
			return answer("", err)
		}
		x.iters = append(x.iters, r.Scan(ctx, c.rng, o))
		return ""
	case stepIter:
		return steps(x.iters[c.iter], c.n)
	case seekIter:
		x.iters[c.iter].SeekTo(c.rng)
		return steps(x.iters[c.iter], 1)
	case closeIter:
		err := x.iters[c.iter].Close()
		x.iters = append(x.iters[:c.iter], x.iters[c.iter+1:]...)
		return answer("", err)
	}
	return "no such call"
}

// steps moves an iterator and renders what it passes.
func steps(it kv.Iterator, n int) string {
	var b strings.Builder
	for range n {
		if !it.Next() {
			return answer(b.String()+"end", it.Err())
		}
		v, err := it.Value()
		fmt.Fprintf(&b, "%x=%q%s ", it.Key(), v, answer("", err))
	}
	return b.String()
}

// end ends a transaction, maybe with a hook that reads and writes.
func (s *side) end(ctx context.Context, x *sideTxn, c call) string {
	if err := x.closeIters(); err != nil {
		return answer("", err)
	}
	if c.kind == rollback {
		x.Rollback()
		return ""
	}
	var seen string
	o := kv.CommitOptions{}
	if c.kind != commit {
		o.Hook = func(latest kv.Reader, w kv.Writer, _ kv.Position) error {
			v, err := latest.Get(ctx, []byte(c.key))
			it := latest.Scan(ctx, c.rng, kv.ScanOptions{Reverse: c.reverse})
			seen = answer(string(v), err) + " " + steps(it, c.n)
			err = it.Close()
			if err = errors.Join(err, w.Put([]byte(c.key), []byte(c.value)), w.Delete(c.rng.Start)); err != nil {
				return err
			}
			if c.kind == commitHookFails {
				return errHook
			}
			return nil
		}
	}
	wrote := x.Dirty()
	pos, err := x.Commit(ctx, o)
	if err == nil && wrote {
		if pos <= s.last || pos != s.store.Applied() {
			return fmt.Sprintf("position %d after %d, applied %d", pos, s.last, s.store.Applied())
		}
		s.last = pos
	}
	return answer(fmt.Sprintf("%s wrote %v", seen, wrote), err)
}

// bulkRange is where the i-th bulk load goes: away from all other keys.
func bulkRange(i int) kv.Range {
	return span(fmt.Sprintf("\x06%06d", i), fmt.Sprintf("\x06%06d", i+1))
}

func (s *side) bulkLoad(ctx context.Context, c call) error {
	b, err := s.store.Bulk(ctx)
	if err != nil {
		return err
	}
	defer b.Close()
	start := string(bulkRange(c.bulk).Start)
	for i := range c.n {
		if err := b.Put([]byte(fmt.Sprintf("%s%d", start, i)), []byte(c.value)); err != nil {
			return err
		}
	}
	return b.Flush()
}

// dump renders the latest state but the store's own keys, and bulk ranges, which
// may be dropped late.
func (s *side) dump(ctx context.Context) string {
	t, err := s.store.Begin(ctx)
	if err != nil {
		return answer("", err)
	}
	defer t.Rollback()
	it := t.Latest(kv.Now).Scan(ctx, span("\x02", "\x06"), kv.ScanOptions{})
	got, err := drain(it)
	return answer(fmt.Sprintf("%q", got), errors.Join(err, it.Close()))
}
