package vtab

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/rowexec"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/freshetdb/freshet/catalog"
)

// Session is a client's session. Like every sql.Session it is used by one
// goroutine at a time, except for the methods GMS calls from its watchers.
type Session struct {
	*sql.BaseSession
	engine *Engine
	// open is the transaction that has not ended, also when GMS has forgotten it.
	open *Transaction
	// next is what SET TRANSACTION has said of the next transaction.
	next Characteristics
	// calls is the depth of CALL: the statements of a procedure join the
	// transaction of the caller.
	calls int
	// released: the client asked for the end of its connection.
	released bool
	// defeats is how often in a row the session's transactions have been victims of
	// deadlocks.
	defeats int
	// shown is what others see of the open transaction.
	shown atomic.Pointer[observed]
	// shownTables is the id of what LOCK TABLES holds, 0 for nothing.
	shownTables atomic.Uint64
	// statement is the text of what runs, for others to see; nil between statements.
	statement atomic.Pointer[string]
	// write says whether the running statement writes.
	write writeScope
	// editing counts statements between StatementBegin and their end.
	editing int
	temp    tempTables
	// tableLocks are those of LOCK TABLES and FLUSH TABLES WITH READ LOCK.
	tableLocks sessionLocks
	// meter counts the memory of the running statement.
	meter  meter
	joined bool // known to the engine
	// lent is the name that the next calls of GetCurrentDatabase return instead.
	lent      string
	lentCalls int
	// defining: the running statement changes definitions.
	defining bool
	// scans are the row iterators that are open. GMS does not close all of a
	// statement that fails; the end of the command does.
	scans map[*rowIter]struct{}
	// scanMu is held while a scan opens or leaves scans.
	scanMu sync.Mutex
	// lastZone is what the last seen setting of time_zone stands for.
	lastZone atomic.Pointer[namedZone]
}

var (
	_ sql.TransactionSession    = (*Session)(nil)
	_ sql.LifecycleAwareSession = (*Session)(nil)
)

// NewSession makes a session over base.
func NewSession(base *sql.BaseSession, e *Engine) *Session {
	return &Session{BaseSession: base, engine: e}
}

// SessionOf returns the session of a context, or ErrForeignSession.
func SessionOf(ctx *sql.Context) (*Session, error) {
	if s, ok := ctx.Session.(*Session); ok {
		return s, nil
	}
	return nil, ErrForeignSession.New(ctx.Session)
}

// transaction returns the running transaction, starting one where GMS has not:
// it plans some statements (and serves some callers) outside any.
func (s *Session) transaction(ctx *sql.Context) (*Transaction, error) {
	if tx, ok := s.BaseSession.GetTransaction().(*Transaction); ok && !tx.ended {
		return tx, nil
	}
	t, err := s.StartTransaction(ctx, sql.ReadWrite)
	if err != nil {
		return nil, err
	}
	s.BaseSession.SetTransaction(t)
	return t.(*Transaction), nil
}

// transactionOf returns the running transaction of a context's session.
func transactionOf(ctx *sql.Context) (*Transaction, error) {
	s, err := SessionOf(ctx)
	if err != nil {
		return nil, err
	}
	return s.transaction(ctx)
}

// StartTransaction implements sql.TransactionSession. It costs nothing until a
// table is bound.
func (s *Session) StartTransaction(_ *sql.Context, c sql.TransactionCharacteristic) (sql.Transaction, error) {
	if s.open != nil {
		s.open.rollback()
	}
	s.open = &Transaction{sess: s}
	if c == sql.ReadOnly {
		s.open.fixed.Access = ReadOnly
	}
	return s.open, nil
}

// CommitTransaction implements sql.TransactionSession. A failed commit has ended
// the transaction too: GMS would leave the session inside it.
func (s *Session) CommitTransaction(ctx *sql.Context, t sql.Transaction) error {
	tx, ok := t.(*Transaction)
	if !ok || tx.ended {
		return nil
	}
	if err := tx.commit(ctx); err != nil {
		s.forget(tx)
		return commitError(err)
	}
	s.open = nil
	return nil
}

