package catalog

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"
)

const (
	// maxNameRunes is MySQL's limit for the names of databases, tables, views,
	// routines, triggers and events.
	maxNameRunes = 64
	// maxSystemNameBytes bounds the names of entries that no user names, such as
	// statistics; it only has to keep a head small.
	maxSystemNameBytes = 1024
)

// fold maps names that differ only in letter case to one spelling, the same way
// the engine does.
func fold(name string) string { return strings.ToLower(name) }

// item is one entry of a snapshot: its identity, its stored bytes, and its
// descriptor as soon as somebody has asked for it. Everything but decoded is
// immutable. An item is shared by all snapshots that contain it.
type item struct {
	head
	named bool   // the head could be read; else only Kind and ID are set
	value []byte // as stored
	body  []byte // part of value; nil when the entry is broken
	cause error  // why the entry is broken, nil if it is not

	work    *work
	mu      sync.Mutex // held while decoding
	decoded atomic.Pointer[decoded]
}

// decoded is the outcome of decoding a body.
type decoded struct {
	object Object
	err    error
}

// work is what all items of a catalog share: a counter, and where damage that
// only decoding reveals is logged.
type work struct {
	decodes atomic.Uint64
	log     *slog.Logger
}

// newItem encodes a descriptor as the entry that version writes.
func newItem(o Object, version uint64, w *work) (*item, error) {
	kind, err := kindOf(o)
	if err != nil {
		return nil, err
	}
	h := head{Header: *o.Head(), physical: physicalIDs(o), references: references(o), maxID: maxID(o)}
	h.Kind, h.Version = kind, version
	if err := checkName(kind, h.Name); err != nil {
		return nil, err
	}
	body, err := encodeBody(o)
	if err != nil {
		return nil, fmt.Errorf("%v %s: %w", kind, quote(h.Name), err)
	}
	it := &item{head: h, named: true, work: w}
	it.value = encodeEntry(&h, body)
	// Reading back what was just written gives the item its own copy of the
	// strings, and proves that the entry can be read.
	stored, body, err := decodeEntry(entryKey(h.Kind, h.ID), it.value)
	if err != nil {
		return nil, fmt.Errorf("%w: %v %s is not read back as written: %w", ErrInvalid, kind, quote(h.Name), err)
	}
	it.head, it.body = *stored, body
	return it, nil
}

// readItem makes an item of a stored entry; damage ends up in the item's cause.
func readItem(key, value []byte, w *work) (*item, error) {
	kind, id, ok := parseEntryKey(key)
	if !ok {
		return nil, ErrBadKey
	}
	it := &item{head: head{Header: Header{Kind: kind, ID: id}}, value: bytes.Clone(value), work: w}
	h, body, err := decodeEntry(key, it.value)
	if h != nil {
		it.head, it.named = *h, true
	}
	if h == nil && kind == KindDatabase {
		// What is in the database can be read all the same; it needs a name to
		// be found under, and dropped.
		it.Name = fmt.Sprintf("#%d", id)
	}
	it.body, it.cause = body, err
	if it.cause == nil && !kind.known() {
		it.body, it.cause = nil, fmt.Errorf("%w: it is %d", ErrUnknownKind, uint8(kind))
	}
	return it, nil
}

// ownsKnown reports whether it.physical is certainly all that the entry owns.
// A newer version may own ranges that the head of this one doesn't list.
func (it *item) ownsKnown() bool {
	return it.named && it.Kind.known() && len(it.value) > 0 && it.value[0] == recordVersion
}

// listed reports whether the entry can be found by name.
func (it *item) listed() bool {
	return it.Kind.known() && (it.named || it.Kind == KindDatabase)
}

// withCause returns a copy of the item that is broken for the given reason.
func (it *item) withCause(cause error) *item {
	return &item{head: it.head, named: it.named, value: it.value, cause: cause, work: it.work}
}

// get returns the descriptor, decoding it at the first call, or why there is none.
func (it *item) get() (Object, error) {
	if it.cause != nil {
		return nil, it.cause
	}
	if d := it.decoded.Load(); d != nil {
		return d.object, d.err
	}
	it.mu.Lock()
	defer it.mu.Unlock()
	if d := it.decoded.Load(); d != nil {
		return d.object, d.err
	}
	it.work.decodes.Add(1)
	o, err := decodeBody(it.Header, it.body)
	if err != nil {
		it.work.log.Warn("a catalog entry cannot be read", "kind", it.Kind.String(), "id", it.ID,
			"name", it.Name, "reason", err)
	}
	it.decoded.Store(&decoded{object: o, err: err})
	return o, err
}

// broken returns why the entry is known to be unreadable so far: a body that
// nobody has asked for is not decoded for it.
func (it *item) broken() error {
	if it.cause != nil {
		return it.cause
	}
	if d := it.decoded.Load(); d != nil {
		return d.err
	}
	return nil
}

// sameContent reports whether two items differ at most in their version.
func (it *item) sameContent(other *item) bool {
	return it.cause == nil && other.cause == nil && it.Kind == other.Kind && it.ID == other.ID &&
		it.Parent == other.Parent && it.Name == other.Name && bytes.Equal(it.body, other.body)
}

// checkName says whether an object of the kind may have the name.
func checkName(kind Kind, name string) error {
	switch info := kind.info(); {
	case !utf8.ValidString(name) || strings.ContainsRune(name, 0):
		return &NameError{Kind: kind, Name: name, Reason: NameNotUTF8}
	case info.system && len(name) <= maxSystemNameBytes:
		return nil
	case info.system || utf8.RuneCountInString(name) > maxNameRunes:
		return &NameError{Kind: kind, Name: name, Reason: NameTooLong}
	case name == "":
		return &NameError{Kind: kind, Name: name, Reason: NameEmpty}
	case strings.HasSuffix(name, " "):
		return &NameError{Kind: kind, Name: name, Reason: NameBlankEnd}
	}
	return nil
}
