package vtab

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/freshetdb/freshet/catalog"
	"github.com/freshetdb/freshet/vtab/kv"
)

// Locks on whole tables that a session asks for: LOCK TABLES and FLUSH TABLES WITH
// READ LOCK. They outlive its transactions, so an owner of their own holds them, and
// the transactions of the session do not ask for what it holds.

// sessionLocks are the locks on whole tables that a session holds.
type sessionLocks struct {
	owner  kv.Txn // holds the locks, nothing else; nil if there are none
	tables map[catalog.ID]kv.LockMode
	// writes is how many of them are for writing.
	writes int
	// global: this session keeps the engine's gate closed.
	global bool
}

// TableLock is one table of LOCK TABLES.
type TableLock struct {
	Table *Table
	Write bool
}

// LockTables commits what is open, gives up the locks on tables that the session
// holds, and takes the given ones, all or none. Until UnlockTables, a BEGIN or the end
// of the session its statements may use these tables only. Temporary tables need none.
func (s *Session) LockTables(ctx *sql.Context, wanted []TableLock) error {
	if err := s.EndOpen(ctx); err != nil {
		return err
	}
	s.unlockTables()
	modes := map[catalog.ID]kv.LockMode{}
	for _, w := range wanted {
		id := w.Table.shape.desc.ID
		switch {
		case w.Table.temporary:
		case w.Write && s.tableLocks.global:
			return errConflictingReadLock()
		case w.Write:
			modes[id] = kv.LockX
		case modes[id] != kv.LockX:
			modes[id] = kv.LockS
		}
	}
	return s.takeTables(ctx, modes)
}

// takeTables takes locks in the order of ids, so that two LOCK TABLES never wait for
// each other.
func (s *Session) takeTables(ctx *sql.Context, modes map[catalog.ID]kv.LockMode) error {
	owner, err := s.engine.store.Begin(ctx)
	if err != nil {
		return err
	}
	s.joinEngine()
	s.tableLocks = sessionLocks{owner: owner, tables: modes, global: s.tableLocks.global}
	s.shownTables.Store(owner.ID())
	ids := make([]catalog.ID, 0, len(modes))
	for id := range modes {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, cmp.Compare)
	for _, id := range ids {
		err := owner.Lock(ctx, kv.LockRequest{Key: tableLockKey(id), Mode: modes[id], Wait: s.tableLockWait(ctx)})
		if err != nil {
			s.unlockTables()
			var le *kv.LockError
			if errors.As(err, &le) {
				return errLockTimeout()
			}
			return err
		}
		if modes[id] == kv.LockX {
			s.tableLocks.writes++
			s.engine.writeLocked.Add(1)
		}
	}
	return nil
}

// UnlockTables gives up the session's locks on tables, committing what is open if
// there are any, and its global read lock.
func (s *Session) UnlockTables(ctx *sql.Context) error {
	if s.tableLocks.owner != nil {
		if err := s.EndOpen(ctx); err != nil {
			return err
		}
	}
	s.unlockTables()
	s.unlockGlobally()
	return nil
}

// LockGlobally is FLUSH TABLES WITH READ LOCK: until UnlockTables nobody commits
// changes, and this session makes none.
func (s *Session) LockGlobally(ctx *sql.Context) error {
	if s.tableLocks.owner != nil {
		return errActiveLocks()
	}
	if err := s.EndOpen(ctx); err != nil {
		return err
	}
	if s.tableLocks.global {
		return nil
	}
	if err := s.engine.gate.close(ctx, s.tableLockWait(ctx)); err != nil {
		return err
	}
	s.joinEngine()
	s.tableLocks.global = true
	return nil
}

// EndOpen commits what is open. Call it for statements that commit implicitly
// and change nothing.
func (s *Session) EndOpen(ctx *sql.Context) error {
	if err := s.MayCommit(); err != nil {
		return err
	}
	if err := s.CommitOpen(ctx); err != nil {
		return err
	}
	s.BaseSession.SetTransaction(nil)
	s.SetIgnoreAutoCommit(false)
	return nil
}

// unlockTables gives up what LOCK TABLES took.
func (s *Session) unlockTables() {
	l := &s.tableLocks
	if l.owner == nil {
		return
	}
	s.engine.writeLocked.Add(-int64(l.writes))
	l.owner.Rollback()
	s.shownTables.Store(0)
	*l = sessionLocks{global: l.global}
}

func (s *Session) unlockGlobally() {
	if s.tableLocks.global {
		s.tableLocks.global = false
		s.engine.gate.open()
	}
}

// LocksTables reports whether the session has locked tables by LOCK TABLES, so that
// MayUse is to be asked.
func (s *Session) LocksTables() bool { return s.tableLocks.owner != nil }

// MayUse refuses a table that LOCK TABLES has not locked, or not for writing:
// MySQL's errors 1100 and 1099. The bodies of triggers may use any.
func (s *Session) MayUse(t *Table, write bool) error {
	if s.tableLocks.owner == nil || t.temporary || s.editing > 0 {
		return nil
	}
	switch held := s.tableLocks.tables[t.shape.desc.ID]; {
	case held == kv.LockNone:
		return errNotLocked(t.Name())
	case write && held != kv.LockX:
		return errReadLocked(t.Name())
	}
	return nil
}

// covers reports whether the session's own lock on a table makes one of mode
// unnecessary.
func (s *Session) covers(t *catalog.Table, mode kv.LockMode) (bool, error) {
	if s.tableLocks.owner == nil {
		return false, nil
	}
	switch held := s.tableLocks.tables[t.ID]; {
	case held == kv.LockX:
		return true, nil
	case held == kv.LockS && (mode == kv.LockIX || mode >= kv.LockSU):
		return false, errReadLocked(t.Name)
	case held == kv.LockS:
		return true, nil
	}
	return false, nil
}

// awaitWriter waits until nobody else has locked a table for writing by LOCK TABLES.
// Reads wait for nothing else. The lock that this takes keeps such a writer away until
// the transaction ends, as in MySQL.
func (tx *Transaction) awaitWriter(ctx *sql.Context, t *Table) error {
	if tx.engine().writeLocked.Load() == 0 || t.temporary || tx.sess.tableLocks.tables[t.shape.desc.ID] != kv.LockNone {
		return nil
	}
	if err := tx.lock(ctx, tableLockKey(t.shape.desc.ID), kv.LockIS, tx.sess.tableLockWait(ctx)); err != nil {
		return err
	}
	// What was committed under the lock is to be seen.
	tx.beginStatement(tx.sess.autocommits(ctx))
	return nil
}

// tableLockWait is how long a session waits for locks on whole tables.
func (s *Session) tableLockWait(ctx *sql.Context) time.Duration {
	v, err := s.GetSessionVariable(ctx, "lock_wait_timeout")
	if err != nil {
		return defaultTableLockWait
	}
	if n, ok := v.(int64); ok {
		return time.Duration(n) * time.Second
	}
	return defaultTableLockWait
}

// defaultTableLockWait is MySQL's default for lock_wait_timeout, a year.
const defaultTableLockWait = 31536000 * time.Second
