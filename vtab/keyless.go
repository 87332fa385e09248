package vtab

import (
	"bytes"
	"context"
	"errors"

	"github.com/cespare/xxhash/v2"
	"github.com/dolthub/go-mysql-server/sql"

	"github.com/freshetdb/freshet/vtab/enc"
	"github.com/freshetdb/freshet/vtab/kv"
)

// Rows of tables without a primary key are found by their content.

// remember notes a row id under the content of its row.
func (u *stmtState) remember(id, value []byte) {
	if u.seen == nil {
		u.seen = map[uint64][]uint64{}
	}
	h := xxhash.Sum64(value)
	u.seen[h] = append(u.seen[h], decodeRowID(id))
}

// content is what a row is found by: the bytes that the row the engine was shown has
// under the present layout.
func (s *shape) content(ctx context.Context, z *zone, key, value []byte) ([]byte, error) {
	if z == nil {
		version, err := enc.RowVersion(value)
		if err != nil || version == s.desc.Layout {
			return value, err
		}
	}
	row, err := s.decodeRow(ctx, key, value)
	if err != nil {
		return nil, err
	}
	s.show(z, row)
	return s.encodeRow(ctx, nil, row, nil)
}

// findKeyless finds a row of a table without a primary key by its content: first
// among those that the statement's scan returned, then in the whole table. Rows
// of equal content are interchangeable.
func (e *editor) findKeyless(ctx *sql.Context, row sql.Row) (key []byte, stored sql.Row, err error) {
	value, err := e.shape.encodeRow(ctx, nil, row, e.vals)
	if err != nil {
		return nil, nil, err
	}
	latest := e.kv.Latest(kv.Now)
	h := xxhash.Sum64(value)
	seen := e.t.use.seen
	for len(seen[h]) > 0 {
		ids := seen[h]
		id := ids[0]
		seen[h] = ids[1:]
		key = e.shape.appendRowID(nil, id)
		got, err := latest.Get(ctx, key)
		if errors.Is(err, kv.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		content, err := e.shape.content(ctx, e.zone, key, got)
		if err != nil {
			return nil, nil, err
		}
		if bytes.Equal(content, value) {
			stored, err = e.shape.decodeRow(ctx, key, got)
			return key, stored, err
		}
	}
	return e.searchKeyless(ctx, latest, value)
}

// searchKeyless scans a keyless table for a row of this content. Only foreign
// key actions come here, whose rows were not returned by a scan of this use.
func (e *editor) searchKeyless(ctx *sql.Context, latest kv.Reader, value []byte) (key []byte, stored sql.Row, err error) {
	it := latest.Scan(ctx, e.shape.primary.span, kv.ScanOptions{})
	defer closing(&err, it.Close)
	for it.Next() {
		got, err := it.Value()
		if err != nil {
			return nil, nil, err
		}
		content, err := e.shape.content(ctx, e.zone, it.Key(), got)
		if err != nil {
			return nil, nil, err
		}
		if !bytes.Equal(content, value) {
			continue
		}
		key = append([]byte(nil), it.Key()...)
		if err := e.lockKey(ctx, key); err != nil {
			return nil, nil, err
		}
		stored, ok, err := e.shape.readRow(ctx, latest, key)
		if err != nil {
			return nil, nil, err
		}
		if ok {
			return key, stored, nil
		}
	}
	if err := it.Err(); err != nil {
		return nil, nil, err
	}
	return nil, nil, sql.ErrDeleteRowNotFound.New()
}

// keyOf returns the key of a row that a scan of t has returned; ok is false if it is
// not known, as of a row of a keyless table that came another way.
func (t *Table) keyOf(ctx *sql.Context, z *zone, row sql.Row) (key []byte, ok bool, err error) {
	if !t.shape.keyless() {
		if row, err = t.shape.keep(ctx, z, row, nil); err != nil {
			return nil, false, err
		}
		key, err = t.shape.appendRowKey(ctx, nil, row)
		return key, err == nil, err
	}
	value, err := t.shape.encodeRow(ctx, nil, row, nil)
	if err != nil {
		return nil, false, err
	}
	if ids := t.use.seen[xxhash.Sum64(value)]; len(ids) > 0 {
		return t.shape.appendRowID(nil, ids[0]), true, nil
	}
	return nil, false, nil
}
