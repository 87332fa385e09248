package plugin

import (
	"strings"
	"testing"
)

// A date that is not in the calendar becomes no other one.
func TestImpossibleDates(t *testing.T) {
	s := newShell(t)
	s.exec("CREATE TABLE t(id INT PRIMARY KEY, d DATE, e DATETIME, KEY(d))", "SET sql_mode = ''")
	for _, values := range []string{"('2020-02-30', '2020-01-01 10:75:00')", "('2021-02-29', '2020-02-30 10:00:00')", "('2020-04-31abc', '20200101107500')",
		"('2020-12-32', '2020-01-01 25:00')", "('2020-01-01 10:75:00', '2020-01-01T10:10:61')"} {
		for _, statement := range []string{"INSERT INTO t(d, e) VALUES ", "INSERT IGNORE INTO t(d, e) VALUES ", "REPLACE INTO t(d, e) VALUES "} {
			s.exec("TRUNCATE t", "SET sql_mode = ''", "ALTER TABLE t MODIFY id INT AUTO_INCREMENT", statement+values)
			s.is("0000-00-00 | 0000-00-00 00:00:00", "SELECT d, e FROM t")
		}
		s.exec("SET sql_mode = DEFAULT")
		s.fails(1292, "INSERT INTO t(d, e) VALUES "+values)
	}
	s.exec("TRUNCATE t", "INSERT INTO t VALUES (1, '2021-02-03', '2021-02-02 00:00:00')")
	s.fails(1292, "UPDATE t SET d = '2020-02-30'")
	s.fails(1292, "UPDATE t SET e = '2020-01-01 10:75:00'")
	s.exec("UPDATE IGNORE t SET e = '2020-01-01 10:75:00'")
	s.is("0000-00-00 00:00:00", "SELECT e FROM t")
	s.exec("UPDATE t SET e = '2021-02-02'")
	for _, condition := range []string{"d BETWEEN '2021-02-01' AND '2021-02-31'", "d = '2021-02-30'", "e < '2021-02-29'", "'2021-02-30' <= d", "d <> '2021-02-30'",
		"d IN ('2021-02-30', '2021-02-01')", "NOT d = '2021-02-30'", "d <=> '2021-02-30'", "e BETWEEN '2021-02-30' AND '2021-02-01'", "id = 1 AND d = ('2021-02-30')"} {
		s.fails(1525, "SELECT * FROM t WHERE "+condition)
		s.fails(1525, "SELECT "+condition+" FROM t")
		s.fails(1525, "DELETE FROM t WHERE "+condition)
	}
	s.exec("PREPARE p FROM 'SELECT d FROM t WHERE d = ?'", "SET @d = '2021-02-30'")
	s.fails(1525, "EXECUTE p USING @d")
	s.exec("SET @d = '2021-02-03'")
	s.is("2021-02-03", "EXECUTE p USING @d")
	s.is("1", "SELECT COUNT(*) FROM t WHERE d BETWEEN '2021-02-01' AND '2021-02-28'")
	s.is("0", "SELECT '2021-02-30' = '2021-02-3'")
	s.is("NULL | NULL | NULL", "SELECT CAST('2020-01-01 10:75:00' AS DATETIME), CAST('2020-02-30' AS DATE), CAST('2020-01-01 10:75:00' AS DATE)")
	s.is("NULL", "SELECT '2020-02-30' + INTERVAL 1 DAY")
	s.is("NULL | NULL | NULL", "SELECT DATE_ADD('2020-02-30', INTERVAL 1 DAY), LAST_DAY('2020-02-30'), DATEDIFF('2020-02-30', '2020-02-01')")
	s.is("2020-03-01 00:00:00 | 2020-02-29 10:00:00", "SELECT '2020-02-29' + INTERVAL 1 DAY, DATE_SUB('2020-03-01 10:00:00', INTERVAL 1 DAY)")
}

