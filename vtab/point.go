package vtab

import (
	"context"
	"errors"

	"github.com/freshetdb/freshet/vtab/kv"
)

// pointIter is a kv.Iterator over ranges of one possible key each: the start of
// the range. A read of one key costs a fraction of opening an iterator.
type pointIter struct {
	ctx    context.Context
	reader kv.Reader
	key    []byte
	value  []byte
	fresh  bool // key has not been looked up
	err    error
}

var _ kv.Iterator = (*pointIter)(nil)

func newPointIter(ctx context.Context, r kv.Reader, first kv.Range) *pointIter {
	return &pointIter{ctx: ctx, reader: r, key: first.Start, fresh: true}
}

// Next implements kv.Iterator.
func (p *pointIter) Next() bool {
	if !p.fresh || p.err != nil {
		return false
	}
	p.fresh = false
	v, err := p.reader.Get(p.ctx, p.key)
	if errors.Is(err, kv.ErrNotFound) {
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
