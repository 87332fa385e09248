package vtab

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/freshetdb/freshet/catalog"
	"github.com/freshetdb/freshet/vtab/kv"
)

// Transaction is one SQL transaction. It belongs to one session and is used by
// one goroutine at a time. Starting one costs nothing: the store transaction and
// the catalog view are taken when the first table is bound, and a Transaction
// that is dropped without Rollback before that holds nothing.
type Transaction struct {
	sess *Session
	// fixed are the characteristics: those given explicitly, and all of them once
	// settled.
	fixed   Characteristics
	settled bool

	// seen is what other sessions may see.
	seen observed

	kv  kv.Txn       // nil until first used
	cat *catalog.Txn // nil until first used
	// synced: cat and the store snapshot show the same commit.
	synced bool
	// plainRead: some statement has read the snapshot, so REPEATABLE READ keeps it.
	plainRead bool
	// counts are the net row changes by physical id, since the last commit.
	counts map[catalog.ID]int64
	// locked are the tables that are locked in some mode.
	locked map[catalog.ID]*tableLock
	// altered are the tables that this transaction itself has redefined.
	altered map[catalog.ID]bool
	// snapshotCounts are the counts of the snapshot that were asked for: the planner asks
	// several times for each statement.
	snapshotCounts map[catalog.ID]uint64
	// absolute counts of physical ids that this transaction built itself.
	built map[catalog.ID]uint64
	// stored are the counts that the commit has put into its batch.
	stored []rowCount
	// claimed are the ids that newID has handed out.
	claimed []catalog.ID
	// retired are key ranges of temporary tables that are to go when the
	// transaction ends, whatever becomes of it: definitions of temporary tables
	// are not rolled back.
	retired []catalog.ID
	// onCommit run after the commit, onEnd after commit and rollback alike.
	onCommit   []func()
	onRollback []func()
	savepoints []savepoint
	// sideTables are the names of full-text tables that the statement is to make.
	sideTables []string
	// readers counts open row iterators: while there are any, the snapshot stays.
	readers int
	// failed: a statement under autocommit ended in an error; whatever follows
	// must not commit what it left.
	failed bool
	// writes: a statement was admitted that changes what is not temporary.
	writes bool
	ended  bool
	// reads are remembered for isolation.
	reads reads
}

var _ sql.Transaction = (*Transaction)(nil)

// savepoint is a named mark. Names are unique without regard to case, except
// that nested triggers reuse theirs: the newest of a name counts.
type savepoint struct {
	name string
	mark mark
}

// mark is a moment in a transaction to which a failed statement returns.
type mark struct {
	kv     kv.Mark
	counts map[catalog.ID]int64
}

// String implements sql.Transaction.
func (tx *Transaction) String() string { return "freshet transaction" }

func (tx *Transaction) engine() *Engine { return tx.sess.engine }

// store returns the store transaction.
func (tx *Transaction) store(ctx context.Context) (kv.Txn, error) {
	if tx.ended {
		return nil, kv.ErrDone
	}
	if tx.kv == nil {
		t, err := tx.engine().store.Begin(ctx)
		if err != nil {
			return nil, err
		}
		tx.kv = t
		if tx.sess.defeats > 0 {
			t.SetDefeats(tx.sess.defeats)
		}
		tx.sess.joinEngine()
		tx.show()
	}
	return tx.kv, nil
}

// definitions returns the catalog as this transaction sees it, which is that of
// its snapshot.
func (tx *Transaction) definitions(ctx context.Context) (*catalog.Snapshot, error) {
	if err := tx.sync(ctx); err != nil {
		return nil, err
	}
	return tx.cat.Snapshot(), nil
}

