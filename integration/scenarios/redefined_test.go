package scenarios

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// ST-112: a transaction that has read a table does not write it under another
// definition, whatever has changed; it can be repeated then.
func TestST112WriteUnderAnOldDefinition(t *testing.T) {
	for _, ddl := range []string{
		"ALTER TABLE t ADD COLUMN x INT",
		"ALTER TABLE t DROP COLUMN name",
		"ALTER TABLE t MODIFY COLUMN w BIGINT",
		"ALTER TABLE t MODIFY COLUMN w DECIMAL(20,5)",
		"ALTER TABLE t RENAME COLUMN w TO ww",
		"ALTER TABLE t DROP INDEX v",
		"ALTER TABLE t ADD INDEX (w)",
		"CREATE UNIQUE INDEX u ON t (w)",
		"ALTER TABLE t ADD CHECK (w < 1000000)",
		"ALTER TABLE t ADD FOREIGN KEY (id) REFERENCES parent (id)",
		"ALTER TABLE t DROP PRIMARY KEY, ADD PRIMARY KEY (id, v)",
		"TRUNCATE TABLE t",
		"DROP TABLE t; CREATE TABLE t (id INT PRIMARY KEY, v INT, w INT, name VARCHAR(20))",
		"RENAME TABLE t TO t2; CREATE TABLE t LIKE t2",
	} {
		for _, write := range []string{
			"INSERT INTO t (id, v) VALUES (3, 1)",
			"UPDATE t SET v = v + 1 WHERE id = 2",
			"DELETE FROM t WHERE id = 2",
			"SELECT id FROM t WHERE id = 2 FOR UPDATE",
			"INSERT INTO copied SELECT id FROM t",
		} {
			t.Run(ddl+", "+write, func(t *testing.T) {
				w := newWorld(t)
				w.numbers("t", 2, ", KEY (v)")
				w.exec("CREATE TABLE parent (id INT PRIMARY KEY)")
				w.exec("INSERT INTO parent VALUES (1), (2), (3)")
				w.exec("CREATE TABLE copied (id INT PRIMARY KEY)")
				a, b := w.session("a"), w.session("b")
				a.exec("BEGIN")
				a.exec("INSERT INTO copied VALUES (100)")
				a.exec("SELECT * FROM t")
				for _, text := range strings.Split(ddl, "; ") {
					b.exec(text)
				}
				a.fails(1412, write)
				a.exec("ROLLBACK")
				w.shows(t, "SELECT count(*) FROM copied", "0")
				a.exec("BEGIN")
				a.exec(write)
				a.exec("COMMIT")
				require.Zero(t, w.locks())
				w.check()
			})
		}
	}
}

// A change of the definition waits for those who hold rows of the table, in the
// same queues as they, and does not wait for those who have only read.
func TestST112DefinitionsWaitForRows(t *testing.T) {
	for _, ddl := range []string{"ALTER TABLE t ADD COLUMN x INT", "TRUNCATE TABLE t", "DROP TABLE t", "CREATE INDEX i ON t (w)"} {
		for _, held := range []string{"UPDATE t SET w = 1 WHERE id = 1", "SELECT * FROM t WHERE id = 1 FOR SHARE", "INSERT INTO other SELECT id FROM t"} {
			t.Run(ddl+" after "+held, func(t *testing.T) {
				w := newWorld(t)
				w.numbers("t", 2, "")
				w.exec("CREATE TABLE other (id INT PRIMARY KEY)")
				a, b, c := w.session("a"), w.session("b"), w.session("c")
				a.exec("BEGIN")
				a.exec(held)
				l := b.waits(ddl)
				next := c.waits("INSERT INTO t (id) VALUES (9)") // not before the one that waits
				a.exec("UPDATE t SET w = 2 WHERE id = 2")        // who holds rows goes on
				a.exec("COMMIT")
				l.succeeds()
				if _, err := next.end(); err != nil {
					require.Contains(t, []int{1412, 1146}, errorNumber(err), err.Error())
				}
				require.Zero(t, w.locks())
				w.check()
			})
		}
	}
}
