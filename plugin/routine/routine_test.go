package routine_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/stretchr/testify/require"
)

// body runs a function body once per entry; each makes its function f anew.
type body struct{ name, create, call, want string }

func (s *shell) runBodies(bodies []body) {
	t := s.t.(*testing.T)
	for _, b := range bodies {
		t.Run(b.name, func(t *testing.T) {
			s.t = t
			s.exec("drop function if exists f", b.create)
			require.Equal(t, b.want, s.text(b.call))
		})
	}
	s.t = t
}

func TestControlFlow(t *testing.T) {
	s := newShell(t)
	s.runBodies([]body{
		{"single statement", "create function f(x int) returns int deterministic return x + 1", "select f(2), d.f(3), F(null)", "3 | 4 | NULL"},
		{"no parameters", "create function f() returns varchar(5) no sql return 'abc'", "select f()", "abc"},
		{"if", "create function f(x int) returns varchar(9) begin if x < 0 then return 'neg'; elseif x = 0 then return 'zero'; else return 'pos'; end if; end", "select f(-1), f(0), f(1), f(null)", "neg | zero | pos | pos"},
		{"case with operand", "create function f(x varchar(3)) returns int begin case x when 'a' then return 1; when 'b' then return 2; else return 3; end case; end", "select f('A'), f('b'), f('c'), f(null)", "3 | 2 | 3 | 3"},
		{"case without operand", "create function f(x int) returns int begin case when x > 1 then return 10; when x > 0 then return 20; else return 30; end case; end", "select f(2), f(1), f(0)", "10 | 20 | 30"},
		{"while", "create function f(n int) returns varchar(30) begin declare i int default 0; declare r varchar(30) default ''; while i < n do set r = concat(r, i), i = i + 1; end while; return r; end", "select f(5), f(0)", "01234 | "},
		{"repeat", "create function f(n int) returns int begin declare i int default 0; repeat set i = i + 1; until i >= n end repeat; return i; end", "select f(5), f(0)", "5 | 1"},
		{"loop, iterate and leave", "create function f(n int) returns int begin declare i, s int default 0; a: loop set i = i + 1; if i > n then leave a; end if; if i mod 2 = 0 then iterate a; end if; set s = s + i; end loop a; return s; end", "select f(5), f(0)", "9 | 0"},
		{"leave a block", "create function f(n int) returns int begin a: begin if n > 0 then leave a; end if; return 1; end a; return 2; end", "select f(1), f(0)", "2 | 1"},
		{"nested loops", "create function f(n int) returns int begin declare i, j, s int default 0; a: while i < n do set i = i + 1, j = 0; b: while true do set j = j + 1; if j > i then iterate a; end if; if i = 4 then leave a; end if; set s = s + 1; end while; end while; return s; end", "select f(10)", "6"},
		{"variables are NULL at first", "create function f() returns int begin declare x int; return x; end", "select f()", "NULL"},
		{"shadowing", "create function f(x int) returns varchar(9) begin declare y int default x + 1; begin declare x int default 7; set y = y * 10 + x; end; return concat(x, ':', y); end", "select f(1)", "1:27"},
		{"a block starts anew in a loop", "create function f() returns varchar(9) begin declare i int default 0; declare r varchar(9) default ''; while i < 3 do begin declare x int; set x = coalesce(x, 0) + 1, r = concat(r, x), i = i + 1; end; end while; return r; end", "select f()", "111"},
		{"decimals and times keep their type", "create function f(d decimal(10,2), t datetime) returns varchar(60) begin declare x decimal(10,3) default d / 3; declare y datetime default t + interval 1 day; return concat(x, ' ', y, ' ', x > 3); end", "select f(10, '2024-02-28 10:00:00')", "3.333 2024-02-29 10:00:00 1"},
		{"variables where the engine does not look", "create function f(x int) returns varchar(40) begin declare y int; select case when x between 1 and 3 then x else -x end into y; return concat_ws(',', y, if(x in (x, 5), 'in', 'out'), cast(x as char), x is null, not x); end", "select f(2), f(7)", "2,in,2,0,0 | -7,in,7,0,0"},
		{"user variables", "create function f(x int) returns int begin set @u = x * 2; select x, x + 1 into @a, @b; return @u; end", "select f(4)", "8"},
	})
	s.exec("drop function f", "create function f(x int) returns int begin set @u = x * 2; select x, x + 1 into @a, @b; return @u; end", "select f(4)")
	require.Equal(t, "8 | 4 | 5", s.text("select @u, @a, @b"))
	s.exec("drop function f", "create function f(x int) returns int return abs(x) + g(x)", "create function g(x int) returns int return x * 10")
	require.Equal(t, "55", s.text("select f(5)"))
}

func TestSQLInBodies(t *testing.T) {
	s := newShell(t)
	s.exec("create table t (id int primary key, v decimal(5,2), n varchar(10))", "insert into t values (1, 1.5, 'a'), (2, 2.25, 'b'), (3, null, 'c')",
		"create table log (id int auto_increment primary key, x int)")
	s.runBodies([]body{
		{"select into", "create function f(p int) returns decimal(6,2) reads sql data begin declare x decimal(6,2); select v into x from t where id = p; return x; end", "select id, f(id) from t order by id", "1 | 1.50\n2 | 2.25\n3 | NULL"},
		{"select into in a loop", "create function f() returns varchar(20) reads sql data begin declare i int default 1; declare x varchar(10); declare r varchar(20) default ''; while i <= 3 do select n into x from t where id = i; set r = concat(r, x), i = i + 1; end while; return r; end", "select f()", "abc"},
		{"no row keeps the variable", "create function f(p int) returns int reads sql data begin declare x int default 7; select id into x from t where id = p; return x; end", "select f(1), f(100)", "1 | 7"},
		{"subquery in an expression", "create function f() returns int reads sql data begin if exists (select * from t where v > 2) then return (select count(*) from t); end if; return 0; end", "select f()", "3"},
		{"subqueries are not remembered", "create function f(p int) returns int reads sql data return (select count(*) from t where id <= p)", "select group_concat(f(id) order by id) from t", "1,2,3"},
		{"group, order, limit", "create function f(p int) returns varchar(10) reads sql data begin declare r varchar(10); select n into r from t where id <> p group by n having count(*) < p + 5 order by abs(p - max(id)), n limit 1; return r; end", "select f(1), f(3)", "b | b"},
		{"cte and join", "create function f(p int) returns int reads sql data begin declare r int; with c as (select id from t where id > p) select count(*) into r from c join t on t.id = c.id and t.id < p + 2; return r; end", "select f(1)", "1"},
		{"in where and order by", "create function f(p int) returns int deterministic return -p", "select id from t where f(id) < -1 order by f(id)", "3\n2"},
		{"in aggregates and groups", "create function f(p int) returns int deterministic return p mod 2", "select f(id), sum(f(id)), count(*) from t group by f(id) order by 1", "0 | 0 | 1\n1 | 2 | 2"},
		{"cursor", "create function f(m int) returns varchar(30) reads sql data begin declare fin int default 0; declare x varchar(10); declare r varchar(30) default ''; declare c cursor for select n from t where id <= m order by id desc; declare continue handler for not found set fin = 1; open c; a: loop fetch c into x; if fin then leave a; end if; set r = concat(r, x); end loop; close c; return r; end", "select f(3), f(2), f(0)", "cba | ba | "},
		{"writes", "create function f(p int) returns int modifies sql data begin insert into log (x) values (p); update log set x = x + 1 where x = p; delete from log where x > 100; return row_count(); end", "select f(5), f(200)", "0 | 1"},
	})
	require.Equal(t, "6", s.text("select group_concat(x) from log"))
}

