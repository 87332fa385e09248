package vtab

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/freshetdb/freshet/catalog"
	"github.com/freshetdb/freshet/vtab/kv"
)

// sequences hands out auto-increment values and hidden row ids. They are not
// part of a transaction: a block of values is durable before the first of it is
// handed out, so a kill leaves a gap and never a reuse. The stored number of a
// sequence is the first value that has not been reserved.
type sequences struct {
	store kv.Store
	mu    sync.Mutex
	byID  map[catalog.ID]*sequence
}

// sequence is one counter. Its id is the table's for AUTO_INCREMENT and the
// physical id of the rows for hidden row ids; ids are never shared between the two.
type sequence struct {
	mu       sync.Mutex
	id       catalog.ID
	loaded   bool
	next     uint64 // the next value to hand out
	reserved uint64 // values below it may be handed out
	block    uint64 // size of the next reservation
	calls    uint64 // of run and advance so far
}

func newSequences(store kv.Store) *sequences {
	return &sequences{store: store, byID: map[catalog.ID]*sequence{}}
}

func sequenceKey(id catalog.ID) []byte {
	return kv.AppendPrefix(nil, kv.SpaceSequence, uint32(id))
}

func (s *sequences) get(id catalog.ID) *sequence {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := s.byID[id]
	if q == nil {
		q = &sequence{id: id, block: 1}
		s.byID[id] = q
	}
	return q
}

// forget drops the counter of an object that is gone, and reports whether it was
// in use.
func (s *sequences) forget(id catalog.ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.byID[id]
	delete(s.byID, id)
	return ok
}

// load reads the stored state; start is the first value of a new sequence.
// Requires q.mu.
func (q *sequence) load(ctx context.Context, store kv.Store, start uint64) error {
	if q.loaded {
		return nil
	}
	n, err := readSequence(ctx, store, q.id)
	if err != nil {
		return err
	}
	q.next, q.reserved = max(n, start), n
	q.loaded = true
	return nil
}

