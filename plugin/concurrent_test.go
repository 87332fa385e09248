package plugin

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The engine groups rows on one goroutine while another reads them: a subquery
// inside an aggregate, or a function, reads at the same time as the statement's own
// scan, in the same session and over the transaction's uncommitted writes. Run it
// with the race detector.
func TestScansOfOneStatementAtTheSameTime(t *testing.T) {
	s := newTestServer(t, ServerOptions{})
	db := s.open("", "")
	db.SetMaxOpenConns(1)
	exec(t, db, "CREATE DATABASE d", "USE d", "CREATE TABLE a(id INT PRIMARY KEY, g INT)", "CREATE TABLE b(id INT PRIMARY KEY, a INT, KEY(a))",
		"CREATE TABLE k(a INT, n INT)", "CREATE TABLE log(n INT AUTO_INCREMENT PRIMARY KEY, a INT)",
		"CREATE FUNCTION seen(x INT) RETURNS INT READS SQL DATA RETURN (SELECT COUNT(*) FROM b WHERE a = x)",
		"CREATE FUNCTION noted(x INT) RETURNS INT MODIFIES SQL DATA BEGIN INSERT INTO log (a) VALUES (x); RETURN x; END")
	rows := rounds(1500)
	var values []string
	for i := range rows {
		values = append(values, fmt.Sprintf("(%d,%d)", i, i%7))
	}
	exec(t, db, "INSERT INTO a VALUES "+strings.Join(values[:rows/2], ","), "INSERT INTO b SELECT id, id FROM a", "INSERT INTO k SELECT id, 1 FROM a",
		"BEGIN", "INSERT INTO a VALUES "+strings.Join(values[rows/2:], ","), "INSERT INTO b SELECT id, id FROM a WHERE id NOT IN (SELECT id FROM b)",
		"INSERT INTO k SELECT id, 1 FROM a WHERE id >= "+fmt.Sprint(rows/2), "UPDATE b SET a = a + 0 WHERE id % 3 = 0", "DELETE FROM k WHERE a % 5 = 0")
	for _, q := range []struct {
		query string
		want  int
	}{
		{"SELECT COUNT(*) FROM (SELECT g, MAX((SELECT b.id FROM b JOIN a AS c ON c.id = b.a WHERE b.a = a.id)) AS m FROM a GROUP BY g HAVING m > " + fmt.Sprint(rows-10) + ") AS x", 7},
		{"SELECT SUM(n) FROM (SELECT g, SUM((SELECT COUNT(*) FROM k WHERE k.a = a.id)) AS n FROM a WHERE id < 100 GROUP BY g) AS x", 80},
		{"SELECT SUM(n) FROM (SELECT b.a % 3 AS r, SUM(EXISTS (SELECT 1 FROM b AS o WHERE o.id = b.id FOR UPDATE)) AS n FROM a JOIN b ON b.a = a.id GROUP BY r) AS x", rows},
		{"SELECT SUM(n) FROM (SELECT g, SUM(seen(id)) AS n FROM a GROUP BY g) AS x", rows},
		{"SELECT SUM(n) FROM (SELECT g, COUNT(noted(id)) AS n FROM a GROUP BY g) AS x", rows},
		{"SELECT COUNT(*) FROM log", rows},
		{"SELECT COUNT(*) FROM (SELECT (SELECT MAX(b.id) FROM b WHERE b.a <= a.id) AS m, COUNT(*) FROM a WHERE id < 50 GROUP BY (SELECT MAX(b.id) FROM b WHERE b.a <= a.id)) AS x", 50},
	} {
		require.Equal(t, q.want, count(t, db, q.query), q.query)
	}
	exec(t, db, "INSERT INTO k SELECT g, SUM((SELECT COUNT(*) FROM b WHERE b.a = a.id)) FROM a GROUP BY g", "ROLLBACK")
	require.Equal(t, rows/2, count(t, db, "SELECT COUNT(*) FROM a"))
}
