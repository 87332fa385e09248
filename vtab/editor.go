package vtab

import (
	"bytes"
	"errors"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/freshetdb/freshet/vtab/kv"
)

// editor changes the rows of one table in one statement. It holds nothing before
// StatementBegin: GMS makes editors that it never uses.
type editor struct {
	t     *Table
	shape *shape

	tx     *Transaction
	kv     kv.Txn
	latest kv.Reader // the latest state with all own writes
	wait   time.Duration
	// sizeMax bounds the transaction's pending writes, in bytes.
	sizeMax int64
	marks   []mark
	delta   int64 // net rows since the last mark
	locked  bool
	// refused is why the statement may not write, whether it changes rows or not.
	refused error
	rows    int
	zone    *zone // of the rows that the engine gives; nil is UTC

	vals     []any
	row      []byte
	changes  []entryChange
	ceilings map[*indexShape]*ceiling
}

var _ sql.TableEditor = (*editor)(nil)

func newEditor(t *Table) *editor { return &editor{t: t, shape: t.shape} }

// Inserter implements sql.InsertableTable.
func (t *Table) Inserter(ctx *sql.Context) sql.RowInserter { return t.edit(ctx) }

// Replacer implements sql.ReplaceableTable.
func (t *Table) Replacer(ctx *sql.Context) sql.RowReplacer { return t.edit(ctx) }

// Updater implements sql.UpdatableTable. GMS calls it before the first row is
// read: the scans of this use now lock what they return.
func (t *Table) Updater(ctx *sql.Context) sql.RowUpdater {
	t.use.mode = scanMode{lock: kv.LockX}
	return t.edit(ctx)
}

// Deleter implements sql.DeletableTable.
func (t *Table) Deleter(ctx *sql.Context) sql.RowDeleter {
	t.use.mode = scanMode{lock: kv.LockX}
	return t.edit(ctx)
}

// begin makes sure that the transaction is the running one and the table locked.
func (e *editor) begin(ctx *sql.Context) error {
	if e.tx != nil && !e.tx.ended {
		return nil
	}
	tx, err := transactionOf(ctx)
	if err != nil {
		return err
	}
	if !e.t.temporary {
		if err := tx.admitWrite(ctx); err != nil {
			return err
		}
	}
	tx.settle()
	if e.kv, err = tx.store(ctx); err != nil {
		return err
	}
	if e.zone, err = e.shape.zoneOf(ctx, tx.sess); err != nil {
		return err
	}
	e.tx, e.latest, e.wait = tx, e.kv.Latest(kv.Now), tx.sess.lockWait(ctx)
	e.sizeMax = tx.sess.writesLimit(ctx)
	return nil
}

// lockTable takes the intention lock at the first change.
func (e *editor) lockTable(ctx *sql.Context) error {
	if e.locked {
		return nil
	}
	if err := e.begin(ctx); err != nil {
		return err
	}
	if !e.t.temporary {
		if err := e.tx.lockTable(ctx, e.shape.desc, kv.LockIX); err != nil {
			return err
		}
	}
	e.locked = true
	return nil
}

// lockKey locks a row or a unique key value.
func (e *editor) lockKey(ctx *sql.Context, key []byte) error {
	if e.t.temporary {
		return nil
	}
	_, err := e.tx.lockKey(ctx, e.shape.desc.ID, key, kv.LockX, e.wait)
	return err
}

// StatementBegin implements sql.EditOpenerCloser. It cannot report an error; the
// first change will, or the end of a statement without any.
func (e *editor) StatementBegin(ctx *sql.Context) {
	if e.refused = e.begin(ctx); e.refused != nil {
		return
	}
	m, err := e.tx.mark(ctx)
	if e.refused = err; err != nil {
		return
	}
	e.marks = append(e.marks, m)
	e.tx.sess.editing++
}

// DiscardChanges implements sql.EditOpenerCloser: the statement is undone.
func (e *editor) DiscardChanges(ctx *sql.Context, _ error) error {
	if len(e.marks) == 0 {
		return nil
	}
	m := e.marks[len(e.marks)-1]
	e.marks = e.marks[:len(e.marks)-1]
	e.tx.sess.editing--
	e.tx.rollbackTo(m)
	e.tx.failed = true
	e.delta = 0
	return nil
}