func TestHandlers(t *testing.T) {
	s := newShell(t)
	s.exec("create table t (id int primary key)", "insert into t values (1), (2)")
	s.runBodies([]body{
		{"exit for not found", "create function f(p int) returns int reads sql data begin declare x int; declare exit handler for not found return -1; select id into x from t where id = p; return x; end", "select f(1), f(9)", "1 | -1"},
		{"continue goes on behind the statement", "create function f() returns varchar(30) modifies sql data begin declare r varchar(30) default ''; declare continue handler for sqlexception set r = concat(r, 'h'); set r = concat(r, 'a'); begin insert into t values (1); set r = concat(r, 'b'); end; set r = concat(r, 'c'); return r; end", "select f()", "ahbc"},
		{"exit leaves its block only", "create function f() returns varchar(30) modifies sql data begin declare r varchar(30) default ''; begin declare exit handler for sqlexception begin set r = concat(r, 'h'); set r = concat(r, 'i'); end; insert into t values (1); set r = concat(r, 'x'); end; return concat(r, 'c'); end", "select f()", "hic"},
		{"by number", "create function f() returns int modifies sql data begin declare exit handler for 1062 return 1; declare exit handler for sqlexception return 2; insert into t values (1); return 3; end", "select f()", "1"},
		{"by state", "create function f() returns int modifies sql data begin declare exit handler for sqlstate '23000' return 1; declare exit handler for sqlexception return 2; insert into t values (1); return 3; end", "select f()", "1"},
		{"by name", "create function f() returns int modifies sql data begin declare dup condition for 1062; declare exit handler for dup return 1; insert into t values (1); return 3; end", "select f()", "1"},
		{"several conditions", "create function f() returns int modifies sql data begin declare exit handler for 1146, 1062 return 1; insert into t values (1); return 3; end", "select f()", "1"},
		{"number before class, inner before outer", "create function f() returns int modifies sql data begin declare exit handler for 1062 return 1; begin declare exit handler for sqlexception return 2; insert into t values (1); end; return 3; end", "select f()", "2"},
		{"missing table", "create function f() returns int reads sql data begin declare x int; declare exit handler for 1146 return 1; select id into x from nosuch; return 2; end", "select f()", "1"},
		{"too many rows", "create function f() returns int reads sql data begin declare x int; declare exit handler for 1172 return 1; select id into x from t; return 2; end", "select f()", "1"},
		{"signal", "create function f() returns varchar(30) begin declare exit handler for sqlstate '45000' return 'caught'; signal sqlstate '45000' set message_text = 'm'; return 'x'; end", "select f()", "caught"},
		{"a handler has no handler in its own block", "create function f() returns varchar(30) begin declare exit handler for 1644 return 'outer'; begin declare exit handler for sqlstate '45000' signal sqlstate '45001'; signal sqlstate '45000'; end; return 'x'; end", "select f()", "outer"},
		{"resignal", "create function f() returns varchar(30) begin declare exit handler for 5000 return 'outer'; begin declare exit handler for sqlexception resignal set mysql_errno = 5000; signal sqlstate '45000'; end; return 'x'; end", "select f()", "outer"},
		{"warning handler", "create function f() returns varchar(30) begin declare exit handler for sqlwarning return 'warned'; signal sqlstate '01000'; return 'x'; end", "select f()", "warned"},
		{"not found signal", "create function f() returns varchar(30) begin declare exit handler for not found return 'nf'; signal sqlstate '02000'; return 'x'; end", "select f()", "nf"},
		{"error in a condition", "create function f() returns int reads sql data begin declare continue handler for sqlexception begin end; if (select id from nosuch) then return 1; end if; return 2; end", "select f()", "2"},
	})
}

