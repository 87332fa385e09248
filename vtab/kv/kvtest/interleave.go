package kvtest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/vtab/kv"
)

const (
	interleaved      = 4 // transactions that are open at the same time
	interleavedKeys  = 6
	interleavedSteps = 250
)

// Interleave runs transactions of all levels against each other, step by step in an
// order that the seed decides, and compares every answer with a model: who gets a
// lock, what a snapshot and the latest state show, which commit is refused. Of
// what a validated transaction has read nothing may be otherwise when it commits. It
// returns how many commits were validated and how many were refused.
func Interleave(t *testing.T, open Open, seed uint64) (validated, refused int) {
	s := &scheduler{T: t, store: open(t), ctx: context.Background(), random: rand.New(rand.NewPCG(seed, 2)),
		states: []modelState{{values: map[string]string{}}}}
	defer func() { require.NoError(t, s.store.Close()) }()
	for i := range interleaved {
		s.actors = append(s.actors, &actor{name: fmt.Sprint(i), s: s})
	}
	for n := range interleavedSteps {
		a := s.actors[s.random.IntN(interleaved)]
		what := a.step()
		s.trace = append(s.trace, fmt.Sprintf("%d %s", n, what))
		if t.Failed() {
			t.Fatalf("seed %d:\n%s", seed, strings.Join(s.trace, "\n"))
		}
	}
	for _, a := range s.actors {
		if a.txn != nil {
			a.txn.Rollback()
		}
	}
	require.Empty(t, s.store.Locks())
	require.Zero(t, s.store.Metrics().OpenSnapshots)
	return s.validated, s.refused
}

// scheduler is one run and its model.
type scheduler struct {
	*testing.T
	ctx    context.Context
	store  kv.Store
	random *rand.Rand
	actors []*actor
	states []modelState // after each commit, oldest first
	trace  []string
	// refused and validated count commits that brought their reads.
	refused, validated int
}

// modelState is what is committed at a position, and which keys that commit changed.
type modelState struct {
	position kv.Position
	values   map[string]string
	changed  map[string]bool
}

func (s *scheduler) last() *modelState { return &s.states[len(s.states)-1] }

type actorLevel uint8

const (
	actsCommitted actorLevel = iota
	actsRepeatable
	actsSerializable
)

// actor runs one transaction after the other.
type actor struct {
	name  string
	s     *scheduler
	txn   kv.Txn
	level actorLevel
	snap  *modelState // nil: no snapshot
	own   map[string]*string
	locks map[string]kv.LockMode
	marks []actorMark
	reads kv.ReadSet
	seen  []modelRead
}

type actorMark struct {
	mark kv.Mark
	own  map[string]*string
}

// modelRead is a range that was read, and what it held of others.
type modelRead struct {
	from, to int
	at       kv.Position
	values   map[string]string
}

func modelKey(n int) string { return fmt.Sprintf("\x03k%d", n) }

// step does something and says what.
func (a *actor) step() string {
	if a.txn == nil {
		return a.begin()
	}
	n, m := a.s.random.IntN(interleavedKeys), a.s.random.IntN(interleavedKeys)
	from, to := min(n, m), max(n, m)+1
	switch a.s.random.IntN(14) {
	case 0, 1, 2:
		return a.readSnapshot(from, to)
	case 3:
		return a.readLatest(from, to)
	case 4, 5, 6, 7:
		return a.write(n)
	case 8:
		return a.share(n)
	case 9:
		a.marks = append(a.marks, actorMark{a.txn.Savepoint(), maps.Clone(a.own)})
		return a.name + " savepoint"
	case 10:
		if len(a.marks) == 0 {
			return a.name + " -"
		}
		i := a.s.random.IntN(len(a.marks))
		a.txn.RollbackTo(a.marks[i].mark)
		a.own, a.marks = maps.Clone(a.marks[i].own), a.marks[:i+1]
		return fmt.Sprintf("%s rollback to %d", a.name, i)
	case 11:
		a.txn.Rollback()
		a.txn = nil
		return a.name + " rollback"
	default:
		return a.commit()
	}
}

func (a *actor) begin() string {
	txn, err := a.s.store.Begin(a.s.ctx)
	require.NoError(a.s, err)
	*a = actor{name: a.name, s: a.s, txn: txn, level: actorLevel(a.s.random.IntN(3)), own: map[string]*string{}, locks: map[string]kv.LockMode{}}
	if a.level == actsSerializable {
		require.NoError(a.s, txn.Watch())
	}
	return fmt.Sprintf("%s begin %d", a.name, a.level)
}

// look compares a range as a reader shows it with a state under the own writes, and
// notes what is not the transaction's own.
func (a *actor) look(r kv.Reader, state *modelState, from, to int) {
	want := map[string]string{}
	read := modelRead{from: from, to: to, at: state.position, values: map[string]string{}}
	for n := from; n < to; n++ {
		key := modelKey(n)
		value, ok := state.values[key]
		own, written := a.own[key]
		if !written {
			read.values[key] = value
		} else if ok = own != nil; ok {
			value = *own
		}
		if ok {
			want[key] = value
		}
	}
	got := map[string]string{}
	it := r.Scan(a.s.ctx, kv.Range{Start: []byte(modelKey(from)), End: []byte(modelKey(to))}, kv.ScanOptions{Reverse: a.s.random.IntN(2) == 0})
	for it.Next() {
		value, err := it.Value()
		require.NoError(a.s, err)
		got[string(it.Key())] = string(value)
	}
	require.NoError(a.s, it.Err())
	require.NoError(a.s, it.Close())
	if !maps.Equal(want, got) {
		a.s.Errorf("%s sees %v, the model %v", a.name, got, want)
	}
	a.seen = append(a.seen, read)
}

