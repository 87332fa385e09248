package vtab

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/freshetdb/freshet/catalog"
	"github.com/freshetdb/freshet/vtab/kv"
)

var errEOF = io.EOF

// rowIter returns the rows of one partition. It opens at the first Next.
type rowIter struct {
	t     *Table
	shape *shape
	tx    *Transaction
	lk    *lookup // nil: the whole table in primary key order
	want  []int

	opened   bool
	closed   bool
	reader   kv.Reader
	it       kv.Iterator
	spanAt   int
	dec      *decoder
	wholeDec *decoder   // of the columns of a prefix index
	cover    *coverPlan // non-nil: the index alone answers
	parts    [][]byte
	keyBuf   []byte
	rows     int
	zone     *zone       // of the TIMESTAMPs that are returned; nil is UTC
	moments  []int       // their places in the row
	mode     scanMode    // how this scan reads; fixed when it is opened
	current  currentScan // of a scan that reads the latest state
	test     *testedScan // the filter above that the scan applies, nil for none
	openedAt kv.Position // what was applied when such a scan's iterator was opened
	reads    *reads      // where it is noted what the scan reads; nil for nowhere
	onKey    bool        // the iterator stands on a key
}

func newRowIter(t *Table, p *partition) *rowIter {
	return &rowIter{t: t, shape: t.shape, lk: p.lookup, want: t.wanted()}
}

// openAlone opens while no other scan of the session opens or closes. GMS groups
// rows on one goroutine while another reads them, so a subquery inside an
// aggregate scans beside the statement's own scan.
func (i *rowIter) openAlone(ctx *sql.Context) error {
	session, err := SessionOf(ctx)
	if err != nil {
		return err
	}
	session.scanMu.Lock()
	defer session.scanMu.Unlock()
	return i.open(ctx)
}

// open takes the reader. The definition that was bound must be the one that the
// transaction sees, else rows would be read under the wrong shape.
func (i *rowIter) open(ctx *sql.Context) error {
	tx, err := transactionOf(ctx)
	if err != nil {
		return err
	}
	i.tx = tx
	tx.settle()
	if i.t.modeOf(tx).lock == kv.LockNone {
		if err := tx.awaitWriter(ctx, i.t); err != nil {
			return err
		}
	}
	if err := i.t.checkCurrent(ctx, tx); err != nil {
		return err
	}
	if err := i.followAltered(ctx, tx); err != nil {
		return err
	}
	i.mode = i.t.modeOf(tx)
	if err := i.lockTable(ctx); err != nil {
		return err
	}
	s, err := tx.store(ctx)
	if err != nil {
		return err
	}
	use := i.t.use
	if !use.atSet {
		use.at, use.atSet = s.Savepoint(), true
	}
	if i.mode.current {
		if err := i.beginReads(ctx, s); err != nil {
			return err
		}
		i.reader = s.Latest(use.at)
		i.openedAt = tx.engine().store.Applied()
	} else {
		if i.reader, err = s.Snapshot(use.at); err != nil {
			return err
		}
		tx.plainRead = true
		if err := i.beginReads(ctx, s); err != nil {
			return err
		}
	}
	if i.zone, err = i.shape.zoneOf(ctx, tx.sess); err != nil {
		return err
	}
	i.prepare()
	i.opened = true
	tx.readers++
	tx.sess.openScan(i)
	return nil
}

// followAltered makes a scan whose table an earlier clause of the same statement
// has redefined read under the new definition.
func (i *rowIter) followAltered(ctx *sql.Context, tx *Transaction) error {
	if !tx.altered[i.shape.desc.ID] {
		return nil
	}
	d, _, err := i.t.definition(ctx)
	if err != nil || sameRows(d, i.shape.desc) {
		return err
	}
	if i.lk != nil {
		return errTableChanged(i.t.Name())
	}
	t := *i.t
	if err := t.follow(ctx); err != nil {
		return err
	}
	if t.names != nil {
		projected, err := t.WithProjections(ctx, t.names)
		if err != nil {
			return err
		}
		t = *projected.(*Table)
	}
	i.t, i.shape, i.want = &t, t.shape, t.wanted()
	return nil
}

// sameRows reports whether two states of a definition within one statement keep
// and show rows alike.
func sameRows(a, b *catalog.Table) bool {
	return a.Physical == b.Physical && a.Layout == b.Layout && a.Version == b.Version &&
		slices.EqualFunc(a.Columns, b.Columns, func(a, b catalog.Column) bool { return a.ID == b.ID })
}

// prepare chooses how rows are decoded.
func (i *rowIter) prepare() {
	if i.t.use.stored {
		i.zone = nil
	}
	for to, ord := range i.want {
		if i.zone != nil && isTimestamp(i.shape.schema[ord].Type) && !i.t.use.asIs[i.shape.desc.Columns[ord].ID] {
			i.moments = append(i.moments, to)
		}
	}
	if i.lk != nil && i.lk.index != i.shape.primary && !i.mode.current && !i.mayBeMoved() && i.lk.box == nil && i.lk.index.whole == nil {
		i.cover = newCoverPlan(i.shape, i.lk.index, i.want)
	}
	if i.cover == nil {
		i.dec = newDecoder(i.shape, i.want)
	}
	i.prepareTest()
}

