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
