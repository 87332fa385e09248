package scenarios

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// ST-132: CONVERT TO CHARACTER SET converts columns, rows and keys.
func TestST132ConvertTo(t *testing.T) {
	w := newWorld(t)
	w.exec("CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20) NOT NULL DEFAULT 'é', tt TINYTEXT, t TEXT, m MEDIUMTEXT, v VARCHAR(30000), c CHAR(5), e ENUM('a','B'), " +
		"s SET('x','Y'), bin VARBINARY(10), j JSON, b VARCHAR(10) COLLATE latin1_bin, UNIQUE KEY a (a), KEY b (b), KEY t (t(10)), KEY f ((LOWER(a)))) CHARSET latin1")
	w.exec("INSERT INTO t VALUES (1, 'é', 'é', 'text', 'm', 'v', 'é ', 'B', 'x,Y', x'ff00', '[1]', 'X'), (2, 'z', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'x')")
	values := w.rows("SELECT id, a, tt, t, m, v, c, e, s, HEX(bin), j, b FROM t ORDER BY id")
	w.exec("ALTER TABLE t CONVERT TO CHARACTER SET utf8mb4")
	require.Equal(t, values, w.rows("SELECT id, a, tt, t, m, v, c, e, s, HEX(bin), j, b FROM t ORDER BY id"))
	types := w.rows("SELECT column_name, column_type, collation_name FROM information_schema.columns WHERE table_name = 't' AND collation_name IS NOT NULL ORDER BY ordinal_position")
	require.Equal(t, []string{
		"a,varchar(20),utf8mb4_0900_ai_ci", "tt,text,utf8mb4_0900_ai_ci", "t,mediumtext,utf8mb4_0900_ai_ci", "m,longtext,utf8mb4_0900_ai_ci",
		"v,mediumtext,utf8mb4_0900_ai_ci", "c,char(5),utf8mb4_0900_ai_ci", "e,enum('a','B'),utf8mb4_0900_ai_ci", "s,set('x','Y'),utf8mb4_0900_ai_ci",
		"b,varchar(10),utf8mb4_0900_ai_ci",
	}, types)
	require.Equal(t, []string{"1", "2"}, w.rows("SELECT id FROM t WHERE b = 'X' ORDER BY id"))
	require.Equal(t, []string{"1"}, w.rows("SELECT id FROM t WHERE a = 'E'"))
	require.Equal(t, []string{"1"}, w.rows("SELECT id FROM t WHERE LOWER(a) = 'é'"))
	w.session("").fails(1062, "INSERT INTO t (id, a) VALUES (3, 'E')")
	w.exec("INSERT INTO t (id, a) VALUES (3, '日本')")
	w.check()

	w.exec("ALTER TABLE t CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, COMMENT = 'binary', ADD COLUMN n VARCHAR(5)")
	require.Empty(t, w.rows("SELECT id FROM t WHERE a = 'E'"))
	require.Equal(t, []string{"1"}, w.rows("SELECT id FROM t WHERE b = 'X'"))
	require.Contains(t, w.shown("t"), "COLLATE=utf8mb4_bin COMMENT='binary'")
	require.NotContains(t, w.shown("t"), "COLLATE utf8mb4_0900")
	w.exec("INSERT INTO t (id, a, b) VALUES (4, 'E', 'x')")
	w.finish()

	// What cannot be converted leaves all as it is.
	before := w.image()
	w.session("").fails(1062, "ALTER TABLE t CONVERT TO CHARACTER SET utf8mb4")
	w.session("").fails(1366, "ALTER TABLE t CONVERT TO CHARACTER SET latin1 COLLATE latin1_bin")
	w.session("").fails(1253, "ALTER TABLE t CONVERT TO CHARACTER SET latin1 COLLATE utf8mb4_bin")
	w.session("").fails(1115, "ALTER TABLE t CONVERT TO CHARACTER SET nonsense")
	w.session("").fails(1146, "ALTER TABLE missing CONVERT TO CHARACTER SET utf8mb4")
	require.Empty(t, difference(before, w.image()))

	w.exec("DELETE FROM t WHERE id > 2")
	w.exec("ALTER DATABASE d CHARACTER SET latin1")
	w.exec("ALTER TABLE t CONVERT TO CHARACTER SET DEFAULT")
	require.Contains(t, w.shown("t"), "COLLATE=latin1_swedish_ci")
	require.Equal(t, []string{"E9"}, w.rows("SELECT HEX(a) FROM t WHERE id = 1"))
	w.exec("ALTER TABLE t DROP INDEX f")
	w.exec("ALTER TABLE t CONVERT TO CHARACTER SET binary")
	require.Equal(t, []string{"E9,E900000000"}, w.rows("SELECT HEX(a), HEX(c) FROM t WHERE a = x'E9'"))
	require.Contains(t, w.shown("t"), "`c` binary(5)")
	w.finish()
}

