package parser

import (
	"context"
	"fmt"
	"strings"
	"testing"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/memory"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/stretchr/testify/require"
)

// bench is an engine over the memory backend with a given parser, and one session.
type bench struct {
	engine *sqle.Engine
	ctx    *sql.Context
	locks  *lockingDatabase
}

func newBench(t testing.TB, p sql.Parser) *bench {
	t.Helper()
	db := memory.NewDatabase("db")
	sys := memory.NewDatabase(DualDatabase)
	locks := &lockingDatabase{Database: db}
	pro := &provider{DbProvider: memory.NewDBProvider(db, sys), locks: locks}
	ctx := sql.NewContext(context.Background(), sql.WithSession(memory.NewSession(sql.NewBaseSession(), pro.DbProvider)))
	ctx.SetCurrentDatabase("db")
	one := memory.NewTable(ctx, sys, DualTable, sql.NewPrimaryKeySchema(sql.Schema{{Name: DualColumn, Type: types.Int64, Source: DualTable}}), nil)
	sys.AddTable(DualTable, one)
	require.NoError(t, one.Insert(ctx, sql.NewRow(int64(1))))
	a := analyzer.NewBuilder(pro).AddOverrides(sql.EngineOverrides{Builder: sql.BuilderOverrides{Parser: p}}).Build()
	return &bench{engine: sqle.New(a, nil), ctx: ctx, locks: locks}
}

// provider gives out a database that notes which tables are asked for with AS OF.
type provider struct {
	*memory.DbProvider
	locks *lockingDatabase
}

func (p *provider) Database(ctx *sql.Context, name string) (sql.Database, error) {
	d, err := p.DbProvider.Database(ctx, name)
	if err == nil && strings.EqualFold(name, "db") {
		return p.locks, nil
	}
	return d, err
}

type lockingDatabase struct {
	*memory.Database
	asked []string
}

func (d *lockingDatabase) GetTableInsensitiveAsOf(ctx *sql.Context, name string, asOf any) (sql.Table, bool, error) {
	d.asked = append(d.asked, fmt.Sprintf("%s %v", name, asOf))
	return d.GetTableInsensitive(ctx, name)
}

func (d *lockingDatabase) GetTableNamesAsOf(ctx *sql.Context, _ any) ([]string, error) {
	return d.GetTableNames(ctx)
}

// rows runs a query and returns its heading and rows as text, or the error.
func (b *bench) rows(query string) (string, string, error) {
	ctx := sql.NewContext(context.Background(), sql.WithSession(b.ctx.Session))
	schema, it, _, err := b.engine.Query(ctx, query)
	if err != nil {
		return "", "", err
	}
	rows, err := sql.RowIterToRows(ctx, it)
	if err != nil {
		return "", "", err
	}
	var head []string
	for _, c := range schema {
		head = append(head, c.Name+" "+c.Type.String())
	}
	return strings.Join(head, ", "), text(rows), nil
}

// text writes rows as a client shows them.
func text(rows []sql.Row) string {
	var lines []string
	for _, r := range rows {
		var cells []string
		for _, v := range r {
			if d, ok := v.(fmt.Stringer); ok {
				v = d.String()
			}
			if v == nil {
				v = "NULL"
			}
			cells = append(cells, fmt.Sprint(v))
		}
		lines = append(lines, strings.Join(cells, "|"))
	}
	return strings.Join(lines, " ")
}

func (b *bench) exec(t testing.TB, queries ...string) {
	t.Helper()
	for _, q := range queries {
		_, _, err := b.rows(q)
		require.NoError(t, err, q)
	}
}

