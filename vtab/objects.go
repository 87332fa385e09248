package vtab

import (
	"encoding/json"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/freshetdb/freshet/catalog"
)

// The objects of a database that are text: views, triggers, procedures, events.

var (
	_ sql.ViewDatabase            = (*Database)(nil)
	_ sql.TriggerDatabase         = (*Database)(nil)
	_ sql.StoredProcedureDatabase = (*Database)(nil)
	_ sql.EventDatabase           = (*Database)(nil)
	_ sql.QuiescableEventDatabase = (*Database)(nil)
)

// CreateView implements sql.ViewDatabase. GMS drops a view that is to be replaced.
func (d *Database) CreateView(ctx *sql.Context, name, selectText, createText string) error {
	db, c, _, err := d.edit(ctx)
	if err != nil {
		return err
	}
	if _, ok, err := db.View(name); err != nil {
		return err
	} else if ok {
		return sql.ErrExistingView.New(d.name, name)
	}
	return c.Put(&catalog.View{
		Header:    catalog.Header{ID: c.NewID(), Kind: catalog.KindView, Parent: d.id, Name: name},
		Select:    selectText,
		Statement: createText,
		SQLMode:   sql.LoadSqlMode(ctx).String(),
	})
}

// DropView implements sql.ViewDatabase.
func (d *Database) DropView(ctx *sql.Context, name string) error {
	db, c, _, err := d.edit(ctx)
	if err != nil {
		return err
	}
	h, ok := db.Lookup(catalog.KindView, name)
	if !ok || h.Kind != catalog.KindView {
		return sql.ErrViewDoesNotExist.New(d.name, name)
	}
	return c.Drop(catalog.KindView, h.ID)
}

// GetViewDefinition implements sql.ViewDatabase.
func (d *Database) GetViewDefinition(ctx *sql.Context, name string) (sql.ViewDefinition, bool, error) {
	db, _, err := d.view(ctx)
	if err != nil {
		return sql.ViewDefinition{}, false, err
	}
	v, ok, err := db.View(name)
	if err != nil || !ok {
		return sql.ViewDefinition{}, false, err
	}
	def := d.viewDefinition(ctx, v)
	if s, err := SessionOf(ctx); err == nil && s.lendDatabase(d.name) {
		def.CreateViewStatement = qualifyView(def.CreateViewStatement, d.name)
	}
	return def, true, nil
}

// AllViews implements sql.ViewDatabase.
func (d *Database) AllViews(ctx *sql.Context) ([]sql.ViewDefinition, error) {
	db, _, err := d.view(ctx)
	if err != nil {
		return nil, err
	}
	views, err := readable(db.Views())
	if err != nil {
		return nil, err
	}
	var all []sql.ViewDefinition
	for _, v := range views {
		all = append(all, d.viewDefinition(ctx, v))
	}
	return all, nil
}

func (d *Database) viewDefinition(ctx *sql.Context, v *catalog.View) sql.ViewDefinition {
	return sql.ViewDefinition{
		Name: v.Name, TextDefinition: v.Select, CreateViewStatement: d.engine.storedText(ctx, v.Statement, v.SQLMode), SqlMode: v.SQLMode,
	}
}

// GetTriggers implements sql.TriggerDatabase.
func (d *Database) GetTriggers(ctx *sql.Context) ([]sql.TriggerDefinition, error) {
	db, _, err := d.view(ctx)
	if err != nil {
		return nil, err
	}
	triggers, err := db.Triggers()
	if err != nil && !onlyBroken(err) {
		return nil, err
	}
	all := brokenTriggers(db, err)
	for _, t := range triggers {
		all = append(all, sql.TriggerDefinition{Name: t.Name, CreateStatement: d.engine.storedText(ctx, t.Statement, t.SQLMode), CreatedAt: t.Created, SqlMode: t.SQLMode})
	}
	return all, nil
}

// CreateTrigger implements sql.TriggerDatabase.
func (d *Database) CreateTrigger(ctx *sql.Context, def sql.TriggerDefinition) error {
	if err := checkIdentifier("trigger", 1103, def.Name); err != nil {
		return err
	}
	db, c, _, err := d.edit(ctx)
	if err != nil {
		return err
	}
	triggers, err := readable(db.Triggers())
	if err != nil {
		return err
	}
	ordinal := uint64(1)
	for _, t := range triggers {
		ordinal = max(ordinal, t.Ordinal+1)
	}
	return c.Put(&catalog.Trigger{
		Header:    catalog.Header{ID: c.NewID(), Kind: catalog.KindTrigger, Parent: d.id, Name: def.Name},
		Table:     triggerTable(ctx, d.name, def.CreateStatement),
		Statement: def.CreateStatement,
		SQLMode:   def.SqlMode,
		Created:   def.CreatedAt,
		Ordinal:   ordinal,
	})
}

