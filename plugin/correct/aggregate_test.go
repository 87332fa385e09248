package correct_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func aggregateShell(t *testing.T) *shell {
	s := newShell(t)
	s.exec(`create table t (id int primary key, g int, h int, b bigint, u bigint unsigned, d decimal(10,2),
			f double, n varchar(20), dt date, ts datetime(6), tm time(6), y year, bt bit(4), e enum('x','y'))`,
		`insert into t values
			(1,1,1,9007199254740992,18446744073709551615,1.25,0.1,'12abc','2024-01-01','2024-01-01 10:00:00.5','-01:00:00.5',2001,b'11','y'),
			(2,1,2,1,18446744073709551615,2.50,0.2,'3',null,null,null,null,null,null),
			(3,2,1,1,1,null,0.3,null,null,null,null,null,null,null),
			(4,2,1,null,null,-7.75,1e16,'x',null,null,null,null,null,null)`,
		"create table nothing (a int, d decimal(10,2), f double)")
	return s
}

// ST-089: SUM and AVG of integers and decimals are exact DECIMALs, with MySQL's
// precision and scale, wherever they stand.
func TestST089ExactAggregates(t *testing.T) {
	s := aggregateShell(t)
	for _, c := range []struct{ statement, types, rows string }{
		{"select sum(b), avg(b) from t", "decimal(41,0) | decimal(23,4)", "9007199254740994 | 3002399751580331.3333"},
		{"select sum(u), avg(u) from t", "decimal(42,0) | decimal(24,4)", "36893488147419103231 | 12297829382473034410.3333"},
		{"select sum(d), avg(d) from t", "decimal(32,2) | decimal(14,6)", "-4.00 | -1.333333"},
		{"select sum(id), avg(id) from t", "decimal(32,0) | decimal(14,4)", "10 | 2.5000"},
		{"select sum(f), avg(f) from t where id < 4", "double | double", "0.6 | 0.2"},
		{"select sum(f), avg(f) from t", "double | double", "1e+16 | 2.5e+15"},
		{"select sum(n), avg(n) from t", "double | double", "15 | 5"},
		{"select sum(dt), avg(dt) from t", "decimal(30,0) | decimal(12,4)", "20240101 | 20240101.0000"},
		{"select sum(ts) from t", "decimal(42,6)", "20240101100000.500000"},
		{"select sum(tm) from t", "decimal(35,6)", "-10000.500000"},
		{"select sum(y), sum(bt), sum(e) from t", "decimal(26,0) | decimal(26,0) | double", "2001 | 3 | 2"},
		{"select sum(b)/3, sum(b)*2 from t", "", "3002399751580331.3333 | 18014398509481988"},
		{"select sum(distinct b), avg(distinct b), sum(distinct d+0.0) from t", "", "9007199254740993 | 4503599627370496.5000 | -4.00"},
		{"select sum(null), avg(null) from t", "double | double", "NULL | NULL"},
		{"select sum(a), avg(d), sum(f), std(a) from nothing", "", "NULL | NULL | NULL | NULL"},
		{"select sum(a) from nothing group by d", "", ""},
		{"select g, sum(b) from t group by g order by g", "int | decimal(41,0)", "1 | 9007199254740993\n2 | 1"},
		{"select g from t group by g having sum(b) = 9007199254740993", "", "1"},
		{"select g from t group by g order by sum(b)", "", "2\n1"},
		{"select sum(b)+1 as s from t having s > 9007199254740994", "", "9007199254740995"},
		{"select x.s from (select sum(b) as s from t) x where x.s = 9007199254740994", "", "9007199254740994"},
		{"select (select sum(b) from t) - 9007199254740992", "", "2"},
		{"select sum(case when id = 1 then 1 else 0.5 end) from t", "", "2.5"},
		{"select sum(id > 2) from t", "", "2"},
	} {
		t.Run(c.statement, func(t *testing.T) {
			s.t = t
			require.Equal(t, c.rows, s.text(c.statement))
			if c.types != "" {
				require.Equal(t, c.types, s.types(c.statement))
			}
		})
	}
}