// Rollback implements sql.TransactionSession.
func (s *Session) Rollback(_ *sql.Context, t sql.Transaction) error {
	if tx, ok := t.(*Transaction); ok {
		tx.rollback()
		if s.open == tx {
			s.open = nil
		}
	}
	return nil
}

// CreateSavepoint implements sql.TransactionSession.
func (s *Session) CreateSavepoint(ctx *sql.Context, t sql.Transaction, name string) error {
	tx, ok := t.(*Transaction)
	if !ok {
		return nil
	}
	return tx.setSavepoint(ctx, name, isTriggerSavepoint(name))
}

// RollbackToSavepoint implements sql.TransactionSession.
func (s *Session) RollbackToSavepoint(_ *sql.Context, t sql.Transaction, name string) error {
	tx, ok := t.(*Transaction)
	if !ok {
		return nil
	}
	if tx.ended && isTriggerSavepoint(name) {
		return nil // the statement's failure has ended the transaction
	}
	return tx.rollbackToSavepoint(name)
}

// ReleaseSavepoint implements sql.TransactionSession.
func (s *Session) ReleaseSavepoint(_ *sql.Context, t sql.Transaction, name string) error {
	tx, ok := t.(*Transaction)
	if !ok {
		return nil
	}
	if tx.ended && isTriggerSavepoint(name) {
		return nil
	}
	return tx.releaseSavepoint(name)
}

// isTriggerSavepoint tells the savepoints that GMS sets around triggers.
func isTriggerSavepoint(name string) bool {
	return strings.HasPrefix(name, rowexec.TriggerSavePointPrefix)
}

// SetTransaction implements sql.Session. GMS sets nil when a transaction is over.
// Inside CALL that is said after every statement of the procedure, which belongs
// to the caller's explicit transaction; outside, the session is back in
// autocommit.
func (s *Session) SetTransaction(t sql.Transaction) {
	if t == nil {
		if s.calls > 0 {
			if tx, ok := s.BaseSession.GetTransaction().(*Transaction); ok && !tx.ended && (s.GetIgnoreAutoCommit() || !s.autocommit(nil)) {
				return
			}
		} else {
			s.SetIgnoreAutoCommit(false)
		}
	}
	s.BaseSession.SetTransaction(t)
}

// MayCommit refuses statements that would commit inside another one, as MySQL does
// with error 1422: in triggers, and procedures that they call.
func (s *Session) MayCommit() error {
	if s.editing > 0 {
		return errCommitInside()
	}
	return nil
}

// Release says that the session's connection is to end after the running statement:
// COMMIT RELEASE.
func (s *Session) Release() { s.released = true }

// Released reports whether Release was called.
func (s *Session) Released() bool { return s.released }

// BeginCall notes that a procedure is being executed and returns the function
// that ends it. A CALL from inside a writing statement (a trigger) joins that
// statement's transaction also under autocommit.
func (s *Session) BeginCall() (end func()) {
	back := s.BeginInner()
	s.calls++
	joined := false
	if s.editing > 0 && !s.GetIgnoreAutoCommit() {
		s.SetIgnoreAutoCommit(true)
		joined = true
	}
	return func() {
		s.calls--
		back()
		if joined {
			s.SetIgnoreAutoCommit(false)
		}
	}
}

