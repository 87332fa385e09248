package memkv

import (
	"context"

	"github.com/freshetdb/freshet/vtab/kv"
	"github.com/freshetdb/freshet/vtab/kv/writeset"
)

// bulkChunkBytes is how much a bulk writer gathers before it makes a state of
// it: enough that copying shared tree nodes is a small part of the work.
const bulkChunkBytes = 4 << 20

// bulk implements kv.Bulk.
type bulk struct {
	ctx   context.Context
	store *Store
	set   writeset.Set
}

// Bulk implements kv.Store.
func (s *Store) Bulk(ctx context.Context) (kv.Bulk, error) {
	if err := s.readable(ctx); err != nil {
		return nil, err
	}
	return &bulk{ctx: ctx, store: s}, nil
}

func (b *bulk) Put(key, value []byte) error {
	if err := b.store.readable(b.ctx); err != nil {
		return err
	}
	if err := b.store.checkPair(key, value); err != nil {
		return err
	}
	b.set.Put(key, value)
	if b.set.Size() < bulkChunkBytes {
		return nil
	}
	return b.Flush()
}

func (b *bulk) Flush() error {
	s := b.store
	s.section.Lock()
	defer s.section.Unlock()
	_, err := s.change(b.ctx, samePosition, func(_, next *state) error { return next.apply(&b.set) })
	if err != nil {
		return err
	}
	b.set.Reset()
	return nil
}

func (b *bulk) Bytes() int { return int(b.set.Size()) }

func (b *bulk) Close() { b.set.Reset() }