func TestErrorsAtRunTime(t *testing.T) {
	s := newShell(t)
	s.exec("create table t (id int primary key)", "insert into t values (1), (2)")
	for _, c := range []struct{ create, call, want string }{
		{"create function f(x int) returns int begin if x then return 1; end if; end", "select f(0)", "1321 2F005 FUNCTION f ended without RETURN"},
		{"create function f(x int) returns int begin case x when 1 then return 1; end case; end", "select f(0)", "1339 20000 Case not found for CASE statement"},
		{"create function f(x int) returns int begin signal sqlstate '45000' set message_text = 'no', mysql_errno = 4321; return 1; end", "select f(0)", "4321 45000 no"},
		{"create function f(x int) returns int begin declare m varchar(20) default concat('bad ', x); signal sqlstate '45000' set message_text = m; return 1; end", "select f(7)", "1644 45000 bad 7"},
		{"create function f(x int) returns int reads sql data begin declare y int; select id into y from t; return y; end", "select f(0)", "1172 42000 Result consisted of more than one row"},
		{"create function f(x int) returns int reads sql data begin declare y int; select id, id into y from t where id = 1; return y; end", "select f(0)", "1222 21000 The used SELECT statements have a different number of columns"},
		{"create function f(x int) returns int begin declare y int; declare c cursor for select id from t; fetch c into y; return y; end", "select f(0)", "1326 24000 Cursor is not open"},
		{"create function f(x int) returns int begin declare y int; declare c cursor for select id from t; open c; open c; return y; end", "select f(0)", "1325 24000 Cursor is already open"},
		{"create function f(x int) returns int begin resignal; return 1; end", "select f(0)", "1645 0K000 RESIGNAL when handler not active"},
		{"create function f(x int) returns int begin declare c cursor for select id from t; declare a int; open c; while true do fetch c into a; end while; return 1; end", "select f(0)", "1337"},
		{"create function f(x int) returns int begin declare a int; declare c cursor for select id from t; open c; while true do fetch c into a; end while; return 1; end", "select f(0)", "1329 02000 No data - zero rows fetched, selected, or processed"},
		{"create function f(x int) returns int return f(x - 1)", "select f(3)", "1424 HY000 Recursive stored functions and triggers are not allowed."},
		{"create function f(x int) returns int return x", "select f(1, 2)", "1318 42000 Incorrect number of arguments for FUNCTION d.f; expected 1, got 2"},
		{"create function f(x tinyint) returns int return x", "select f(300)", "1264 22003"},
		{"create function f(x int) returns tinyint return x", "select f(300)", "1264 22003"},
		{"create function f(x int) returns int return nosuch(x)", "select f(300)", "1305 42000"},
		{"create function f(x int) returns int return nosuch", "select f(300)", "1054 42S22"},
	} {
		_, _, err := s.query("drop function if exists f")
		require.NoError(t, err)
		if _, _, err := s.query(c.create); err != nil {
			require.Contains(t, s.fails(c.create), c.want)
			continue
		}
		require.Contains(t, s.fails(c.call), c.want, c.create)
		require.Equal(t, "1", s.text("select 1"), "the session is usable")
	}
	s.exec("drop function if exists f", "create function f(x int) returns int return g(x)", "create function g(x int) returns int return f(x)")
	require.Contains(t, s.fails("select f(1)"), "1424")
}

func TestRefusedBodies(t *testing.T) {
	s := newShell(t)
	for _, c := range []struct{ body, want string }{
		{"begin select 1; return 1; end", "1415"},
		{"begin show tables; return 1; end", "1415"},
		{"begin commit; return 1; end", "1422"},
		{"begin create table x (a int); return 1; end", "1422"},
		{"begin call p(); return 1; end", "1235"},
		{"begin leave a; return 1; end", "1308"},
		{"a: begin iterate a; return 1; end", "1308"},
		{"begin set nosuch = 1; return 1; end", "1193"},
		{"begin select 1 into nosuch; return 1; end", "1327"},
		{"begin fetch c into x; return 1; end", "1324"},
		{"begin declare a int; declare A int; return 1; end", "1331"},
		{"begin declare exit handler for nosuch return 1; return 1; end", "1319"},
		{"begin declare exit handler for sqlstate '00000' return 1; return 1; end", "1407"},
		{"begin declare a condition for sqlstate '45000'; declare a condition for sqlstate '45001'; return 1; end", "1332"},
		{"begin set @x = 1; end", "1320"},
	} {
		create := "create function f(x int) returns int " + c.body
		require.True(t, strings.Contains(s.fails(create), c.want), "%s: %s", create, s.fails(create))
		require.Empty(t, s.text("show function status"))
	}
}

