package plugin

import (
	"context"
	"errors"
	"fmt"

	"github.com/freshetdb/freshet/vtab/kv/pebblekv"
)

// Report is what a check of a whole store looked at and found.
type Report struct {
	Objects      int
	Rows         uint64
	IndexEntries uint64
	// Problems name object, key and kind of each difference.
	Problems []string
	// Notes are findings that are no damage: rows without a parent under a foreign
	// key that was never validated, and what could not be checked.
	Notes []string
}

// Check opens the store in o.Dir, which nobody else may have open, and compares
// catalog, rows, index entries, foreign keys and sequences. It makes no store: if
// there is none it fails with ErrNoStore and nothing has changed.
func Check(ctx context.Context, o Options) (report Report, err error) {
	if !o.inMemory() {
		exists, err := pebblekv.Exists(o.FS, o.Dir)
		if err != nil {
			return Report{}, err
		}
		if !exists {
			return Report{}, fmt.Errorf("%s: %w", o.Dir, ErrNoStore)
		}
	}
	db, err := Open(ctx, o)
	if err != nil {
		return Report{}, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return db.Check(ctx)
}

// Check compares the open store with itself; see the function Check.
func (db *DB) Check(ctx context.Context) (Report, error) {
	checker, ok := db.backend.(interface {
		check(ctx context.Context) (Report, error)
	})
	if !ok {
		return Report{}, fmt.Errorf("checking a store of this kind: %w", errors.ErrUnsupported)
	}
	return checker.check(ctx)
}
