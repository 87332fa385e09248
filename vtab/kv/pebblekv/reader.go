package pebblekv

import (
	"context"

	"github.com/cockroachdb/pebble/v2"

	"github.com/freshetdb/freshet/vtab/kv"
	"github.com/freshetdb/freshet/vtab/kv/writeset"
)

// txnReader reads the snapshot or the latest state under a transaction's own
// writes. at is nil for those pending when Get or Scan is called.
type txnReader struct {
	txn    *txn
	stable bool // the snapshot, not the latest
	at     *writeset.Mark
}

// source is what lies under the own writes.
func (r *txnReader) source() (pebble.Reader, error) {
	if r.txn.ended {
		return nil, kv.ErrDone
	}
	if !r.stable {
		return r.txn.store.db, nil
	}
	if r.txn.snap == nil {
		return nil, kv.ErrDone // ResetSnapshot was called
	}
	return r.txn.snap.engine, nil
}

func (r *txnReader) Get(ctx context.Context, key []byte) ([]byte, error) {
	source, err := r.source()
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	value, state := r.own(key)
	switch state {
	case writeset.Present:
		return append([]byte{}, value...), nil
	case writeset.Deleted:
		return nil, kv.ErrNotFound
	}
	return r.txn.store.read(source, key)
}

func (r *txnReader) own(key []byte) ([]byte, writeset.State) {
	if r.at == nil {
		return r.txn.set.Get(key)
	}
	return r.at.Get(key)
}

func (r *txnReader) Scan(ctx context.Context, rng kv.Range, o kv.ScanOptions) kv.Iterator {
	source, err := r.source()
	if err != nil {
		return failedIterator{err}
	}
	view := r.at
	if view == nil {
		view = r.txn.set.Savepoint()
	}
	return writeset.Merge(r.txn.store.scan(ctx, source, rng, o), view, rng, o.Reverse)
}

// storeReader reads the latest committed state, for the commit hook.
type storeReader struct{ store *Store }

func (r storeReader) Get(ctx context.Context, key []byte) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return r.store.read(r.store.db, key)
}

func (r storeReader) Scan(ctx context.Context, rng kv.Range, o kv.ScanOptions) kv.Iterator {
	return r.store.scan(ctx, r.store.db, rng, o)
}
