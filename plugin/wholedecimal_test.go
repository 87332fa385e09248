package plugin

import "testing"

// A double or computed value that is a whole number is stored in a DECIMAL.
func TestWholeDoublesAsDecimals(t *testing.T) {
	s := newShell(t)
	s.exec("CREATE TABLE t(id INT PRIMARY KEY AUTO_INCREMENT, d DECIMAL(10,2))", "CREATE TABLE f(v DOUBLE)", "INSERT INTO f VALUES (100)",
		"INSERT INTO t(d) VALUES (1e2)", "INSERT INTO t(d) SELECT v FROM f", "INSERT INTO t(d) VALUES (10.0 * 10), (200 / 2), (SQRT(10000))",
		"PREPARE p FROM 'INSERT INTO t(d) VALUES (?)'", "SET @f = 1e2", "EXECUTE p USING @f", "SET @i = 100", "EXECUTE p USING @i", "SET @s = '100'", "EXECUTE p USING @s",
		"INSERT INTO t(d) VALUES (0)", "UPDATE t SET d = 1e2 WHERE d = 0", "INSERT INTO t VALUES (1, 0) ON DUPLICATE KEY UPDATE d = 1e1 * 10",
		"INSERT INTO t(d) VALUES (0)", "PREPARE u FROM 'UPDATE t SET d = ? WHERE d = 0'", "EXECUTE u USING @f")
	s.is("100.00 | 10", "SELECT d, COUNT(*) FROM t GROUP BY d")
}
