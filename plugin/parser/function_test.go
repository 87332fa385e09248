package parser

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/procedures"
	"github.com/dolthub/go-mysql-server/sql/types"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"
	"github.com/stretchr/testify/require"
)

// program is a body as the engine's procedure interpreter takes it.
type program struct {
	runner     sql.StatementRunner
	operations []*procedures.InterpreterOperation
}

func (p *program) GetAsOf() sql.Expression                                       { return nil }
func (p *program) GetRunner() sql.StatementRunner                                { return p.runner }
func (p *program) GetStatements() []*procedures.InterpreterOperation             { return p.operations }
func (p *program) SetSchema(sql.Schema)                                          {}
func (p *program) SetStatementRunner(*sql.Context, sql.StatementRunner) sql.Node { return nil }

func functionOf(t *testing.T, text string) *CreateFunction {
	t.Helper()
	stmt, _, _, err := New(nil).ParseWithOptions(context.Background(), text, ';', false, ast.ParserOptions{})
	require.NoError(t, err, text)
	f, ok := StatementOf(stmt).(*CreateFunction)
	require.True(t, ok, "%T", stmt)
	return f
}

// call runs a function once.
func (b *bench) call(f *CreateFunction, args ...any) (any, error) {
	body, err := FunctionBodyAsProcedure(f)
	if err != nil {
		return nil, err
	}
	operations, err := procedures.Parse(body)
	if err != nil {
		return nil, err
	}
	deadline, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	// A session of its own: parameters of the session outlive a call, and the first value of a name stays.
	ctx := sql.NewContext(deadline, sql.WithSession(b.session()))
	for i, p := range f.Params[:min(len(f.Params), len(args))] {
		typ, err := types.ColumnTypeToType(&p.Type)
		if err != nil {
			return nil, err
		}
		ctx.Session.NewStoredProcParam(p.Name, &sql.StoredProcParam{Type: typ, Value: args[i]})
	}
	typ, err := types.ColumnTypeToType(&f.ReturnType)
	if err != nil {
		return nil, err
	}
	result := ctx.Session.NewStoredProcParam(FunctionResult, &sql.StoredProcParam{Type: typ})
	if _, _, err := procedures.Call(ctx, &program{b.engine, operations}); err != nil {
		return nil, err
	}
	return result.Value, nil
}

// TestCreateFunction: the pieces of a CREATE FUNCTION.
func TestCreateFunction(t *testing.T) {
	f := functionOf(t, "/*!50003 create*/ /*!50017 definer=`a b`@'h' */ /*!50003 FUNCTION if not exists `d`.`f`(x int unsigned,y varchar(10) charset latin1 collate latin1_bin,"+
		"z enum('a,)','b')) returns decimal(5,2) not deterministic comment 'it''s; (x)' reads sql data sql security invoker\nbegin return x; /* ; */ end */")
	require.Equal(t, Name{"d", "f"}, f.Function)
	require.Equal(t, &Account{"a b", "h"}, f.Definer)
	require.True(t, f.IfNotExists)
	require.Len(t, f.Params, 3)
	require.Equal(t, "x", f.Params[0].Name)
	require.Equal(t, "latin1", f.Params[1].Type.Charset)
	require.Equal(t, "latin1_bin", f.Params[1].Type.Collate)
	require.Equal(t, []string{"a,)", "b"}, f.Params[2].Type.EnumValues)
	require.Equal(t, "decimal(5,2)", f.ReturnTypeText)
	require.Equal(t, "decimal", f.ReturnType.Type)
	require.False(t, *f.Characteristics.Deterministic)
	require.Equal(t, "it's; (x)", *f.Characteristics.Comment)
	require.Equal(t, "READS SQL DATA", f.Characteristics.DataAccess)
	require.Equal(t, "INVOKER", f.Characteristics.Security)
	require.Equal(t, "begin return x; end", f.Body)
	require.Equal(t, f.Text, functionOf(t, f.Text).Text)
	require.Equal(t, f.Body, functionOf(t, f.Text).Body)

	g := functionOf(t, "CREATE FUNCTION g() RETURNS varchar(20) CHARSET utf8mb4 RETURN N'x'")
	require.Empty(t, g.Params)
	require.Nil(t, g.Definer)
	require.Equal(t, "varchar(20) CHARSET utf8mb4", g.ReturnTypeText)
	require.Equal(t, "utf8mb4", g.ReturnType.Charset)
	require.Equal(t, "RETURN N'x'", g.Body)

	for text, want := range map[string]string{
		"create function f() returns int set @a = 1":              "No RETURN",
		"create function f(a int, A int) returns int return 1":    "Duplicate variable",
		"create function f(out a int) returns int return 1":       "syntax",
		"create function f(a int) return 1":                       "syntax",
		"create function f(a nosuchtype) returns int return 1":    "syntax",
		"create function f() returns int return 1 +":              "syntax",
		"create function f() returns int begin return 1; ":        "syntax",
		"create function f returns string soname 'x.so'":          "SONAME",
		"create aggregate function f(a int) returns int return 1": "AGGREGATE",
		"create function f() returns int return 1; select 2":      "syntax",
		"create function":                  "syntax",
		"create function f(":               "syntax",
		"create function f(a int) returns": "syntax",
	} {
		_, _, _, err := New(nil).ParseWithOptions(context.Background(), text, ';', false, ast.ParserOptions{})
		require.ErrorContains(t, err, want, text)
	}
}

