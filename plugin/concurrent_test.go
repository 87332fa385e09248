package plugin

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The engine groups rows on one goroutine while another reads them: a subquery
// inside an aggregate scans at the same time as the statement's own scan.
func TestScansOfOneStatementAtTheSameTime(t *testing.T) {
	s := newTestServer(t, ServerOptions{})
	db := s.open("", "")
	exec(t, db, "CREATE DATABASE d", "USE d", "CREATE TABLE a(id INT PRIMARY KEY, g INT)", "CREATE TABLE b(id INT PRIMARY KEY, a INT, KEY(a))")
	var rows []string
	for i := range 3000 {
		rows = append(rows, fmt.Sprintf("(%d,%d)", i, i%7))
	}
	exec(t, db, "INSERT INTO a VALUES "+strings.Join(rows, ","), "INSERT INTO b SELECT id, id FROM a")
	for range 5 {
		require.Equal(t, 7, count(t, db, "SELECT COUNT(*) FROM (SELECT g, MAX((SELECT b.id FROM b JOIN a AS c ON c.id = b.a WHERE b.a = a.id)) AS m FROM a GROUP BY g HAVING m > 2990) AS x"))
	}
}
