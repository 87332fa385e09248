package scenarios

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// commitSetup makes what the statements of the table need.
const commitSetup = `
CREATE TABLE u (id INT PRIMARY KEY)
CREATE TABLE t (id INT PRIMARY KEY, v INT, w INT, KEY w (w), CONSTRAINT c CHECK (v < 100))
CREATE TABLE p (id INT PRIMARY KEY)
CREATE TEMPORARY TABLE x (id INT PRIMARY KEY, v INT)
CREATE VIEW vw AS SELECT id FROM t
CREATE PROCEDURE pr() SELECT 1
CREATE PROCEDURE pv() SELECT * FROM vw
CREATE FUNCTION fn() RETURNS INT RETURN 1
CREATE TRIGGER tr BEFORE INSERT ON t FOR EACH ROW SET NEW.v = 1
CREATE EVENT ev ON SCHEDULE EVERY 1 YEAR DO SELECT 1
CREATE DATABASE other
CREATE USER usr@localhost
CREATE ROLE rl
INSERT INTO t VALUES (1, 1, 1), (2, 2, 2)
INSERT INTO x VALUES (1, 1)
`

// commits and keeps are statements, as MySQL's manual lists them (Statements That
// Cause an Implicit Commit), and statements that are none of them.
var (
	commits = []string{
		"CREATE TABLE n (id INT)", "CREATE TABLE IF NOT EXISTS t (id INT)", "CREATE TABLE n LIKE t", "CREATE TABLE n SELECT * FROM t",
		"ALTER TABLE t ADD n INT", "ALTER TABLE t ADD n INT, ADD m INT", "ALTER TABLE t DROP COLUMN w", "ALTER TABLE t MODIFY v BIGINT",
		"ALTER TABLE t RENAME COLUMN w TO n", "ALTER TABLE t RENAME TO n", "ALTER TABLE t ALTER v SET DEFAULT 5", "ALTER TABLE t COMMENT = 'n'",
		"ALTER TABLE t ADD INDEX n (v)", "ALTER TABLE t DROP INDEX w", "ALTER TABLE t RENAME INDEX w TO n", "ALTER TABLE t DROP PRIMARY KEY",
		"ALTER TABLE t ADD CONSTRAINT n CHECK (v > 0)", "ALTER TABLE t DROP CHECK c", "ALTER TABLE t ADD CONSTRAINT n FOREIGN KEY (v) REFERENCES t (id)",
		"ALTER TABLE t AUTO_INCREMENT = 9", "ALTER TABLE t COLLATE utf8mb4_bin",
		"CREATE INDEX n ON t (v)", "CREATE UNIQUE INDEX n ON t (w)", "DROP INDEX w ON t",
		"RENAME TABLE t TO n", "TRUNCATE TABLE p", "DROP TABLE p", "DROP TABLE IF EXISTS nothing", "DROP TABLE p, t",
		"CREATE VIEW n AS SELECT 1", "CREATE OR REPLACE VIEW vw AS SELECT 2", "ALTER VIEW vw AS SELECT 3", "DROP VIEW vw",
		"CREATE TRIGGER n BEFORE DELETE ON t FOR EACH ROW SET @a = 1", "DROP TRIGGER tr",
		"CREATE PROCEDURE n() SELECT 2", "ALTER PROCEDURE pr COMMENT 'n'", "DROP PROCEDURE pr",
		"CREATE FUNCTION n() RETURNS INT RETURN 2", "ALTER FUNCTION fn COMMENT 'n'", "DROP FUNCTION fn",
		"CREATE EVENT n ON SCHEDULE EVERY 1 YEAR DO SELECT 2", "ALTER EVENT ev COMMENT 'n'", "DROP EVENT ev",
		"CREATE DATABASE n", "CREATE DATABASE IF NOT EXISTS other", "ALTER DATABASE other COLLATE utf8mb4_bin", "DROP DATABASE other",
		"CREATE USER n@localhost", "ALTER USER usr@localhost IDENTIFIED BY 'n'", "DROP USER usr@localhost",
		"SET PASSWORD FOR usr@localhost = 'n'", "CREATE ROLE n", "DROP ROLE rl",
		"GRANT SELECT ON d.* TO usr@localhost", "REVOKE ALL PRIVILEGES, GRANT OPTION FROM usr@localhost", "GRANT rl TO usr@localhost", "REVOKE rl FROM usr@localhost",
		"BEGIN", "START TRANSACTION", "START TRANSACTION READ ONLY", "LOCK TABLES u WRITE", "COMMIT", "COMMIT AND CHAIN",
		"ANALYZE TABLE t", "CHECK TABLE t", "OPTIMIZE TABLE t", "REPAIR TABLE t", "FLUSH TABLES", "FLUSH PRIVILEGES", "FLUSH LOGS", "FLUSH STATUS",
		"FLUSH TABLES WITH READ LOCK", "FLUSH TABLES t", "FLUSH HOSTS",
		"CREATE INDEX n ON x (v)", "DROP TABLE x", "ALTER TABLE x ADD n INT", "ALTER TABLE x ADD n INT, ADD m INT", "TRUNCATE TABLE x",
	}
	keeps = []string{
		"CREATE TEMPORARY TABLE n (id INT)", "CREATE TEMPORARY TABLE n LIKE t", "CREATE TEMPORARY TABLE n SELECT * FROM t", "DROP TEMPORARY TABLE x",
		"SELECT * FROM t", "SELECT * FROM t FOR UPDATE", "INSERT INTO p VALUES (1)", "UPDATE t SET v = 3", "DELETE FROM t", "DELETE FROM p",
		"REPLACE INTO t VALUES (1, 1, 1)", "CALL pr()", "DO 1", "SET @a = 1", "SET autocommit = 0", "SET SESSION TRANSACTION READ ONLY",
		"SET SESSION transaction_isolation = 'SERIALIZABLE'", "SAVEPOINT s", "USE other", "SHOW TABLES", "SHOW CREATE TABLE t", "EXPLAIN FORMAT=TREE SELECT * FROM t",
		"CHECKSUM TABLE t", "PREPARE st FROM 'SELECT 1'", "SET PERSIST max_connections = 151", "RESET PERSIST", "UNLOCK TABLES", "KILL QUERY 999999", "SHOW WARNINGS",
		"SELECT fn()", "ROLLBACK AND CHAIN", "SELECT * FROM vw", "SELECT 1 FROM t WHERE id IN (SELECT id FROM vw)", "INSERT INTO p SELECT id FROM vw",
		"UPDATE t SET v = 5 WHERE id IN (SELECT id FROM vw)", "DELETE t FROM t JOIN vw ON vw.id = t.id", "SHOW CREATE TABLE vw", "SHOW CREATE VIEW vw", "SHOW COLUMNS FROM vw", "SHOW TRIGGERS",
		"SELECT COUNT(*) FROM information_schema.views", "EXPLAIN FORMAT=TREE SELECT * FROM vw", "SHOW TABLE STATUS", "SELECT COUNT(*) FROM information_schema.columns", "CALL pv()",
		"SET NAMES utf8mb4",
	}
)

