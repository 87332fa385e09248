package plugin

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// ST-054: keys with descending parts answer as none at all, and are shown.
func TestDescendingKeys(t *testing.T) {
	s := newShell(t)
	s.exec("CREATE TABLE plain(id INT PRIMARY KEY, a INT, b VARCHAR(5), c INT)",
		"CREATE TABLE keyed(id INT PRIMARY KEY, a INT, b VARCHAR(5), c INT, KEY ab (a DESC, b), KEY d (c DESC) COMMENT 'back', UNIQUE KEY u (b(3) ASC, id DESC))",
		"CREATE INDEX ca ON keyed(c, a DESC)", "ALTER TABLE keyed ADD KEY bc (b DESC, c DESC), ADD KEY f ((a + c) DESC)")
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	for id := range 200 {
		value := func() string {
			if r.IntN(6) == 0 {
				return "NULL"
			}
			return fmt.Sprint(r.IntN(12) - 6)
		}
		row := fmt.Sprintf("VALUES (%d, %s, CONCAT('v', %s), %s)", id, value(), value(), value())
		s.exec("INSERT INTO plain "+row, "INSERT INTO keyed "+row)
	}
	conditions := []string{"1 = 1", "a > 0", "a <= -2", "a IS NULL", "a BETWEEN -3 AND 2 AND b >= 'v0'", "a IN (1, 3, -5) AND b < 'v2'",
		"c = 2", "c < 0", "c IN (NULL, 4, -4)", "a <=> NULL AND b IS NOT NULL", "b LIKE 'v-%%'", "c > 1 AND a = 2", "a + c > 3", "a + c = 0"}
	orders := []string{"a, id", "a DESC, id DESC", "a DESC, b, id", "c, id", "c DESC, id", "b DESC, c DESC, id", "a + c, id"}
	same := func() {
		t.Helper()
		for _, where := range conditions {
			for _, order := range orders {
				for _, limit := range []string{"", " LIMIT 5"} {
					query := "SELECT id, a, b, c FROM %s WHERE " + where + " ORDER BY " + order + limit
					require.Equal(t, s.text(fmt.Sprintf(query, "plain")), s.text(fmt.Sprintf(query, "keyed")), query)
				}
			}
		}
		require.Equal(t, s.text("SELECT MIN(c), MAX(c), MIN(a), MAX(a) FROM plain"), s.text("SELECT MIN(c), MAX(c), MIN(a), MAX(a) FROM keyed"))
	}
	same()
	shown := s.text("SHOW CREATE TABLE keyed")
	for _, key := range []string{"KEY `ab` (`a` DESC,`b`)", "KEY `d` (`c` DESC) COMMENT 'back'", "UNIQUE KEY `u` (`b`(3),`id` DESC)", "KEY `ca` (`c`,`a` DESC)", "KEY `bc` (`b` DESC,`c` DESC)", "KEY `f` (((`a` + `c`)) DESC)"} {
		require.Contains(t, shown, key)
	}
	s.is("d.keyed | check | status | OK", "CHECK TABLE keyed")
	s.exec("UPDATE plain SET a = a + 1, c = -c WHERE id % 3 = 0", "UPDATE keyed SET a = a + 1, c = -c WHERE id % 3 = 0",
		"DELETE FROM plain WHERE c = 1", "DELETE FROM keyed WHERE c = 1")
	same()
	s.reopen()
	require.Equal(t, shown, s.text("SHOW CREATE TABLE keyed"))
	s.exec("SET sql_mode = 'ANSI_QUOTES'", "CREATE DATABASE twin", "SET sql_mode = DEFAULT", "USE twin", strings.TrimPrefix(shown, "keyed | "))
	require.Equal(t, shown, s.text("SHOW CREATE TABLE keyed"))
	s.exec("USE d")
	s.is("back", "SELECT index_comment FROM information_schema.statistics WHERE table_schema = 'd' AND index_name = 'd'")
	require.NotContains(t, s.text("SHOW INDEX FROM keyed"), "\x01")
}

// An index whose parts all descend is read from its end.
func TestDescendingKeyGivesOrder(t *testing.T) {
	s := newShell(t)
	s.exec("CREATE TABLE t(id INT PRIMARY KEY, a INT, KEY(a DESC))", "INSERT INTO t VALUES (1,5),(2,NULL),(3,7)")
	for order, want := range map[string]string{"a": "NULL\n5\n7", "a DESC": "7\n5\nNULL"} {
		s.is(want, "SELECT a FROM t ORDER BY "+order)
		require.NotContains(t, s.text("EXPLAIN PLAN SELECT a FROM t ORDER BY "+order), "Sort(")
	}
}