// Strict mode refuses what the column cannot hold; without it the closest value is
// stored.
func TestStrictValues(t *testing.T) {
	s := newShell(t)
	s.exec("CREATE TABLE t(id INT PRIMARY KEY AUTO_INCREMENT, i INT, u BIGINT UNSIGNED, n DECIMAL(5,2), f FLOAT, g DOUBLE, h TIME, d DATE, e DATETIME, z DATE DEFAULT '0000-00-00')",
		"INSERT INTO t(id) VALUES (1)", "CREATE TABLE src(v VARCHAR(50))")
	strict := "SET sql_mode = 'STRICT_TRANS_TABLES,NO_ZERO_DATE'"
	for _, c := range []struct {
		column, value string
		number        int
		lenient       string
	}{
		{"i", "''", 1366, "0"}, {"i", "'  '", 1366, "0"}, {"u", "''", 1366, "0"}, {"n", "''", 1366, "0.00"}, {"n", "' '", 1366, "0.00"}, {"f", "''", 1366, "0"}, {"g", "''", 1366, "0"},
		{"h", "'839:00:00'", 1292, "838:59:59.000000"}, {"h", "'-839:00:00'", 1292, "-838:59:59.000000"}, {"h", "8390000", 1292, "838:59:59.000000"},
		{"d", "'0000-00-00'", 1292, "0000-00-00"}, {"d", "0", 1292, "0000-00-00"}, {"e", "'0000-00-00'", 1292, "0000-00-00 00:00:00"}, {"e", "0", 1292, "0000-00-00 00:00:00"},
		{"g", "'1e309'", 1264, "1.7976931348623157e+308"}, {"g", "'-1e309'", 1264, "-1.7976931348623157e+308"}, {"f", "'1e39'", 1264, "3.4028235e+38"}, {"f", "1e39", 1264, "3.4028235e+38"},
	} {
		s.exec(strict, "DELETE FROM src", "INSERT INTO src VALUES ("+c.value+")")
		s.fails(c.number, "INSERT INTO t("+c.column+") VALUES ("+c.value+")")
		s.fails(c.number, "INSERT INTO t("+c.column+") VALUES (NULL), ("+c.value+")")
		s.fails(c.number, "UPDATE t SET "+c.column+" = "+c.value)
		s.fails(c.number, "INSERT INTO t(id) VALUES (1) ON DUPLICATE KEY UPDATE "+c.column+" = "+c.value)
		if c.value[0] == '\'' {
			s.fails(c.number, "INSERT INTO t("+c.column+") SELECT v FROM src")
		}
		s.exec("SET sql_mode = ''", "INSERT INTO t(id, "+c.column+") VALUES (2, "+c.value+")")
		s.is(c.lenient, "SELECT "+c.column+" FROM t WHERE id = 2")
		s.exec("DELETE FROM t WHERE id = 2", strict, "INSERT IGNORE INTO t(id, "+c.column+") VALUES (2, "+c.value+")")
		s.is(c.lenient, "SELECT "+c.column+" FROM t WHERE id = 2")
		s.exec("DELETE FROM t WHERE id = 2")
	}
	s.is("1", "SELECT COUNT(*) FROM t")
	s.exec("INSERT INTO t(h) VALUES ('838:59:59')", "SET sql_mode = 'STRICT_TRANS_TABLES'", "INSERT INTO t(d, e) VALUES ('0000-00-00', 0)")
	s.is("2", "SELECT COUNT(*) FROM t WHERE h = '838:59:59' OR d = '0000-00-00'")
	s.fails(1264, "INSERT INTO t(g) VALUES (1e308 * 10)")
	s.fails(1367, "INSERT INTO t(g) VALUES (1e309)")
	s.fails(1367, "SELECT -1e309")
}

// LOAD DATA by the same rules, into tables with and without triggers.
func TestLoadStrictValues(t *testing.T) {
	for _, trigger := range []bool{false, true} {
		s := newShell(t)
		s.exec("CREATE TABLE t(i INT, n DECIMAL(5,2), g DOUBLE, h TIME, d DATE, e DATETIME)")
		if trigger {
			s.exec("CREATE TRIGGER tr BEFORE INSERT ON t FOR EACH ROW SET @x = 1")
		}
		for input, number := range map[string]int{"\t1\t1\n": 1366, "1\t\t1\n": 1366, "1\t1\t\n": 1366, "1\t1\t1e309\n": 1264, "1\t1\t1\t839:00:00\n": 1292,
			"1\t1\t1\t10:00:00\t2020-02-30\n": 1292, "1\t1\t1\t10:00:00\t0000-00-00\n": 1292, "1\t1\t1\t10:00:00\t2020-02-28\t2020-01-01 10:75:00\n": 1292} {
			how := "INTO TABLE t (" + strings.Join([]string{"i", "n", "g", "h", "d", "e"}[:strings.Count(input, "\t")+1], ", ") + ")"
			s.exec("SET sql_mode = 'STRICT_TRANS_TABLES,NO_ZERO_DATE'")
			s.fails(number, loadFile(t, input, how))
			s.is("0", "SELECT COUNT(*) FROM t")
		}
		s.exec("SET sql_mode = ''", loadFile(t, "\t\t1e309\t839:00:00\t2020-02-30\t2020-01-01 10:75:00\n", "INTO TABLE t"))
		s.is("0 | 0.00 | 1.7976931348623157e+308 | 838:59:59.000000 | 0000-00-00 | 0000-00-00 00:00:00", "SELECT * FROM t")
	}
}
