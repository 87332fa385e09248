package catalog

import (
	"errors"
	"fmt"
	"strings"

	"github.com/freshetdb/freshet/vtab/kv"
)

// Opening and closing.
var (
	// ErrClosed: the catalog was closed; it can be read but not changed.
	ErrClosed = errors.New("the catalog is closed")
	// ErrMeta: a stored counter of the catalog is damaged.
	ErrMeta = errors.New("a stored catalog counter is damaged")
)

// Changing.
var (
	// ErrNotLocked: a change was tried without the catalog's writer lock.
	ErrNotLocked = errors.New("the catalog is changed without its lock")
	// ErrEnded: the catalog transaction has ended.
	ErrEnded = errors.New("the catalog transaction has ended")
	// ErrInvalid: a descriptor contradicts itself or cannot be stored.
	ErrInvalid = errors.New("the definition is invalid")
	// ErrNoSuchObject: there is no entry with this kind and id.
	ErrNoSuchObject = errors.New("there is no such object in the catalog")
	// ErrNoParent: the database or table that should hold an object is missing.
	ErrNoParent = errors.New("the object's parent does not exist")
	// ErrNotEmpty: an object was dropped and others in it were not.
	ErrNotEmpty = errors.New("the dropped object still holds others")
	// ErrNoMoreIDs: all 2^32 ids have been handed out.
	ErrNoMoreIDs = errors.New("all object ids of this data folder have been used; dump and load into a new one")
)

// Causes of a broken entry, for BrokenEntryError.Cause.
var (
	// ErrDamaged: the stored bytes are not those that were written.
	ErrDamaged = fmt.Errorf("%w: the checksum of the entry does not match", kv.ErrCorrupt)
	// ErrUnknownRecord: the record version is one this version does not know.
	ErrUnknownRecord = errors.New("the record version is unknown, the entry may come from a newer version")
	// ErrUnknownKind: the kind is one this version does not know.
	ErrUnknownKind = errors.New("the kind is unknown, the entry may come from a newer version")
	// ErrOrphan: the parent of the entry does not exist.
	ErrOrphan = errors.New("its parent does not exist in the catalog")
	// ErrDuplicateName: another entry has the same name.
	ErrDuplicateName = errors.New("another entry has the same name; rename or drop that one and reopen")
	// ErrDuplicateRange: another entry owns the same key range.
	ErrDuplicateRange = errors.New("another entry owns one of its key ranges")
	// ErrBadKey: the key is not that of an entry.
	ErrBadKey = fmt.Errorf("%w: the key is not that of a catalog entry", kv.ErrCorrupt)
)

// ExistsError says that a name is taken.
type ExistsError struct {
	Kind Kind   // of the object that has the name
	Name string // as that object declares it
	// Broken: that object's entry is damaged; its name stays reserved until it
	// is dropped.
	Broken bool
}

func (e *ExistsError) Error() string {
	if e.Broken {
		return fmt.Sprintf("%v %s exists already (its entry is damaged; drop it first)", e.Kind, quote(e.Name))
	}
	return fmt.Sprintf("%v %s exists already", e.Kind, quote(e.Name))
}

// NameError says that a name cannot be used.
type NameError struct {
	Kind   Kind
	Name   string
	Reason NameReason
}

// NameReason says what is wrong with a name.
type NameReason uint8

const (
	// NameEmpty: it has no characters.
	NameEmpty NameReason = iota + 1
	// NameTooLong: it has more characters (system entries: bytes) than allowed.
	NameTooLong
	// NameNotUTF8: it holds bytes that are not UTF-8, or a zero byte.
	NameNotUTF8
	// NameBlankEnd: it ends in a blank.
	NameBlankEnd
)

func (e *NameError) Error() string {
	what := map[NameReason]string{
		NameEmpty: "is empty", NameTooLong: "is too long",
		NameNotUTF8: "holds bytes that are not valid text", NameBlankEnd: "ends in a blank",
	}[e.Reason]
	return fmt.Sprintf("the name %q of the %v %s", e.Name, e.Kind, what)
}

// BrokenEntryError says that a stored entry cannot be read. The entry stays as
// it is; dropping it is the way out.
type BrokenEntryError struct {
	Header            // zero but for Kind and ID when Named is false
	Database   string // that the object is in, if any
	Named      bool   // name, parent, Physical and References could be read
	Physical   []ID   // key ranges the object is known to own
	References []TableRef
	Cause      error
}

func (e *BrokenEntryError) Error() string {
	name := quote(e.Name)
	if e.Database != "" {
		name = quote(e.Database) + "." + name
	}
	if !e.Named {
		return fmt.Sprintf("the catalog entry of the %v with id %d cannot be read: %v", e.Kind, e.ID, e.Cause)
	}
	msg := fmt.Sprintf("the catalog entry of %v %s cannot be read: %v", e.Kind, name, e.Cause)
	if e.Kind.known() {
		msg += "; the way out is " + strings.ReplaceAll(e.Kind.info().wayOut, "%s", name)
	}
	return msg
}

func (e *BrokenEntryError) Unwrap() error { return e.Cause }

// quote writes a name as SQL does.
func quote(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }
