package vtab

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/freshetdb/freshet/vtab/kv"
)

// currentScan is what a scan of the latest state knows of the row it stands on.
//
// The iterator's view is that of the moment when it was opened; the row is read
// again under its lock. Between the two it may have been changed, may have gone,
// or may have another place in the index:
//
//	changed, same place              it is given out as it is now
//	gone, or in none of the ranges   it is left out
//	in a place already passed        it is given out now, or nobody would
//	in a place still to come         it is left out now and met there
//
// For the last case, and for a row that is gone and may be back under another
// primary key, the iterator is opened again behind the present place.
type currentScan struct {
	// filtered: rows are given out unlocked, and the lockingFilter above says
	// which of them to lock.
	filtered bool
	key      []byte // of the row
	value    []byte // as it was last read; valid while the iterator stays
	added    bool   // the row's lock is new to the transaction
	settled  bool   // value was read under the lock
	// none: every row counts as locked by others, and is skipped.
	none bool
	// first: points are locked before they are looked for.
	first bool
	// readAt is the position at which the row was last read, 0 if its range says so.
	readAt kv.Position
	// changed is the row to be given out once more, because it is not what it was
	// when the filter saw it.
	changed sql.Row
}

// modeOf decides how a scan of t reads. In a statement that writes, also what is
// not written is read in its latest state, and locked for share where reads are
// to be repeatable: otherwise the statement could write what follows from rows
// that are no longer so.
func (t *Table) modeOf(tx *Transaction) scanMode {
	m := t.use.mode
	if m.lock != kv.LockNone {
		m.current = true
		return m
	}
	if t.temporary || !tx.sess.inWrite() {
		return m
	}
	m.current = true
	if tx.isolation() > ReadCommitted {
		m.lock = kv.LockS
	}
	return m
}

// locks reports whether the scan locks rows. Those of a temporary table are one
// session's own.
func (i *rowIter) locks() bool { return i.mode.lock != kv.LockNone && !i.t.temporary }

// lockTable takes the intention lock.
func (i *rowIter) lockTable(ctx *sql.Context) error {
	if !i.locks() {
		return nil
	}
	mode := kv.LockIX
	if i.mode.lock == kv.LockS {
		mode = kv.LockIS
	}
	if i.mode.wait == waitTimeout {
		return i.tx.lockTable(ctx, i.shape.desc, mode)
	}
	err := i.tx.lockTableFor(ctx, i.shape.desc, mode, 0)
	if i.mode.wait == waitNot || !isNoWait(err) {
		return err
	}
	// SKIP LOCKED: who has locked very many rows may hold the table in their place.
	if i.current.none = i.tx.escalatedOnly(i.shape.desc.ID, mode); i.current.none {
		return nil
	}
	return i.tx.lockTable(ctx, i.shape.desc, mode)
}

// byPrimary reports whether the scan reads the rows themselves.
func (i *rowIter) byPrimary() bool { return i.lk == nil || i.lk.index == i.shape.primary }

// currentRow makes the row of the present key from the latest state.
func (i *rowIter) currentRow(ctx *sql.Context) (sql.Row, bool, error) {
	c := &i.current
	ok, err := i.locate()
	if err != nil || !ok {
		return nil, false, err
	}
	if ok, err = i.readHere(ctx); err != nil || !ok {
		return nil, false, err
	}
	row, err := i.decode(ctx, c.key, c.value)
	if err == nil && !c.filtered {
		i.noteShown()
		err = i.remember(ctx)
	}
	return row, err == nil, err
}

// readHere reads the row, locked unless a filter is to be asked first; ok is false
// if it is not wanted.
func (i *rowIter) readHere(ctx *sql.Context) (ok bool, err error) {
	c := &i.current
	if c.first {
		c.value, err = i.it.Value()
		return err == nil, err
	}
	c.added, c.settled = false, false
	if i.locks() && !c.filtered {
		return i.lockHere(ctx)
	}
	return i.lookHere(ctx)
}

// remember notes a locked row of a table without a primary key for the editor,
// which finds it by its content.
func (i *rowIter) remember(ctx context.Context) error {
	if i.mode.lock != kv.LockX || !i.shape.keyless() {
		return nil
	}
	content, err := i.shape.content(ctx, i.zone, i.current.key, i.current.value)
	if err != nil {
		return err
	}
	i.t.use.remember(i.shape.suffix(i.current.key), content)
	return nil
}

