package parser

import (
	"context"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"
	"github.com/stretchr/testify/require"
)

// echo resolves every statement to a node that returns the statement as text, and what a DO evaluates to.
type echo struct{ b *bench }

func (e *echo) Resolve(_ *sql.Context, s Statement, exprs []sql.Expression) (sql.ExecSourceRel, error) {
	n := &echoNode{b: e.b, statement: s}
	if len(exprs) == 1 {
		n.child = exprs[0].(*plan.Subquery).Query
	}
	return n, nil
}

func newEchoBench(t *testing.T) *bench {
	e := &echo{}
	e.b = newBench(t, New(e))
	return e.b
}

type echoNode struct {
	b         *bench
	statement Statement
	child     sql.Node
}

func (n *echoNode) Resolved() bool   { return true }
func (n *echoNode) String() string   { return n.statement.String() }
func (n *echoNode) IsReadOnly() bool { return true }
func (n *echoNode) Schema(*sql.Context) sql.Schema {
	return sql.Schema{{Name: "said", Type: types.LongText}}
}

func (n *echoNode) Children() []sql.Node {
	if n.child == nil {
		return nil
	}
	return []sql.Node{n.child}
}

func (n *echoNode) WithChildren(_ *sql.Context, c ...sql.Node) (sql.Node, error) {
	out := *n
	if len(c) == 1 {
		out.child = c[0]
	}
	return &out, nil
}

func (n *echoNode) RowIter(ctx *sql.Context, r sql.Row) (sql.RowIter, error) {
	said := n.statement.String()
	if n.child != nil {
		it, err := n.b.engine.Analyzer.ExecBuilder.Build(ctx, n.child, r)
		if err != nil {
			return nil, err
		}
		rows, err := sql.RowIterToRows(ctx, it)
		if err != nil {
			return nil, err
		}
		said += " [" + text(rows) + "]"
	}
	return sql.RowsToRowIter(sql.NewRow(said)), nil
}

// TestOwnStatements: text in, statement out, through the engine.
func TestOwnStatements(t *testing.T) {
	b := newEchoBench(t)
	b.exec(t, "create table t (a int)", "create view v as select a from t")
	for _, c := range []struct{ query, want string }{
		{"check table t", "CHECK TABLE `t`"},
		{"CHECK /* x */ TABLES db.t, `a b` FOR UPGRADE quick Extended", "CHECK TABLE `db`.`t`, `a b` FOR UPGRADE QUICK EXTENDED"},
		{"repair no_write_to_binlog table t use_frm", "REPAIR NO_WRITE_TO_BINLOG TABLE `t` USE_FRM"},
		{"checksum table t extended", "CHECKSUM TABLE `t` EXTENDED"},
		{"optimize local tables t, u", "OPTIMIZE LOCAL TABLE `t`, `u`"},
		{"show engine innodb status", "SHOW ENGINE `innodb` STATUS"},
		{"show engine all logs", "SHOW ENGINE `all` LOGS"},
		{"begin", "START TRANSACTION"},
		{"BEGIN WORK", "START TRANSACTION"},
		{"/* x */ start transaction", "START TRANSACTION"},
		{"start transaction read only, with consistent snapshot", "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY"},
		{"start transaction read write", "START TRANSACTION READ WRITE"},
		{"commit", "COMMIT"},
		{"commit work and no chain release", "COMMIT AND NO CHAIN RELEASE"},
		{"rollback and chain", "ROLLBACK AND CHAIN"},
		{"rollback work no release", "ROLLBACK NO RELEASE"},
		{"set transaction read only, isolation level read uncommitted", "SET TRANSACTION ISOLATION LEVEL READ UNCOMMITTED, READ ONLY"},
		{"SET @@transaction_isolation := 'serializable'", "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE"},
		{"set @@transaction_read_only = off", "SET TRANSACTION READ WRITE"},
		{"do 1 + 1, upper('x;y')", "DO 1 + 1, upper('x;y') [2|X;Y]"},
		{"do (select 3)", "DO (select 3) [3]"},
		{"alter view v as select a + 1 as a from t", "CREATE OR REPLACE view v as select a + 1 as a from t"},
		{"alter definer = current_user sql security invoker view db.v (x) as select a from t with check option",
			"CREATE OR REPLACE definer = current_user sql security invoker view db.v (x) as select a from t with check option"},
		{"create function db.f(a int) returns int return a", "create function db.f(a int) returns int return a"},
		{"/*!50003 drop function if exists `f` */", "DROP FUNCTION IF EXISTS `f`"},
		{"drop function d.f", "DROP FUNCTION `d`.`f`"},
		{"show create function d.f", "SHOW CREATE FUNCTION `d`.`f`"},
		{"show function status", "SHOW FUNCTION STATUS"},
		{"show function status like 'a\\_%'", "SHOW FUNCTION STATUS LIKE 'a\\\\_%'"},
		{"show function status where db = 'x' and name like 'y'", "SHOW FUNCTION STATUS WHERE db = 'x' and name like 'y'"},
		{"alter function f comment 'x' language sql not deterministic", "ALTER FUNCTION `f` LANGUAGE SQL NOT DETERMINISTIC COMMENT 'x'"},
		{"alter procedure d.p sql security invoker", "ALTER PROCEDURE `d`.`p` SQL SECURITY INVOKER"},
		{"create procedure if not exists p(a text charset latin1) begin select 'if not exists'; end", "create procedure p(a text charset latin1) begin select 'if not exists'; end"},
		{"create definer=current_user trigger if not exists d.x before insert on t for each row set new.a = 1", "create definer=current_user trigger d.x before insert on t for each row set new.a = 1"},
	} {
		_, got, err := b.rows(c.query)
		require.NoError(t, err, c.query)
		require.Equal(t, c.want, got, c.query)
		stmt, err := New(nil).ParseSimple(c.query)
		require.NoError(t, err)
		again, err := New(nil).ParseSimple(StatementOf(stmt).String())
		require.NoError(t, err, c.want)
		if _, ok := again.(ast.InjectedStatement); ok {
			require.Equal(t, StatementOf(stmt).String(), StatementOf(again).String())
		}
	}
	for _, q := range []string{"xa start 'x'", "handler t open", "XA RECOVER", "/* x */ shutdown", "create table t (a int /*!80023 invisible */)",
		"alter table t add a int invisible",
		"create server s foreign data wrapper mysql options (host 'x')", "show create user u", "get diagnostics @a = number"} {
		_, err := New(nil).ParseSimple(q)
		var e *mysql.SQLError
		require.ErrorAs(t, err, &e, q)
		require.Equal(t, 1235, e.Num)
	}
	for _, q := range []string{
		"start transaction with snapshot", "start transaction read only read write", "commit and chain release", "rollback and",
		"set transaction", "set transaction isolation level", "set transaction read only, read write", "begin x",
		"check table", "check table t u", "check tables t,", "repair t", "show engine", "show engine innodb", "do", "do 1 as x",
		"do a from t where b", "alter view v", "alter view v as delete from t", "alter view v as select 1; select 2", "drop function",
		"alter function f nonsense", "show create function", "optimize table t quick", "check table t; select 1", "do 1; select 2",
		"create procedure if not exists p()", "create trigger if not exists", "select 'x", "select /* x", "select `x", "select a from t where b = \"x",
	} {
		_, err := New(nil).ParseSimple(q)
		require.Error(t, err, q)
	}
	_, _, err := newBench(t, New(nil)).rows("check table t")
	require.ErrorContains(t, err, "doesn't yet support")
}

