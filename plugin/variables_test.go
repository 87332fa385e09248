package plugin

import (
	"context"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/stretchr/testify/require"
)

// The server's collation is that of new databases and of literals; one that is
// named stays, the engine's own default included.
func TestServerCollation(t *testing.T) {
	names := []string{"collation_server", "collation_database", "collation_connection", "character_set_server", "character_set_database", "character_set_connection"}
	before := map[string]any{}
	for _, name := range names {
		_, value, ok := sql.SystemVariables.GetGlobal(name)
		require.True(t, ok)
		before[name] = value
	}
	t.Cleanup(func() { require.NoError(t, sql.SystemVariables.AssignValues(before)) })
	_, err := Open(context.Background(), Options{Collation: "no_such"})
	require.Error(t, err)
	db, err := Open(context.Background(), Options{Collation: "utf8mb4_0900_ai_ci"})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	s := &shell{t: t, db: db}
	s.session = s.newSession()
	s.exec("CREATE DATABASE d", "CREATE DATABASE IF NOT EXISTS i", "CREATE DATABASE b COLLATE utf8mb4_0900_bin", "USE d",
		"CREATE TABLE t (v VARCHAR(10), KEY (v))", "INSERT INTO t VALUES ('a'), ('A'), ('b')")
	s.is("1", "SELECT 'a' = 'A'")
	s.is("50", "SELECT @@innodb_lock_wait_timeout")
	s.exec("SET innodb_lock_wait_timeout = 3")
	s.is("3", "SELECT @@innodb_lock_wait_timeout")
	s.is("50", "SELECT @@GLOBAL.innodb_lock_wait_timeout")
	s.is("2", "SELECT COUNT(*) FROM t WHERE v = 'a'")
	s.is("2", "SELECT COUNT(DISTINCT v) FROM t")
	s.is("utf8mb4_0900_ai_ci", "SELECT default_collation_name FROM information_schema.schemata WHERE schema_name = 'i'")
	s.exec("USE b", "CREATE TABLE t (v VARCHAR(10))", "INSERT INTO t VALUES ('a'), ('A')")
	s.is("1", "SELECT COUNT(*) FROM t WHERE v = 'a'")
	s.is("utf8mb4_0900_bin", "SELECT table_collation FROM information_schema.tables WHERE table_schema = 'b'")
}

// ST-142: a persisted variable is in force after the store is opened again.
func TestPersistedVariable(t *testing.T) {
	const name = "max_connections"
	_, before, ok := sql.SystemVariables.GetGlobal(name)
	require.True(t, ok)
	t.Cleanup(func() { require.NoError(t, sql.SystemVariables.AssignValues(map[string]any{name: before})) })
	s := newShell(t)
	s.exec("SET PERSIST max_connections = 77")
	s.is("77", "SELECT @@GLOBAL.max_connections")
	require.NoError(t, sql.SystemVariables.AssignValues(map[string]any{name: before}))
	s.reopen()
	s.is("77", "SELECT @@GLOBAL.max_connections")
}
