package plugin

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// EXPLAIN shows the plan in MySQL's columns.
func TestExplain(t *testing.T) {
	s := newShell(t)
	s.exec("CREATE TABLE a (id INT PRIMARY KEY, v INT, s VARCHAR(20), KEY (v), UNIQUE KEY us (s))", "CREATE TABLE b (id INT PRIMARY KEY, a INT, w INT)",
		"INSERT INTO a VALUES (1,1,'x'),(2,2,'y'),(3,2,'z')", "INSERT INTO b VALUES (1,1,1),(2,1,2)")
	for _, c := range []struct {
		query string
		want  []string // id, select_type, table, type, key, ref, rows, Extra
	}{
		{"SELECT * FROM a", []string{"1|SIMPLE|a|ALL|NULL|NULL|3|NULL"}},
		{"SELECT * FROM a WHERE id = 1", []string{"1|SIMPLE|a|const|PRIMARY|const|1|NULL"}},
		{"SELECT * FROM a WHERE v = 2", []string{"1|SIMPLE|a|ref|v|const|NULL|NULL"}},
		{"SELECT * FROM a WHERE v > 1 ORDER BY s", []string{"1|SIMPLE|a|range|v|NULL|NULL|Using filesort"}},
		{"SELECT * FROM a WHERE id IN (1, 3)", []string{"1|SIMPLE|a|range|PRIMARY|NULL|NULL|NULL"}},
		{"SELECT * FROM a x WHERE s LIKE '%x'", []string{"1|SIMPLE|x|ALL|NULL|NULL|3|Using where"}},
		{"SELECT /*+ LOOKUP_JOIN(b,a) */ * FROM b JOIN a ON a.id = b.a", []string{"1|SIMPLE|b|ALL|NULL|NULL|2|NULL", "1|SIMPLE|a|eq_ref|PRIMARY|b.a|1|NULL"}},
		{"SELECT 1", []string{"1|SIMPLE|NULL|NULL|NULL|NULL|NULL|No tables used"}},
		{"SELECT id FROM a UNION SELECT id FROM b", []string{"1|PRIMARY|a|ALL|NULL|NULL|3|NULL", "2|UNION|b|ALL|NULL|NULL|2|NULL", "NULL|UNION RESULT|<union1,2>|ALL|NULL|NULL|NULL|Using temporary"}},
		{"UPDATE a SET v = 1 WHERE id = 2", []string{"1|UPDATE|a|const|PRIMARY|const|1|NULL"}},
		{"DELETE FROM a WHERE v = 2", []string{"1|DELETE|a|ref|v|const|NULL|NULL"}},
		{"INSERT INTO a VALUES (9, 9, 9)", []string{"1|INSERT|a|ALL|NULL|NULL|NULL|NULL"}},
	} {
		for _, explain := range []string{"EXPLAIN ", "DESCRIBE FORMAT = TRADITIONAL "} {
			_, rows, err := s.query(explain + c.query)
			require.NoError(t, err, c.query)
			var got []string
			for i := range rows {
				parts := strings.Split(strings.Split(s.text(explain+c.query), "\n")[i], " | ")
				require.Len(t, parts, 12)
				got = append(got, strings.Join([]string{parts[0], parts[1], parts[2], parts[4], parts[6], parts[8], parts[9], parts[11]}, "|"))
			}
			require.Equal(t, c.want, got, c.query)
		}
	}
	s.fails(1235, "EXPLAIN FORMAT=JSON SELECT 1")
	require.Contains(t, s.text("EXPLAIN FORMAT=TREE SELECT * FROM a"), "Table")
	require.Equal(t, "3", s.text("SELECT COUNT(*) FROM a"), "EXPLAIN changes nothing")
}