// TestNotOurs: words that begin statements of ours, in other places.
func TestNotOurs(t *testing.T) {
	for _, q := range []string{
		"select `check`, xa, do from `table`", "create table repair (checksum int, optimize int) checksum=1", "alter table t add column view int",
		"show create procedure p", "show function_status", "drop table t", "drop procedure p", "alter table t add index function (a)",
		"rollback to s", "rollback work to savepoint s", "set session transaction read only", "set @@session.transaction_isolation = 'SERIALIZABLE'",
		"set @@transaction_isolation = @a", "set transaction_isolation = 'SERIALIZABLE'", "start replica", "select begin from commit",
		"show engines", "analyze table t", "create view `function` as select 1 from t", "select handler from t", "create index view on t (a)",
	} {
		want, err1 := ast.Parse(q)
		got, err2 := New(nil).ParseSimple(q)
		require.Equal(t, err1 == nil, err2 == nil, "%s: %v, %v", q, err1, err2)
		if err1 == nil {
			require.Equal(t, ast.String(want), ast.String(got), q)
		}
	}
}

// TestOwnInBodies: statements of ours run inside routines and triggers.
func TestOwnInBodies(t *testing.T) {
	b := newEchoBench(t)
	b.exec(t, "create table t (a int)",
		"create procedure p() begin declare x int default 1; while x < 2 do set x = x + 1; end while; do 1; if x > 1 then check table t, u quick; end if; end",
		"create procedure q() check table t",
		"create procedure r() begin select a from t for share; do 5; end")
	_, got, err := b.rows("call p()")
	require.NoError(t, err)
	require.Equal(t, "CHECK TABLE `t`, `u` QUICK", got)
	_, got, err = b.rows("call q()")
	require.NoError(t, err)
	require.Equal(t, "CHECK TABLE `t`", got)
	_, got, err = b.rows("show create procedure p")
	require.NoError(t, err)
	require.Contains(t, got, "do 1; if x > 1 then check table t, u quick; end if; end")
	b.locks.asked = nil
	b.exec(t, "call r()")
	require.Equal(t, []string{"t lock:share"}, b.locks.asked)
}

