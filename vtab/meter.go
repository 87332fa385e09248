package vtab

import (
	"sync/atomic"

	"github.com/dolthub/go-mysql-server/sql"
)

// meter counts the memory that the operators of a statement keep: rows that are sorted,
// groups, keys, the hashed side of a join. It is safe for concurrent use.
type meter struct {
	used  atomic.Int64
	limit atomic.Int64 // 0: not looked up since the statement began
}

// QueryMemoryLimit is the variable that bounds, in bytes, what one statement's
// operators may keep.
const QueryMemoryLimit = "freshet_query_memory_limit"

// TransactionMemoryLimit is the variable that bounds, in bytes, the pending writes of a
// transaction. The store's own bound holds beside it.
const TransactionMemoryLimit = "freshet_transaction_memory_limit"

// writesLimit is the bound of the session's transactions.
func (s *Session) writesLimit(ctx *sql.Context) int64 {
	limit := s.engine.store.Caps().MaxTxnBytes
	v, err := s.GetSessionVariable(ctx, TransactionMemoryLimit)
	if n, ok := v.(int64); err == nil && ok && n > 0 {
		limit = min(limit, n)
	}
	return limit
}

// begin starts a statement.
func (m *meter) begin() {
	m.used.Store(0)
	m.limit.Store(0)
}

// KeepMemory notes that an operator of the running statement keeps bytes more. Over
// the limit it fails with MySQL's error 1037, and nothing is noted.
func (s *Session) KeepMemory(bytes int64) error {
	limit := s.meter.limit.Load()
	if limit == 0 {
		limit = s.queryMemoryLimit()
		s.meter.limit.Store(limit)
	}
	if s.meter.used.Add(bytes) > limit {
		s.meter.used.Add(-bytes)
		return errQueryMemory(limit)
	}
	return nil
}

// ReleaseMemory takes KeepMemory back.
func (s *Session) ReleaseMemory(bytes int64) { s.meter.used.Add(-bytes) }

// queryMemoryLimit reads the variable.
func (s *Session) queryMemoryLimit() int64 {
	v, err := s.GetSessionVariable(nil, QueryMemoryLimit)
	if n, ok := v.(int64); err == nil && ok && n > 0 {
		return n
	}
	return queryMemoryUnbounded
}

// queryMemoryUnbounded is the limit of an engine without the variable.
const queryMemoryUnbounded = 1 << 62

// RowMemory is about how many bytes a row takes in memory.
func RowMemory(row sql.Row) int64 {
	n := int64(rowMemory)
	for _, v := range row {
		n += valueMemory
		switch v := v.(type) {
		case string:
			n += int64(len(v))
		case []byte:
			n += int64(len(v))
		}
	}
	return n
}

const (
	// rowMemory is a row's slice header and its place in a list of rows.
	rowMemory = 48
	// valueMemory is an interface and a small value behind it.
	valueMemory = 32
)
