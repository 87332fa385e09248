package catalog

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/freshetdb/freshet/vtab/kv"
)

const (
	markerVersion = 1
	// maxMarkerBytes bounds what is parsed: it has room for the ids of some
	// 90,000 stale views, and noise is not worth looking at.
	maxMarkerBytes = 1 << 20
)

// marker is the value of kv.MetaCleanShutdown. It says that the last session
// ended with everything flushed, and which objects were stale then.
type marker struct {
	Version int  `json:"version"`
	Stale   []ID `json:"stale"`
}

func parseMarker(value []byte) (marker, error) {
	var m marker
	if len(value) > maxMarkerBytes {
		return m, fmt.Errorf("it has %d bytes", len(value))
	}
	dec := json.NewDecoder(bytes.NewReader(value))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&m); err != nil {
		return marker{}, err
	}
	if dec.More() {
		return marker{}, errors.New("it is followed by further data")
	}
	if m.Version != markerVersion {
		return marker{}, fmt.Errorf("its version is %d", m.Version)
	}
	return m, nil
}

// consumeMarker reads and deletes the marker, durably, before anything else
// happens: a marker speaks for one session only. Whatever cannot be read as one
// counts as none.
func (c *Catalog) consumeMarker(ctx context.Context) (m marker, found bool, err error) {
	txn, err := c.store.Begin(ctx)
	if err != nil {
		return marker{}, false, err
	}
	defer txn.Rollback()
	value, err := txn.Latest(kv.Now).Get(ctx, kv.MetaCleanShutdown)
	if errors.Is(err, kv.ErrNotFound) {
		return marker{}, false, nil
	}
	if err != nil {
		return marker{}, false, fmt.Errorf("read the clean-shutdown marker: %w", err)
	}
	if err := txn.Delete(kv.MetaCleanShutdown); err != nil {
		return marker{}, false, fmt.Errorf("delete the clean-shutdown marker: %w", err)
	}
	if _, err := txn.Commit(ctx, kv.CommitOptions{Durability: kv.DurabilityCommit}); err != nil {
		return marker{}, false, fmt.Errorf("delete the clean-shutdown marker: %w", err)
	}
	if m, err = parseMarker(value); err != nil {
		c.log.Warn("the clean-shutdown marker is unreadable and was removed; the start counts as unclean",
			"reason", err, "bytes", len(value))
		return marker{}, false, nil
	}
	return m, true, nil
}

// writeMarker writes the marker after everything committed is durable.
func (c *Catalog) writeMarker(ctx context.Context) error {
	if err := c.store.Err(); err != nil {
		return err
	}
	if err := c.store.WaitDurable(ctx, c.store.Applied()); err != nil {
		return fmt.Errorf("flush: %w", err)
	}
	m := marker{Version: markerVersion, Stale: []ID{}}
	if c.stale != nil {
		m.Stale = append(m.Stale, c.stale()...)
	}
	value, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("encode the clean-shutdown marker: %w", err)
	}
	if len(value) > maxMarkerBytes {
		return fmt.Errorf("the clean-shutdown marker would have %d bytes", len(value))
	}
	txn, err := c.store.Begin(ctx)
	if err != nil {
		return err
	}
	defer txn.Rollback()
	if err := txn.Put(kv.MetaCleanShutdown, value); err != nil {
		return fmt.Errorf("write the clean-shutdown marker: %w", err)
	}
	if _, err := txn.Commit(ctx, kv.CommitOptions{Durability: kv.DurabilityCommit}); err != nil {
		return fmt.Errorf("write the clean-shutdown marker: %w", err)
	}
	return nil
}
