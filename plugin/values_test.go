package plugin

import "testing"

// Numbers are dates by their digits, stored, cast and as arguments.
func TestNumbersAreDates(t *testing.T) {
	s := newShell(t)
	s.exec("CREATE TABLE t(id INT PRIMARY KEY, d DATE, e DATETIME(3), KEY(d))",
		"INSERT INTO t VALUES (1, 20200228, 20200228101112), (2, 200228, 200228), (3, 991231, 991231101112.5)",
		"INSERT INTO t SELECT 4, 20200301, 20200301101112.567", "INSERT INTO t(id, d) VALUES (5, '2020-03-02')",
		"INSERT INTO t(id, d) VALUES (5, 20200303) ON DUPLICATE KEY UPDATE d = 20200304", "REPLACE INTO t VALUES (6, 20200305, NULL)")
	s.is("1 | 2020-02-28 | 2020-02-28 10:11:12.000\n2 | 2020-02-28 | 2020-02-28 00:00:00.000\n3 | 1999-12-31 | 1999-12-31 10:11:12.500\n"+
		"4 | 2020-03-01 | 2020-03-01 10:11:12.567\n5 | 2020-03-04 | NULL\n6 | 2020-03-05 | NULL", "SELECT * FROM t ORDER BY id")
	s.exec("UPDATE t SET d = 20210101 WHERE id = 1")
	s.is("2021-01-01", "SELECT d FROM t WHERE d = 20210101")
	for _, number := range []string{"20200230", "1", "20201301", "99999999", "2020022825"} {
		s.fails(1292, "INSERT INTO t(id, d) VALUES (9, "+number+")")
		s.fails(1292, "UPDATE t SET d = "+number+" WHERE id = 2")
		s.is("NULL | NULL", "SELECT CAST("+number+" AS DATE), YEAR("+number+")")
	}
	s.is("2020-02-28 | 2020-02-28 00:00:00 | 2020-02-28 10:11:12 | 2020-02-28", "SELECT CAST(20200228 AS DATE), CAST(20200228 AS DATETIME), CAST(20200228101112 AS DATETIME), CAST(200228 AS DATE)")
	s.is("2020-02-28 | 2020 | 2 | 28 | 2 | 2020-02-29", "SELECT DATE(20200228), YEAR(20200228), MONTH(20200228), DAY(20200228), DATEDIFF(20200301, 20200228), LAST_DAY(20200201)")
	s.is("2020-02-29 | 28.02.2020", "SELECT DATE_ADD(20200228, INTERVAL 1 DAY), DATE_FORMAT(20200228, '%d.%m.%Y')")
}

// A CHAR has no blanks at its end when it is read, and none in its keys.
func TestCharsHaveNoPadding(t *testing.T) {
	s := newShell(t)
	s.exec("CREATE TABLE t(c CHAR(5) PRIMARY KEY, d CHAR(5) COLLATE utf8mb4_general_ci, v VARCHAR(5), UNIQUE(d))", "INSERT INTO t VALUES ('a  ', 'x ', 'a  '), (' b', ' ', ' ')")
	s.is("2 | 0 | 1\n1 | 1 | 3", "SELECT LENGTH(c), LENGTH(d), LENGTH(v) FROM t ORDER BY c")
	s.is("[a][x][a  ]", "SELECT CONCAT('[', c, '][', d, '][', v, ']') FROM t WHERE c = 'a' AND d = 'x'")
	s.fails(1062, "INSERT INTO t VALUES ('a', 'y', '')")
	s.fails(1062, "INSERT INTO t VALUES ('q', 'X  ', '')")
	s.exec("UPDATE t SET c = 'z   ', d = 'zz ' WHERE c = 'a'")
	s.is("1 | 2", "SELECT LENGTH(c), LENGTH(d) FROM t WHERE c = 'z' AND d = 'zz'")
	s.exec("ALTER TABLE t MODIFY v CHAR(5)")
	s.is("1 | 0", "SELECT LENGTH(v), (SELECT LENGTH(v) FROM t WHERE c = ' b') FROM t WHERE c = 'z'")
	s.exec("DELETE FROM t WHERE c = 'z'")
	s.is("1", "SELECT COUNT(*) FROM t")
}
