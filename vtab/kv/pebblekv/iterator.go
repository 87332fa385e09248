package pebblekv

import (
	"bytes"
	"context"

	"github.com/cockroachdb/pebble/v2"

	"github.com/freshetdb/freshet/vtab/kv"
)

// keysPerContextCheck is how many keys a scan passes between two looks at its
// context: often enough to end within a millisecond.
const keysPerContextCheck = 256

// keyEnd stands for the end of the key space where Pebble wants an end: no key
// of the seam begins with it, spaces are small numbers.
var keyEnd = bytes.Repeat([]byte{0xff}, 16)

// endOf is the end of a range as Pebble wants it.
func endOf(r kv.Range) []byte {
	if r.End == nil {
		return keyEnd
	}
	return r.End
}

// empty reports whether no key can lie in r.
func empty(r kv.Range) bool { return r.End != nil && bytes.Compare(r.Start, r.End) >= 0 }

// iterator is a kv.Iterator on one of Pebble's.
type iterator struct {
	store   *Store
	ctx     context.Context
	engine  *pebble.Iterator
	reverse bool
	started bool
	void    bool // the range is empty
	closed  bool
	valid   bool
	err     error
	passed  uint64 // keys since the last report to the counters
}

// scan opens an iterator. The view is fixed here, the first key is sought by
// the first Next.
func (s *Store) scan(ctx context.Context, source pebble.Reader, r kv.Range, o kv.ScanOptions) kv.Iterator {
	if err := ctx.Err(); err != nil {
		return failedIterator{err}
	}
	if err := s.enter(); err != nil {
		return failedIterator{err}
	}
	options := pebble.IterOptions{LowerBound: r.Start, UpperBound: r.End}
	it := &iterator{store: s, ctx: ctx, reverse: o.Reverse, void: empty(r)}
	if it.void { // Pebble wants bounds in order
		options.LowerBound, options.UpperBound = nil, nil
	}
	var err error
	if it.engine, err = source.NewIterWithContext(ctx, &options); err != nil {
		s.leave()
		return failedIterator{translate(err)}
	}
	return it
}

func (i *iterator) Next() bool {
	if i.err != nil || i.closed {
		return false
	}
	if i.passed++; i.passed%keysPerContextCheck == 0 {
		if i.err = i.ctx.Err(); i.err != nil {
			i.valid = false
			return false
		}
	}
	if i.valid = i.move(); !i.valid && !i.void {
		i.err = translate(i.engine.Error())
	}
	return i.valid
}

func (i *iterator) move() bool {
	switch {
	case i.void:
		return false
	case !i.started:
		i.started = true
		i.store.counters.seeks.Add(1)
		if i.reverse {
			return i.engine.Last()
		}
		return i.engine.First()
	case !i.valid:
		return false // at the end; Pebble would turn round
	case i.reverse:
		return i.engine.Prev()
	default:
		return i.engine.Next()
	}
}

func (i *iterator) SeekTo(r kv.Range) {
	if i.closed {
		return
	}
	i.started, i.valid, i.void = false, false, empty(r)
	if i.err = i.ctx.Err(); i.err == nil && !i.void {
		i.engine.SetBounds(r.Start, r.End)
	}
}

func (i *iterator) Key() []byte { return i.engine.Key() }

func (i *iterator) Value() ([]byte, error) {
	value, err := i.engine.ValueAndErr()
	return value, translate(err)
}

func (i *iterator) Err() error { return i.err }

func (i *iterator) Close() error {
	if i.closed {
		return nil
	}
	i.closed = true
	i.store.counters.keysScanned.Add(i.passed)
	err := i.engine.Close()
	i.store.leave()
	if i.err != nil {
		return nil // Err has it; Pebble only repeats it
	}
	i.err = translate(err)
	return i.err
}

// failedIterator is an iterator that could not be opened.
type failedIterator struct{ err error }

func (failedIterator) Next() bool               { return false }
func (failedIterator) SeekTo(kv.Range)          {}
func (failedIterator) Key() []byte              { return nil }
func (f failedIterator) Value() ([]byte, error) { return nil, f.err }
func (f failedIterator) Err() error             { return f.err }
func (f failedIterator) Close() error           { return nil }
