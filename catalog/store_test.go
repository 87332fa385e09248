package catalog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/vtab/kv"
	"github.com/freshetdb/freshet/vtab/kv/memkv"
)

var errPlanted = errors.New("planted fault")

// probe is a real store that counts what reaches it and fails on demand.
type probe struct {
	kv.Store
	batches     []batch // every commit that wrote something
	drops       int
	failCommit  bool
	failDurable bool
	failScanAt  int // scans fail at their n-th key, 0 never; counted over one transaction
}

// batch is what one commit wrote.
type batch struct {
	puts, deletes [][]byte
	synced        bool
}

func newProbe(t testing.TB) *probe {
	p := &probe{Store: memkv.New(memkv.Options{})}
	t.Cleanup(func() { require.NoError(t, p.Store.Close()) })
	return p
}

func (p *probe) Begin(ctx context.Context) (kv.Txn, error) {
	txn, err := p.Store.Begin(ctx)
	if err != nil {
		return nil, err
	}
	return &probeTxn{Txn: txn, probe: p}, nil
}

func (p *probe) DropRange(ctx context.Context, r kv.Range) error {
	p.drops++
	return p.Store.DropRange(ctx, r)
}

func (p *probe) WaitDurable(ctx context.Context, pos kv.Position) error {
	if p.failDurable {
		return errPlanted
	}
	return p.Store.WaitDurable(ctx, pos)
}

type probeTxn struct {
	kv.Txn
	probe   *probe
	batch   batch
	scanned int
}

func (t *probeTxn) Snapshot(at kv.Mark) (kv.Reader, error) {
	r, err := t.Txn.Snapshot(at)
	return &probeReader{r, t}, err
}

type probeReader struct {
	kv.Reader
	txn *probeTxn
}

func (r *probeReader) Scan(ctx context.Context, rg kv.Range, o kv.ScanOptions) kv.Iterator {
	return &probeIterator{Iterator: r.Reader.Scan(ctx, rg, o), txn: r.txn}
}

type probeIterator struct {
	kv.Iterator
	txn    *probeTxn
	failed bool
}

func (i *probeIterator) Next() bool {
	i.txn.scanned++
	i.failed = i.failed || i.txn.scanned == i.txn.probe.failScanAt
	return !i.failed && i.Iterator.Next()
}

func (i *probeIterator) Err() error {
	if i.failed {
		return errPlanted
	}
	return i.Iterator.Err()
}

func (t *probeTxn) Put(key, value []byte) error {
	t.batch.puts = append(t.batch.puts, bytes.Clone(key))
	return t.Txn.Put(key, value)
}

func (t *probeTxn) Delete(key []byte) error {
	t.batch.deletes = append(t.batch.deletes, bytes.Clone(key))
	return t.Txn.Delete(key)
}

func (t *probeTxn) Commit(ctx context.Context, o kv.CommitOptions) (kv.Position, error) {
	if t.probe.failCommit {
		t.Txn.Rollback()
		return 0, errPlanted
	}
	if len(t.batch.puts)+len(t.batch.deletes) > 0 {
		t.batch.synced = o.Durability == kv.DurabilityCommit
		t.probe.batches = append(t.probe.batches, t.batch)
	}
	return t.Txn.Commit(ctx, o)
}

// dump returns all keys and values of a space.
func dump(t testing.TB, store kv.Store, space kv.Space) map[string]string {
	t.Helper()
	txn, err := store.Begin(t.Context())
	require.NoError(t, err)
	defer txn.Rollback()
	reader, err := txn.Snapshot(kv.Now)
	require.NoError(t, err)
	all := map[string]string{}
	it := reader.Scan(t.Context(), kv.SpaceRange(space), kv.ScanOptions{})
	for it.Next() {
		value, err := it.Value()
		require.NoError(t, err)
		all[string(it.Key())] = string(value)
	}
	require.NoError(t, it.Err())
	require.NoError(t, it.Close())
	return all
}

