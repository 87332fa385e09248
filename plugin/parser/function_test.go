package parser

import (
	"context"
	"testing"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
	"github.com/stretchr/testify/require"
)

func functionOf(t *testing.T, text string) *CreateFunction {
	t.Helper()
	stmt, _, _, err := New(nil).ParseWithOptions(context.Background(), text, ';', false, ast.ParserOptions{})
	require.NoError(t, err, text)
	f, ok := StatementOf(stmt).(*CreateFunction)
	require.True(t, ok, "%T", stmt)
	return f
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

// TestConditions: RETURN and DEFAULT take conditions, for which the base grammar wants parentheses.
func TestConditions(t *testing.T) {
	for text, want := range map[string]string{
		"create function f(a int) returns int return a between 1 and 3 or not a":                           "return (a between 1 and 3 or not a)",
		"create function f(a int) returns int return a + 1":                                                "return a + 1",
		"create function f(a int) returns int begin declare b bool default a > 1 and a < 3; return b; end": "begin\ndeclare b bool default (a > 1 and a < 3);\nreturn b;\nend",
	} {
		f := functionOf(t, text)
		require.Equal(t, want, ast.String(f.Tree))
		require.Equal(t, f.Text, text)
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