// DropTrigger implements sql.TriggerDatabase.
func (d *Database) DropTrigger(ctx *sql.Context, name string) error {
	db, c, _, err := d.edit(ctx)
	if err != nil {
		return err
	}
	h, ok := db.Lookup(catalog.KindTrigger, name)
	if !ok {
		return sql.ErrTriggerDoesNotExist.New(name)
	}
	return c.Drop(catalog.KindTrigger, h.ID)
}

// GetStoredProcedure implements sql.StoredProcedureDatabase.
func (d *Database) GetStoredProcedure(ctx *sql.Context, name string) (sql.StoredProcedureDetails, bool, error) {
	db, _, err := d.view(ctx)
	if err != nil {
		return sql.StoredProcedureDetails{}, false, err
	}
	r, ok, err := db.Routine(catalog.KindProcedure, name)
	if err != nil || !ok {
		return sql.StoredProcedureDetails{}, false, err
	}
	return d.procedureDetails(ctx, r), true, nil
}

// GetStoredProcedures implements sql.StoredProcedureDatabase.
func (d *Database) GetStoredProcedures(ctx *sql.Context) ([]sql.StoredProcedureDetails, error) {
	db, _, err := d.view(ctx)
	if err != nil {
		return nil, err
	}
	routines, err := readable(db.Routines(catalog.KindProcedure))
	if err != nil {
		return nil, err
	}
	var all []sql.StoredProcedureDetails
	for _, r := range routines {
		all = append(all, d.procedureDetails(ctx, r))
	}
	return all, nil
}

func (d *Database) procedureDetails(ctx *sql.Context, r *catalog.Routine) sql.StoredProcedureDetails {
	return sql.StoredProcedureDetails{
		Name: r.Name, CreateStatement: d.engine.storedText(ctx, r.Statement, r.SQLMode),
		CreatedAt: r.Created, ModifiedAt: r.Modified, SqlMode: r.SQLMode,
	}
}

// SaveStoredProcedure implements sql.StoredProcedureDatabase.
func (d *Database) SaveStoredProcedure(ctx *sql.Context, p sql.StoredProcedureDetails) error {
	return d.SaveRoutine(ctx, catalog.KindProcedure, p)
}

// DropStoredProcedure implements sql.StoredProcedureDatabase.
func (d *Database) DropStoredProcedure(ctx *sql.Context, name string) error {
	return d.DropRoutine(ctx, catalog.KindProcedure, name)
}

// SaveRoutine creates a procedure or a function.
func (d *Database) SaveRoutine(ctx *sql.Context, kind catalog.Kind, p sql.StoredProcedureDetails) error {
	if err := checkIdentifier("routine", 1103, p.Name); err != nil {
		return err
	}
	db, c, _, err := d.edit(ctx)
	if err != nil {
		return err
	}
	if _, ok, err := db.Routine(kind, p.Name); err != nil {
		return err
	} else if ok {
		return sql.ErrStoredProcedureAlreadyExists.New(p.Name)
	}
	return c.Put(&catalog.Routine{
		Header:    catalog.Header{ID: c.NewID(), Kind: kind, Parent: d.id, Name: p.Name},
		Statement: p.CreateStatement,
		SQLMode:   p.SqlMode,
		Created:   p.CreatedAt,
		Modified:  p.ModifiedAt,
	})
}

// ReplaceRoutine gives a procedure or a function a new definition.
func (d *Database) ReplaceRoutine(ctx *sql.Context, kind catalog.Kind, p sql.StoredProcedureDetails) error {
	db, c, _, err := d.edit(ctx)
	if err != nil {
		return err
	}
	r, ok, err := db.Routine(kind, p.Name)
	if err != nil {
		return err
	}
	if !ok {
		return sql.ErrStoredProcedureDoesNotExist.New(p.Name)
	}
	return c.Put(&catalog.Routine{Header: r.Header, Statement: p.CreateStatement, SQLMode: p.SqlMode, Created: p.CreatedAt, Modified: p.ModifiedAt})
}

// DropRoutine drops a procedure or a function.
func (d *Database) DropRoutine(ctx *sql.Context, kind catalog.Kind, name string) error {
	db, c, _, err := d.edit(ctx)
	if err != nil {
		return err
	}
	h, ok := db.Lookup(kind, name)
	if !ok || h.Kind != kind {
		return sql.ErrStoredProcedureDoesNotExist.New(name)
	}
	return c.Drop(kind, h.ID)
}

// Routine returns a procedure or a function by name.
func (d *Database) Routine(ctx *sql.Context, kind catalog.Kind, name string) (*catalog.Routine, bool, error) {
	db, _, err := d.view(ctx)
	if err != nil {
		return nil, false, err
	}
	return db.Routine(kind, name)
}

