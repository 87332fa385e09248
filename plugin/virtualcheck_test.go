package plugin

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// CHECK holds in tables with virtual columns and with functional keys, too (ST-080).
func TestChecksBesideVirtualColumns(t *testing.T) {
	s := newShell(t)
	s.exec("CREATE TABLE v(id INT PRIMARY KEY, x INT, y INT AS (x + 1), CONSTRAINT small CHECK (x < 10 AND y < 9))",
		"CREATE TABLE k(id INT PRIMARY KEY, x INT, KEY((x * 2)), CONSTRAINT odd CHECK (x % 2 = 1))",
		"INSERT INTO v(id,x) VALUES (1,1)", "INSERT INTO k VALUES (1,1)",
		"CREATE TRIGGER g AFTER INSERT ON k FOR EACH ROW INSERT INTO v(id,x) VALUES (NEW.id, NEW.x)")
	check := func() {
		t.Helper()
		for _, statement := range []string{
			"INSERT INTO v(id,x) VALUES (2,10)", "INSERT INTO v(id,x) VALUES (2,8)", "UPDATE v SET x = 20", "UPDATE v AS a SET a.x = 8 WHERE id = 1",
			"REPLACE INTO v(id,x) VALUES (1,50)", "INSERT INTO v(id,x) VALUES (1,1) ON DUPLICATE KEY UPDATE x = 60",
			"INSERT INTO k VALUES (2,2)", "UPDATE k SET x = 4", "INSERT INTO k VALUES (3,11)",
			"UPDATE v JOIN k ON v.id = k.id SET v.x = 30",
		} {
			s.fails(3819, statement)
		}
		s.is("1 | 1 | 2", "SELECT * FROM v")
		s.is("1 | 1", "SELECT * FROM k")
		require.Contains(t, s.text("SHOW CREATE TABLE v"), "CONSTRAINT `small` CHECK")
		require.Contains(t, s.text("SHOW CREATE TABLE k"), "CONSTRAINT `odd` CHECK")
	}
	check()
	s.reopen()
	check()
}