// TestFunctionBodies: what the engine's procedure interpreter makes of transformed bodies.
func TestFunctionBodies(t *testing.T) {
	b := newBench(t, New(nil))
	b.exec(t, "create table t (id int primary key, v int)", "insert into t values (1,10),(2,20),(3,30)")
	for _, c := range []struct {
		text string
		args []any
		want string
	}{
		{"create function f(a int, b int) returns int return a + b", []any{int32(2), int32(3)}, "5"},
		{"create function f(a int) returns int begin if a > 1 then return 10; end if; return 20; end", []any{int32(2)}, "10"},
		{"create function f(a int) returns int begin if a > 1 then return 10; end if; return 20; end", []any{int32(1)}, "20"},
		{"create function f(a int) returns int begin declare s int default 0; while a > 0 do set s = s + a; set a = a - 1; if s > 5 then return s; end if; end while; return -1; end", []any{int32(3)}, "6"},
		{"create function f(a int) returns int begin declare s int; select v into s from t where id = a; return s; end", []any{int32(2)}, "20"},
		{"create function f() returns int begin declare s int; select count(*) into s from t; begin declare s int default 1; end; return s; end", nil, "3"},
		{"create function f() returns int begin declare x int; declare s int default 0; declare c cursor for select v from t order by id; declare exit handler for not found return s; open c; l: loop fetch c into x; set s = s + x; end loop; return -1; end", nil, "60"},
		{"create function f() returns int begin declare s int default 0; declare x int; begin declare c cursor for select v from t; declare continue handler for not found begin return s + 1; end; open c; l: loop fetch c into x; set s = s + x; end loop; end; return -1; end", nil, "61"},
		{"create function f(a int) returns varchar(10) begin case a when 1 then return 'one'; else return 'many'; end case; end", []any{int32(1)}, "one"},
		{"create function f() returns int return 2 between 1 and 3 or false", nil, "true"},
		{"create function f(a int) returns int return (select max(v) from t where id <= a)", []any{int32(2)}, "20"},
	} {
		got, err := b.call(functionOf(t, c.text), c.args...)
		require.NoError(t, err, c.text)
		require.Equal(t, c.want, fmt.Sprint(got), c.text)
	}
	for text, want := range map[string]string{
		"create function f() returns int begin select 1; return 1; end":                                                              "result set",
		"create function f() returns int begin declare exit handler for sqlexception begin set @a = 1; return 2; end; return 1; end": "several statements",
	} {
		_, err := FunctionBodyAsProcedure(functionOf(t, text))
		require.ErrorContains(t, err, want)
	}
}

// TestReplaceNames: every place a variable can stand in.
func TestReplaceNames(t *testing.T) {
	stmt, err := ast.Parse("select case when x then x else -x end, sum(x) over (order by x), t.x from t join u on t.a = x where a between x and x + interval x day and a in (x) group by x having x order by x limit 3")
	require.NoError(t, err)
	n := 0
	out := ReplaceNames(stmt, func(name string) ast.Expr {
		if name != "x" {
			return nil
		}
		n++
		return integer(7)
	})
	require.Equal(t, "select case when 7 then 7 else -7 end, sum(7) over ( order by 7 asc), t.x from t join u on t.a = 7 where a between 7 and 7 + interval 7 day and a in (7) group by 7 having 7 order by 7 asc limit 3", ast.String(out))
	require.Equal(t, 13, n)
}
