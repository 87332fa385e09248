package plugin

import (
	"database/sql"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
	"github.com/dolthub/vitess/go/vt/sqlparser"
	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"
)

// answer is a result as text, or the number of the error.
func answer(t *testing.T, db *sql.DB, query string, args ...any) string {
	t.Helper()
	rows, err := db.Query(query, args...)
	if err == nil {
		defer rows.Close()
		var columns []string
		columns, err = rows.Columns()
		require.NoError(t, err)
		var lines []string
		for rows.Next() {
			cells := make([]any, len(columns))
			for i := range cells {
				cells[i] = new(sql.NullString)
			}
			require.NoError(t, rows.Scan(cells...), query)
			for i, cell := range cells {
				cells[i] = "NULL"
				if s := cell.(*sql.NullString); s.Valid {
					cells[i] = s.String
				}
			}
			lines = append(lines, strings.TrimSuffix(fmt.Sprintln(cells...), "\n"))
		}
		if err = rows.Err(); err == nil {
			return strings.Join(lines, "\n")
		}
	}
	var known *mysql.MySQLError
	if errors.As(err, &known) {
		return fmt.Sprintf("error %d", known.Number)
	}
	require.NoError(t, err, query)
	return ""
}

// A parameter of a prepared statement answers as the literal of its value does.
func TestParametersAnswerAsLiterals(t *testing.T) {
	s := newTestServer(t, ServerOptions{})
	exec(t, s.open("", ""), "CREATE DATABASE d")
	db := s.open("d", "interpolateParams=false")
	exec(t, db, `CREATE TABLE t(id INT PRIMARY KEY, i INT, m MEDIUMINT, b BIGINT, u BIGINT UNSIGNED, y TINYINT UNSIGNED, n DECIMAL(10,3), f FLOAT, g DOUBLE,
		s VARCHAR(40), x VARBINARY(40), d DATE, e DATETIME(6), k TIME, j YEAR, KEY(i), KEY(u), KEY(n), KEY(s), KEY(d))`,
		"CREATE TABLE w LIKE t",
		"INSERT INTO t VALUES (1, 1, 1, 1, 1, 1, 1.001, 1.5, 1.5, '1', '1', '2020-02-28', '2020-02-28 10:00:00.5', '12:00:00', 2020)",
		"INSERT INTO t VALUES (2, -1, -8388608, -9223372036854775808, 18446744073709551615, 255, -1.001, 0.1, 0.1, 'abc', 'abc', '1999-12-31', '1999-12-31', '-01:00:00', 1999)",
		"INSERT INTO t VALUES (3, 2147483647, 8388607, 9223372036854775807, 9223372036854775808, 200, 9999999.999, -1.5, 1e300, '99999999999999999999', '\\0', NULL, NULL, NULL, NULL)",
		"INSERT INTO t(id) VALUES (4)")
	day := time.Date(2020, 2, 28, 10, 0, 0, 500000000, time.UTC)
	values := []struct {
		parameter any
		literal   string
	}{
		{int64(0), "0"}, {int64(1), "1"}, {int64(-1), "-1"}, {int64(200), "200"}, {int64(255), "255"}, {int64(-8388608), "-8388608"}, {int64(8388608), "8388608"},
		{int64(math.MaxInt64), "9223372036854775807"}, {int64(math.MinInt64), "-9223372036854775808"},
		{uint64(1) << 63, "9223372036854775808"}, {uint64(math.MaxUint64), "18446744073709551615"},
		{1.5, "1.5e0"}, {-1.5, "-1.5e0"}, {0.1, "0.1e0"}, {1e300, "1e300"}, {1.001, "1.001e0"},
		{"1", "'1'"}, {"1.0006", "'1.0006'"}, {"abc", "'abc'"}, {"", "''"}, {"99999999999999999999", "'99999999999999999999'"}, {"it's \\ \"q\"", `'it''s \\ "q"'`},
		{[]byte("abc"), "'abc'"}, {"2020-02-28", "'2020-02-28'"}, {day, "'2020-02-28 10:00:00.5'"}, {"12:00:00", "'12:00:00'"},
		{nil, "NULL"}, {true, "1"}, {false, "0"},
	}
	var templates []string
	for _, column := range strings.Fields("i m b u y n f g s x d e k j") {
		templates = append(templates, "SELECT id FROM t WHERE "+column+" = # ORDER BY id", "SELECT id FROM t WHERE "+column+" > # ORDER BY id",
			"SELECT id FROM t WHERE "+column+" <=> # ORDER BY id", "SELECT id FROM t WHERE "+column+" IN (#, #) ORDER BY id",
			"SELECT id FROM t WHERE "+column+" BETWEEN # AND # ORDER BY id", "SELECT id, "+column+" <> # FROM t ORDER BY id",
			"SELECT id, CASE "+column+" WHEN # THEN 'y' ELSE 'n' END FROM t ORDER BY id")
	}
	templates = append(templates, "SELECT #", "SELECT # IS NULL, COALESCE(#, 'n')", "SELECT CONCAT(#, 'x')", "SELECT # + 0", "SELECT -(#)", "SELECT IF(#, 1, 2)",
		"SELECT CAST(# AS CHAR), CAST(# AS SIGNED)", "SELECT COUNT(*) FROM t GROUP BY i HAVING COUNT(*) >= # ORDER BY 1", "SELECT id FROM t WHERE -i = # ORDER BY id",
		"SELECT LENGTH(#), HEX(#)", "SELECT id FROM t ORDER BY id LIMIT 2", "SELECT ROUND(#, 1), ABS(#)", "SELECT id FROM t WHERE s LIKE # ORDER BY id", "SELECT ':v', #")
	for i, template := range templates {
		for j, v := range values {
			if testing.Short() && (i+j)%5 != 0 {
				continue
			}
			if strings.Contains(template, " e ") || strings.Contains(template, " d ") || strings.Contains(template, " k ") {
				if text, ok := v.parameter.(string); ok && !strings.ContainsAny(text, "-:") {
					continue // MySQL refuses text that is no date, in its own words each
				}
			}
			args := make([]any, strings.Count(template, "#"))
			for i := range args {
				args[i] = v.parameter
			}
			want := answer(t, db, strings.ReplaceAll(template, "#", v.literal))
			got := answer(t, db, strings.ReplaceAll(template, "#", "?"), args...)
			if want != got && !sameNumbers(want, got) {
				t.Errorf("%s with %v (%T): %q, as the literal %s %q", template, v.parameter, v.parameter, got, v.literal, want)
			}
		}
	}
	require.NotEqual(t, "NULL", answer(t, db, "SELECT ST_GeomFromWKB(ST_AsWKB(LINESTRING(POINT(1,?), POINT(3,4))))", 2))
	point := "\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\xf0\x3f\x00\x00\x00\x00\x00\x00\x00\x40"
	for _, name := range []string{"ST_GeomFromWKB", "ST_PointFromWKB"} {
		require.Equal(t, "POINT(1 2)", answer(t, db, "SELECT ST_AsText("+name+"(?))", []byte(point)))
		require.Equal(t, "POINT(0 0)", answer(t, db, "SELECT ST_AsText("+name+"(?))", []byte(point[:5]+strings.Repeat("\x00", 16))), "bytes that are text, too")
	}
	for i, column := range strings.Fields("i m b u y n f g s x d e k j") {
		for j, v := range values {
			if testing.Short() && (i+j)%5 != 0 {
				continue
			}
			exec(t, db, "DELETE FROM w")
			want := answer(t, db, "INSERT INTO w(id, "+column+") VALUES (1, "+v.literal+")") + answer(t, db, "SELECT "+column+" FROM w")
			exec(t, db, "DELETE FROM w")
			got := answer(t, db, "INSERT INTO w(id, "+column+") VALUES (1, ?)", v.parameter) + answer(t, db, "SELECT "+column+" FROM w")
			if want != got {
				t.Errorf("INSERT into %s of %v (%T): %q, as the literal %q", column, v.parameter, v.parameter, got, want)
			}
		}
	}
}

