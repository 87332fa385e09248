package vtab

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/freshetdb/freshet/catalog"
	"github.com/freshetdb/freshet/vtab/kv"
)

// tracking says which of its reads a transaction remembers.
type tracking uint8

const (
	trackUndecided tracking = iota
	trackNothing
	// trackPlain: plain reads, so that a write does not undo what others have
	// done to a row since it was read.
	trackPlain
	// trackLatest: reads of the latest state, so that they can be validated at
	// COMMIT. Plain reads need no memory: there is one snapshot and one statement.
	trackLatest
	// trackAll: both, and what is fetched through an index.
	trackAll
)

// reads is what a transaction remembers of what it has read (docs/isolation.md).
// GMS reads on several goroutines within one statement, so it has a mutex.
type reads struct {
	mu       sync.Mutex
	tracking tracking
	set      kv.ReadSet
	// open are the ranges that scans are reading: they count in full until the
	// scan ends and says how far it got.
	open map[*rowIter]kv.Range
	// fixedView: the transaction writes, and its statements read one snapshot.
	fixedView bool
	// at is the position of the snapshot, 0 until it is needed.
	at kv.Position
	// tables are the physical ids of what was plainly read.
	tables map[catalog.ID]struct{}
	// shown are the rows that a SELECT has locked and returned: the client has
	// seen their current version.
	shown map[string]struct{}
	// judged is the row that was last found to be writable.
	judged []byte
}

// track decides, before the first snapshot is taken, what the transaction
// remembers. It does so once: what a transaction is does not change.
func (tx *Transaction) track() error {
	r := &tx.reads
	if r.tracking != trackUndecided {
		return nil
	}
	several, level := !tx.sess.autocommits(nil), tx.isolation()
	r.fixedView = several && level > ReadCommitted && !tx.IsReadOnly()
	switch {
	case tx.IsReadOnly():
		r.tracking = trackNothing
	case level == Serializable && several:
		t, err := tx.store(context.Background())
		if err != nil {
			return err
		}
		if err := t.Watch(); err != nil {
			return err
		}
		r.tracking = trackAll
	case level == Serializable:
		r.tracking = trackLatest
	case level == RepeatableRead && several && tx.sess.refusesLostUpdates(nil):
		r.tracking = trackPlain
	default:
		r.tracking = trackNothing
	}
	return nil
}

// beginReads prepares the transaction for a scan that begins. The reader is taken
// after it if the scan reads the latest state, before it if it is plain.
func (i *rowIter) beginReads(ctx *sql.Context, s kv.Txn) error {
	r := &i.tx.reads
	switch {
	case i.t.temporary:
		return nil
	case i.mode.current && r.tracking >= trackLatest && i.mode.wait != waitSkip:
		if err := s.Watch(); err != nil {
			return err
		}
	case !i.mode.current && (r.tracking == trackPlain || r.tracking == trackAll):
		if err := r.noteTable(ctx, i.reader, i.shape.desc); err != nil {
			return err
		}
	default:
		return nil
	}
	i.reads = r
	return nil
}

// noteTable notes that a table is read in the snapshot.
func (r *reads) noteTable(ctx context.Context, snapshot kv.Reader, t *catalog.Table) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.at == 0 {
		at, err := readUint64(ctx, snapshot, kv.MetaPosition)
		if err != nil {
			return fmt.Errorf("position of the snapshot: %w", err)
		}
		r.at = kv.Position(at)
	}
	if _, known := r.tables[t.Physical]; known {
		return nil
	}
	if r.tables == nil {
		r.tables = map[catalog.ID]struct{}{}
	}
	r.tables[t.Physical] = struct{}{}
	if r.tracking == trackAll {
		// Who gives the table other rows by a new definition changes it, too.
		r.set.AddSnapshot(kv.PointRange(catalog.EntryKey(t.Kind, t.ID)), r.at)
	}
	return nil
}

// add notes that a scan has read a range. mu is held.
func (r *reads) add(i *rowIter, span kv.Range) {
	if i.mode.current {
		r.set.AddLatest(span, i.openedAt)
	} else {
		r.set.AddSnapshot(span, r.at)
	}
}