// Routines returns the procedures or the functions of the database.
func (d *Database) Routines(ctx *sql.Context, kind catalog.Kind) ([]*catalog.Routine, error) {
	db, _, err := d.view(ctx)
	if err != nil {
		return nil, err
	}
	return readable(db.Routines(kind))
}

// GetEvent implements sql.EventDatabase.
func (d *Database) GetEvent(ctx *sql.Context, name string) (sql.EventDefinition, bool, error) {
	db, _, err := d.view(ctx)
	if err != nil {
		return sql.EventDefinition{}, false, err
	}
	e, ok, err := db.Event(name)
	if err != nil || !ok {
		return sql.EventDefinition{}, false, err
	}
	def, err := eventDefinition(e)
	return def, err == nil, err
}

// GetEvents implements sql.EventDatabase. The token is the catalog's version.
func (d *Database) GetEvents(ctx *sql.Context) ([]sql.EventDefinition, any, error) {
	db, tx, err := d.view(ctx)
	if err != nil {
		return nil, nil, err
	}
	events, err := readable(db.Events())
	if err != nil {
		return nil, nil, err
	}
	var all []sql.EventDefinition
	for _, e := range events {
		def, err := eventDefinition(e)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, def)
	}
	return all, tx.cat.Snapshot().Version(), nil
}

func eventDefinition(e *catalog.Event) (sql.EventDefinition, error) {
	var def sql.EventDefinition
	if err := json.Unmarshal(e.Body, &def); err != nil {
		return def, errInternal("event %s: %w", e.Name, err)
	}
	def.Name = e.Name
	return def, nil
}

// SaveEvent implements sql.EventDatabase.
func (d *Database) SaveEvent(ctx *sql.Context, def sql.EventDefinition) (bool, error) {
	db, c, _, err := d.edit(ctx)
	if err != nil {
		return false, err
	}
	if _, ok, err := db.Event(def.Name); err != nil {
		return false, err
	} else if ok {
		return false, sql.ErrEventAlreadyExists.New(def.Name)
	}
	return def.Status == sql.EventStatus_Enable.String(), putEvent(c, catalog.Header{ID: c.NewID(), Kind: catalog.KindEvent, Parent: d.id, Name: def.Name}, def)
}

func putEvent(c *catalog.Txn, h catalog.Header, def sql.EventDefinition) error {
	body, err := json.Marshal(def)
	if err != nil {
		return err
	}
	h.Name = def.Name
	return c.Put(&catalog.Event{Header: h, Body: body})
}

// DropEvent implements sql.EventDatabase.
func (d *Database) DropEvent(ctx *sql.Context, name string) error {
	db, c, _, err := d.edit(ctx)
	if err != nil {
		return err
	}
	h, ok := db.Lookup(catalog.KindEvent, name)
	if !ok {
		return sql.ErrEventDoesNotExist.New(name)
	}
	return c.Drop(catalog.KindEvent, h.ID)
}

// UpdateEvent implements sql.EventDatabase.
func (d *Database) UpdateEvent(ctx *sql.Context, name string, def sql.EventDefinition) (bool, error) {
	db, c, _, err := d.edit(ctx)
	if err != nil {
		return false, err
	}
	e, ok, err := db.Event(name)
	if err != nil {
		return false, err
	}
	if !ok {
		return false, sql.ErrEventDoesNotExist.New(name)
	}
	if other, ok, _ := db.Event(def.Name); ok && other.ID != e.ID {
		return false, sql.ErrEventAlreadyExists.New(def.Name)
	}
	return def.Status == sql.EventStatus_Enable.String(), putEvent(c, e.Header, def)
}

// UpdateLastExecuted implements sql.EventDatabase.
func (d *Database) UpdateLastExecuted(ctx *sql.Context, name string, at time.Time) error {
	db, c, _, err := d.edit(ctx)
	if err != nil {
		return err
	}
	e, ok, err := db.Event(name)
	if err != nil {
		return err
	}
	if !ok {
		return sql.ErrEventDoesNotExist.New(name)
	}
	def, err := eventDefinition(e)
	if err != nil {
		return err
	}
	def.LastExecuted = at
	return putEvent(c, e.Header, def)
}

// NeedsToReloadEvents implements sql.EventDatabase.
func (d *Database) NeedsToReloadEvents(ctx *sql.Context, token any) (bool, error) {
	_, tx, err := d.view(ctx)
	if err != nil {
		return false, err
	}
	return token != any(tx.cat.Snapshot().Version()), nil
}

// QuiescableEvents implements sql.QuiescableEventDatabase: the scheduler may
// sleep while no database has events.
func (d *Database) QuiescableEvents() bool { return true }
