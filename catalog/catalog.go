package catalog

import (
	"context"
	"encoding/binary"
	"fmt"
	"log/slog"
	"sync/atomic"

	"github.com/freshetdb/freshet/vtab/kv"
)

// maxNextID is the value of the id counter when all ids have been handed out.
const maxNextID = uint64(1) << 32

// Options are the options of Open.
type Options struct {
	// Logger receives what rehydration finds; nil discards it.
	Logger *slog.Logger
	// Stale returns the ids of the objects whose stored content is known to be
	// behind, for the clean-shutdown marker. Close calls it once; nil means none.
	Stale func() []ID
}

// Catalog is the catalog of one store. Its methods are safe for concurrent use.
type Catalog struct {
	store kv.Store
	log   *slog.Logger
	stale func() []ID
	work  *work

	current atomic.Pointer[Snapshot]
	next    atomic.Uint64 // the id that NewID hands out next
	// avoid are ids beyond next that are in use all the same: by entries that
	// damage or a tool left behind, and in key ranges that could not be swept.
	// Rows found there must not turn up in a new table. Fixed after Open.
	avoid map[ID]bool
	// writer holds one token; whoever takes it may change the catalog, and
	// writing is set from before the first change until after Publish.
	writer  chan struct{}
	writing atomic.Bool
	closed  atomic.Bool // set while holding the token
	// loadErrors are problems found at Open that no entry stands for.
	loadErrors []RehydrationError
}

// Open reads the catalog of a store. What is wrong with single entries is
// reported in the result and does not fail it. Open writes nothing to a sound
// store but the deletion of the clean-shutdown marker, which happens first.
func Open(ctx context.Context, store kv.Store, o Options) (*Catalog, *RehydrationResult, error) {
	c := &Catalog{store: store, log: o.Logger, stale: o.Stale, writer: make(chan struct{}, 1)}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	c.work = &work{log: c.log}
	c.writer <- struct{}{}
	result, err := c.rehydrate(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("open the catalog: %w", err)
	}
	return c, result, nil
}

// Current is the committed catalog.
func (c *Catalog) Current() *Snapshot { return c.current.Load() }

// Begin starts a transaction over the current snapshot. Nothing is locked.
func (c *Catalog) Begin() *Txn {
	s := c.Current()
	return &Txn{catalog: c, base: s, cur: s}
}

// Errors lists everything about the stored catalog that is known to be wrong
// now: what Open found and was not dropped since, and bodies that turned out to
// be unreadable when they were asked for.
func (c *Catalog) Errors() []RehydrationError {
	errs := append([]RehydrationError(nil), c.loadErrors...)
	s := c.Current()
	s.objects.Scan(func(it *item) bool {
		if cause := it.broken(); cause != nil {
			errs = append(errs, s.rehydrationError(it, cause))
		}
		return true
	})
	return errs
}

// Metrics are counters since Open.
type Metrics struct {
	Version uint64 // of the current snapshot
	Entries int    // stored entries, broken ones included
	Decodes uint64 // bodies decoded
	NextID  uint64
}

// Metrics returns the counters.
func (c *Catalog) Metrics() Metrics {
	s := c.Current()
	return Metrics{Version: s.version, Entries: s.Len(), Decodes: c.work.decodes.Load(), NextID: c.next.Load()}
}

// Close writes the clean-shutdown marker after everything that was committed has
// reached stable storage; nobody may commit to the store afterwards. If that
// cannot be had it returns why and writes no marker, and the next Open will know.
// It waits for a transaction that holds the writer lock until ctx ends (then the
// catalog stays open). A second Close does nothing. The store stays open.
func (c *Catalog) Close(ctx context.Context) error {
	if err := c.acquire(ctx); err != nil {
		if c.closed.Load() {
			return nil
		}
		return fmt.Errorf("close the catalog: %w", err)
	}
	c.closed.Store(true)
	c.release()
	if err := c.writeMarker(ctx); err != nil {
		return fmt.Errorf("close the catalog: %w", err)
	}
	return nil
}

// acquire takes the writer lock.
func (c *Catalog) acquire(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case <-c.writer:
	case <-ctx.Done():
		return ctx.Err()
	}
	if c.closed.Load() {
		c.release()
		return ErrClosed
	}
	return nil
}

func (c *Catalog) release() {
	c.writing.Store(false)
	c.writer <- struct{}{}
}

// Settled returns the current snapshot, and false while some transaction holds the
// writer lock. Whoever gets the same snapshot twice, both times with true, and has
// taken a snapshot of the store in between, has two that belong together: a commit
// that changes the catalog is visible in the store a moment before it is here, but
// never without the lock.
func (c *Catalog) Settled() (*Snapshot, bool) {
	writing := c.writing.Load() // before current: what was published meanwhile must show
	return c.Current(), !writing
}

// newID hands out an id, 0 when there is none left.
func (c *Catalog) newID() ID {
	for {
		next := c.next.Load()
		if next >= maxNextID {
			return 0
		}
		if c.next.CompareAndSwap(next, next+1) && !c.avoid[ID(next)] {
			return ID(next)
		}
	}
}

func (c *Catalog) peekID() uint64 { return c.next.Load() }

// EncodeVersion is the stored form of kv.MetaCatalogVersion.
func EncodeVersion(version uint64) []byte {
	return binary.BigEndian.AppendUint64(nil, version)
}

// DecodeVersion reads the value of kv.MetaCatalogVersion; a store without one
// has version 0. It fails with ErrMeta.
func DecodeVersion(value []byte) (uint64, error) {
	return decodeCounter("the catalog version", value)
}

func decodeCounter(what string, value []byte) (uint64, error) {
	if len(value) != 8 {
		return 0, fmt.Errorf("%w: %s has %d bytes", ErrMeta, what, len(value))
	}
	return binary.BigEndian.Uint64(value), nil
}