// ST-132: columns of foreign keys are converted only if those are not checked.
func TestST132ConvertForeignKeys(t *testing.T) {
	w := newWorld(t)
	w.exec("CREATE TABLE p (a VARCHAR(10) PRIMARY KEY)")
	w.exec("CREATE TABLE c (a VARCHAR(10), FOREIGN KEY (a) REFERENCES p (a))")
	w.session("").fails(1833, "ALTER TABLE p CONVERT TO CHARACTER SET latin1")
	w.session("").fails(1832, "ALTER TABLE c CONVERT TO CHARACTER SET latin1")
	w.exec("SET foreign_key_checks = 0")
	w.exec("ALTER TABLE p CONVERT TO CHARACTER SET latin1")
	w.exec("ALTER TABLE c CONVERT TO CHARACTER SET latin1")
	w.exec("SET foreign_key_checks = 1")
	w.session("").fails(1452, "INSERT INTO c VALUES ('x')")
	w.finish()
}

// A character that the column's character set does not have is refused wherever a value
// is stored, and a question mark where that only warns.
func TestCharactersOfOtherSets(t *testing.T) {
	w := newWorld(t)
	w.exec("CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(10) CHARACTER SET latin1, b CHAR(10) CHARACTER SET ascii, c TEXT CHARACTER SET utf8mb3)")
	w.exec("CREATE TABLE u (id INT PRIMARY KEY, a VARCHAR(10))")
	w.exec("INSERT INTO u VALUES (1, '日')")
	w.exec("INSERT INTO t VALUES (1, 'é', 'e', '日')")
	for _, query := range []string{
		"INSERT INTO t (id, a) VALUES (2, '日')", "INSERT INTO t (id, b) VALUES (2, 'é')", "INSERT INTO t (id, c) VALUES (2, 'a𝒳')",
		"INSERT INTO t (id, a) SELECT 2, a FROM u", "UPDATE t SET a = '日'", "UPDATE t JOIN u USING (id) SET t.a = u.a", "REPLACE INTO t (id, a) VALUES (1, '日')",
		"INSERT INTO t (id) VALUES (1) ON DUPLICATE KEY UPDATE a = '日'", "ALTER TABLE u MODIFY a VARCHAR(10) CHARACTER SET latin1",
		"CREATE TABLE n (id INT, a VARCHAR(10) CHARACTER SET latin1) SELECT * FROM u",
	} {
		w.session("").fails(1366, query)
	}
	require.Equal(t, []string{"1,é,e,日"}, w.rows("SELECT * FROM t"))
	w.exec("INSERT IGNORE INTO t (id, a, b) VALUES (2, 'é日z', 'ü')")
	require.ElementsMatch(t, []string{"Warning,1366,Incorrect string value: '\\xE6\\x97\\xA5z' for column 'a' at row 1", "Warning,1366,Incorrect string value: '\\xC3\\xBC' for column 'b' at row 1"}, w.rows("SHOW WARNINGS"))
	require.Equal(t, []string{"2,é?z,?,E93F7A"}, w.rows("SELECT id, a, b, HEX(a) FROM t WHERE id = 2"))
	w.finish()
}
