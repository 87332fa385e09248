package parser

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"
	"github.com/stretchr/testify/require"
)

// baseText parses with the base grammar alone and writes the tree as text.
func baseText(t *testing.T, query string) string {
	t.Helper()
	stmt, err := ast.Parse(query)
	require.NoError(t, err, query)
	return ast.String(stmt)
}

func parseText(t *testing.T, query string, o ast.ParserOptions) string {
	t.Helper()
	stmt, _, _, err := New(nil).ParseWithOptions(context.Background(), query, ';', false, o)
	require.NoError(t, err, query)
	return ast.String(stmt)
}

// TestTextEdits: the statement on the left is read as the base grammar reads the one on the right.
func TestTextEdits(t *testing.T) {
	for _, c := range [][2]string{
		// national strings
		{`select N'a', n'b''c' from t`, `select 'a', 'b''c' from t`},
		{`insert into t values (N'x'),(n'y')`, `insert into t values ('x'),('y')`},
		{`select n 'a' from t`, `select n 'a' from t`}, // a column with an alias
		{`select 'N''x'' ', "n'q'", fn from t`, `select 'N''x'' ', "n'q'", fn from t`},
		{"select `n`'a' from t", "select `n` 'a' from t"},
		{`select /* N'x' */ 1 from t -- N'y'`, `select /* N'x' */ 1 from t`},
		// definers
		{`create definer=current_user view v as select a from t`, `create view v as select a from t`},
		{`create /* c */ definer /* = */ = -- x` + "\n" + ` CURRENT_USER ( ) sql security invoker view v as select a from t`, `create sql security invoker view v as select a from t`},
		{`create definer=u@h view v as select a from t`, `create definer=u@h view v as select a from t`},
		{`create definer=current_user trigger t before insert on x for each row set new.a = 'definer=current_user'`, `create trigger t before insert on x for each row set new.a = 'definer=current_user'`},
		{`create definer=current_user procedure p() select 1 from t`, `create procedure p() select 1 from t`},
		{`create definer=current_user event e on schedule every 1 day do select 1 from t`, `create event e on schedule every 1 day do select 1 from t`},
		// escapes of patterns stay in strings
		{`select 'a\%b\_', "\_", '\\%', '\\\%', 'x\n%' from t where a like 'b\_%'`, `select 'a\\%b\\_', "\\_", '\\%', '\\\\%', 'x\n%' from t where a like 'b\\_%'`},
		// two minus signs, names with foreign bytes
		{"select 5--3 from t", "select 5- -3 from t"},
		{"select 5 --3 from t", "select 5 - -3 from t"},
		{"select 5 -- 3\n from t", "select 5 from t"},
		{"select '5--3' from t", "select '5--3' from t"},
		{"select größe, a$b as ü from tabellé ", "select `größe`, `a$b` as `ü` from `tabellé`"},
		{"select 'größe$' from t", "select 'größe$' from t"},
		// executable comments
		{"select /*!40001 SQL_NO_CACHE */ a from t", "select SQL_NO_CACHE a from t"},
		{"select /*!99999 nonsense */ /*M!100100 nonsense */ a /*!999999\\- x */ from t", "select a from t"},
		{"select a /*!50000 , '*/', b */ from t", "select a , '*/', b from t"},
		{"select a /*!50000 , b /* , c */ , d */ from t", "select a , b , d from t"},
		{"select a/*!,b*/from t", "select a, b from t"},
		{"/*!50001 drop view if exists v */", "drop view if exists v"},
		// types and options of definitions
		{"create table t (y year(4), `year` int, z int default (year('2001-01-01')))", "create table t (y year, `year` int, z int default (year('2001-01-01')))"},
		{"create table t (a text charset latin1, charset int, b varchar(3) charset utf8mb4 collate utf8mb4_bin) default charset=utf8mb4", "create table t (a text character set latin1, charset int, b varchar(3) character set utf8mb4 collate utf8mb4_bin) default charset=utf8mb4"},
		{"create table t (a text, fulltext key k (a) with parser ngram)", "create table t (a text, fulltext key k (a))"},
		{"analyze local table t", "analyze table t"},
		{"create table t (a int, unique key u using hash (a), primary key using btree (a), key k (b) using btree)", "create table t (a int, unique key u (a), primary key (a), key k (b) using btree)"},
		{"create table t (a int visible, b int column_format fixed storage disk, visible int, key k (a) visible, storage int)", "create table t (a int, b int, visible int, key k (a) visible, storage int)"},
		{"create table t (a int references p (id) on delete cascade on update set null, b int, foreign key (b) references p (id) on delete cascade)", "create table t (a int, b int, foreign key (b) references p (id) on delete cascade)"},
		{"create table t (a time(3) default time('10:00'), `time` time(6), b year(4) not null)", "create table t (a time default time('10:00'), `time` time, b year not null)"},
		{"select time(3) from t where year(4) = 1", "select time(3) from t where year(4) = 1"},
		{"create table t (a int, invisible int, index k (a) invisible, unique (a) invisible)", "create table t (a int, invisible int, index k (a) invisible, unique (a) invisible)"},
		{"alter table t alter index k invisible", "alter table t alter index k invisible"},
		{"create table t (like d.u)", "create table t like d.u"},
		{"create index i on t (a) comment 'x' algorithm = inplace lock none", "create index i on t (a) comment 'x'"},
		{"drop index i on t algorithm=default lock=shared", "drop index i on t"},
		{"alter table t add (a int, b decimal(3,1) default 1), drop c", "alter table t add column a int, add column b decimal(3,1) default 1, drop c"},
		{"drop view if exists v, w restrict", "drop view if exists v, w"},
		{"drop tables a, b", "drop table a, b"},
		{"rename tables a to b, c to d", "rename table a to b, c to d"},
		{"alter schema d default collate utf8mb4_bin", "alter database d default collate utf8mb4_bin"},
		{"set password for u@h = 'x'", "alter user u@h identified by 'x'"},
		{"insert low_priority ignore into t values (1)", "insert ignore into t values (1)"},
		{"delete low_priority quick from t where quick = 1", "delete from t where quick = 1"},
		{"update low_priority t set quick = 1", "update t set quick = 1"},
		{"delete from d.t as x where x.a = 1", "delete x from d.t as x where x.a = 1"},
		{"analyze table t update histogram on a with 10 buckets", "analyze table t"},
	} {
		require.Equal(t, baseText(t, c[1]), parseText(t, c[0], ast.ParserOptions{}), c[0])
	}
}

