package writeset

import (
	"bytes"

	"github.com/tidwall/btree"

	"github.com/freshetdb/freshet/vtab/kv"
)

// Merge lays the pending writes of view over base, which must walk r in the
// direction that reverse says. Nothing is read before the first Next. Closing
// the result closes base. Over an empty view the result is base itself.
func Merge(base kv.Iterator, view *Mark, r kv.Range, reverse bool) kv.Iterator {
	if view.Empty() {
		return base
	}
	m := &merged{base: base, view: view, reverse: reverse, bounds: r}
	if view.items != nil {
		m.own = view.items.Iter()
	}
	return m
}

// merged is an ordered merge of two sorted sequences. Each side is either on its
// next candidate or exhausted; the smaller candidate (the larger in reverse) is
// the current key, and on equal keys the own one wins and both move on.
type merged struct {
	base    kv.Iterator
	own     btree.IterG[item]
	view    *Mark
	bounds  kv.Range
	reverse bool

	started         bool
	baseOK, ownOK   bool
	useOwn, useBoth bool // the current key is the own one; is the base's too
	err             error
}

func (m *merged) Next() bool {
	switch {
	case m.err != nil:
		return false
	case !m.started:
		m.started = true
		m.useOwn, m.useBoth = false, false
		m.startOwn()
		m.nextBase()
	case m.useOwn:
		m.nextOwn()
		if m.useBoth {
			m.nextBase()
		}
	case m.baseOK:
		m.nextBase()
	}
	return m.settle()
}

// settle picks the current key from the two candidates, passing over own
// tombstones and the base keys they hide.
func (m *merged) settle() bool {
	for {
		if m.err != nil {
			// A base that failed may be short of keys: own keys behind the
			// failure must not be served as if the gap were empty.
			m.baseOK, m.ownOK = false, false
			return false
		}
		if !m.ownOK {
			m.useOwn, m.useBoth = false, false
			return m.baseOK
		}
		order := -1
		if m.baseOK {
			if order = bytes.Compare(m.own.Item().key(), m.base.Key()); m.reverse {
				order = -order
			}
		}
		if order > 0 {
			m.useOwn, m.useBoth = false, false
			return true
		}
		m.useOwn, m.useBoth = true, order == 0
		if !m.own.Item().tombstone {
			return true
		}
		m.nextOwn()
		if m.useBoth {
			m.nextBase()
		}
	}
}

// nextBase moves the base to its next key outside the deleted ranges.
func (m *merged) nextBase() {
	m.baseOK = m.base.Next()
	for m.baseOK && m.view.ranges != nil {
		hidden, ok := m.view.ranges.covering(m.base.Key())
		if !ok {
			return
		}
		rest := kv.Range{Start: hidden.End, End: m.bounds.End}
		exhausted := hidden.End == nil
		if m.reverse {
			rest = kv.Range{Start: m.bounds.Start, End: hidden.Start}
			exhausted = len(hidden.Start) == 0
		}
		if exhausted || (rest.End != nil && bytes.Compare(rest.Start, rest.End) >= 0) {
			m.baseOK = false
			return
		}
		m.base.SeekTo(rest)
		m.baseOK = m.base.Next()
	}
	if !m.baseOK {
		m.err = m.base.Err()
	}
}

// startOwn moves the own side to its first key in bounds.
func (m *merged) startOwn() {
	if m.view.items == nil {
		m.ownOK = false
		return
	}
	switch {
	case !m.reverse:
		m.ownOK = m.own.Seek(probe(m.bounds.Start))
	case m.bounds.End == nil || !m.own.Seek(probe(m.bounds.End)):
		m.ownOK = m.own.Last()
	default: // on the first key at or past the end
		m.ownOK = m.own.Prev()
	}
	m.boundOwn()
}

func (m *merged) nextOwn() {
	if m.reverse {
		m.ownOK = m.own.Prev()
	} else {
		m.ownOK = m.own.Next()
	}
	m.boundOwn()
}

func (m *merged) boundOwn() {
	if !m.ownOK {
		return
	}
	key := m.own.Item().key()
	if m.reverse {
		m.ownOK = bytes.Compare(key, m.bounds.Start) >= 0
	} else {
		m.ownOK = m.bounds.End == nil || bytes.Compare(key, m.bounds.End) < 0
	}
}

func (m *merged) SeekTo(r kv.Range) {
	m.bounds = r
	m.base.SeekTo(r)
	m.started, m.err = false, nil
}

func (m *merged) Key() []byte {
	if m.useOwn {
		return m.own.Item().key()
	}
	return m.base.Key()
}

func (m *merged) Value() ([]byte, error) {
	if m.useOwn {
		return m.own.Item().value(), nil
	}
	return m.base.Value()
}

func (m *merged) Err() error { return m.err }

func (m *merged) Close() error { return m.base.Close() }
