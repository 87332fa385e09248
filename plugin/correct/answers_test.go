package correct_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func answersShell(t *testing.T) *shell {
	s := newShell(t)
	s.exec("create table t (id int primary key, v int, b bigint, u bigint unsigned, key (v))",
		"insert into t values (1,1,9223372036854775807,18446744073709551615), (2,2,1,1), (3,null,0,0)",
		"create table nothing (a int)", "create table o (a int)", "insert into o values (1), (null)")
	return s
}

// A comparison with a subquery of several rows is error 1242, one without rows is
// NULL, under NOT as well.
func TestScalarSubqueries(t *testing.T) {
	s := answersShell(t)
	for _, statement := range []string{
		"select * from t where id = (select id from t)",
		"select * from t where id > (select id from t where id < 3)",
		"select * from t where id <> (select id from t)",
		"select * from t where not (id = (select id from t))",
		"select * from t where id = (select t2.id from t t2 where t2.v >= t.id)",
		"select * from t where v = 1 and (id = (select id from t where v > 0) or id = 7)",
		"update t set v = 9 where id = (select a from o)",
		"delete from t where id = (select id from (select * from t) x)",
		"select (select id from t)",
	} {
		require.Equal(t, "1242 21000", numberAndState(t, s.fails(statement)), statement)
	}
	for _, c := range [][2]string{
		{"select id from t where id = (select a from nothing)", ""},
		{"select id from t where not (id = (select a from nothing))", ""},
		{"select id from t where not (id = (select a from o where a is null))", ""},
		{"select id from t where id = (select max(id) from t)", "3"},
		{"select id from t where not (id = (select max(id) from t)) order by id", "1\n2"},
		{"select id from t where id = (select id from t where id = 2)", "2"},
		{"select id from t where id = (select id from t order by id limit 1)", "1"},
		{"select id from t where id = (select t2.id from t t2 where t2.id = t.v) order by id", "1\n2"},
		{"select id from t where id = (select 3)", "3"},
		{"select id from t where id in (select id from t) order by id", "1\n2\n3"},
	} {
		require.Equal(t, c[1], s.text(c[0]), c[0])
	}
	require.Contains(t, s.text("describe plan select * from t where id = (select id from t t2 where t2.id = 2)"), "Join", "a unique key keeps its join")
}

// ST-089: NULL in NOT IN, and an outer join without an inner row.
func TestST089Nulls(t *testing.T) {
	s := answersShell(t)
	for _, c := range [][2]string{
		{"select id from t where id not in (select a from o)", ""},
		{"select 3 not in (select a from o), 1 not in (select a from o), 3 in (select a from o)", "NULL | 0 | NULL"},
		{"select id from t where v not in (1, null)", ""},
		{"select id from t where id not in (select a from nothing) order by id", "1\n2\n3"},
		{"select t.id, e.a from t left join nothing e on true order by id", "1 | NULL\n2 | NULL\n3 | NULL"},
		{"select id from t where (id, v) in ((3, null))", ""},
		{"select id from t where (id, v) not in ((3, null)) order by id", "1\n2"},
		{"select (3, null) in ((3, null)), (3, null) in ((4, null)), (3, 1) in ((3, null), (3, 1))", "NULL | 0 | 1"},
	} {
		require.Equal(t, c[1], s.text(c[0]), c[0])
	}
}

// Integer arithmetic that leaves its type is error 1690, never another number.
func TestIntegerOverflow(t *testing.T) {
	s := answersShell(t)
	for _, statement := range []string{
		"select b + 1 from t where id = 1", "select b * 2 from t where id = 1", "select -b - 2 from t where id = 1",
		"select u + 1 from t where id = 1", "select 9223372036854775807 + 1", "select -9223372036854775808 - 1",
		"select 18446744073709551615 + 1", "select 0 - 18446744073709551615", "select cast(1 as unsigned) - 2",
		"select u - 1 from t where id = 3", "select id from t where b + id > 0", "select id from t order by b + id",
		"select (select b + 1 from t where id = 1)", "select x from (select b + 1 as x from t) d",
		"insert into t values (9, 1, 9223372036854775807 + 1, 1)", "update t set b = b + 1", "insert into t select id + 10, v, b + 1, u from t",
		"insert into t (id) values (1) on duplicate key update b = b + 1", "delete from t where b + 1 > 0",
		"select sum(b + id) from t", "select 9223372036854775807 * 9223372036854775807", "select 4294967296 * 4294967296",
	} {
		require.Equal(t, "1690 22003", numberAndState(t, s.fails(statement)), statement)
	}
	for _, c := range [][2]string{
		{"select b - 1, b + 0, b - b, -b - 1 from t where id = 1", "9223372036854775806 | 9223372036854775807 | 0 | -9223372036854775808"},
		{"select 2 * 3, -2 * 3, 0 * -3, 2 - 3, true + true", "6 | -6 | 0 | -1 | 2"},
		{"select -9223372036854775807 - 1, -4611686018427387904 * 2", "-9223372036854775808 | -9223372036854775808"},
		{"select u + 1, u - 1, v + null from t where id = 2", "2 | 0 | NULL"},
		{"select u - u from t where id = 1", "0"},
		{"select b + 1.0, b + 1e0 from t where id = 1", "9223372036854775808.0 | 9.223372036854776e+18"},
		{"select cast('2024-02-28' as date) + interval 2 day", "2024-03-01 00:00:00"},
	} {
		require.Equal(t, c[1], s.text(c[0]), c[0])
	}
	s.exec("set sql_mode = 'NO_UNSIGNED_SUBTRACTION'")
	require.Equal(t, "-1", s.text("select cast(1 as unsigned) - 2"))
}

