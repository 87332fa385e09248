package vtab

import (
	"context"
	"log/slog"

	"github.com/freshetdb/freshet/catalog"
	"github.com/freshetdb/freshet/vtab/kv"
)

// CommitHook takes part in every commit that changes something: view
// maintenance and the transaction log hang in here. It runs inside the commit
// section, so its work must be bounded. An error fails the commit.
type CommitHook interface {
	// Extend may read the committed state without the transaction's writes,
	// and add to the batch. pos is the position that the commit will have.
	Extend(ctx context.Context, tx *Transaction, latest kv.Reader, w kv.Writer, pos kv.Position) error
}

// Options configure an Engine.
type Options struct {
	Logger *slog.Logger // nil: slog.Default()
	Hooks  []CommitHook // run in order
}

// Engine is what all sessions of one store share. It is safe for concurrent use.
type Engine struct {
	store     kv.Store
	catalog   *catalog.Catalog
	sequences *sequences
	log       *slog.Logger
	hooks     []CommitHook
}

// NewEngine returns the table layer over a store and its catalog. The caller
// keeps both and closes them after the last session has ended.
func NewEngine(store kv.Store, cat *catalog.Catalog, o Options) *Engine {
	log := o.Logger
	if log == nil {
		log = slog.Default()
	}
	return &Engine{store: store, catalog: cat, sequences: newSequences(store), log: log, hooks: o.Hooks}
}

// Store is the storage engine below.
func (e *Engine) Store() kv.Store { return e.store }

// Catalog is the catalog below.
func (e *Engine) Catalog() *catalog.Catalog { return e.catalog }

// Close returns unused sequence values. Call it after the last session has ended
// and before the store is closed.
func (e *Engine) Close(ctx context.Context) error { return e.sequences.close(ctx) }
