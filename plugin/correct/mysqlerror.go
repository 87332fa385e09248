package correct

import (
	"context"
	"errors"
	"regexp"
	"strconv"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	goerrors "gopkg.in/src-d/go-errors.v1"

	"github.com/freshetdb/freshet/catalog"
	"github.com/freshetdb/freshet/vtab"
	"github.com/freshetdb/freshet/vtab/kv"
)

// codeUnknown is MySQL's number for errors that have no other.
const codeUnknown = 1105

// codeIllegalValue is the number for a literal that is too large for a double.
const codeIllegalValue = 1367

// numbered is the number of an error that has no kind of its own in MySQL's sense;
// text, if any, replaces the error's.
type numbered struct {
	number int
	text   string
}

// MySQLError gives an error MySQL's number and SQLSTATE; nil for nil. Errors that
// have a number keep it. The text stays the engine's where it says as much as
// MySQL's. What has no counterpart gets 1105 / HY000.
//
// The result is what a handler is to return to a client: the server hands a
// *mysql.SQLError on as it is and turns everything else into 1105.
func MySQLError(err error) error {
	if err == nil {
		return nil
	}
	var known *mysql.SQLError
	if errors.As(err, &known) {
		return withState(known)
	}
	for _, cause := range causes(err) {
		if errors.As(cause, &known) {
			return withState(known)
		}
	}
	if told := ofParser(err); told != nil {
		return told
	}
	if n, ok := storeNumber(err); ok {
		text := n.text
		if text == "" {
			text = err.Error()
		}
		return mysql.NewSQLError(n.number, stateOf(n.number), "%s", text)
	}
	for _, cause := range causes(err) {
		if key, ok := cause.(sql.UniqueKeyError); ok {
			if d, ok := vtab.DuplicateOf(key); ok {
				return mysql.NewSQLError(mysql.ERDupEntry, mysql.SSConstraintViolation, "Duplicate entry '%s' for key '%s'", d.Entry, d.Key)
			}
		}
	}
	for _, cause := range causes(err) {
		var literal *strconv.NumError
		if errors.As(cause, &literal) && literal.Func == "ParseFloat" && errors.Is(literal, strconv.ErrRange) {
			return mysql.NewSQLError(codeIllegalValue, stateOf(codeIllegalValue), "Illegal double '%s' value found during parsing", literal.Num)
		}
		if number := kindNumber(cause); number != 0 {
			return mysql.NewSQLError(number, stateOf(number), "%s", err.Error())
		}
	}
	for _, cause := range causes(err) {
		if cast := sql.CastSQLError(cause); cast.Num != codeUnknown {
			return withState(cast)
		}
	}
	return mysql.NewSQLError(codeUnknown, mysql.SSUnknownSQLState, "%s", err.Error())
}

// parserError is how an error of the parser that has a number prints.
var parserError = regexp.MustCompile(`^(?:syntax error: |error: )*(.*) \(errno (\d+)\) \(sqlstate (\w{5})\)$`)

// ofParser is the error of the parser behind a syntax error of the engine's, which
// keeps the text of it only; nil if there is none with a number.
func ofParser(err error) error {
	for _, cause := range causes(err) {
		if !sql.ErrSyntaxError.Is(cause) {
			continue
		}
		parts := parserError.FindStringSubmatch(cause.Error())
		if parts == nil {
			return nil
		}
		number, err := strconv.Atoi(parts[2])
		if err != nil {
			return nil
		}
		return mysql.NewSQLError(number, parts[3], "%s", parts[1])
	}
	return nil
}

// storeNumber serves the errors of the store, the catalog and of contexts.
func storeNumber(err error) (numbered, bool) {
	var lock *kv.LockError
	var size *kv.SizeError
	var failed *kv.FailedError
	var exists *catalog.ExistsError
	var name *catalog.NameError
	var broken *catalog.BrokenEntryError
	switch {
	case errors.As(err, &lock):
		return lockNumber(lock.Reason), true
	case errors.As(err, &size):
		return sizeNumber(size), true
	case errors.Is(err, kv.ErrOutcomeUnknown):
		return numbered{1180, ""}, true
	case errors.Is(err, kv.ErrDiskFull):
		return numbered{1021, ""}, true
	case errors.As(err, &failed):
		return numbered{1030, ""}, true
	case errors.Is(err, kv.ErrCorrupt):
		return numbered{1034, ""}, true
	case errors.Is(err, kv.ErrClosed), errors.Is(err, catalog.ErrClosed):
		return numbered{1053, "Server shutdown in progress"}, true
	case errors.As(err, &exists):
		return numbered{existsNumber(exists.Kind), ""}, true
	case errors.As(err, &name):
		return numbered{nameNumber(name), ""}, true
	case errors.As(err, &broken):
		return numbered{1712, ""}, true
	case errors.Is(err, context.DeadlineExceeded):
		return numbered{3024, "Query execution was interrupted, maximum statement execution time exceeded"}, true
	case errors.Is(err, context.Canceled):
		return numbered{1317, "Query execution was interrupted"}, true
	}
	return numbered{}, false
}

func lockNumber(reason kv.LockReason) numbered {
	switch reason {
	case kv.LockBusy:
		return numbered{3572, "Statement aborted because lock(s) could not be acquired immediately and NOWAIT is set."}
	case kv.LockDeadlock:
		return numbered{1213, "Deadlock found when trying to get lock; try restarting transaction"}
	case kv.LockTooMany:
		return numbered{1206, "The total number of locks exceeds the limit of a transaction; lock the table or work in smaller transactions"}
	}
	return numbered{1205, "Lock wait timeout exceeded; try restarting transaction"}
}

func sizeNumber(size *kv.SizeError) numbered {
	switch size.What {
	case "key":
		return numbered{1071, ""}
	case "value":
		return numbered{1118, ""}
	}
	return numbered{1197, size.Error() + "; work in smaller transactions"}
}

func existsNumber(kind catalog.Kind) int {
	switch kind {
	case catalog.KindDatabase:
		return 1007
	case catalog.KindTrigger:
		return 1359
	case catalog.KindProcedure, catalog.KindFunction:
		return 1304
	case catalog.KindEvent:
		return 1537
	}
	return 1050
}

func nameNumber(name *catalog.NameError) int {
	switch {
	case name.Reason == catalog.NameTooLong:
		return 1059
	case name.Reason == catalog.NameNotUTF8:
		return 1300
	case name.Kind == catalog.KindDatabase:
		return 1102
	}
	return 1103
}

// causes lists err and what it wraps, outermost first.
func causes(err error) []error {
	var all []error
	for err != nil {
		all = append(all, err)
		switch wrapped := err.(type) {
		case sql.WrappedInsertError:
			err = wrapped.Cause
		case sql.WrappedTypeConversionError:
			err = wrapped.Err
		case *goerrors.Error:
			err = wrapped.Cause()
		case interface{ Unwrap() []error }:
			for _, one := range wrapped.Unwrap() {
				all = append(all, causes(one)...)
			}
			return all
		default:
			err = errors.Unwrap(err)
		}
	}
	return all
}

func withState(e *mysql.SQLError) *mysql.SQLError {
	if e.State != "" && e.State != mysql.SSUnknownSQLState {
		return e
	}
	state := stateOf(e.Num)
	if e.State == state {
		return e
	}
	changed := *e
	changed.State = state
	return &changed
}