// sync takes the catalog view and the store snapshot of one commit. While nobody is
// changing the catalog that needs no read. Otherwise the catalog version is read
// through the store snapshot: a version loaded beside it could belong to another
// commit.
func (tx *Transaction) sync(ctx context.Context) error {
	if tx.synced {
		return nil
	}
	if tx.cat == nil {
		tx.cat = tx.engine().catalog.Begin()
	}
	if tx.cat.Changed() {
		tx.synced = true
		return nil
	}
	t, err := tx.store(ctx)
	if err != nil {
		return err
	}
	if err := tx.track(); err != nil {
		return err
	}
	var waiting patience
	for {
		before, quiet := tx.engine().catalog.Settled()
		r, err := t.Snapshot(kv.Now)
		if err != nil {
			return err
		}
		tx.seen.snapshot.Store(time.Now().UnixNano())
		if after, still := tx.engine().catalog.Settled(); quiet && still && before == after && before == tx.cat.Snapshot() {
			tx.synced = true
			return nil
		}
		stored, err := readUint64(ctx, r, kv.MetaCatalogVersion)
		if err != nil {
			return fmt.Errorf("catalog version: %w", err)
		}
		if stored == tx.cat.Snapshot().Version() {
			tx.synced = true
			return nil
		}
		tx.cat.End()
		tx.cat = tx.engine().catalog.Begin()
		t.ResetSnapshot()
		if err := waiting.wait(ctx, tx.engine().store); err != nil {
			return err
		}
	}
}

// patience paces the attempts to take a store snapshot and a catalog snapshot of one
// commit: a commit is between the two, and whoever makes it may have lost the
// processor.
type patience struct {
	began time.Time
	pause time.Duration
}

// wait pauses before the next attempt. It fails with the error of ctx, with that of a
// store that has failed, and when there have been attempts for too long.
func (p *patience) wait(ctx context.Context, store kv.Store) error {
	if p.began.IsZero() {
		p.began, p.pause = time.Now(), time.Microsecond
	}
	if err := errors.Join(ctx.Err(), store.Err()); err != nil {
		return err
	}
	if time.Since(p.began) > snapshotPatience {
		return errInternal("no snapshot and catalog of one commit within %v", snapshotPatience)
	}
	time.Sleep(p.pause)
	p.pause = min(2*p.pause, time.Millisecond)
	return nil
}

