package plugin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	engine "github.com/dolthub/go-mysql-server/sql"
	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/plugin/parser"
)

// insertedColumns are columns of every type, and literals for them, good and bad.
var insertedColumns = []struct{ definition, literals string }{
	{"TINYINT", "0|1|-128|127|128|'5'|1.5|NULL|1e1|007"},
	{"SMALLINT UNSIGNED", "0|65535|65536|-1|NULL"},
	{"MEDIUMINT", "-8388608|8388607|8388608|NULL"},
	{"INT NOT NULL", "1|-2147483648|2147483648|NULL|'x'"},
	{"INT NOT NULL DEFAULT 7", "1|NULL"},
	{"BIGINT UNSIGNED DEFAULT 5", "18446744073709551615|18446744073709551616|-1|NULL"},
	{"BIGINT", "-9223372036854775808|9223372036854775807|9223372036854775808|0x1f"},
	{"DECIMAL(8,2) DEFAULT 1.25", "1|-1.5|.5|1.|1.005|999999.99|1000000|1e2|'1.5'|-0|-0.0|NULL"},
	{"DOUBLE", "1|1.5|-1.5e300|1e400|-0|0|0.0|'2.5'|NULL|.1"},
	{"FLOAT", "1.5|0.1|1|NULL"},
	{"VARCHAR(5)", `'abc'|''|'abcdef'|'äöüäö'|'äöüäöü'|'it''s'|'a\nb'|'\%'|'a  '|"dq"|5|1.5|NULL|_utf8mb4'q'|'a' 'b'`},
	{"VARCHAR(5) NOT NULL DEFAULT 'dflt'", `'abc'|NULL|'\0\Z'`},
	{"CHAR(3) COLLATE utf8mb4_general_ci", "'ab'|'ab '|'abcd'|NULL"},
	{"VARCHAR(5) CHARACTER SET latin1", "'ab'|'é'|'日'"},
	{"TEXT", "'long text'|NULL|12"},
	{"VARBINARY(4)", `'ab'|'\0\1'|'abcde'|x'4142'|NULL`},
	{"BINARY(3)", "'a'|'abc'|'abcd'"},
	{"BLOB", "'blob'|NULL|5"},
	{"DATE", "'2024-02-29'|'2023-02-29'|'2024-02-29 10:00:00'|'0000-00-00'|'24-2-9'|20240229|NULL"},
	{"DATETIME", "'2024-02-29 23:59:59'|'2024-02-29'|'2024-02-29 23:59:59.6'|'2024-13-01'|'x'|NULL|'2024-02-29T10:00:00'"},
	{"DATETIME(3) DEFAULT CURRENT_TIMESTAMP(3)", "'2024-02-29 23:59:59'|'2024-02-29 23:59:59.1239'"},
	{"TIMESTAMP NULL", "'2024-02-29 23:59:59'|'1969-01-01'|NULL"},
	{"TIME", "'10:00:00'|'-838:59:59'|'x'|101010"},
	{"YEAR", "2024|'2024'|24|1800"},
	{"ENUM('a','b') NOT NULL", "'a'|'B'|'c'|1|NULL"},
	{"SET('a','b')", "'a'|'b,a'|'c'|''|3"},
	{"JSON", `'{"a": 1}'|'x'|NULL`},
	{"BIT(4)", "5|b'101'|16"},
	{"INT DEFAULT (1 + 2)", "4"},
	{"VARCHAR(36) DEFAULT (CONCAT('a', 'b'))", "'x'"},
}

// outcome is everything that a client sees of a statement.
func outcome(s *shell, ctx context.Context, statement string) string {
	if err := engine.SessionCommandBegin(s.session); err != nil {
		return err.Error()
	}
	result, err := func() (string, error) {
		defer engine.SessionCommandEnd(s.session)
		s.ctx = s.db.NewContext(ctx, s.session)
		schema, rows, _, err := s.db.Engine().Query(s.ctx, statement)
		if err != nil {
			return "", err
		}
		var seen []string
		for _, c := range schema {
			seen = append(seen, fmt.Sprintf("%s %s %s %v", c.Source, c.Name, c.Type, c.Nullable))
		}
		for {
			row, err := rows.Next(s.ctx)
			if errors.Is(err, io.EOF) {
				return strings.Join(seen, "; "), rows.Close(s.ctx)
			}
			if err != nil {
				return "", errors.Join(err, rows.Close(s.ctx))
			}
			seen = append(seen, fmt.Sprintf("%+v", row))
		}
	}()
	if err != nil {
		return "error: " + err.Error()
	}
	return result + " warnings: " + s.warnings() + " " + s.text("SELECT ROW_COUNT(), LAST_INSERT_ID()")
}

