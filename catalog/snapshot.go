package catalog

import (
	"cmp"
	"errors"
	"strings"

	"github.com/tidwall/btree"
)

// Snapshot is the catalog at one version. It is immutable; any number of
// goroutines may use it without locks. Look-ups by name ignore letter case.
type Snapshot struct {
	version uint64
	// Trees and index are copy-on-write: a snapshot's successor shares all
	// nodes that did not change.
	objects *btree.BTreeG[*item]     // by id, then kind
	names   *btree.BTreeG[nameEntry] // by namespace, parent, folded name
	index   *nameIndex               // the same names, for look-ups
	refs    *btree.BTreeG[refEntry]  // by folded names of the table, then entry
	// building: Open is filling the snapshot, nobody else has seen it, and
	// nothing is removed.
	building bool
}

// nameEntry says who has a name.
type nameEntry struct {
	nameKey
	item *item
	// rest holds further entries of the same name, which only damage can bring
	// about. They keep the name reserved when item goes, and then take its place.
	rest []*item
}

// refEntry says that an entry names a table.
type refEntry struct {
	database, table string // folded
	item            *item
}

func compareItems(a, b *item) int {
	return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Kind, b.Kind))
}

func newSnapshot(version uint64) *Snapshot {
	options := btree.Options{NoLocks: true}
	return &Snapshot{
		version: version,
		index:   &nameIndex{},
		objects: btree.NewBTreeGOptions(func(a, b *item) bool { return compareItems(a, b) < 0 }, options),
		names: btree.NewBTreeGOptions(func(a, b nameEntry) bool {
			return cmp.Or(cmp.Compare(a.space, b.space), cmp.Compare(a.parent, b.parent),
				strings.Compare(a.name, b.name)) < 0
		}, options),
		refs: btree.NewBTreeGOptions(func(a, b refEntry) bool {
			return cmp.Or(strings.Compare(a.database, b.database), strings.Compare(a.table, b.table),
				compareItems(a.item, b.item)) < 0
		}, options),
	}
}

// edit returns a copy that may be changed while s lives on. It marks the nodes
// of s as shared, so only the holder of the writer lock may call it.
func (s *Snapshot) edit(version uint64) *Snapshot {
	return &Snapshot{
		version: version, index: s.index,
		objects: s.objects.Copy(), names: s.names.Copy(), refs: s.refs.Copy(),
	}
}

// add puts an item into all trees, and reports whether its name was free. The
// entry of another item with that name stays the one that look-ups find.
func (s *Snapshot) add(it *item) bool {
	s.objects.Set(it)
	if !it.listed() {
		return true
	}
	for _, ref := range it.references {
		s.refs.Set(refEntry{fold(ref.Database), fold(ref.Table), it})
	}
	e, taken := s.names.Get(nameOf(it))
	if taken {
		e.rest = append(e.rest[:len(e.rest):len(e.rest)], it)
	} else {
		e = nameOf(it)
		if s.building {
			s.index.insert(e.nameKey, it)
		} else {
			s.index = s.index.with(e.nameKey, it)
		}
	}
	s.names.Set(e)
	return !taken
}

// remove takes an item out of all trees.
func (s *Snapshot) remove(it *item) {
	s.objects.Delete(it)
	if !it.listed() {
		return
	}
	for _, ref := range it.references {
		s.refs.Delete(refEntry{fold(ref.Database), fold(ref.Table), it})
	}
	e, ok := s.names.Get(nameOf(it))
	if !ok {
		return
	}
	var left []*item
	for _, other := range append([]*item{e.item}, e.rest...) {
		if other.ID != it.ID || other.Kind != it.Kind {
			left = append(left, other)
		}
	}
	if len(left) == 0 {
		s.names.Delete(e)
		s.index = s.index.with(e.nameKey, nil)
		return
	}
	e.item, e.rest = left[0], left[1:]
	s.names.Set(e)
	s.index = s.index.with(e.nameKey, e.item)
}

func nameOf(it *item) nameEntry {
	return nameEntry{nameKey{it.Kind.namespace(), it.Parent, fold(it.Name)}, it, nil}
}

// item returns the entry with this kind and id, nil if there is none.
func (s *Snapshot) item(kind Kind, id ID) *item {
	it, _ := s.objects.Get(&item{head: head{Header: Header{ID: id, Kind: kind}}})
	return it
}

// named returns the entry that has a name, of any kind that shares the
// namespace; nil if the name is free.
func (s *Snapshot) named(space Kind, parent ID, name string) *item {
	return s.index.get(nameKey{space, parent, fold(name)})
}

// each calls visit for the entries of one kind under one parent in order of
// their folded names, entries that share a name included, until it returns false.
func (s *Snapshot) each(kind Kind, parent ID, visit func(*item) bool) {
	space := kind.namespace()
	s.names.Ascend(nameEntry{nameKey: nameKey{space: space, parent: parent}}, func(e nameEntry) bool {
		if e.space != space || e.parent != parent {
			return false
		}
		if e.item.Kind == kind && !visit(e.item) {
			return false
		}
		for _, it := range e.rest {
			if it.Kind == kind && !visit(it) {
				return false
			}
		}
		return true
	})
}

