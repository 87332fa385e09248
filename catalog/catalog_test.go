package catalog

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/vtab/kv"
)

func TestCreateReopenDrop(t *testing.T) {
	store := newProbe(t)
	c, result, _ := open(t, store)
	require.False(t, result.Unclean, "a new store has no unclean past")
	require.Equal(t, uint64(0), c.Current().Version())

	var want *Table
	change(t, c, func(txn *Txn) {
		db := addDatabase(t, txn, "d")
		want = addTable(t, txn, db, "Foo")
	})
	require.Equal(t, uint64(1), c.Current().Version())
	require.NoError(t, c.Close(t.Context()))

	c, result, _ = open(t, store)
	require.False(t, result.Unclean)
	require.Empty(t, result.Errors)
	require.Equal(t, map[Kind]int{KindDatabase: 1, KindTable: 1}, result.Counts)
	db, ok := c.Current().DB("D")
	require.True(t, ok)
	got, ok, err := db.Table("fOO")
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, "Foo", got.Name)
	require.Equal(t, uint64(1), got.Version)
	require.Equal(t, want.Columns, got.Columns)
	require.Equal(t, want.Indexes, got.Indexes)
	mustVerify(t, c)

	change(t, c, func(txn *Txn) {
		require.NoError(t, txn.Drop(KindTable, got.ID))
		require.NoError(t, txn.Drop(KindDatabase, db.ID()))
	})
	require.Empty(t, dump(t, store, kv.SpaceCatalog))
	require.Empty(t, c.Current().Databases())
	mustVerify(t, c)
}

// ST-018: all entries of a transaction travel in one batch, with the counters.
func TestST018OneBatch(t *testing.T) {
	store := newProbe(t)
	c, _, _ := open(t, store)
	change(t, c, func(txn *Txn) {
		db := addDatabase(t, txn, "d")
		for i := range 20 {
			addTable(t, txn, db, fmt.Sprintf("t%d", i))
		}
	})
	require.Len(t, store.batches, 1)
	require.Len(t, store.batches[0].puts, 21+2)
	require.Empty(t, store.batches[0].deletes)
}

// ST-019 at this level: a failed commit leaves catalog, names and lock as they were.
func TestST019FailedCommitLeavesNothing(t *testing.T) {
	store := newProbe(t)
	c, _, _ := open(t, store)
	before := c.Current()
	store.failCommit = true
	add := func(txn *Txn) error {
		return txn.Put(&Database{Header: Header{ID: txn.NewID(), Name: "d"}, Collation: "x"})
	}
	require.ErrorIs(t, tryChange(t, c, add), errPlanted)
	require.Same(t, before, c.Current())
	require.Empty(t, dump(t, store, kv.SpaceCatalog))
	store.failCommit = false
	require.NoError(t, tryChange(t, c, add))
	db, ok := c.Current().DB("d")
	require.True(t, ok)
	require.Equal(t, ID(2), db.ID(), "the id of the failed statement is not used again")
}

func TestVersionBelongsToSnapshot(t *testing.T) {
	c, _, _ := open(t, newProbe(t))
	for i := range 3 {
		change(t, c, func(txn *Txn) { addDatabase(t, txn, fmt.Sprintf("d%d", i)) })
		value, ok := get(t, c.store, kv.MetaCatalogVersion)
		require.True(t, ok)
		version, err := DecodeVersion(value)
		require.NoError(t, err)
		require.Equal(t, version, c.Current().Version())
	}
}

func TestLockWaitsAndRebases(t *testing.T) {
	c, _, _ := open(t, newProbe(t))
	first, second := c.Begin(), c.Begin()
	defer first.End()
	defer second.End()
	require.ErrorIs(t, first.Put(&Database{}), ErrNotLocked)
	require.ErrorIs(t, first.Drop(KindTable, 1), ErrNotLocked)
	require.NoError(t, first.Lock(t.Context()))
	require.NoError(t, first.Lock(t.Context()), "a second Lock is free")

	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, second.Lock(ctx), context.DeadlineExceeded)

	addDatabase(t, first, "d")
	locked := make(chan error, 1)
	go func() { locked <- second.Lock(t.Context()) }()
	require.NoError(t, commit(t.Context(), c, first))
	first.End()
	first.End()
	require.NoError(t, <-locked)
	_, ok := second.Snapshot().DB("d")
	require.True(t, ok, "the base moved to what was committed meanwhile")
	require.ErrorIs(t, first.Put(&Database{}), ErrEnded)
	require.ErrorIs(t, first.Lock(t.Context()), ErrEnded)
}