func TestDefinitions(t *testing.T) {
	s := newShell(t)
	s.exec("create function f(x int, `y z` varchar(10)) returns int deterministic comment 'it''s' return x")
	require.True(t, strings.HasPrefix(s.fails("create function F() returns int return 1"), "1304 42000"))
	s.exec("create function if not exists f() returns int return 1")
	require.Equal(t, []string{"1304 FUNCTION f already exists"}, s.warnings())
	shown := s.text("show create function f")
	require.Contains(t, shown, "CREATE DEFINER=`root`@`localhost` FUNCTION `f`(`x` int, `y z` varchar(10)) RETURNS int\n    DETERMINISTIC COMMENT 'it''s'\nreturn x")
	require.Contains(t, shown, "STRICT_TRANS_TABLES")

	s.exec("alter function f sql security invoker comment 'new' reads sql data")
	require.Contains(t, s.text("show create function f"), "DETERMINISTIC READS SQL DATA SQL SECURITY INVOKER COMMENT 'new'")
	require.Contains(t, s.text("show function status where name = 'f'"), "d | f | FUNCTION | root@localhost")
	require.Contains(t, s.text("show function status like 'F%'"), "INVOKER | new")
	require.Empty(t, s.text("show function status like 'g%'"))
	require.Empty(t, s.text("show function status where db = 'other'"))

	// Rendering is a fixed point: the stored text makes the same definition.
	before := s.definitions.byName[key("d", "f")].Statement
	s.exec("drop function f", before)
	require.Equal(t, before, s.definitions.byName[key("d", "f")].Statement)

	s.exec("drop function d.f")
	require.True(t, strings.HasPrefix(s.fails("drop function f"), "1305 42000 FUNCTION d.f does not exist"))
	require.True(t, strings.HasPrefix(s.fails("show create function f"), "1305"))
	require.True(t, strings.HasPrefix(s.fails("alter function f comment 'x'"), "1305"))
	require.True(t, strings.HasPrefix(s.fails("select f(1)"), "1305"))
	s.exec("drop function if exists f")
	require.Equal(t, []string{"1305 FUNCTION d.f does not exist"}, s.warnings())
	require.True(t, strings.HasPrefix(s.fails("create function nosuch.f() returns int return 1"), "1049"))
}

// A function belongs to its database, whatever the session's is.
func TestDatabases(t *testing.T) {
	s := newShell(t)
	s.exec("create table t (id int)", "insert into t values (1), (2)", "create table other.t (id int)",
		"create function n() returns int reads sql data return (select count(*) from t)",
		"create function twice() returns int reads sql data return n() * 2",
		"create function other.n() returns int reads sql data return (select count(*) from t)")
	require.Equal(t, "2 | 4 | 0", s.text("select n(), twice(), other.n()"))
	s.exec("use other")
	require.Equal(t, "0 | 2 | 4", s.text("select n(), d.n(), d.twice()"))
	require.True(t, strings.HasPrefix(s.fails("select twice()"), "1305"))
	// A native function is meant unless a database is given.
	s.exec("create function abs(x int) returns int return 42")
	require.Equal(t, "1 | 42", s.text("select abs(-1), other.abs(-1)"))
}

// A body runs and is read under the sql_mode of its creation.
func TestSQLMode(t *testing.T) {
	s := newShell(t)
	s.exec("set sql_mode = 'ANSI_QUOTES,PIPES_AS_CONCAT'", `create function "f"("x" varchar(3)) returns varchar(6) return "x" || 'b'`,
		"create function g(x tinyint) returns tinyint return x",
		"set sql_mode = 'STRICT_TRANS_TABLES'")
	require.Equal(t, "ab", s.text("select f('a')"))
	require.Equal(t, "127", s.text("select g(300)"), "no strict mode inside")
	require.Equal(t, "STRICT_TRANS_TABLES", s.text("select @@sql_mode"))
	require.Contains(t, s.fails("select g(1), f(1, 2)"), "1318")
	require.Equal(t, "STRICT_TRANS_TABLES", s.text("select @@sql_mode"))
}

// Functions are called from views, triggers, procedures, defaults of queries, and
// prepared statements.
func TestCallers(t *testing.T) {
	s := newShell(t)
	s.exec("create table t (id int primary key, v int)",
		"create function inc(x int) returns int deterministic return x + 1",
		"create view w as select id, inc(v) as n from t",
		"create trigger tr before insert on t for each row set new.v = inc(new.v)",
		"create procedure p(a int) begin declare b int; set b = inc(a); insert into t values (b, inc(b)); end",
		"insert into t values (1, 10)", "call p(4)")
	require.Equal(t, "1 | 12\n5 | 8", s.text("select * from w order by id"))
	s.exec("prepare q from 'select inc(?) + inc(id) from t where id = ?'", "set @a = 5, @b = 1")
	require.Equal(t, "8", s.text("execute q using @a, @b"))
	s.exec("update t set v = inc(v) where inc(id) = 2", "insert into t select inc(id), 0 from t where id = 1")
	require.Equal(t, "1 | 12\n2 | 1\n5 | 7", s.text("select * from t order by id"))
}

