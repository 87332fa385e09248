package correct_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Conditions compare as MySQL does, whether or not an index could answer them.
func TestComparisonsFollowTypes(t *testing.T) {
	s := newShell(t)
	s.exec("create table s (id int primary key, c varchar(20) collate utf8mb4_general_ci)",
		"insert into s values (1,'A'),(2,'a'),(3,'b'),(4,'ABC'),(5,'zz'),(6,null)",
		"create table m (id int primary key, t time)", "insert into m values (1,'12:00:00'),(2,'838:59:59'),(3,null)",
		"create table n (id int primary key, dc decimal(10,3), d double, key (dc), key (d))",
		"insert into n values (1,1.001,1e300),(2,1,1),(3,-1.5,0.5),(4,null,null)",
		"create table u (id int primary key, u bigint unsigned, b bigint)",
		"insert into u values (1,9223372036854775807,9223372036854775807),(2,9223372036854775808,1),(3,18446744073709551615,-1)",
		"create table r (i int, j int)", "insert into r values (1,null),(2,0),(3,3)",
		"create table e (id int primary key, e enum('b','a') collate utf8mb4_bin, key (e))", "insert into e values (1,'a'),(2,'b')",
		"create table d (id int primary key, d date, dt datetime, key (d))", "insert into d values (1,'2020-02-28','2020-02-28 10:00:00')")
	for _, c := range [][2]string{
		{"select id from s where c in ('a','b')", "1\n2\n3"},
		{"select id from s where c not in ('a','b')", "4\n5"},
		{"select id from s where c in (select 'a')", "1\n2"},
		{"select c in ('a','q','r','s','t','u','v','w','x','y') from s where id = 1", "1"},
		{"select id from s where (c, c) = ('abc', 'abc')", "4"},
		{"select id from s where (c, id) in (('a', 1), ('B', 3))", "1\n3"},
		{"select id from s where c = 'a' collate utf8mb4_bin", "2"},
		{"select id from m where t in ('838:59:59','12:00:00')", "1\n2"},
		{"select id from m where t not in ('838:59:59')", "1"},
		{"select id from n where dc <> 1.001 order by id", "2\n3"},
		{"select id from n where d <> 1e300 order by id", "2\n3"},
		{"select id from n where d not in (0.5, 1e300) order by id", "2"},
		{"select id from n where d < 2.0 order by id", "2\n3"},
		{"select id from n where d between 1 and 2.0", "2"},
		{"select id from n where dc > 1.0004", "1"},
		{"select id from u where u in (9223372036854775807, 2)", "1"},
		{"select id from u where u > 9223372036854775807", "2\n3"},
		{"select id from u where u between 0 and 9223372036854775807", "1"},
		{"select id from u where b < 9223372036854775808 order by id", "1\n2\n3"},
		{"select id from u where u = b", "1"},
		{"select id from u where u > b order by id", "2\n3"},
		{"select i from r where (i, j) not in ((1,2),(2,0))", "3"},
		{"select i from r where (i, j) <=> (1, null)", "1"},
		{"select (1, null) < (2, 3), (1, null) = (2, null), (1, 2) < (1, null)", "1 | 0 | NULL"},
		{"select id from e where e = 'A'", ""}, {"select id from e where e <> 'A' order by id", "1\n2"},
		{"select id from e where e in ('A','b')", "2"}, {"select id from e where e = 7", ""},
		{"select id from e where e > 'a'", "2"}, {"select id from e where e > 1", "1"},
		{"select id from d where d = 20200228", "1"}, {"select id from d where d < 200229", "1"},
		{"select id from d where dt between 20200228100000 and 20200228100000", "1"},
		{"select id from d where d < '2020-02-28 10:00:00'", "1"}, {"select id from d where d in (20200228)", "1"},
	} {
		require.Equal(t, c[1], s.text(c[0]), c[0])
	}
}
