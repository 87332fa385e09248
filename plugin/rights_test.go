package plugin

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"
)

// openAs opens a pool of one account.
func openAs(t *testing.T, s *testServer, user, database string) *sql.DB {
	t.Helper()
	db, err := sql.Open("mysql", fmt.Sprintf("%s@tcp(%s)/%s", user, s.Addr(), database))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// A body does what its definer may, and only that.
func TestRightsOfBodies(t *testing.T) {
	s := newTestServer(t, ServerOptions{})
	root := s.open("", "")
	exec(t, root, "CREATE DATABASE d", "CREATE DATABASE e", "CREATE TABLE d.t(id INT PRIMARY KEY)", "CREATE TABLE e.t(id INT PRIMARY KEY)",
		"CREATE USER u@localhost", "GRANT ALL ON d.* TO u@localhost", "GRANT SELECT ON e.* TO u@localhost")
	u := openAs(t, s, "u", "d")
	const evil = "INSERT INTO mysql.user (Host, User, Select_priv, ssl_cipher, x509_issuer, x509_subject, plugin, authentication_string, identity) VALUES ('%', 'evil', 'Y', '', '', '', 'mysql_native_password', '', '')"
	for i, body := range []string{evil, "SELECT COUNT(*) INTO r FROM mysql.user", "SET r = (SELECT COUNT(*) FROM mysql.user)",
		"UPDATE mysql.user SET Super_priv = 'Y' WHERE User = 'u'", "DELETE FROM mysql.user WHERE User = 'u'",
		"INSERT INTO e.t VALUES (1)", "DELETE FROM e.t",
		"UPDATE e.t SET id = 3", "UPDATE e.t JOIN t ON e.t.id = t.id SET e.t.id = 3"} {
		exec(t, u, fmt.Sprintf("CREATE FUNCTION f%d() RETURNS INT BEGIN DECLARE r INT; %s; RETURN r; END", i, body),
			fmt.Sprintf("CREATE PROCEDURE p%d() BEGIN DECLARE r INT; %s; END", i, body))
		_, err := u.Exec(fmt.Sprintf("DO f%d()", i))
		requireRefused(t, err, body)
		_, err = u.Exec(fmt.Sprintf("CALL p%d()", i))
		requireRefused(t, err, body)
		_, err = root.Exec(fmt.Sprintf("CALL d.p%d()", i)) // also when an administrator calls
		requireRefused(t, err, body)
		_, err = root.Exec(fmt.Sprintf("DO d.f%d()", i))
		requireRefused(t, err, body)
	}
	for _, statement := range []string{
		"CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW " + evil,
		"CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW BEGIN IF NEW.id > 0 THEN " + evil + "; END IF; END",
		"CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW SET NEW.id = (SELECT COUNT(*) FROM mysql.user)",
		"CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW DELETE FROM e.t",
	} {
		_, err := u.Exec(statement)
		if err == nil {
			_, err = u.Exec("INSERT INTO t VALUES (1)")
			exec(t, u, "DROP TRIGGER g")
		}
		requireRefused(t, err, statement)
	}
	_, err := u.Exec("CREATE EVENT g ON SCHEDULE EVERY 1 DAY DO " + evil)
	requireRefused(t, err, "CREATE EVENT")
	exec(t, u, "CREATE EVENT g ON SCHEDULE EVERY 1 DAY DO DELETE FROM t")
	_, err = u.Exec("ALTER EVENT g DO " + evil)
	requireRefused(t, err, "ALTER EVENT")
	for _, statement := range []string{
		"CREATE DEFINER=root@localhost FUNCTION x() RETURNS INT RETURN 1",
		"CREATE DEFINER=root@localhost PROCEDURE x() SELECT 1",
		"CREATE DEFINER=root@localhost TRIGGER x BEFORE INSERT ON t FOR EACH ROW SET NEW.id = 1",
		"CREATE DEFINER=root@localhost EVENT x ON SCHEDULE EVERY 1 DAY DO DELETE FROM d.t",
		"CREATE DEFINER=root@localhost VIEW x AS SELECT * FROM t",
	} {
		_, err := u.Exec(statement)
		requireNumber(t, 1227, err)
	}
	require.Zero(t, count(t, root, "SELECT COUNT(*) FROM mysql.user WHERE User = 'evil' OR Super_priv = 'Y' AND User = 'u'"))

	exec(t, u, "CREATE PROCEDURE dynamic() BEGIN PREPARE s FROM 'DELETE FROM e.t'; EXECUTE s; END")
	exec(t, root, "CREATE PROCEDURE e.secret() DELETE FROM e.t")
	exec(t, u, "CREATE PROCEDURE inner_call() CALL e.secret()")
	for _, db := range []*sql.DB{u, root} {
		_, err = db.Exec("CALL d.dynamic()")
		requireRefused(t, err, "PREPARE")
		_, err = db.Exec("CALL d.inner_call()")
		requireNumber(t, 1370, err)
	}
	exec(t, root, "GRANT EXECUTE ON PROCEDURE e.secret TO u@localhost")
	exec(t, u, "CALL inner_call()")

	// The definer's rights serve callers who have fewer.
	exec(t, root, "CREATE FUNCTION d.accounts() RETURNS INT READS SQL DATA RETURN (SELECT COUNT(*) FROM mysql.user)",
		"CREATE PROCEDURE d.add_one() INSERT INTO e.t VALUES (1)")
	require.Positive(t, count(t, u, "SELECT accounts()"))
	exec(t, u, "CALL add_one()")
	require.Equal(t, 1, count(t, root, "SELECT COUNT(*) FROM e.t"))
	exec(t, u, "CREATE FUNCTION own_rows() RETURNS INT BEGIN INSERT INTO t VALUES (7); UPDATE t SET id = 8; RETURN (SELECT COUNT(*) FROM t); END")
	require.Equal(t, 1, count(t, root, "SELECT d.own_rows()"))
	exec(t, u, "CREATE PROCEDURE own_again() BEGIN DELETE FROM t; END", "CALL own_again()", "ALTER PROCEDURE own_again COMMENT 'c'", "CALL own_again()")
	exec(t, root, "CALL d.own_again()")
}

// requireRefused wants one of the errors for missing rights.
func requireRefused(t *testing.T, err error, statement string) {
	t.Helper()
	require.Error(t, err, statement)
	var denied *mysql.MySQLError
	require.ErrorAs(t, err, &denied, statement)
	require.Contains(t, []uint16{1044, 1142}, denied.Number, "%s: %s", statement, denied.Message)
}

// Files of the server need FILE.
func TestRightToFiles(t *testing.T) {
	s := newTestServer(t, ServerOptions{})
	root := s.open("", "")
	exec(t, root, "CREATE USER u@localhost", "CREATE DATABASE d", "GRANT ALL ON d.* TO u@localhost")
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret")
	require.NoError(t, os.WriteFile(secret, []byte("x"), 0o600))
	u := openAs(t, s, "u", "d")
	for _, into := range []string{"OUTFILE", "DUMPFILE"} {
		out := filepath.Join(dir, into)
		_, err := u.Exec("SELECT 1 INTO " + into + " '" + out + "'")
		requireNumber(t, 1227, err)
		require.NoFileExists(t, out)
	}
	read := "SELECT COALESCE(LOAD_FILE('" + secret + "'), 'none')"
	var got string
	require.NoError(t, u.QueryRow(read).Scan(&got))
	require.Equal(t, "none", got)
	require.NoError(t, root.QueryRow(read).Scan(&got))
	require.Equal(t, "x", got)
	exec(t, root, "GRANT FILE ON *.* TO u@localhost")
	exec(t, u, "SELECT 1 INTO OUTFILE '"+filepath.Join(dir, "allowed")+"'")
	require.NoError(t, u.QueryRow(read).Scan(&got))
	require.Equal(t, "x", got)
}

// Variables of the server are set by administrators.
func TestRightToVariables(t *testing.T) {
	s := newTestServer(t, ServerOptions{})
	root := s.open("", "")
	exec(t, root, "CREATE USER u@localhost", "CREATE DATABASE d", "GRANT ALL ON d.* TO u@localhost")
	u := openAs(t, s, "u", "d")
	for _, statement := range []string{"SET GLOBAL max_connections = 100", "SET @@GLOBAL.max_connections = 100", "SET @a = 1, GLOBAL max_connections = 100",
		"SET PERSIST max_connections = 100", "SET PERSIST_ONLY max_connections = 100", "SET GLOBAL TRANSACTION ISOLATION LEVEL READ COMMITTED"} {
		_, err := u.Exec(statement)
		requireNumber(t, 1227, err)
	}
	exec(t, u, "CREATE PROCEDURE p() SET GLOBAL max_connections = 100")
	_, err := u.Exec("CALL p()")
	requireNumber(t, 1227, err)
	exec(t, u, "SET SESSION sort_buffer_size = 100000", "SET sort_buffer_size = 100000", "SET @x = 1", "SET NAMES utf8mb4")
	exec(t, root, "SET GLOBAL max_connections = 151", "GRANT SUPER ON *.* TO u@localhost")
	exec(t, u, "SET GLOBAL max_connections = 151")
}

// An account that could not be locked is not made.
func TestAccountLock(t *testing.T) {
	s := newTestServer(t, ServerOptions{})
	root := s.open("", "")
	_, err := root.Exec("CREATE USER u@localhost ACCOUNT LOCK")
	requireNumber(t, 1235, err)
	require.Zero(t, count(t, root, "SELECT COUNT(*) FROM mysql.user WHERE User = 'u'"))
	exec(t, root, "CREATE USER u@localhost ACCOUNT UNLOCK")
}

// Everyone may know what they may.
func TestOwnGrants(t *testing.T) {
	s := newTestServer(t, ServerOptions{})
	exec(t, s.open("", ""), "CREATE DATABASE d", "CREATE USER u@localhost", "GRANT SELECT ON d.* TO u@localhost")
	u := openAs(t, s, "u", "d")
	for _, statement := range []string{"SHOW GRANTS", "SHOW GRANTS FOR CURRENT_USER", "SHOW GRANTS FOR CURRENT_USER()"} {
		require.Equal(t, []string{"GRANT USAGE ON *.* TO `u`@`localhost`", "GRANT SELECT ON `d`.* TO `u`@`localhost`"}, texts(t, u, statement), statement)
	}
	_, err := u.Exec("SHOW GRANTS FOR root@localhost")
	requireRefused(t, err, "SHOW GRANTS FOR root@localhost")
}

func texts(t *testing.T, db *sql.DB, query string) []string {
	t.Helper()
	rows, err := db.Query(query)
	require.NoError(t, err)
	defer rows.Close()
	var all []string
	for rows.Next() {
		var text string
		require.NoError(t, rows.Scan(&text))
		all = append(all, text)
	}
	require.NoError(t, rows.Err())
	return all
}

// A view reads what its definer may read.
func TestRightsOfViews(t *testing.T) {
	s := newTestServer(t, ServerOptions{})
	root := s.open("", "")
	root.SetMaxOpenConns(1)
	exec(t, root, "CREATE DATABASE d", "CREATE DATABASE e", "CREATE TABLE e.t(id INT PRIMARY KEY)", "INSERT INTO e.t VALUES (1), (2)", "USE d",
		"CREATE VIEW d.v AS SELECT id FROM e.t WHERE id > 1", "CREATE VIEW d.w AS SELECT x.id FROM d.v AS x JOIN (SELECT MAX(id) AS m FROM e.t) AS y ON x.id = y.m WHERE x.id IN (SELECT id FROM e.t)",
		"CREATE SQL SECURITY INVOKER VIEW d.i AS SELECT id FROM e.t",
		"CREATE VIEW d.accounts AS SELECT User FROM mysql.user",
		"CREATE USER u@localhost", "GRANT SELECT ON d.* TO u@localhost", "CREATE USER one@localhost", "GRANT SELECT ON d.v TO one@localhost",
		"CREATE USER maker@localhost", "GRANT ALL ON d.* TO maker@localhost", "CREATE USER viewer@localhost", "GRANT CREATE VIEW ON *.* TO viewer@localhost")
	u, one, maker, viewer := openAs(t, s, "u", "d"), openAs(t, s, "one", "d"), openAs(t, s, "maker", "d"), openAs(t, s, "viewer", "d")
	require.Equal(t, 2, count(t, u, "SELECT id FROM v"))
	require.Equal(t, 2, count(t, u, "SELECT id FROM w"))
	require.Equal(t, 2, count(t, one, "SELECT id FROM v"))
	require.Equal(t, 2, count(t, root, "SELECT COUNT(*) FROM d.i"))
	for _, statement := range []string{"SELECT * FROM i", "SELECT * FROM v JOIN e.t USING (id)", "SELECT * FROM e.t", "SELECT (SELECT MAX(id) FROM e.t) FROM v",
		"SELECT * FROM e.t, v", "SELECT * FROM v WHERE id IN (SELECT id FROM e.t)", "SELECT * FROM v UNION SELECT * FROM e.t"} {
		_, err := u.Query(statement)
		requireRefused(t, err, statement)
	}
	_, err := one.Query("SELECT * FROM w")
	requireRefused(t, err, "w")
	for _, db := range []*sql.DB{maker, viewer} {
		for _, statement := range []string{"CREATE VIEW m AS SELECT id FROM e.t", "CREATE VIEW m AS SELECT v.id FROM v, e.t", "CREATE OR REPLACE VIEW m AS SELECT User FROM mysql.user",
			"CREATE VIEW m AS SELECT id FROM i"} {
			_, err := db.Exec(statement)
			requireRefused(t, err, statement)
		}
	}
	exec(t, maker, "CREATE VIEW m AS SELECT id FROM v")
	require.Equal(t, 2, count(t, u, "SELECT id FROM m"))
	require.Equal(t, 2, count(t, root, "SELECT id FROM d.m"))
}

// Everybody may see their own connections; those of others take PROCESS.
func TestProcesslistOfOneself(t *testing.T) {
	s := newTestServer(t, ServerOptions{})
	root := s.open("", "")
	exec(t, root, "CREATE USER u@localhost")
	u := openAs(t, s, "u", "")
	users := func() (users []string) {
		rows, err := u.Query("SHOW PROCESSLIST")
		require.NoError(t, err)
		for rows.Next() {
			var id, seconds int
			var user, host, command, state string
			var database, info sql.NullString
			require.NoError(t, rows.Scan(&id, &user, &host, &database, &command, &seconds, &state, &info))
			users = append(users, user)
		}
		require.NoError(t, rows.Close())
		return users
	}
	require.Equal(t, []string{"u"}, users())
	exec(t, root, "GRANT PROCESS ON *.* TO u@localhost")
	require.ElementsMatch(t, []string{"root", "u"}, users())
	var comment string
	require.NoError(t, u.QueryRow("SELECT @@version_comment").Scan(&comment))
	require.Equal(t, "Freshet", comment)
}