func (a *actor) readSnapshot(from, to int) string {
	if a.level == actsCommitted && a.snap != nil {
		a.txn.ResetSnapshot()
		a.snap = nil
	}
	if a.snap == nil {
		state := *a.s.last()
		a.snap = &state
	}
	r, err := a.txn.Snapshot(kv.Now)
	require.NoError(a.s, err)
	a.look(r, a.snap, from, to)
	a.reads.AddSnapshot(kv.Range{Start: []byte(modelKey(from)), End: []byte(modelKey(to))}, a.snap.position)
	return fmt.Sprintf("%s snapshot [%d,%d)", a.name, from, to)
}

func (a *actor) readLatest(from, to int) string {
	at := a.s.store.Applied()
	a.look(a.txn.Latest(kv.Now), a.s.last(), from, to)
	a.reads.AddLatest(kv.Range{Start: []byte(modelKey(from)), End: []byte(modelKey(to))}, at)
	return fmt.Sprintf("%s latest [%d,%d)", a.name, from, to)
}

// lock asks for a lock without waiting, and reports whether it was granted.
func (a *actor) lock(key string, mode kv.LockMode) bool {
	free := true
	for _, other := range a.s.actors {
		if held := other.locks[key]; other != a && other.txn != nil && held != kv.LockNone && (held == kv.LockX || mode == kv.LockX) {
			free = false
		}
	}
	err := a.txn.Lock(a.s.ctx, kv.LockRequest{Key: []byte(key), Mode: mode})
	var refused *kv.LockError
	if err != nil && !errors.As(err, &refused) || (err == nil) != free {
		a.s.Errorf("%s asks for %d of %q: %v; free: %v", a.name, mode, key, err, free)
	}
	if err == nil {
		a.locks[key] = max(a.locks[key], mode)
	}
	return err == nil
}

func (a *actor) share(n int) string {
	if !a.lock(modelKey(n), kv.LockS) {
		return fmt.Sprintf("%s share %d refused", a.name, n)
	}
	return fmt.Sprintf("%s share %d; %s", a.name, n, a.readLatest(n, n+1))
}

// write locks a key, reads its latest version and writes it.
func (a *actor) write(n int) string {
	key := modelKey(n)
	if !a.lock(key, kv.LockX) {
		return fmt.Sprintf("%s write %d refused", a.name, n)
	}
	a.readLatest(n, n+1)
	if a.s.random.IntN(4) == 0 {
		require.NoError(a.s, a.txn.Delete([]byte(key)))
		a.own[key] = nil
		return fmt.Sprintf("%s delete %d", a.name, n)
	}
	value := fmt.Sprint(a.s.random.IntN(1000))
	require.NoError(a.s, a.txn.Put([]byte(key), []byte(value)))
	a.own[key] = &value
	return fmt.Sprintf("%s put %d=%s", a.name, n, value)
}

// conflict reports whether a commit since a read has changed a key of it.
func (a *actor) conflict() bool {
	for _, r := range a.seen {
		for _, state := range a.s.states {
			for n := r.from; n < r.to; n++ {
				if state.position > r.at && state.changed[modelKey(n)] {
					return true
				}
			}
		}
	}
	return false
}

func (a *actor) commit() string {
	o := kv.CommitOptions{}
	refuse := false
	if a.level == actsSerializable {
		o.Reads = &a.reads
		refuse = a.conflict()
	}
	txn := a.txn
	a.txn = nil
	pos, err := txn.Commit(a.s.ctx, o)
	var conflict *kv.ConflictError
	if err != nil && !errors.As(err, &conflict) || (err != nil) != refuse {
		a.s.Errorf("%s commits: %v, expected a refusal: %v", a.name, err, refuse)
	}
	if err != nil {
		a.s.refused++
		return a.name + " commit refused"
	}
	if o.Reads != nil {
		a.s.validated++
		a.stillSo()
	}
	if len(a.own) == 0 {
		return a.name + " commit of nothing"
	}
	next := modelState{position: pos, values: maps.Clone(a.s.last().values), changed: map[string]bool{}}
	for key, value := range a.own {
		next.changed[key] = true
		if value == nil {
			delete(next.values, key)
		} else {
			next.values[key] = *value
		}
	}
	a.s.states = append(a.s.states, next)
	return fmt.Sprintf("%s commit at %d of %v", a.name, pos, slices.Sorted(maps.Keys(a.own)))
}

// stillSo requires that what the transaction has seen of others is what is committed
// at the moment of its commit, so that all of it might have happened then.
func (a *actor) stillSo() {
	for _, r := range a.seen {
		for key, value := range r.values {
			if now := a.s.last().values[key]; now != value {
				a.s.Errorf("%s commits, has seen %q at %q, and it is %q", a.name, value, key, now)
			}
		}
	}
}
