package wire

import (
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"
)

// digestRows is how many rows of a long result a transcript shows.
const digestRows = 3

// runTranscript runs the statements of a transcript on one connection.
//
//	query [digest] [items=COLUMN]
//	statement
//	----
//	columns separated by |
//
// digest shows the number of rows, the first of them and a hash of all. items
// sorts the items of a comma-separated column (counted from 1), whose order the
// statement leaves open.
//
//	exec
//	statements, each ending in ;
//	----
//	rows affected by each
func runTranscript(t *testing.T, db *sql.DB, path string) {
	t.Helper()
	conn, err := db.Conn(t.Context())
	require.NoError(t, err)
	defer conn.Close()
	datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
		switch d.Cmd {
		case "query":
			var items int
			d.MaybeScanArgs(t, "items", &items)
			return queryText(t, conn, d.Input, items, d.HasArg("digest"))
		case "exec":
			var out strings.Builder
			for _, statement := range strings.Split(d.Input, ";\n") {
				result, err := conn.ExecContext(t.Context(), strings.TrimSuffix(statement, ";"))
				if err != nil {
					fmt.Fprintln(&out, errorText(err))
					continue
				}
				affected, err := result.RowsAffected()
				require.NoError(t, err)
				fmt.Fprintln(&out, affected)
			}
			return out.String()
		default:
			t.Fatalf("%s: unknown command %s", d.Pos, d.Cmd)
			return ""
		}
	})
}

func queryText(t *testing.T, conn *sql.Conn, query string, items int, digest bool) string {
	rows, err := conn.QueryContext(t.Context(), query)
	if err != nil {
		return errorText(err) + "\n"
	}
	defer rows.Close()
	lines, err := rowLines(rows, items)
	if err != nil {
		return errorText(err) + "\n"
	}
	if !digest || len(lines) <= digestRows {
		return joined(lines)
	}
	sum := sha256.Sum256([]byte(joined(lines)))
	return joined(lines[:digestRows]) + fmt.Sprintf("... %d rows, sha256 %x\n", len(lines), sum[:12])
}

// rowLines reads the first result that has columns; a CALL returns several.
func rowLines(rows *sql.Rows, items int) ([]string, error) {
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	values := make([]sql.RawBytes, len(columns))
	targets := make([]any, len(columns))
	for i := range values {
		targets[i] = &values[i]
	}
	var lines []string
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return nil, err
		}
		cells := make([]string, len(values))
		for i, v := range values {
			cells[i] = cellText(v, i+1 == items)
		}
		lines = append(lines, strings.Join(cells, " | "))
	}
	return lines, rows.Err()
}

func cellText(v sql.RawBytes, sortItems bool) string {
	if v == nil {
		return "NULL"
	}
	if !sortItems {
		return string(v)
	}
	items := strings.Split(string(v), ", ")
	slices.Sort(items)
	return strings.Join(items, ", ")
}

func joined(lines []string) string {
	if len(lines) == 0 {
		return "no rows\n"
	}
	return strings.Join(lines, "\n") + "\n"
}

// errorText shows the number and state of an error; texts differ between servers.
func errorText(err error) string {
	var known *mysql.MySQLError
	if errors.As(err, &known) {
		return fmt.Sprintf("error %d (%s)", known.Number, known.SQLState)
	}
	return "error " + err.Error()
}

// reference opens the server that transcripts are made from, nil if none is named.
func reference(t *testing.T, database string) *sql.DB {
	login := os.Getenv("FRESHET_REFERENCE")
	if login == "" {
		return nil
	}
	db, err := sql.Open("mysql", login+"/"+database)
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	return db
}