// TestTableless: the same columns and rows as the engine's own way.
func TestTableless(t *testing.T) {
	stock, ours := newBench(t, sql.NewMysqlParser()), newBench(t, New(nil))
	for _, b := range []*bench{stock, ours} {
		b.exec(t, "create table t (a int primary key, b int)", "insert into t values (1,10),(2,20)")
	}
	for _, q := range []string{
		"select 1", "select 1 as a, 'x' b", "select @@autocommit", "select 1 where false", "select 1 where 1 = 1",
		"select 1 from dual", "select 1 from dual where 1=1", "select 1 limit 0", "select (select 1)",
		"select 1 union select 2", "select 1 union all select 1", "select exists(select 1)", "select 1 in (select 1)",
		"select last_insert_id(), found_rows(), row_count()", "select count(*)", "select max(1)", "select sum(2) where false",
		"select *", "select * from dual", "select 1 order by 1", "with c as (select 1 a) select * from c",
		"select * from (select 1 a, 2 b) x", "with recursive c as (select 1 n union all select n+1 from c where n<3) select * from c",
		"select 1 having 1", "select row_number() over ()", "select 1 into @a", "select @a", "select distinct 1",
		"select database()", "select (select a from t limit 1), (select 5)", "select a, (select b) from t order by a",
		"select a, (select a + 1) from t order by a", "select a from t where exists (select 1 where a = 2)",
		"select 1 group by 1", "select case when (select 1) then 'y' end",
		"select * from t join (select 1 as x) y on t.a = y.x", "select a from t where a in (select 1 union select 2) order by a",
		"select 1 except select 1", "select 1 from dual d", "values row(1,2)", "select extract(year from '2001-01-01')",
		"select trim(both 'x' from 'xax')", "insert into t select 7, 8", "insert into t (a, b) values ((select 9), 9)",
		"create table u as select 1 as a, 'x' as b", "select * from u", "create view v as select 1 as one, 'b'", "select * from v",
		"select t.a, x.y from t, lateral (select t.a + 1 as y) x order by 1", "select 1, 'from'", "select a.b", "select x",
		"set @z = (select 3)", "select @z", "update t set b = (select 5) where a = 1", "delete from t where a = (select 2)",
		"create trigger tr before insert on t for each row begin declare z int; select new.a + 1 into @q; set new.b = (select new.b + 100); end",
		"insert into t values (50, 1)", "select @q", "create procedure pr(x int) begin select x, x + 1; end", "call pr(3)",
		"create procedure ps(x int) begin declare y int default 0; select x * 2 into y; select y from dual; end", "call ps(3)",
		"insert into t select 1, 99 on duplicate key update b = values(b) + 1",
		"select * from t order by a", "select if((select 1), 'y', 'n')", "select 'a' 'b', 1.5, null, true, x'41'",
	} {
		head1, rows1, err1 := stock.rows(q)
		head2, rows2, err2 := ours.rows(q)
		if err1 != nil {
			require.Error(t, err2, q)
			continue
		}
		require.NoError(t, err2, q)
		require.Equal(t, head1, head2, q)
		require.Equal(t, rows1, rows2, q)
	}
}

