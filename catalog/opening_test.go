package catalog

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/vtab/kv"
)

// ST-026: opening a cleanly closed store is one synced delete, and any number of
// opens, clean or not, leave the catalog's bytes alone.
func TestST026OpenWritesOnlyTheMarker(t *testing.T) {
	store, _ := tenTables(t)
	want := dump(t, store, kv.SpaceCatalog)
	for round := range 6 {
		store.batches, store.drops = nil, 0
		c, result, _ := open(t, store)
		clean := round < 3
		require.Equal(t, !clean, result.Unclean)
		require.Zero(t, store.drops)
		if clean {
			require.Equal(t, []batch{{deletes: [][]byte{kv.MetaCleanShutdown}, synced: true}}, store.batches)
		} else {
			require.Empty(t, store.batches)
		}
		require.Equal(t, want, dump(t, store, kv.SpaceCatalog))
		if round < 2 {
			require.NoError(t, c.Close(t.Context()))
		}
	}
}

// ST-027: the marker is gone as soon as the store is open.
func TestST027MarkerIsSingleUse(t *testing.T) {
	store, _ := tenTables(t)
	_, ok := get(t, store, kv.MetaCleanShutdown)
	require.True(t, ok)
	c, result, _ := open(t, store)
	require.False(t, result.Unclean)
	_, ok = get(t, store, kv.MetaCleanShutdown)
	require.False(t, ok)
	store.failCommit = true
	require.Error(t, c.Close(t.Context()))
	store.failCommit = false
	_, result, _ = open(t, store)
	require.True(t, result.Unclean)
	_, result, _ = open(t, store)
	require.True(t, result.Unclean)
}

// A marker that cannot be deleted must not be believed: Open fails.
func TestMarkerThatCannotBeDeleted(t *testing.T) {
	store, _ := tenTables(t)
	store.failCommit = true
	_, _, err := Open(t.Context(), store, Options{})
	require.ErrorIs(t, err, errPlanted)
}

// ST-028: whatever is not a marker counts as none, is removed and logged.
func TestST028GarbageMarker(t *testing.T) {
	for name, value := range map[string][]byte{
		"empty": {}, "brace": []byte("{"), "array": []byte("[1]"), "null": []byte("null"),
		"unknown version": []byte(`{"version":2,"stale":[]}`), "unknown field": []byte(`{"version":1,"x":1}`),
		"negative id": []byte(`{"version":1,"stale":[-1]}`), "trailing": []byte(`{"version":1,"stale":[]}{}`),
		"noise": bytes.Repeat([]byte{0xa5}, 1<<20), "long": bytes.Repeat([]byte{' '}, 2<<20),
	} {
		t.Run(name, func(t *testing.T) {
			store, _ := tenTables(t)
			plant(t, store, kv.MetaCleanShutdown, value)
			_, result, log := open(t, store)
			require.True(t, result.Unclean)
			require.Nil(t, result.StaleAtClose)
			require.Contains(t, log.String(), "marker")
			_, ok := get(t, store, kv.MetaCleanShutdown)
			require.False(t, ok)
			require.Equal(t, 10, result.Counts[KindTable])
		})
	}
}

func TestStaleSetTravels(t *testing.T) {
	store := newProbe(t)
	c, _, err := Open(t.Context(), store, Options{Stale: func() []ID { return []ID{7, 9} }})
	require.NoError(t, err)
	change(t, c, func(txn *Txn) { addDatabase(t, txn, "d") })
	require.NoError(t, c.Close(t.Context()))
	_, result, _ := open(t, store)
	require.Equal(t, []ID{7, 9}, result.StaleAtClose)
	_, result, _ = open(t, store)
	require.Nil(t, result.StaleAtClose)
}

// ST-033: what no entry names is removed and counted; live ranges are untouched.
func TestST033OrphansAreSwept(t *testing.T) {
	store, victim := tenTables(t)
	spaces := []kv.Space{kv.SpaceRow, kv.SpaceIndex, kv.SpaceCount, kv.SpaceSequence}
	key := func(space kv.Space, id ID, tail string) []byte {
		return append(kv.AppendPrefix(nil, space, uint32(id)), tail...)
	}
	for _, space := range spaces {
		plant(t, store, key(space, victim.Physical, ""), []byte("live"), key(space, victim.Physical, "\xff\xff"), []byte("live"),
			key(space, victim.Indexes[0].Physical, "k"), []byte("live"))
	}
	plant(t, store, key(kv.SpaceSequence, victim.ID, ""), []byte("live"))
	// Other spaces are not the sweep's business.
	plant(t, store, key(kv.SpaceView, 4000, ""), []byte("state"), key(kv.SpaceLog, 4000, ""), []byte("log"))
	live := map[kv.Space]map[string]string{}
	all := append([]kv.Space{kv.SpaceCatalog, kv.SpaceView, kv.SpaceLog}, spaces...)
	for _, space := range all {
		live[space] = dump(t, store, space)
	}
	var want []SweptRange
	for _, space := range spaces {
		for _, id := range []ID{victim.Columns[0].ID, 4000, 4001, 1<<32 - 1} {
			plant(t, store, key(space, id, ""), []byte("x"), key(space, id, "more"), []byte("x"))
			want = append(want, SweptRange{Space: space, ID: id})
		}
	}
	c, result, log := open(t, store)
	require.Equal(t, want, result.Swept)
	require.Zero(t, result.Kept)
	require.Contains(t, log.String(), "4001")
	for _, space := range all {
		require.Equal(t, live[space], dump(t, store, space))
	}
	mustVerify(t, c)
	_, result, _ = open(t, store)
	require.Empty(t, result.Swept)
}

// While an entry may own anything, ranges nothing names are kept, and their ids
// are not given to new tables, even after a kill forgot that they were used.
func TestKeptRangesAreNotReused(t *testing.T) {
	store, victim := tenTables(t)
	key := entryKey(KindTable, victim.ID)
	next := binaryNext(t, store)
	for i := range uint64(3) {
		plant(t, store, kv.AppendPrefix(nil, kv.SpaceRow, uint32(next+i*2)), []byte("row of nobody"))
	}
	plant(t, store, key, []byte("noise"))
	c, result, _ := open(t, store)
	require.Equal(t, 3, result.Kept)
	require.Empty(t, result.Swept)
	txn := c.Begin()
	for range 10 {
		id := uint64(txn.NewID())
		require.False(t, id >= next && id <= next+4 && (id-next)%2 == 0, "id %d has rows", id)
	}
	// The drop of the entry cannot know its ranges; the next open finds them.
	change(t, c, func(txn *Txn) { require.NoError(t, txn.Drop(KindTable, victim.ID)) })
	_, result, _ = open(t, store)
	require.Len(t, result.Swept, 3)
}

func binaryNext(t *testing.T, store kv.Store) uint64 {
	value, ok := get(t, store, kv.MetaNextID)
	require.True(t, ok)
	next, err := decodeCounter("", value)
	require.NoError(t, err)
	return next
}

func TestStrayShortKeys(t *testing.T) {
	store, _ := tenTables(t)
	plant(t, store, []byte{byte(kv.SpaceRow)}, []byte("?"), []byte{byte(kv.SpaceIndex), 1, 2}, []byte("?"))
	c, result, _ := open(t, store)
	require.Empty(t, result.Swept)
	problems, err := c.Verify(t.Context())
	require.NoError(t, err)
	require.Len(t, problems, 2)
}
