package routine_test

import (
	"context"
	"fmt"
	"io"
	"sort"
	"strings"
	"sync"
	"testing"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/memory"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/catalog"
	"github.com/freshetdb/freshet/plugin/correct"
	"github.com/freshetdb/freshet/plugin/parser"
	"github.com/freshetdb/freshet/plugin/routine"
)

// memoryDefinitions keeps definitions in memory.
type memoryDefinitions struct {
	mu     sync.Mutex
	byName map[string]*catalog.Routine
}

func key(database, name string) string { return strings.ToLower(database + "\x00" + name) }

func (d *memoryDefinitions) Lookup(_ *sql.Context, database, name string) (*catalog.Routine, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.byName[key(database, name)], nil
}

func (d *memoryDefinitions) List(_ *sql.Context, database string) ([]*catalog.Routine, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var all []*catalog.Routine
	for k, r := range d.byName {
		if strings.HasPrefix(k, strings.ToLower(database)+"\x00") {
			all = append(all, r)
		}
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Name < all[j].Name })
	return all, nil
}

func (d *memoryDefinitions) put(database string, r *catalog.Routine) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.byName[key(database, r.Name)] = r
	return nil
}

func (d *memoryDefinitions) Create(_ *sql.Context, database string, r *catalog.Routine) error {
	return d.put(database, r)
}

func (d *memoryDefinitions) Replace(_ *sql.Context, database string, r *catalog.Routine) error {
	return d.put(database, r)
}

func (d *memoryDefinitions) Drop(_ *sql.Context, database, name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.byName, key(database, name))
	return nil
}

type provider struct {
	*memory.DbProvider
	functions *routine.Functions
}

func (p provider) Function(ctx *sql.Context, schema, name string) (sql.Function, bool) {
	if f, ok := p.functions.Function(ctx, schema, name); ok {
		return f, true
	}
	return correct.Function(name)
}

// Database adds the table of one row that the parser puts into queries without one.
func (p provider) Database(ctx *sql.Context, name string) (sql.Database, error) {
	if !strings.EqualFold(name, parser.DualDatabase) {
		return p.DbProvider.Database(ctx, name)
	}
	database := memory.NewDatabase(parser.DualDatabase)
	schema := sql.NewPrimaryKeySchema(sql.Schema{{Name: "\x01", Type: types.Int8, Source: parser.DualTable}})
	table := memory.NewTable(ctx, database, parser.DualTable, schema, nil)
	if err := table.Insert(ctx, sql.Row{int8(1)}); err != nil {
		return nil, err
	}
	database.AddTable(parser.DualTable, table)
	return database, nil
}

type resolver struct{ functions *routine.Functions }

func (r resolver) Resolve(_ *sql.Context, s parser.Statement, _ []sql.Expression) (sql.ExecSourceRel, error) {
	if node, ok := r.functions.Resolve(s); ok {
		return node, nil
	}
	return nil, fmt.Errorf("no node for %s", s)
}

// shell runs SQL on an engine with stored functions over in-memory tables.
type shell struct {
	t           testing.TB
	engine      *sqle.Engine
	ctx         *sql.Context
	pro         provider
	definitions *memoryDefinitions
}

func newShell(t testing.TB) *shell {
	t.Helper()
	correct.Install()
	definitions := &memoryDefinitions{byName: map[string]*catalog.Routine{}}
	functions := routine.NewFunctions(definitions)
	pro := provider{memory.NewDBProvider(memory.NewDatabase("d"), memory.NewDatabase("other")), functions}
	overrides := sql.EngineOverrides{Builder: sql.BuilderOverrides{Parser: parser.New(resolver{functions})}}
	a := analyzer.NewBuilder(pro).AddOverrides(overrides).Build()
	require.NoError(t, correct.Rules(a))
	correct.NewExecBuilder(a, correct.Options{})
	functions.Attach(a)
	engine := sqle.New(a, &sqle.Config{})
	t.Cleanup(func() { require.NoError(t, engine.Close()) })
	s := &shell{t: t, engine: engine, pro: pro, definitions: definitions}
	session := sql.NewBaseSessionWithClientServer("", sql.Client{User: "root", Address: "localhost"}, 1)
	s.ctx = sql.NewContext(context.Background(), sql.WithSession(memory.NewSession(session, pro)))
	s.ctx.SetCurrentDatabase("d")
	return s
}

func (s *shell) sessionFor(base *sql.BaseSession) sql.Session { return memory.NewSession(base, s.pro) }

func (s *shell) query(statement string) (sql.Schema, []sql.Row, error) {
	s.ctx = sql.NewContext(context.Background(), sql.WithSession(s.ctx.Session))
	schema, iter, _, err := s.engine.Query(s.ctx, statement)
	if err != nil {
		return nil, nil, err
	}
	var rows []sql.Row
	for {
		row, err := iter.Next(s.ctx)
		if err == io.EOF {
			return schema, rows, iter.Close(s.ctx)
		}
		if err != nil {
			_ = iter.Close(s.ctx)
			return nil, nil, err
		}
		rows = append(rows, row)
	}
}

func (s *shell) exec(statements ...string) {
	s.t.Helper()
	for _, statement := range statements {
		_, _, err := s.query(statement)
		require.NoError(s.t, err, statement)
	}
}

func (s *shell) text(statement string) string {
	s.t.Helper()
	schema, rows, err := s.query(statement)
	require.NoError(s.t, err, statement)
	lines := make([]string, len(rows))
	for i, row := range rows {
		cells := make([]string, len(row))
		for j, value := range row {
			switch {
			case value == nil:
				cells[j] = "NULL"
			default:
				if ok, isOk := value.(types.OkResult); isOk {
					cells[j] = fmt.Sprint(ok.RowsAffected)
					continue
				}
				out, err := schema[j].Type.SQL(s.ctx, nil, value)
				require.NoError(s.t, err)
				cells[j] = out.ToString()
			}
		}
		lines[i] = strings.Join(cells, " | ")
	}
	return strings.Join(lines, "\n")
}

// fails is the number, SQLSTATE and text of the error a statement gives.
func (s *shell) fails(statement string) string {
	s.t.Helper()
	_, rows, err := s.query(statement)
	require.Error(s.t, err, "%s gave %v", statement, rows)
	var e *mysql.SQLError
	require.ErrorAs(s.t, correct.MySQLError(err), &e)
	return fmt.Sprintf("%d %s %s", e.Num, e.State, e.Message)
}

func (s *shell) warnings() []string {
	var lines []string
	for _, w := range s.ctx.Session.Warnings() {
		lines = append(lines, fmt.Sprintf("%d %s", w.Code, w.Message))
	}
	return lines
}
