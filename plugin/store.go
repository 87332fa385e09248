package plugin

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"
	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"

	"github.com/freshetdb/freshet/catalog"
	"github.com/freshetdb/freshet/plugin/correct"
	"github.com/freshetdb/freshet/plugin/own"
	"github.com/freshetdb/freshet/plugin/routine"
	"github.com/freshetdb/freshet/plugin/sysdb"
	"github.com/freshetdb/freshet/vtab"
	"github.com/freshetdb/freshet/vtab/kv"
	"github.com/freshetdb/freshet/vtab/kv/pebblekv"
)

// privilegesName is the name of the catalog entry that holds accounts and grants.
const privilegesName = "privileges"

// storeBackend keeps everything in a Freshet store.
type storeBackend struct {
	store      kv.Store
	catalog    *catalog.Catalog
	rehydrate  *catalog.RehydrationResult
	tables     *vtab.Engine
	databases  *vtab.Provider
	executor   *executor
	functions  *routine.Functions
	procedures *routine.Procedures
	own        *own.Statements
	exact      *exactFunctions
}

// openStore opens the store that o names.
func openStore(ctx context.Context, o Options) (*storeBackend, error) {
	dir := o.Dir
	po := pebblekv.Options{Durability: o.Durability, CacheBytes: o.CacheBytes, Logger: o.logger(), FS: o.FS}
	if o.inMemory() {
		dir = "memory"
		if po.FS == nil {
			po.FS = vfs.NewMem()
		}
	}
	store, err := pebblekv.Open(ctx, dir, po)
	if err != nil {
		return nil, err
	}
	cat, result, err := catalog.Open(ctx, store, catalog.Options{Logger: o.logger()})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("reading the catalog: %w", err), store.Close())
	}
	tables := vtab.NewEngine(store, cat, vtab.Options{Logger: o.logger(), StoredText: own.StoredText})
	databases := vtab.NewProvider(tables, vtab.SystemDatabase{Database: oneDatabase{}}, vtab.SystemDatabase{Database: sysdb.New(tables)})
	exact := &exactFunctions{}
	databases.AddFunctions(exact)
	functions := routine.NewFunctions(own.NewDefinitions(databases))
	databases.AddFunctions(functions)
	statements := own.New(databases, tables, functions)
	return &storeBackend{
		store: store, catalog: cat, rehydrate: result, tables: tables, databases: databases,
		functions: functions, own: statements, exact: exact,
		procedures: routine.NewProcedures(own.NewDefinitions(databases), statements.Parser()),
	}, nil
}

// exactFunctions are the functions that the corrections put in the place of the
// engine's. accounts is set before there are sessions.
type exactFunctions struct{ accounts *mysql_db.MySQLDb }

// Function implements sql.FunctionProvider. With a database one of its stored
// functions is meant.
func (f *exactFunctions) Function(_ *sql.Context, database, name string) (sql.Function, bool) {
	if database != "" {
		return nil, false
	}
	if f.accounts != nil && strings.EqualFold(name, "load_file") {
		return fileTextFunction(f.accounts), true
	}
	return correct.Function(name)
}

func (b *storeBackend) provider() sql.DatabaseProvider { return b.databases }

func (b *storeBackend) newSession(base *sql.BaseSession) (sql.Session, error) {
	return vtab.NewSession(base, b.tables), nil
}

func (b *storeBackend) overrides() sql.EngineOverrides {
	return sql.EngineOverrides{
		Builder:         sql.BuilderOverrides{Parser: b.own.Parser()},
		SchemaFormatter: &own.Formatter{},
	}
}

func (b *storeBackend) configure(*analyzer.Builder) {}

func (b *storeBackend) finish(a *analyzer.Analyzer) error {
	if err := correct.Rules(a); err != nil {
		return err
	}
	a.Catalog.StatsProvider = newStatistics()
	b.exact.accounts = a.Catalog.MySQLDb
	b.tables.RefuseWrites(func(ctx *sql.Context) error { return refuseReadOnly(ctx, a.Catalog.MySQLDb) })
	b.executor = newExecutor(a, b.procedures)
	b.functions.Attach(a)
	b.own.Attach(a)
	return nil
}

func (b *storeBackend) start(e *sqle.Engine) {
	b.executor.start(e)
	b.procedures.Attach(e.Analyzer, e)
	b.tables.SetQuerier(newQuerier(e, b.tables))
}

func (b *storeBackend) privileges(context.Context) ([]byte, error) {
	blob, ok, err := b.catalog.Current().Blob(catalog.KindPrivileges, 0, privilegesName)
	if err != nil || !ok {
		return nil, err
	}
	return blob.Body, nil
}

func (b *storeBackend) savePrivileges(ctx *sql.Context, data []byte) error {
	return vtab.PutBlob(ctx, catalog.KindPrivileges, privilegesName, data)
}

func (b *storeBackend) loadVariables(ctx *sql.Context) []error { return b.tables.LoadPersisted(ctx) }

func (b *storeBackend) metrics() kv.Metrics { return b.store.Metrics() }

func (b *storeBackend) close() error {
	ctx := context.Background()
	return errors.Join(b.tables.Close(ctx), b.catalog.Close(ctx), b.store.Close())
}
