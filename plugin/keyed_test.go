package plugin

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/plugin/parser"
)

// A SELECT or UPDATE of one row does what the engine does with it. The oracle is the
// engine, given the same statement as a tree.
func TestKeyedStatements(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	direct := newShell(t)
	direct.exec("CREATE DATABASE e")
	byEngine := direct.other()
	byEngine.exec("USE e")
	const tables, statements = 30, 40
	for n := range tables {
		definitions := []string{"id " + [...]string{"INT", "BIGINT UNSIGNED", "TINYINT", "SMALLINT UNSIGNED AUTO_INCREMENT", "MEDIUMINT"}[n%5] + " PRIMARY KEY"}
		names := []string{"id"}
		literals := map[string][]string{"id": strings.Split("1|2|3|4|5|6|-1|0|300|'3'|NULL|2.0|1e0|9999999999999999999|18446744073709551615", "|")}
		columns := append([]struct{ definition, literals string }{{"INT", "1|-2147483648|2147483647|NULL|'7'"}, {"BIGINT UNSIGNED NOT NULL DEFAULT 0", "0|1|18446744073709551615|NULL"},
			{"TINYINT", "127|-128|0|NULL"}, {"INT UNIQUE", "1|2|3|NULL"}}, insertedColumns...)
		for c := range 2 + r.IntN(4) {
			column := columns[r.IntN(len(columns))]
			if c == 0 {
				column = columns[r.IntN(4)]
			}
			name := fmt.Sprintf("c%d", c)
			definitions = append(definitions, name+" "+column.definition)
			names = append(names, name)
			literals[name] = strings.Split(column.literals, "|")
		}
		create := fmt.Sprintf("CREATE TABLE t%d (%s)", n, strings.Join(definitions, ", "))
		both := func(statement string) {
			t.Helper()
			want := outcome(byEngine, parser.WithTrees(context.Background()), statement)
			got := outcome(direct, context.Background(), statement)
			require.Equal(t, withoutMoments(want), withoutMoments(got), "%s\n%s", create, statement)
		}
		direct.exec(create)
		byEngine.exec(create)
		pick := func(name string) string { return literals[name][r.IntN(len(literals[name]))] }
		for id := range 6 {
			values := []string{fmt.Sprint(id + 1)}
			for _, name := range names[1:] {
				values = append(values, pick(name))
			}
			both(fmt.Sprintf("INSERT INTO t%d VALUES (%s)", n, strings.Join(values, ", ")))
		}
		for range statements {
			key := fmt.Sprint(1 + r.IntN(7))
			if r.IntN(4) == 0 {
				key = pick("id")
			}
			switch r.IntN(8) {
			case 0, 1:
				both(fmt.Sprintf("SELECT * FROM t%d WHERE id = %s", n, key))
			case 2, 3:
				both(fmt.Sprintf("select %s, ID from `t%d` where `id`=%s;", names[r.IntN(len(names))], n, key))
			default:
				var sets []string
				for range 1 + r.IntN(3) {
					name := names[r.IntN(len(names))]
					value := pick(name)
					if r.IntN(3) == 0 {
						value = name + [...]string{" + ", "-", " - ", "+"}[r.IntN(4)] + [...]string{"1", "2", "127", "2147483648", "9223372036854775807", "1.5", "-3", " -1", "-9223372036854775808"}[r.IntN(9)]
					}
					sets = append(sets, name+" = "+value)
				}
				both(fmt.Sprintf("UPDATE t%d SET %s WHERE id = %s", n, strings.Join(sets, ", "), key))
			}
		}
		rows := fmt.Sprintf("SELECT * FROM t%d ORDER BY id", n)
		require.Equal(t, withoutMoments(byEngine.text(rows)), withoutMoments(direct.text(rows)), create)
	}
}