func TestPublishRefusesWhatWasNotWritten(t *testing.T) {
	c, _, _ := open(t, newProbe(t))
	txn := c.Begin()
	defer txn.End()
	txn.Publish() // nothing to publish
	require.NoError(t, txn.Lock(t.Context()))
	addDatabase(t, txn, "d")
	require.Panics(t, txn.Publish)
	batch, err := c.store.Begin(t.Context())
	require.NoError(t, err)
	require.NoError(t, txn.Flush(batch))
	addDatabase(t, txn, "e")
	require.Panics(t, txn.Publish, "changed after Flush")
	require.NoError(t, txn.Flush(batch))
	txn.Publish()
	require.Len(t, c.Current().Databases(), 2)
}

// Readers take no lock: they run beside a writer under the race detector.
func TestReadersBesideWriter(t *testing.T) {
	c, _, _ := open(t, newProbe(t))
	change(t, c, func(txn *Txn) { addTable(t, txn, addDatabase(t, txn, "d"), "t") })
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				s := c.Current()
				db, _ := s.DB("d")
				if table, ok, err := db.Table("t"); !ok || err != nil || len(table.Columns) == 0 {
					t.Errorf("table lost: %v %v", ok, err)
					return
				}
				for _, name := range db.TableNames() {
					if _, ok := db.Lookup(KindTable, name); !ok {
						t.Errorf("%s is listed and not found", name)
						return
					}
				}
			}
		})
	}
	for i := range 200 {
		change(t, c, func(txn *Txn) {
			db, _ := txn.Snapshot().DB("d")
			addTable(t, txn, db.ID(), fmt.Sprintf("u%d", i))
			if h, ok := db.Lookup(KindTable, fmt.Sprintf("u%d", i-3)); ok {
				require.NoError(t, txn.Drop(KindTable, h.ID))
			}
		})
	}
	close(stop)
	readers.Wait()
	mustVerify(t, c)
}

// ST-012: ids only grow, over drops, rollbacks and reopens.
func TestST012IDsOnlyGrow(t *testing.T) {
	store := newProbe(t)
	c, _, _ := open(t, store)
	change(t, c, func(txn *Txn) { addDatabase(t, txn, "d") })
	var last ID
	for round := range 1000 {
		change(t, c, func(txn *Txn) {
			db, _ := txn.Snapshot().DB("d")
			rolledBack := txn.Savepoint()
			addTable(t, txn, db.ID(), "t")
			txn.RollbackTo(rolledBack)
			table := addTable(t, txn, db.ID(), "t")
			require.Greater(t, table.ID, last)
			require.Greater(t, table.Columns[0].ID, last)
			last = max(table.Columns[1].ID, table.Indexes[0].Physical)
		})
		change(t, c, func(txn *Txn) {
			db, _ := txn.Snapshot().DB("d")
			h, ok := db.Lookup(KindTable, "T")
			require.True(t, ok)
			require.NoError(t, txn.Drop(KindTable, h.ID))
		})
		switch round % 10 {
		case 3: // killed
			c, _, _ = open(t, store)
		case 7:
			require.NoError(t, c.Close(t.Context()))
			c, _, _ = open(t, store)
		}
	}
}

func TestIDsRunOut(t *testing.T) {
	c, _, _ := open(t, newProbe(t))
	c.next.Store(maxNextID - 1)
	change(t, c, func(txn *Txn) { require.Equal(t, ID(1<<32-1), addDatabase(t, txn, "d")) })
	err := tryChange(t, c, func(txn *Txn) error {
		return txn.Put(&Database{Header: Header{ID: txn.NewID(), Name: "e"}})
	})
	require.ErrorIs(t, err, ErrNoMoreIDs)
	// What exists can still be changed.
	change(t, c, func(txn *Txn) {
		db, _ := txn.Snapshot().DB("d")
		desc, err := Clone(db.Desc())
		require.NoError(t, err)
		desc.Collation = "other"
		require.NoError(t, txn.Put(desc))
	})
}

