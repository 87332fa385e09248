package wire

import (
	"bytes"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/integration/process"
)

// A dump under table locks, under the global read lock, and in one transaction hold
// the same rows, and load again with the locks that they ask for.
func TestDumpsUnderLocks(t *testing.T) {
	dumper, err := exec.LookPath("mariadb-dump")
	if err != nil {
		process.Missing(t, "mariadb-dump (Debian: mariadb-client)")
	}
	s := process.Start(t, t.TempDir())
	_, err = s.Open("", "").Exec("CREATE DATABASE d")
	require.NoError(t, err)
	db := s.Open("d", "")
	for _, statement := range []string{
		"CREATE TABLE d.p (id INT PRIMARY KEY, v VARCHAR(9))",
		"CREATE TABLE d.c (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES p (id))",
		"CREATE VIEW d.w AS SELECT p.v FROM d.p JOIN d.c ON c.p = p.id",
		"INSERT INTO d.p VALUES (1, 'a'), (2, 'b')", "INSERT INTO d.c VALUES (1, 2)",
	} {
		_, err := db.Exec(statement)
		require.NoError(t, err, statement)
	}
	var first string
	for _, locks := range []string{"--lock-tables", "--lock-all-tables", "--single-transaction", "--skip-lock-tables"} {
		var dump, problems bytes.Buffer
		command := exec.Command(dumper, "--no-defaults", "--host", "127.0.0.1", "--port", s.Port(), "--user", "root",
			"--skip-comments", locks, "--add-drop-database", "--add-locks", "--databases", "d")
		command.Stdout, command.Stderr = &dump, &problems
		require.NoError(t, command.Run(), "%s: %s", locks, &problems)
		require.Empty(t, problems.String(), locks)
		require.Contains(t, dump.String(), "LOCK TABLES `p` WRITE")
		if first == "" {
			first = dump.String()
		}
		require.Equal(t, first, dump.String(), locks)
		client := exec.Command(process.Client(t), "--no-defaults", "--host", "127.0.0.1", "--port", s.Port(), "--user", "root")
		var output bytes.Buffer
		client.Stdin, client.Stdout, client.Stderr = &dump, &output, &output
		require.NoError(t, client.Run(), "%s: %s", locks, &output)
		var v string
		require.NoError(t, db.QueryRow("SELECT v FROM d.w").Scan(&v))
		require.Equal(t, "b", v)
	}
}
