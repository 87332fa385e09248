package vtab

import (
	"bytes"
	"context"
	"errors"

	"github.com/cespare/xxhash/v2"
	"github.com/dolthub/go-mysql-server/sql"

	"github.com/freshetdb/freshet/catalog"
	"github.com/freshetdb/freshet/vtab/kv"
)

var _ sql.IndexBuildingTable = (*Table)(nil)

// build writes rows or index entries to physical ids that no committed entry
// names, in chunks, outside the transaction's pending writes. If the transaction
// does not commit, the ranges are dropped; after a crash the sweep at open finds
// them.
//
// Memory: one chunk, and for each unique key the hashes of the last uniqueHashesMax
// values.
type build struct {
	tx    *Transaction
	shape *shape
	bulk  kv.Bulk
	rows  uint64
	// largest is the largest AUTO_INCREMENT value seen, largestID the largest
	// hidden row id.
	largest, largestID uint64
	// uniques remember the keys written, per unique key of the table.
	uniques map[*indexShape]*written
	n       int
	vals    []any
	row     []byte
	entries []entry
}

func newBuild(ctx context.Context, tx *Transaction, s *shape, ids []catalog.ID) (*build, error) {
	bulk, err := tx.engine().store.Bulk(ctx)
	if err != nil {
		return nil, err
	}
	tx.onRollback = append(tx.onRollback, func() {
		bulk.Close()
		for _, id := range ids {
			// A temporary table keeps what was built: its definition is not rolled back.
			if !tx.sess.temp.owns(id) {
				tx.engine().dropRange(kv.SpaceRow, id)
				tx.engine().dropRange(kv.SpaceIndex, id)
			}
		}
	})
	return &build{tx: tx, shape: s, bulk: bulk, uniques: map[*indexShape]*written{}}, nil
}

// written is what a build knows of the values of one unique key.
type written struct {
	largest []byte // no value is above it
	// hashes are those of the values since flushed was set; before that, of all.
	hashes map[uint64]struct{}
	// flushed: there are values without a hash, all of which the store has.
	flushed bool
}

// hashBytes is about what the hash of a value takes in a map.
const hashBytes = 20

// bytes is about how much memory the build holds.
func (b *build) bytes() int64 {
	n := b.bulk.Bytes()
	for _, w := range b.uniques {
		n += hashBytes * len(w.hashes)
	}
	return int64(n)
}

// insertRow writes a row and its entries. A duplicate is refused before anything of
// the row is written.
func (b *build) insertRow(ctx *sql.Context, row sql.Row) error {
	if err := b.tick(ctx); err != nil {
		return err
	}
	key, err := b.rowKey(ctx, row)
	if err != nil {
		return err
	}
	b.entries = b.entries[:0]
	for _, x := range b.shape.indexes {
		if !x.stores {
			continue
		}
		e, err := b.entry(ctx, x, row, b.shape.suffix(key))
		if err != nil {
			return err
		}
		b.entries = append(b.entries, e)
	}
	value, err := b.shape.encodeRow(ctx, b.row[:0], row, b.vals)
	if err != nil {
		return err
	}
	b.row = value
	auto, err := b.shape.autoValue(ctx, row)
	if err != nil {
		return err
	}
	for _, e := range b.entries {
		if err := b.bulk.Put(e.key, e.value); err != nil {
			return err
		}
	}
	b.rows++
	b.largest = max(b.largest, auto)
	return b.bulk.Put(key, value)
}

func (b *build) tick(ctx *sql.Context) error {
	b.n++
	if b.n%contextEveryRows != 0 {
		return nil
	}
	b.tx.engine().noteBuildBytes(b.bytes())
	return ctx.Err()
}

// rowKey is the key of a row in the new range; it must be new.
func (b *build) rowKey(ctx *sql.Context, row sql.Row) ([]byte, error) {
	if b.shape.keyless() {
		id, err := b.tx.engine().sequences.next(ctx, b.shape.desc.Physical, 1, ^uint64(0)-1)
		if err != nil {
			return nil, err
		}
		return b.shape.appendRowID(nil, id), nil
	}
	key, err := b.shape.appendRowKey(ctx, nil, row)
	if err != nil {
		return nil, err
	}
	if len(key) > maxStoredKeyBytes {
		return nil, errKeyTooLong(maxIndexBytes)
	}
	return key, b.claim(ctx, b.shape.primary, key, row)
}

// claim makes sure that a unique key value was not written before. A value above
// all others is new. Of others an equal hash raises the suspicion, and the store
// decides; values without a hash are in the store for certain.
func (b *build) claim(ctx *sql.Context, x *indexShape, key []byte, row sql.Row) error {
	w := b.uniques[x]
	if w == nil {
		w = &written{hashes: map[uint64]struct{}{}}
		b.uniques[x] = w
	}
	above := w.largest == nil || bytes.Compare(key, w.largest) > 0
	if above {
		w.largest = append(w.largest[:0], key...)
	}
	h := xxhash.Sum64(key)
	_, suspect := w.hashes[h]
	full := !suspect && len(w.hashes) >= b.tx.engine().uniqueHashes
	if full || suspect && !above {
		if err := b.bulk.Flush(); err != nil {
			return err
		}
	}
	if full {
		clear(w.hashes)
		w.flushed = true
	}
	w.hashes[h] = struct{}{}
	if above || !suspect && !w.flushed {
		return nil
	}
	s, err := b.tx.store(ctx)
	if err != nil {
		return err
	}
	_, err = s.Latest(kv.Now).Get(ctx, key)
	if errors.Is(err, kv.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	z, err := b.shape.zoneOf(ctx, b.tx.sess)
	if err != nil {
		return err
	}
	return b.shape.newDuplicate(ctx, x, b.shape.shown(z, row), nil)
}

// insertEntry writes the entry of one index for a row.
func (b *build) insertEntry(ctx *sql.Context, x *indexShape, row sql.Row, suffix []byte) error {
	e, err := b.entry(ctx, x, row, suffix)
	if err != nil {
		return err
	}
	return b.bulk.Put(e.key, e.value)
}

// entry makes the entry of one index for a row and claims its unique value.
func (b *build) entry(ctx *sql.Context, x *indexShape, row sql.Row, suffix []byte) (entry, error) {
	e, err := x.encodeEntry(ctx, row, suffix)
	if err != nil || e.unique == nil {
		return e, err
	}
	return e, b.claim(ctx, x, e.unique, row)
}

// finish hands everything to the store.
func (b *build) finish() error {
	err := b.bulk.Flush()
	b.bulk.Close()
	b.uniques = nil
	return err
}

func (b *build) discard() { b.bulk.Close() }

// ShouldBuildIndex implements sql.IndexBuildingTable.
func (t *Table) ShouldBuildIndex(*sql.Context, sql.IndexDef) (bool, error) { return true, nil }

// BuildIndex implements sql.IndexBuildingTable. An index over stored columns is
// built here; the scan by which GMS feeds the inserter then finds nothing. One
// over a virtual column needs the values that GMS computes, and makes rows store
// them: that is a rewrite.
func (t *Table) BuildIndex(ctx *sql.Context, def sql.IndexDef) (sql.RowInserter, error) {
	x := t.shape.index(def.Name)
	if x == nil {
		return nil, sql.ErrIndexNotFound.New(def.Name)
	}
	for _, ord := range x.cols {
		if c := t.shape.desc.Columns[ord]; c.Virtual && !c.Stored {
			return t.newRewriter(ctx, func(*Transaction, *catalog.Table) error { return nil })
		}
	}
	return t.drained(), t.buildIndex(ctx, def.Name)
}

// buildIndex fills an index that has been recorded from the rows.
func (t *Table) buildIndex(ctx *sql.Context, name string) error {
	x := t.shape.index(name)
	if x == nil {
		return sql.ErrIndexNotFound.New(name)
	}
	if !x.stores {
		return nil
	}
	tx, err := transactionOf(ctx)
	if err != nil {
		return err
	}
	b, err := newBuild(ctx, tx, t.shape, []catalog.ID{x.desc.Physical})
	if err != nil {
		return err
	}
	if err := t.eachEntry(ctx, tx, x, b); err != nil {
		b.discard()
		return err
	}
	return b.finish()
}

// eachEntry reads the columns that x needs from every row and writes its entries.
func (t *Table) eachEntry(ctx *sql.Context, tx *Transaction, x *indexShape, b *build) (err error) {
	s, err := tx.store(ctx)
	if err != nil {
		return err
	}
	dec := newDecoder(t.shape, x.cols)
	narrow := make(sql.Row, len(x.cols))
	row := make(sql.Row, len(t.shape.schema))
	it := s.Latest(kv.Now).Scan(ctx, t.shape.primary.span, kv.ScanOptions{})
	defer closing(&err, it.Close)
	for it.Next() {
		if err := b.tick(ctx); err != nil {
			return err
		}
		value, err := it.Value()
		if err != nil {
			return err
		}
		clear(narrow)
		if err := dec.decode(ctx, it.Key(), value, narrow); err != nil {
			return err
		}
		for i, ord := range x.cols {
			row[ord] = narrow[i]
		}
		if err := b.insertEntry(ctx, x, row, t.shape.suffix(it.Key())); err != nil {
			return err
		}
	}
	return it.Err()
}

// noRows is the inserter of a change that is already done.
type noRows struct{ use *stmtState }

// drained says that the change has been made: the scan by which GMS feeds the
// inserter finds nothing until the inserter is closed.
func (t *Table) drained() noRows {
	t.use.drained = true
	return noRows{t.use}
}

// StatementBegin implements sql.EditOpenerCloser.
func (noRows) StatementBegin(*sql.Context) {}

// DiscardChanges implements sql.EditOpenerCloser.
func (noRows) DiscardChanges(*sql.Context, error) error { return nil }

// StatementComplete implements sql.EditOpenerCloser.
func (noRows) StatementComplete(*sql.Context) error { return nil }

// Insert implements sql.RowInserter.
func (noRows) Insert(*sql.Context, sql.Row) error {
	return errInternal("a row was offered to a change that has been made")
}

// Close implements sql.Closer.
func (n noRows) Close(*sql.Context) error {
	n.use.drained = false
	return nil
}
