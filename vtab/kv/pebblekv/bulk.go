package pebblekv

import (
	"context"

	"github.com/cockroachdb/pebble/v2"

	"github.com/freshetdb/freshet/vtab/kv"
)

// bulkChunkBytes is when a bulk writer hands over by itself. It stays well
// below half a memory table, from where on Pebble flushes a batch by itself.
const bulkChunkBytes = 1 << 20

// bulk is a writer past transactions. It is used by one goroutine.
type bulk struct {
	store  *Store
	ctx    context.Context
	batch  *pebble.Batch
	closed bool
}

// Bulk returns a writer that bypasses transactions.
func (s *Store) Bulk(ctx context.Context) (kv.Bulk, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if s.closing.Load() {
		return nil, kv.ErrClosed
	}
	if err := s.writable(); err != nil {
		return nil, err
	}
	return &bulk{store: s, ctx: ctx}, nil
}

func (b *bulk) Put(key, value []byte) error {
	if b.closed {
		return kv.ErrDone
	}
	if b.store.closing.Load() {
		return kv.ErrClosed
	}
	if err := b.store.checkSizes(len(key), len(value)); err != nil {
		return err
	}
	if b.batch != nil && b.batch.Len()+len(key)+len(value) > bulkChunkBytes {
		if err := b.Flush(); err != nil {
			return err
		}
	}
	if b.batch == nil {
		b.batch = b.store.db.NewBatchWithSize(bulkChunkBytes)
	}
	return translate(b.batch.Set(key, value, nil))
}

func (b *bulk) Flush() error {
	if b.closed {
		return kv.ErrDone
	}
	if err := b.ctx.Err(); err != nil {
		return err
	}
	if err := b.store.enter(); err != nil {
		return err
	}
	defer b.store.leave()
	if err := b.store.writable(); err != nil {
		return err
	}
	if b.batch == nil {
		return nil
	}
	full := b.batch
	b.batch = nil
	defer b.store.release(full)
	return b.store.applyUnsynced(full)
}

func (b *bulk) Close() {
	if b.closed {
		return
	}
	b.closed = true
	if b.batch != nil {
		b.store.release(b.batch)
	}
}
