package plugin

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// loadFile writes a file and returns LOAD DATA for it.
func loadFile(t *testing.T, content, how string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "data")
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return fmt.Sprintf("LOAD DATA INFILE '%s' %s", path, how)
}

// ST-088: escapes, NULLs, enclosed terminators, columns in any order, defaults,
// values from the sequence; into an empty table and into one with rows.
func TestLoadData(t *testing.T) {
	for _, empty := range []bool{true, false} {
		t.Run(fmt.Sprintf("empty %v", empty), func(t *testing.T) {
			s := newShell(t)
			s.exec("CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, a VARCHAR(20), n INT DEFAULT 7, d DATETIME, u INT UNIQUE, KEY (a), KEY (n))")
			if !empty {
				s.exec("INSERT INTO t VALUES (100,'old',1,NULL,100)")
			}
			s.is("5", loadFile(t, "id,a,n\r\n1,\"one, \"\"two\"\"\",5\r\n2,\"two\r\nlines\",\\N\r\n3,NULL,6\r\n4,\"NULL\",7\r\n5,a\\\\b,-8\r\n",
				`INTO TABLE t FIELDS TERMINATED BY ',' OPTIONALLY ENCLOSED BY '"' LINES TERMINATED BY '\r\n' IGNORE 1 LINES (id, a, n)`))
			s.is("1 | one, \"two\" | 5\n2 | two\r\nlines | NULL\n3 | NULL | 6\n4 | NULL | 7\n5 | a\\b | -8", "SELECT id, a, n FROM t WHERE id < 50 ORDER BY id")
			s.is("2", loadFile(t, "x\t2024-02-29 10:00:00\ny\t2024-03-01 00:00:00\n", "INTO TABLE t (a, d)"))
			s.is("x | 7 | 2024-02-29 10:00:00\ny | 7 | 2024-03-01 00:00:00", "SELECT a, n, d FROM t WHERE d IS NOT NULL ORDER BY a")
			s.is("1", "SELECT COUNT(*) FROM t FORCE INDEX (a) WHERE a = 'x'")
			s.is("d.t | check | status | OK", "CHECK TABLE t")
			s.reopen()
			s.exec("INSERT INTO t (a) VALUES ('after')")
			s.is("1", "SELECT MAX(id) = (SELECT id FROM t WHERE a = 'after') FROM t")
		})
	}
}

// ST-088: without IGNORE an error names the line and leaves nothing; with it the
// good rows stay and each other row has its warning; REPLACE takes the last.
func TestLoadDataErrors(t *testing.T) {
	const lines = "1\t10\tone\n2\tx\ttwo\n3\t30\tthree\n1\t40\tfour\n5\t10\tfive\n6\t60\n7\t70\tseven\textra\n"
	for _, empty := range []bool{true, false} {
		t.Run(fmt.Sprintf("empty %v", empty), func(t *testing.T) {
			s := newShell(t)
			s.exec("CREATE TABLE t (id INT PRIMARY KEY, u INT UNIQUE, v VARCHAR(5) NOT NULL, KEY (v))")
			before := ""
			if !empty {
				s.exec("INSERT INTO t VALUES (99,99,'old')")
				before = "99 | 99 | old"
			}
			for input, number := range map[string]int{
				lines:                       1366,
				"1\t1\ta\n1\t2\tb\n":        1062,
				"1\t1\ta\n2\t1\tb\n":        1062,
				"1\t1\ta\n2\t2\tmuch more":  1406,
				"1\t1\ta\n2\t2\n":           1261,
				"1\t1\ta\n2\t2\tb\tc\n":     1262,
				"1\t1\ta\n2\t2\t\\N\n":      1263,
				"1\t1\ta\n99999999999\t2\t": 1264,
			} {
				statement := loadFile(t, input, "INTO TABLE t")
				s.fails(number, statement)
				s.is(before, "SELECT * FROM t")
			}
			_, _, err := s.query(loadFile(t, "1\t1\ta\n2\tx\tb\n", "INTO TABLE t"))
			require.ErrorContains(t, err, "x")
			s.is("d.t | check | status | OK", "CHECK TABLE t")
			s.is("5", loadFile(t, lines, "IGNORE INTO TABLE t"))
			for _, want := range []string{"1366 Incorrect integer value: 'x' for column 'u' at row 2", "1062 Duplicate entry '1' for key 't.PRIMARY'",
				"1062 Duplicate entry '10' for key 't.u'", "1261 Row 6 doesn't contain data for all columns", "1262 Row 7 was truncated; it contained more data than there were input columns"} {
				require.Contains(t, s.warnings(), want)
			}
			s.is("1 | 10 | one\n2 | 0 | two\n3 | 30 | three\n6 | 60 | \n7 | 70 | seven", "SELECT * FROM t WHERE id < 50 ORDER BY id")
			s.is("1", "SELECT COUNT(*) FROM t FORCE INDEX (v) WHERE v = 'three'")
			s.is("0", "SELECT COUNT(*) FROM t FORCE INDEX (v) WHERE v IN ('four', 'five')")
			s.is("d.t | check | status | OK", "CHECK TABLE t")
			s.is("4", loadFile(t, "1\t30\tnew\n8\t80\tx\n", "REPLACE INTO TABLE t"))
			s.is("1 | 30 | new\n2 | 0 | two\n6 | 60 | \n7 | 70 | seven\n8 | 80 | x", "SELECT * FROM t WHERE id < 50 ORDER BY id")
			s.is("d.t | check | status | OK", "CHECK TABLE t")
		})
	}
}

