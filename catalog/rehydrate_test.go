package catalog

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/vtab/kv"
)

var discardLog = slog.New(slog.DiscardHandler)

// tenTables makes a store with one database of ten tables and returns the table
// to damage.
func tenTables(t *testing.T) (*probe, *Table) {
	store := newProbe(t)
	c, _, _ := open(t, store)
	var victim *Table
	change(t, c, func(txn *Txn) {
		db := addDatabase(t, txn, "d")
		for _, name := range strings.Fields("a b c e f g h i j") {
			addTable(t, txn, db, name)
		}
		victim = newTable(txn, db, "Victim", 2)
		victim.Foreign = []FK{{Columns: []string{"c0"}, ParentDatabase: "d", ParentTable: "a"}}
		require.NoError(t, txn.Put(victim))
	})
	require.NoError(t, c.Close(t.Context()))
	return store, victim
}

// flip inverts the byte at a position of a stored value (negative: from the end).
func flip(t *testing.T, store kv.Store, key []byte, at int) []byte {
	value, ok := get(t, store, key)
	require.True(t, ok)
	if at < 0 {
		at += len(value)
	}
	value[at] ^= 0xff
	plant(t, store, key, value)
	return value
}

// ST-023, ST-024: one damaged entry is reported, kept, reserves its name, and
// can be dropped; the other nine work.
func TestST023And024CorruptEntry(t *testing.T) {
	for name, at := range map[string]int{"version": 0, "head": 20, "body": 200, "tail": -10, "end": -1} {
		t.Run(name, func(t *testing.T) {
			store, victim := tenTables(t)
			key := entryKey(KindTable, victim.ID)
			damaged := flip(t, store, key, at)

			c, result, log := open(t, store)
			require.Len(t, result.Errors, 1)
			e := result.Errors[0]
			require.Equal(t, []any{KindTable, victim.ID, "d", "Victim", key},
				[]any{e.Kind, e.ID, e.Database, e.Name, e.Key})
			require.NotEmpty(t, e.Reason)
			require.Equal(t, result.Errors, c.Errors())
			require.Contains(t, log.String(), "Victim")
			require.Equal(t, 9, result.Counts[KindTable])

			db, _ := c.Current().DB("d")
			require.Len(t, db.TableNames(), 10, "the name stays listed")
			for _, name := range db.TableNames() {
				table, ok, err := db.Table(name)
				require.True(t, ok)
				if name != "Victim" {
					require.NoError(t, err)
					continue
				}
				var broken *BrokenEntryError
				require.ErrorAs(t, err, &broken)
				require.Nil(t, table)
				require.Contains(t, err.Error(), "DROP TABLE `d`.`Victim`")
				require.Equal(t, []ID{victim.Physical, victim.Indexes[0].Physical}, broken.Physical)
			}
			var exists *ExistsError
			require.ErrorAs(t, tryChange(t, c, func(txn *Txn) error {
				return txn.Put(newTable(txn, db.ID(), "victim", 1))
			}), &exists)
			require.True(t, exists.Broken)
			_, err := c.Current().References("d", "a")
			var broken *BrokenEntryError
			require.ErrorAs(t, err, &broken, "a foreign key that cannot be read is not taken for none")

			// Another DDL statement leaves the bytes alone.
			change(t, c, func(txn *Txn) { addTable(t, txn, db.ID(), "other") })
			value, _ := get(t, store, key)
			require.Equal(t, damaged, value)

			problems, err := c.Verify(t.Context())
			require.NoError(t, err)
			require.Len(t, problems, 1)
			require.Contains(t, problems[0].String(), "Victim")

			change(t, c, func(txn *Txn) { require.NoError(t, txn.Drop(broken.Kind, broken.ID)) })
			require.Empty(t, c.Errors())
			change(t, c, func(txn *Txn) { addTable(t, txn, db.ID(), "victim") })
			_, result, _ = open(t, store)
			require.Empty(t, result.Errors)
			mustVerify(t, c)
		})
	}
}

