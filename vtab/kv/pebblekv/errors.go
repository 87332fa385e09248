package pebblekv

import (
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/freshetdb/freshet/vtab/kv"
)

// Committing.
var (
	errForeign    = errors.New("the mark is not one of this transaction")
	errPanicked   = errors.New("the storage engine panicked")
	errIncomplete = errors.New("the data folder is incomplete")
)

// Closing.
var (
	errTimeout = errors.New("the storage engine does not answer")
	errInUse   = errors.New("the store was closed while in use")
)

// translate gives an error of Pebble the meaning it has at the seam.
func translate(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, pebble.ErrNotFound):
		return kv.ErrNotFound
	case pebble.IsCorruptionError(err):
		return fmt.Errorf("%w: %w", kv.ErrCorrupt, err)
	case vfs.IsNoSpaceError(err):
		return fmt.Errorf("%w: %w", kv.ErrDiskFull, err)
	default:
		return err
	}
}

// fatalError is what Pebble said when it gave up.
type fatalError struct {
	message string
	causes  []error
}

func (e *fatalError) Error() string   { return "the storage engine gave up: " + e.message }
func (e *fatalError) Unwrap() []error { return e.causes }

// fileError is a file operation that failed although the store depends on it.
type fileError struct {
	op   string
	path string
	err  error
}

func (e *fileError) Error() string { return fmt.Sprintf("%s %s: %v", e.op, e.path, e.err) }
func (e *fileError) Unwrap() error { return e.err }