// CommitBeforeDDL ends an open explicit transaction, as MySQL does before a
// statement that commits implicitly, and starts the statement's own.
func (s *Session) CommitBeforeDDL(ctx *sql.Context) error {
	if err := s.MayCommit(); err != nil {
		return err
	}
	s.defining = true
	tx, ok := s.BaseSession.GetTransaction().(*Transaction)
	if ok && !tx.ended {
		if !tx.dirty() && !s.GetIgnoreAutoCommit() && s.autocommit(ctx) {
			return nil // the statement's own
		}
		// A statement that is stopped before it begins leaves the transaction open;
		// once it is being committed nothing stops that.
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := s.CommitTransaction(ctx.WithContext(context.WithoutCancel(ctx.Context)), tx); err != nil {
			return err
		}
	}
	s.SetIgnoreAutoCommit(false)
	t, err := s.StartTransaction(ctx, sql.ReadWrite)
	if err != nil {
		return err
	}
	s.BaseSession.SetTransaction(t)
	return nil
}

// ValidateSession implements sql.Session: GMS calls it before it binds a statement.
func (s *Session) ValidateSession(ctx *sql.Context) error {
	s.defining, s.lentCalls = false, 0
	s.write.own = false
	s.noteStatement(ctx)
	if s.calls == 0 {
		s.meter.begin()
		s.dropForgotten(ctx)
	}
	tx, ok := s.BaseSession.GetTransaction().(*Transaction)
	if !ok || tx.ended {
		return nil
	}
	tx.beginStatement(s.autocommits(ctx))
	return nil
}

// dropForgotten rolls back what an earlier statement left: a transaction that
// GMS no longer knows, or one under autocommit whose statement failed.
func (s *Session) dropForgotten(ctx *sql.Context) {
	if s.open != nil && s.BaseSession.GetTransaction() != sql.Transaction(s.open) {
		s.open.rollback()
		s.open = nil
	}
	if tx, ok := s.BaseSession.GetTransaction().(*Transaction); ok && tx.failed && s.autocommits(ctx) {
		s.abandon(tx)
	}
}

// abandon rolls a transaction back and ends it for the session.
func (s *Session) abandon(tx *Transaction) {
	tx.rollback()
	s.forget(tx)
}

// forget makes the session stand outside tx, which has ended.
func (s *Session) forget(tx *Transaction) {
	if s.BaseSession.GetTransaction() == sql.Transaction(tx) {
		s.BaseSession.SetTransaction(nil)
	}
	s.SetIgnoreAutoCommit(false)
	if s.open == tx {
		s.open = nil
	}
}

// lendDatabase gives a session without a current database one for the two calls
// by which the engine's binder looks whether there is any, before it binds the
// body of a view in the view's own database.
func (s *Session) lendDatabase(name string) bool {
	if s.BaseSession.GetCurrentDatabase() != "" {
		return false
	}
	s.lent, s.lentCalls = name, 2
	return true
}

// GetCurrentDatabase implements sql.Session.
func (s *Session) GetCurrentDatabase() string {
	if s.lentCalls > 0 {
		s.lentCalls--
		return s.lent
	}
	return s.BaseSession.GetCurrentDatabase()
}

// CommandBegin implements sql.LifecycleAwareSession.
func (s *Session) CommandBegin() error { return nil }

// CommandEnd implements sql.LifecycleAwareSession. A transaction that is still
// open under autocommit belongs to a statement that failed, or to a prepare.
func (s *Session) CommandEnd() {
	s.calls, s.editing, s.write = 0, 0, writeScope{}
	s.statement.Store(nil)
	s.closeScans()
	if s.open == nil {
		return
	}
	if s.BaseSession.GetTransaction() != sql.Transaction(s.open) || s.autocommits(nil) {
		s.abandonQuietly()
	}
}

func (s *Session) abandonQuietly() {
	tx := s.open
	tx.rollback()
	if s.BaseSession.GetTransaction() == sql.Transaction(tx) {
		s.BaseSession.SetTransaction(nil)
	}
	s.open = nil
}

// SessionEnd implements sql.LifecycleAwareSession: the client is gone.
func (s *Session) SessionEnd() { s.Close(context.Background()) }