// A broken entry can be replaced too, which repairs it.
func TestBrokenEntryIsReplaced(t *testing.T) {
	store, victim := tenTables(t)
	flip(t, store, entryKey(KindTable, victim.ID), -1)
	c, _, _ := open(t, store)
	change(t, c, func(txn *Txn) {
		require.NoError(t, txn.Put(victim))
		require.Len(t, txn.Changes(), 1)
		require.Nil(t, txn.Changes()[0].Old)
	})
	require.Empty(t, c.Errors())
	mustVerify(t, c)
}

// ST-025: the same rule for an entry of every kind, an unknown kind and an
// unknown record version.
func TestST025EveryKindOfBadEntry(t *testing.T) {
	for _, o := range objects() {
		t.Run(o.Head().Kind.String(), func(t *testing.T) {
			store := newProbe(t)
			c, _, _ := open(t, store)
			c.next.Store(100)
			change(t, c, func(txn *Txn) {
				for _, each := range objects() {
					require.NoError(t, txn.Put(each))
				}
			})
			require.NoError(t, c.Close(t.Context()))
			h := o.Head()
			key := entryKey(h.Kind, h.ID)
			damaged := flip(t, store, key, 60)
			c, result, log := open(t, store)
			require.Len(t, result.Errors, 1)
			require.Equal(t, h.Kind, result.Errors[0].Kind)
			require.Contains(t, log.String(), h.Kind.String())
			_, ok, err := c.Current().ByID(h.Kind, h.ID)
			require.True(t, ok)
			var broken *BrokenEntryError
			require.ErrorAs(t, err, &broken)
			require.Contains(t, err.Error(), h.Kind.String())
			for _, other := range objects() {
				if other.Head().ID != h.ID {
					_, ok, err := c.Current().ByID(other.Head().Kind, other.Head().ID)
					require.True(t, ok)
					require.NoError(t, err, "%v", other.Head().Kind)
				}
			}
			value, _ := get(t, store, key)
			require.Equal(t, damaged, value)
			change(t, c, func(txn *Txn) {
				require.NoError(t, txn.Put(o))
			})
			require.Empty(t, c.Errors())
			mustVerify(t, c)
		})
	}
}

func TestST025UnknownKindAndVersion(t *testing.T) {
	unknown := head{Header: Header{ID: 77, Kind: 99, Parent: 1, Name: "future"}, maxID: 77}
	for name, entry := range map[string]struct {
		key, value []byte
		want       error
		id         ID
	}{
		"unknown kind":           {entryKey(99, 77), encodeEntry(&unknown, []byte("?")), ErrUnknownKind, 77},
		"unknown kind and noise": {entryKey(98, 78), []byte("noise"), nil, 78},
		"unknown record version": {entryKey(KindTable, 79), []byte{9, 1, 2, 3}, ErrUnknownRecord, 79},
		"empty value":            {entryKey(KindTable, 80), []byte{}, ErrDamaged, 80},
		"unreadable key":         {[]byte{byte(kv.SpaceCatalog), byte(KindTable), 1}, []byte("?"), ErrBadKey, 0},
	} {
		t.Run(name, func(t *testing.T) {
			store, _ := tenTables(t)
			plant(t, store, entry.key, entry.value,
				kv.AppendPrefix(nil, kv.SpaceRow, 5000), []byte("row"))
			c, result, _ := open(t, store)
			require.Len(t, result.Errors, 1)
			require.Equal(t, entry.key, result.Errors[0].Key)
			if entry.want != nil {
				require.ErrorIs(t, result.Errors[0].Err, entry.want)
			}
			require.Equal(t, 10, result.Counts[KindTable])
			require.Empty(t, result.Swept, "the entry may own what nothing names")
			require.Equal(t, 1, result.Kept)
			require.NotEmpty(t, result.SweepHeldBy)
			value, ok := get(t, store, entry.key)
			require.True(t, ok)
			require.Equal(t, entry.value, value)
			problems, err := c.Verify(t.Context())
			require.NoError(t, err)
			require.NotEmpty(t, problems)
			if entry.id == 0 {
				return
			}
			change(t, c, func(txn *Txn) { require.NoError(t, txn.Drop(Kind(entry.key[1]), entry.id)) })
			require.Empty(t, c.Errors())
			_, result, _ = open(t, store)
			require.Empty(t, result.Errors)
			require.Equal(t, []SweptRange{{Space: kv.SpaceRow, ID: 5000}}, result.Swept)
		})
	}
}