// Variables, SET, triggers: what goes through the engine reads the same file.
func TestLoadDataThroughTheEngine(t *testing.T) {
	s := newShell(t)
	s.exec("CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20), n INT, g INT AS (n * 2) STORED)")
	s.is("2", loadFile(t, "1,\"x\ny\",5\n2,b,\\N\n", `INTO TABLE t FIELDS TERMINATED BY ',' ENCLOSED BY '"' (id, @a, @n) SET n = @n + 1, a = UPPER(@a)`))
	s.is("1 | X\nY | 6 | 12\n2 | B | NULL | NULL", "SELECT * FROM t ORDER BY id")
	s.exec("CREATE TABLE p (a VARCHAR(20), b VARCHAR(20), c VARCHAR(40))")
	s.is("1", loadFile(t, "1\t2\n", "INTO TABLE p (b, a) SET c = CONCAT(a, b)"))
	s.is("2 | 1 | 21", "SELECT * FROM p")
	s.exec("CREATE TRIGGER g BEFORE INSERT ON p FOR EACH ROW SET NEW.c = CONCAT(NEW.a, '!')")
	s.is("1", loadFile(t, "x\ty\tz\n", "INTO TABLE p"))
	s.is("x | y | x!", "SELECT * FROM p WHERE a = 'x'")
	s.fails(1261, loadFile(t, "x\n", "INTO TABLE p"))
}

// A load into an empty table belongs to its transaction, and to no other's snapshot.
func TestLoadDataAndTransactions(t *testing.T) {
	s := newShell(t)
	s.exec("CREATE TABLE t (id INT PRIMARY KEY, v INT, KEY (v))")
	s.exec("BEGIN")
	s.is("2", loadFile(t, "1\t1\n2\t2\n", "INTO TABLE t"))
	s.is("2", "SELECT COUNT(*) FROM t")
	s.exec("ROLLBACK")
	s.is("0", "SELECT COUNT(*) FROM t")
	s.exec("SET autocommit = 0")
	s.is("1", loadFile(t, "1\t1\n", "INTO TABLE t"))
	s.exec("ROLLBACK", "SET autocommit = 1")
	s.is("0", "SELECT COUNT(*) FROM t")
	o := s.other()
	o.exec("START TRANSACTION WITH CONSISTENT SNAPSHOT")
	o.is("0", "SELECT COUNT(*) FROM t")
	var lines strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&lines, "%d\t%d\n", i, i%10)
	}
	s.is("5000", loadFile(t, lines.String(), "INTO TABLE t"))
	o.is("0", "SELECT COUNT(*) FROM t")
	o.exec("COMMIT")
	o.is("5000", "SELECT COUNT(*) FROM t")
	o.is("500", "SELECT COUNT(*) FROM t WHERE v = 3")
	s.exec("INSERT INTO t VALUES (5000, 3)")
	s.fails(1062, "INSERT INTO t VALUES (4999, 3)")
	s.reopen()
	s.is("501", "SELECT COUNT(*) FROM t WHERE v = 3")
	s.is("d.t | check | status | OK", "CHECK TABLE t")
}

// A list of variables only leaves every column its default.
func TestLoadDataIntoVariables(t *testing.T) {
	s := newShell(t)
	s.exec("CREATE TABLE t (a INT DEFAULT 5, b VARCHAR(5))")
	s.is("2", loadFile(t, "1\tx\n2\ty\n", "INTO TABLE t (@a, @b)"))
	s.is("5 | NULL\n5 | NULL", "SELECT * FROM t")
	s.is("2 | y", "SELECT @a, @b")
	s.is("1", loadFile(t, "3\tz\tmore\n", "INTO TABLE t (@x, b, @y)"))
	s.is("5 | z", "SELECT * FROM t WHERE b IS NOT NULL")
}
