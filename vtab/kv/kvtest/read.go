package kvtest

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/vtab/kv"
)

// shapes are keys in byte order that engines have got wrong: runs of 0x00 and
// 0xFF, prefixes of one another, long ones, the last possible ones.
var shapes = []string{
	"\x02", "\x03", "\x03\x00", "\x03\x00\x00", "\x03\x00\x00\x00\x00\x00\x00\x00\x00", "\x03\x00\x01", "\x03\x00\xff",
	"\x03\x01", "\x03a", "\x03a\x00", "\x03a\x00\x00", "\x03a\x01", "\x03aa", "\x03a\xff", "\x03a\xff\xff", "\x03b",
	"\x03c" + strings.Repeat("x", 1000), "\x03c" + strings.Repeat("x", 1001), "\x03c" + strings.Repeat("x", 999) + "y",
	"\x03\xfe\xff", "\x03\xff", "\x03\xff\x00", "\x03\xff\xff", "\x03\xff\xff\xff\xff\xff\xff\xff\xff", "\x04", "\x04\x00",
	"\x7f", "\x80", "\xfe\xff", "\xff", "\xff\x00", "\xff\xff", "\xff\xff\xff\x00", strings.Repeat("\xff", 300),
}

var readTests = []test{
	{"order of all key shapes", func(e *env) {
		require.True(e, slices.IsSorted(shapes))
		order := rand.New(rand.NewPCG(1, 2)).Perm(len(shapes))
		for _, i := range order {
			e.write(shapes[i], fmt.Sprint(i))
		}
		var want []string
		for i, k := range shapes {
			want = append(want, fmt.Sprintf("%s=%d", k, i))
		}
		e.requireStored(want...)
	}},
	{"bounded scans committed", func(e *env) { e.boundedScans(func(int) where { return stored }) }},
	{"bounded scans pending", func(e *env) { e.boundedScans(func(int) where { return pending }) }},
	{"bounded scans merged", func(e *env) { e.boundedScans(func(i int) where { return where(i % 5) }) }},
	{"values of every size", func(e *env) {
		for _, n := range []int{0, 1, 2, 100, 4095, 4096, 70_000, 1 << 20} {
			v := strings.Repeat("\x00\xff", n)[:n]
			e.write(row(n), v)
			t := e.begin()
			e.requireGet(t.Latest(kv.Now), row(n), v)
			e.requireGet(e.snapshot(t, kv.Now), row(n), v)
			e.requireScan(t.Latest(kv.Now), span(row(n), row(n)+"\x00"), row(n)+"="+v)
			e.put(t, row(n+1), v)
			e.requireGet(t.Latest(kv.Now), row(n+1), v)
			t.Rollback()
		}
	}},
	{"absent keys", func(e *env) {
		t := e.begin()
		e.requireAbsent(t.Latest(kv.Now), "\x03", "\xff")
		e.requireAbsent(e.snapshot(t, kv.Now), "\x03")
		e.requireScan(t.Latest(kv.Now), data)
		e.write("\x03b", "1")
		e.requireAbsent(t.Latest(kv.Now), "\x03", "\x03a", "\x03b\x00", "\x03c")
		t.Rollback()
	}},
	{"a value belongs to the caller", func(e *env) {
		e.write("\x03a", "committed")
		t := e.begin()
		e.put(t, "\x03b", "pending")
		for _, k := range []string{"\x03a", "\x03b"} {
			v, err := t.Latest(kv.Now).Get(e.ctx, []byte(k))
			require.NoError(e, err)
			clear(v)
		}
		e.requireScan(t.Latest(kv.Now), data, "\x03a=committed", "\x03b=pending")
		t.Rollback()
	}},
	{"key and value are copied", func(e *env) {
		t := e.begin()
		k, v := []byte("\x03a"), []byte("1")
		require.NoError(e, t.Put(k, v))
		k[1], v[0] = 'b', '2'
		require.NoError(e, t.Delete(k))
		k[1] = 'c'
		e.requireScan(t.Latest(kv.Now), data, "\x03a=1")
		e.commit(t)
		e.requireStored("\x03a=1")
	}},
	{"seek", func(e *env) { e.seeks() }},
	{"seek before the first step", func(e *env) {
		e.write("\x03a", "1", "\x03b", "2", "\x03c", "3")
		t := e.begin()
		it := t.Latest(kv.Now).Scan(e.ctx, span("\x03c", ""), kv.ScanOptions{})
		it.SeekTo(span("\x03a", "\x03c"))
		got, err := drain(it)
		require.NoError(e, err)
		require.Equal(e, []string{"\x03a=1", "\x03b=2"}, got)
		require.False(e, it.Next(), "past the end it stays at the end")
		require.NoError(e, it.Close())
		t.Rollback()
	}},
	{"keys only", func(e *env) {
		e.write("\x03a", "1", "\x03b", "2")
		t := e.begin()
		e.put(t, "\x03aa", "3")
		it := t.Latest(kv.Now).Scan(e.ctx, data, kv.ScanOptions{KeysOnly: true, Reverse: true})
		var keys []string
		for it.Next() {
			keys = append(keys, string(it.Key()))
		}
		require.NoError(e, it.Err())
		require.NoError(e, it.Close())
		require.Equal(e, []string{"\x03b", "\x03aa", "\x03a"}, keys)
		t.Rollback()
	}},
	{"cancelled before", func(e *env) {
		e.write("\x03a", "1")
		t := e.begin()
		ctx, cancel := context.WithCancel(e.ctx)
		cancel()
		for _, r := range []kv.Reader{t.Latest(kv.Now), e.snapshot(t, kv.Now)} {
			_, err := r.Get(ctx, []byte("\x03a"))
			require.ErrorIs(e, err, context.Canceled)
			it := r.Scan(ctx, data, kv.ScanOptions{})
			require.False(e, it.Next())
			require.ErrorIs(e, it.Err(), context.Canceled)
			require.NoError(e, it.Close())
			e.requireGet(r, "\x03a", "1")
		}
		t.Rollback()
	}},
	{"cancelled in mid-scan", func(e *env) {
		const rows = 20_000
		t := e.begin()
		for i := range rows {
			e.put(t, row(i), "x")
		}
		e.commit(t)
		t = e.begin()
		e.put(t, row(5)+"own", "x")
		for _, reverse := range []bool{false, true} {
			ctx, cancel := context.WithCancel(e.ctx)
			it := t.Latest(kv.Now).Scan(ctx, data, kv.ScanOptions{Reverse: reverse})
			n := 0
			for it.Next() {
				if n++; n == 10 {
					cancel()
				}
			}
			require.ErrorIs(e, it.Err(), context.Canceled, "the scan ended after %d keys", n)
			require.Less(e, n, rows/2, "keys read after the context had ended")
			require.False(e, it.Next())
			require.NoError(e, it.Close())
			cancel()
		}
		t.Rollback()
	}},
	{"close in mid-scan", func(e *env) {
		e.write("\x03a", "1", "\x03b", "2")
		t := e.begin()
		it := t.Latest(kv.Now).Scan(e.ctx, data, kv.ScanOptions{})
		require.True(e, it.Next())
		require.NoError(e, it.Close())
		it = e.snapshot(t, kv.Now).Scan(e.ctx, data, kv.ScanOptions{})
		require.NoError(e, it.Close())
		t.Rollback()
	}},
}

