package catalog

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/vtab/kv"
	"github.com/freshetdb/freshet/vtab/kv/pebblekv"
)

// ddlScript is a fixed history of definitions and rows by one client. It records
// what the catalog looks like after each commit, so that what a crash leaves can
// be told to be the state after one of them.
type ddlScript struct {
	states []string
	acked  atomic.Int64 // commits that returned
	begun  atomic.Int64 // commits that were begun
	// closing counts Closes that were begun, opened Opens that returned.
	closing, opened atomic.Int64
}

// rowsOf lists the key ranges that hold rows.
func rowsOf(t testing.TB, store kv.Store) []ID {
	seen := map[ID]bool{}
	for key := range dump(t, store, kv.SpaceRow) {
		seen[ID(key[1])<<24|ID(key[2])<<16|ID(key[3])<<8|ID(key[4])] = true
	}
	var ids []ID
	for id := range seen {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// rangesOf lists the rows' key ranges of all tables.
func rangesOf(t testing.TB, s *Snapshot) []ID {
	var ids []ID
	for _, db := range s.Databases() {
		for _, name := range db.TableNames() {
			table, ok, err := db.Table(name)
			require.NoError(t, err)
			require.True(t, ok)
			ids = append(ids, table.Physical)
		}
	}
	slices.Sort(ids)
	return ids
}

func rowKey(id ID, tail string) []byte {
	return append(kv.AppendPrefix(nil, kv.SpaceRow, uint32(id)), tail...)
}

// commit runs one statement whose definitions and rows share a batch.
func (d *ddlScript) commit(t testing.TB, c *Catalog, do func(*Txn, kv.Txn) error) error {
	txn := c.Begin()
	defer txn.End()
	if err := txn.Lock(t.Context()); err != nil {
		return err
	}
	batch, err := c.store.Begin(t.Context())
	if err != nil {
		return err
	}
	defer batch.Rollback()
	if err := do(txn, batch); err != nil {
		return err
	}
	if err := txn.Flush(batch); err != nil {
		return err
	}
	d.begun.Add(1)
	_, err = batch.Commit(t.Context(), kv.CommitOptions{Published: func(kv.Position) { txn.Publish() }})
	if err == nil {
		d.states = append(d.states, show(c.Current()))
		d.acked.Add(1)
	}
	return err
}

// session opens the store, runs one round of statements, and closes it.
func (d *ddlScript) session(t testing.TB, store kv.Store, round int) error {
	c, _, err := Open(t.Context(), store, Options{})
	if err != nil {
		return err
	}
	d.opened.Add(1)
	db := fmt.Sprintf("d%d", round)
	steps := []func(*Txn, kv.Txn) error{
		func(txn *Txn, _ kv.Txn) error {
			return txn.Put(&Database{Header: Header{ID: txn.NewID(), Name: db}, Collation: "c"})
		},
	}
	for i := range 4 {
		steps = append(steps, d.create(t, db, fmt.Sprintf("t%d", i)))
	}
	steps = append(steps, d.fillAside(t, c, db, "bulk"), d.replace(t, db, "t1"), d.rename(t, db, "t2", "renamed"),
		d.drop(t, db, "t0"), d.fillAside(t, c, db, "bulk2"), d.drop(t, db, "bulk"))
	for _, step := range steps {
		if err := d.commit(t, c, step); err != nil {
			return err
		}
	}
	d.closing.Add(1)
	return c.Close(t.Context())
}

func (d *ddlScript) create(t testing.TB, db, name string) func(*Txn, kv.Txn) error {
	return func(txn *Txn, batch kv.Txn) error {
		in, _ := txn.Snapshot().DB(db)
		table := newTable(txn, in.ID(), name, 2)
		return errors.Join(txn.Put(table), batch.Put(rowKey(table.Physical, "r"), []byte(name)))
	}
}

// fillAside writes the rows in a commit of their own before the definition, as
// bulk loads do; a crash in between leaves rows that nothing names.
func (d *ddlScript) fillAside(t testing.TB, c *Catalog, db, name string) func(*Txn, kv.Txn) error {
	return func(txn *Txn, _ kv.Txn) error {
		in, _ := txn.Snapshot().DB(db)
		table := newTable(txn, in.ID(), name, 2)
		aside, err := c.store.Begin(t.Context())
		if err != nil {
			return err
		}
		defer aside.Rollback()
		if err := aside.Put(rowKey(table.Physical, "r"), []byte(name)); err != nil {
			return err
		}
		if _, err := aside.Commit(t.Context(), kv.CommitOptions{}); err != nil {
			return err
		}
		return txn.Put(table)
	}
}

// replace gives a table a new key range, as TRUNCATE does.
func (d *ddlScript) replace(t testing.TB, db, name string) func(*Txn, kv.Txn) error {
	return d.alter(t, db, name, func(txn *Txn, batch kv.Txn, table *Table) error {
		old := table.Physical
		table.Physical = txn.NewID()
		return errors.Join(batch.DeleteRange(kv.PrefixRange(kv.SpaceRow, uint32(old))),
			batch.Put(rowKey(table.Physical, "r"), []byte("new")), txn.Put(table))
	})
}

func (d *ddlScript) rename(t testing.TB, db, name, to string) func(*Txn, kv.Txn) error {
	return d.alter(t, db, name, func(txn *Txn, _ kv.Txn, table *Table) error {
		table.Name = to
		return txn.Put(table)
	})
}

func (d *ddlScript) drop(t testing.TB, db, name string) func(*Txn, kv.Txn) error {
	return d.alter(t, db, name, func(txn *Txn, batch kv.Txn, table *Table) error {
		return errors.Join(batch.DeleteRange(kv.PrefixRange(kv.SpaceRow, uint32(table.Physical))),
			txn.Drop(KindTable, table.ID))
	})
}

func (d *ddlScript) alter(t testing.TB, db, name string, do func(*Txn, kv.Txn, *Table) error) func(*Txn, kv.Txn) error {
	return func(txn *Txn, batch kv.Txn) error {
		in, _ := txn.Snapshot().DB(db)
		table, _, err := in.Table(name)
		if err != nil {
			return err
		}
		if table, err = Clone(table); err != nil {
			return err
		}
		return do(txn, batch, table)
	}
}

// crashPoint is what a crash at one file operation would leave.
type crashPoint struct {
	what            string
	fs              *vfs.MemFS
	acked, begun    int64
	closing, opened int64
}

func pebbleOn(fs vfs.FS) pebblekv.Options { return pebblekv.Options{FS: fs, MemTableBytes: 256 << 10} }

// ST-036, ST-039, ST-040 at this level, ST-027: a crash at any file operation
// leaves the catalog after one commit, with exactly its rows once the store has
// been opened again, and never a marker that speaks for a session that had begun.
func TestCrashAtEveryFileOperation(t *testing.T) {
	d := &ddlScript{states: []string{show(newSnapshot(0))}}
	mem := vfs.NewCrashableMem()
	var mu sync.Mutex
	var points []crashPoint
	ops := 0
	watch := errorfs.InjectorFunc(func(op errorfs.Op) error {
		mu.Lock()
		defer mu.Unlock()
		if ops++; testing.Short() && ops%5 != 0 {
			return nil
		}
		percent := []int{0, 50, 100}[ops%3]
		p := crashPoint{what: fmt.Sprintf("operation %d (%d on %s), %d %%", ops, op.Kind, op.Path, percent)}
		// Read before the clone what must be there, after it what may be.
		p.acked, p.opened = d.acked.Load(), d.opened.Load()
		p.fs = mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: percent, RNG: rand.New(rand.NewPCG(uint64(ops), 7))})
		p.begun, p.closing = d.begun.Load(), d.closing.Load()
		points = append(points, p)
		return nil
	})
	fs := errorfs.Wrap(mem, watch)
	for round := range 3 {
		store, err := pebblekv.Open(t.Context(), "data", pebbleOn(fs))
		require.NoError(t, err)
		require.NoError(t, d.session(t, store, round))
		require.NoError(t, store.Close())
	}
	mu.Lock()
	defer mu.Unlock()
	t.Logf("%d file operations, %d crashes, %d commits", ops, len(points), len(d.states)-1)
	require.Greater(t, len(points), 20)
	swept := 0
	for _, p := range points {
		swept += d.recover(t, p)
	}
	if !testing.Short() {
		require.NotZero(t, swept, "no crash left rows aside")
	}
}

