package catalog

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/vtab/kv"
)

// locked begins a transaction that holds the lock and ends with the test.
func locked(t *testing.T, c *Catalog) *Txn {
	t.Helper()
	txn := c.Begin()
	t.Cleanup(txn.End)
	require.NoError(t, txn.Lock(t.Context()))
	return txn
}

func TestSavepoints(t *testing.T) {
	c, _, _ := open(t, newProbe(t))
	txn := locked(t, c)
	empty := txn.Savepoint()
	db := addDatabase(t, txn, "d")
	one := txn.Savepoint()
	table := addTable(t, txn, db, "t")
	two := txn.Savepoint()
	require.NoError(t, txn.Drop(KindTable, table.ID))
	addTable(t, txn, db, "u")
	before := txn.Snapshot()

	txn.RollbackTo(two)
	d, _ := txn.Snapshot().DB("d")
	require.Equal(t, []string{"t"}, d.TableNames())
	require.Len(t, txn.Changes(), 2)
	d, _ = before.DB("d")
	require.Equal(t, []string{"u"}, d.TableNames(), "a snapshot that was handed out does not move")

	txn.RollbackTo(one)
	d, _ = txn.Snapshot().DB("d")
	require.Empty(t, d.TableNames())
	addTable(t, txn, db, "t")
	txn.RollbackTo(one) // a savepoint can be used again
	require.Len(t, txn.Changes(), 1)

	txn.RollbackTo(empty)
	require.False(t, txn.Changed())
	require.Same(t, c.Current(), txn.Snapshot())
	require.NoError(t, commit(t.Context(), c, txn))
	require.Equal(t, uint64(0), c.Current().Version(), "no change, no version")
}

// A savepoint from before the lock means "no changes", whatever the base became.
func TestSavepointBeforeLock(t *testing.T) {
	c, _, _ := open(t, newProbe(t))
	txn := c.Begin()
	defer txn.End()
	sp := txn.Savepoint()
	change(t, c, func(other *Txn) { addDatabase(t, other, "other") })
	require.NoError(t, txn.Lock(t.Context()))
	addDatabase(t, txn, "mine")
	txn.RollbackTo(sp)
	_, ok := txn.Snapshot().DB("other")
	require.True(t, ok)
	addDatabase(t, txn, "again")
	require.NoError(t, commit(t.Context(), c, txn))
	require.Len(t, c.Current().Databases(), 2)
	require.Panics(t, func() { c.Begin().RollbackTo(sp) })
}

// What is put back as it was is no change; an equal Put writes nothing.
func TestEqualPutWritesNothing(t *testing.T) {
	store := newProbe(t)
	c, _, _ := open(t, store)
	change(t, c, func(txn *Txn) { addTable(t, txn, addDatabase(t, txn, "d"), "t") })
	bytesBefore, batches := dump(t, store, kv.SpaceCatalog), len(store.batches)
	db, _ := c.Current().DB("d")
	table, _, err := db.Table("t")
	require.NoError(t, err)
	change(t, c, func(txn *Txn) {
		same, err := Clone(table)
		require.NoError(t, err)
		require.NoError(t, txn.Put(same))
		require.False(t, txn.Changed())
		same.Comment = "c"
		require.NoError(t, txn.Put(same))
		require.True(t, txn.Changed())
		same.Comment = ""
		require.NoError(t, txn.Put(same))
		require.False(t, txn.Changed(), "changed back")
		require.NoError(t, txn.Drop(KindTable, table.ID))
		require.NoError(t, txn.Put(same))
		require.False(t, txn.Changed(), "dropped and put back")
		require.Empty(t, txn.Changes())
	})
	require.Len(t, store.batches, batches)
	require.Equal(t, bytesBefore, dump(t, store, kv.SpaceCatalog))
	require.Equal(t, uint64(1), c.Current().Version())
}