// Close rolls back what is open, drops temporary tables and releases locks. It
// is idempotent; programs that make sessions themselves call it.
func (s *Session) Close(ctx context.Context) {
	s.closeScans()
	if s.open != nil {
		s.abandonQuietly()
	}
	s.dropTemporary()
	s.unlockTables()
	s.unlockGlobally()
	if s.joined {
		s.engine.leave(s)
		s.joined = false
	}
}

func (s *Session) joinEngine() {
	if !s.joined {
		s.engine.join(s)
		s.joined = true
	}
}

// closeScans closes the row iterators that the engine has forgotten.
func (s *Session) closeScans() {
	for i := range s.scans {
		if err := i.Close(nil); err != nil {
			s.engine.log.Warn("closing a scan that was left open", "table", i.shape.desc.Name, "error", err)
		}
	}
}

// autocommits reports whether the running transaction, if any, is that of one
// statement.
func (s *Session) autocommits(ctx *sql.Context) bool {
	return !s.GetIgnoreAutoCommit() && s.autocommit(ctx)
}

// autocommit reads the session variable.
func (s *Session) autocommit(ctx *sql.Context) bool {
	v, err := s.GetSessionVariable(ctx, sql.AutoCommitSessionVar)
	if err != nil {
		return true
	}
	on, err := sql.ConvertToBool(ctx, v)
	return err != nil || on
}

// LostUpdatesVariable says whether REPEATABLE READ refuses to write a row that was
// read and has been changed since ("error") or writes it as InnoDB does
// ("innodb").
const LostUpdatesVariable = "freshet_rr_lost_updates"

// refusesLostUpdates reports what the session has set; to refuse is the default.
func (s *Session) refusesLostUpdates(ctx *sql.Context) bool {
	v, err := s.GetSessionVariable(ctx, LostUpdatesVariable)
	return err != nil || v != "innodb"
}

// lockWait is how long a statement waits for a lock.
func (s *Session) lockWait(ctx *sql.Context) time.Duration {
	v, err := s.GetSessionVariable(ctx, "innodb_lock_wait_timeout")
	if err != nil {
		return defaultLockWait
	}
	if n, ok := v.(int64); ok {
		return time.Duration(n) * time.Second
	}
	return defaultLockWait
}

// defaultLockWait is MySQL's default for innodb_lock_wait_timeout.
const defaultLockWait = 50 * time.Second

// Abandon rolls back the running transaction and ends it for the session, as a
// failed statement that commits implicitly does.
func (s *Session) Abandon() {
	if s.open != nil {
		s.abandon(s.open)
	}
}

// CommitOpen commits the running transaction, if there is one.
func (s *Session) CommitOpen(ctx *sql.Context) error {
	if s.open == nil {
		return nil
	}
	return s.CommitTransaction(ctx, s.open)
}

// Rebind makes the scans of a plan that is executed again see what the
// transaction has written so far: the body of a trigger is planned once for a
// statement and executed for each row.
func Rebind(n sql.Node) {
	transform.Inspect(n, func(n sql.Node) bool {
		var t sql.Table
		switch n := n.(type) {
		case *plan.ResolvedTable:
			t = n.Table
		case *plan.IndexedTableAccess:
			t = n.Table
		default:
			return true
		}
		switch t := sql.GetUnderlyingTable(t).(type) {
		case *Table:
			t.use.atSet = false
		case *IndexedTable:
			t.use.atSet = false
		}
		return true
	})
}

// PutBlob stores an entry whose content the caller owns, in the transaction of
// the running statement.
func PutBlob(ctx *sql.Context, kind catalog.Kind, name string, body []byte) error {
	tx, err := transactionOf(ctx)
	if err != nil {
		return err
	}
	c, err := tx.redefine(ctx)
	if err != nil {
		return err
	}
	old, ok, err := c.Snapshot().Blob(kind, 0, name)
	if err != nil {
		return err
	}
	b := &catalog.Blob{Header: catalog.Header{Kind: kind, Name: name}, Body: body}
	if ok {
		b.ID = old.ID
	} else {
		b.ID = c.NewID()
	}
	return c.Put(b)
}
