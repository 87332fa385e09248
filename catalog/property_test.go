package catalog

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/freshetdb/freshet/vtab/kv"
)

// modelObject is what the model knows of one object.
type modelObject struct {
	kind    Kind
	parent  ID
	name    string
	comment string
	refs    []string // "db.table", folded
}

type modelState map[ID]modelObject

// machine runs a random history against a plain map.
type machine struct {
	t     *testing.T
	store *probe
	c     *Catalog
	txn   *Txn

	committed modelState
	pending   modelState // while txn is not nil
	marks     []Savepoint
	marked    []modelState
	lastID    ID
	clean     bool
}

var (
	propertyNames = []string{"a", "A", "b", "a.b", "t_x", "T_X", "ä", "Ä"}
	propertyKinds = []Kind{KindTable, KindTable, KindView, KindTrigger, KindProcedure, KindFunction, KindEvent, KindMaterializedView}
)

// TestCatalogAgainstModel: whatever is put, dropped, rolled back, committed,
// closed and killed, the catalog shows what a map would.
func TestCatalogAgainstModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m := &machine{t: t, store: newProbe(t), committed: modelState{}, clean: true}
		m.c, _, _ = open(t, m.store)
		// With a database from the start more of the history is about its contents.
		m.begin()
		m.apply(rt, m.newID(rt), modelObject{kind: KindDatabase, name: "d", comment: "1"})
		m.commit(rt)
		rt.Repeat(map[string]func(*rapid.T){
			"put":       m.put,
			"alter":     m.alter,
			"drop":      m.drop,
			"savepoint": m.savepoint,
			"rollback":  m.rollbackTo,
			"commit":    m.commit,
			"abort":     m.abort,
			"fail":      m.failingCommit,
			"reopen":    m.reopen,
			"":          m.check,
		})
	})
}

func (m *machine) begin() {
	if m.txn == nil {
		m.txn = m.c.Begin()
		require.NoError(m.t, m.txn.Lock(m.t.Context()))
		m.pending = maps.Clone(m.committed)
	}
}

func (m *machine) end() {
	m.txn.End()
	m.txn, m.pending, m.marks, m.marked = nil, nil, nil, nil
}

func (m *machine) newID(rt *rapid.T) ID {
	id := m.txn.NewID()
	if id <= m.lastID {
		rt.Fatalf("id %d after %d", id, m.lastID)
	}
	m.lastID = id
	return id
}

func pick(rt *rapid.T, s modelState, kinds ...Kind) (ID, bool) {
	var ids []ID
	for id, o := range s {
		if len(kinds) == 0 || slices.Contains(kinds, o.kind) {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return 0, false
	}
	slices.Sort(ids)
	return rapid.SampledFrom(ids).Draw(rt, "id"), true
}

// build makes the descriptor that stands for a model object.
func (m *machine) build(rt *rapid.T, id ID, o modelObject) Object {
	h := Header{ID: id, Kind: o.kind, Parent: o.parent, Name: o.name}
	switch o.kind {
	case KindDatabase:
		return &Database{Header: h, Collation: o.comment}
	case KindTable:
		table := &Table{Header: h, Physical: m.newID(rt), Comment: o.comment,
			Columns: []Column{{ID: m.newID(rt), Name: "c"}}}
		for _, ref := range o.refs {
			table.Foreign = append(table.Foreign, FK{Columns: []string{"C"}, ParentDatabase: "P", ParentTable: ref})
		}
		return table
	case KindView:
		return &View{Header: h, Select: o.comment}
	case KindTrigger:
		return &Trigger{Header: h, Statement: o.comment}
	case KindProcedure, KindFunction:
		return &Routine{Header: h, Statement: o.comment}
	case KindEvent:
		return &Event{Header: h, Body: []byte(o.comment)}
	}
	return &Blob{Header: h, Body: []byte(o.comment), Physical: []ID{m.newID(rt)}}
}

func (m *machine) taken(id ID, o modelObject) bool {
	for other, x := range m.pending {
		if other != id && x.kind.namespace() == o.kind.namespace() && x.parent == o.parent && fold(x.name) == fold(o.name) {
			return true
		}
	}
	return false
}

func (m *machine) apply(rt *rapid.T, id ID, o modelObject) {
	err := m.txn.Put(m.build(rt, id, o))
	if m.taken(id, o) {
		var exists *ExistsError
		require.ErrorAs(rt, err, &exists)
		return
	}
	require.NoError(rt, err)
	m.pending[id] = o
}

func (m *machine) put(rt *rapid.T) {
	m.begin()
	o := modelObject{kind: KindDatabase, name: rapid.SampledFrom(propertyNames).Draw(rt, "name"), comment: "1"}
	if db, ok := pick(rt, m.pending, KindDatabase); ok && rapid.IntRange(0, 3).Draw(rt, "what") > 0 {
		o.kind, o.parent = rapid.SampledFrom(propertyKinds).Draw(rt, "kind"), db
		if o.kind == KindTable {
			o.refs = rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"x", "y", "z"}), 0, 3, rapid.ID).Draw(rt, "refs")
		}
	}
	m.apply(rt, m.newID(rt), o)
}

func (m *machine) alter(rt *rapid.T) {
	m.begin()
	id, ok := pick(rt, m.pending)
	if !ok {
		return
	}
	o := m.pending[id]
	switch rapid.IntRange(0, 2).Draw(rt, "what") {
	case 0:
		o.name = rapid.SampledFrom(propertyNames).Draw(rt, "name")
	case 1:
		o.comment = rapid.SampledFrom([]string{"1", "2", "3"}).Draw(rt, "comment")
	case 2:
		if o.parent != 0 {
			o.parent, _ = pick(rt, m.pending, KindDatabase)
		}
		o.refs = nil
	}
	m.apply(rt, id, o)
}

