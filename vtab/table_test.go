package vtab

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTableBasics(t *testing.T) {
	d := newDatabaseForTest(t)
	s := d.session()
	s.exec("CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20), n DECIMAL(10,2), KEY (v), UNIQUE KEY (n))")
	s.exec("INSERT INTO t VALUES (3,'c',3.5),(1,'a',1.5),(2,'b',NULL)")
	s.check("SELECT * FROM t", "[1,a,1.50]\n[2,b,<nil>]\n[3,c,3.50]\n")
	s.check("SELECT id FROM t WHERE v = 'b'", "[2]\n")
	s.check("SELECT v FROM t WHERE v >= 'b' ORDER BY v DESC", "[c]\n[b]\n")
	s.check("SELECT count(*) FROM t", "[3]\n")
	_, err := s.try("INSERT INTO t VALUES (4,'d',1.5)")
	require.Error(t, err)
	s.exec("UPDATE t SET v = 'z', id = 10 WHERE id = 1")
	s.check("SELECT * FROM t WHERE v = 'z'", "[10,z,1.50]\n")
	s.check("SELECT * FROM t WHERE v = 'a'", "")
	s.exec("DELETE FROM t WHERE id = 2")
	s.check("SELECT count(*) FROM t", "[2]\n")
	d = d.reopen()
	s = d.session()
	s.check("SELECT * FROM t", "[3,c,3.50]\n[10,z,1.50]\n")
	s.exec("ALTER TABLE t ADD COLUMN x INT NOT NULL DEFAULT 7 AFTER id, ADD INDEX (x)")
	s.check("SELECT * FROM t WHERE x = 7", "[3,7,c,3.50]\n[10,7,z,1.50]\n")
	s.exec("ALTER TABLE t DROP COLUMN n")
	s.check("SELECT * FROM t", "[3,7,c]\n[10,7,z]\n")
	s.exec("TRUNCATE t")
	s.check("SELECT * FROM t", "")
	s.check("SELECT count(*) FROM t", "[0]\n")
	s.exec("DROP TABLE t")
}

// The engine makes the schema of a join by appending to that of its first table, which
// all sessions share.
func TestSharedSchemasHaveNoRoom(t *testing.T) {
	d := newDatabaseForTest(t)
	s := d.session()
	s.exec("CREATE TABLE t (a INT PRIMARY KEY, b INT, c INT, d INT, e INT)")
	db, err := d.gms.Analyzer.Catalog.Database(s.ctx, "d")
	require.NoError(t, err)
	table, ok, err := db.GetTableInsensitive(s.ctx, "t")
	require.NoError(t, err)
	require.True(t, ok)
	schema := table.Schema(s.ctx)
	require.Len(t, schema, 5)
	require.Equal(t, 5, cap(schema))
	require.Equal(t, 5, cap(table.(*Table).PrimaryKeySchema(s.ctx).Schema))
}

// A rename leaves what rows store as it is, also of an indexed virtual column.
func TestRenameBesideStoredVirtualColumn(t *testing.T) {
	d := newDatabaseForTest(t)
	s := d.session()
	s.exec("CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT AS (a+1) VIRTUAL, KEY (b))")
	s.exec("INSERT INTO t (id,a) VALUES (1,1)")
	s.exec("ALTER TABLE t RENAME COLUMN a TO aa")
	s.check("SELECT * FROM t", "[1,1,2]\n")
	s.exec("INSERT INTO t (id,aa) VALUES (2,5)")
	s.check("SELECT id FROM t WHERE b = 6", "[2]\n")
	s.exec("ALTER TABLE t DROP INDEX b")
	s.exec("INSERT INTO t (id,aa) VALUES (3,7)")
	s.check("SELECT * FROM t", "[1,1,2]\n[2,5,6]\n[3,7,8]\n")
}

// ST-081, ST-082: rows that a statement meets again after it has removed them.
func TestRowsMetTwice(t *testing.T) {
	d := newDatabaseForTest(t)
	s := d.session()
	s.exec("CREATE TABLE q (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES q (id) ON DELETE CASCADE)")
	s.exec("INSERT INTO q VALUES (1,NULL),(2,1),(3,1)")
	s.exec("DELETE FROM q WHERE id > 0")
	s.check("SELECT count(*) FROM q", "[0]\n")
	s.exec("CREATE TABLE a (id INT PRIMARY KEY)")
	s.exec("CREATE TABLE b (id INT PRIMARY KEY, m INT)")
	s.exec("INSERT INTO a VALUES (1),(2)")
	s.exec("INSERT INTO b VALUES (1,1),(2,1),(3,2)")
	s.exec("DELETE a FROM a JOIN b ON a.id = b.m")
	s.check("SELECT count(*) FROM a", "[0]\n")
}
