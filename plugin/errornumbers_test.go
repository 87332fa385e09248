package plugin

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// ST-004, and its kind: refused definitions have MySQL's numbers, over the wire.
func TestNumbersOfRefusals(t *testing.T) {
	s := newTestServer(t, ServerOptions{})
	exec(t, s.open("", ""), "CREATE DATABASE d")
	db := s.open("d", "")
	exec(t, db, "CREATE TABLE t(a INT, KEY k(a))")
	for _, c := range []struct {
		number    string
		statement string
	}{
		{"1061", "CREATE TABLE e(a INT, KEY k(a), KEY k(a))"},
		{"1061", "CREATE TABLE e(a INT, UNIQUE KEY k(a), b INT, INDEX K(b))"},
		{"1061", "ALTER TABLE t ADD INDEX k(a)"},
		{"1068", "CREATE TABLE e(a INT PRIMARY KEY, b INT PRIMARY KEY)"},
		{"1068", "CREATE TABLE e(a INT PRIMARY KEY, b INT, PRIMARY KEY (b))"},
		{"3820", "CREATE TABLE e(a INT, CHECK (b > 0))"},
		{"3820", "ALTER TABLE t ADD CHECK (zz > 1)"},
		{"1824", "CREATE TABLE e(a INT, FOREIGN KEY (a) REFERENCES nope(id))"},
		{"1824", "ALTER TABLE t ADD FOREIGN KEY (a) REFERENCES nope(id)"},
		{"1051", "DROP TABLE nope"},
		{"1051", "DROP VIEW nope"},
		{"1146", "CREATE TABLE e AS SELECT * FROM nope"},
		{"1054", "ALTER TABLE t DROP COLUMN zz"},
		{"1146", "ALTER TABLE nope ADD COLUMN x INT"},
		{"1111", "SELECT SUM(a) FROM t WHERE SUM(a) > 1"},
		{"1111", "UPDATE t SET a = 1 WHERE COUNT(*) > 0"},
		{"1235", "SELECT COUNT(DISTINCT a) OVER () FROM t"},
		{"1064", "SELECT FROM WHERE"},
	} {
		require.Equal(t, "error "+c.number, answer(t, db, c.statement), c.statement)
	}
	exec(t, db, "CREATE TABLE c(a INT, b INT, PRIMARY KEY (a), KEY(b), KEY(b), CHECK (a > 0 AND c.b < 5))")
	require.Equal(t, "", answer(t, db, "SELECT a FROM t WHERE a > (SELECT MAX(a) FROM t)"))
	require.Equal(t, "", answer(t, db, "SELECT a FROM t GROUP BY a HAVING SUM(a) > 1"))
}
