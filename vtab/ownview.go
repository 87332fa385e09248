package vtab

import (
	"bytes"
	"errors"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/freshetdb/freshet/vtab/kv"
)

// A transaction with a fixed snapshot may write a row whose current version is not
// that of the snapshot. What it reads afterwards is the snapshot under its own
// writes; so these must hold all in which the row differs from the snapshot, not
// only from what is committed. Else an index would show the row where it stood in
// the snapshot, or not at all.

// viewMayDiffer reports whether the snapshot that the transaction will go on to read
// may have another version of a row than the current one.
func (tx *Transaction) viewMayDiffer() bool {
	return tx.reads.fixedView && tx.plainRead && tx.engine().store.Applied() != tx.reads.at
}

// coverView adds to e.changes what the index entries of the row under key need so
// that the transaction sees the row as it writes it: row, nil for none. isNew: there
// is no such row in the latest state.
func (e *editor) coverView(ctx *sql.Context, key []byte, row sql.Row, isNew bool) error {
	if e.t.temporary || !e.tx.viewMayDiffer() {
		return nil
	}
	snapshot, err := e.kv.Snapshot(kv.Now)
	if err != nil {
		return err
	}
	value, err := snapshot.Get(ctx, key)
	if err != nil && !errors.Is(err, kv.ErrNotFound) {
		return err
	}
	if isNew && err != nil {
		return nil // neither had a row
	}
	current, currentErr := e.latest.Get(ctx, key)
	if currentErr != nil && !errors.Is(currentErr, kv.ErrNotFound) {
		return currentErr
	}
	if (err == nil) == (currentErr == nil) && bytes.Equal(value, current) {
		return nil
	}
	var was sql.Row
	if err == nil {
		if was, err = e.shape.decodeRow(ctx, key, value); err != nil {
			return err
		}
	}
	for _, x := range e.shape.indexes {
		if x.stores {
			if err := e.coverEntry(ctx, x, key, row, was); err != nil {
				return err
			}
		}
	}
	return nil
}

// coverEntry does it for one index. The entry of a unique key that the snapshot has
// and the row has not may be another row's by now, so it stays: reads of unique
// keys look at the row (see rowIter.shows).
func (e *editor) coverEntry(ctx *sql.Context, x *indexShape, key []byte, row, was sql.Row) error {
	var now, old entry
	var err error
	if row != nil {
		if now, err = x.encodeEntry(ctx, row, e.shape.suffix(key)); err != nil {
			return err
		}
	}
	if was != nil {
		if old, err = x.encodeEntry(ctx, was, e.shape.suffix(key)); err != nil {
			return err
		}
		if old.unique == nil && !bytes.Equal(old.key, now.key) {
			e.changes = append(e.changes, entryChange{drop: old.key})
		}
	}
	if row != nil {
		e.changes = append(e.changes, entryChange{put: now.key, value: now.value})
	}
	return nil
}

// shows reports whether a row that a plain scan has found through an index belongs
// there, in a transaction whose own writes may have moved it.
func (i *rowIter) shows(ctx *sql.Context, key, value []byte) (bool, error) {
	if !i.mayBeMoved() {
		return true, nil
	}
	row, err := i.shape.decodeRow(ctx, key, value)
	if err != nil {
		return false, err
	}
	e, err := i.lk.index.encodeEntry(ctx, row, i.shape.suffix(key))
	return bytes.Equal(e.key, i.it.Key()), err
}

// mayBeMoved reports whether entries of the scan's index may point to rows that the
// transaction has written elsewhere.
func (i *rowIter) mayBeMoved() bool {
	return !i.mode.current && i.lk.index.unique && i.tx.reads.fixedView && i.tx.kv.Dirty()
}
