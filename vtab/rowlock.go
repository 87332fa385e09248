package vtab

import (
	"errors"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/freshetdb/freshet/catalog"
	"github.com/freshetdb/freshet/vtab/kv"
)

// tableLockKey is the lock that stands for a whole table.
func tableLockKey(id catalog.ID) []byte {
	return kv.AppendPrefix(nil, kv.SpaceLock, uint32(id))
}

// tableLock is what a transaction holds of one table.
type tableLock struct {
	// intent is LockIS or LockIX once keys of the table may be locked.
	intent kv.LockMode
	// whole is LockS or LockX if the table is locked as a whole: its keys need no
	// locks of their own then.
	whole kv.LockMode
	// keys counts the locks of rows and unique key values that were taken one by
	// one.
	keys int
}

// includes reports whether mode, asked for of the table, is held.
func (l *tableLock) includes(mode kv.LockMode) bool {
	switch mode {
	case kv.LockIS:
		return l.intent != kv.LockNone || l.whole != kv.LockNone
	case kv.LockIX:
		return l.intent == kv.LockIX || l.whole == kv.LockX
	case kv.LockS:
		return l.whole != kv.LockNone
	}
	return l.whole == mode
}

// add notes that mode has been granted.
func (l *tableLock) add(mode kv.LockMode) {
	switch mode {
	case kv.LockIS, kv.LockIX:
		l.intent = max(l.intent, mode)
	case kv.LockS, kv.LockX:
		l.whole = max(l.whole, mode)
	}
}

// covers reports whether the lock of the whole table spares that of a key in mode.
func (l *tableLock) covers(mode kv.LockMode) bool {
	return l.whole == kv.LockX || l.whole == kv.LockS && mode == kv.LockS
}

// lockTable takes a table lock and makes sure that t is still the definition. It
// waits as long as the session's statements do.
func (tx *Transaction) lockTable(ctx *sql.Context, t *catalog.Table, mode kv.LockMode) error {
	if l := tx.locked[t.ID]; tx.altered[t.ID] || l != nil && l.includes(mode) {
		return nil
	}
	return tx.lockTableFor(ctx, t, mode, tx.sess.lockWait(ctx))
}

// lockTableFor is lockTable with a bound of its own.
func (tx *Transaction) lockTableFor(ctx *sql.Context, t *catalog.Table, mode kv.LockMode, wait time.Duration) error {
	l := tx.locked[t.ID]
	if tx.altered[t.ID] || l != nil && l.includes(mode) {
		return nil
	}
	if covered, err := tx.sess.covers(t, mode); err != nil {
		return err
	} else if !covered {
		if err := tx.lock(ctx, tableLockKey(t.ID), mode, wait); err != nil {
			return err
		}
	}
	// Under the lock nobody can redefine the table; what was bound may be older.
	current, _, err := tx.engine().catalog.Current().ByID(catalog.KindTable, t.ID)
	if err != nil {
		return err
	}
	if now, ok := current.(*catalog.Table); !ok || now.Version != t.Version {
		return errTableChanged(t.Name)
	}
	if l == nil {
		if tx.locked == nil {
			tx.locked = map[catalog.ID]*tableLock{}
		}
		l = &tableLock{}
		tx.locked[t.ID] = l
	}
	l.add(mode)
	return nil
}

// lockKey locks a row or a unique key value of a table whose intention lock is
// held. added: the transaction held nothing of the key before.
func (tx *Transaction) lockKey(ctx *sql.Context, table catalog.ID, key []byte, mode kv.LockMode, wait time.Duration) (added bool, err error) {
	l := tx.locked[table]
	if l != nil && l.covers(mode) {
		return false, nil
	}
	t, err := tx.store(ctx)
	if err != nil {
		return false, err
	}
	held := t.LockCount()
	if err := tx.lock(ctx, key, mode, wait); err != nil {
		return false, err
	}
	if added = t.LockCount() > held; !added || l == nil {
		return added, nil
	}
	if l.keys++; l.keys%tx.engine().escalateEvery == 0 {
		return true, tx.escalate(ctx, table, l, mode)
	}
	return true, nil
}

// escalate locks a whole table in the place of many keys, if nobody is in the way:
// waiting for it could close a ring that the keys alone would not.
func (tx *Transaction) escalate(ctx *sql.Context, table catalog.ID, l *tableLock, mode kv.LockMode) error {
	err := tx.kv.Lock(ctx, kv.LockRequest{Key: tableLockKey(table), Mode: mode})
	var refused *kv.LockError
	if errors.As(err, &refused) && refused.Reason == kv.LockBusy {
		return nil
	}
	if err != nil {
		return tx.lockFailed(ctx, err)
	}
	l.add(mode)
	tx.seen.escalated.Store(table, nil)
	return nil
}

// escalatedOnly reports whether nobody excludes mode of a table but transactions
// that hold the table in the place of rows.
func (tx *Transaction) escalatedOnly(table catalog.ID, mode kv.LockMode) bool {
	blockers := tx.kv.Blockers(tableLockKey(table), mode)
	for _, id := range blockers {
		if !tx.engine().escalated(id, table) {
			return false
		}
	}
	return len(blockers) > 0
}

// escalated reports whether an open transaction holds a table in the place of rows.
func (e *Engine) escalated(id uint64, table catalog.ID) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	for s := range e.sessions {
		if o := s.shown.Load(); o != nil && o.id.Load() == id {
			_, ok := o.escalated.Load(table)
			return ok
		}
	}
	return false
}

// unlockKey gives back a key that lockKey has added: it was locked to be looked at
// and turned out not to matter.
func (tx *Transaction) unlockKey(table catalog.ID, key []byte) {
	if tx.ended {
		return
	}
	tx.kv.Unlock(key)
	if l := tx.locked[table]; l != nil {
		l.keys--
	}
}

// lock takes a lock and turns a refusal into MySQL's error.
func (tx *Transaction) lock(ctx *sql.Context, key []byte, mode kv.LockMode, wait time.Duration) error {
	t, err := tx.store(ctx)
	if err != nil {
		return err
	}
	if tx.seen.id.Load() == 0 {
		tx.seen.id.Store(t.ID())
	}
	if err := t.Lock(ctx, kv.LockRequest{Key: key, Mode: mode, Wait: wait}); err != nil {
		return tx.lockFailed(ctx, err)
	}
	return nil
}

// lockFailed is MySQL's error for a lock that was not granted. A deadlock ends the
// transaction, as in InnoDB.
func (tx *Transaction) lockFailed(ctx *sql.Context, err error) error {
	var refused *kv.LockError
	if !errors.As(err, &refused) {
		return err
	}
	switch refused.Reason {
	case kv.LockBusy:
		return errNoWait()
	case kv.LockTimeout:
		return errLockTimeout()
	case kv.LockTooMany:
		return errTooManyLocks()
	}
	tx.engine().noteDeadlock(ctx, refused.Deadlock)
	tx.sess.defeats++
	tx.sess.abandon(tx)
	return errDeadlock("deadlock found when trying to get a lock")
}