// readSequence returns the first unreserved value, 0 if nothing was ever reserved.
func readSequence(ctx context.Context, store kv.Store, id catalog.ID) (uint64, error) {
	tx, err := store.Begin(ctx)
	if err != nil {
		return 0, err
	}
	defer tx.Rollback()
	v, err := tx.Latest(kv.Now).Get(ctx, sequenceKey(id))
	if errors.Is(err, kv.ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	if len(v) != 8 {
		return 0, fmt.Errorf("sequence %d: %w", id, kv.ErrCorrupt)
	}
	return binary.BigEndian.Uint64(v), nil
}

// next hands out one value. start is the first value of a new sequence, limit
// the largest value that the column's type holds.
func (s *sequences) next(ctx context.Context, id catalog.ID, start, limit uint64) (uint64, error) {
	first, _, err := s.run(ctx, id, start, limit, 1)
	return first, err
}

// run hands out the values from first up to but not including end: want of them,
// or fewer where the type has no more.
func (s *sequences) run(ctx context.Context, id catalog.ID, start, limit, want uint64) (first, end uint64, err error) {
	q := s.get(id)
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := q.load(ctx, s.store, start); err != nil {
		return 0, 0, err
	}
	q.calls++
	if q.next > limit || q.next == math.MaxUint64 {
		return 0, 0, errAutoIncrement()
	}
	want = max(1, min(want, limit-q.next+1))
	if q.reserved < q.next+want {
		if err := s.reserve(ctx, q, limit, want); err != nil {
			return 0, 0, err
		}
	}
	first = q.next
	q.next += want
	return first, q.next, nil
}

// sequenceUse is what one statement has done with a sequence.
type sequenceUse struct {
	next, calls uint64 // of the sequence before it
	own         uint64 // calls of the statement
}

// begin notes the state of a sequence before a statement's first call.
func (s *sequences) begin(ctx context.Context, id catalog.ID, start uint64) (sequenceUse, error) {
	q := s.get(id)
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := q.load(ctx, s.store, start); err != nil {
		return sequenceUse{}, err
	}
	return sequenceUse{next: q.next, calls: q.calls}, nil
}

// putBack takes back the values of a statement that has been undone before anybody
// could see one, unless another statement has used the sequence since.
func (s *sequences) putBack(id catalog.ID, use sequenceUse) {
	q := s.get(id)
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.loaded && q.calls == use.calls+use.own {
		q.next = use.next
	}
}

// unused tells whether nothing has asked for the sequence yet, so that it will begin
// where its table's definition says.
func (s *sequences) unused(ctx context.Context, id catalog.ID) (bool, error) {
	q := s.get(id)
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.loaded {
		return false, nil
	}
	n, err := readSequence(ctx, s.store, id)
	return n == 0, err
}

// peek returns the value that next would return.
func (s *sequences) peek(ctx context.Context, id catalog.ID, start uint64) (uint64, error) {
	q := s.get(id)
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := q.load(ctx, s.store, start); err != nil {
		return 0, err
	}
	return q.next, nil
}

// advance makes sure that no value up to and including v is handed out.
func (s *sequences) advance(ctx context.Context, id catalog.ID, start, v, limit uint64) error {
	q := s.get(id)
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := q.load(ctx, s.store, start); err != nil {
		return err
	}
	q.calls++
	if v < q.next {
		return nil
	}
	if v == math.MaxUint64 {
		q.next = v
	} else {
		q.next = v + 1
	}
	if q.next > q.reserved {
		return s.reserve(ctx, q, limit, 1)
	}
	return nil
}

// repair moves a sequence beyond v. Unlike advance it trusts nothing but the
// store: memory may be right where the stored number is behind.
func (s *sequences) repair(ctx context.Context, id catalog.ID, start, v uint64) error {
	q := s.get(id)
	q.mu.Lock()
	defer q.mu.Unlock()
	stored, err := readSequence(ctx, s.store, id)
	if err != nil && !errors.Is(err, kv.ErrCorrupt) {
		return err
	}
	next := v
	if v < math.MaxUint64 {
		next++
	}
	if q.loaded {
		next = max(next, q.reserved)
	}
	if err == nil && max(stored, start) >= next {
		return nil
	}
	if err := writeSequence(ctx, s.store, id, next, kv.DurabilityCommit); err != nil {
		return fmt.Errorf("repair a counter: %w", err)
	}
	q.next, q.reserved, q.loaded = max(q.next, next), max(q.reserved, next), true
	return nil
}

// reserve makes the next block durable, at least want values. The block doubles while the sequence is
// in use, and never takes more than a sixteenth of what the type has left, so
// that kills cannot use up a small type. Requires q.mu.
func (s *sequences) reserve(ctx context.Context, q *sequence, limit, want uint64) error {
	block := q.block
	if left := limit - min(limit, q.next); block > left/16 {
		block = max(1, left/16)
	}
	upTo := q.next + max(block, want)
	if upTo < q.next {
		upTo = math.MaxUint64
	}
	if err := writeSequence(ctx, s.store, q.id, upTo, kv.DurabilityCommit); err != nil {
		return fmt.Errorf("reserve auto-increment values: %w", err)
	}
	q.reserved = upTo
	q.block = min(q.block*2, sequenceBlockMax)
	return nil
}

func writeSequence(ctx context.Context, store kv.Store, id catalog.ID, n uint64, d kv.Durability) error {
	tx, err := store.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := tx.Put(sequenceKey(id), binary.BigEndian.AppendUint64(nil, n)); err != nil {
		return err
	}
	_, err = tx.Commit(ctx, kv.CommitOptions{Durability: d})
	return err
}

// reset sets the next value in the transaction w (TRUNCATE, ALTER ...
// AUTO_INCREMENT); committed must be called when that transaction has committed.
func (s *sequences) reset(w kv.Writer, id catalog.ID, next uint64) (committed func(), err error) {
	if err := w.Put(sequenceKey(id), binary.BigEndian.AppendUint64(nil, next)); err != nil {
		return nil, err
	}
	return func() {
		q := s.get(id)
		q.mu.Lock()
		defer q.mu.Unlock()
		q.next, q.reserved, q.block, q.loaded = next, next, 1, true
	}, nil
}

// close returns what was reserved and not handed out.
func (s *sequences) close(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, q := range s.byID {
		q.mu.Lock()
		var err error
		if q.loaded && q.next < q.reserved {
			err = writeSequence(ctx, s.store, id, q.next, kv.DurabilityNone)
			q.reserved = q.next
		}
		q.mu.Unlock()
		if err != nil {
			return err
		}
	}
	return nil
}