// What surrounds a statement on one row holds for it, too.
func TestKeyedStatementsAmongOthers(t *testing.T) {
	s := newShell(t)
	s.exec("CREATE TABLE t (id INT PRIMARY KEY, v INT, s VARCHAR(10))", "INSERT INTO t VALUES (1,10,'a'),(2,20,'b')")
	s.exec("BEGIN", "UPDATE t SET v = v + 1 WHERE id = 1")
	s.is("11", "SELECT v FROM t WHERE id = 1")
	s.other().is("10", "SELECT v FROM t WHERE id = 1")
	s.fails(1406, "UPDATE t SET v = 5, s = 'much too long' WHERE id = 1")
	s.is("1 | 11 | a", "SELECT * FROM t WHERE id = 1")
	s.exec("ROLLBACK")
	s.is("10", "SELECT v FROM t WHERE id = 1")
	s.exec("START TRANSACTION READ ONLY")
	s.fails(1792, "UPDATE t SET v = 5 WHERE id = 1")
	s.fails(1792, "UPDATE t SET v = 5 WHERE id = 77")
	s.is("b", "SELECT s FROM t WHERE id = 2")
	s.exec("ROLLBACK")
	s.fails(1146, "SELECT * FROM nowhere WHERE id = 1")
	s.fails(1054, "SELECT w FROM t WHERE id = 1")
	s.fails(1054, "UPDATE t SET w = 1 WHERE id = 1")
	s.fails(1054, "UPDATE t SET v = 1 WHERE k = 1")
	s.fails(1064, "UPDATE t SET v = 1 WHERE id = 1 1")
	s.fails(1690, "UPDATE t SET v = v + 9223372036854775807 WHERE id = 1")
	s.exec("SET sql_select_limit = 0")
	s.is("", "SELECT v FROM t WHERE id = 1")
	s.exec("SET sql_select_limit = DEFAULT")
	// The definition changes, and another table takes the name.
	s.exec("ALTER TABLE t ADD COLUMN w INT DEFAULT 7 FIRST")
	s.is("7 | 1 | 10 | a", "SELECT * FROM t WHERE id = 1")
	s.exec("CREATE TEMPORARY TABLE t (id INT PRIMARY KEY, q INT)", "INSERT INTO t VALUES (1,5)", "UPDATE t SET q = 6 WHERE id = 1")
	s.is("1 | 6", "SELECT * FROM t WHERE id = 1")
	s.exec("DROP TEMPORARY TABLE t")
	s.is("7 | 1 | 10 | a", "SELECT * FROM t WHERE id = 1")
	s.exec("RENAME TABLE t TO u", "CREATE VIEW t AS SELECT v AS id, s FROM u")
	s.is("10 | a", "SELECT * FROM t WHERE id = 10")
	s.exec("DROP VIEW t", "RENAME TABLE u TO t")
	// Triggers, CHECKs, generated columns, ON UPDATE and foreign keys that come later.
	s.exec("CREATE TRIGGER g BEFORE UPDATE ON t FOR EACH ROW SET NEW.s = 'trig'", "UPDATE t SET v = 1 WHERE id = 1")
	s.is("7 | 1 | 1 | trig", "SELECT * FROM t WHERE id = 1")
	s.exec("DROP TRIGGER g", "ALTER TABLE t ADD CONSTRAINT small CHECK (v < 100)")
	s.fails(3819, "UPDATE t SET v = 100 WHERE id = 1")
	s.exec("ALTER TABLE t DROP CONSTRAINT small", "ALTER TABLE t ADD COLUMN twice INT AS (v * 2)", "UPDATE t SET v = 4 WHERE id = 1")
	s.is("8", "SELECT twice FROM t WHERE id = 1")
	s.exec("ALTER TABLE t DROP COLUMN twice", "ALTER TABLE t ADD UNIQUE (v)", "CREATE TABLE c (id INT PRIMARY KEY, v INT, FOREIGN KEY (v) REFERENCES t (v) ON UPDATE CASCADE)",
		"INSERT INTO c VALUES (1,4)", "UPDATE t SET v = 9 WHERE id = 1")
	s.is("9", "SELECT v FROM c WHERE id = 1")
	s.fails(1452, "UPDATE c SET v = 77 WHERE id = 1")
	s.fails(1062, "UPDATE t SET v = 20 WHERE id = 1")
}

// Prepared on the server they run as others do, and ask for the same rights.
func TestKeyedStatementsOfClients(t *testing.T) {
	s := newTestServer(t, ServerOptions{})
	db := s.open("", "")
	exec(t, db, "CREATE DATABASE d", "CREATE TABLE d.t (id INT PRIMARY KEY, v INT)", "INSERT INTO d.t VALUES (1,10)", "CREATE TABLE d.o (id INT PRIMARY KEY, v INT)",
		"CREATE USER u IDENTIFIED BY ''", "GRANT SELECT ON d.o TO u")
	db = s.open("d", "interpolateParams=false")
	for i, statement := range []string{"UPDATE t SET v = v + 1 WHERE id = 1", "SELECT v FROM t WHERE id = 1"} {
		prepared, err := db.Prepare(statement)
		require.NoError(t, err)
		for n := range 3 {
			if i == 0 {
				_, err := prepared.Exec()
				require.NoError(t, err)
				continue
			}
			var v int
			require.NoError(t, prepared.QueryRow().Scan(&v))
			require.Equal(t, 13, v, "execution %d", n)
		}
		require.NoError(t, prepared.Close())
	}
	u := openAs(t, s, "u", "d")
	for _, statement := range []string{"SELECT v FROM t WHERE id = 1", "UPDATE t SET v = 1 WHERE id = 1", "UPDATE o SET v = 1 WHERE id = 1"} {
		_, err := u.Exec(statement)
		require.ErrorContains(t, err, "1142", statement)
	}
	_, err := u.Exec("SELECT v FROM o WHERE id = 1")
	require.NoError(t, err)
}
