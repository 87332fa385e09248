package vtab

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/freshetdb/freshet/catalog"
	"github.com/freshetdb/freshet/vtab/kv"
)

// Persisted system variables: SET PERSIST and its kin. Each is one catalog entry,
// written in a transaction of its own, because SET is part of none.

var _ sql.PersistableSession = (*Session)(nil)

// PersistGlobal implements sql.PersistableSession.
func (s *Session) PersistGlobal(ctx *sql.Context, name string, value any) error {
	v, _, ok := sql.SystemVariables.GetGlobal(name)
	if !ok {
		return sql.ErrUnknownSystemVariable.New(name)
	}
	value, _, err := v.GetType().Convert(ctx, value)
	if err != nil {
		return err
	}
	body, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("persist %s: %w", name, err)
	}
	name = strings.ToLower(name)
	return s.engine.redefine(ctx, func(c *catalog.Txn) error {
		b := &catalog.Blob{Header: catalog.Header{Kind: catalog.KindVariable, Name: name}, Body: body}
		old, ok, err := c.Snapshot().Blob(catalog.KindVariable, 0, name)
		if err != nil {
			return err
		}
		if ok {
			b.ID = old.ID
		} else {
			b.ID = c.NewID()
		}
		return c.Put(b)
	})
}

// RemovePersistedGlobal implements sql.PersistableSession.
func (s *Session) RemovePersistedGlobal(name string) error {
	if _, _, ok := sql.SystemVariables.GetGlobal(name); !ok {
		return sql.ErrUnknownSystemVariable.New(name)
	}
	return s.engine.redefine(context.Background(), func(c *catalog.Txn) error {
		old, ok, err := c.Snapshot().Blob(catalog.KindVariable, 0, strings.ToLower(name))
		if err != nil || !ok {
			return err
		}
		return c.Drop(catalog.KindVariable, old.ID)
	})
}

// RemoveAllPersistedGlobals implements sql.PersistableSession.
func (s *Session) RemoveAllPersistedGlobals() error {
	return s.engine.redefine(context.Background(), func(c *catalog.Txn) error {
		blobs, err := c.Snapshot().Blobs(catalog.KindVariable)
		if err != nil {
			return err
		}
		for _, b := range blobs {
			if err := c.Drop(catalog.KindVariable, b.ID); err != nil {
				return err
			}
		}
		return nil
	})
}

// GetPersistedValue implements sql.PersistableSession.
func (s *Session) GetPersistedValue(name string) (any, error) {
	b, ok, err := s.engine.catalog.Current().Blob(catalog.KindVariable, 0, strings.ToLower(name))
	if err != nil || !ok {
		return nil, err
	}
	return persistedValue(b)
}

// persistedValue gives a stored value the Go type that its variable has.
func persistedValue(b *catalog.Blob) (any, error) {
	v, _, ok := sql.SystemVariables.GetGlobal(b.Name)
	if !ok {
		return nil, sql.ErrUnknownSystemVariable.New(b.Name)
	}
	dec := json.NewDecoder(strings.NewReader(string(b.Body)))
	dec.UseNumber()
	var raw any
	if err := dec.Decode(&raw); err != nil {
		return nil, fmt.Errorf("persisted variable %s: %w", b.Name, err)
	}
	if n, ok := raw.(json.Number); ok {
		if i, err := n.Int64(); err == nil {
			raw = i
		} else if f, err := n.Float64(); err == nil {
			raw = f
		}
	}
	value, _, err := v.GetType().Convert(context.Background(), raw)
	return value, err
}

// LoadPersisted puts the persisted variables in force. One that cannot be is
// reported and does not keep the rest from it.
func (e *Engine) LoadPersisted(ctx *sql.Context) (problems []error) {
	blobs, err := e.catalog.Current().Blobs(catalog.KindVariable)
	if err != nil {
		problems = append(problems, err)
	}
	for _, b := range blobs {
		value, err := persistedValue(b)
		if err == nil {
			err = sql.SystemVariables.SetGlobal(ctx, b.Name, value)
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("persisted variable %s: %w", b.Name, err))
		}
	}
	return problems
}

// redefine changes the catalog in a transaction of its own.
func (e *Engine) redefine(ctx context.Context, change func(*catalog.Txn) error) error {
	tx, err := e.store.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	c := e.catalog.Begin()
	defer c.End()
	if err := c.Lock(ctx); err != nil {
		return err
	}
	if err := change(c); err != nil {
		return err
	}
	if !c.Changed() {
		return nil
	}
	if err := c.Flush(tx); err != nil {
		return err
	}
	_, err = tx.Commit(ctx, kv.CommitOptions{Published: func(kv.Position) { c.Publish() }})
	return err
}