// Moving an object changes its entry even though its definition stays.
func TestMoveIsAChange(t *testing.T) {
	store := newProbe(t)
	c, _, _ := open(t, store)
	view := &View{Header: Header{Name: "v"}, Select: "SELECT 1"}
	var to ID
	change(t, c, func(txn *Txn) {
		view.ID, view.Parent, to = txn.NewID(), addDatabase(t, txn, "from"), addDatabase(t, txn, "to")
		require.NoError(t, txn.Put(view))
	})
	change(t, c, func(txn *Txn) {
		view.Parent = to
		require.NoError(t, txn.Put(view))
	})
	for range 2 {
		from, _ := c.Current().DB("from")
		require.Empty(t, from.ViewNames())
		db, _ := c.Current().DB("to")
		require.Equal(t, []string{"v"}, db.ViewNames())
		_, ok, err := db.Table("v")
		require.NoError(t, err)
		require.False(t, ok, "a view is not a table")
		c, _, _ = open(t, store)
	}
	flip(t, store, entryKey(KindView, view.ID), -1)
	c, _, _ = open(t, store)
	db, _ := c.Current().DB("to")
	_, ok, err := db.Table("v")
	require.NoError(t, err)
	require.False(t, ok, "nor is a broken one")
}

func TestPutCopies(t *testing.T) {
	c, _, _ := open(t, newProbe(t))
	var table *Table
	change(t, c, func(txn *Txn) {
		table = addTable(t, txn, addDatabase(t, txn, "d"), "t")
		table.Comment, table.Columns[0].Name = "changed after Put", "changed"
	})
	db, _ := c.Current().DB("d")
	got, _, err := db.Table("t")
	require.NoError(t, err)
	require.Equal(t, "", got.Comment)
	require.Equal(t, "c0", got.Columns[0].Name)
	require.Equal(t, uint64(0), table.Version, "the caller's descriptor is left alone")
}

func TestChanges(t *testing.T) {
	c, _, _ := open(t, newProbe(t))
	var a, b, gone *Table
	change(t, c, func(txn *Txn) {
		d, e := addDatabase(t, txn, "d"), addDatabase(t, txn, "e")
		a, b, gone = addTable(t, txn, d, "a"), addTable(t, txn, d, "b"), addTable(t, txn, e, "gone")
	})
	txn := locked(t, c)
	e, _ := txn.Snapshot().DB("e")
	a.Name, a.Parent = "moved", e.ID()
	require.NoError(t, txn.Put(a))
	b.Comment = "1"
	require.NoError(t, txn.Put(b))
	b.Comment = "2"
	require.NoError(t, txn.Put(b))
	require.NoError(t, txn.Drop(KindTable, gone.ID))
	created := addTable(t, txn, e.ID(), "new")
	fleeting := addTable(t, txn, e.ID(), "fleeting")
	require.NoError(t, txn.Drop(KindTable, fleeting.ID))

	changes := txn.Changes()
	require.Len(t, changes, 4)
	moved, altered, dropped, added := changes[0], changes[1], changes[2], changes[3]
	require.Equal(t, []any{Altered, "moved", "e", "a", "d"},
		[]any{moved.Op, moved.Name, moved.Database, moved.OldName, moved.OldDatabase})
	require.Equal(t, Altered, altered.Op)
	require.Equal(t, "2", altered.New.(*Table).Comment)
	require.Equal(t, "", altered.Old.(*Table).Comment)
	require.Equal(t, []any{Dropped, gone.ID, "gone", "e"}, []any{dropped.Op, dropped.ID, dropped.Name, dropped.Database})
	require.Nil(t, dropped.New)
	require.Equal(t, []any{Created, created.ID, "new", uint64(2)}, []any{added.Op, added.ID, added.Name, added.Version})
	require.Nil(t, added.Old)
	require.Equal(t, added.Version, added.New.Head().Version)
}

