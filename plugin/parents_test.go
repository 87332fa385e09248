package plugin

import "testing"

// The parent of a foreign key without a database is in the child's, not in the
// current one.
func TestForeignKeyParentDatabase(t *testing.T) {
	s := newShell(t)
	s.exec("CREATE DATABASE co", "CREATE DATABASE cc", "USE co", "CREATE TABLE par(id INT PRIMARY KEY)", "INSERT INTO par VALUES (1)",
		"CREATE TABLE cc.par(id INT PRIMARY KEY)", "INSERT INTO cc.par VALUES (2)",
		"CREATE TABLE cc.c(id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES par(id))",
		"CREATE TABLE cc.a(id INT PRIMARY KEY, p INT, q INT)", "ALTER TABLE cc.a ADD COLUMN r INT, ADD CONSTRAINT k FOREIGN KEY (p) REFERENCES par(id), ADD FOREIGN KEY (q) REFERENCES co.par(id)",
		"INSERT INTO cc.c VALUES (1, 2)", "INSERT INTO cc.a(id, p, q) VALUES (1, 2, 1)")
	s.fails(1452, "INSERT INTO cc.c VALUES (2, 1)")
	s.fails(1452, "INSERT INTO cc.a(id, p) VALUES (2, 1)")
	s.fails(1452, "INSERT INTO cc.a(id, q) VALUES (2, 2)")
	s.is("c | p | cc | par | id", "SELECT table_name, column_name, referenced_table_schema, referenced_table_name, referenced_column_name FROM information_schema.key_column_usage WHERE constraint_schema = 'cc' AND table_name = 'c' AND referenced_table_name IS NOT NULL")
	s.exec("CREATE TABLE plain(p INT, FOREIGN KEY (p) REFERENCES par(id))", "INSERT INTO plain VALUES (1)")
	s.fails(1452, "INSERT INTO plain VALUES (2)")
	s.fails(1146, "CREATE TABLE co.d(p INT, FOREIGN KEY (p) REFERENCES only(id))")
	s.exec("CREATE TABLE cc.only(id INT PRIMARY KEY)", "USE cc")
	s.fails(1146, "CREATE TABLE co.d(p INT, FOREIGN KEY (p) REFERENCES only(id))")
}
