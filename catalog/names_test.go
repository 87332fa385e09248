package catalog

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// ST-009: dotted, quoted and blank-bearing names never meet, since nothing is
// found by concatenated names.
func TestST009DottedNames(t *testing.T) {
	store := newProbe(t)
	c, _, _ := open(t, store)
	change(t, c, func(txn *Txn) {
		a, ab := addDatabase(t, txn, "a"), addDatabase(t, txn, "a.b")
		first := newTable(txn, a, "b.c", 2)
		first.Columns[1].Name, first.Indexes[0].Name = "x.`y z", "i.`j k"
		require.NoError(t, txn.Put(first))
		addTable(t, txn, ab, "c")
	})
	for range 2 {
		s := c.Current()
		a, _ := s.DB("a")
		ab, _ := s.DB("a.b")
		require.Equal(t, []string{"b.c"}, a.TableNames())
		require.Equal(t, []string{"c"}, ab.TableNames())
		first, ok, err := a.Table("B.C")
		require.NoError(t, err)
		require.True(t, ok)
		require.Equal(t, "x.`y z", first.Columns[1].Name)
		_, ok, err = ab.Table("b.c")
		require.NoError(t, err)
		require.False(t, ok)
		c, _, _ = open(t, store)
	}
	change(t, c, func(txn *Txn) {
		ab, _ := txn.Snapshot().DB("a.b")
		for _, h := range ab.Children() {
			require.NoError(t, txn.Drop(h.Kind, h.ID))
		}
		require.NoError(t, txn.Drop(KindDatabase, ab.ID()))
	})
	a, _ := c.Current().DB("a")
	require.Equal(t, []string{"b.c"}, a.TableNames())
	mustVerify(t, c)
}

// ST-010: look-alike names, created, renamed and dropped in every order.
func TestST010LookAlikeNames(t *testing.T) {
	names := []string{"t", "t_x", "t_x_y"}
	for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		store := newProbe(t)
		c, _, _ := open(t, store)
		change(t, c, func(txn *Txn) { addDatabase(t, txn, "d") })
		ids := map[string]ID{}
		for _, i := range order {
			change(t, c, func(txn *Txn) {
				db, _ := txn.Snapshot().DB("d")
				table := newTable(txn, db.ID(), names[i], 2)
				for _, index := range []string{"x_y", "y"} {
					table.Indexes = append(table.Indexes, Index{Physical: txn.NewID(), Name: index, Parts: table.PK})
				}
				require.NoError(t, txn.Put(table))
				ids[names[i]] = table.ID
			})
		}
		// Rename in a circle over a free name, in one transaction.
		change(t, c, func(txn *Txn) {
			for _, move := range [][2]string{{"t", "tmp"}, {"t_x", "t"}, {"t_x_y", "t_x"}, {"tmp", "t_x_y"}} {
				db, _ := txn.Snapshot().DB("d")
				table, ok, err := db.Table(move[0])
				require.NoError(t, err)
				require.True(t, ok)
				renamed, err := Clone(table)
				require.NoError(t, err)
				renamed.Name = move[1]
				require.NoError(t, txn.Put(renamed))
			}
			require.Len(t, txn.Changes(), 3)
		})
		db, _ := c.Current().DB("d")
		for was, is := range map[string]string{"t_x": "t", "t_x_y": "t_x", "t": "t_x_y"} {
			table, ok, err := db.Table(is)
			require.NoError(t, err)
			require.True(t, ok)
			require.Equal(t, ids[was], table.ID)
			require.Len(t, table.Indexes, 3)
		}
		left := slices.Clone(names)
		for _, i := range order {
			change(t, c, func(txn *Txn) {
				db, _ := txn.Snapshot().DB("d")
				h, ok := db.Lookup(KindTable, names[i])
				require.True(t, ok)
				require.NoError(t, txn.Drop(h.Kind, h.ID))
			})
			left = slices.DeleteFunc(left, func(n string) bool { return n == names[i] })
			db, _ := c.Current().DB("d")
			require.ElementsMatch(t, left, db.TableNames())
		}
		mustVerify(t, c)
	}
}

