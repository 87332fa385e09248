package plugin

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// comparedColumns are the types of the test and values to store.
var comparedColumns = []struct{ typ, values string }{
	{"INT", "0|1|2|-1|-2147483648|2147483647"},
	{"TINYINT UNSIGNED", "0|1|2|255"},
	{"BIGINT", "0|1|-1|9223372036854775807|9007199254740993|9007199254740992|-9223372036854775808"},
	{"BIGINT UNSIGNED", "0|1|9223372036854775807|9223372036854775808|18446744073709551615|9007199254740993"},
	{"DECIMAL(10,3)", "0|1|1.001|-1.5|9999999.999|1.5"},
	{"DOUBLE", "0|1|1.001|-1.5|1e300|1.5|0.1"},
	{"FLOAT", "0|1|1.5|0.1|1.1|-1.5"},
	{"VARCHAR(20) COLLATE utf8mb4_general_ci", "'A'|'a'|'b'|'ABC'|'1'|'1.5'|''|'zz'"},
	{"VARCHAR(20) COLLATE utf8mb4_bin", "'A'|'a'|'b'|'ABC'|'1'|''"},
	{"VARBINARY(20)", "'A'|'a'|'b'|'1'|''"},
	{"ENUM('b','a','1') COLLATE utf8mb4_general_ci", "'a'|'b'|'1'"},
	{"SET('b','a') COLLATE utf8mb4_general_ci", "'a'|'b'|'b,a'|''"},
	{"DATE", "'2020-02-28'|'2020-02-29'|'1999-12-31'"},
	{"DATETIME", "'2020-02-28'|'2020-02-28 10:00:00'|'1999-12-31 23:59:59'"},
	{"DATETIME(3)", "'2020-02-28'|'2020-02-28 10:00:00.5'|'2020-02-28 10:00:00'"},
	{"TIME(2)", "'12:00:00'|'838:59:59'|'-01:00:00'|'12:00:00.5'"},
	{"YEAR", "1999|2020|2000"},
}

// comparedLiterals are what each of them is compared with.
var comparedLiterals = strings.Split("0|1|-1|2|255|256|-129|9223372036854775807|9223372036854775808|18446744073709551615|9007199254740993|"+
	"1.0|1.001|1.0006|1.5|-1.5|99999999999.5|1e0|1.5e0|1e300|0.1e0|-1e300|'1'|'1.5'|'a'|'A'|'b'|'b,a'|'a,b'|'abc'|''|'q'|NULL|TRUE|"+
	"20200228|20200228100000|1999|2020|'a' COLLATE utf8mb4_bin", "|")

// comparedMoments are for columns with dates and times only: MySQL refuses other
// text there.
var comparedMoments = strings.Split("'2020-02-28'|'2020-02-28 10:00:00'|'2020-02-28 10:00:00.5'|'1999-12-31'|20200228|20200228100000|NULL", "|")

var comparedSpans = strings.Split("'12:00:00'|'12:00:00.5'|'12:00:00.123'|'-01:00:00'|'838:59:59'|NULL", "|")

func randomCondition(r *rand.Rand, literals []string) string {
	pick := func() string { return literals[r.Intn(len(literals))] }
	switch r.Intn(10) {
	case 0:
		return "c BETWEEN " + pick() + " AND " + pick()
	case 1, 2:
		list := []string{pick()}
		for n := r.Intn(12); n > 0; n-- {
			list = append(list, pick())
		}
		return "c " + [...]string{"", "NOT "}[r.Intn(2)] + "IN (" + strings.Join(list, ", ") + ")"
	case 3:
		return "c IS " + [...]string{"", "NOT "}[r.Intn(2)] + "NULL"
	case 4:
		return "c NOT BETWEEN " + pick() + " AND " + pick()
	}
	op := [...]string{"=", "<>", "<", "<=", ">", ">=", "<=>"}[r.Intn(7)]
	if r.Intn(4) == 0 {
		return pick() + " " + op + " c"
	}
	return "c " + op + " " + pick()
}