// StatementComplete implements sql.EditOpenerCloser. GMS also calls it for a
// statement that KILL stopped half-way; that one is undone.
func (e *editor) StatementComplete(ctx *sql.Context) error {
	if err := ctx.Err(); err != nil {
		closing(&err, func() error { return e.DiscardChanges(ctx, err) })
		return err
	}
	if e.refused != nil {
		return e.refused
	}
	if len(e.marks) > 0 {
		e.marks = e.marks[:len(e.marks)-1]
		e.tx.sess.editing--
	}
	return e.flush()
}

// flush hands the row count to the transaction.
func (e *editor) flush() error {
	if e.delta != 0 {
		e.tx.addRows(e.shape.desc.Physical, e.delta)
		e.delta = 0
	}
	return nil
}

// Close implements sql.Closer.
func (e *editor) Close(ctx *sql.Context) error {
	if e.tx == nil || e.tx.ended {
		return nil
	}
	if err := ctx.Err(); err != nil && len(e.marks) > 0 {
		closing(&err, func() error { return e.DiscardChanges(ctx, err) })
		return err
	}
	return e.flush()
}

// check is the preamble of every change.
func (e *editor) check(ctx *sql.Context, rows ...sql.Row) error {
	if e.rows++; e.rows%contextEveryRows == 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	for _, r := range rows {
		if len(r) != len(e.shape.schema) {
			return sql.ErrUnexpectedRowLength.New(len(e.shape.schema), len(r))
		}
	}
	return e.lockTable(ctx)
}

// Insert implements sql.RowInserter.
func (e *editor) Insert(ctx *sql.Context, row sql.Row) error {
	if err := e.check(ctx, row); err != nil {
		return err
	}
	row, err := e.shape.keep(ctx, e.zone, row, nil)
	if err != nil {
		return err
	}
	if row, err = e.shape.fitted(ctx, row); err != nil {
		return err
	}
	key, err := e.newKey(ctx, row)
	if err != nil {
		return err
	}
	if !e.shape.keyless() {
		if err := e.claimKey(ctx, key, row); err != nil {
			return err
		}
	}
	if err := e.write(ctx, key, row, nil, nil); err != nil {
		return err
	}
	e.delta++
	return nil
}

// newKey is the key that a new row gets.
func (e *editor) newKey(ctx *sql.Context, row sql.Row) ([]byte, error) {
	if e.shape.keyless() {
		id, err := e.tx.engine().sequences.next(ctx, e.shape.desc.Physical, 1, ^uint64(0)-1)
		if err != nil {
			return nil, err
		}
		return e.shape.appendRowID(nil, id), nil
	}
	key, err := e.shape.appendRowKey(ctx, nil, row)
	if err != nil {
		return nil, err
	}
	if len(key) > maxStoredKeyBytes {
		return nil, errKeyTooLong(maxIndexBytes)
	}
	return key, nil
}

// claimKey locks a primary key value and makes sure that no row has it.
func (e *editor) claimKey(ctx *sql.Context, key []byte, row sql.Row) error {
	if err := e.lockKey(ctx, key); err != nil {
		return err
	}
	if above, err := e.ceilingOf(e.shape.primary).above(ctx, e.latest, e.shape.primary.span, key); err != nil || above {
		return err
	}
	existing, ok, err := e.shape.readRow(ctx, e.latest, key)
	if err != nil {
		return err
	}
	if ok {
		return e.duplicate(ctx, e.shape.primary, row, existing)
	}
	return nil
}

// ceilingOf is the bound of a unique key's range.
func (e *editor) ceilingOf(x *indexShape) *ceiling {
	if c := e.ceilings[x]; c != nil {
		return c
	}
	if e.ceilings == nil {
		e.ceilings = map[*indexShape]*ceiling{}
	}
	c := e.tx.engine().ceilings.get(x.physical)
	e.ceilings[x] = c
	return c
}

