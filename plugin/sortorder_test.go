package plugin

import "testing"

// The order of an index is not that of a join of a table with itself, nor of the
// rows that an outer join adds.
func TestOrderOfJoins(t *testing.T) {
	s := newShell(t)
	s.exec("CREATE TABLE e(id INT PRIMARY KEY, boss INT, KEY(boss))",
		"INSERT INTO e VALUES (1,NULL),(2,1),(3,2),(4,2),(5,1),(6,5),(7,2)",
		"CREATE TABLE f(id INT PRIMARY KEY, e INT, KEY(e))", "INSERT INTO f VALUES (1,7),(2,1),(3,3)")
	ids := "1\n2\n3\n4\n5\n6\n7"
	s.is(ids, "SELECT a.id FROM e a LEFT JOIN e b ON b.id = a.boss ORDER BY a.id")
	s.is("2\n3\n4\n5\n6\n7", "SELECT a.id FROM e a JOIN e b ON b.id = a.boss ORDER BY a.id")
	s.is("1\n1\n2\n2\n2\n5", "SELECT b.id FROM e a JOIN e b ON b.id = a.boss ORDER BY b.id")
	s.is("7\n6\n5\n4\n3\n2\n1", "SELECT a.id FROM e a LEFT JOIN e b ON b.id = a.boss ORDER BY a.id DESC")
	s.is("NULL\nNULL\nNULL\nNULL\n1\n3\n7", "SELECT /*+ MERGE_JOIN(e,f) */ f.e FROM e LEFT JOIN f ON f.e = e.id ORDER BY f.e")
	s.is("7\n3\n1\nNULL\nNULL\nNULL\nNULL", "SELECT /*+ MERGE_JOIN(e,f) */ f.e FROM e LEFT JOIN f ON f.e = e.id ORDER BY f.e DESC")
}
