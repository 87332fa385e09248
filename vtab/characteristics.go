package vtab

import (
	"github.com/dolthub/go-mysql-server/sql"
)

// Isolation is an isolation level of a transaction, weakest first.
type Isolation uint8

const (
	isolationUnset Isolation = iota
	// ReadCommitted stands for READ UNCOMMITTED as well: nobody sees what is not
	// committed.
	ReadCommitted
	RepeatableRead
	Serializable
)

// isolationOf are the levels by the values of @@transaction_isolation.
var isolationOf = map[string]Isolation{
	"READ-UNCOMMITTED": ReadCommitted,
	"READ-COMMITTED":   ReadCommitted,
	"REPEATABLE-READ":  RepeatableRead,
	"SERIALIZABLE":     Serializable,
}

// IsolationNamed returns the level that @@transaction_isolation would name so;
// ok is false if it names none.
func IsolationNamed(name string) (Isolation, bool) {
	level, ok := isolationOf[name]
	return level, ok
}

// Access says whether a transaction may write to tables that are not temporary.
type Access uint8

const (
	accessUnset Access = iota
	ReadWrite
	ReadOnly
)

// Characteristics are what SET TRANSACTION and START TRANSACTION say of a
// transaction. What is zero is left to the session's variables.
type Characteristics struct {
	Isolation Isolation
	Access    Access
}

// over returns c where it says something, below elsewhere.
func (c Characteristics) over(below Characteristics) Characteristics {
	if c.Isolation == isolationUnset {
		c.Isolation = below.Isolation
	}
	if c.Access == accessUnset {
		c.Access = below.Access
	}
	return c
}

// characteristics are those of the transaction. They are fixed at BEGIN, or when
// the transaction first reads, writes or locks: SET TRANSACTION and the session's
// variables count up to then and no longer.
func (tx *Transaction) characteristics() Characteristics {
	if tx.settled {
		return tx.fixed
	}
	return tx.fixed.over(tx.sess.next).over(tx.sess.defaults())
}

// settle fixes the characteristics. What SET TRANSACTION said is used up.
func (tx *Transaction) settle() {
	if tx.settled {
		return
	}
	tx.fixed = tx.characteristics()
	tx.settled = true
	tx.seen.isolation.Store(uint32(tx.fixed.Isolation))
	tx.seen.readOnly.Store(tx.fixed.Access == ReadOnly)
	tx.sess.next = Characteristics{}
}

// isolation is the transaction's level.
func (tx *Transaction) isolation() Isolation { return tx.characteristics().Isolation }

// IsReadOnly implements sql.Transaction.
func (tx *Transaction) IsReadOnly() bool { return tx.characteristics().Access == ReadOnly }

// admitWrite is asked before a statement changes what is not temporary. It refuses
// where the transaction, or the server, takes no changes, and waits while another
// session has read-locked the server.
func (tx *Transaction) admitWrite(ctx *sql.Context) error {
	if tx.IsReadOnly() {
		return errReadOnly()
	}
	if refuse := tx.engine().refuseWrites; refuse != nil {
		if err := refuse(ctx); err != nil {
			return err
		}
	}
	if tx.sess.tableLocks.global {
		return errConflictingReadLock()
	}
	if err := tx.engine().gate.pass(ctx, tx.sess.tableLockWait(ctx)); err != nil {
		return err
	}
	tx.settle()
	tx.writes = true
	return nil
}

// defaults are the characteristics that the session's variables give.
func (s *Session) defaults() Characteristics {
	c := Characteristics{Isolation: RepeatableRead, Access: ReadWrite}
	if v, err := s.GetSessionVariable(nil, "transaction_isolation"); err == nil {
		if name, ok := v.(string); ok && isolationOf[name] != isolationUnset {
			c.Isolation = isolationOf[name]
		}
	}
	if v, err := s.GetSessionVariable(nil, "transaction_read_only"); err == nil {
		if on, err := sql.ConvertToBool(nil, v); err == nil && on {
			c.Access = ReadOnly
		}
	}
	return c
}

// InTransaction reports whether the session is inside a transaction of several
// statements: begun explicitly, or without autocommit by a statement that used a
// table.
func (s *Session) InTransaction() bool {
	tx, ok := s.BaseSession.GetTransaction().(*Transaction)
	if !ok || tx.ended {
		return false
	}
	return s.GetIgnoreAutoCommit() || (tx.settled && !s.autocommit(nil))
}

// SetNext says what the session's next transaction is to be: SET TRANSACTION
// without a scope. Inside a transaction it is MySQL's error 1568.
func (s *Session) SetNext(c Characteristics) error {
	if s.InTransaction() {
		return errCharacteristicsInside()
	}
	s.next = c.over(s.next)
	return nil
}

// Begin commits what is open, gives up the locks of LOCK TABLES, and begins a transaction that lasts until Finish, or a
// statement that commits implicitly. With snapshot, reads at REPEATABLE READ and
// above see what is committed now.
func (s *Session) Begin(ctx *sql.Context, c Characteristics, snapshot bool) error {
	if err := s.MayCommit(); err != nil {
		return err
	}
	if err := s.CommitOpen(ctx); err != nil {
		return err
	}
	s.unlockTables()
	t, err := s.StartTransaction(ctx, sql.ReadWrite)
	if err != nil {
		return err
	}
	tx := t.(*Transaction)
	tx.fixed = c
	tx.settle()
	s.BaseSession.SetTransaction(tx)
	s.SetIgnoreAutoCommit(true)
	if !snapshot {
		return nil
	}
	if tx.isolation() < RepeatableRead {
		ctx.Warn(138, "InnoDB: WITH CONSISTENT SNAPSHOT was ignored because this phrase can only be used with REPEATABLE READ isolation level.")
		return nil
	}
	if err := tx.sync(ctx); err != nil {
		s.abandon(tx)
		return err
	}
	tx.plainRead = true
	return nil
}

// Finish ends the running transaction by COMMIT or ROLLBACK. With chain another one
// of the same characteristics begins at once. When the commit fails, the session is
// outside any transaction.
func (s *Session) Finish(ctx *sql.Context, commit, chain bool) error {
	if err := s.MayCommit(); err != nil {
		return err
	}
	var same Characteristics
	if tx, ok := s.BaseSession.GetTransaction().(*Transaction); ok && !tx.ended {
		if tx.settled {
			same = tx.fixed
		}
		if commit {
			if err := s.CommitTransaction(ctx, tx); err != nil {
				return err
			}
		} else if err := s.Rollback(ctx, tx); err != nil {
			return err
		}
	}
	s.BaseSession.SetTransaction(nil)
	s.SetIgnoreAutoCommit(false)
	if chain {
		return s.Begin(ctx, same, false)
	}
	return nil
}