// readUint64 reads an eight-byte big-endian counter; absent is 0.
func readUint64(ctx context.Context, r kv.Reader, key []byte) (uint64, error) {
	v, err := r.Get(ctx, key)
	if errors.Is(err, kv.ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	if len(v) != 8 {
		return 0, fmt.Errorf("counter %x: %w", key, kv.ErrCorrupt)
	}
	return binary.BigEndian.Uint64(v), nil
}

// beginStatement is called before each statement is bound. Where no statement of
// the transaction has plainly read yet, or at READ COMMITTED, the next one reads
// a new snapshot, and so does one that is a transaction of its own.
func (tx *Transaction) beginStatement(alone bool) {
	if tx.ended || !tx.synced || tx.readers > 0 || tx.cat.Changed() {
		return
	}
	if tx.plainRead && !alone && tx.isolation() > ReadCommitted {
		return
	}
	tx.cat.End()
	tx.cat = nil
	tx.synced = false
	tx.snapshotCounts = nil
	tx.seen.snapshot.Store(0)
	if tx.kv != nil {
		tx.kv.ResetSnapshot()
	}
}

// mark returns the present moment.
func (tx *Transaction) mark(ctx context.Context) (mark, error) {
	t, err := tx.store(ctx)
	if err != nil {
		return mark{}, err
	}
	return mark{kv: t.Savepoint(), counts: maps.Clone(tx.counts)}, nil
}

// rollbackTo undoes everything since m but definitions and locks.
func (tx *Transaction) rollbackTo(m mark) {
	if tx.ended || tx.kv == nil {
		return
	}
	tx.kv.RollbackTo(m.kv)
	// A savepoint can be rolled back to again.
	tx.counts = maps.Clone(m.counts)
}

// addRows notes a net change of rows of a physical id.
func (tx *Transaction) addRows(id catalog.ID, delta int64) {
	if delta == 0 {
		return
	}
	if tx.counts == nil {
		tx.counts = map[catalog.ID]int64{}
	}
	tx.counts[id] += delta
}

func countKey(id catalog.ID) []byte {
	return kv.AppendPrefix(nil, kv.SpaceCount, uint32(id))
}

// rowCount is the exact number of rows under a physical id: that of the last commit,
// or of the snapshot where that is not known, with what the transaction has changed.
func (tx *Transaction) rowCount(ctx context.Context, id catalog.ID) (uint64, error) {
	if n, ok := tx.built[id]; ok {
		return addDelta(n, tx.counts[id]), nil
	}
	if n, known := tx.engine().counts.of(id); known {
		return addDelta(n, tx.counts[id]), nil
	}
	if err := tx.sync(ctx); err != nil {
		return 0, err
	}
	r, err := tx.kv.Snapshot(kv.Now)
	if err != nil {
		return 0, err
	}
	n, known := tx.snapshotCounts[id]
	if !known {
		if n, err = readUint64(ctx, r, countKey(id)); err != nil {
			return 0, err
		}
		if tx.snapshotCounts == nil {
			tx.snapshotCounts = map[catalog.ID]uint64{}
		}
		tx.snapshotCounts[id] = n
	}
	return addDelta(n, tx.counts[id]), nil
}

func addDelta(n uint64, delta int64) uint64 {
	if delta < 0 && uint64(-delta) > n {
		return 0
	}
	return n + uint64(delta)
}

// dirty reports whether a commit would change anything.
func (tx *Transaction) dirty() bool {
	return (tx.kv != nil && tx.kv.Dirty()) || (tx.cat != nil && tx.cat.Changed())
}

// commit makes the transaction durable. Whatever the outcome, it has ended.
func (tx *Transaction) commit(ctx context.Context) error {
	if tx.ended {
		return nil
	}
	defer tx.end()
	if !tx.dirty() {
		err := tx.validateReads(ctx)
		tx.rolledBack()
		if err == nil {
			tx.succeeded()
		}
		return err
	}
	if tx.writes {
		if err := tx.engine().gate.enter(ctx, tx.sess.tableLockWait(nil)); err != nil {
			tx.rolledBack()
			return err
		}
		defer tx.engine().gate.leave()
	}
	if err := tx.flushDefinitions(ctx); err != nil {
		tx.rolledBack()
		return err
	}
	o := kv.CommitOptions{Reads: tx.validated(), Hook: func(latest kv.Reader, w kv.Writer, pos kv.Position) error {
		return tx.extend(ctx, latest, w, pos)
	}}
	changed := tx.cat != nil && tx.cat.Changed()
	o.Published = func(kv.Position) {
		tx.engine().counts.keep(tx.stored)
		if changed {
			tx.cat.Publish()
		}
	}
	_, err := tx.kv.Commit(ctx, o)
	if err != nil && !errors.Is(err, kv.ErrOutcomeUnknown) {
		tx.rolledBack()
		return err
	}
	for _, f := range tx.onCommit {
		f()
	}
	tx.succeeded()
	return err
}

// succeeded: what may have been tried several times has come to its end.
func (tx *Transaction) succeeded() {
	if len(tx.locked) > 0 {
		tx.sess.defeats = 0
	}
}

// flushDefinitions puts the changed catalog entries into the batch.
func (tx *Transaction) flushDefinitions(ctx context.Context) error {
	if tx.cat == nil || !tx.cat.Changed() {
		return nil
	}
	t, err := tx.store(ctx)
	if err != nil {
		return err
	}
	return tx.cat.Flush(t)
}

// extend runs inside the commit section.
func (tx *Transaction) extend(ctx context.Context, latest kv.Reader, w kv.Writer, pos kv.Position) error {
	if err := tx.extendCounts(ctx, latest, w); err != nil {
		return err
	}
	for _, h := range tx.engine().hooks {
		if err := h.Extend(ctx, tx, latest, w, pos); err != nil {
			return err
		}
	}
	return nil
}

// extendCounts adds the exact row counts to the batch.
func (tx *Transaction) extendCounts(ctx context.Context, latest kv.Reader, w kv.Writer) error {
	for id, n := range tx.built {
		if err := tx.putCount(w, id, addDelta(n, tx.counts[id])); err != nil {
			return err
		}
	}
	for id, delta := range tx.counts {
		if _, ok := tx.built[id]; ok || delta == 0 {
			continue
		}
		n, known := tx.engine().counts.of(id)
		if !known {
			var err error
			if n, err = readUint64(ctx, latest, countKey(id)); err != nil {
				return err
			}
		}
		if delta < 0 && uint64(-delta) > n {
			return errInternal("row count of %d would fall below zero (%d%+d)", id, n, delta)
		}
		if err := tx.putCount(w, id, n+uint64(delta)); err != nil {
			return err
		}
	}
	return nil
}

// putCount stores a count with the commit and notes it for the next one.
func (tx *Transaction) putCount(w kv.Writer, id catalog.ID, n uint64) error {
	tx.stored = append(tx.stored, rowCount{id, n})
	return w.Put(countKey(id), binary.BigEndian.AppendUint64(nil, n))
}

// rollback drops everything. It is idempotent.
func (tx *Transaction) rollback() {
	if tx.ended {
		return
	}
	tx.rolledBack()
	tx.end()
}

func (tx *Transaction) rolledBack() {
	for _, f := range tx.onRollback {
		f()
	}
	// Counters are durable on their own; those of objects that never came to be go.
	for _, id := range tx.claimed {
		if !tx.sess.temp.owns(id) && tx.engine().sequences.forget(id) {
			tx.engine().dropRange(kv.SpaceSequence, id)
		}
	}
}

func (tx *Transaction) end() {
	tx.ended = true
	tx.hide()
	if tx.kv != nil {
		tx.kv.Rollback()
	}
	if tx.cat != nil {
		tx.cat.End()
	}
	tx.endClaims()
	tx.savepoints, tx.locked, tx.altered, tx.onCommit, tx.onRollback = nil, nil, nil, nil, nil
}

// endClaims removes what is retired and gives up the ids that have an owner now,
// or are gone.
func (tx *Transaction) endClaims() {
	e := tx.engine()
	for _, id := range tx.retired {
		e.dropRanges(id)
		e.claims.drop(id)
	}
	for _, id := range tx.claimed {
		if !tx.sess.temp.owns(id) {
			e.claims.drop(id)
		}
	}
	tx.retired, tx.claimed = nil, nil
}

// setSavepoint pushes a savepoint. A user's savepoint replaces an older one of
// the same name; nested replaces nothing, because GMS gives the savepoints of
// nested triggers one name.
func (tx *Transaction) setSavepoint(ctx context.Context, name string, nested bool) error {
	m, err := tx.mark(ctx)
	if err != nil {
		return err
	}
	if !nested {
		if i := tx.findSavepoint(name); i >= 0 {
			tx.savepoints = append(tx.savepoints[:i], tx.savepoints[i+1:]...)
		}
	}
	tx.savepoints = append(tx.savepoints, savepoint{name: name, mark: m})
	return nil
}

func (tx *Transaction) findSavepoint(name string) int {
	for i := len(tx.savepoints) - 1; i >= 0; i-- {
		if strings.EqualFold(tx.savepoints[i].name, name) {
			return i
		}
	}
	return -1
}

func (tx *Transaction) rollbackToSavepoint(name string) error {
	i := tx.findSavepoint(name)
	if i < 0 {
		return sql.ErrSavepointDoesNotExist.New(name)
	}
	tx.rollbackTo(tx.savepoints[i].mark)
	tx.savepoints = tx.savepoints[:i+1]
	return nil
}

func (tx *Transaction) releaseSavepoint(name string) error {
	i := tx.findSavepoint(name)
	if i < 0 {
		return sql.ErrSavepointDoesNotExist.New(name)
	}
	tx.savepoints = tx.savepoints[:i]
	return nil
}