// TestModes: what the modes of sql_mode change.
func TestModes(t *testing.T) {
	ansi := ast.ParserOptions{AnsiQuotes: true, PipesAsConcat: true}
	for _, c := range [][2]string{
		{`select "n", N'x', "a b" || 'c' from "t"`, "select `n`, 'x', CONCAT(`a b`, 'c') from `t`"},
		{`select /*!50000 "n" || 'x' */ from "t"`, "select CONCAT(`n`, 'x') from `t`"},
		{`create definer=current_user view "v" as select "a" from "t"`, "create view `v` as select `a` from `t`"},
	} {
		stmt, _, _, err := New(nil).ParseWithOptions(context.Background(), c[0], ';', false, ansi)
		require.NoError(t, err, c[0])
		require.Equal(t, baseText(t, c[1]), ast.String(stmt), c[0])
	}

	ctx := sql.NewEmptyContext()
	require.NoError(t, ctx.Session.SetSessionVariable(ctx, "sql_mode", "NO_BACKSLASH_ESCAPES"))
	value := func(query string) string {
		stmt, _, _, err := New(nil).Parse(ctx, query, false)
		require.NoError(t, err)
		return string(stmt.(*ast.Select).SelectExprs[0].(*ast.AliasedExpr).Expr.(*ast.SQLVal).Val)
	}
	require.Equal(t, `a\'b`, value(`select 'a\''b' from t`))
	require.Equal(t, `a\`, value(`select N'a\' from t`))
	require.Equal(t, "a'b", value(PinMode(`select 'a\'b' from t`, "")))
	require.NoError(t, ctx.Session.SetSessionVariable(ctx, "sql_mode", ""))
	require.Equal(t, `a\`, value(PinMode(`select 'a\' from t`, "NO_BACKSLASH_ESCAPES")))
	require.Equal(t, "a'b", value(`select 'a\'b' from t`))
	require.Equal(t, "select 1", PinMode("select 1", "NO_BACKSLASH_ESCAPES"))
	require.Equal(t, `select '\'`, UnpinMode(PinMode(`select '\'`, "NO_BACKSLASH_ESCAPES")))
}

// TestHeadings: the name of a result column is what the user wrote.
func TestHeadings(t *testing.T) {
	for query, want := range map[string]string{
		"select N'x' from t": "x",
		"select 5--3 from t": "5--3",
		"select a + (select b from u for share) , 1 from t":             "a + (select b from u for share)",
		"select (select count(*) from u group by b with rollup) from t": "(select count(*) from u group by b with rollup)",
		"select 1 + 1": "1 + 1",
	} {
		for _, multi := range []bool{false, true} {
			stmt, _, _, err := New(nil).ParseWithOptions(context.Background(), query, ';', multi, ast.ParserOptions{})
			require.NoError(t, err, query)
			require.Equal(t, want, stmt.(*ast.Select).SelectExprs[0].(*ast.AliasedExpr).InputExpression, query)
		}
	}
}

// TestPackets: remainders and indexes are positions in what the client sent, for every way a statement goes.
func TestPackets(t *testing.T) {
	statements := []string{
		"select 1", "select N'a;b'", "/*!50000 select ';' */", "select a from t for share", "do sleep(0)",
		"check table a, b", "create function f() returns int begin declare a int; set a = 1; return a; end",
		"create definer=current_user procedure p() begin select N'x'; do 1; end", "insert into t values (1)",
		"create table t (a int, key k ((a+1)))", "select a, count(*) from t group by a with rollup",
		"-- comment;\nselect 2", "create procedure if not exists p() begin select 1; end", "select 5--3",
		"alter view v as select 1", "drop function f", "/* ; */ set @a = 'x;y'", "create view v as select 1 /*!50000 as b */",
	}
	p := New(nil)
	for i, first := range statements {
		for _, second := range []string{statements[(i+1)%len(statements)], "select 42"} {
			for _, gap := range []string{";", " ; ", ";\n"} {
				packet := first + gap + second
				stmt, parsed, rest, err := p.ParseWithOptions(context.Background(), packet, ';', true, ast.ParserOptions{})
				require.NoError(t, err, packet)
				require.Equal(t, second, strings.TrimSpace(rest), packet)
				require.True(t, strings.HasSuffix(packet, rest), packet)
				alone, text, _, err := p.ParseWithOptions(context.Background(), first, ';', false, ast.ParserOptions{})
				require.NoError(t, err, first)
				require.Equal(t, text, parsed, packet)
				require.Equal(t, ast.String(alone), ast.String(stmt), packet)
				_, n, err := p.ParseOneWithOptions(context.Background(), packet, ast.ParserOptions{})
				require.NoError(t, err, packet)
				require.Equal(t, second, strings.TrimSpace(packet[n:]), packet)
			}
		}
	}
	stmt, parsed, rest, err := p.ParseWithOptions(context.Background(), "; select 1", ';', true, ast.ParserOptions{})
	require.ErrorIs(t, err, ast.ErrEmpty, fmt.Sprint(stmt, parsed))
	require.Equal(t, "select 1", strings.TrimSpace(rest))
}

// TestBodies: the body of a definition is found in the text that the statement came with.
func TestBodies(t *testing.T) {
	p := New(nil)
	for query, want := range map[string]string{
		"create view v as select N'x' as a":                               "select N'x' as a",
		"create definer=current_user view v as select a from t for share": "select a from t for share",
		"/*!50003 create*/ /*!50017 definer=`a`@`b`*/ /*!50003 trigger t before insert on x for each row begin set @a = 1; end */": "begin set @a = 1; end",
		"create procedure p(a varchar(3) charset latin1) begin select a from t for share; check table t; select 5--3; end":         "begin select a from t for share; check table t; select 5--3; end",
		"create event e on schedule every 1 day do check table t":                                                                  "check table t",
	} {
		stmt, parsed, _, err := p.ParseWithOptions(context.Background(), query, ';', false, ast.ParserOptions{})
		require.NoError(t, err, query)
		d := stmt.(*ast.DDL)
		require.Equal(t, want, strings.TrimSpace(parsed[d.SubStatementPositionStart:d.SubStatementPositionEnd]))
		stmt, _, err = p.ParseOneWithOptions(context.Background(), query, ast.ParserOptions{})
		require.NoError(t, err, query)
		d = stmt.(*ast.DDL)
		require.Equal(t, want, strings.TrimSpace(query[d.SubStatementPositionStart:d.SubStatementPositionEnd]))
	}
}