// write stores row under key and brings the indexes from old (nil: none) to it.
// oldKey is the key of old. Whatever can refuse the row is asked before anything
// is written: GMS goes on after a refusal (IGNORE, REPLACE, ON DUPLICATE KEY), and
// the transaction must not hold half of a row then.
func (e *editor) write(ctx *sql.Context, key []byte, row sql.Row, oldKey []byte, old sql.Row) error {
	value, err := e.shape.encodeRow(ctx, e.row[:0], row, e.vals)
	if err != nil {
		return err
	}
	e.row = value
	e.changes = e.changes[:0]
	for _, x := range e.shape.indexes {
		if !x.stores {
			continue
		}
		if err := e.changeEntry(ctx, x, key, row, oldKey, old); err != nil {
			return err
		}
	}
	if oldKey != nil && !bytes.Equal(key, oldKey) {
		if err := e.coverView(ctx, oldKey, nil, false); err != nil {
			return err
		}
	}
	if oldKey != nil || !e.shape.keyless() {
		if err := e.coverView(ctx, key, row, !bytes.Equal(key, oldKey)); err != nil {
			return err
		}
	}
	e.tx.seen.changed.Add(1)
	// The row first: the store may find its value too large.
	if err := e.put(key, value); err != nil {
		return err
	}
	if oldKey != nil && !bytes.Equal(key, oldKey) {
		if err := e.delete(oldKey); err != nil {
			return err
		}
	}
	return e.applyEntries()
}

// entryChange is what a row change does to one index.
type entryChange struct {
	drop  []byte // key of an entry that goes, nil for none
	put   []byte // key of an entry that comes, nil for none
	value []byte
}

func (e *editor) applyEntries() error {
	for _, c := range e.changes {
		if c.drop != nil {
			if err := e.delete(c.drop); err != nil {
				return err
			}
		}
		if c.put != nil {
			if err := e.put(c.put, c.value); err != nil {
				return err
			}
		}
	}
	return nil
}

func (e *editor) put(key, value []byte) error {
	if size := e.kv.Size() + int64(len(key)+len(value)); size > e.sizeMax {
		return errTooLarge(e.sizeMax)
	}
	return storeError(e.kv.Put(key, value))
}

func (e *editor) delete(key []byte) error { return storeError(e.kv.Delete(key)) }

// storeError gives a refused write the number that MySQL would.
func storeError(err error) error {
	if err == nil {
		return nil
	}
	var size *kv.SizeError
	if !errors.As(err, &size) {
		return err
	}
	switch size.What {
	case "transaction":
		return errTooLarge(size.Limit)
	case "key":
		return errKeyTooLong(maxIndexBytes)
	}
	return mysqlError(1118, "42000", "Row size too large: %d bytes; the limit is %d", size.Size, size.Limit)
}

// suffix is the part of a row key that index entries carry.
func (s *shape) suffix(key []byte) []byte { return key[len(s.primary.prefix):] }

// changeEntry notes how the entry of old is replaced by that of row, and claims
// its unique value.
func (e *editor) changeEntry(ctx *sql.Context, x *indexShape, key []byte, row sql.Row, oldKey []byte, old sql.Row) error {
	now, err := x.encodeEntry(ctx, row, e.shape.suffix(key))
	if err != nil {
		return err
	}
	c := entryChange{put: now.key, value: now.value}
	if old != nil {
		was, err := x.encodeEntry(ctx, old, e.shape.suffix(oldKey))
		if err != nil {
			return err
		}
		if bytes.Equal(was.key, now.key) {
			if !bytes.Equal(was.value, now.value) {
				e.changes = append(e.changes, c)
			}
			return nil
		}
		if err := e.lockEntry(ctx, was); err != nil {
			return err
		}
		c.drop = was.key
	}
	if now.unique != nil {
		if err := e.claimEntry(ctx, x, now, row); err != nil {
			return err
		}
	}
	e.changes = append(e.changes, c)
	return nil
}

// lockEntry locks the key value of a unique entry that is to go, so that nobody
// takes it before this transaction has ended.
func (e *editor) lockEntry(ctx *sql.Context, was entry) error {
	if was.unique == nil {
		return nil
	}
	return e.lockKey(ctx, was.unique)
}