// A day that is not in the calendar is NULL, with a warning.
func TestImpossibleDates(t *testing.T) {
	s := newShell(t)
	for _, c := range [][2]string{
		{"cast('2024-02-30' as date)", "NULL"}, {"cast('2023-02-29' as datetime)", "NULL"}, {"cast('2024-02-30 10:00:00' as datetime)", "NULL"},
		{"cast('2024-04-31' as date)", "NULL"}, {"cast('2024-2-9' as date)", "2024-02-09"}, {"cast('2024-02-29' as date)", "2024-02-29"},
		{"cast(null as date)", "NULL"}, {"cast('2024/12/31' as date)", "2024-12-31"},
	} {
		require.Equal(t, c[1], s.text("select "+c[0]), c[0])
	}
	s.exec("select cast('2024-02-30' as date)")
	require.Equal(t, []string{"1292 Incorrect datetime value: '2024-02-30'"}, s.warnings())
}

// RETURNING gives new rows, after the statement has ended.
func TestReturning(t *testing.T) {
	s := newShell(t)
	s.exec("create table r (id int primary key auto_increment, v int, n varchar(9) default 'd')", "insert into r values (1, 1, 'x')")
	for _, c := range [][2]string{
		{"replace into r (id, v) values (1, 2), (2, 3) returning id, v, n", "1 | 2 | d\n2 | 3 | d"},
		{"insert into r (v) values (7), (8) returning id, v * 2 as twice", "3 | 14\n4 | 16"},
		{"insert into r (id, v) values (1, 9), (5, 5) on duplicate key update v = values(v) returning id, v", "1 | 9\n5 | 5"},
		{"insert ignore into r (id, v) values (1, 9), (6, 6) returning id", "6"},
		{"insert into r (id, v) select id + 10, v from r where id = 1 returning *", "11 | 9 | d"},
	} {
		require.Equal(t, c[1], s.text(c[0]), c[0])
	}
	require.Equal(t, "int | int", s.types("replace into r (id, v) values (1, 2) returning id, v"))
	s.fails("insert into r (id, v) values (20, 1), (20, 2) returning id")
	require.Equal(t, "1", s.text("select v from r where id = 11 and v = 9 union select 1 limit 1 offset 1"))
}

// ST: DELETE is not TRUNCATE: triggers and foreign keys of the table's own
// database count, whatever the current one is.
func TestDeleteInAnotherDatabase(t *testing.T) {
	s := newShell(t)
	s.exec("create table other.p (id int primary key)", "create table other.c (id int primary key, p int, foreign key (p) references other.p(id))",
		"create table p (id int primary key)", "create table c (id int primary key)",
		"insert into other.p values (1)", "insert into other.c values (1, 1)")
	require.Equal(t, "1451 23000", numberAndState(t, s.fails("delete from other.p")))
	require.Equal(t, "1701 42000", numberAndState(t, s.fails("truncate other.p")))
	s.exec("create table other.log (x int)", "use other", "create trigger tr after delete on c for each row insert into other.log values (old.id)", "use d")
	s.exec("delete from other.c")
	require.Equal(t, "1", s.text("select x from other.log"))
	s.exec("delete from other.p", "truncate other.c")
	require.Equal(t, "0", s.text("select count(*) from other.p"))
	s.exec("insert into p values (1), (2)", "set foreign_key_checks = 0", "truncate other.p", "delete from p")
	require.Equal(t, "0", s.text("select count(*) from p"))
}

// Arms of a UNION and simple selects are given indexes.
func TestUnionArmsUseIndexes(t *testing.T) {
	s := answersShell(t)
	require.Contains(t, s.text("describe plan select id from t where id = 1 union all select id from t where v = 2"), "IndexedTableAccess")
	require.Contains(t, s.text("describe plan select id from t where id = 1"), "IndexedTableAccess")
}

func TestInstallIsIdempotent(t *testing.T) {
	s := newShell(t)
	require.ErrorIs(t, correctRules(s), errAlready)
}
