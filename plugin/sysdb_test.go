package plugin

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What others do is shown to those who were granted the database freshet.
func TestRightsOnStateOfServer(t *testing.T) {
	s := newTestServer(t, ServerOptions{})
	root := s.open("", "")
	exec(t, root, "CREATE DATABASE d", "CREATE USER u@localhost", "GRANT ALL ON d.* TO u@localhost", "CREATE USER m@localhost", "GRANT SELECT ON freshet.* TO m@localhost")
	u, m := openAs(t, s, "u", "d"), openAs(t, s, "m", "")
	for _, table := range []string{"transactions", "locks", "last_deadlock"} {
		_, err := u.Exec("SELECT * FROM freshet." + table)
		requireRefused(t, err, table)
		exec(t, m, "SELECT * FROM freshet."+table)
	}
	exec(t, m, "USE freshet", "SHOW TABLES", "DESCRIBE locks")
	conn, err := root.Conn(t.Context())
	require.NoError(t, err)
	defer conn.Close()
	for _, text := range []string{"CREATE TABLE d.t (id INT PRIMARY KEY)", "BEGIN", "INSERT INTO d.t VALUES (1)"} {
		_, err := conn.ExecContext(t.Context(), text)
		require.NoError(t, err)
	}
	var user, state string
	var changed, locks int
	require.NoError(t, m.QueryRow("SELECT user, state, rows_changed, locks FROM freshet.transactions WHERE locks > 0").Scan(&user, &state, &changed, &locks))
	require.Equal(t, []any{"root", "running", 1, 2}, []any{user, state, changed, locks})
	_, err = conn.ExecContext(t.Context(), "COMMIT")
	require.NoError(t, err)
}