func (m *machine) drop(rt *rapid.T) {
	m.begin()
	id, ok := pick(rt, m.pending)
	if !ok {
		return
	}
	for child, o := range m.pending {
		if o.parent == id {
			require.NoError(rt, m.txn.Drop(o.kind, child))
			delete(m.pending, child)
		}
	}
	require.NoError(rt, m.txn.Drop(m.pending[id].kind, id))
	delete(m.pending, id)
}

func (m *machine) savepoint(*rapid.T) {
	m.begin()
	m.marks, m.marked = append(m.marks, m.txn.Savepoint()), append(m.marked, maps.Clone(m.pending))
}

func (m *machine) rollbackTo(rt *rapid.T) {
	if len(m.marks) == 0 {
		return
	}
	i := rapid.IntRange(0, len(m.marks)-1).Draw(rt, "mark")
	m.txn.RollbackTo(m.marks[i])
	m.pending = maps.Clone(m.marked[i])
	m.marks, m.marked = m.marks[:i+1], m.marked[:i+1]
}

func (m *machine) commit(rt *rapid.T) {
	m.begin()
	want := m.c.Current().Version()
	if m.txn.Changed() {
		want++
	}
	m.checkChanges(rt)
	require.NoError(rt, commit(m.t.Context(), m.c, m.txn))
	require.Equal(rt, want, m.c.Current().Version())
	m.committed = m.pending
	m.end()
}

// checkChanges: the net effect that is announced leads from one state to the other.
func (m *machine) checkChanges(rt *rapid.T) {
	left := maps.Clone(m.committed)
	for _, c := range m.txn.Changes() {
		_, was := m.committed[c.ID]
		is, exists := m.pending[c.ID]
		require.Equal(rt, was, c.Op != Created, "%+v", c)
		require.Equal(rt, exists, c.Op != Dropped, "%+v", c)
		if exists {
			require.Equal(rt, is.name, c.Name)
			left[c.ID] = is
		} else {
			delete(left, c.ID)
		}
	}
	require.Equal(rt, m.pending, left)
}

func (m *machine) failingCommit(rt *rapid.T) {
	m.begin()
	before := m.c.Current()
	m.store.failCommit = true
	require.Error(rt, commit(m.t.Context(), m.c, m.txn))
	m.store.failCommit = false
	require.Same(rt, before, m.c.Current())
	m.end()
}

func (m *machine) abort(*rapid.T) {
	if m.txn != nil {
		m.end()
	}
}

func (m *machine) reopen(rt *rapid.T) {
	m.abort(rt)
	before := dump(m.t, m.store, kv.SpaceCatalog)
	clean := rapid.Bool().Draw(rt, "clean")
	if clean {
		require.NoError(rt, m.c.Close(m.t.Context()))
	}
	var result *RehydrationResult
	m.c, result, _ = open(m.t, m.store)
	require.Empty(rt, result.Errors)
	require.Empty(rt, result.Swept)
	require.Equal(rt, before, dump(m.t, m.store, kv.SpaceCatalog))
	// Ids of what never committed are not remembered over a kill.
	m.lastID = 0
	for id := range m.committed {
		m.lastID = max(m.lastID, id)
	}
}

func (m *machine) check(rt *rapid.T) {
	s := m.c.Current()
	if m.txn != nil {
		m.checkSnapshot(rt, m.txn.Snapshot(), m.pending)
	}
	m.checkSnapshot(rt, s, m.committed)
	problems, err := m.c.Verify(m.t.Context())
	require.NoError(rt, err)
	require.Empty(rt, problems)
}

func (m *machine) checkSnapshot(rt *rapid.T, s *Snapshot, want modelState) {
	require.Equal(rt, len(want), s.Len())
	listed := 0
	for _, db := range s.Databases() {
		listed += 1 + len(db.Children())
	}
	require.Equal(rt, len(want), listed)
	children := map[string][]ID{}
	for id, o := range want {
		got, ok, err := s.ByID(o.kind, id)
		require.NoError(rt, err)
		require.True(rt, ok)
		require.Equal(rt, []any{id, o.kind, o.parent, o.name},
			[]any{got.Head().ID, got.Head().Kind, got.Head().Parent, got.Head().Name})
		require.Equal(rt, o.comment, commentOf(got))
		if o.kind != KindDatabase {
			db, ok := s.DBByID(o.parent)
			require.True(rt, ok)
			h, ok := db.Lookup(o.kind, fold(o.name))
			require.True(rt, ok)
			require.Equal(rt, id, h.ID)
		}
		for _, ref := range o.refs {
			children[ref] = append(children[ref], id)
		}
	}
	for _, ref := range []string{"x", "y", "z"} {
		tables, err := s.References("p", ref)
		require.NoError(rt, err)
		var ids []ID
		for _, table := range tables {
			ids = append(ids, table.ID)
		}
		slices.Sort(children[ref])
		require.Equal(rt, children[ref], ids)
	}
}

func commentOf(o Object) string {
	switch o := o.(type) {
	case *Database:
		return o.Collation
	case *Table:
		return o.Comment
	case *View:
		return o.Select
	case *Trigger:
		return o.Statement
	case *Routine:
		return o.Statement
	case *Event:
		return string(o.Body)
	case *Blob:
		return string(o.Body)
	}
	panic(fmt.Sprintf("no comment in %T", o))
}