// ST-011: look-ups ignore letter case, listings keep the declared spelling, and
// a name that differs in case only is taken.
func TestST011LetterCase(t *testing.T) {
	c, _, _ := open(t, newProbe(t))
	change(t, c, func(txn *Txn) {
		db := addDatabase(t, txn, "Db")
		addTable(t, txn, db, "Foo")
		addTable(t, txn, db, "ÄÖ")
		addTable(t, txn, db, "bar")
	})
	var exists *ExistsError
	err := tryChange(t, c, func(txn *Txn) error {
		db, _ := txn.Snapshot().DB("dB")
		return txn.Put(newTable(txn, db.ID(), "FOO", 1))
	})
	require.ErrorAs(t, err, &exists)
	require.Equal(t, ExistsError{Kind: KindTable, Name: "Foo"}, *exists)
	err = tryChange(t, c, func(txn *Txn) error {
		return txn.Put(&Database{Header: Header{ID: txn.NewID(), Name: "DB"}})
	})
	require.ErrorAs(t, err, &exists)

	db, _ := c.Current().DB("DB")
	require.Equal(t, "Db", db.Name())
	require.Equal(t, []string{"bar", "Foo", "ÄÖ"}, db.TableNames())
	for _, name := range []string{"fOO", "äö", "BAR"} {
		_, ok, err := db.Table(name)
		require.NoError(t, err)
		require.True(t, ok, name)
	}
	// A change of case alone is a rename.
	change(t, c, func(txn *Txn) {
		table, _, err := db.Table("foo")
		require.NoError(t, err)
		renamed, err := Clone(table)
		require.NoError(t, err)
		renamed.Name = "foo"
		require.NoError(t, txn.Put(renamed))
	})
	db, _ = c.Current().DB("DB")
	require.Equal(t, []string{"bar", "foo", "ÄÖ"}, db.TableNames())
}

// Tables, views and materialized views share one namespace; other kinds have
// one each.
func TestNamespaces(t *testing.T) {
	c, _, _ := open(t, newProbe(t))
	all := func(txn *Txn, db ID, name string) map[Kind]Object {
		h := func(kind Kind) Header { return Header{ID: txn.NewID(), Kind: kind, Parent: db, Name: name} }
		return map[Kind]Object{
			KindTable: newTable(txn, db, name, 1), KindView: &View{Header: h(KindView)},
			KindMaterializedView: &Blob{Header: h(KindMaterializedView)},
			KindTrigger:          &Trigger{Header: h(KindTrigger)}, KindEvent: &Event{Header: h(KindEvent)},
			KindProcedure: &Routine{Header: h(KindProcedure)}, KindFunction: &Routine{Header: h(KindFunction)},
		}
	}
	shared := map[Kind]bool{KindTable: true, KindView: true, KindMaterializedView: true}
	txn := c.Begin()
	defer txn.End()
	require.NoError(t, txn.Lock(t.Context()))
	db := addDatabase(t, txn, "d")
	clean := txn.Savepoint()
	for first := range all(txn, db, "x") {
		for second := range all(txn, db, "X") {
			txn.RollbackTo(clean)
			require.NoError(t, txn.Put(all(txn, db, "x")[first]))
			err := txn.Put(all(txn, db, "X")[second])
			if first == second || shared[first] && shared[second] {
				var exists *ExistsError
				require.ErrorAs(t, err, &exists, "%v then %v", first, second)
				require.Equal(t, first, exists.Kind)
			} else {
				require.NoError(t, err, "%v then %v", first, second)
			}
		}
	}
}

// ST-021 at this level: no bad name gets in, whatever the layer above let through.
func TestST021BadNames(t *testing.T) {
	c, _, _ := open(t, newProbe(t))
	txn := c.Begin()
	defer txn.End()
	require.NoError(t, txn.Lock(t.Context()))
	db := addDatabase(t, txn, "d")
	for name, reason := range map[string]NameReason{
		"":                       NameEmpty,
		strings.Repeat("ä", 65):  NameTooLong,
		"bad\xff":                NameNotUTF8,
		"nul\x00":                NameNotUTF8,
		"blank ":                 NameBlankEnd,
		strings.Repeat("ä", 64):  0,
		" leading and ` . inner": 0,
	} {
		err := txn.Put(newTable(txn, db, name, 1))
		if reason == 0 {
			require.NoError(t, err)
			continue
		}
		var bad *NameError
		require.ErrorAs(t, err, &bad, "%q", name)
		require.Equal(t, reason, bad.Reason)
	}
	require.Len(t, txn.Changes(), 3)
	var bad *NameError
	require.ErrorAs(t, txn.Put(&Blob{Header: Header{ID: txn.NewID(), Kind: KindVariable,
		Name: strings.Repeat("v", maxSystemNameBytes+1)}}), &bad)
	require.NoError(t, txn.Put(&Blob{Header: Header{ID: txn.NewID(), Kind: KindPrivileges}}), "one entry, no name")
}

func TestListingIsSorted(t *testing.T) {
	c, _, _ := open(t, newProbe(t))
	change(t, c, func(txn *Txn) {
		for i := range 50 {
			db := addDatabase(t, txn, fmt.Sprintf("d%d", (i*37)%50))
			addTable(t, txn, db, "t")
		}
	})
	var names []string
	for _, db := range c.Current().Databases() {
		names = append(names, db.Name())
	}
	require.Len(t, names, 50)
	require.True(t, slices.IsSorted(names))
}
