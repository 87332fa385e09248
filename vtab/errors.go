package vtab

import (
	"errors"
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	goerrors "gopkg.in/src-d/go-errors.v1"

	"github.com/freshetdb/freshet/vtab/kv"
)

// Binding.
var (
	// ErrForeignSession: a statement ran in a session of another provider.
	ErrForeignSession = goerrors.NewKind("the session was not made by this database (%T)")
)

// mysqlError is an error with the number and state that MySQL gives it.
func mysqlError(number int, state, format string, args ...any) error {
	return mysql.NewSQLError(number, state, format, args...)
}

// errTableChanged is MySQL's 1412: the definition is newer than the transaction.
func errTableChanged(name string) error {
	return mysqlError(1412, "HY000", "Table definition of '%s' has changed, please retry transaction", name)
}

// errLockTimeout is MySQL's 1205.
func errLockTimeout() error {
	return mysqlError(1205, "HY000", "Lock wait timeout exceeded; try restarting transaction")
}

// errDeadlock is MySQL's 1213, as the kind that GMS knows.
func errDeadlock(what string) error { return sql.ErrLockDeadlock.New(what) }

// errLostUpdate is MySQL's 1213 for a write that would undo somebody else's.
func errLostUpdate(table string) error {
	return errDeadlock("lost update: the row of table '" + table + "' was read by this transaction and has been changed by another one since")
}

// errNoWait is MySQL's 3572.
func errNoWait() error {
	return mysqlError(3572, "HY000", "Statement aborted because lock(s) could not be acquired immediately and NOWAIT is set.")
}

// isNoWait reports whether err is errNoWait.
func isNoWait(err error) bool {
	var e *mysql.SQLError
	return errors.As(err, &e) && e.Num == 3572
}

// errTooManyLocks is MySQL's 1206.
func errTooManyLocks() error {
	return mysqlError(1206, "HY000", "The total number of locks exceeds the limit per transaction; split the statement into smaller ones")
}

// errTooLarge is MySQL's 1197.
func errTooLarge(limit int64) error {
	return mysqlError(1197, "HY000", "Multi-statement transaction or statement required more than the limit of %d bytes for pending writes (%s); split it into smaller ones, or raise the limit", limit, TransactionMemoryLimit)
}

// errQueryMemory is MySQL's 1037.
func errQueryMemory(limit int64) error {
	return mysqlError(1037, "HY001", "Out of memory: what the statement sorts, groups and joins takes more than the limit of %d bytes (%s); raise it, or let the statement keep fewer rows", limit, QueryMemoryLimit)
}

// errReadOnly is MySQL's 1792.
func errReadOnly() error { return sql.ErrReadOnlyTransaction.New() }

// errCharacteristicsInside is MySQL's 1568.
func errCharacteristicsInside() error {
	return mysqlError(1568, "25001", "Transaction characteristics can't be changed while a transaction is in progress")
}

// errReadLocked is MySQL's 1099, errNotLocked 1100.
func errReadLocked(table string) error {
	return mysqlError(1099, "HY000", "Table '%s' was locked with a READ lock and can't be updated", table)
}

func errNotLocked(table string) error {
	return mysqlError(1100, "HY000", "Table '%s' was not locked with LOCK TABLES", table)
}

// errConflictingReadLock is MySQL's 1223, errActiveLocks 1192.
func errConflictingReadLock() error {
	return mysqlError(1223, "HY000", "Can't execute the query because you have a conflicting read lock")
}

func errActiveLocks() error {
	return mysqlError(1192, "HY000", "Can't execute the given command because you have active locked tables or an active transaction")
}

// errCommitInside is MySQL's 1422.
func errCommitInside() error {
	return mysqlError(1422, "HY000", "Explicit or implicit commit is not allowed in stored function or trigger.")
}

// errAutoIncrement is MySQL's 1467.
func errAutoIncrement() error {
	return mysqlError(1467, "HY000", "Failed to read auto-increment value from storage engine")
}

// errIdentifierTooLong is MySQL's 1059.
func errIdentifierTooLong(name string) error { return sql.ErrInvalidIdentifier.New(name) }

// errBadIdentifier is MySQL's 1103 / 1166 / 1280 family: a name that cannot be used.
func errBadIdentifier(number int, what, name string) error {
	return mysqlError(number, "42000", "Incorrect %s name '%s'", what, name)
}

// errKeyTooLong is MySQL's 1071.
func errKeyTooLong(limit int) error {
	return mysqlError(1071, "42000", "Specified key was too long; max key length is %d bytes", limit)
}

// errBadText is MySQL's 1366 for text that the column's character set does not have.
func errBadText(text, column string) error { return errBadTextAt(text, column, 1) }

func errBadTextAt(text, column string, row int64) error {
	return mysqlError(1366, "HY000", "Incorrect string value: '%s' for column '%s' at row %d", ShownBytes(text), column, row)
}

// errOutOfRange is MySQL's 1264.
func errOutOfRange(column string) error {
	return mysqlError(1264, "22003", "Out of range value for column '%s' at row 1", column)
}

// errTemporaryFullText is MySQL's 1796.
func errTemporaryFullText() error {
	return mysqlError(1796, "HY000", "Cannot create FULLTEXT index on temporary InnoDB table")
}

// errDroppedTable says that a handle outlived its table.
func errDroppedTable(name string) error {
	return mysqlError(1412, "HY000", "Table '%s' was dropped or replaced since the statement began, please retry", name)
}

// errInternal marks what must not happen; it never hides a cause.
func errInternal(format string, args ...any) error {
	return fmt.Errorf("freshet: internal error: "+format, args...)
}

// commitError gives a failed commit the number that MySQL would.
func commitError(err error) error {
	var size *kv.SizeError
	var conflict *kv.ConflictError
	switch {
	case errors.As(err, &conflict) && conflict.TooOld:
		return errDeadlock("the transaction is too old: " + conflict.Error())
	case errors.As(err, &conflict):
		return errDeadlock("what this transaction has read was changed by another one that committed first")
	case errors.As(err, &size):
		return errTooLarge(size.Limit)
	case errors.Is(err, kv.ErrDiskFull):
		return mysqlError(1021, "HY000", "Disk full; the transaction was rolled back, reads go on, and writes are accepted again when there is space")
	}
	return err
}

// closing runs a function that ends something and joins its error to *err. A
// single error is left as it is: GMS looks at its kind without unwrapping.
func closing(err *error, end func() error) {
	if e := end(); e != nil {
		if *err == nil {
			*err = e
		} else {
			*err = errors.Join(*err, e)
		}
	}
}
