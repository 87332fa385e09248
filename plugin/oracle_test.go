package plugin

import (
	"fmt"
	"math/big"
	"math/rand"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The test computes which rows a condition selects from MySQL's rules alone: numbers
// that are doubles, and numbers with text, are compared as doubles, all others
// exactly; NULL makes unknown what nothing else decides.

// oracleValue is a value of a row or of a literal, as a number.
type oracleValue struct {
	null    bool
	inexact bool // a double, a float or text
	exact   *big.Rat
	double  float64
}

// truth of a condition: false, true or unknown.
type truth int

const (
	isFalse truth = iota
	isTrue
	unknown
)

func (t truth) not() truth {
	return [...]truth{isTrue, isFalse, unknown}[t]
}

func (t truth) and(u truth) truth {
	switch {
	case t == isFalse || u == isFalse:
		return isFalse
	case t == unknown || u == unknown:
		return unknown
	}
	return isTrue
}

func (t truth) or(u truth) truth { return t.not().and(u.not()).not() }

func truthOf(b bool) truth {
	if b {
		return isTrue
	}
	return isFalse
}

// oracleNumber reads a literal, or the value of a column of the type.
func oracleNumber(t *testing.T, typ, text string) oracleValue {
	t.Helper()
	if text == "NULL" {
		return oracleValue{null: true}
	}
	v := oracleValue{inexact: typ == "DOUBLE" || typ == "FLOAT" || strings.ContainsAny(text, "'eE")}
	text = strings.Trim(text, "'")
	var ok bool
	v.exact, ok = new(big.Rat).SetString(text)
	require.True(t, ok, text)
	var err error
	v.double, err = strconv.ParseFloat(text, 64)
	require.NoError(t, err)
	if typ == "FLOAT" {
		v.double = float64(float32(v.double))
	}
	return v
}

func oracleOrder(a, b oracleValue) int {
	if !a.inexact && !b.inexact {
		return a.exact.Cmp(b.exact)
	}
	switch {
	case a.double < b.double:
		return -1
	case a.double > b.double:
		return 1
	}
	return 0
}

func oracleCompare(op string, a, b oracleValue) truth {
	if op == "<=>" {
		if a.null || b.null {
			return truthOf(a.null && b.null)
		}
		return truthOf(oracleOrder(a, b) == 0)
	}
	if a.null || b.null {
		return unknown
	}
	order := oracleOrder(a, b)
	return truthOf(map[string]bool{"=": order == 0, "<>": order != 0, "<": order < 0, "<=": order <= 0, ">": order > 0, ">=": order >= 0}[op])
}

// oracleCondition is a condition on column c with its own evaluation.
type oracleCondition struct {
	text string
	of   func(c oracleValue) truth
}

func randomOracle(t *testing.T, r *rand.Rand, literals []string) oracleCondition {
	pick := func() (string, oracleValue) {
		text := literals[r.Intn(len(literals))]
		return text, oracleNumber(t, "", text)
	}
	switch r.Intn(8) {
	case 0:
		lower, l := pick()
		upper, u := pick()
		return oracleCondition{"c BETWEEN " + lower + " AND " + upper, func(c oracleValue) truth {
			return oracleCompare(">=", c, l).and(oracleCompare("<=", c, u))
		}}
	case 1, 2:
		var texts []string
		var values []oracleValue
		for n := r.Intn(12) + 1; n > 0; n-- {
			text, value := pick()
			texts, values = append(texts, text), append(values, value)
		}
		return oracleCondition{"c IN (" + strings.Join(texts, ", ") + ")", func(c oracleValue) truth {
			found := isFalse
			for _, v := range values {
				found = found.or(oracleCompare("=", c, v))
			}
			return found
		}}
	case 3:
		one, o := pick()
		two, w := pick()
		return oracleCondition{"CASE c WHEN " + one + " THEN 1 WHEN " + two + " THEN 0 ELSE NULL END", func(c oracleValue) truth {
			switch {
			case oracleCompare("=", c, o) == isTrue:
				return isTrue
			case oracleCompare("=", c, w) == isTrue:
				return isFalse
			}
			return unknown
		}}
	}
	op := [...]string{"=", "<>", "<", "<=", ">", ">=", "<=>"}[r.Intn(7)]
	text, value := pick()
	if r.Intn(4) == 0 {
		return oracleCondition{text + " " + op + " c", func(c oracleValue) truth { return oracleCompare(op, value, c) }}
	}
	return oracleCondition{"c " + op + " " + text, func(c oracleValue) truth { return oracleCompare(op, c, value) }}
}

// combined is a condition of several.
func combined(t *testing.T, r *rand.Rand, literals []string) oracleCondition {
	a := randomOracle(t, r, literals)
	switch r.Intn(5) {
	case 0:
		b := randomOracle(t, r, literals)
		return oracleCondition{"(" + a.text + ") AND (" + b.text + ")", func(c oracleValue) truth { return a.of(c).and(b.of(c)) }}
	case 1:
		b := randomOracle(t, r, literals)
		return oracleCondition{"(" + a.text + ") OR (" + b.text + ")", func(c oracleValue) truth { return a.of(c).or(b.of(c)) }}
	case 2:
		return oracleCondition{"NOT (" + a.text + ")", func(c oracleValue) truth { return a.of(c).not() }}
	}
	return a
}

var columnName = regexp.MustCompile(`\bc\b`)

// Conditions on numbers select the rows that MySQL's rules say, wherever they stand
// and whether or not an index serves them.
func TestNumbersCompareAsMySQL(t *testing.T) {
	columns := []struct{ typ, values string }{
		{"TINYINT", "0 1 2 -1 -128 127"},
		{"TINYINT UNSIGNED", "0 1 2 255"},
		{"INT", "0 1 2 -1 -2147483648 2147483647"},
		{"MEDIUMINT UNSIGNED", "0 1 2 16777215"},
		{"BIGINT", "0 1 -1 9223372036854775807 9007199254740993 9007199254740992 -9223372036854775808"},
		{"BIGINT UNSIGNED", "0 1 9223372036854775807 9223372036854775808 18446744073709551615 9007199254740993"},
		{"DECIMAL(10,3)", "0 1 1.001 -1.001 -1.5 9999999.999 -9999999.999 1.5 0.3"},
		{"DECIMAL(30,10)", "0 1 1.001 -1.0006 1.0006 9223372036854775807.5 12345678901234567890.0000000001"},
		{"DOUBLE", "0 1 1.001 -1.5 1e300 1.5 0.1 1.0006"},
		{"FLOAT", "0 1 1.5 0.1 1.1 -1.5 3e38"},
	}
	literals := strings.Fields("0 1 2 -1 255 256 -128 -129 2147483648 9223372036854775807 9223372036854775808 18446744073709551615 18446744073709551616 " +
		"9007199254740993 -9223372036854775808 1.0 1.001 1.0006 -1.0006 1.0014 1.5 -1.5 0.3 0.1 99999999999.5 9999999.9995 -9999999.9995 10000000 1e0 1.5e0 " +
		"1.0006e0 1e300 -1e300 0.1e0 1.1e0 9007199254740992e0 1e39 '1' '1.5' '1.0006' '-1.0006' '0.3' '0.1' NULL")
	seed := time.Now().UnixNano()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewSource(seed))
	s := newShell(t)
	for i, column := range columns {
		plain, keyed := fmt.Sprintf("plain%d", i), fmt.Sprintf("keyed%d", i)
		texts := append(strings.Fields(column.values), "NULL")
		var rows []string
		values := make([]oracleValue, len(texts))
		for n, text := range texts {
			rows = append(rows, fmt.Sprintf("(%d, %s)", n, text))
			values[n] = oracleNumber(t, column.typ, text)
		}
		s.exec("CREATE TABLE "+plain+" (id INT PRIMARY KEY, c "+column.typ+")", "CREATE TABLE "+keyed+" (id INT PRIMARY KEY, c "+column.typ+", KEY(c))",
			"INSERT INTO "+plain+" VALUES "+strings.Join(rows, ", "), "INSERT INTO "+keyed+" VALUES "+strings.Join(rows, ", "))
		for n := 0; n < rounds(120); n++ {
			condition := combined(t, r, literals)
			var want []string
			for id, value := range values {
				if condition.of(value) == isTrue {
					want = append(want, strconv.Itoa(id))
				}
			}
			for _, query := range []string{
				"SELECT id FROM " + plain + " WHERE " + condition.text + " ORDER BY id",
				"SELECT id FROM " + keyed + " WHERE " + condition.text + " ORDER BY id",
				"SELECT id FROM (SELECT id, (" + condition.text + ") IS TRUE AS y FROM " + plain + ") AS d WHERE y ORDER BY id",
				"SELECT id, c FROM " + plain + " HAVING " + condition.text + " ORDER BY id",
				"SELECT l.id FROM " + plain + " AS l JOIN " + keyed + " AS r ON l.id = r.id AND (" + columnName.ReplaceAllString(condition.text, "r.c") + ") ORDER BY l.id",
			} {
				got, err := idsOf(s, query)
				require.NoError(t, err, "%s: %s", column.typ, query)
				require.Equal(t, strings.Join(want, " "), got, "%s: %s", column.typ, query)
			}
		}
	}
}
