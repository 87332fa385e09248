package scenarios

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// ST-067: LIKE finds the same rows by an index, by a scan, and value by value, under
// case-blind and binary collations, with escapes and with characters of every length.
func TestLikePrefix(t *testing.T) {
	values := []string{"", "a", "ab", "abz", "AB1", "ab中", "ab𝒳", "ac", "áb", "Ábc", "ab%", "ab%z", "AB%", "ab_", "ab_c", "ab|", "b", "aḃ", "ab\U0010FFFF", "ab ", "ab  x", "ss", "ß", "%", "_x", `ab\\`, `ab\\c`}
	patterns := []string{
		`ab%`, `AB%`, `áb%`, `ab_`, `ab__`, `ab\%`, `ab\%%`, `ab\_%`, `ab\_`, `ab中%`, `ab𝒳%`, `ab%z`, `a%c`, `%`, `_`, ``, `ab`, `Ab`, `a_c`,
		`\%`, `\_%`, `ab %`, `s%`, `ß%`, `ab\\%`, `ab\\\\%`, `ab\\\\`, `%b%`, `ab%%`,
	}
	escaped := []string{`ab|%%`, `ab|_%`, `ab||%`, `a|b%`}
	for _, collation := range []string{"utf8mb4_0900_ai_ci", "utf8mb4_general_ci", "utf8mb4_0900_as_cs", "utf8mb4_bin", "utf8mb4_0900_bin"} {
		t.Run(collation, func(t *testing.T) {
			w := newWorld(t)
			w.exec("CREATE TABLE t (id INT PRIMARY KEY, s VARCHAR(20) COLLATE %s, KEY (s))", collation)
			for i, v := range values {
				w.exec("%s", fmt.Sprintf("INSERT INTO t VALUES (%d, '%s')", i, v))
			}
			w.exec("INSERT INTO t VALUES (1000, NULL)")
			conditions := []string{}
			for _, p := range patterns {
				conditions = append(conditions, "LIKE '"+p+"'", "NOT LIKE '"+p+"'")
			}
			for _, p := range escaped {
				conditions = append(conditions, "LIKE '"+p+"' ESCAPE '|'")
			}
			for _, condition := range conditions {
				var want []string
				for i, v := range values {
					if w.rows("%s", fmt.Sprintf("SELECT '%s' COLLATE %s %s", v, collation, condition))[0] == "1" {
						want = append(want, fmt.Sprint(i))
					}
				}
				for _, how := range []string{"FORCE", "IGNORE"} {
					query := fmt.Sprintf("SELECT id FROM t %s INDEX (s) WHERE s %s ORDER BY id", how, condition)
					require.Equal(t, strings.Join(want, " "), strings.Join(w.rows("%s", query), " "), "%s", query)
				}
			}
			w.finish()
		})
	}
	w := newWorld(t)
	for _, c := range []struct{ value, pattern, collation, want string }{
		{"AB1", `ab%`, "utf8mb4_0900_ai_ci", "1"}, {"AB1", `ab%`, "utf8mb4_bin", "0"},
		{"áb", `ab%`, "utf8mb4_0900_ai_ci", "1"}, {"áb", `ab%`, "utf8mb4_0900_as_cs", "0"},
		{"ab中", `ab_`, "utf8mb4_bin", "1"}, {"ab𝒳", `ab_`, "utf8mb4_0900_ai_ci", "1"},
		{"ab%", `ab\%`, "utf8mb4_bin", "1"}, {"abz", `ab\%`, "utf8mb4_bin", "0"}, {"AB%", `ab\%`, "utf8mb4_0900_ai_ci", "1"},
		{"ab_c", `ab\_%`, "utf8mb4_bin", "1"}, {"abzc", `ab\_%`, "utf8mb4_bin", "0"}, {`ab\\c`, `ab\\\\%`, "utf8mb4_bin", "1"},
		{"ab ", `ab`, "utf8mb4_bin", "0"}, {"ab", `ab%`, "utf8mb4_bin", "1"}, {"", `%`, "utf8mb4_bin", "1"}, {"", `_`, "utf8mb4_bin", "0"},
	} {
		query := fmt.Sprintf("SELECT '%s' COLLATE %s LIKE '%s'", c.value, c.collation, c.pattern)
		require.Equal(t, []string{c.want}, w.rows("%s", query), query)
	}
}

// ST-086: a trigger that names a column that was dropped fails its statement and says
// which trigger it was; it, and its table, can be dropped all the same.
func TestDroppedColumnUnderTrigger(t *testing.T) {
	for _, trigger := range []struct{ name, text, fires string }{
		{"its own table's, NEW", "BEFORE INSERT ON t FOR EACH ROW SET NEW.a = NEW.gone + 1", "INSERT INTO t (id) VALUES (7)"},
		{"its own table's, OLD", "AFTER DELETE ON t FOR EACH ROW INSERT INTO log VALUES (OLD.gone)", "DELETE FROM t"},
		{"another table's", "AFTER UPDATE ON u FOR EACH ROW UPDATE t SET gone = 1", "UPDATE u SET a = a + 1"},
	} {
		t.Run(trigger.name, func(t *testing.T) {
			w := newWorld(t)
			w.exec("CREATE TABLE t (id INT PRIMARY KEY, a INT, gone INT)")
			w.exec("CREATE TABLE u (id INT PRIMARY KEY, a INT)")
			w.exec("CREATE TABLE log (v INT)")
			w.exec("INSERT INTO t VALUES (1,1,1)")
			w.exec("INSERT INTO u VALUES (1,1)")
			w.exec("%s", "CREATE TRIGGER mentions "+trigger.text)
			w.exec("ALTER TABLE t DROP COLUMN gone")
			state := func() []string {
				return append(append(w.rows("SELECT * FROM t"), w.rows("SELECT * FROM u")...), w.rows("SELECT * FROM log")...)
			}
			before := state()
			for _, again := range []func(){func() {}, w.reopen} {
				again()
				_, err := w.session("").try(trigger.fires)
				require.Error(t, err)
				require.Equal(t, 1054, errorNumber(err), "%v", err)
				require.Contains(t, err.Error(), "mentions")
				require.Equal(t, before, state())
				require.Contains(t, strings.Join(w.rows("SHOW TRIGGERS"), ";"), "mentions")
			}
			w.check()
			w.exec("CREATE TABLE keep LIKE u")
			w.exec("DROP TRIGGER mentions")
			_, err := w.session("").try(trigger.fires)
			require.NoError(t, err)
			w.exec("%s", "CREATE TRIGGER mentions BEFORE INSERT ON t FOR EACH ROW SET NEW.a = 5")
			w.exec("ALTER TABLE t ADD COLUMN gone INT")
			w.exec("DROP TRIGGER mentions")
			w.exec("%s", "CREATE TRIGGER mentions "+trigger.text)
			w.exec("ALTER TABLE t DROP COLUMN gone")
			w.exec("DROP TABLE t, u")
			require.Empty(t, w.rows("SHOW TRIGGERS"))
			w.finish()
		})
	}
}
