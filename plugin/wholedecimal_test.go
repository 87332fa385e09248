package plugin

import (
	"testing"

	"github.com/stretchr/testify/require"
)

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

// The same with the doubles of prepared statements in the binary protocol.
func TestWholeDoublesAsDecimalsPrepared(t *testing.T) {
	db := newTestServer(t, ServerOptions{}).open("", "")
	exec(t, db, "CREATE DATABASE d", "USE d", "CREATE TABLE t(id INT PRIMARY KEY, d DECIMAL(10,2))", "INSERT INTO t VALUES (0, 0)")
	for id, value := range []any{float64(100), int64(100), "100", float32(100), 100.0000000001} {
		_, err := db.Exec("INSERT INTO t VALUES (?, ?)", id+1, value)
		require.NoError(t, err, value)
		_, err = db.Exec("UPDATE t SET d = ? WHERE id = 0", value)
		require.NoError(t, err, value)
	}
	require.Equal(t, 6, count(t, db, "SELECT COUNT(*) FROM t WHERE d = 100"))
	require.Equal(t, 6, count(t, db, "SELECT COUNT(*) FROM t WHERE d = ?", float64(100)))
	_, err := db.Exec("INSERT INTO t VALUES (?, ?)", 9, 1e9)
	requireNumber(t, 1264, err)
}
