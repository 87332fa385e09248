package vtab

import (
	"context"
	"errors"
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/freshetdb/freshet/catalog"
	"github.com/freshetdb/freshet/vtab/enc"
	"github.com/freshetdb/freshet/vtab/kv"
)

// maxKnownParents bounds the parent keys that a check remembers as present, per
// foreign key: children of few parents cost few look-ups, in bounded memory.
const maxKnownParents = 4096

// foreignCheck looks for the parents of one foreign key.
type foreignCheck struct {
	fk   *catalog.FK
	kind ProblemKind // of a row without a parent
	cols []int       // of the child, in the order of the index parts
	x    *indexShape // of the parent; nil: the parent table is missing
	it   kv.Iterator
	// known are parent keys that were found.
	known map[string]struct{}
}

// openForeign prepares the table's foreign keys.
func (c *tableCheck) openForeign(ctx context.Context) error {
	for i := range c.shape.desc.Foreign {
		fk := &c.shape.desc.Foreign[i]
		f := &foreignCheck{fk: fk, kind: ProblemOrphan, known: map[string]struct{}{}}
		if fk.NotValid || !fk.Resolved {
			f.kind = NoteOrphan
		}
		ok, err := c.resolveForeign(ctx, f)
		if err != nil {
			return err
		}
		if ok {
			c.foreign = append(c.foreign, f)
		}
	}
	return nil
}

// resolveForeign finds the parent's index. It is false where the key cannot be
// checked, which has been noted then.
func (c *tableCheck) resolveForeign(ctx context.Context, f *foreignCheck) (bool, error) {
	db, ok := c.view.defs.DB(f.fk.ParentDatabase)
	var parent *catalog.Table
	if ok {
		var err error
		parent, ok, err = db.Table(f.fk.ParentTable)
		var broken *catalog.BrokenEntryError
		if errors.As(err, &broken) {
			c.found.add(NoteUnchecked, c.foreignText(f), nil, "the parent's definition cannot be read: %v", err)
			return false, nil
		}
		if err != nil {
			return false, err
		}
	}
	child := make([]int, len(f.fk.Columns))
	for i, name := range f.fk.Columns {
		ord, ok := c.shape.column(name)
		if !ok {
			c.found.add(ProblemDefinition, c.foreignText(f), nil, "the table has no column %s", quoteName(name))
			return false, nil
		}
		child[i] = ord
	}
	f.cols = child
	if !ok {
		return true, nil // every row with a value is an orphan
	}
	s, err := newShape(ctx, db.Name(), parent)
	if err != nil {
		c.found.add(NoteUnchecked, c.foreignText(f), nil, "the parent's definition cannot be used: %v", err)
		return false, nil
	}
	if !f.chooseIndex(s, child) {
		c.found.add(NoteUnchecked, c.foreignText(f), nil, "the parent has no index that begins with the columns it refers to")
		return false, nil
	}
	return true, nil
}

func (c *tableCheck) foreignText(f *foreignCheck) string {
	return "foreign key " + quoteName(f.fk.Name)
}

// chooseIndex picks a parent index that begins with the referenced columns, in
// any order.
func (f *foreignCheck) chooseIndex(s *shape, child []int) bool {
	wanted := map[int]int{} // parent ordinal -> child ordinal
	for i, name := range f.fk.ParentColumns {
		ord, ok := s.column(name)
		if !ok || i >= len(child) {
			return false
		}
		wanted[ord] = child[i]
	}
	for _, x := range append([]*indexShape{s.primary}, s.indexes...) {
		if !x.stores || len(x.cols) < len(wanted) {
			continue
		}
		var cols []int
		for at := range len(wanted) {
			from, ok := wanted[x.cols[at]]
			if !ok || x.parts[at].Prefix > 0 {
				break
			}
			cols = append(cols, from)
		}
		if len(cols) == len(wanted) {
			f.x, f.cols = x, cols
			return true
		}
	}
	return false
}

// checkForeign looks up the parents of a row.
func (c *tableCheck) checkForeign(ctx context.Context, key []byte, row sql.Row) error {
	for _, f := range c.foreign {
		ok, err := f.hasParent(ctx, c.view.reader, row)
		if err != nil {
			return err
		}
		if ok {
			continue
		}
		why := fmt.Sprintf("in %s.%s", quoteName(f.fk.ParentDatabase), quoteName(f.fk.ParentTable))
		if f.x == nil {
			why = fmt.Sprintf("because %s.%s does not exist", quoteName(f.fk.ParentDatabase), quoteName(f.fk.ParentTable))
		}
		values := &indexShape{cols: f.cols}
		c.found.add(f.kind, c.foreignText(f), key, "the values %s have no parent row %s", values.keyText(ctx, row), why)
	}
	return nil
}

func (f *foreignCheck) hasParent(ctx context.Context, r kv.Reader, row sql.Row) (bool, error) {
	for _, ord := range f.cols {
		if row[ord] == nil {
			return true, nil
		}
	}
	if f.x == nil {
		return false, nil
	}
	start := append([]byte(nil), f.x.prefix...)
	var err error
	for i, ord := range f.cols {
		if start, err = f.x.codec.Append(ctx, start, i, row[ord]); err != nil {
			return false, nil // no value of the parent's type: no parent has it
		}
	}
	if _, ok := f.known[string(start)]; ok {
		return true, nil
	}
	span := kv.Range{Start: start, End: enc.Successor(nil, start)}
	if f.it == nil {
		f.it = r.Scan(ctx, span, kv.ScanOptions{KeysOnly: true})
	} else {
		f.it.SeekTo(span)
	}
	if !f.it.Next() {
		return false, f.it.Err()
	}
	if len(f.known) >= maxKnownParents {
		clear(f.known)
	}
	f.known[string(start)] = struct{}{}
	return true, nil
}

func (c *tableCheck) closeForeign(err *error) {
	for _, f := range c.foreign {
		if f.it != nil {
			closing(err, f.it.Close)
		}
	}
}