// locate finds the key of the row that the iterator stands on; ok is false if the
// present range does not admit it.
func (i *rowIter) locate() (ok bool, err error) {
	c := &i.current
	key := i.it.Key()
	if i.byPrimary() {
		c.key = append(c.key[:0], key...)
		s := i.span()
		if s == nil || !s.filters() {
			return true, nil
		}
		if i.parts, err = splitKey(i.shape.primary, key, i.parts[:0]); err != nil {
			return false, err
		}
		return s.admits(i.shape.primary, key, i.parts, nil)
	}
	value, err := i.it.Value()
	if err != nil {
		return false, err
	}
	x := i.lk.index
	parts, suffix, _, err := x.splitEntry(key, value, i.parts[:0])
	if err != nil {
		return false, err
	}
	i.parts = parts
	c.key = append(append(c.key[:0], i.shape.primary.prefix...), suffix...)
	if s := i.span(); s.filters() {
		return s.admits(x, key, parts, suffix)
	}
	return true, nil
}

// lookHere reads the row without a lock; ok is false if it is gone or has left the
// ranges. A scan that will lock the row finds that out then.
func (i *rowIter) lookHere(ctx *sql.Context) (ok bool, err error) {
	c := &i.current
	if i.byPrimary() {
		c.value, err = i.it.Value()
		return err == nil, err
	}
	i.noteLook()
	c.value, err = i.reader.Get(ctx, c.key)
	if errors.Is(err, kv.ErrNotFound) {
		return false, nil
	}
	if err != nil || !i.partial() && (i.locks() || i.still()) {
		return err == nil, err
	}
	p, err := i.place(ctx)
	return p != placeNone, err
}

// still reports whether nothing has been committed since the iterator was opened.
func (i *rowIter) still() bool { return i.tx.engine().store.Applied() == i.openedAt }

// partial reports whether entries of the index do not decide by themselves which
// rows lie in a range.
func (i *rowIter) partial() bool { return i.lk.index.whole != nil || i.lk.box != nil }

// lockHere locks the row and reads it again; ok is false if it is not wanted any
// more, or is to be skipped.
func (i *rowIter) lockHere(ctx *sql.Context) (ok bool, err error) {
	c := &i.current
	if ok, err = i.lockKey(ctx, c.key); err != nil || !ok {
		return false, err
	}
	still := i.noteLocked()
	if still && i.byPrimary() {
		c.settled = true
		c.value, err = i.it.Value()
		return err == nil, err
	}
	value, err := i.reader.Get(ctx, c.key)
	if errors.Is(err, kv.ErrNotFound) {
		i.release()
		return false, i.reopen(ctx)
	}
	if err != nil {
		return false, err
	}
	c.value, c.settled = value, true
	if i.byPrimary() {
		return true, nil
	}
	p := placeHere
	if !still || i.partial() {
		if p, err = i.place(ctx); err != nil {
			return false, err
		}
	}
	if p == placeHere {
		return true, nil
	}
	i.release()
	if p == placeAhead {
		return false, i.reopen(ctx)
	}
	return false, nil
}

// lockKey locks a row in the scan's mode; ok is false if it is to be skipped.
func (i *rowIter) lockKey(ctx *sql.Context, key []byte) (ok bool, err error) {
	c := &i.current
	c.added = false
	if !i.locks() {
		return true, nil
	}
	wait := time.Duration(0)
	if i.mode.wait == waitTimeout {
		wait = i.tx.sess.lockWait(ctx)
	}
	c.added, err = i.tx.lockKey(ctx, i.shape.desc.ID, key, i.mode.lock, wait)
	if i.mode.wait == waitSkip && isNoWait(err) {
		return false, nil
	}
	return err == nil, err
}

// release gives the row's lock back if it was taken to look at the row.
func (i *rowIter) release() {
	if i.current.added {
		i.current.added = false
		i.tx.unlockKey(i.shape.desc.ID, i.current.key)
	}
}

// place is where a row stands in the index, seen from where the scan stands.
type place uint8

const (
	placeNone  place = iota // in no range of the lookup
	placeHere               // here, or where the scan has been
	placeAhead              // where the scan will come
)