func TestDivPrecisionIncrement(t *testing.T) {
	s := aggregateShell(t)
	s.exec("set div_precision_increment = 8")
	require.Equal(t, "3002399751580331.33333333", s.text("select avg(b) from t"))
	require.Equal(t, "decimal(27,8)", s.types("select avg(b) from t"))
}

func TestTextCountsWithWarning(t *testing.T) {
	s := aggregateShell(t)
	s.exec("select sum(n) from t")
	require.Equal(t, []string{"1292 Truncated incorrect DOUBLE value: 'x'", "1292 Truncated incorrect DOUBLE value: '12abc'"}, s.warnings())
}

// A sum that no DECIMAL holds is an error, not a wrong number.
func TestSumOutOfRange(t *testing.T) {
	s := newShell(t)
	s.exec("create table big (d decimal(65,0))",
		"insert into big values (99999999999999999999999999999999999999999999999999999999999999999),(1)")
	require.ErrorContains(t, s.fails("select sum(d) from big"), "DECIMAL value is out of range in 'SUM(big.d)'")
}

func TestVarianceIsExact(t *testing.T) {
	s := newShell(t)
	s.exec("create table v (i bigint, d decimal(30,10), f double)",
		"insert into v values (1000000000000001, 1000000000000001.5, 1e15), (1000000000000002, 1000000000000002.5, 1000000000000001), (1000000000000003, 1000000000000003.5, 1000000000000002)")
	for _, column := range []string{"i", "d", "f"} {
		require.Equal(t, "0.6666666666666666 | 1 | 0.816496580927726 | 1",
			s.text("select var_pop("+column+"), var_samp("+column+"), std("+column+"), stddev_samp("+column+") from v"), column)
		require.Equal(t, "double", s.types("select variance("+column+") from v"))
	}
	require.Equal(t, "NULL | 0", s.text("select var_samp(i), var_pop(i) from v where i = 1000000000000001"))
}

// Doubles: the order of rows does not matter and the result is rounded once.
func TestDoublesRoundOnce(t *testing.T) {
	s := newShell(t)
	s.exec("create table f (id int primary key, v double)", "insert into f values (1,1e16),(2,1),(3,-1e16),(4,0.5)")
	for _, order := range []string{"id", "id desc"} {
		_, rows, err := s.query("select sum(v), avg(v) from (select * from f order by " + order + " limit 10) x")
		require.NoError(t, err)
		require.Equal(t, 1.5, rows[0][0])
		require.Equal(t, 0.375, rows[0][1])
	}
	require.False(t, math.Signbit(s.exec("select sum(-0e0) from f")[0][0].(float64)))
}