// An INSERT of literals does what the engine does with it: same rows, counts, ids,
// warnings and errors. The oracle is the engine, given the same statement as a tree.
func TestInsertOfLiterals(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	direct := newShell(t)
	direct.exec("CREATE DATABASE e")
	byEngine := direct.other()
	byEngine.exec("USE e")
	const tables, statements = 40, 25
	for n := range tables {
		var definitions, names []string
		literals := map[string][]string{}
		add := func(name, definition, values string) {
			definitions = append(definitions, name+" "+definition)
			names = append(names, name)
			literals[name] = strings.Split(values, "|")
		}
		id := "BIGINT PRIMARY KEY"
		if n%2 == 0 {
			id = "BIGINT PRIMARY KEY AUTO_INCREMENT"
		}
		add("id", id, "1|2|3|4|5|6|7|8|9|10|20|30|NULL|0|-1|'11'")
		for c := range 1 + r.IntN(5) {
			column := insertedColumns[r.IntN(len(insertedColumns))]
			add(fmt.Sprintf("c%d", c), column.definition, column.literals)
		}
		if n%3 == 0 {
			add("u", "INT UNIQUE", "1|2|3|4|5|6|7|8|NULL")
		}
		create := fmt.Sprintf("CREATE TABLE t%d (%s)", n, strings.Join(definitions, ", "))
		direct.exec(create)
		byEngine.exec(create)
		for range statements {
			if r.IntN(8) == 0 {
				mode := [...]string{"DEFAULT", "''", "'STRICT_ALL_TABLES,NO_AUTO_VALUE_ON_ZERO'", "'STRICT_TRANS_TABLES,ANSI_QUOTES'", "'STRICT_TRANS_TABLES,NO_BACKSLASH_ESCAPES'"}[r.IntN(5)]
				direct.exec("SET sql_mode = " + mode)
				byEngine.exec("SET sql_mode = " + mode)
			}
			statement := randomInsert(r, fmt.Sprintf("t%d", n), names, literals)
			want := outcome(byEngine, parser.WithTrees(context.Background()), statement)
			got := outcome(direct, context.Background(), statement)
			require.Equal(t, withoutMoments(want), withoutMoments(got), "%s\n%s", create, statement)
		}
		rows := fmt.Sprintf("SELECT * FROM t%d ORDER BY id", n)
		require.Equal(t, withoutMoments(byEngine.text(rows)), withoutMoments(direct.text(rows)), create)
	}
}

// withoutMoments hides the present time: the two sides insert one after the other.
func withoutMoments(text string) string {
	year := engine.NewEmptyContext().QueryTime().Format("2006-")
	for {
		at := strings.Index(text, year)
		if at < 0 || len(text) < at+len("2006-01-02 15:04:05.999") {
			return text
		}
		text = text[:at] + "now" + text[at+len("2006-01-02 15:04:05.999"):]
	}
}

// randomInsert inserts up to four rows into some of the columns.
func randomInsert(r *rand.Rand, table string, names []string, literals map[string][]string) string {
	columns := names
	named := ""
	if r.IntN(2) == 0 {
		columns = nil
		for _, i := range r.Perm(len(names)) {
			if r.IntN(3) > 0 || names[i] == "id" {
				columns = append(columns, names[i])
			}
		}
		named = " (" + strings.Join(columns, ",") + ")"
	}
	var rows []string
	for range 1 + r.IntN(4) {
		var values []string
		for _, c := range columns {
			// The first literal is a good one: most statements succeed.
			choice := literals[c]
			value := choice[0]
			if c == "id" || r.IntN(3) == 0 {
				value = choice[r.IntN(len(choice))]
			}
			values = append(values, value)
		}
		rows = append(rows, "("+strings.Join(values, ", ")+")")
	}
	return "INSERT INTO " + table + named + " VALUES " + strings.Join(rows, ", ")
}

// A row of literals costs little more than the row: no tree, no plan.
func TestInsertOfLiteralsIsCheap(t *testing.T) {
	s := newShell(t)
	s.exec("CREATE TABLE t (id INT PRIMARY KEY, n INT, v VARCHAR(40), d DATETIME, KEY (n))")
	const rows = 1000
	next := 0
	statement := func() string {
		var b strings.Builder
		b.WriteString("INSERT INTO t VALUES ")
		for i := range rows {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, "(%d,%d,'value','2024-01-01 10:00:00')", next, next%7)
			next++
		}
		return b.String()
	}
	const runs = 5
	var texts []string
	for range runs + 1 {
		texts = append(texts, statement())
	}
	each := testing.AllocsPerRun(runs, func() {
		s.exec(texts[0])
		texts = texts[1:]
	}) / rows
	require.Less(t, each, 30.0, "allocations for each row")
}