// recover opens what a crash left and returns the number of ranges swept.
func (d *ddlScript) recover(t *testing.T, p crashPoint) int {
	store, err := pebblekv.Open(context.Background(), "data", pebbleOn(p.fs))
	require.NoError(t, err, p.what)
	defer func() { require.NoError(t, store.Close(), p.what) }()
	c, result, err := Open(t.Context(), store, Options{})
	require.NoError(t, err, p.what)
	require.Empty(t, result.Errors, p.what)
	have := show(c.Current())
	require.Contains(t, d.states[p.acked:min(int(p.begun)+1, len(d.states))], have, p.what)
	require.Equal(t, rangesOf(t, c.Current()), rowsOf(t, store), p.what)
	if p.closing < p.opened && p.acked > 0 {
		require.True(t, result.Unclean, "%s: session %d had begun and not been closed", p.what, p.opened)
	}
	mustVerify(t, c)
	return len(result.Swept)
}

// A store whose keys cannot be read to the end is not opened with what was read
// so far: a table that is missing by accident would be swept.
func TestScanFailureFailsOpen(t *testing.T) {
	store, _ := tenTables(t)
	plant(t, store, kv.AppendPrefix(nil, kv.SpaceRow, 4000), []byte("orphan"))
	before := dump(t, store, kv.SpaceRow)
	for at := range 12 {
		store.failScanAt = at + 1
		_, _, err := Open(t.Context(), store, Options{})
		require.ErrorIs(t, err, errPlanted, "key %d", at)
		require.Equal(t, 0, store.drops)
	}
	store.failScanAt = 0
	require.Equal(t, before, dump(t, store, kv.SpaceRow))
	_, result, _ := open(t, store)
	require.Len(t, result.Swept, 1)
}

// The catalog over the real engine, on disk.
func TestPebbleOnDisk(t *testing.T) {
	dir := t.TempDir()
	d := &ddlScript{}
	for round := range 2 {
		store, err := pebblekv.Open(t.Context(), dir, pebblekv.Options{})
		require.NoError(t, err)
		require.NoError(t, d.session(t, store, round))
		require.NoError(t, store.Close())
	}
	store, err := pebblekv.Open(t.Context(), dir, pebblekv.Options{})
	require.NoError(t, err)
	c, result, err := Open(t.Context(), store, Options{})
	require.NoError(t, err)
	require.False(t, result.Unclean)
	require.Equal(t, d.states[len(d.states)-1], show(c.Current()))
	require.Equal(t, rangesOf(t, c.Current()), rowsOf(t, store))
	mustVerify(t, c)
	require.NoError(t, c.Close(t.Context()))
	require.NoError(t, store.Close())
}