// ST-089: windows. A frame's result is that of its own rows: NULL over NULLs only,
// peers by every key, and each direction of the order.
func TestST089Windows(t *testing.T) {
	s := aggregateShell(t)
	for _, c := range []struct{ name, statement, rows string }{
		{"exact", "select sum(b) over (partition by g order by id) from t order by id",
			"9007199254740992\n9007199254740993\n1\n1"},
		{"null frame", "select sum(b) over (order by id rows between current row and current row), avg(b) over (partition by id) from t where id > 2 order by id",
			"1 | 1.0000\nNULL | NULL"},
		{"empty frame", "select sum(id) over (order by id rows between 2 preceding and 1 preceding) from t order by id",
			"NULL\n1\n3\n5"},
		{"sliding", "select sum(d) over (order by id rows between 1 preceding and 1 following), std(f) over (order by id rows 1 preceding) from t where id < 4 order by id",
			"3.75 | 0\n3.75 | 0.05\n2.50 | 0.04999999999999999"},
		{"peers by all keys", "select id, sum(id) over (order by g, h), count(*) over (order by g, h), max(id) over (order by g, h) from t order by id",
			"1 | 1 | 1 | 1\n2 | 3 | 2 | 2\n3 | 10 | 4 | 4\n4 | 10 | 4 | 4"},
		{"descending", "select id, sum(id) over (order by id desc), count(*) over (order by id desc), last_value(id) over (order by g desc, id) from t order by id",
			"1 | 10 | 4 | 1\n2 | 9 | 3 | 2\n3 | 7 | 2 | 3\n4 | 4 | 1 | 4"},
		{"range by distance", "select id, sum(id) over (order by id range between 1 preceding and 1 following), sum(id) over (order by id desc range between 1 following and unbounded following) from t order by id",
			"1 | 3 | NULL\n2 | 6 | 1\n3 | 9 | 3\n4 | 7 | 6"},
		{"null keys are peers", "select id, count(*) over (order by d range between 5 preceding and 5 following) from t order by id",
			"1 | 2\n2 | 2\n3 | 1\n4 | 1"},
		{"null keys last when descending", "select id, count(*) over (order by d desc) from t order by id", "1 | 2\n2 | 1\n3 | 4\n4 | 3"},
		{"one function, two frames", `select id, sum(id) over (order by id rows between unbounded preceding and current row),
			sum(id) over (order by id rows between unbounded preceding and unbounded following) from t order by id`,
			"1 | 1 | 10\n2 | 3 | 10\n3 | 6 | 10\n4 | 10 | 10"},
		{"interval", "select id, sum(id) over (order by dt range between interval 1 day preceding and current row) from t where id = 1", "1 | 1"},
		{"correlated", "select id, (select sum(b) over () from t i where i.id = o.id) from t o order by id",
			"1 | 9007199254740992\n2 | 1\n3 | 1\n4 | NULL"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.t = t
			require.Equal(t, c.rows, s.text(c.statement))
		})
	}
	s.t = t
	require.Equal(t, "decimal(41,0) | decimal(23,4)", s.types("select sum(b) over (), avg(b) over () from t"))
	require.ErrorContains(t, s.fails("select sum(id) over (order by g, h range between 1 preceding and current row) from t"), "order by must be one expression")
}

// MIN and MAX over no rows are NULL, in one row.
func TestMinMaxOverNothing(t *testing.T) {
	s := aggregateShell(t)
	s.exec("create table k (a int, b int, primary key (a, b))")
	for _, c := range [][2]string{
		{"select max(a), min(a) from k", "NULL | NULL"},
		{"select max(a) from k", "NULL"},
		{"select min(a) from k", "NULL"},
		{"select max(id) from t where id > 100", "NULL"},
		{"select min(id)+1 from t where id > 100", "NULL"},
		{"select max(id) from t", "4"},
		{"select min(id) from t where id > 1", "2"},
		{"select max(id) from t where id < 4 and id <> 3", "2"},
		{"select coalesce(max(a), 7) from k", "7"},
		{"select (select max(a) from k), count(*) from t", "NULL | 4"},
		{"select id from t where id = (select max(id) from t)", "4"},
		{"select max(id) from t having max(id) > 3", "4"},
	} {
		require.Equal(t, c[1], s.text(c[0]), c[0])
	}
}

// ST-069: the extreme of a primary key reads one row: the plan has an index scan
// cut to one row below the aggregate, and no sort.
func TestST069MinMaxReadsOneRow(t *testing.T) {
	s := aggregateShell(t)
	for _, statement := range []string{"select max(id) from t", "select min(id) from t", "select max(id) from t where id < 3"} {
		plan := s.text("describe plan " + statement)
		require.Contains(t, plan, " Limit(1)", statement)
		require.Contains(t, plan, "IndexedTableAccess(t)", statement)
		require.NotContains(t, plan, "Sort", statement)
		require.NotContains(t, plan, "TopN", statement)
	}
}
