package correct_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/cockroachdb/apd/v3"
	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/memory"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"
	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/plugin/correct"
)

// provider is the engine's in-memory provider with the corrected functions.
type provider struct{ *memory.DbProvider }

func (p provider) Function(_ *sql.Context, _, name string) (sql.Function, bool) {
	return correct.Function(name)
}

// shell runs SQL on one corrected engine over in-memory tables.
type shell struct {
	t      testing.TB
	engine *sqle.Engine
	ctx    *sql.Context
	pro    provider
}

func newShell(t testing.TB) *shell { return newShellWith(t, correct.Options{}) }

func newShellWith(t testing.TB, options correct.Options) *shell {
	t.Helper()
	correct.Install()
	memoryProvider := memory.NewDBProvider(memory.NewDatabase("d"), memory.NewDatabase("other"))
	pro := provider{memoryProvider}
	a := analyzer.NewBuilder(pro).Build()
	require.NoError(t, correct.Rules(a))
	correct.NewExecBuilder(a, options)
	engine := sqle.New(a, &sqle.Config{})
	t.Cleanup(func() { require.NoError(t, engine.Close()) })
	s := &shell{t: t, engine: engine, pro: pro}
	s.ctx = s.session()
	return s
}

func (s *shell) session() *sql.Context {
	ctx := sql.NewContext(context.Background(), sql.WithSession(memory.NewSession(sql.NewBaseSession(), s.pro.DbProvider)))
	ctx.SetCurrentDatabase("d")
	return ctx
}

// next gives the session a fresh statement context.
func (s *shell) next() *sql.Context {
	s.ctx = sql.NewContext(context.Background(), sql.WithSession(s.ctx.Session))
	return s.ctx
}

func (s *shell) query(statement string) (sql.Schema, []sql.Row, error) {
	ctx := s.next()
	schema, iter, _, err := s.engine.Query(ctx, statement)
	if err != nil {
		return nil, nil, err
	}
	var rows []sql.Row
	for {
		row, err := iter.Next(ctx)
		if err == io.EOF {
			return schema, rows, iter.Close(ctx)
		}
		if err != nil {
			_ = iter.Close(ctx)
			return nil, nil, err
		}
		rows = append(rows, row)
	}
}

// exec runs statements that must succeed and returns the result of the last.
func (s *shell) exec(statements ...string) []sql.Row {
	s.t.Helper()
	var rows []sql.Row
	for _, statement := range statements {
		var err error
		_, rows, err = s.query(statement)
		require.NoError(s.t, err, statement)
	}
	return rows
}

// text is the result as a client sees it: one line a row, columns split by " | ".
func (s *shell) text(statement string) string {
	s.t.Helper()
	schema, rows, err := s.query(statement)
	require.NoError(s.t, err, statement)
	lines := make([]string, len(rows))
	for i, row := range rows {
		cells := make([]string, len(row))
		for j, value := range row {
			cells[j] = cell(s.t, s.ctx, schema, j, value)
		}
		lines[i] = strings.Join(cells, " | ")
	}
	return strings.Join(lines, "\n")
}

func cell(t testing.TB, ctx *sql.Context, schema sql.Schema, i int, value any) string {
	if ok, isOk := value.(types.OkResult); isOk {
		return fmt.Sprintf("%d %v", ok.RowsAffected, ok.Info)
	}
	if value == nil {
		return "NULL"
	}
	out, err := schema[i].Type.SQL(ctx, nil, value)
	require.NoError(t, err)
	if out.Type() == sqltypes.Decimal {
		_, isDecimal := value.(*apd.Decimal)
		require.True(t, isDecimal, "column %s is DECIMAL and holds a %T", schema[i].Name, value)
	}
	return out.ToString()
}

// types gives the SQL types of a statement's columns.
func (s *shell) types(statement string) string {
	s.t.Helper()
	schema, _, err := s.query(statement)
	require.NoError(s.t, err, statement)
	names := make([]string, len(schema))
	for i, column := range schema {
		names[i] = column.Type.String()
	}
	return strings.Join(names, " | ")
}

// fails is the error of a statement that must not succeed.
func (s *shell) fails(statement string) error {
	s.t.Helper()
	_, rows, err := s.query(statement)
	require.Error(s.t, err, "%s gave %v", statement, rows)
	return err
}

// warnings are the session's warnings as "code message".
func (s *shell) warnings() []string {
	var lines []string
	for _, w := range s.ctx.Session.Warnings() {
		lines = append(lines, fmt.Sprintf("%d %s", w.Code, w.Message))
	}
	return lines
}

var errAlready = correct.ErrAlreadyInstalled

// correctRules applies the rules to an analyzer that has them.
func correctRules(s *shell) error {
	correct.Install()
	return correct.Rules(s.engine.Analyzer)
}
