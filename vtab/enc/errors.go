package enc

import (
	"errors"
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
)

// Building codecs.

// TypeError says that a type cannot be encoded, or cannot be part of a key.
type TypeError struct {
	Type   sql.Type
	Reason string
}

func (e *TypeError) Error() string {
	return fmt.Sprintf("type %s %s", e.Type.String(), e.Reason)
}

// Encoding.

// ErrOutOfRange is wrapped by a ValueError when the value lies outside its type.
var ErrOutOfRange = errors.New("out of range")

// ValueError says that a value is none of its type: it was not converted, or is
// outside the type's range. Cause may be nil.
type ValueError struct {
	Type  sql.Type
	Value any
	Cause error
}

func (e *ValueError) Error() string {
	text := fmt.Sprintf("%T value", e.Value)
	if e.Cause == nil {
		return fmt.Sprintf("%s cannot be stored as %s", text, e.Type.String())
	}
	return fmt.Sprintf("%s cannot be stored as %s: %v", text, e.Type.String(), e.Cause)
}

func (e *ValueError) Unwrap() error { return e.Cause }

// errIllFormed: text is not UTF-8, and would not come back from a key.
var errIllFormed = errors.New("text is not well-formed UTF-8")

// ErrColumnCount: the number of values differs from the number of columns.
var ErrColumnCount = errors.New("number of values differs from number of columns")

// ErrRowTooLarge: a row's variable part does not fit its offset table.
var ErrRowTooLarge = errors.New("row too large")

// Decoding.

// ErrCorrupt is wrapped by every error of a decoder about its input.
var ErrCorrupt = errors.New("encoded bytes are damaged")

// ErrVersion: a row was decoded with the layout of another version.
var ErrVersion = errors.New("row was written under another layout version")

// ErrNotReversible: the value cannot be read back from this key part.
var ErrNotReversible = errors.New("key part does not hold the exact value")

func corrupt(what string) error { return fmt.Errorf("%w: %s", ErrCorrupt, what) }