// claimEntry locks a unique key value and makes sure that no row has it.
func (e *editor) claimEntry(ctx *sql.Context, x *indexShape, now entry, row sql.Row) error {
	if err := e.lockKey(ctx, now.unique); err != nil {
		return err
	}
	if above, err := e.ceilingOf(x).above(ctx, e.latest, x.span, now.unique); err != nil || above {
		return err
	}
	r := e.latest
	value, err := r.Get(ctx, now.unique)
	if errors.Is(err, kv.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	_, suffix, _, err := x.splitEntry(now.unique, value, nil)
	if err != nil {
		return err
	}
	existing, ok, err := e.shape.readRow(ctx, r, append(append([]byte(nil), e.shape.primary.prefix...), suffix...))
	if err != nil {
		return err
	}
	if !ok {
		return errInternal("table %s: unique index %s has an entry without a row; run CHECK TABLE", e.shape.desc.Name, x.name)
	}
	return e.duplicate(ctx, x, row, existing)
}

// duplicate is the refusal of a stored row for another one that has its key.
func (e *editor) duplicate(ctx *sql.Context, x *indexShape, row, existing sql.Row) error {
	return e.shape.newDuplicate(ctx, x, e.shape.shown(e.zone, row), e.shape.shown(e.zone, existing))
}

// Delete implements sql.RowDeleter.
func (e *editor) Delete(ctx *sql.Context, row sql.Row) error {
	if err := e.check(ctx, row); err != nil {
		return err
	}
	key, old, err := e.find(ctx, row)
	if sql.ErrDeleteRowNotFound.Is(err) {
		// The scan locked the row, so this statement itself has removed it: a
		// cascade came first, or a join returned it twice.
		return nil
	}
	if err != nil {
		return err
	}
	if err := e.judge(ctx, key); err != nil {
		return err
	}
	if err := e.remove(ctx, key, old); err != nil {
		return err
	}
	e.delta--
	return nil
}

// remove deletes a row and its entries.
func (e *editor) remove(ctx *sql.Context, key []byte, old sql.Row) error {
	e.changes = e.changes[:0]
	for _, x := range e.shape.indexes {
		if !x.stores {
			continue
		}
		was, err := x.encodeEntry(ctx, old, e.shape.suffix(key))
		if err != nil {
			return err
		}
		if err := e.lockEntry(ctx, was); err != nil {
			return err
		}
		e.changes = append(e.changes, entryChange{drop: was.key})
	}
	if err := e.coverView(ctx, key, nil, false); err != nil {
		return err
	}
	e.tx.seen.changed.Add(1)
	if err := e.delete(key); err != nil {
		return err
	}
	return e.applyEntries()
}

// Update implements sql.RowUpdater.
func (e *editor) Update(ctx *sql.Context, oldRow, newRow sql.Row) error {
	if err := e.check(ctx, oldRow, newRow); err != nil {
		return err
	}
	oldKey, old, err := e.find(ctx, oldRow)
	if sql.ErrDeleteRowNotFound.Is(err) {
		return nil // as for Delete
	}
	if err != nil {
		return err
	}
	if err := e.judge(ctx, oldKey); err != nil {
		return err
	}
	shown := newRow
	if newRow, err = e.shape.keep(ctx, e.zone, shown, nil); err != nil {
		return err
	}
	e.shape.keepUnchanged(e.zone, old, shown, newRow)
	if newRow, err = e.shape.fitted(ctx, newRow); err != nil {
		return err
	}
	key := oldKey
	if !e.shape.keyless() {
		if key, err = e.newKey(ctx, newRow); err != nil {
			return err
		}
		if !bytes.Equal(key, oldKey) {
			if err := e.claimKey(ctx, key, newRow); err != nil {
				return err
			}
		}
	}
	if err := e.write(ctx, key, newRow, oldKey, old); err != nil {
		return err
	}
	return e.raiseSequence(ctx, newRow)
}

// judge refuses to change a row that the transaction has read in another version.
func (e *editor) judge(ctx *sql.Context, key []byte) error {
	if e.t.temporary {
		return nil
	}
	return e.tx.judge(ctx, e.shape, key)
}

// find locks the stored row that row stands for and reads it again: index
// entries are removed by what is stored, not by what a scan or a cascade says.
func (e *editor) find(ctx *sql.Context, row sql.Row) (key []byte, stored sql.Row, err error) {
	if e.shape.keyless() {
		return e.findKeyless(ctx, row)
	}
	if row, err = e.shape.keep(ctx, e.zone, row, nil); err != nil {
		return nil, nil, err
	}
	key, err = e.shape.appendRowKey(ctx, nil, row)
	if err != nil {
		return nil, nil, err
	}
	if err := e.lockKey(ctx, key); err != nil {
		return nil, nil, err
	}
	stored, ok, err := e.shape.readRow(ctx, e.latest, key)
	if err != nil {
		return nil, nil, err
	}
	if !ok {
		return nil, nil, sql.ErrDeleteRowNotFound.New()
	}
	return key, stored, nil
}