// place finds the place of the row that was last read.
func (i *rowIter) place(ctx context.Context) (place, error) {
	c := &i.current
	row, err := i.shape.decodeRow(ctx, c.key, c.value)
	if err != nil {
		return placeNone, err
	}
	x := i.lk.index
	e, err := x.encodeEntry(ctx, row, i.shape.suffix(c.key))
	if err != nil {
		return placeNone, err
	}
	for n := range i.lk.spans {
		in, err := i.inSpan(ctx, &i.lk.spans[n], e.key)
		if err != nil {
			return placeNone, err
		}
		if in {
			return i.seen(n, e.key), nil
		}
	}
	return placeNone, nil
}

// inSpan reports whether the row that was last read, whose entry has this key,
// lies in the span.
func (i *rowIter) inSpan(ctx context.Context, s *span, entry []byte) (bool, error) {
	if !s.Contains(entry) {
		return false, nil
	}
	c, x := &i.current, i.lk.index
	if s.filters() {
		parts, err := splitKey(x, entry, nil)
		if err != nil {
			return false, err
		}
		if ok, err := s.admits(x, entry, parts, i.shape.suffix(c.key)); err != nil || !ok {
			return false, err
		}
	}
	if ok, err := i.inWhole(ctx, c.key, c.value, s); err != nil || !ok {
		return false, err
	}
	if i.lk.box != nil {
		return i.inBox(ctx, c.key, c.value)
	}
	return true, nil
}

// seen tells whether the scan has come as far as an entry in span n.
func (i *rowIter) seen(n int, entry []byte) place {
	at := i.spanAt - 1
	order := bytes.Compare(entry, i.it.Key())
	if i.lk.reverse {
		order = -order
	}
	if n > at || n == at && order > 0 {
		return placeAhead
	}
	return placeHere
}

// reopen goes on behind the present place in the state of now.
func (i *rowIter) reopen(ctx context.Context) error {
	if i.lk != nil && i.lk.points() {
		return nil // there is nothing behind a point
	}
	rest := i.shape.primary.span
	if i.lk != nil {
		rest = i.lk.spans[i.spanAt-1].Range
	}
	if i.lk != nil && i.lk.reverse {
		rest.End = bytes.Clone(i.it.Key())
	} else {
		rest.Start = append(bytes.Clone(i.it.Key()), 0)
	}
	i.cutRange()
	if err := i.it.Close(); err != nil {
		return err
	}
	i.openedAt = i.tx.engine().store.Applied()
	i.beginRange(rest)
	i.it, i.onKey = i.openRange(ctx, rest), false
	return nil
}

// again returns the row that is to be given out once more.
func (i *rowIter) again() (sql.Row, bool) {
	row := i.current.changed
	if row == nil {
		return nil, false
	}
	i.current.changed = nil
	showAt(i.zone, row, i.moments)
	return row, true
}

// lockPoint locks the one row that a point can hold before it is looked for, so
// that one read is enough and a row that is just being inserted is waited for. It
// reports false if the row is to be skipped.
func (i *rowIter) lockPoint(ctx *sql.Context, key []byte) (bool, error) {
	i.current.key = append(i.current.key[:0], key...)
	ok, err := i.lockKey(ctx, i.current.key)
	if err == nil && ok {
		i.noteLocked()
	}
	return ok, err
}

// openPoints opens the iterator of a scan whose ranges hold one key each.
func (i *rowIter) openPoints(ctx *sql.Context, first kv.Range) kv.Iterator {
	it := newPointIter(ctx, i.reader, first)
	if i.mode.current && i.locks() && !i.current.filtered && i.byPrimary() {
		it.lock, i.current.first = i, true
	}
	return it
}

// lockOutcome is what became of a row that a filter wants locked.
type lockOutcome uint8

const (
	lockLost    lockOutcome = iota // skipped, gone or moved: not to be given out
	lockKept                       // locked, and as the filter saw it
	lockChanged                    // locked, and changed since: the scan gives it out again
)

// lockGiven locks the row that was given out last.
func (i *rowIter) lockGiven(ctx *sql.Context) (lockOutcome, error) {
	c := &i.current
	if !c.settled && i.locks() {
		was := c.value
		if ok, err := i.lockHere(ctx); err != nil || !ok {
			return lockLost, err
		}
		if !bytes.Equal(was, c.value) {
			return i.giveAgain(ctx)
		}
	}
	i.noteShown()
	return lockKept, i.remember(ctx)
}

// giveAgain makes the row that was read under the lock the next one to be given
// out.
func (i *rowIter) giveAgain(ctx context.Context) (lockOutcome, error) {
	c := &i.current
	var err error
	c.changed, err = i.decode(ctx, c.key, c.value)
	return lockChanged, err
}