// The Sakila kind: balances and stock over several tables.
func TestRentalShop(t *testing.T) {
	s := newShell(t)
	s.exec("create table film (id int primary key, days int, rate decimal(4,2))",
		"create table piece (id int primary key, film int)",
		"create table rental (id int primary key, piece int, customer int, taken datetime, back datetime)",
		"create table payment (id int primary key, customer int, amount decimal(5,2), paid datetime)",
		"insert into film values (1, 3, 4.99), (2, 2, 0.99)", "insert into piece values (1, 1), (2, 2), (3, 2)",
		"insert into rental values (1, 1, 1, '2005-01-01', '2005-01-10'), (2, 2, 1, '2005-02-01', null), (3, 3, 2, '2005-02-01', '2005-02-20')",
		"insert into payment values (1, 1, 3.50, '2005-01-11')",
		`create function balance(who int, at datetime) returns decimal(5,2) deterministic reads sql data
		begin
			declare fees decimal(5,2);
			declare late int;
			declare paid decimal(5,2);
			select ifnull(sum(f.rate), 0) into fees from film f, piece c, rental r
				where f.id = c.film and c.id = r.piece and r.taken <= at and r.customer = who;
			select ifnull(sum(if((to_days(r.back) - to_days(r.taken)) > f.days, (to_days(r.back) - to_days(r.taken)) - f.days, 0)), 0) into late
				from rental r, piece c, film f where f.id = c.film and c.id = r.piece and r.taken <= at and r.customer = who;
			select ifnull(sum(p.amount), 0) into paid from payment p where p.paid <= at and p.customer = who;
			return fees + late - paid;
		end`,
		`create function holder(which int) returns int reads sql data
		begin
			declare who int;
			declare exit handler for not found return null;
			select customer into who from rental where back is null and piece = which;
			return who;
		end`,
		`create function in_stock(which int) returns boolean reads sql data
		begin
			declare rentals int;
			declare outside int;
			select count(*) into rentals from rental where piece = which;
			if rentals = 0 then return true; end if;
			select count(r.id) into outside from piece c left join rental r using (id) where c.id = which and r.back is null;
			if outside > 0 then return false; else return true; end if;
		end`)
	require.Equal(t, "8.48 | 17.99 | 0.00", s.text("select balance(1, '2006-01-01'), balance(2, '2006-01-01'), balance(9, '2006-01-01')"))
	require.Equal(t, "7.49", s.text("select balance(1, '2005-01-31')"))
	require.Equal(t, "1 | NULL | 1\n2 | 1 | 0\n3 | NULL | 1", s.text("select id, holder(id), in_stock(id) from piece order by id"))
}

// A body is inside the caller's transaction: nothing of it commits, and KILL ends it.
func TestCancelled(t *testing.T) {
	s := newShell(t)
	s.exec("create function f() returns int begin declare continue handler for sqlexception begin end; while true do set @x = 1; end while; return 1; end")
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	sqlCtx := sql.NewContext(ctx, sql.WithSession(s.ctx.Session))
	_, iter, _, err := s.engine.Query(sqlCtx, "select f()")
	require.NoError(t, err)
	_, err = iter.Next(sqlCtx)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

// One definition may be run by many sessions.
func TestConcurrentCalls(t *testing.T) {
	s := newShell(t)
	s.exec("create function f(n int) returns int begin declare i, r int default 0; while i < n do set i = i + 1, r = r + i; end while; return r; end")
	var group sync.WaitGroup
	for range 4 {
		other := *s
		session := sql.NewBaseSession()
		other.ctx = sql.NewContext(context.Background(), sql.WithSession(s.sessionFor(session)))
		other.ctx.SetCurrentDatabase("d")
		group.Add(1)
		go func() {
			defer group.Done()
			for range 20 {
				_, rows, err := other.query("select f(10), f(3)")
				if err != nil || rows[0][0] != int32(55) || rows[0][1] != int32(6) {
					t.Errorf("%v %v", rows, err)
				}
			}
		}()
	}
	group.Wait()
}