// plant writes keys directly; a nil value deletes.
func plant(t testing.TB, store kv.Store, pairs ...[]byte) {
	t.Helper()
	txn, err := store.Begin(t.Context())
	require.NoError(t, err)
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] == nil {
			require.NoError(t, txn.Delete(pairs[i]))
		} else {
			require.NoError(t, txn.Put(pairs[i], pairs[i+1]))
		}
	}
	_, err = txn.Commit(t.Context(), kv.CommitOptions{})
	require.NoError(t, err)
}

func get(t testing.TB, store kv.Store, key []byte) ([]byte, bool) {
	t.Helper()
	txn, err := store.Begin(t.Context())
	require.NoError(t, err)
	defer txn.Rollback()
	value, err := txn.Latest(kv.Now).Get(t.Context(), key)
	if errors.Is(err, kv.ErrNotFound) {
		return nil, false
	}
	require.NoError(t, err)
	return value, true
}

// open opens a catalog; the log is kept in the returned buffer.
func open(t testing.TB, store kv.Store) (*Catalog, *RehydrationResult, *bytes.Buffer) {
	t.Helper()
	log := &bytes.Buffer{}
	c, result, err := Open(t.Context(), store, Options{Logger: slog.New(slog.NewTextHandler(log, nil))})
	require.NoError(t, err)
	return c, result, log
}

// change runs one catalog transaction and commits it with the store's.
func change(t testing.TB, c *Catalog, do func(*Txn)) {
	t.Helper()
	require.NoError(t, tryChange(t, c, func(txn *Txn) error { do(txn); return nil }))
}

func tryChange(t testing.TB, c *Catalog, do func(*Txn) error) error {
	t.Helper()
	txn := c.Begin()
	defer txn.End()
	require.NoError(t, txn.Lock(t.Context()))
	if err := do(txn); err != nil {
		return err
	}
	return commit(t.Context(), c, txn)
}

func commit(ctx context.Context, c *Catalog, txn *Txn) error {
	batch, err := c.store.Begin(ctx)
	if err != nil {
		return err
	}
	defer batch.Rollback()
	if err := txn.Flush(batch); err != nil {
		return err
	}
	_, err = batch.Commit(ctx, kv.CommitOptions{Published: func(kv.Position) { txn.Publish() }})
	return err
}

// addDatabase puts a database and returns its id.
func addDatabase(t testing.TB, txn *Txn, name string) ID {
	t.Helper()
	id := txn.NewID()
	require.NoError(t, txn.Put(&Database{Header: Header{ID: id, Kind: KindDatabase, Name: name}, Collation: "utf8mb4_0900_bin"}))
	return id
}

// newTable describes a table of n columns with one secondary index.
func newTable(txn *Txn, db ID, name string, columns int) *Table {
	table := &Table{Header: Header{ID: txn.NewID(), Kind: KindTable, Parent: db, Name: name},
		Physical: txn.NewID(), Layout: 1, Collation: "utf8mb4_0900_bin"}
	for i := range columns {
		table.Columns = append(table.Columns, Column{ID: txn.NewID(), Name: fmt.Sprintf("c%d", i), Type: "bigint"})
	}
	table.PK = []Part{{Column: table.Columns[0].ID}}
	table.Indexes = []Index{{Physical: txn.NewID(), Name: "x", Parts: []Part{{Column: table.Columns[columns-1].ID, Desc: true}}}}
	return table
}

func addTable(t testing.TB, txn *Txn, db ID, name string) *Table {
	t.Helper()
	table := newTable(txn, db, name, 2)
	require.NoError(t, txn.Put(table))
	return table
}

// mustVerify fails the test on any finding.
func mustVerify(t testing.TB, c *Catalog) {
	t.Helper()
	problems, err := c.Verify(t.Context())
	require.NoError(t, err)
	require.Empty(t, problems)
}