// A database whose identity is lost still holds tables that can be read.
func TestDatabaseWithoutIdentity(t *testing.T) {
	store, _ := tenTables(t)
	key := entryKey(KindDatabase, 1)
	plant(t, store, key, []byte("noise"))
	c, result, _ := open(t, store)
	require.Len(t, result.Errors, 1)
	db, ok := c.Current().DB("#1")
	require.True(t, ok)
	require.Error(t, db.Err())
	require.Equal(t, "", db.Desc().Collation)
	_, ok, err := db.Table("a")
	require.NoError(t, err)
	require.True(t, ok)
	var broken *BrokenEntryError
	require.ErrorAs(t, tryChange(t, c, func(txn *Txn) error {
		return txn.Put(newTable(txn, db.ID(), "new", 1))
	}), &broken, "nothing new goes into it")
	change(t, c, func(txn *Txn) {
		for _, h := range db.Children() {
			require.NoError(t, txn.Drop(h.Kind, h.ID))
		}
		require.NoError(t, txn.Drop(KindDatabase, db.ID()))
	})
	require.Zero(t, c.Current().Len())
}

func TestOrphansAndDuplicates(t *testing.T) {
	store, victim := tenTables(t)
	plantEntry := func(o Object) {
		it, err := newItem(o, 1, testWork())
		require.NoError(t, err)
		plant(t, store, entryKey(it.Kind, it.ID), it.value)
	}
	orphan := &View{Header: Header{ID: 900, Kind: KindView, Parent: 899, Name: "orphan"}}
	plantEntry(orphan)
	twin := fullTable()
	twin.ID, twin.Physical, twin.Name, twin.Parent = 901, victim.Physical, "VICTIM", 1
	plantEntry(twin)
	thief := fullTable()
	thief.ID, thief.Physical, thief.Name, thief.Parent = 902, victim.Physical, "thief", 1
	plantEntry(thief)

	lost := &Table{Header: Header{ID: 903, Kind: KindTable, Parent: 899, Name: "lost"}, Physical: 904,
		Foreign: []FK{{ParentDatabase: "d", ParentTable: "b"}}}
	plantEntry(lost)

	c, result, _ := open(t, store)
	require.Len(t, result.Errors, 4)
	require.ErrorIs(t, result.Errors[0].Err, ErrOrphan)
	require.ErrorIs(t, result.Errors[1].Err, ErrDuplicateName)
	require.ErrorIs(t, result.Errors[2].Err, ErrDuplicateRange)
	require.ErrorIs(t, result.Errors[3].Err, ErrOrphan)
	children, err := c.Current().References("d", "b")
	require.NoError(t, err, "a child that nobody can reach does not hold up its parent")
	require.Empty(t, children)

	db, _ := c.Current().DB("d")
	table, _, err := db.Table("victim")
	require.NoError(t, err)
	require.Equal(t, victim.ID, table.ID, "the older one stays")
	_, _, err = db.Table("thief")
	var broken *BrokenEntryError
	require.ErrorAs(t, err, &broken)
	require.NotContains(t, broken.Physical, victim.Physical, "dropping it must not take the other's rows along")

	problems, err := c.Verify(t.Context())
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(problems), 3)

	// Once the first holder of the name is gone the second has it, and goes next.
	change(t, c, func(txn *Txn) {
		require.NoError(t, txn.Drop(KindTable, victim.ID))
		db, _ := txn.Snapshot().DB("d")
		h, ok := db.Lookup(KindTable, "victim")
		require.True(t, ok)
		require.Equal(t, ID(901), h.ID)
		var exists *ExistsError
		require.ErrorAs(t, txn.Put(newTable(txn, 1, "victim", 1)), &exists)
		for _, id := range []ID{901, 902, lost.ID} {
			require.NoError(t, txn.Drop(KindTable, id))
		}
		require.NoError(t, txn.Drop(KindView, orphan.ID))
		addTable(t, txn, 1, "victim")
	})
	require.Empty(t, c.Errors())
	mustVerify(t, c)
}

