package kvtest

import (
	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/vtab/kv"
)

// viewTests are about snapshots and the latest state.
var viewTests = []test{
	{"a snapshot is stable", func(e *env) {
		e.write("\x03a", "1", "\x03b", "2")
		t := e.begin()
		r := e.snapshot(t, kv.Now)
		e.write("\x03a", "changed", "\x03c", "new")
		e.erase("\x03b")
		e.requireScan(r, data, "\x03a=1", "\x03b=2")
		e.requireGet(r, "\x03a", "1")
		e.requireGet(e.snapshot(t, kv.Now), "\x03b", "2")
		e.requireAbsent(r, "\x03c")
		e.requireScan(t.Latest(kv.Now), data, "\x03a=changed", "\x03c=new")
		t.Rollback()
	}},
	{"a snapshot is taken at the first call", func(e *env) {
		t := e.begin()
		e.write("\x03a", "1")
		e.requireGet(t.Latest(kv.Now), "\x03a", "1")
		e.write("\x03a", "2")
		r := e.snapshot(t, kv.Now)
		e.write("\x03a", "3")
		e.requireGet(r, "\x03a", "2")
		e.put(t, "\x03own", "x")
		e.requireScan(e.snapshot(t, kv.Now), data, "\x03a=2", "\x03own=x")
		t.Rollback()
	}},
	{"reset takes a new one", func(e *env) {
		e.write("\x03a", "1")
		t := e.begin()
		t.ResetSnapshot() // without one
		e.requireGet(e.snapshot(t, kv.Now), "\x03a", "1")
		require.Equal(e, 1, e.store.Metrics().OpenSnapshots)
		e.put(t, "\x03own", "x")
		e.write("\x03a", "2")
		t.ResetSnapshot()
		require.Zero(e, e.store.Metrics().OpenSnapshots)
		e.requireScan(e.snapshot(t, kv.Now), data, "\x03a=2", "\x03own=x")
		t.Rollback()
	}},
	{"two transactions share a position", func(e *env) {
		e.write("\x03a", "1")
		p, q := e.begin(), e.begin()
		e.requireGet(e.snapshot(p, kv.Now), "\x03a", "1")
		rq := e.snapshot(q, kv.Now)
		e.write("\x03a", "2")
		p.Rollback()
		e.requireGet(rq, "\x03a", "1")
		require.Equal(e, e.position(rq)+1, e.store.Applied())
		q.Rollback()
	}},
	{"latest sees commits at once", func(e *env) {
		t := e.begin()
		r := t.Latest(kv.Now)
		e.requireAbsent(r, "\x03a")
		e.write("\x03a", "1")
		e.requireGet(r, "\x03a", "1")
		it := r.Scan(e.ctx, data, kv.ScanOptions{})
		e.write("\x03a", "2", "\x03b", "2")
		got, err := drain(it)
		require.NoError(e, err)
		require.Equal(e, []string{"\x03a=1"}, got, "the view of a scan is fixed when it begins")
		it.SeekTo(data)
		got, err = drain(it)
		require.NoError(e, err)
		require.Equal(e, []string{"\x03a=1"}, got, "a seek stays on the view")
		require.NoError(e, it.Close())
		e.requireScan(r, data, "\x03a=2", "\x03b=2")
		t.Rollback()
	}},
	{"latest at a mark", func(e *env) {
		t := e.begin()
		m := t.Savepoint()
		e.put(t, "\x03own", "x")
		r := t.Latest(m)
		e.write("\x03a", "1")
		e.requireScan(r, data, "\x03a=1")
		e.requireAbsent(r, "\x03own")
		t.Rollback()
	}},
	{"the position is read through the snapshot", func(e *env) {
		first := e.write("\x03a", "1")
		t := e.begin()
		r := e.snapshot(t, kv.Now)
		second := e.write("\x03a", "2")
		require.Equal(e, first, e.position(r))
		require.Equal(e, second, e.position(t.Latest(kv.Now)))
		require.Equal(e, second, e.store.Applied())
		t.ResetSnapshot()
		require.Equal(e, second, e.position(e.snapshot(t, kv.Now)))
		t.Rollback()
	}},
	{"metrics of snapshots", func(e *env) {
		e.write("\x03a", "1")
		t := e.begin()
		require.Zero(e, e.store.Metrics().OpenSnapshots, "a transaction that does not read has none")
		e.requireGet(e.snapshot(t, kv.Now), "\x03a", "1")
		m := e.store.Metrics()
		require.Equal(e, 1, m.OpenSnapshots)
		require.Positive(e, m.OldestSnapshot)
		e.commit(t)
		require.Zero(e, e.store.Metrics().OpenSnapshots)
	}},
}