// What surrounds an INSERT of literals holds for it too.
func TestInsertOfLiteralsAmongOthers(t *testing.T) {
	s := newShell(t)
	s.exec("CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, v VARCHAR(10))", "CREATE TABLE log (v VARCHAR(10))")
	s.exec("INSERT INTO t (v) VALUES ('a'),('b')")
	s.is("1 | a\n2 | b", "SELECT * FROM t")
	// A failure at the third row leaves nothing, also of an open transaction's statement.
	s.exec("BEGIN", "INSERT INTO t VALUES (10,'x')")
	s.fails(1062, "INSERT INTO t VALUES (11,'y'),(12,'y'),(10,'z')")
	s.fails(1406, "INSERT INTO t VALUES (13,'much too long')")
	s.is("1 | a\n2 | b\n10 | x", "SELECT * FROM t ORDER BY id")
	s.exec("ROLLBACK")
	s.is("2", "SELECT COUNT(*) FROM t")
	// Under autocommit a statement that the engine had to finish is committed.
	s.exec("INSERT INTO t (id, v) VALUES ('20', 'c')")
	s.is("1", "SELECT COUNT(*) FROM t WHERE id = 20")
	s.other().is("1", "SELECT COUNT(*) FROM t WHERE id = 20")
	// Read-only transactions, unknown tables and columns.
	s.exec("START TRANSACTION READ ONLY")
	s.fails(1792, "INSERT INTO t VALUES (30,'x')")
	s.exec("ROLLBACK")
	s.fails(1146, "INSERT INTO nowhere VALUES (1)")
	s.fails(1136, "INSERT INTO t VALUES (1)")
	s.fails(1054, "INSERT INTO t (id, w) VALUES (1,2)")
	s.fails(1110, "INSERT INTO t (id, id) VALUES (1,2)")
	s.fails(1064, "INSERT INTO t VALUES (50,2) 5")
	// A temporary table hides the other.
	s.exec("CREATE TEMPORARY TABLE t (id INT PRIMARY KEY, v INT)", "INSERT INTO t VALUES (1,5)")
	s.is("1 | 5", "SELECT * FROM t")
	s.exec("DROP TEMPORARY TABLE t")
	s.is("3", "SELECT COUNT(*) FROM t")
	// Triggers, CHECKs and foreign keys that come later.
	s.exec("CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW SET NEW.v = UPPER(NEW.v)", "INSERT INTO t VALUES (40,'q')")
	s.is("Q", "SELECT v FROM t WHERE id = 40")
	s.exec("DROP TRIGGER g", "ALTER TABLE t ADD CONSTRAINT small CHECK (id < 100)")
	s.fails(3819, "INSERT INTO t VALUES (100,'q')")
	s.exec("ALTER TABLE t DROP CONSTRAINT small", "CREATE TABLE p (id INT PRIMARY KEY)", "INSERT INTO p VALUES (1)",
		"CREATE TABLE c (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES p (id))")
	s.fails(1452, "INSERT INTO c VALUES (1,2)")
	s.exec("INSERT INTO c VALUES (1,1)")
	// In procedures and prepared statements, over a change of the table.
	s.exec("CREATE PROCEDURE put() BEGIN INSERT INTO log VALUES ('p'); INSERT INTO log VALUES ('q'); END", "CALL put()")
	s.is("p\nq", "SELECT v FROM log")
	s.exec("PREPARE q FROM 'INSERT INTO log VALUES (''r'')'", "ALTER TABLE log ADD CONSTRAINT r CHECK (v <> 'r')")
	s.fails(3819, "EXECUTE q")
	s.exec("ALTER TABLE log DROP CONSTRAINT r", "EXECUTE q")
	s.is("1", "SELECT COUNT(*) FROM log WHERE v = 'r'")
	s.exec("ALTER TABLE log ADD COLUMN w INT DEFAULT 3", "INSERT INTO log (v) VALUES ('s')")
	s.is("s | 3", "SELECT * FROM log WHERE v = 's'")
	s.exec("ALTER TABLE log ALTER COLUMN w SET DEFAULT 4", "INSERT INTO log (v) VALUES ('u')")
	s.is("u | 4", "SELECT * FROM log WHERE v = 'u'")
}