func TestRefusedPuts(t *testing.T) {
	c, _, _ := open(t, newProbe(t))
	txn := locked(t, c)
	db := addDatabase(t, txn, "d")
	good := func(change func(*Table)) *Table {
		table := newTable(txn, db, "t", 2)
		change(table)
		return table
	}
	now := map[string]struct {
		object Object
		want   error
	}{
		"nil":              {(*Table)(nil), ErrInvalid},
		"no id":            {good(func(t *Table) { t.ID = 0 }), ErrInvalid},
		"no range":         {good(func(t *Table) { t.Physical = 0 }), ErrInvalid},
		"made-up id":       {good(func(t *Table) { t.Columns[0].ID = 1 << 30 }), ErrInvalid},
		"wrong kind":       {good(func(t *Table) { t.Kind = KindView }), ErrInvalid},
		"header only":      {&Header{ID: 1, Kind: KindTable}, ErrInvalid},
		"no parent":        {good(func(t *Table) { t.Parent = 0 }), ErrNoParent},
		"unknown parent":   {good(func(t *Table) { t.Parent = 999 }), ErrNoParent},
		"parent of a kind": {&Database{Header: Header{ID: txn.NewID(), Name: "x", Parent: db}}, ErrInvalid},
		"invalid text":     {good(func(t *Table) { t.Checks = []Check{{Name: "c", Expr: "a = '\xff'"}} }), ErrInvalid},
		"routine's kind":   {&Routine{Header: Header{ID: txn.NewID(), Parent: db, Name: "r"}}, ErrInvalid},
		"unknown kind":     {&Blob{Header: Header{ID: txn.NewID(), Kind: 99}}, ErrInvalid},
	}
	for name, try := range now {
		require.ErrorIs(t, txn.Put(try.object), try.want, name)
	}
	require.ErrorIs(t, txn.Drop(KindTable, 999), ErrNoSuchObject)
	require.Len(t, txn.Changes(), 1)

	atFlush := map[string]func(*Table){
		"column id twice":  func(t *Table) { t.Columns[1].ID = t.Columns[0].ID },
		"column name":      func(t *Table) { t.Columns[1].Name = "C0" },
		"key part":         func(t *Table) { t.PK = []Part{{Column: t.ID}} },
		"index part":       func(t *Table) { t.Indexes[0].Parts[0].Column = t.ID },
		"range twice":      func(t *Table) { t.Indexes[0].Physical = t.Physical },
		"index name twice": func(t *Table) { t.Indexes = append(t.Indexes, Index{Physical: t.ID, Name: "X"}) },
		"foreign column":   func(t *Table) { t.Foreign = []FK{{Columns: []string{"q"}, ParentDatabase: "d", ParentTable: "p"}} },
		"foreign parent":   func(t *Table) { t.Foreign = []FK{{Columns: []string{"c0"}}} },
	}
	sp := txn.Savepoint()
	for name, spoil := range atFlush {
		txn.RollbackTo(sp)
		require.NoError(t, txn.Put(good(spoil)), name)
		require.ErrorIs(t, commit(t.Context(), c, txn), ErrInvalid, name)
	}
	txn.RollbackTo(sp)
	require.NoError(t, commit(t.Context(), c, txn))
}

// Flush checks containment, so a database and what it holds go in any order.
func TestDropOfContainers(t *testing.T) {
	c, _, _ := open(t, newProbe(t))
	var db ID
	var table *Table
	change(t, c, func(txn *Txn) {
		db = addDatabase(t, txn, "d")
		table = addTable(t, txn, db, "t")
		require.NoError(t, txn.Put(&Blob{Header: Header{ID: txn.NewID(), Kind: KindStatistics, Parent: table.ID}}))
	})
	require.ErrorIs(t, tryChange(t, c, func(txn *Txn) error { return txn.Drop(KindDatabase, db) }), ErrNotEmpty)
	require.ErrorIs(t, tryChange(t, c, func(txn *Txn) error { return txn.Drop(KindTable, table.ID) }), ErrNotEmpty)
	change(t, c, func(txn *Txn) {
		require.NoError(t, txn.Drop(KindDatabase, db))
		require.NoError(t, txn.Drop(KindTable, table.ID))
		require.ErrorIs(t, txn.Put(table), ErrNoParent, "its database is gone")
		for _, h := range txn.Snapshot().Children(table.ID) {
			require.NoError(t, txn.Drop(h.Kind, h.ID))
		}
	})
	require.Zero(t, c.Current().Len())
}

