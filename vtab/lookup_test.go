package vtab

import "testing"

func TestEmptyRanges(t *testing.T) {
	d := newDatabaseForTest(t)
	s := d.session()
	s.exec("CREATE TABLE t (i TINYINT PRIMARY KEY, k INT, KEY (k))")
	s.exec("INSERT INTO t VALUES (1,1),(2,2),(3,NULL)")
	for _, q := range []string{
		"SELECT * FROM t WHERE i = 1 AND i = 2",
		"SELECT * FROM t WHERE i = 999",
		"SELECT * FROM t WHERE i > 999",
		"SELECT * FROM t WHERE k < NULL",
		"SELECT * FROM t WHERE k BETWEEN 5 AND 4",
	} {
		s.check(q, "")
	}
	s.check("SELECT i FROM t WHERE k IS NULL", "[3]\n")
	s.check("SELECT i FROM t WHERE k IS NOT NULL ORDER BY k DESC", "[2]\n[1]\n")
	s.exec("ALTER TABLE t ADD COLUMN v INT NOT NULL DEFAULT 3")
	s.exec("ALTER TABLE t ALTER v DROP DEFAULT")
	if _, err := s.try("INSERT INTO t (i) VALUES (9)"); err == nil {
		t.Fatal("a column without default was filled")
	}
}