// Version is the catalog version that the snapshot shows. In a transaction with
// changes it is the version that the transaction will publish.
func (s *Snapshot) Version() uint64 { return s.version }

// Len is the number of entries, broken ones included.
func (s *Snapshot) Len() int { return s.objects.Len() }

// Databases lists the databases in order of their folded names.
func (s *Snapshot) Databases() []*DB {
	var dbs []*DB
	s.each(KindDatabase, 0, func(it *item) bool {
		dbs = append(dbs, &DB{snapshot: s, item: it})
		return true
	})
	return dbs
}

// DB returns the database with this name.
func (s *Snapshot) DB(name string) (*DB, bool) {
	it := s.named(KindDatabase, 0, name)
	if it == nil {
		return nil, false
	}
	return &DB{snapshot: s, item: it}, true
}

// DBByID returns the database with this id.
func (s *Snapshot) DBByID(id ID) (*DB, bool) {
	it := s.item(KindDatabase, id)
	if it == nil {
		return nil, false
	}
	return &DB{snapshot: s, item: it}, true
}

// ByID returns the object of this kind and id. If the entry exists but cannot be
// read, the result is true and a *BrokenEntryError.
func (s *Snapshot) ByID(kind Kind, id ID) (Object, bool, error) {
	it := s.item(kind, id)
	if it == nil {
		return nil, false, nil
	}
	o, err := s.object(it)
	return o, true, err
}

// Children lists what has the given parent (0: the top), broken entries
// included, by namespace and folded name.
func (s *Snapshot) Children(parent ID) []Header {
	var headers []Header
	for _, space := range namespaces() {
		s.names.Ascend(nameEntry{nameKey: nameKey{space: space, parent: parent}}, func(e nameEntry) bool {
			if e.space != space || e.parent != parent {
				return false
			}
			headers = append(headers, e.item.Header)
			for _, it := range e.rest {
				headers = append(headers, it.Header)
			}
			return true
		})
	}
	return headers
}

// Blob returns the entry of a kind that other packages own. If it exists but
// cannot be read, the result is true and a *BrokenEntryError.
func (s *Snapshot) Blob(kind Kind, parent ID, name string) (*Blob, bool, error) {
	return find[*Blob](s, kind, parent, name)
}

// Blobs lists the entries of a kind that other packages own, over all parents,
// by parent and folded name. Entries that cannot be read are left out and
// reported in the error, which joins one *BrokenEntryError for each.
func (s *Snapshot) Blobs(kind Kind) ([]*Blob, error) {
	var items []*item
	space := kind.namespace()
	s.names.Ascend(nameEntry{nameKey: nameKey{space: space}}, func(e nameEntry) bool {
		if e.space != space {
			return false
		}
		for _, it := range append([]*item{e.item}, e.rest...) {
			if it.Kind == kind {
				items = append(items, it)
			}
		}
		return true
	})
	return collect[*Blob](s, items)
}

// References lists the tables with a foreign key on a table, which need not
// exist, in order of their ids. Only those tables are decoded. When one of them
// cannot be read the error says so and the list is incomplete: the caller must
// not go on as if nothing referred to the table.
func (s *Snapshot) References(database, table string) ([]*Table, error) {
	var items []*item
	s.eachReference(database, table, func(it *item) {
		// A table whose database is gone cannot be reached, so it has no rows
		// that a change of its parent could betray.
		if it.Kind == KindTable && !errors.Is(it.cause, ErrOrphan) {
			items = append(items, it)
		}
	})
	return collect[*Table](s, items)
}

// Dependents lists all entries that name a table, of whatever kind: foreign
// keys' tables, triggers, and what other packages recorded in Blob.References.
func (s *Snapshot) Dependents(database, table string) []Header {
	var headers []Header
	s.eachReference(database, table, func(it *item) { headers = append(headers, it.Header) })
	return headers
}

func (s *Snapshot) eachReference(database, table string, visit func(*item)) {
	from := refEntry{fold(database), fold(table), &item{}}
	s.refs.Ascend(from, func(e refEntry) bool {
		if e.database != from.database || e.table != from.table {
			return false
		}
		visit(e.item)
		return true
	})
}

// parent returns the entry that holds it, nil at the top or if there is none.
func (s *Snapshot) parent(it *item) *item {
	if it.Parent == 0 {
		return nil
	}
	for _, kind := range it.Kind.info().parents {
		if p := s.item(kind, it.Parent); p != nil {
			return p
		}
	}
	return nil
}

// database returns the name of the database that an entry is in, "" for none.
func (s *Snapshot) database(it *item) string {
	if it.Kind == KindDatabase {
		return ""
	}
	for p := s.parent(it); p != nil; p = s.parent(p) {
		if p.Kind == KindDatabase {
			return p.Name
		}
	}
	return ""
}
