package vtab

import (
	"errors"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/freshetdb/freshet/vtab/kv"
)

// pointIter is a kv.Iterator over ranges of one possible key each: the start of
// the range. A read of one key costs a fraction of opening an iterator.
type pointIter struct {
	ctx    *sql.Context
	reader kv.Reader
	lock   *rowIter // locks the key before it is read; nil for none
	key    []byte
	value  []byte
	fresh  bool // key has not been looked up
	err    error
}

var _ kv.Iterator = (*pointIter)(nil)

func newPointIter(ctx *sql.Context, r kv.Reader, first kv.Range) *pointIter {
	return &pointIter{ctx: ctx, reader: r, key: first.Start, fresh: true}
}

// Next implements kv.Iterator.
func (p *pointIter) Next() bool {
	if !p.fresh || p.err != nil {
		return false
	}
	p.fresh = false
	if p.lock != nil {
		if ok, err := p.lock.lockPoint(p.ctx, p.key); err != nil || !ok {
			p.err = err
			return false
		}
	}
	v, err := p.reader.Get(p.ctx, p.key)
	if errors.Is(err, kv.ErrNotFound) {
		if p.lock != nil {
			p.lock.release()
		}
		return false
	}
	p.value, p.err = v, err
	return err == nil
}

// SeekTo implements kv.Iterator.
func (p *pointIter) SeekTo(r kv.Range) { p.key, p.fresh = r.Start, true }

// Key implements kv.Iterator.
func (p *pointIter) Key() []byte { return p.key }

// Value implements kv.Iterator.
func (p *pointIter) Value() ([]byte, error) { return p.value, nil }

// Err implements kv.Iterator.
func (p *pointIter) Err() error { return p.err }

// Close implements kv.Iterator.
func (p *pointIter) Close() error { return nil }
