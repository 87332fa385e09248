package correct_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Subqueries inside GROUP_CONCAT, in its ORDER BY, and in aggregates after it
// see the outer row as it is.
func TestSubqueriesInsideAggregates(t *testing.T) {
	s := newShell(t)
	for _, statement := range []string{
		"CREATE TABLE a (id INT PRIMARY KEY, g INT, name VARCHAR(10))",
		"CREATE TABLE b (id INT PRIMARY KEY, a INT, c INT)",
		"CREATE TABLE c (id INT PRIMARY KEY, v VARCHAR(10))",
		"INSERT INTO a VALUES (1,1,'x'),(2,1,'y'),(3,2,'z')",
		"INSERT INTO b VALUES (10,1,1),(11,1,2),(12,2,2),(13,3,3)",
		"INSERT INTO c VALUES (1,'one'),(2,'two'),(3,'three')",
	} {
		_, _, err := s.query(statement)
		require.NoError(t, err, statement)
	}
	const joined = "(SELECT MAX(c.v) FROM b JOIN c ON c.id = b.c WHERE b.a = a.id)"
	const listed = "(SELECT GROUP_CONCAT(c.v ORDER BY c.id SEPARATOR '+') FROM b JOIN c ON c.id = b.c WHERE b.a = a.id)"
	_, _, err := s.query("CREATE VIEW v AS SELECT g, GROUP_CONCAT(CONCAT(name, " + joined + ") ORDER BY id) AS x FROM a GROUP BY g")
	require.NoError(t, err)
	for _, c := range []struct{ query, want string }{
		{"SELECT GROUP_CONCAT(CONCAT(name, " + joined + ") ORDER BY id) FROM a GROUP BY g ORDER BY g", "xtwo,ytwo|zthree"},
		{"SELECT GROUP_CONCAT(CONCAT(name, ':', " + listed + ") ORDER BY name DESC SEPARATOR ';') FROM a GROUP BY g ORDER BY g", "y:two;x:one+two|z:three"},
		{"SELECT GROUP_CONCAT(name ORDER BY " + joined + ", id DESC) FROM a", "z,y,x"},
		{"SELECT CONCAT(GROUP_CONCAT(name ORDER BY id), MAX(" + joined + "), GROUP_CONCAT(" + joined + " ORDER BY id DESC)) FROM a GROUP BY g ORDER BY g", "x,ytwotwo,two|zthreethree"},
		{"SELECT x FROM (SELECT g, GROUP_CONCAT(CONCAT(name, " + joined + ") ORDER BY id) AS x FROM a GROUP BY g) AS d ORDER BY g", "xtwo,ytwo|zthree"},
		{"SELECT (SELECT GROUP_CONCAT(CONCAT(a2.name, (SELECT MAX(c.v) FROM b JOIN c ON c.id = b.c WHERE b.a = a2.id)) ORDER BY a2.id) FROM a a2 WHERE a2.g = a.g) FROM a ORDER BY id", "xtwo,ytwo|xtwo,ytwo|zthree"},
		{"SELECT x FROM v ORDER BY g", "xtwo,ytwo|zthree"},
	} {
		_, rows, err := s.query(c.query)
		require.NoError(t, err, c.query)
		got := ""
		for i, row := range rows {
			if i > 0 {
				got += "|"
			}
			got += row[0].(string)
		}
		require.Equal(t, c.want, got, c.query)
	}
}
