package scenarios

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// shown is the definition of a table, without its name and counter.
func (w *world) shown(table string) string {
	w.t.Helper()
	text := w.rows("SHOW CREATE TABLE " + table)[0]
	_, text, _ = strings.Cut(text, "(\n")
	return text
}

// ST-139: CREATE TABLE … LIKE copies everything but rows, foreign keys and the counter.
func TestST139LikeCopiesTheDefinition(t *testing.T) {
	w := newWorld(t)
	w.exec("CREATE DATABASE e")
	w.exec("CREATE TABLE p (id INT PRIMARY KEY)")
	const columns = "id INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, a VARCHAR(50) COLLATE utf8mb4_bin DEFAULT 'x' COMMENT 'of a', b TEXT, " +
		"c INT DEFAULT (1 + 2), v INT AS (id * 2) VIRTUAL, s INT AS (id + 1) STORED, ts TIMESTAMP DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP, " +
		"e ENUM('a','b') DEFAULT 'b', KEY ka (a(10)), KEY kd (a DESC, c), UNIQUE KEY ub (b(5)) COMMENT 'of ub', KEY fx ((c + 1)), KEY kv (v), " +
		"CHECK (c > 0), CHECK (id <> 7)"
	const options = " COMMENT = 'of the table' COLLATE latin1_swedish_ci AUTO_INCREMENT = 77"
	w.exec("%s", "CREATE TABLE t ("+columns+")"+options)
	w.exec("INSERT INTO t (b) VALUES ('one'), ('two')")
	want := w.shown("t")
	for _, copied := range []struct{ create, table string }{
		{"CREATE TABLE copied LIKE t", "copied"}, {"CREATE TABLE e.copied LIKE d.t", "e.copied"},
		{"CREATE TEMPORARY TABLE temporary LIKE t", "temporary"}, {"CREATE TABLE back LIKE temporary", "back"},
	} {
		w.exec("%s", copied.create)
		got := strings.ReplaceAll(w.shown(copied.table), copied.table[strings.Index(copied.table, ".")+1:]+"_chk", "t_chk")
		got = strings.ReplaceAll(got, "AUTO_INCREMENT=1 ", "")
		assert.Equal(t, strings.Replace(want, "AUTO_INCREMENT=79 ", "", 1), got, copied.create)
		require.Equal(t, []string{"0"}, w.rows("SELECT COUNT(*) FROM "+copied.table))
		w.exec("%s", "INSERT INTO "+copied.table+" (b) VALUES ('three')")
		require.Equal(t, []string{"1,x,three,3,2,2,b"}, w.rows("SELECT id, a, b, c, v, s, e FROM "+copied.table+" WHERE v = 2 AND c + 1 = 4"))
		w.session("").fails(1062, "INSERT INTO "+copied.table+" (b) VALUES ('three of them')")
		w.session("").fails(3819, "INSERT INTO "+copied.table+" (b, c) VALUES ('four', 0)")
	}
	w.exec("CREATE TEMPORARY TABLE noted (id INT PRIMARY KEY) COMMENT = 'kept'")
	require.Contains(t, w.shown("noted"), "COMMENT='kept'")
	w.exec("CREATE TEMPORARY TABLE filled (x INT) COMMENT = 'kept too' SELECT 1 AS x")
	require.Contains(t, w.shown("filled"), "COMMENT='kept too'")
	w.exec("CREATE TABLE numbered (id INT AUTO_INCREMENT PRIMARY KEY) COMMENT = 'kept' AUTO_INCREMENT = 40 SELECT 1 AS x")
	require.Contains(t, w.shown("numbered"), "COMMENT='kept'")
	require.Equal(t, []string{"40,1"}, w.rows("SELECT id, x FROM numbered"))
	w.exec("BEGIN")
	w.exec("CREATE TEMPORARY TABLE counted (id INT AUTO_INCREMENT PRIMARY KEY, x INT) AUTO_INCREMENT = 40")
	w.exec("INSERT INTO counted (x) VALUES (1), (2)")
	w.exec("COMMIT")
	w.exec("INSERT INTO counted (x) VALUES (3)")
	require.Equal(t, []string{"40,1", "41,2", "42,3"}, w.rows("SELECT * FROM counted"))
	w.exec("CREATE TABLE c (id INT PRIMARY KEY, p INT, KEY kp (p), FOREIGN KEY (p) REFERENCES p (id))")
	w.exec("CREATE TABLE orphan LIKE c")
	w.exec("INSERT INTO orphan VALUES (1, 9)")
	w.exec("CREATE TABLE texts (id INT PRIMARY KEY, b TEXT, FULLTEXT KEY ft (b) COMMENT 'words')")
	w.exec("CREATE TABLE texts2 LIKE texts")
	require.Equal(t, w.shown("texts"), w.shown("texts2"))
	w.exec("INSERT INTO texts2 VALUES (1, 'some words')")
	require.Equal(t, []string{"1"}, w.rows("SELECT id FROM texts2 WHERE MATCH (b) AGAINST ('words')"))
	w.finish()
	require.Equal(t, w.shown("t"), want)
}

