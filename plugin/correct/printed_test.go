package correct_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A comparison with a subquery as an output column has a name.
func TestComparedSubqueryAsColumn(t *testing.T) {
	s := newShell(t)
	_, _, err := s.query("CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(10))")
	require.NoError(t, err)
	_, _, err = s.query("INSERT INTO t VALUES (1, '1')")
	require.NoError(t, err)
	for _, query := range []string{
		"SELECT id = (SELECT MAX(v) FROM t), CASE WHEN v > (SELECT AVG(id) FROM t) THEN 1 ELSE 0 END, CONCAT(id <=> (SELECT v FROM t)) FROM t",
	} {
		_, rows, err := s.query(query)
		require.NoError(t, err, query)
		require.Len(t, rows, 1)
	}
}
