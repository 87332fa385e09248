package catalog

import (
	"bytes"
	"context"
	"sync"

	"github.com/freshetdb/freshet/vtab/kv"
	"github.com/tidwall/btree"
)

// fake is a store with just what the catalog needs; see memkv for the real model.
type fake struct {
	kv.Store
	mu  sync.Mutex
	m   *btree.Map[string, []byte]
	pos kv.Position
}

func newFake() kv.Store { return &fake{m: new(btree.Map[string, []byte])} }

func (f *fake) Begin(context.Context) (kv.Txn, error) { return &fakeTxn{f: f}, nil }
func (f *fake) DropRange(_ context.Context, r kv.Range) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, k := range keysIn(f.m, r) {
		f.m.Delete(k)
	}
	return nil
}
func (f *fake) Applied() kv.Position {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.pos
}
func (f *fake) WaitDurable(context.Context, kv.Position) error { return nil }
func (f *fake) Err() error                                     { return nil }
func (f *fake) Close() error                                   { return nil }

func keysIn(m *btree.Map[string, []byte], r kv.Range) (keys []string) {
	m.Ascend(string(r.Start), func(k string, _ []byte) bool {
		if !r.Contains([]byte(k)) {
			return false
		}
		keys = append(keys, k)
		return true
	})
	return keys
}

type fakeTxn struct {
	kv.Txn
	f   *fake
	ops []func(*btree.Map[string, []byte])
}

func (t *fakeTxn) Put(k, v []byte) error {
	k, v = bytes.Clone(k), bytes.Clone(v)
	t.ops = append(t.ops, func(m *btree.Map[string, []byte]) { m.Set(string(k), v) })
	return nil
}
func (t *fakeTxn) Delete(k []byte) error {
	k = bytes.Clone(k)
	t.ops = append(t.ops, func(m *btree.Map[string, []byte]) { m.Delete(string(k)) })
	return nil
}
func (t *fakeTxn) Latest(kv.Mark) kv.Reader {
	t.f.mu.Lock()
	defer t.f.mu.Unlock()
	return &fakeReader{t.f.m.Copy()}
}
func (t *fakeTxn) Snapshot(m kv.Mark) (kv.Reader, error) { return t.Latest(m), nil }
func (t *fakeTxn) Rollback()                             {}
func (t *fakeTxn) Commit(_ context.Context, o kv.CommitOptions) (kv.Position, error) {
	t.f.mu.Lock()
	defer t.f.mu.Unlock()
	for _, op := range t.ops {
		op(t.f.m)
	}
	if len(t.ops) > 0 {
		t.f.pos++
	}
	if o.Published != nil {
		o.Published(t.f.pos)
	}
	return t.f.pos, nil
}

type fakeReader struct{ m *btree.Map[string, []byte] }

func (r *fakeReader) Get(_ context.Context, k []byte) ([]byte, error) {
	v, ok := r.m.Get(string(k))
	if !ok {
		return nil, kv.ErrNotFound
	}
	return bytes.Clone(v), nil
}
func (r *fakeReader) Scan(_ context.Context, rg kv.Range, _ kv.ScanOptions) kv.Iterator {
	return &fakeIter{m: r.m, keys: keysIn(r.m, rg)}
}

type fakeIter struct {
	m    *btree.Map[string, []byte]
	keys []string
	cur  string
}

func (i *fakeIter) Next() bool {
	if len(i.keys) == 0 {
		return false
	}
	i.cur, i.keys = i.keys[0], i.keys[1:]
	return true
}
func (i *fakeIter) SeekTo(r kv.Range)      { i.keys = keysIn(i.m, r) }
func (i *fakeIter) Key() []byte            { return []byte(i.cur) }
func (i *fakeIter) Value() ([]byte, error) { v, _ := i.m.Get(i.cur); return v, nil }
func (i *fakeIter) Err() error             { return nil }
func (i *fakeIter) Close() error           { return nil }