// TestLockMarks: which tables a locking read asks for, and how. ST-101, ST-102.
func TestLockMarks(t *testing.T) {
	b := newBench(t, New(nil))
	b.exec(t, "create table t (a int primary key, b int)", "create table u (a int primary key, b int)",
		"insert into t values (1,1),(2,2)", "insert into u values (1,1)", "create view v as select a from u",
		"create table ins (a int)")
	for _, c := range []struct{ query, want string }{
		{"select * from t", ""},
		{"select * from t where a = 1 for update", "t lock:update"},
		{"select * from t for update nowait", "t lock:update:nowait"},
		{"select * from t for update skip locked", "t lock:update:skip locked"},
		{"select * from t for share", "t lock:share"},
		{"select * from t FOR /* x */ SHARE nowait", "t lock:share:nowait"},
		{"select * from t lock in share mode", "t lock:share"},
		{"select * from t for share of t skip locked", "t lock:share:skip locked"},
		{"select x.a from t x join u on x.a = u.a for update of x", "t lock:update"},
		{"select x.a from t x, u for update of u nowait for share of x skip locked", "t lock:share:skip locked, u lock:update:nowait"},
		{"select t.a from t left join (u) on t.a = u.a for share", "t lock:share, u lock:share"},
		{"select * from (select a from t) x for update", ""},
		{"select * from (select a from t for share) x", "t lock:share"},
		{"select a from t where a in (select a from u) for update", "t lock:update"},
		{"select a from t where a in (select a from u for share)", "u lock:share"},
		{"select a from t union select a from u for update", "t lock:update, u lock:update"},
		{"(select a from t for share) union (select a from u)", "t lock:share"},
		{"with c as (select a from t) select * from c for update", ""},
		{"with c as (select a from t) select * from c, u for update", "u lock:update"},
		{"select * from v for share", "u lock:share"},
		{"select table_name from information_schema.tables where table_schema = 'x' for update", ""},
		{"select 1 for update", ""},
		{"select 1 from dual for update", ""},
		{"insert into ins select a from t for share", "t lock:share"},
		{"select 'for update', a from t -- for update", ""},
		{"explain select a from t for update", ""},
		{"select count(*) from t for update", "t lock:update"},
	} {
		b.locks.asked = nil
		_, _, err := b.rows(c.query)
		require.NoError(t, err, c.query)
		got := map[string]bool{}
		for _, a := range b.locks.asked {
			got[a] = true
		}
		want := map[string]bool{}
		for _, w := range strings.Split(c.want, ", ") {
			if w != "" {
				want[w] = true
			}
		}
		require.Equal(t, want, got, c.query)
	}
	for _, q := range []string{"select a from t for share of nope", "select a from t for share of t, nope", "select a from t for update of u"} {
		_, _, err := b.rows(q)
		require.ErrorContains(t, err, "locking clause", q)
	}
	for _, s := range []string{"", "2020-01-01", "lock:", "lock:read", "lock:share:never", "lock"} {
		_, ok := ParseLockMark(s)
		require.False(t, ok, s)
	}
	for _, m := range []LockMark{{LockUpdate, WaitForLock}, {LockShare, NoWait}, {LockUpdate, SkipLocked}} {
		got, ok := ParseLockMark(m.String())
		require.True(t, ok)
		require.Equal(t, m, got)
	}
}

