package vtab

import (
	"strings"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/freshetdb/freshet/catalog"
)

// Provider gives GMS the databases of an Engine.
type Provider struct {
	engine    *Engine
	system    []SystemDatabase
	functions []sql.FunctionProvider
}

// SystemDatabase is a database that is not in the catalog.
type SystemDatabase struct {
	sql.Database
	Listed bool // shown by SHOW DATABASES and information_schema
}

var (
	_ sql.CollatedDatabaseProvider = (*Provider)(nil)
	_ sql.FunctionProvider         = (*Provider)(nil)
)

// NewProvider returns the provider of e's databases and of the given ones, whose
// names nobody else may use.
func NewProvider(e *Engine, system ...SystemDatabase) *Provider {
	return &Provider{engine: e, system: system}
}

// AddFunctions makes the functions of f known to statements, behind those that
// were added before. Call it before the provider is used.
func (p *Provider) AddFunctions(f sql.FunctionProvider) { p.functions = append(p.functions, f) }

// Function implements sql.FunctionProvider.
func (p *Provider) Function(ctx *sql.Context, schema, name string) (sql.Function, bool) {
	for _, f := range p.functions {
		if fn, ok := f.Function(ctx, schema, name); ok {
			return fn, true
		}
	}
	return nil, false
}

func (p *Provider) systemDatabase(name string) (sql.Database, bool) {
	for _, s := range p.system {
		if sameName(s.Name(), name) {
			return s.Database, true
		}
	}
	return nil, false
}

// view returns the catalog that the statement of ctx sees. Outside any session
// (GMS asks for databases while it starts up) that is the current one.
func (p *Provider) view(ctx *sql.Context) (*catalog.Snapshot, error) {
	if ctx == nil || ctx.Session == nil {
		return p.engine.catalog.Current(), nil
	}
	s, ok := ctx.Session.(*Session)
	if !ok {
		return p.engine.catalog.Current(), nil
	}
	tx, ok := s.BaseSession.GetTransaction().(*Transaction)
	if !ok || tx.ended {
		return p.engine.catalog.Current(), nil
	}
	return tx.definitions(ctx)
}

// Database implements sql.DatabaseProvider.
func (p *Provider) Database(ctx *sql.Context, name string) (sql.Database, error) {
	if db, ok := p.systemDatabase(name); ok {
		return db, nil
	}
	v, err := p.view(ctx)
	if err != nil {
		return nil, err
	}
	db, ok := v.DB(name)
	if !ok {
		return nil, sql.ErrDatabaseNotFound.New(name)
	}
	return newDatabase(p.engine, db), nil
}

// HasDatabase implements sql.DatabaseProvider.
func (p *Provider) HasDatabase(ctx *sql.Context, name string) bool {
	if _, ok := p.systemDatabase(name); ok {
		return true
	}
	v, err := p.view(ctx)
	if err != nil {
		return false
	}
	_, ok := v.DB(name)
	return ok
}

// AllDatabases implements sql.DatabaseProvider.
func (p *Provider) AllDatabases(ctx *sql.Context) []sql.Database {
	v, err := p.view(ctx)
	if err != nil {
		return nil
	}
	var all []sql.Database
	for _, db := range v.Databases() {
		all = append(all, newDatabase(p.engine, db))
	}
	for _, s := range p.system {
		if s.Listed {
			all = append(all, s.Database)
		}
	}
	return all
}

// CreateDatabase implements sql.MutableDatabaseProvider.
func (p *Provider) CreateDatabase(ctx *sql.Context, name string) error {
	return p.CreateCollatedDatabase(ctx, name, sql.Collation_Default)
}

// CreateCollatedDatabase implements sql.CollatedDatabaseProvider.
func (p *Provider) CreateCollatedDatabase(ctx *sql.Context, name string, collation sql.CollationID) error {
	if err := checkIdentifier("database", 1102, name); err != nil {
		return err
	}
	tx, err := transactionOf(ctx)
	if err != nil {
		return err
	}
	c, err := tx.redefine(ctx)
	if err != nil {
		return err
	}
	if _, ok := c.Snapshot().DB(name); ok || p.HasDatabase(ctx, name) {
		return sql.ErrDatabaseExists.New(name)
	}
	if collation == sql.Collation_Unspecified {
		collation = sql.Collation_Default
	}
	return c.Put(&catalog.Database{
		Header:    catalog.Header{ID: c.NewID(), Kind: catalog.KindDatabase, Name: name},
		Collation: collation.Name(),
	})
}