// sameNumbers tells whether both are one number: text and binary rows write doubles
// differently, as MySQL's client library does.
func sameNumbers(a, b string) bool {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	return errX == nil && errY == nil && x == y
}

// Values that the wire library hands on as text keep what their type says.
func TestTypedParameters(t *testing.T) {
	for _, c := range []struct {
		kind       querypb.Type
		text, want string
	}{
		{sqltypes.Datetime, "2024-1-2 3:4:5.5000", "'2024-1-2 3:4:5.005000'"},
		{sqltypes.Timestamp, "2024-1-2 3:4:5.500000", "'2024-1-2 3:4:5.500000'"},
		{sqltypes.Date, "2024-1-2", "'2024-1-2'"},
		{sqltypes.Datetime, " ", "'0000-00-00 00:00:00'"},
		{sqltypes.Time, "-25:0:0.1", "'-25:0:0.000001'"},
		{sqltypes.Decimal, "1.0006", "1.0006"},
		{sqltypes.Decimal, "-12345678901234567890", "-12345678901234567890."},
		{sqltypes.Decimal, "abc", "'abc'"},
		{sqltypes.VarChar, "1.5", "'1.5'"},
		{sqltypes.Blob, "\xff\x00", "X'ff00'"},
	} {
		got := typedText(c.kind, sqlparser.NewStrVal([]byte(c.text)))
		require.Equal(t, c.want, sqlparser.String(got), "%v %q", c.kind, c.text)
	}
}
