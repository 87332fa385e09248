package plugin

import (
	"database/sql"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/plugin/parser"
	"github.com/freshetdb/freshet/vtab"
)

// An account without any right may ask what needs none, and nothing else.
func TestAccountWithoutRights(t *testing.T) {
	require.Equal(t, parser.DualDatabase, vtab.PublicDatabase)
	s := newTestServer(t, ServerOptions{})
	root := s.open("", "")
	exec(t, root, "CREATE DATABASE d", "CREATE TABLE d.t(id INT PRIMARY KEY)", "CREATE USER nothing@localhost")
	db, err := sql.Open("mysql", fmt.Sprintf("nothing@tcp(%s)/", s.Addr()))
	require.NoError(t, err)
	defer db.Close()
	require.Equal(t, 3, count(t, db, "SELECT 1 + 2"))
	require.Equal(t, 1, count(t, db, "SELECT COUNT(*) FROM (SELECT CURRENT_USER()) AS x"))
	for _, statement := range []string{"SELECT * FROM d.t", "INSERT INTO d.t VALUES (1)", "USE d", "CREATE DATABASE e", "CREATE USER x", "DROP DATABASE d"} {
		_, err := db.Exec(statement)
		require.Error(t, err, statement)
	}
	rows, err := db.Query("SHOW DATABASES")
	require.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var name string
		require.NoError(t, rows.Scan(&name))
		require.Contains(t, []string{"information_schema", "mysql"}, name)
	}
}

// A right on one database is none to make or drop another.
func TestDatabaseRights(t *testing.T) {
	s := newTestServer(t, ServerOptions{})
	exec(t, s.open("", ""), "CREATE DATABASE app", "CREATE DATABASE other", "CREATE USER u@localhost", "GRANT ALL ON app.* TO u@localhost", "GRANT CREATE, DROP ON `more`.* TO u@localhost")
	db, err := sql.Open("mysql", fmt.Sprintf("u@tcp(%s)/app", s.Addr()))
	require.NoError(t, err)
	defer db.Close()
	for _, statement := range []string{"CREATE DATABASE x", "DROP DATABASE other", "ALTER DATABASE other COLLATE utf8mb4_bin", "CREATE DATABASE IF NOT EXISTS x"} {
		_, err := db.Exec(statement)
		requireNumber(t, 1044, err)
	}
	exec(t, db, "CREATE DATABASE `more`", "DROP DATABASE `more`", "ALTER DATABASE app COLLATE utf8mb4_bin", "DROP DATABASE app")
}