// Any number of entries with one name stand in line for it.
func TestNameWithManyHolders(t *testing.T) {
	store, victim := tenTables(t)
	for id := ID(900); id < 904; id++ {
		twin := fullTable()
		twin.ID, twin.Physical, twin.Indexes, twin.Name, twin.Parent = id, id+100, nil, "victim", 1
		it, err := newItem(twin, 1, testWork())
		require.NoError(t, err)
		plant(t, store, entryKey(it.Kind, it.ID), it.value)
	}
	c, result, _ := open(t, store)
	require.Len(t, result.Errors, 4)
	db, _ := c.Current().DB("d")
	require.Len(t, db.TableNames(), 14)
	require.Len(t, db.Children(), 14)
	for _, id := range []ID{901, victim.ID, 900, 903, 902} { // not in line
		change(t, c, func(txn *Txn) { require.NoError(t, txn.Drop(KindTable, id)) })
	}
	require.Empty(t, c.Errors())
	change(t, c, func(txn *Txn) { addTable(t, txn, 1, "victim") })
	mustVerify(t, c)
}

// An entry whose bytes are sound and whose definition is not is found when it
// is asked for, and listed from then on.
func TestUndecodableBodyIsReportedAtUse(t *testing.T) {
	store, victim := tenTables(t)
	h := head{Header: victim.Header, physical: physicalIDs(victim), maxID: maxID(victim)}
	plant(t, store, entryKey(KindTable, victim.ID), encodeEntry(&h, []byte(`{"future":1}`)))
	c, result, log := open(t, store)
	require.Empty(t, result.Errors)
	db, _ := c.Current().DB("d")
	_, ok, err := db.Table("victim")
	require.True(t, ok)
	var broken *BrokenEntryError
	require.ErrorAs(t, err, &broken)
	require.Len(t, c.Errors(), 1)
	require.Contains(t, log.String(), "Victim")
}

func TestDamagedCounters(t *testing.T) {
	for name, planted := range map[string][]byte{"noise": []byte("?"), "lost": nil} {
		t.Run(name, func(t *testing.T) {
			store, _ := tenTables(t)
			plant(t, store, kv.MetaCatalogVersion, planted, kv.MetaNextID, planted)
			c, result, _ := open(t, store)
			require.Len(t, result.Errors, 2)
			require.ErrorIs(t, result.Errors[0].Err, ErrMeta)
			require.Equal(t, 10, result.Counts[KindTable])
			version, _ := get(t, store, kv.MetaCatalogVersion)
			require.Equal(t, EncodeVersion(c.Current().Version()), version, "memory and store agree again")
			change(t, c, func(txn *Txn) {
				require.Greater(t, txn.NewID(), ID(idGap))
				addDatabase(t, txn, "e")
			})
			mustVerify(t, c)
			_, result, _ = open(t, store)
			require.Empty(t, result.Errors)
		})
	}
}

// One entry with an absurd id does not use up the ids, nor is its id given out.
func TestStrayHighID(t *testing.T) {
	store, _ := tenTables(t)
	high := &Database{Header: Header{ID: 1<<32 - 1, Kind: KindDatabase, Name: "high"}}
	near := &Database{Header: Header{ID: 70, Kind: KindDatabase, Name: "near"}}
	for _, o := range []Object{high, near} {
		it, err := newItem(o, 1, testWork())
		require.NoError(t, err)
		plant(t, store, entryKey(it.Kind, it.ID), it.value)
	}
	c, result, _ := open(t, store)
	require.Empty(t, result.Errors)
	txn := c.Begin()
	for range 100 {
		id := txn.NewID()
		require.NotZero(t, id)
		require.NotEqual(t, ID(70), id)
		require.Less(t, id, ID(1000))
	}
}
