package plugin

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Stored functions are kept in the catalog and called from everywhere.
func TestStoredFunctions(t *testing.T) {
	s := newShell(t)
	s.exec("CREATE TABLE t(id INT PRIMARY KEY, v INT)", "INSERT INTO t VALUES (1,10),(2,20)",
		"CREATE FUNCTION total(least INT) RETURNS INT READS SQL DATA COMMENT 'c' BEGIN DECLARE n INT; SELECT SUM(v) INTO n FROM t WHERE v >= least; RETURN n; END",
		"CREATE FUNCTION twice(n INT) RETURNS INT DETERMINISTIC RETURN n * 2",
		"CREATE DATABASE other", "CREATE FUNCTION other.here() RETURNS INT READS SQL DATA RETURN (SELECT COUNT(*) FROM t)", "CREATE TABLE other.t(x INT)",
		"CREATE VIEW v AS SELECT id, twice(v) AS w FROM t WHERE total(0) > 0",
		"CREATE TABLE log(n INT)",
		"CREATE TRIGGER g AFTER INSERT ON t FOR EACH ROW INSERT INTO log VALUES (total(0) + twice(NEW.v))",
		"CREATE PROCEDURE p(IN n INT) SELECT twice(n), other.here()")
	check := func(total string) {
		t.Helper()
		s.is(total, "SELECT total(0)")
		s.is("20", "SELECT d.total(15)")
		s.is("0", "SELECT other.here()")
		s.is("1 | 20\n2 | 40", "SELECT * FROM v WHERE id < 3 ORDER BY id")
		s.is("14 | 0", "CALL p(7)")
		s.is("2 | 20", "SELECT id, v FROM t WHERE twice(v) = 40")
	}
	check("30")
	s.exec("INSERT INTO t VALUES (3, 5)")
	s.is("45", "SELECT n FROM log")
	s.fails(1304, "CREATE FUNCTION twice(n INT) RETURNS INT RETURN 1")
	s.exec("CREATE FUNCTION IF NOT EXISTS twice(n INT) RETURNS INT RETURN 1", "ALTER FUNCTION total COMMENT 'new'")
	s.fails(1305, "ALTER FUNCTION missing COMMENT 'x'")
	s.fails(1318, "SELECT twice(1, 2)")
	s.reopen()
	check("35")
	require.Contains(t, s.text("SHOW CREATE FUNCTION total"), "COMMENT 'new'")
	s.is("total", "SELECT 'total' WHERE EXISTS (SELECT 1)")
	require.Contains(t, s.text("SHOW FUNCTION STATUS WHERE Db = 'd' AND Name = 'twice'"), "d | twice | FUNCTION")
	s.exec("DROP FUNCTION twice", "DROP FUNCTION IF EXISTS twice")
	s.fails(1305, "DROP FUNCTION twice")
	s.reopen()
	s.fails(1305, "SELECT d.twice(1)")
	s.exec("DROP DATABASE other")
	s.is("35", "SELECT total(0)")
}
