package plugin

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A condition that the scan applies keeps the rows that the same condition keeps
// above a derived table: with NULLs, columns added later, own writes, and rows that
// are collected while the scan goes on.
func TestConditionsInScans(t *testing.T) {
	seed := time.Now().UnixNano()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewSource(seed))
	s := newShell(t)
	s.exec("CREATE TABLE t (id INT PRIMARY KEY, a INT, s VARCHAR(20), d DATETIME, z TIMESTAMP NULL)")
	for id := range 200 {
		value := func(format string, n int) string {
			if r.Intn(4) == 0 {
				return "NULL"
			}
			return fmt.Sprintf(format, n)
		}
		s.exec(fmt.Sprintf("INSERT INTO t VALUES (%d, %s, %s, %s, %s)", id, value("%d", r.Intn(10)), value("'text %d'", r.Intn(10)),
			value("'2024-01-0%d 10:00:00'", 1+r.Intn(9)), value("'2024-01-0%d 10:00:00'", 1+r.Intn(9))))
	}
	s.exec("ALTER TABLE t ADD COLUMN later INT DEFAULT 5, ADD COLUMN twice INT AS (a * 2)", "SET time_zone = '+05:00'", "BEGIN",
		"UPDATE t SET a = 3, later = NULL WHERE id % 7 = 0 AND id > 0", "DELETE FROM t WHERE id % 11 = 0", "INSERT INTO t (id, a) VALUES (1000, 3), (1001, NULL)")
	conditions := []string{
		"a = 3", "a <> 3", "a IS NULL", "NOT (a > 3)", "a > 3 OR s = 'text 4'", "s LIKE 'text%' AND a IN (1, 3, 5)", "a + id > 100", "later IS NULL",
		"later = 5 AND id BETWEEN 20 AND 90", "twice = 6", "d >= '2024-01-05'", "z >= '2024-01-05 15:00:00'", "COALESCE(a, 7) = 7", "a = (SELECT MIN(a) FROM t)",
		"EXISTS (SELECT 1 FROM t AS o WHERE o.id = t.id + 1 AND o.a = t.a)", "CASE WHEN a > 4 THEN s ELSE NULL END IS NOT NULL", "id > 900",
	}
	shapes := []string{"*", "id", "s, id", "later, a, z"}
	if testing.Short() {
		shapes = shapes[:1]
	}
	for _, columns := range shapes {
		for _, c := range conditions {
			for _, c := range []string{c, "(" + c + ") AND id > 50"} {
				want := s.lines("SELECT " + columns + " FROM (SELECT *, (" + c + ") AS y FROM t) AS x WHERE y ORDER BY x.id")
				got := s.lines("SELECT " + columns + " FROM t WHERE " + c + " ORDER BY id")
				if columns == "*" { // without the condition itself
					for i := range want {
						want[i] = want[i][:strings.LastIndex(want[i], " ")]
					}
				}
				require.Equal(t, want, got, "%s: %s", columns, c)
				require.Equal(t, len(want), len(s.lines("SELECT x.id FROM t AS x JOIN t AS y USING (id) WHERE x.id IN (SELECT id FROM t WHERE "+c+")")), c)
			}
		}
	}
}

// lines are the rows of a query as text.
func (s *shell) lines(query string) []string {
	s.t.Helper()
	_, rows, err := s.query(query)
	require.NoError(s.t, err, query)
	lines := make([]string, len(rows))
	for i, row := range rows {
		lines[i] = strings.TrimSuffix(fmt.Sprintln(row...), "\n")
	}
	return lines
}

// MATCH looks at more of a row than the columns it names, so the scan leaves it alone.
func TestMatchAboveScan(t *testing.T) {
	s := newShell(t)
	s.exec("CREATE TABLE words (pk BIGINT UNSIGNED PRIMARY KEY, v1 VARCHAR(20), v2 VARCHAR(20), FULLTEXT idx (v1, v2))",
		"INSERT INTO words VALUES (1, 'abc', 'def'), (2, 'ghi', 'jkl')")
	s.is("2", "SELECT pk FROM words WHERE MATCH(v2, v1) AGAINST ('jkl') > 0")
	s.is("1", "SELECT pk FROM words WHERE MATCH(v2, v1) AGAINST ('jkl') = 0")
}
