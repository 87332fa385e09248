package vtab

import (
	"strings"
	"testing"
)

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

// ST-052: a prefix index finds exact rows, each once.
func TestPrefixIndexIsExact(t *testing.T) {
	d := newDatabaseForTest(t)
	s := d.session()
	s.exec("CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(10) COLLATE utf8mb4_bin, KEY k (v(1)))")
	s.exec("INSERT INTO t VALUES (1,'aa'),(2,'ab'),(3,'abc'),(4,'b'),(5,NULL),(6,'')")
	s.exec("CREATE TABLE u (id INT PRIMARY KEY, v VARCHAR(10) COLLATE utf8mb4_bin)")
	s.exec("INSERT INTO u SELECT * FROM t")
	for _, where := range []string{
		"v < 'ab' OR v > 'ab'", "v <> 'ab'", "v NOT BETWEEN 'ab' AND 'abb'", "v = 'ab'", "v >= 'ab'", "v > 'ab'", "v <= 'ab'",
		"v IS NULL", "v IS NOT NULL", "v IN ('aa','abc','zz')", "v LIKE 'ab%'", "v <=> NULL", "v <=> 'ab'",
	} {
		want := s.rows("SELECT id FROM u WHERE %s ORDER BY id", strings.ReplaceAll(where, "%", "%%"))
		s.check("SELECT id FROM t WHERE "+where+" ORDER BY id", want)
	}
	s.check("SELECT /*+ LOOKUP_JOIN(a,b) */ count(*) FROM u a JOIN t b ON a.v = b.v", "[5]\n")
	s.check("SELECT /*+ LOOKUP_JOIN(a,b) */ count(*) FROM u a LEFT JOIN t b ON a.v = b.v", "[6]\n")
}