// Next implements sql.RowIter.
func (i *rowIter) Next(ctx *sql.Context) (sql.Row, error) {
	if i.closed {
		return nil, io.EOF
	}
	if !i.opened {
		if err := i.openAlone(ctx); err != nil {
			return nil, err
		}
	}
	if i.current.none {
		return nil, io.EOF
	}
	if i.rows++; i.rows%contextEveryRows == 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	if row, ok := i.again(); ok {
		return row, nil
	}
	for {
		ok, err := i.step(ctx)
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, io.EOF
		}
		row, ok, err := i.row(ctx)
		if err != nil {
			return nil, err
		}
		if ok {
			showAt(i.zone, row, i.moments)
			return row, nil
		}
	}
}

// step moves to the next key, across spans.
func (i *rowIter) step(ctx *sql.Context) (bool, error) {
	i.leaveRow()
	for {
		if i.it == nil {
			r, ok := i.nextSpan()
			if !ok {
				return false, nil
			}
			i.beginRange(r)
			i.it = i.openIterator(ctx, r)
		}
		if i.onKey = i.it.Next(); i.onKey {
			return true, nil
		}
		if err := i.it.Err(); err != nil {
			return false, err
		}
		i.endRange()
		r, ok := i.nextSpan()
		if !ok {
			return false, nil
		}
		i.beginRange(r)
		i.it.SeekTo(r)
	}
}

// openIterator opens the iterator that all spans of this scan share.
func (i *rowIter) openIterator(ctx *sql.Context, first kv.Range) kv.Iterator {
	if i.lk != nil && i.lk.points() {
		return i.openPoints(ctx, first)
	}
	return i.openRange(ctx, first)
}

func (i *rowIter) openRange(ctx context.Context, first kv.Range) kv.Iterator {
	reverse := i.lk != nil && i.lk.reverse
	keysOnly := len(i.want) == 0 && i.lk == nil && !i.mode.current
	return i.reader.Scan(ctx, first, kv.ScanOptions{Reverse: reverse, KeysOnly: keysOnly})
}

// nextSpan returns the next range to read.
func (i *rowIter) nextSpan() (kv.Range, bool) {
	n := i.spanAt
	i.spanAt++
	if i.lk == nil {
		return i.shape.primary.span, n == 0
	}
	if n >= len(i.lk.spans) {
		return kv.Range{}, false
	}
	return i.lk.spans[n].Range, true
}

// span is the span being read.
func (i *rowIter) span() *span {
	if i.lk == nil {
		return nil
	}
	return &i.lk.spans[i.spanAt-1]
}

// row makes the row of the present key; ok is false if it is not wanted.
func (i *rowIter) row(ctx *sql.Context) (row sql.Row, ok bool, err error) {
	if i.mode.current {
		return i.currentRow(ctx)
	}
	if i.lk == nil || i.lk.index == i.shape.primary {
		return i.primaryRow(ctx)
	}
	return i.indexRow(ctx)
}

// primaryRow reads a row found in the primary key.
func (i *rowIter) primaryRow(ctx *sql.Context) (sql.Row, bool, error) {
	key := i.it.Key()
	if s := i.span(); s != nil && s.filters() {
		parts, err := splitKey(i.shape.primary, key, i.parts[:0])
		if err != nil {
			return nil, false, err
		}
		i.parts = parts
		if ok, err := s.admits(i.shape.primary, key, parts, nil); err != nil || !ok {
			return nil, false, err
		}
	}
	if len(i.want) == 0 {
		return sql.Row{}, true, nil
	}
	value, err := i.it.Value()
	if err != nil {
		return nil, false, err
	}
	if i.test != nil {
		if ok, err := i.test.passes(ctx, key, value); err != nil || !ok {
			return nil, false, err
		}
	}
	row, err := i.decode(ctx, key, value)
	return row, err == nil, err
}

// indexRow reads a row found in a secondary index.
func (i *rowIter) indexRow(ctx *sql.Context) (sql.Row, bool, error) {
	value, err := i.it.Value()
	if err != nil {
		return nil, false, err
	}
	x := i.lk.index
	parts, suffix, exact, err := x.splitEntry(i.it.Key(), value, i.parts[:0])
	if err != nil {
		return nil, false, err
	}
	i.parts = parts
	s := i.span()
	if s.filters() {
		if ok, err := s.admits(x, i.it.Key(), parts, suffix); err != nil || !ok {
			return nil, false, err
		}
	}
	if i.cover != nil {
		row := make(sql.Row, len(i.want))
		err := i.cover.decode(ctx, parts, suffix, exact, row)
		return row, err == nil, err
	}
	i.keyBuf = append(append(i.keyBuf[:0], i.shape.primary.prefix...), suffix...)
	return i.fetch(ctx, i.keyBuf, s)
}

