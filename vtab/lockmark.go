package vtab

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/freshetdb/freshet/vtab/kv"
)

// scanMode says how a scan reads.
type scanMode struct {
	// current: the latest committed state instead of the snapshot.
	current bool
	// lock is the mode in which rows are locked, LockNone for not at all; a scan
	// that locks reads the latest state.
	lock kv.LockMode
	wait lockWait
	// asked: the SELECT itself asks for the locks, so that its client sees what is
	// locked.
	asked bool
}

type lockWait uint8

const (
	waitTimeout lockWait = iota // innodb_lock_wait_timeout
	waitNot                     // NOWAIT
	waitSkip                    // SKIP LOCKED
)

// LockMark is how the statement parser says that a SELECT locks a table: it
// binds the table AS OF a text that starts with it.
const LockMark = "lock:"

// parseLockMark reads "lock:<update|share>[:nowait|:skip locked]".
func parseLockMark(asOf any) (scanMode, error) {
	text, ok := asOf.(string)
	if !ok || !strings.HasPrefix(text, LockMark) {
		return scanMode{}, sql.ErrUnsupportedFeature.New("AS OF")
	}
	parts := strings.Split(strings.ToLower(strings.TrimPrefix(text, LockMark)), ":")
	m := scanMode{asked: true}
	switch parts[0] {
	case "update", "for update":
		m.lock = kv.LockX
	case "share", "for share", "lock in share mode":
		m.lock = kv.LockS
	default:
		return scanMode{}, errInternal("lock mark %q", text)
	}
	if len(parts) > 1 {
		switch strings.TrimSpace(parts[1]) {
		case "nowait":
			m.wait = waitNot
		case "skip locked":
			m.wait = waitSkip
		default:
			return scanMode{}, errInternal("lock mark %q", text)
		}
	}
	return m, nil
}