// A condition selects the same rows by an index as by reading the whole table.
func TestIndexAndScanAgree(t *testing.T) {
	seed := time.Now().UnixNano()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewSource(seed))
	s := newShell(t)
	conditionsEach := rounds(60)
	for i, column := range comparedColumns {
		plain, keyed := fmt.Sprintf("plain%d", i), fmt.Sprintf("keyed%d", i)
		var rows []string
		for n, value := range append(strings.Split(column.values, "|"), "NULL") {
			rows = append(rows, fmt.Sprintf("(%d, %s)", n, value))
		}
		key := [...]string{"KEY(c)", "KEY(c DESC)"}[r.Intn(2)]
		s.exec("CREATE TABLE "+plain+" (id INT PRIMARY KEY, c "+column.typ+")", "CREATE TABLE "+keyed+" (id INT PRIMARY KEY, c "+column.typ+", "+key+")",
			"INSERT INTO "+plain+" VALUES "+strings.Join(rows, ", "), "INSERT INTO "+keyed+" VALUES "+strings.Join(rows, ", "))
		literals := comparedLiterals
		switch {
		case strings.HasPrefix(column.typ, "DATE"):
			literals = comparedMoments
		case strings.HasPrefix(column.typ, "TIME"):
			literals = comparedSpans
		}
		for n := 0; n < conditionsEach; n++ {
			condition := randomCondition(r, literals)
			switch r.Intn(3) {
			case 0:
				condition += " AND " + randomCondition(r, literals)
			case 1:
				condition = "(" + condition + " AND id >= 0) AND id < 100"
			}
			scanned, scanErr := idsOf(s, "SELECT id FROM "+plain+" WHERE "+condition+" ORDER BY id")
			found, findErr := idsOf(s, "SELECT id FROM "+keyed+" WHERE "+condition+" ORDER BY id")
			negated, negateErr := idsOf(s, "SELECT id FROM "+plain+" WHERE ("+condition+") IS TRUE ORDER BY id")
			require.NoError(t, scanErr, "%s: %s", column.typ, condition)
			require.NoError(t, findErr, "%s: %s", column.typ, condition)
			require.NoError(t, negateErr, "%s: %s", column.typ, condition)
			require.Equal(t, scanned, found, "%s: %s", column.typ, condition)
			require.Equal(t, scanned, negated, "%s: (%s) IS TRUE", column.typ, condition)
		}
	}
}

func idsOf(s *shell, query string) (string, error) {
	_, rows, err := s.query(query)
	ids := make([]string, len(rows))
	for i, row := range rows {
		ids[i] = fmt.Sprint(row[0])
	}
	return strings.Join(ids, " "), err
}

// <=> finds NULLs by every kind of join.
func TestNullSafeJoins(t *testing.T) {
	s := newShell(t)
	s.exec("CREATE TABLE a(id INT PRIMARY KEY, c INT, s VARCHAR(9), KEY(c), KEY(s))", "CREATE TABLE b(id INT PRIMARY KEY, c INT, s VARCHAR(9), KEY(c), KEY(s))",
		"INSERT INTO a VALUES (1,1,'abc'),(2,NULL,NULL),(3,3,'x'),(4,NULL,'y')", "INSERT INTO b VALUES (1,1,'abc'),(2,NULL,NULL),(3,7,'x'),(4,NULL,'abd')")
	for _, hint := range []string{"", "LOOKUP_JOIN(a,b)", "HASH_JOIN(a,b)", "MERGE_JOIN(a,b)", "INNER_JOIN(a,b)"} {
		query := "SELECT /*+ " + hint + " */ a.id, b.id FROM a "
		s.is("1 | 1\n2 | 2\n2 | 4\n3 | NULL\n4 | 2\n4 | 4", query+"LEFT JOIN b ON a.c <=> b.c ORDER BY a.id, b.id")
		s.is("1 | 1\n2 | 2\n2 | 4\n4 | 2\n4 | 4", query+"JOIN b ON a.c <=> b.c ORDER BY a.id, b.id")
		s.is("1 | 1", query+"JOIN b ON a.c = b.c ORDER BY a.id, b.id")
		s.is("1 | 1\n2 | 2\n3 | 3\n4 | NULL", query+"LEFT JOIN b ON a.s <=> b.s ORDER BY a.id, b.id")
	}
}
