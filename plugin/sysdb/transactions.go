package sysdb

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/freshetdb/freshet/vtab"
	"github.com/freshetdb/freshet/vtab/kv"
)

// transactions is freshet.transactions.
func transactions(e *vtab.Engine) *table {
	return newTable("transactions", []column{
		{"transaction_id", number, true}, // NULL before it asks for a lock
		{"connection_id", number, false},
		{"user", word, false},
		{"host", word, false},
		{"state", word, false}, // running, lock wait
		{"started", moment, false},
		{"age_ms", number, false},
		{"isolation", word, true}, // NULL before it is fixed
		{"read_only", flag, false},
		{"rows_changed", number, false},
		{"locks", number, false},
		{"waits_for", text, true},
		{"wait_ms", number, true},
		{"blocked_by", text, true}, // transaction ids
		{"snapshot_age_ms", number, true},
		{"statement", text, true},
	}, func(ctx *sql.Context) ([]sql.Row, error) {
		now := time.Now()
		held, waits := byOwner(e.Store().Locks())
		names := lazyNames(e)
		var rows []sql.Row
		for _, t := range e.Transactions() {
			state, waitsFor, waitMS, blockedBy := "running", any(nil), any(nil), any(nil)
			if w, ok := waits[t.ID]; ok {
				state, waitsFor, waitMS = "lock wait", names().Describe(ctx, w.Key).String(), milliseconds(now.Sub(w.Since))
				blockedBy = textOrNull(idList(w.BlockedBy))
			}
			snapshot := any(nil)
			if !t.SnapshotTaken.IsZero() {
				snapshot = milliseconds(now.Sub(t.SnapshotTaken))
			}
			rows = append(rows, sql.Row{
				numberOrNull(t.ID), uint64(t.Connection), t.User, t.Host, state, t.Started.UTC(), milliseconds(now.Sub(t.Started)),
				textOrNull(t.Isolation.String()), t.ReadOnly, t.RowsChanged, uint64(held[t.ID]), waitsFor, waitMS, blockedBy,
				snapshot, textOrNull(t.Statement),
			})
		}
		return rows, nil
	})
}

// locks is freshet.locks.
func locks(e *vtab.Engine) *table {
	return newTable("locks", []column{
		{"transaction_id", number, false},
		{"connection_id", number, true},
		{"database_name", word, true},
		{"table_name", word, true},
		{"index_name", word, true}, // NULL for a table as a whole
		{"lock_key", text, true},   // likewise
		{"mode", word, false},
		{"status", word, false}, // granted, waiting
		{"age_ms", number, false},
		{"blocked_by", text, true}, // transaction ids
	}, func(ctx *sql.Context) ([]sql.Row, error) {
		now := time.Now()
		connections := e.Connections()
		names := lazyNames(e)
		var rows []sql.Row
		for _, l := range e.Store().Locks() {
			o := names().Describe(ctx, l.Key)
			status := "granted"
			if l.Waiting {
				status = "waiting"
			}
			rows = append(rows, sql.Row{
				l.Owner, numberOrNull(uint64(connections[l.Owner])), textOrNull(o.Database), textOrNull(o.Table), textOrNull(o.Index),
				textOrNull(o.Key), l.Mode.String(), status, milliseconds(now.Sub(l.Since)), textOrNull(idList(l.BlockedBy)),
			})
		}
		return rows, nil
	})
}

// lastDeadlock is freshet.last_deadlock: each row is a wait of the ring, for the
// transaction of the next row, and the last for that of the first.
func lastDeadlock(e *vtab.Engine) *table {
	return newTable("last_deadlock", []column{
		{"happened", moment, false},
		{"wait", number, false}, // 1, 2, …
		{"victim", flag, false},
		{"transaction_id", number, false},
		{"connection_id", number, true},
		{"user", word, true},
		{"isolation", word, true},
		{"started", moment, true},
		{"rows_changed", number, true},
		{"locks", number, false},
		{"waits_for", text, false},
		{"mode", word, false},
		{"wait_ms", number, false},
		{"blocked_by", number, false}, // a transaction id
		{"blocking_mode", word, false},
		{"statement", text, true},
	}, func(*sql.Context) ([]sql.Row, error) {
		d := e.LastDeadlock()
		if d == nil {
			return nil, nil
		}
		var rows []sql.Row
		for i, w := range d.Waits {
			m := d.Members[i]
			user, changed, started := any(nil), any(nil), any(nil)
			if m.ID != 0 {
				user, changed, started = m.User, m.RowsChanged, m.Started.UTC()
			}
			modes := make([]string, len(w.Blocking))
			for i, mode := range w.Blocking {
				modes[i] = mode.String()
			}
			rows = append(rows, sql.Row{
				d.At.UTC(), uint64(i + 1), w.Owner == d.Victim, w.Owner, numberOrNull(uint64(m.Connection)), user,
				textOrNull(m.Isolation.String()), started, changed, uint64(w.Locks), m.WaitsFor.String(), w.Mode.String(),
				milliseconds(w.Waited), w.Blocker, strings.Join(modes, "+"), textOrNull(m.Statement),
			})
		}
		return rows, nil
	})
}

// byOwner counts granted locks, and finds waits, by transaction.
func byOwner(all []kv.LockInfo) (held map[uint64]int, waits map[uint64]kv.LockInfo) {
	held, waits = map[uint64]int{}, map[uint64]kv.LockInfo{}
	for _, l := range all {
		if l.Waiting {
			waits[l.Owner] = l
		} else {
			held[l.Owner]++
		}
	}
	return held, waits
}

// lazyNames looks at the catalog when the first name is asked for.
func lazyNames(e *vtab.Engine) func() *vtab.LockNames {
	var names *vtab.LockNames
	return func() *vtab.LockNames {
		if names == nil {
			names = e.LockNames()
		}
		return names
	}
}

// idList renders ids for people, smallest first.
func idList(ids []uint64) string {
	ids = slices.Clone(ids)
	slices.Sort(ids)
	parts := make([]string, len(ids))
	for i, id := range ids {
		parts[i] = strconv.FormatUint(id, 10)
	}
	return strings.Join(parts, ",")
}