// beginRange notes that the scan begins to read a range.
func (i *rowIter) beginRange(span kv.Range) {
	r := i.reads
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if i.lk != nil && i.lk.points() {
		span = kv.PointRange(span.Start)
	}
	if r.open == nil {
		r.open = map[*rowIter]kv.Range{}
	}
	r.open[i] = span
}

// endRange notes that the scan has read a range to its end.
func (i *rowIter) endRange() {
	if i.reads != nil {
		i.reads.end(i, func(span kv.Range) kv.Range { return span })
	}
}

// cutRange notes that the scan ends on a key within a range, or before its first.
func (i *rowIter) cutRange() {
	if i.reads == nil {
		return
	}
	i.leaveRow()
	i.reads.end(i, func(span kv.Range) kv.Range {
		switch {
		case !i.onKey:
			return kv.Range{Start: span.Start, End: span.Start}
		case i.lk != nil && i.lk.points():
		case i.lk != nil && i.lk.reverse:
			span.Start = bytes.Clone(i.it.Key())
		default:
			span.End = kv.PointRange(i.it.Key()).End
		}
		return span
	})
}

// end closes a scan's open range; consumed says how much of it was read.
func (r *reads) end(i *rowIter, consumed func(kv.Range) kv.Range) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if span, ok := r.open[i]; ok {
		r.add(i, consumed(span))
		delete(r.open, i)
	}
}