// A second Flush after a rollback to a savepoint puts entries back.
func TestFlushAgain(t *testing.T) {
	store := newProbe(t)
	c, _, _ := open(t, store)
	change(t, c, func(txn *Txn) { addTable(t, txn, addDatabase(t, txn, "d"), "t") })
	want := dump(t, store, kv.SpaceCatalog)
	change(t, c, func(txn *Txn) {
		sp := txn.Savepoint()
		db, _ := txn.Snapshot().DB("d")
		h, _ := db.Lookup(KindTable, "t")
		require.NoError(t, txn.Drop(KindTable, h.ID))
		addTable(t, txn, db.ID(), "u")
		batch, err := store.Begin(t.Context())
		require.NoError(t, err)
		require.NoError(t, txn.Flush(batch))
		txn.RollbackTo(sp)
		require.NoError(t, txn.Flush(batch))
		_, err = batch.Commit(t.Context(), kv.CommitOptions{Published: func(kv.Position) { txn.Publish() }})
		require.NoError(t, err)
	})
	require.Equal(t, want, dump(t, store, kv.SpaceCatalog))
	mustVerify(t, c)
}

func TestReferences(t *testing.T) {
	store := newProbe(t)
	c, _, _ := open(t, store)
	var child *Table
	change(t, c, func(txn *Txn) {
		d, e := addDatabase(t, txn, "d"), addDatabase(t, txn, "e")
		addTable(t, txn, d, "parent")
		self := newTable(txn, d, "self", 2)
		self.Foreign = []FK{{Name: "s", Columns: []string{"c1"}, ParentDatabase: "d", ParentTable: "self"}}
		require.NoError(t, txn.Put(self))
		child = newTable(txn, e, "child", 2)
		child.Foreign = []FK{
			{Name: "1", Columns: []string{"c0"}, ParentDatabase: "D", ParentTable: "Parent"},
			{Name: "2", Columns: []string{"c1"}, ParentDatabase: "d", ParentTable: "PARENT"},
			{Name: "3", Columns: []string{"c1"}, ParentDatabase: "d", ParentTable: "later"},
		}
		require.NoError(t, txn.Put(child))
		require.NoError(t, txn.Put(&Trigger{Header: Header{ID: txn.NewID(), Parent: d, Name: "tr"},
			Table: TableRef{Database: "d", Table: "parent"}}))
	})
	names := func(c *Catalog, database, table string) (names []string) {
		children, err := c.Current().References(database, table)
		require.NoError(t, err)
		for _, child := range children {
			names = append(names, child.Name)
		}
		return names
	}
	for range 2 {
		require.Equal(t, []string{"child"}, names(c, "d", "parent"), "one entry, though two keys refer to it")
		require.Equal(t, []string{"child"}, names(c, "d", "LATER"), "the parent need not exist")
		require.Equal(t, []string{"self"}, names(c, "d", "self"))
		require.Empty(t, names(c, "e", "parent"))
		require.Len(t, c.Current().Dependents("d", "parent"), 2)
		c, _, _ = open(t, store)
	}
	require.Zero(t, c.Metrics().Decodes, "opening decodes no body")
	require.Len(t, names(c, "d", "parent"), 1)
	require.Equal(t, uint64(1), c.Metrics().Decodes)
	change(t, c, func(txn *Txn) {
		child.Foreign = child.Foreign[2:]
		require.NoError(t, txn.Put(child))
	})
	require.Empty(t, names(c, "d", "parent"))
	require.Len(t, names(c, "d", "later"), 1)
}

func TestTriggersInCreationOrder(t *testing.T) {
	c, _, _ := open(t, newProbe(t))
	change(t, c, func(txn *Txn) {
		d := addDatabase(t, txn, "d")
		for i, name := range []string{"z", "a", "m"} {
			require.NoError(t, txn.Put(&Trigger{Header: Header{ID: txn.NewID(), Parent: d, Name: name}, Ordinal: uint64(i)}))
		}
	})
	db, _ := c.Current().DB("d")
	triggers, err := db.Triggers()
	require.NoError(t, err)
	require.Equal(t, []string{"z", "a", "m"}, []string{triggers[0].Name, triggers[1].Name, triggers[2].Name})
}