// DropDatabase implements sql.MutableDatabaseProvider. Everything in the database
// goes with it.
func (p *Provider) DropDatabase(ctx *sql.Context, name string) error {
	tx, err := transactionOf(ctx)
	if err != nil {
		return err
	}
	c, err := tx.redefine(ctx)
	if err != nil {
		return err
	}
	db, ok := c.Snapshot().DB(name)
	if !ok {
		return sql.ErrDatabaseNotFound.New(name)
	}
	if err := tx.dropContents(ctx, c, db); err != nil {
		return err
	}
	if err := c.Drop(catalog.KindDatabase, db.Desc().ID); err != nil {
		return err
	}
	s, err := SessionOf(ctx)
	if err != nil {
		return err
	}
	return s.dropTemporaryOf(ctx, name)
}

// dropContents drops every object of a database, those whose entries cannot be
// read included.
func (tx *Transaction) dropContents(ctx *sql.Context, c *catalog.Txn, db *catalog.DB) error {
	for _, h := range db.Children() {
		for _, part := range c.Snapshot().Children(h.ID) {
			if err := tx.dropObject(ctx, c, db, part); err != nil {
				return err
			}
		}
		if err := tx.dropObject(ctx, c, db, h); err != nil {
			return err
		}
	}
	return nil
}

func (tx *Transaction) dropObject(ctx *sql.Context, c *catalog.Txn, db *catalog.DB, h catalog.Header) error {
	o, ok, err := c.Snapshot().ByID(h.Kind, h.ID)
	if b := brokenOf(err); b != nil {
		return tx.dropBroken(ctx, c, b)
	}
	if err != nil || !ok {
		return err
	}
	t, ok := o.(*catalog.Table)
	if !ok {
		return c.Drop(h.Kind, h.ID)
	}
	if err := tx.checkNotParent(c.Snapshot(), db, t); err != nil {
		return err
	}
	return tx.dropTable(ctx, c, t)
}

// checkNotParent refuses to drop a table that a table of another database
// references.
func (tx *Transaction) checkNotParent(s *catalog.Snapshot, db *catalog.DB, t *catalog.Table) error {
	children, err := s.References(db.Name(), t.Name)
	if err != nil {
		return err
	}
	for _, child := range children {
		if child.Parent == t.Parent || !tx.sess.foreignKeyChecks() {
			continue
		}
		for _, fk := range child.Foreign {
			if strings.EqualFold(fk.ParentTable, t.Name) && strings.EqualFold(fk.ParentDatabase, db.Name()) {
				return sql.ErrForeignKeyDropTable.New(t.Name, fk.Name)
			}
		}
	}
	return nil
}

// foreignKeyChecks reads the session variable.
func (s *Session) foreignKeyChecks() bool {
	v, err := s.GetSessionVariable(nil, "foreign_key_checks")
	if err != nil {
		return true
	}
	n, ok := v.(int8)
	return !ok || n != 0
}

// redefine makes the transaction the one that may change definitions: it takes
// the catalog's writer lock, so that its base is the current catalog.
func (tx *Transaction) redefine(ctx *sql.Context) (*catalog.Txn, error) {
	if err := tx.admitWrite(ctx); err != nil {
		return nil, err
	}
	if err := tx.sync(ctx); err != nil {
		return nil, err
	}
	before := tx.cat.Snapshot()
	if err := tx.cat.Lock(ctx); err != nil {
		return nil, err
	}
	if tx.cat.Snapshot() != before {
		tx.refresh()
	}
	return tx.cat, nil
}

// checkIdentifier refuses names that MySQL refuses.
func checkIdentifier(what string, number int, name string) error {
	if len([]rune(name)) > maxIdentifierChars {
		return errIdentifierTooLong(name)
	}
	if name == "" || strings.HasSuffix(name, " ") || !utf8.ValidString(name) {
		return errBadIdentifier(number, what, name)
	}
	return nil
}
