package own

import (
	"sync/atomic"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/freshetdb/freshet/plugin/parser"
	"github.com/freshetdb/freshet/plugin/routine"
	"github.com/freshetdb/freshet/vtab"
)

// Statements supplies the nodes that run our own statements. It may be used by any
// number of goroutines.
type Statements struct {
	databases *vtab.Provider
	tables    *vtab.Engine
	functions *routine.Functions
	parser    *parser.Parser
	analyzer  atomic.Pointer[analyzer.Analyzer]
	schemas   keyedSchemas
}

var _ parser.Resolver = (*Statements)(nil)

// New makes the resolver over a store. Its nodes run after Attach.
func New(databases *vtab.Provider, tables *vtab.Engine, functions *routine.Functions) *Statements {
	s := &Statements{databases: databases, tables: tables, functions: functions}
	s.parser = parser.New(s).HideBodies().MarkKeys()
	return s
}

// Parser is the parser of the engine that runs the statements.
func (s *Statements) Parser() *parser.Parser { return s.parser }

// Attach gives the analyzer that binds and runs the engine's statements within
// ours. Call it once, when the engine is built.
func (s *Statements) Attach(a *analyzer.Analyzer) { s.analyzer.Store(a) }

// Resolve implements parser.Resolver.
func (s *Statements) Resolve(ctx *sql.Context, statement parser.Statement, exprs []sql.Expression) (sql.ExecSourceRel, error) {
	if n, ok := s.functions.Resolve(statement); ok {
		return n, nil
	}
	switch statement := statement.(type) {
	case *parser.InsertValues:
		return s.insertValues(statement), nil
	case *parser.Keyed:
		return s.keyed(ctx, statement)
	case *parser.Begin:
		return begin(statement), nil
	case *parser.EndTransaction:
		return endTransaction(statement), nil
	case *parser.SetTransaction:
		return setTransaction(statement), nil
	case *parser.LockTables:
		return s.lockTables(statement), nil
	case *parser.UnlockTables:
		return unlockTables(statement), nil
	case *parser.Flush:
		return s.flush(statement), nil
	case *parser.Do:
		return newDo(statement, exprs)
	case *parser.AlterView:
		return s.definition(statement, func(ctx *sql.Context) error { return s.alterView(ctx, statement) }), nil
	case *parser.CreateMissing:
		return s.definition(statement, func(ctx *sql.Context) error { return s.createMissing(ctx, statement) }), nil
	case *parser.CreateTableKeys:
		n := s.definition(statement, func(ctx *sql.Context) error { return s.createTableKeys(ctx, statement) })
		n.ddl = !statement.Temporary
		return n, nil
	case *parser.AlterTableConvert:
		return s.definition(statement, func(ctx *sql.Context) error { return s.convertTable(ctx, statement) }), nil
	case *parser.CreateTableLike:
		n := s.definition(statement, func(ctx *sql.Context) error { return s.createTableLike(ctx, statement) })
		n.ddl = !statement.Temporary
		return n, nil
	case *parser.AlterRoutine:
		return s.definition(statement, func(ctx *sql.Context) error { return s.alterProcedure(ctx, statement) }), nil
	case *parser.TableMaintenance:
		return s.maintenance(statement), nil
	case *parser.ShowEngineStatus:
		return s.engineStatus(statement), nil
	}
	return nil, sql.ErrUnsupportedFeature.New(statement.String())
}

// definition is the node of a statement that changes definitions.
func (s *Statements) definition(statement parser.Statement, run func(*sql.Context) error) *node {
	return &node{statement: statement, schema: types.OkResultSchema, ddl: true, run: func(ctx *sql.Context) ([]sql.Row, error) {
		if err := run(ctx); err != nil {
			return nil, err
		}
		return []sql.Row{{types.NewOkResult(0)}}, nil
	}}
}

// databaseOf is the database that a name means.
func databaseOf(ctx *sql.Context, name parser.Name) (string, error) {
	if name.Database != "" {
		return name.Database, nil
	}
	if current := ctx.GetCurrentDatabase(); current != "" {
		return current, nil
	}
	return "", errNoDatabase()
}

// store returns the store database that a name means.
func (s *Statements) store(ctx *sql.Context, name parser.Name) (*vtab.Database, error) {
	database, err := databaseOf(ctx, name)
	if err != nil {
		return nil, err
	}
	return storeDatabase(ctx, s.databases, database)
}

// storeDatabase returns a database of the store by name.
func storeDatabase(ctx *sql.Context, databases *vtab.Provider, name string) (*vtab.Database, error) {
	found, err := databases.Database(ctx, name)
	if err != nil {
		return nil, err
	}
	database, ok := found.(*vtab.Database)
	if !ok {
		return nil, sql.ErrDatabaseNotFound.New(name)
	}
	return database, nil
}
