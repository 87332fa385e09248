package plugin

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// hostile holds everything that a literal may trip over, as SQL text.
const hostile = `'it''s "q" \\ back;\n*/ -- x\0 \Z 😀'`

// ST-008: hostile literals in defaults, comments, checks and views survive reopen
// and the way through SHOW CREATE.
func TestHostileLiterals(t *testing.T) {
	s := newShell(t)
	s.exec("CREATE TABLE h(id INT PRIMARY KEY, a VARCHAR(100) DEFAULT "+hostile+" COMMENT "+hostile+
		", c VARCHAR(50) DEFAULT (CONCAT('a''b\\\\', \"d\\\"e\")), e ENUM('a''b','c\\\\d','😀') DEFAULT 'c\\\\d', s SET('x''y','z\\\\') DEFAULT 'x''y,z\\\\'"+
		", CHECK (a <> 'bad''\\\\;*/ -- \\n'), KEY k(a) COMMENT "+hostile+") COMMENT="+hostile,
		"CREATE VIEW v AS SELECT "+hostile+" AS x, \"d\\\"q\" AS y",
		"CREATE TABLE w(x VARCHAR(100))", "INSERT INTO w VALUES ("+hostile+")")
	check := func(table string) {
		t.Helper()
		s.exec("DELETE FROM "+table, "INSERT INTO "+table+"(id) VALUES (1)")
		s.is(`1 | a'b\d"e | c\d | x'y,z\`, "SELECT a = (SELECT x FROM w), c, e, s FROM "+table)
		s.fails(3819, "INSERT INTO "+table+"(id,a) VALUES (3,'bad''\\\\;*/ -- \\n')")
		s.is("1", "SELECT COLUMN_COMMENT = (SELECT x FROM w) FROM information_schema.columns WHERE table_name = '"+table+"' AND column_name = 'a'")
		s.is("1", "SELECT TABLE_COMMENT = (SELECT x FROM w) FROM information_schema.tables WHERE table_name = '"+table+"'")
		s.is("1", "SELECT INDEX_COMMENT = (SELECT x FROM w) FROM information_schema.statistics WHERE table_name = '"+table+"' AND index_name = 'k'")
	}
	check("h")
	s.is(`1 | d"q`, "SELECT x = (SELECT x FROM w), y FROM v")
	shown := strings.TrimPrefix(s.text("SHOW CREATE TABLE h"), "h | ")
	s.reopen()
	check("h")
	s.is(`1 | d"q`, "SELECT x = (SELECT x FROM w), y FROM v")
	require.Equal(t, shown, strings.TrimPrefix(s.text("SHOW CREATE TABLE h"), "h | "))
	s.exec("RENAME TABLE h TO old", strings.ReplaceAll(shown, "h_chk_1", "again"))
	check("h")
	require.Equal(t, strings.ReplaceAll(shown, "h_chk_1", "again"), strings.TrimPrefix(s.text("SHOW CREATE TABLE h"), "h | "))
}

// ST-014: what is stored reads the same under the sql_mode of any session.
func TestTextDoesNotLeanOnTheMode(t *testing.T) {
	s := newShell(t)
	s.exec("CREATE TABLE t(id INT, x VARCHAR(50))", "INSERT INTO t VALUES (1, 'one')",
		`CREATE VIEW escapes AS SELECT 'a\tb\\' AS x, "q\"q" AS y, "s" AS z`,
		`CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW SET NEW.x = CONCAT(NEW.x, '\\', "it's")`,
		`CREATE FUNCTION f() RETURNS VARCHAR(20) DETERMINISTIC RETURN 'a\\b'`,
		`CREATE PROCEDURE p() SELECT 'a\\b', "s"`,
		`CREATE TABLE d(x VARCHAR(20) DEFAULT 'a\\b', y VARCHAR(20) AS (CONCAT(x, '\\')), CHECK (x <> '\\'))`)
	s.exec("SET sql_mode = 'NO_BACKSLASH_ESCAPES'",
		`CREATE VIEW plain AS SELECT 'a\tb\' AS x`,
		`CREATE TRIGGER h BEFORE INSERT ON t FOR EACH ROW FOLLOWS g SET NEW.x = CONCAT(NEW.x, '\')`,
		`CREATE FUNCTION fp() RETURNS VARCHAR(20) DETERMINISTIC RETURN 'a\b\'`,
		`CREATE PROCEDURE pp() SELECT 'a\b\'`,
		`CREATE TABLE dp(x VARCHAR(20) DEFAULT 'a\b\', CHECK (x <> '\'))`)
	s.exec("SET sql_mode = 'ANSI_QUOTES,PIPES_AS_CONCAT'",
		`CREATE VIEW ansi AS SELECT "id" || 'x' AS x FROM t WHERE "id" = 1`,
		`CREATE FUNCTION fa(n INT) RETURNS VARCHAR(20) DETERMINISTIC RETURN n || 'x'`,
		`CREATE PROCEDURE pa() SELECT "id" || 'x' FROM t WHERE "id" = 1`)
	check := func() {
		t.Helper()
		s.is("a\tb\\ | q\"q | s", "SELECT x, y, z FROM escapes")
		s.is(`a\tb\`, "SELECT x FROM plain")
		s.is("1x", "SELECT x FROM ansi")
		s.is(`a\b | a\b\ | 7x`, "SELECT f(), fp(), fa(7)")
		s.is(`a\b | s`, "CALL p()")
		s.is(`a\b\`, "CALL pp()")
		s.is("1x", "CALL pa()")
		s.exec("DELETE FROM t WHERE id = 2", "INSERT INTO t VALUES (2, 'two')", "DELETE FROM d", "DELETE FROM dp",
			"INSERT INTO d(x) VALUES (DEFAULT)", "INSERT INTO dp VALUES (DEFAULT)")
		s.is(`two\it's\`, "SELECT x FROM t WHERE id = 2")
		s.is(`a\b | a\b\ | a\b\`, "SELECT d.x, d.y, dp.x FROM d, dp")
		s.fails(3819, "INSERT INTO d(x) VALUES (CHAR(92))")
		s.fails(3819, "INSERT INTO dp(x) VALUES (CHAR(92))")
	}
	for _, mode := range []string{"DEFAULT", "'NO_BACKSLASH_ESCAPES'", "'ANSI_QUOTES,PIPES_AS_CONCAT'", "'NO_BACKSLASH_ESCAPES,ANSI_QUOTES'", "''"} {
		s.exec("SET sql_mode = " + mode)
		check()
		for _, shown := range []string{"SHOW CREATE VIEW plain", "SHOW CREATE VIEW escapes", "SHOW CREATE TRIGGER g", "SHOW CREATE PROCEDURE p", "SHOW CREATE FUNCTION f", "SHOW TRIGGERS"} {
			require.NotContains(t, s.text(shown), "\x01", "%s under %s", shown, mode)
		}
	}
	s.reopen()
	for _, mode := range []string{"DEFAULT", "'NO_BACKSLASH_ESCAPES'"} {
		s.exec("SET sql_mode = " + mode)
		check()
	}
}