// where says where a key is before a scan.
type where int

const (
	stored     where = iota // committed
	pending                 // written by the transaction only
	replaced                // committed, and written anew
	deleted                 // committed, and deleted by the transaction
	deletedOwn              // written and deleted by the transaction
)

// boundedScans compares every range between interesting bounds, in both
// directions, with the sorted list of keys.
func (e *env) boundedScans(place func(i int) where) {
	t := e.begin()
	var present []string
	before := e.begin()
	for i, k := range shapes {
		if p := place(i); p == stored || p == replaced || p == deleted {
			e.put(before, k, "old")
		}
	}
	e.commit(before)
	for i, k := range shapes {
		switch place(i) {
		case stored:
			present = append(present, k+"=old")
		case pending, replaced:
			e.put(t, k, "new")
			present = append(present, k+"=new")
		case deleted:
			e.delete(t, k)
		case deletedOwn:
			e.put(t, k, "new")
			e.delete(t, k)
		}
	}
	bounds := []string{"\x02", "\x02\xff", "\x03", "\x03\x00", "\x03\x00\x00\x01", "\x03a", "\x03a\x00\x01", "\x03a\xff", "\x03b\x00", "\x03\xff", "\x03\xff\xff\xff", "\x04", "\xfe", "\xff", "\xff\xff", strings.Repeat("\xff", 300), strings.Repeat("\xff", 301)}
	readers := []kv.Reader{t.Latest(kv.Now), e.snapshot(t, kv.Now), t.Latest(t.Savepoint())}
	for _, r := range readers {
		for _, lo := range bounds {
			for _, hi := range append(bounds, "") {
				rng := span(lo, hi)
				want := []string{}
				for _, kvp := range present {
					if rng.Contains([]byte(kvp[:strings.LastIndexByte(kvp, '=')])) {
						want = append(want, kvp)
					}
				}
				e.requireScan(r, rng, want...)
			}
		}
	}
	t.Rollback()
}

// seeks repositions one iterator per direction at random.
func (e *env) seeks() {
	t := e.begin()
	for i, k := range shapes {
		if i%3 > 0 {
			e.put(t, k, "old")
		}
	}
	e.commit(t)
	t = e.begin()
	for i, k := range shapes {
		switch {
		case i%3 == 0:
			e.put(t, k, "new")
		case i%4 == 1:
			e.delete(t, k)
		}
	}
	want := e.scan(t.Latest(kv.Now), data, false)
	rnd := rand.New(rand.NewPCG(3, 4))
	for _, reverse := range []bool{false, true} {
		it := t.Latest(kv.Now).Scan(e.ctx, span("\x03", "\x03b"), kv.ScanOptions{Reverse: reverse})
		for range 300 {
			lo, hi := shapes[rnd.IntN(len(shapes))], shapes[rnd.IntN(len(shapes))]
			rng := span(lo, hi)
			if rnd.IntN(4) == 0 {
				rng.End = nil
			}
			var in []string
			for _, kvp := range want {
				if rng.Contains([]byte(kvp[:strings.LastIndexByte(kvp, '=')])) {
					in = append(in, kvp)
				}
			}
			if reverse {
				slices.Reverse(in)
			}
			it.SeekTo(rng)
			e.requireSteps(it, in, rnd.IntN(len(in)+2))
		}
		require.NoError(e, it.Close())
	}
	t.Rollback()
}

// requireSteps asserts the first n keys of an iterator, and its end if n is
// more than there are.
func (e *env) requireSteps(it kv.Iterator, want []string, n int) {
	e.Helper()
	for i := range n {
		if i == len(want) {
			require.False(e, it.Next())
			require.NoError(e, it.Err())
			return
		}
		require.True(e, it.Next(), "key %d of %d", i, len(want))
		v, err := it.Value()
		require.NoError(e, err)
		got := bytes.Join([][]byte{it.Key(), v}, []byte("="))
		require.Equal(e, want[i], string(got))
	}
}