// ST-139: what LIKE cannot copy is refused, and nothing is left.
func TestST139LikeRefusals(t *testing.T) {
	w := newWorld(t)
	w.exec("CREATE TABLE t (id INT PRIMARY KEY, b TEXT, FULLTEXT KEY (b))")
	w.exec("CREATE VIEW v AS SELECT 1 AS x")
	before := w.image()
	a := w.session("")
	a.fails(1347, "CREATE TABLE n LIKE v")
	a.fails(1146, "CREATE TABLE n LIKE missing")
	a.fails(1049, "CREATE TABLE n LIKE missing.t")
	a.fails(1050, "CREATE TABLE v LIKE t")
	a.fails(1066, "CREATE TABLE t LIKE t")
	a.fails(1796, "CREATE TEMPORARY TABLE n LIKE t")
	require.Empty(t, difference(before, w.image()))
	w.exec("CREATE TABLE n LIKE t")
	w.session("").fails(1050, "CREATE TABLE n LIKE t")
	w.exec("CREATE TABLE IF NOT EXISTS n LIKE t")
	require.Equal(t, []string{"Note,1050,Table 'n' already exists"}, w.rows("SHOW WARNINGS"))
	w.finish()
}

// ST-139: CREATE TABLE … SELECT makes columns that hold what is selected.
func TestST139SelectedTypes(t *testing.T) {
	w := newWorld(t)
	w.exec("CREATE TABLE s (i INT, b BIGINT, d DECIMAL(5,2))")
	w.exec("INSERT INTO s VALUES (2147483647, 9000000000, -999.99)")
	w.exec("CREATE TABLE t SELECT i * 1.5 AS p, d * d AS q, d + i AS r, d / 3 AS s, i / 3 AS t, b * d AS u, (i + 1) * (d - 1) AS v, NULL AS n, 1.5 AS c FROM s")
	for _, line := range []string{"`p` decimal(12,1)", "`q` decimal(10,4)", "`r` decimal(13,2)", "`s` decimal(9,6)", "`t` decimal(14,4)", "`u` decimal(24,2)", "`n` binary(0)", "`c` decimal(2,1)"} {
		require.Contains(t, w.shown("t"), line)
	}
	require.Equal(t, w.rows("SELECT i * 1.5, d * d, d + i, d / 3, i / 3, b * d, (i + 1) * (d - 1), NULL, 1.5 FROM s"), w.rows("SELECT * FROM t"))
	w.exec("CREATE TABLE declared (p DECIMAL(20,5), n INT) SELECT i * 1.5 AS p, NULL AS n FROM s")
	require.Contains(t, w.shown("declared"), "`p` decimal(20,5)")
	require.Contains(t, w.shown("declared"), "`n` int")
	for _, create := range []string{"CREATE TABLE options ENGINE=InnoDB COMMENT='kept' CHARSET=latin1 SELECT i * 1.5 AS p, 'a' AS a FROM s", "CREATE TABLE IF NOT EXISTS d.`options` COMMENT='kept' DEFAULT CHARACTER SET latin1 AS SELECT i * 1.5 AS p, 'a' AS a FROM s"} {
		w.exec("%s", create)
		require.Contains(t, w.shown("options"), "`p` decimal(12,1)")
		require.Contains(t, w.shown("options"), "COLLATE=latin1_swedish_ci COMMENT='kept'")
		require.Equal(t, w.rows("SELECT i * 1.5, 'a' FROM s"), w.rows("SELECT * FROM options"))
		w.exec("DROP TABLE options")
	}
	w.finish()
}

// Blanks beyond a column's length, and behind the name of a member, are dropped; text that
// is no member of a SET may be its number.
func TestBlanksAndMembers(t *testing.T) {
	runScenarios(t, []scenario{
		{name: "blanks and members", script: `
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(5), c CHAR(5), b VARBINARY(3), e ENUM('x','y','3'), s SET('a','b','c'))
INSERT INTO t (id, v) VALUES (1, 'abcde  ')
SHOW WARNINGS  --= Note,1265,Data truncated for column 'v' at row 1
INSERT INTO t (id, c) VALUES (2, 'abcde  ')
SHOW WARNINGS  --=
INSERT INTO t (id, v) VALUES (3, 'abcdef ')  --! 1406
INSERT INTO t (id, b) VALUES (3, 'abc ')  --! 1406
UPDATE t SET v = 'vwxyz     ' WHERE id = 1
SELECT CONCAT('[', v, ']') FROM t WHERE id = 1  --= [vwxyz]
INSERT INTO t (id, e, s) VALUES (4, 'x ', 'a,b '), (5, '2', '5'), (6, '3', 3)
SELECT e, s FROM t WHERE id > 3 ORDER BY id  --= x,a,b; y,a,c; 3,a,b
INSERT INTO t (id, s) VALUES (7, '9')  --! 1265
INSERT INTO t (id, s) VALUES (7, 'a, b')  --! 1265
INSERT INTO t (id, e) VALUES (7, ' x')  --! 1265
`},
	})
}
