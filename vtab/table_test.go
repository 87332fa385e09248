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