// ST-029, ST-030 at this level.
func TestST029CloseCannotFlush(t *testing.T) {
	store := newProbe(t)
	c, _, _ := open(t, store)
	change(t, c, func(txn *Txn) { addDatabase(t, txn, "d") })
	store.failDurable = true
	require.ErrorIs(t, c.Close(t.Context()), errPlanted)
	_, ok := get(t, store, kv.MetaCleanShutdown)
	require.False(t, ok)
	store.failDurable = false
	c, result, _ := open(t, store)
	require.True(t, result.Unclean)
	_, ok = c.Current().DB("d")
	require.True(t, ok, "what was acknowledged is there")
}

func TestST030CloseTwiceAndLateWork(t *testing.T) {
	store := newProbe(t)
	c, _, _ := open(t, store)
	late := c.Begin()
	require.NoError(t, c.Close(t.Context()))
	writes := len(store.batches)
	require.NoError(t, c.Close(t.Context()))
	require.ErrorIs(t, late.Lock(t.Context()), ErrClosed)
	require.Len(t, store.batches, writes, "nothing reaches the store after Close")
	require.NotNil(t, c.Current(), "reading goes on")
}

func TestCloseWaitsForWriter(t *testing.T) {
	c, _, _ := open(t, newProbe(t))
	txn := c.Begin()
	require.NoError(t, txn.Lock(t.Context()))
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, c.Close(ctx), context.DeadlineExceeded)
	addDatabase(t, txn, "d")
	require.NoError(t, commit(t.Context(), c, txn), "a Close that gave up closed nothing")
	txn.End()
	require.NoError(t, c.Close(t.Context()))
}

func TestDerive(t *testing.T) {
	c, _, _ := open(t, newProbe(t))
	change(t, c, func(txn *Txn) { addTable(t, txn, addDatabase(t, txn, "d"), "t") })
	db, _ := c.Current().DB("d")
	table, _, err := db.Table("t")
	require.NoError(t, err)
	builds := 0
	build := func(of *Table) (any, error) { builds++; return of.Name + of.Comment, nil }

	_, err = table.Derive(func(*Table) (any, error) { return nil, errPlanted })
	require.ErrorIs(t, err, errPlanted)
	for range 3 {
		v, err := table.Derive(build)
		require.NoError(t, err)
		require.Equal(t, "t", v)
	}
	require.Equal(t, 1, builds, "built once, and a failure is not kept")

	copied := *table
	copied.Comment = "new"
	v, err := copied.Derive(build)
	require.NoError(t, err)
	require.Equal(t, "tnew", v, "a copy is not served what was derived from the original")

	change(t, c, func(txn *Txn) { require.NoError(t, txn.Put(&copied)) })
	db, _ = c.Current().DB("d")
	table, _, err = db.Table("t")
	require.NoError(t, err)
	v, err = table.Derive(build)
	require.NoError(t, err)
	require.Equal(t, "tnew", v)

	// Other changes leave descriptor and derived value alone.
	builds = 0
	change(t, c, func(txn *Txn) { addTable(t, txn, db.ID(), "u") })
	db, _ = c.Current().DB("d")
	again, _, err := db.Table("t")
	require.NoError(t, err)
	require.Same(t, table, again)
	_, err = again.Derive(build)
	require.NoError(t, err)
	require.Zero(t, builds)
}

func TestAbandonedChangesLeaveNothing(t *testing.T) {
	c, _, _ := open(t, newProbe(t))
	require.ErrorIs(t, tryChange(t, c, func(txn *Txn) error {
		addDatabase(t, txn, "d")
		return errPlanted
	}), errPlanted)
	require.Empty(t, c.Current().Databases())
	change(t, c, func(txn *Txn) { addDatabase(t, txn, "d") }) // the lock is free
}