// TestFunctionalKeys: keys with functional parts leave CREATE TABLE. ST-070
func TestFunctionalKeys(t *testing.T) {
	p := New(nil)
	stmt, err := p.ParseSimple("create temporary table if not exists d.t (a varchar(9), b int, primary key (b desc), key k ((lower(a)) desc, b) comment 'c', unique u ((a+1)), key p (a) invisible)")
	require.NoError(t, err)
	c, ok := StatementOf(stmt).(*CreateTableKeys)
	require.True(t, ok)
	require.Equal(t, Name{"d", "t"}, c.Table)
	require.True(t, c.Temporary && c.IfNotExists)
	require.Len(t, c.Create.(*ast.DDL).TableSpec.Indexes, 2)
	for i, want := range []string{"alter table d.t add index k ((lower(a)) desc, b) comment 'c'", "alter table d.t add unique u ((a+1))"} {
		w, err := ast.Parse(want)
		require.NoError(t, err)
		require.Equal(t, w.(*ast.AlterTable).Statements[0].IndexSpec, c.Keys[i].(*ast.AlterTable).Statements[0].IndexSpec)
		require.Equal(t, w.(*ast.AlterTable).Table, c.Keys[i].(*ast.AlterTable).Table)
	}
	require.Equal(t, []KeyAttributes{
		{Table: Name{"d", "t"}, Key: "PRIMARY", Parts: []string{"b"}, Desc: []bool{true}},
		{Table: Name{"d", "t"}, Key: "p", Parts: []string{"a"}, Desc: []bool{false}, Invisible: true},
		{Table: Name{"d", "t"}, Key: "k", Parts: []string{"", "b"}, Desc: []bool{true, false}},
	}, KeyOrders(stmt))

	stmt, err = p.ParseSimple("create table t (a int, key k (a))")
	require.NoError(t, err)
	require.Nil(t, StatementOf(stmt))
	require.Empty(t, KeyOrders(stmt))
	for _, q := range []string{"alter table t add key x (a desc)", "create index x on t (a desc)"} {
		stmt, err = p.ParseSimple(q)
		require.NoError(t, err)
		require.Equal(t, []KeyAttributes{{Table: Name{"", "t"}, Key: "x", Parts: []string{"a"}, Desc: []bool{true}}}, KeyOrders(stmt))
	}

	resolver := &sequence{}
	b2 := newBench(t, New(resolver))
	resolver.b = b2
	b2.exec(t, "create table t (a varchar(9), b int primary key, key k ((lower(a))))", "insert into t values ('A',1),('b',2)")
	_, got, err := b2.rows("show create table t")
	require.NoError(t, err)
	require.Contains(t, got, "KEY `k` ((lower(a)))")
	_, got, err = b2.rows("select b from t where lower(a) = 'a'")
	require.NoError(t, err)
	require.Equal(t, "1", got)
}

// sequence runs the parts of a CreateTableKeys one after the other.
type sequence struct {
	echo
}

func (s *sequence) Resolve(ctx *sql.Context, st Statement, exprs []sql.Expression) (sql.ExecSourceRel, error) {
	c, ok := st.(*CreateTableKeys)
	if !ok {
		return s.echo.Resolve(ctx, st, exprs)
	}
	return &sequenceNode{echoNode: echoNode{statement: st}, b: s.b, parts: append([]ast.Statement{c.Create}, c.Keys...)}, nil
}

type sequenceNode struct {
	echoNode
	b     *bench
	parts []ast.Statement
}

func (n *sequenceNode) IsReadOnly() bool                                         { return false }
func (n *sequenceNode) WithChildren(*sql.Context, ...sql.Node) (sql.Node, error) { return n, nil }
func (n *sequenceNode) RowIter(ctx *sql.Context, _ sql.Row) (sql.RowIter, error) {
	for _, part := range n.parts {
		_, it, _, err := n.b.engine.QueryWithBindings(ctx, "", part, nil, nil)
		if err != nil {
			return nil, err
		}
		if _, err = sql.RowIterToRows(ctx, it); err != nil {
			return nil, err
		}
	}
	return sql.RowsToRowIter(sql.NewRow("")), nil
}

// TestPartitions: a list of partitions is read over, a query of one is refused.
func TestPartitions(t *testing.T) {
	p := New(nil)
	_, err := p.ParseSimple("create table t (a int) partition by range columns (a) subpartition by hash(a) (partition p0 values less than (1) engine=innodb comment='x', partition p1 values in (1,2) (subpartition s0, subpartition s1))")
	require.NoError(t, err)
	for _, q := range []string{"select * from t partition (p0)", "insert into t partition (p0) values (1)", "delete from t partition (p0)"} {
		_, _, _, err = p.ParseWithOptions(context.Background(), q, ';', false, ast.ParserOptions{})
		require.ErrorContains(t, err, "non partitioned", q)
	}
	_, err = p.ParseSimple("select sum(a) over (partition by a) from t")
	require.NoError(t, err)
}
