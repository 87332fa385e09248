package catalog

import "fmt"

// ChangeOp is what happened to an object.
type ChangeOp uint8

const (
	Created ChangeOp = iota + 1
	Altered          // renames included
	Dropped
)

// Change is the net effect of a transaction on one object.
type Change struct {
	Op      ChangeOp
	Kind    Kind
	ID      ID
	Version uint64 // the catalog version that shows it
	// Name and Database are those after the change (for Dropped: before it),
	// OldName and OldDatabase those before (for Created: "").
	Name, Database       string
	OldName, OldDatabase string
	// New is nil for Dropped, Old for Created and when the replaced or dropped
	// entry could not be read.
	Old, New Object
}

// Changes lists the net effect of the transaction, one Change per object in
// order of the first change. An object that is as it was is not listed.
func (t *Txn) Changes() []Change {
	t.private = false
	var changes []Change
	for _, e := range t.touched {
		was, is := t.base.item(e.kind, e.id), t.cur.item(e.kind, e.id)
		if was != is {
			changes = append(changes, t.change(e, was, is))
		}
	}
	return changes
}

func (t *Txn) change(e entryID, was, is *item) Change {
	c := Change{Op: Altered, Kind: e.kind, ID: e.id, Version: t.base.version + 1}
	if was != nil {
		c.OldName, c.OldDatabase = was.Name, t.base.database(was)
		if o, err := was.get(); err == nil {
			c.Old = o
		}
	}
	if is == nil {
		c.Op, c.Name, c.Database = Dropped, c.OldName, c.OldDatabase
		return c
	}
	if was == nil {
		c.Op = Created
	}
	c.Name, c.Database = is.Name, t.cur.database(is)
	if o, err := is.get(); err == nil {
		c.New = o
	}
	return c
}

// check says whether the changed objects fit each other: Flush lets nothing
// through that the next open would report.
func (t *Txn) check() error {
	for _, e := range t.touched {
		was, is := t.base.item(e.kind, e.id), t.cur.item(e.kind, e.id)
		if was == is {
			continue
		}
		if is == nil {
			if left := t.cur.Children(e.id); len(left) > 0 && e.kind.known() {
				return fmt.Errorf("%w: %v %s holds %v %s", ErrNotEmpty, e.kind, quote(was.Name),
					left[0].Kind, quote(left[0].Name))
			}
			continue
		}
		if len(e.kind.info().parents) > 0 && t.cur.parent(is) == nil {
			return fmt.Errorf("%w: id %d of %v %s", ErrNoParent, is.Parent, e.kind, quote(is.Name))
		}
		o, err := is.get()
		if err != nil {
			return fmt.Errorf("%w: %v %s: %w", ErrInvalid, e.kind, quote(is.Name), err)
		}
		if err := validate(o); err != nil {
			return fmt.Errorf("%v %s: %w", e.kind, quote(is.Name), err)
		}
	}
	return nil
}