// fetch reads the row that an index entry points to.
func (i *rowIter) fetch(ctx *sql.Context, key []byte, s *span) (sql.Row, bool, error) {
	i.noteRow(key)
	value, err := i.reader.Get(ctx, key)
	if errors.Is(err, kv.ErrNotFound) && i.mayBeMoved() {
		return nil, false, nil
	}
	if errors.Is(err, kv.ErrNotFound) {
		return nil, false, errInternal("table %s: index %s has an entry without a row (%x); run CHECK TABLE", i.shape.desc.Name, i.lk.index.name, key)
	}
	if err != nil {
		return nil, false, err
	}
	if ok, err := i.shows(ctx, key, value); err != nil || !ok {
		return nil, false, err
	}
	if ok, err := i.inWhole(ctx, key, value, s); err != nil || !ok {
		return nil, false, err
	}
	if i.lk.box != nil {
		if ok, err := i.inBox(ctx, key, value); err != nil || !ok {
			return nil, false, err
		}
	}
	row, err := i.decode(ctx, key, value)
	return row, err == nil, err
}

// inWhole reports whether a row found through prefixes lies in the ranges of the
// whole columns.
func (i *rowIter) inWhole(ctx context.Context, key, value []byte, s *span) (bool, error) {
	if i.lk.index.whole == nil {
		return true, nil
	}
	if i.wholeDec == nil {
		i.wholeDec = newDecoder(i.shape, i.lk.index.cols)
	}
	row := make(sql.Row, len(i.lk.index.cols))
	if err := i.wholeDec.decode(ctx, key, value, row); err != nil {
		return false, err
	}
	whole := make([][]byte, len(row))
	for part := range row {
		var err error
		if whole[part], err = i.lk.index.whole.codec.Append(ctx, nil, part, row[part]); err != nil {
			return false, err
		}
	}
	for c := range s.any {
		if matches(whole, s.any[c].whole) {
			return true, nil
		}
	}
	return len(s.any) == 0, nil
}

// inBox reports whether the geometry of a row meets the box of a spatial lookup.
func (i *rowIter) inBox(ctx context.Context, key, value []byte) (bool, error) {
	d := newDecoder(i.shape, i.lk.index.cols)
	row := make(sql.Row, 1)
	if err := d.decode(ctx, key, value, row); err != nil {
		return false, err
	}
	return i.lk.box.overlaps(row[0]), nil
}

// decode makes the row that the scan returns.
func (i *rowIter) decode(ctx context.Context, key, value []byte) (sql.Row, error) {
	row := make(sql.Row, len(i.want))
	if err := i.dec.decode(ctx, key, value, row); err != nil {
		return nil, err
	}
	return row, nil
}

// Close implements sql.RowIter.
func (i *rowIter) Close(*sql.Context) error {
	if !i.opened || i.closed {
		return nil
	}
	i.closed = true
	i.tx.sess.scanMu.Lock()
	i.tx.readers--
	delete(i.tx.sess.scans, i)
	i.tx.sess.scanMu.Unlock()
	if i.it == nil {
		return nil
	}
	i.cutRange()
	it := i.it
	i.it = nil
	return it.Close()
}

// openScan notes an open row iterator.
func (s *Session) openScan(i *rowIter) {
	if s.scans == nil {
		s.scans = map[*rowIter]struct{}{}
	}
	s.scans[i] = struct{}{}
}

// checkCurrent refuses a table whose definition is not the transaction's.
func (t *Table) checkCurrent(ctx context.Context, tx *Transaction) error {
	if t.temporary || tx.altered[t.shape.desc.ID] {
		return nil
	}
	defs, err := tx.definitions(ctx)
	if err != nil {
		return err
	}
	o, ok, err := defs.ByID(t.shape.desc.Kind, t.shape.desc.ID)
	if err != nil {
		return err
	}
	if !ok || o.Head().Version != t.shape.desc.Version {
		return errTableChanged(t.Name())
	}
	return nil
}

// splitKey takes the parts of a key apart.
func splitKey(x *indexShape, key []byte, parts [][]byte) ([][]byte, error) {
	rest := key[len(x.prefix):]
	for i := range x.cols {
		after, err := x.codec.Skip(i, rest)
		if err != nil {
			return nil, err
		}
		parts = append(parts, rest[:len(rest)-len(after)])
		rest = after
	}
	return parts, nil
}

func matches(parts [][]byte, want []partRange) bool {
	for i := range want {
		if !want[i].contains(parts[i]) {
			return false
		}
	}
	return true
}

// matchTail tests the primary key behind an index entry.
func matchTail(x *indexShape, suffix []byte, want []partRange) (bool, error) {
	rest := suffix
	var parts [][]byte
	for i := range x.primary.cols {
		after, err := x.primary.codec.Skip(i, rest)
		if err != nil {
			return false, err
		}
		parts = append(parts, rest[:len(rest)-len(after)])
		rest = after
	}
	for i := range want {
		if !want[i].contains(parts[x.tail[i]]) {
			return false, nil
		}
	}
	return true, nil
}