// TestST127ImplicitCommit: what commits an open transaction, and what does not.
func TestST127ImplicitCommit(t *testing.T) {
	for _, wire := range ways() {
		for _, way := range []struct {
			statements []string
			commits    bool
		}{{commits, true}, {keeps, false}} {
			for _, statement := range way.statements {
				name := "process/" + statement
				if wire {
					name = "wire/" + statement
				}
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					w := newWorld(t)
					if w.wire = wire; wire {
						w.serve()
					}
					w.run(commitSetup)
					w.exec("BEGIN")
					w.exec("INSERT INTO u VALUES (1)")
					_, err := w.session("").try(statement)
					if number := errorNumber(err); number != 1094 && number != 1235 {
						require.NoError(t, err)
					}
					w.exec("ROLLBACK")
					want := "0"
					if way.commits {
						want = "1"
					}
					w.exec("UNLOCK TABLES")
					require.Equal(t, []string{want}, w.session("B").exec("SELECT COUNT(*) FROM d.u").rows)
					// The session is back in autocommit.
					if statement != "SET autocommit = 0" && statement != "SET SESSION TRANSACTION READ ONLY" {
						w.exec("INSERT INTO d.u VALUES (2)")
						w.exec("ROLLBACK")
						require.Equal(t, []string{"2"}, w.session("B").exec("SELECT id FROM d.u WHERE id = 2").rows)
					}
					w.check()
				})
			}
		}
	}
}