// noteRow notes the row that a plain scan has fetched through an index.
func (i *rowIter) noteRow(key []byte) {
	r := i.reads
	if r == nil || r.tracking != trackAll {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.set.AddSnapshot(kv.PointRange(key), r.at)
}

// noteLocked notes that a row of the latest state was locked, and will be read again
// now. It reports whether nothing was committed since the scan's iterator was opened.
func (i *rowIter) noteLocked() (still bool) {
	at := i.tx.engine().store.Applied()
	still = at == i.openedAt
	r := i.reads
	if r == nil {
		return still
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if i.byPrimary() {
		if !still {
			r.set.Settle(i.current.key, at)
		}
		return still
	}
	r.set.Settle(i.it.Key(), at)
	i.current.readAt = at
	return still
}

// noteLook notes that a row of the latest state will be read through an index, not
// locked.
func (i *rowIter) noteLook() {
	if i.reads != nil {
		i.current.readAt = i.tx.engine().store.Applied()
	}
}

// leaveRow notes the row that a scan of the latest state has fetched through an
// index, as it was when it was last read.
func (i *rowIter) leaveRow() {
	c, r := &i.current, i.reads
	if c.readAt == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.set.AddLatest(kv.PointRange(c.key), c.readAt)
	c.readAt = 0
}

// noteShown notes that the client gets the current version of a row, which stays
// the current one, because the row is locked.
func (i *rowIter) noteShown() {
	r := &i.tx.reads
	if !i.mode.asked || r.tracking != trackPlain && r.tracking != trackAll {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.shown == nil {
		r.shown = map[string]struct{}{}
	}
	r.shown[string(i.current.key)] = struct{}{}
}

// validated is what COMMIT is to look after, nil for nothing. Scans that are still
// open have read all of their range.
func (tx *Transaction) validated() *kv.ReadSet {
	r := &tx.reads
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.tracking < trackLatest {
		return nil
	}
	for i, span := range r.open {
		r.add(i, span)
	}
	if r.set.Empty() {
		return nil
	}
	return &r.set
}

// validateReads ends a transaction that has written nothing. What it has seen in its
// snapshot alone is one state; what it has read of later ones must fit to it.
func (tx *Transaction) validateReads(ctx context.Context) error {
	reads := tx.validated()
	if reads == nil || reads.OneMoment() {
		return nil
	}
	_, err := tx.kv.Commit(ctx, kv.CommitOptions{Reads: reads})
	return err
}

// any reports whether some table was plainly read, read whether one was.
func (r *reads) any() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.tables) > 0
}

func (r *reads) read(id catalog.ID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, ok := r.tables[id]
	return ok
}

// suspects reports whether a row must be looked at before it is written.
func (r *reads) suspects(t *catalog.Table, key []byte, applied kv.Position) bool {
	if r.tracking != trackPlain && r.tracking != trackAll {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, read := r.tables[t.Physical]; !read || applied == r.at || bytes.Equal(key, r.judged) {
		return false
	}
	_, shown := r.shown[string(key)]
	return !shown
}

// inSnapshot reports whether a key lies in what was plainly read.
func (r *reads) inSnapshot(key []byte) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.set.ReadInSnapshot(key) {
		return true
	}
	for i, span := range r.open {
		if !i.mode.current && span.Contains(key) {
			return true
		}
	}
	return false
}

// judge is called for each row that a statement writes, or finds to have the
// values already that it is to get, after the row was locked. It fails, and ends
// the transaction, if the transaction has plainly read the row and somebody has
// changed it since.
func (tx *Transaction) judge(ctx *sql.Context, s *shape, key []byte) error {
	r := &tx.reads
	if !r.suspects(s.desc, key, tx.engine().store.Applied()) {
		return nil
	}
	snapshot, err := tx.kv.Snapshot(kv.Now)
	if err != nil {
		return err
	}
	was, err := snapshot.Get(ctx, key)
	if errors.Is(err, kv.ErrNotFound) {
		return nil // what is not in the snapshot was not read
	}
	if err != nil {
		return err
	}
	now, err := tx.kv.Latest(kv.Now).Get(ctx, key)
	if errors.Is(err, kv.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if !bytes.Equal(was, now) {
		read, err := tx.hasRead(ctx, s, key, was)
		if err != nil {
			return err
		}
		if read && (r.tracking == trackAll || tx.sess.refusesLostUpdates(ctx)) {
			tx.sess.abandon(tx)
			return errLostUpdate(s.desc.Name)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.judged = append(r.judged[:0], key...)
	return nil
}

// hasRead reports whether the row that the snapshot has under key lies in what was
// plainly read, by its own key or by that of an index.
func (tx *Transaction) hasRead(ctx context.Context, s *shape, key, value []byte) (bool, error) {
	if tx.reads.inSnapshot(key) {
		return true, nil
	}
	row, err := s.decodeRow(ctx, key, value)
	if err != nil {
		return false, err
	}
	for _, x := range s.indexes {
		if !x.stores {
			continue
		}
		e, err := x.encodeEntry(ctx, row, s.suffix(key))
		if err != nil {
			return false, err
		}
		if tx.reads.inSnapshot(e.key) {
			return true, nil
		}
	}
	return false, nil
}

// Judge returns what must be called with each row of a table that a statement is
// about to change, whether or not the row will be another one; nil if there is
// nothing to look at. The row is as a scan of the table has returned it.
func Judge(ctx *sql.Context) func(ctx *sql.Context, table sql.Table, row sql.Row) error {
	s, ok := ctx.Session.(*Session)
	if !ok {
		return nil
	}
	tx, ok := s.BaseSession.GetTransaction().(*Transaction)
	if !ok || tx.ended || !tx.reads.any() {
		return nil
	}
	return tx.judgeRow
}

// judgeRow finds the key of a row and judges it.
func (tx *Transaction) judgeRow(ctx *sql.Context, table sql.Table, row sql.Row) error {
	var t *Table
	switch table := sql.GetUnderlyingTable(table).(type) {
	case *Table:
		t = table
	case *IndexedTable:
		t = table.Table
	}
	if t == nil || t.temporary || tx.ended {
		return nil
	}
	if !tx.reads.read(t.shape.desc.Physical) {
		return nil
	}
	z, err := t.shape.zoneOf(ctx, tx.sess)
	if err != nil {
		return err
	}
	key, ok, err := t.keyOf(ctx, z, row)
	if err != nil || !ok {
		return err
	}
	return tx.judge(ctx, t.shape, key)
}