// TestRollup: rows of GROUP BY … WITH ROLLUP, in the order MySQL and MariaDB return them.
func TestRollup(t *testing.T) {
	b := newBench(t, New(nil))
	b.exec(t, "create table s (a int, b varchar(5), v int)",
		"insert into s values (1,'x',10),(1,'y',20),(2,'x',5),(null,'x',7),(2,null,1)", "create table e like s",
		"create view vr as select a, b, sum(v) as total from s group by a, b with rollup")
	const ab = "NULL|x|7 NULL|NULL|7 1|x|10 1|y|20 1|NULL|30 2|NULL|1 2|x|5 2|NULL|6 NULL|NULL|43"
	for _, c := range []struct{ query, want string }{
		{"select a, sum(v) from s group by a with rollup", "NULL|7 1|30 2|6 NULL|43"},
		{"select a, b, sum(v) from s group by a, b with rollup", ab},
		{"select a, b, sum(v) from s group by 1, 2 WITH /* c */ ROLLUP", ab},
		{"select a x, b y, sum(v) z from s group by x, y with rollup", ab},
		{"select * from (select a, b, sum(v) from s group by a, b with rollup) q", ab},
		{"select * from vr", ab},
		{"with c as (select a, b, sum(v) t from s group by a, b with rollup) select * from c", ab},
		{"select a, b, count(distinct b), grouping(a), grouping(b), grouping(a, b) from s group by a, b with rollup",
			"NULL|x|1|0|0|0 NULL|NULL|1|0|1|1 1|x|1|0|0|0 1|y|1|0|0|0 1|NULL|2|0|1|1 2|NULL|0|0|0|0 2|x|1|0|0|0 2|NULL|1|0|1|1 NULL|NULL|2|1|1|3"},
		{"select a, count(*) from e group by a with rollup", ""},
		{"select a, b, sum(v) from s group by a, b with rollup having a is null", "NULL|x|7 NULL|NULL|7 NULL|NULL|43"},
		{"select a, sum(v) t from s group by a with rollup having t > 10 and sum(v) < 40", "1|30"},
		{"select a, sum(v) from s group by a with rollup having grouping(a) = 1", "NULL|43"},
		{"select b, a, sum(v) from s group by b, a with rollup limit 3", "NULL|2|1 NULL|NULL|1 x|NULL|7"},
		{"select a+1 x, sum(v) from s group by x with rollup", "NULL|7 2|30 3|6 NULL|43"},
		{"select a, a+1, sum(v)*2 from s group by a with rollup", "NULL|NULL|14 1|2|60 2|3|12 NULL|NULL|86"},
		{"select ifnull(a,'total'), sum(v) from s group by a with rollup", "total|7 1|30 2|6 total|43"},
		{"select if(grouping(a), 'all', ifnull(a, 'none')) g, sum(v) from s group by a with rollup order by sum(v) desc, g", "all|43 1|30 none|7 2|6"},
		{"select a, sum(v) t from s group by a with rollup order by t", "2|6 NULL|7 1|30 NULL|43"},
		{"select a, sum(v) from s group by a with rollup order by grouping(a), 2 desc", "1|30 NULL|7 2|6 NULL|43"},
		{"select a, sum(v), rank() over (order by sum(v) desc) from s group by a with rollup", "NULL|7|3 1|30|2 2|6|4 NULL|43|1"},
		{"select s.a, (select count(*) from s z where z.a = s.a) n from s group by s.a with rollup", "NULL|0 1|2 2|2 NULL|0"},
		{"select group_concat(b order by b), a from s where v > 5 group by a with rollup", "x|NULL x,y|1 x,x,y|NULL"},
		{"select upper(b), max(v) from s group by upper(b) with rollup", "NULL|1 X|10 Y|20 NULL|20"},
		{"select a from s group by a with rollup", "NULL 1 2 NULL"},
		{"select sum(v) from s group by a with rollup", "7 30 6 43"},
	} {
		_, got, err := b.rows(c.query)
		require.NoError(t, err, c.query)
		require.Equal(t, c.want, got, c.query)
	}
	head, _, err := b.rows("select a, b, sum(v), a+1, count(*) n, grouping(a) from s group by a, b with rollup")
	require.NoError(t, err)
	require.Equal(t, "a int, b varchar(5), sum(v) double, a+1 bigint, n bigint, grouping(a) tinyint", head)
	for query, want := range map[string]string{
		"select grouping(v) from s group by a with rollup": "GROUPING",
		"select * from s group by a with rollup":           "ROLLUP",
		"select a with rollup from s":                      "",
		"select v, a from s group by a with rollup":        "",
	} {
		_, rows, err := b.rows(query)
		require.ErrorContains(t, err, want, "%s: %s", query, rows)
	}
}

// TestOrderByAlias: an alias of an expression over an aggregate is known to ORDER BY beside HAVING.
func TestOrderByAlias(t *testing.T) {
	b := newBench(t, New(nil))
	b.exec(t, "create table s (a int, v int)", "insert into s values (1,10),(1,20),(2,5),(3,50)")
	for _, c := range []struct{ query, want string }{
		{"select a, sum(v)+1 s from s group by a having sum(v) > 1 order by s", "2|6 1|31 3|51"},
		{"select a, sum(v)+1 s from s group by a having s > 10 order by s desc", "3|51 1|31"},
		{"select a, sum(v) s from s group by a having s > 10 order by s desc", "3|50 1|30"},
		{"select a x, sum(v)+a s from s group by x having s > 0 order by s, x limit 2", "2|7 1|31"},
		{"select * from (select a, sum(v)+1 s from s group by a having s > 1 order by s limit 1) q", "2|6"},
		{"select a+1 as k from s having k > 1 order by k desc limit 1", "4"},
	} {
		_, got, err := b.rows(c.query)
		require.NoError(t, err, c.query)
		require.Equal(t, c.want, got, c.query)
	}
}

