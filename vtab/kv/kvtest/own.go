package kvtest

import (
	"fmt"

	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/vtab/kv"
)

// ownTests are about a transaction's pending writes: marks, savepoints, ranges.
var ownTests = []test{
	{"reads own writes", func(e *env) {
		e.write("\x03a", "1", "\x03b", "2", "\x03c", "3")
		t := e.begin()
		e.put(t, "\x03b", "own")
		e.delete(t, "\x03c")
		e.put(t, "\x03d", "")
		for _, r := range []kv.Reader{t.Latest(kv.Now), e.snapshot(t, kv.Now)} {
			e.requireGet(r, "\x03a", "1")
			e.requireGet(r, "\x03b", "own")
			e.requireAbsent(r, "\x03c")
			e.requireGet(r, "\x03d", "")
			e.requireScan(r, data, "\x03a=1", "\x03b=own", "\x03d=")
		}
		other := e.begin()
		e.requireScan(other.Latest(kv.Now), data, "\x03a=1", "\x03b=2", "\x03c=3")
		other.Rollback()
		t.Rollback()
		e.requireStored("\x03a=1", "\x03b=2", "\x03c=3")
	}},
	{"a reader of now follows", func(e *env) {
		t := e.begin()
		latest, snap := t.Latest(kv.Now), e.snapshot(t, kv.Now)
		e.put(t, "\x03a", "1")
		for _, r := range []kv.Reader{latest, snap} {
			e.requireGet(r, "\x03a", "1")
			e.requireScan(r, data, "\x03a=1")
		}
		t.Rollback()
	}},
	{"a mark stays", func(e *env) {
		e.write("\x03a", "1", "\x03b", "2")
		t := e.begin()
		zero := t.Savepoint()
		e.put(t, "\x03b", "first")
		one := t.Savepoint()
		e.delete(t, "\x03a")
		e.put(t, "\x03b", "second")
		e.put(t, "\x03c", "new")
		two := t.Savepoint()
		e.delete(t, "\x03b")
		for _, view := range []func(kv.Mark) kv.Reader{t.Latest, func(m kv.Mark) kv.Reader { return e.snapshot(t, m) }} {
			e.requireScan(view(zero), data, "\x03a=1", "\x03b=2")
			e.requireScan(view(one), data, "\x03a=1", "\x03b=first")
			e.requireScan(view(two), data, "\x03b=second", "\x03c=new")
			e.requireScan(view(kv.Now), data, "\x03c=new")
			e.requireGet(view(one), "\x03b", "first")
			e.requireAbsent(view(one), "\x03c")
			e.requireAbsent(view(two), "\x03a")
			e.requireAbsent(view(kv.Now), "\x03b")
		}
		e.commit(t)
		e.requireStored("\x03c=new")
	}},
	{"an iterator keeps its view while writing", func(e *env) {
		for i := range 100 {
			e.write(row(i), "old")
		}
		for _, reverse := range []bool{false, true} {
			t := e.begin()
			e.put(t, row(50), "own")
			it := t.Latest(kv.Now).Scan(e.ctx, data, kv.ScanOptions{Reverse: reverse})
			n := 0
			for it.Next() {
				v, err := it.Value()
				require.NoError(e, err)
				i := n
				if reverse {
					i = 99 - n
				}
				require.Equal(e, row(i), string(it.Key()))
				require.Equal(e, map[bool]string{false: "old", true: "own"}[i == 50], string(v))
				e.put(t, row(i), "again")
				e.put(t, row(i)+"x", "inserted")
				e.delete(t, row(99-i))
				n++
			}
			require.NoError(e, it.Err())
			require.NoError(e, it.Close())
			require.Equal(e, 100, n)
			t.Rollback()
		}
	}},
	{"nested savepoints", func(e *env) {
		e.write("\x03a", "0")
		t := e.begin()
		marks := []kv.Mark{t.Savepoint()}
		for i := 1; i <= 5; i++ {
			e.put(t, "\x03a", fmt.Sprint(i))
			e.put(t, fmt.Sprintf("\x03b%d", i), "x")
			marks = append(marks, t.Savepoint())
		}
		e.delete(t, "\x03a")
		e.delete(t, "\x03b1")
		t.RollbackTo(marks[5])
		e.requireGet(t.Latest(kv.Now), "\x03a", "5")
		e.requireGet(t.Latest(kv.Now), "\x03b1", "x")
		t.RollbackTo(marks[3])
		e.requireScan(t.Latest(kv.Now), data, "\x03a=3", "\x03b1=x", "\x03b2=x", "\x03b3=x")
		e.put(t, "\x03c", "redone")
		t.RollbackTo(marks[3]) // a mark can be gone back to again
		e.requireAbsent(t.Latest(kv.Now), "\x03c")
		e.requireGet(t.Latest(marks[4]), "\x03a", "4")
		t.RollbackTo(marks[1])
		e.put(t, "\x03d", "redone")
		e.requireScan(e.snapshot(t, kv.Now), data, "\x03a=1", "\x03b1=x", "\x03d=redone")
		e.commit(t)
		e.requireStored("\x03a=1", "\x03b1=x", "\x03d=redone")
	}},
	{"rollback to the beginning leaves nothing to commit", func(e *env) {
		t := e.begin()
		m := t.Savepoint()
		e.put(t, "\x03a", "1")
		require.True(e, t.Dirty())
		require.EqualValues(e, 3, t.Size())
		t.RollbackTo(m)
		require.False(e, t.Dirty())
		require.Zero(e, t.Size())
		before := e.store.Applied()
		require.Zero(e, e.commit(t))
		require.Equal(e, before, e.store.Applied())
	}},
	{"rollback to now undoes nothing", func(e *env) {
		t := e.begin()
		e.put(t, "\x03a", "1")
		t.RollbackTo(kv.Now)
		e.requireGet(t.Latest(kv.Now), "\x03a", "1")
		t.Rollback()
	}},
	{"size", func(e *env) {
		t := e.begin()
		require.False(e, t.Dirty())
		e.put(t, "\x03abc", "12345")
		require.EqualValues(e, 9, t.Size())
		e.put(t, "\x03abc", "1")
		require.EqualValues(e, 5, t.Size())
		e.delete(t, "\x03abc")
		require.EqualValues(e, 4, t.Size())
		require.True(e, t.Dirty())
		t.Rollback()
		require.False(e, t.Dirty())
	}},
	{"delete range", func(e *env) {
		if !e.store.Caps().RangeDeleteInTxn {
			t := e.begin()
			require.ErrorIs(e, t.DeleteRange(span("\x03b", "\x03e")), kv.ErrUnsupported)
			t.Rollback()
			return
		}
		e.write("\x03a", "1", "\x03b", "2", "\x03c", "3", "\x03d", "4", "\x03e", "5")
		reader := e.begin()
		old := e.snapshot(reader, kv.Now)
		t := e.begin()
		e.put(t, "\x03c", "before")
		m := t.Savepoint()
		require.NoError(e, t.DeleteRange(span("\x03b", "\x03e")))
		e.put(t, "\x03d5", "after")
		for _, r := range []kv.Reader{t.Latest(kv.Now), e.snapshot(t, kv.Now)} {
			e.requireScan(r, data, "\x03a=1", "\x03c=before", "\x03d5=after", "\x03e=5")
			e.requireScan(r, span("\x03b", "\x03c"))
			e.requireScan(r, span("\x03b5", "\x03d"), "\x03c=before")
			e.requireAbsent(r, "\x03b", "\x03d")
			e.requireGet(r, "\x03c", "before")
			e.requireGet(r, "\x03e", "5")
		}
		e.requireScan(t.Latest(m), data, "\x03a=1", "\x03b=2", "\x03c=before", "\x03d=4", "\x03e=5")
		e.write("\x03bb", "others") // committed before t commits: covered
		e.commit(t)
		e.requireStored("\x03a=1", "\x03c=before", "\x03d5=after", "\x03e=5")
		e.requireScan(old, data, "\x03a=1", "\x03b=2", "\x03c=3", "\x03d=4", "\x03e=5")
		reader.Rollback()
	}},
	{"delete range undone", func(e *env) {
		if !e.store.Caps().RangeDeleteInTxn {
			return
		}
		e.write("\x03a", "1", "\x03b", "2")
		t := e.begin()
		m := t.Savepoint()
		require.NoError(e, t.DeleteRange(data))
		require.True(e, t.Dirty())
		e.requireScan(t.Latest(kv.Now), data)
		t.RollbackTo(m)
		require.False(e, t.Dirty())
		e.requireScan(t.Latest(kv.Now), data, "\x03a=1", "\x03b=2")
		require.NoError(e, t.DeleteRange(span("\x03b", ""))) // to the end of the key space
		e.commit(t)
		e.requireStored("\x03a=1")
	}},
	{"delete range meets delete and put of one key", func(e *env) {
		if !e.store.Caps().RangeDeleteInTxn {
			return
		}
		e.write("\x03a", "1", "\x03b", "2")
		t := e.begin()
		e.put(t, "\x03a", "own")
		e.delete(t, "\x03a")
		require.NoError(e, t.DeleteRange(span("\x03a", "\x03c")))
		e.put(t, "\x03b", "own")
		e.requireScan(t.Latest(kv.Now), data, "\x03b=own")
		e.commit(t)
		e.requireStored("\x03b=own")
	}},
}
