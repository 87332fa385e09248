package plugin

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Rolling back twice to one savepoint restores the row count both times.
func TestRowCountAfterTwoRollbacks(t *testing.T) {
	s := newTestServer(t, ServerOptions{})
	db := s.open("", "")
	exec(t, db, "CREATE DATABASE d", "USE d", "CREATE TABLE t(id INT PRIMARY KEY)", "INSERT INTO t VALUES (1),(2)",
		"BEGIN", "INSERT INTO t VALUES (3)", "SAVEPOINT p",
		"INSERT INTO t VALUES (4)", "ROLLBACK TO p",
		"DELETE FROM t WHERE id < 3", "ROLLBACK TO p", "COMMIT")
	require.Equal(t, 3, count(t, db, "SELECT COUNT(*) FROM t"))
	report, err := s.db.Check(t.Context())
	require.NoError(t, err)
	require.Empty(t, report.Problems)
}