// TestVectorFolding: the literal gives the same distances, and only texts that are vectors are folded.
func TestVectorFolding(t *testing.T) {
	b, stock := newBench(t, New(nil)), newBench(t, sql.NewMysqlParser())
	for _, x := range []*bench{b, stock} {
		x.exec(t, "create table t (id int primary key, v vector(2) not null)",
			"insert into t values (1, string_to_vector('[1,2]')), (2, string_to_vector('[0.1,1e-3]'))")
	}
	for _, q := range []string{
		"select id, vec_distance(string_to_vector('[0.1, 0.2]'), v) d from t order by vec_distance(string_to_vector('[0.1, 0.2]'), v) limit 2",
		"select id, vec_distance_cosine(v, vec_fromtext('[3,-4.25]')) from t order by id",
		"select id, distance(v, to_vector('[3,4]'), 'EUCLIDEAN') from t order by id",
		"select hex(string_to_vector('[1,2]'))",
	} {
		head1, want, err := stock.rows(q)
		require.NoError(t, err, q)
		head2, got, err := b.rows(q)
		require.NoError(t, err, q)
		require.Equal(t, head1, head2)
		require.Equal(t, want, got, q)
	}
	_, _, err := b.rows("select vec_distance(string_to_vector('nonsense'), v) from t")
	require.Error(t, err)
	folded := parseText(t, "select vec_distance(string_to_vector('[1]'), v), string_to_vector('[1]'), vec_distance(string_to_vector('[0x1]'), v) from t", (&sql.SqlMode{}).ParserOptions())
	require.Equal(t, "select vec_distance('[1]', v), string_to_vector('[1]'), vec_distance(string_to_vector('[0x1]'), v) from t", folded)
}

// TestQuantified: ANY and ALL, as MySQL and MariaDB answer.
func TestQuantified(t *testing.T) {
	b := newBench(t, New(nil))
	b.exec(t, "create table t (a int)", "insert into t values (1),(2),(null)", "create table u (a int)", "insert into u values (1),(3)", "create table e (a int)")
	for _, c := range []struct{ query, want string }{
		{"select 1 = any (select a from u), 2 = any (select a from u), 2 = any (select a from t), 3 = any (select a from t), 1 = some (select a from e)", "true|false|true|NULL|false"},
		{"select 1 <> all (select a from u), 2 <> all (select a from u), 3 <> all (select a from t), 1 <> all (select a from e)", "false|true|NULL|true"},
		{"select 2 > any (select a from u), 1 > any (select a from u), 1 > any (select a from t), 2 > any (select a from t), null > any (select a from u), 1 > any (select a from e), null > any (select a from e)", "true|false|NULL|true|NULL|false|false"},
		{"select 4 > all (select a from u), 3 > all (select a from u), 5 > all (select a from t), 1 > all (select a from t), null > all (select a from u), 1 > all (select a from e), null > all (select a from e)", "true|false|NULL|false|NULL|true|true"},
		{"select 0 < all (select a from u), 1 <= all (select a from u), 2 <= all (select a from u), 2 < any (select a from u), 3 <= any (select a from u), 3 < any (select a from u)", "true|true|false|true|true|false"},
		{"select 1 = all (select a from u), 1 = all (select 1), 1 <> any (select a from u), 1 <> any (select 1), 1 <> any (select a from e), 1 = all (select a from e), 1 <> any (select null)", "false|true|true|false|false|true|NULL"},
		{"select a from u where a > all (select t.a from t where t.a < u.a) order by a", "1 3"},
		{"select a from u where a >= ANY /* x */ (select a from t where a is not null) order by a", "1 3"},
		{"select a from t where a not in (select 1) and not a = all (select 5)", "2"},
		{"select a from u union all (select 5) order by a", "1 3 5"},
		{"select (1,2) = any (select 1, 2)", "true"},
	} {
		_, got, err := b.rows(c.query)
		require.NoError(t, err, c.query)
		digits := strings.NewReplacer("true", "1", "false", "0")
		require.Equal(t, digits.Replace(c.want), digits.Replace(got), c.query)
	}
	_, _, err := b.rows("select (1,2) > all (select 1, 2)")
	require.ErrorContains(t, err, "row")
}
