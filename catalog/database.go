package catalog

import (
	"cmp"
	"errors"
	"slices"
)

// DB is one database in one Snapshot, and as immutable.
type DB struct {
	snapshot *Snapshot
	item     *item
}

// Desc returns the database's descriptor. If its entry cannot be read (Err),
// what is left is the header: the objects in the database are usable all the
// same, but new ones cannot be created.
func (d *DB) Desc() *Database {
	if o, err := d.item.get(); err == nil {
		return o.(*Database)
	}
	return &Database{Header: d.item.Header}
}

// Err is the *BrokenEntryError of a database whose own entry cannot be read.
func (d *DB) Err() error {
	_, err := d.snapshot.object(d.item)
	return err
}

// Name is the declared name.
func (d *DB) Name() string { return d.item.Name }

// ID is the database's id.
func (d *DB) ID() ID { return d.item.ID }

// Lookup returns the header of the object that has the name in the namespace of
// kind: for KindTable that may be a view or a materialized view. Nothing is
// decoded, so it finds broken entries too.
func (d *DB) Lookup(kind Kind, name string) (Header, bool) {
	it := d.snapshot.named(kind.namespace(), d.item.ID, name)
	if it == nil {
		return Header{}, false
	}
	return it.Header, true
}

// Children lists everything in the database, see Snapshot.Children.
func (d *DB) Children() []Header { return d.snapshot.Children(d.item.ID) }

// Table returns the table with this name; a view of that name is not one. If the
// entry exists but cannot be read, the result is true and a *BrokenEntryError.
// The descriptor is decoded at the first call, and the same pointer is returned
// until the table changes.
func (d *DB) Table(name string) (*Table, bool, error) {
	return find[*Table](d.snapshot, KindTable, d.item.ID, name)
}

// TableNames lists the names of the tables as declared, in order of their folded
// names. Nothing is decoded; broken entries are included.
func (d *DB) TableNames() []string { return d.names(KindTable) }

// ViewNames is TableNames for views.
func (d *DB) ViewNames() []string { return d.names(KindView) }

func (d *DB) names(kind Kind) []string {
	var names []string
	d.snapshot.each(kind, d.item.ID, func(it *item) bool {
		names = append(names, it.Name)
		return true
	})
	return names
}

// View returns the view with this name, like Table.
func (d *DB) View(name string) (*View, bool, error) {
	return find[*View](d.snapshot, KindView, d.item.ID, name)
}

// Views lists the views in order of their folded names. Those that cannot be
// read are left out and reported in the error, one *BrokenEntryError for each.
func (d *DB) Views() ([]*View, error) { return list[*View](d, KindView) }

// Triggers lists the triggers in creation order, like Views. A caller that runs
// the triggers of a table must fail if one of its own cannot be read: the
// error's References tell which table it belongs to.
func (d *DB) Triggers() ([]*Trigger, error) {
	triggers, err := list[*Trigger](d, KindTrigger)
	slices.SortStableFunc(triggers, func(a, b *Trigger) int {
		return cmp.Or(cmp.Compare(a.Ordinal, b.Ordinal), cmp.Compare(a.ID, b.ID))
	})
	return triggers, err
}

// Routine returns the procedure or function with this name, like Table.
func (d *DB) Routine(kind Kind, name string) (*Routine, bool, error) {
	return find[*Routine](d.snapshot, kind, d.item.ID, name)
}

// Routines lists the procedures or the functions, like Views.
func (d *DB) Routines(kind Kind) ([]*Routine, error) { return list[*Routine](d, kind) }

// Trigger returns the trigger with this name, like Table.
func (d *DB) Trigger(name string) (*Trigger, bool, error) {
	return find[*Trigger](d.snapshot, KindTrigger, d.item.ID, name)
}

// Event returns the event with this name, like Table.
func (d *DB) Event(name string) (*Event, bool, error) {
	return find[*Event](d.snapshot, KindEvent, d.item.ID, name)
}

// Events lists the events, like Views.
func (d *DB) Events() ([]*Event, error) { return list[*Event](d, KindEvent) }

// find looks an object of one kind up by name.
func find[O Object](s *Snapshot, kind Kind, parent ID, name string) (O, bool, error) {
	var none O
	it := s.named(kind.namespace(), parent, name)
	if it == nil || it.Kind != kind {
		return none, false, nil
	}
	o, err := s.object(it)
	if err != nil {
		return none, true, err
	}
	typed, ok := o.(O)
	return typed, ok, nil
}

// list collects the objects of one kind in a database.
func list[O Object](d *DB, kind Kind) ([]O, error) {
	var items []*item
	d.snapshot.each(kind, d.item.ID, func(it *item) bool {
		items = append(items, it)
		return true
	})
	return collect[O](d.snapshot, items)
}

// collect decodes items, joining the errors of those that cannot be read.
func collect[O Object](s *Snapshot, items []*item) ([]O, error) {
	var objects []O
	var errs []error
	for _, it := range items {
		o, err := s.object(it)
		if err != nil {
			errs = append(errs, err)
		} else if typed, ok := o.(O); ok {
			objects = append(objects, typed)
		}
	}
	return objects, errors.Join(errs...)
}

// object returns an item's descriptor, or the *BrokenEntryError that says why
// there is none.
func (s *Snapshot) object(it *item) (Object, error) {
	o, err := it.get()
	if err != nil {
		return nil, s.brokenEntry(it, err)
	}
	return o, nil
}

func (s *Snapshot) brokenEntry(it *item, cause error) *BrokenEntryError {
	return &BrokenEntryError{
		Header: it.Header, Database: s.database(it), Named: it.named,
		Physical: slices.Clone(it.physical), References: slices.Clone(it.references), Cause: cause,
	}
}
