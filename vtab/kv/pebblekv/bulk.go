package pebblekv

import (
	"context"

	"github.com/freshetdb/freshet/vtab/kv"
)

// bulk is a writer past transactions. It is used by one goroutine.
type bulk struct {
	store  *Store
	ctx    context.Context
	run    run
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
	if !b.run.empty() && b.run.bytes()+len(key)+len(value) > b.store.options.runBytes() {
		if err := b.Flush(); err != nil {
			return err
		}
	}
	b.run.add(key, value)
	return nil
}

// Flush hands the run over. If it fails the run is kept, and may be in the store
// or not; handing it over again does no harm.
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
	if b.run.empty() {
		return nil
	}
	if err := b.store.handOver(b.ctx, &b.run); err != nil {
		return err
	}
	b.run.reset()
	return nil
}

func (b *bulk) Bytes() int { return cap(b.run.data) + placeBytes*cap(b.run.places) }

func (b *bulk) Close() {
	b.closed = true
	b.run = run{}
}
