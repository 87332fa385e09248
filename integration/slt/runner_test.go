package slt

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/sqllogictest/go/logictest/parser"

	"github.com/freshetdb/freshet/plugin"
)

// engineName selects the records meant for databases like this one.
const engineName = "mysql"

// recordTimeout bounds one record; the slowest query of the public sets joins
// dozens of tables.
const recordTimeout = time.Minute

// failure is a record whose answer is not the expected one.
type failure struct {
	file  string
	line  int
	query string
	why   string
}

func (f failure) String() string {
	return fmt.Sprintf("%s:%d: %s\n    %s", f.file, f.line, f.why, strings.ReplaceAll(f.query, "\n", " "))
}

// tally counts the records of a file.
type tally struct {
	passed, skipped int
	failures        []failure
}

// runFile runs a script on a fresh store in memory.
func runFile(ctx context.Context, path string) (result tally, err error) {
	records, err := parser.ParseTestFile(path)
	if err != nil {
		return tally{}, err
	}
	db, err := plugin.Open(ctx, plugin.Options{})
	if err != nil {
		return tally{}, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	session, err := db.NewSession(sql.Client{User: "root", Address: "localhost"})
	if err != nil {
		return tally{}, err
	}
	r := runner{db: db, session: session}
	for _, setup := range []string{"CREATE DATABASE slt", "USE slt", "SET sql_mode = 'NO_ENGINE_SUBSTITUTION'"} {
		if _, _, err := r.query(ctx, setup); err != nil {
			return tally{}, err
		}
	}
	for _, record := range records {
		if record.Type() == parser.Halt {
			if record.ShouldExecuteForEngine(engineName) {
				break
			}
			continue
		}
		if !record.ShouldExecuteForEngine(engineName) {
			result.skipped++
			continue
		}
		if why := r.run(ctx, record); why != "" {
			result.failures = append(result.failures, failure{path, record.LineNum(), record.Query(), why})
		} else {
			result.passed++
		}
	}
	return result, nil
}

type runner struct {
	db      *plugin.DB
	session sql.Session
}

// run runs one record and says what is wrong with the answer, "" if nothing is.
func (r *runner) run(ctx context.Context, record *parser.Record) string {
	ctx, cancel := context.WithTimeout(ctx, recordTimeout)
	defer cancel()
	schema, rows, err := r.query(ctx, record.Query())
	if record.Type() == parser.Statement {
		switch {
		case record.ExpectError() && err == nil:
			return "succeeded, but must fail"
		case !record.ExpectError() && err != nil:
			return err.Error()
		default:
			return ""
		}
	}
	if err != nil {
		return err.Error()
	}
	if len(schema) != record.NumCols() {
		return fmt.Sprintf("%d columns, not %d", len(schema), record.NumCols())
	}
	values, err := render(sql.NewContext(ctx, sql.WithSession(r.session)), schema, rows, record.Schema())
	if err != nil {
		return err.Error()
	}
	return compare(record, values)
}

func (r *runner) query(ctx context.Context, text string) (sql.Schema, []sql.Row, error) {
	sqlCtx := r.db.NewContext(ctx, r.session)
	if err := sql.SessionCommandBegin(r.session); err != nil {
		return nil, nil, err
	}
	defer sql.SessionCommandEnd(r.session)
	schema, iter, _, err := r.db.Engine().Query(sqlCtx, text)
	if err != nil {
		return nil, nil, err
	}
	var rows []sql.Row
	for {
		row, err := iter.Next(sqlCtx)
		if errors.Is(err, io.EOF) {
			return schema, rows, iter.Close(sqlCtx)
		}
		if err != nil {
			return nil, nil, errors.Join(err, iter.Close(sqlCtx))
		}
		rows = append(rows, row)
	}
}

// compare checks values against a record's, which are listed or hashed.
func compare(record *parser.Record, values []string) string {
	if len(values) != record.NumResults() {
		return fmt.Sprintf("%d values, not %d", len(values), record.NumResults())
	}
	values = record.SortResults(values)
	if record.IsHashResult() {
		sum := md5.Sum([]byte(strings.Join(values, "\n") + "\n"))
		if got := hex.EncodeToString(sum[:]); got != record.HashResult() {
			return fmt.Sprintf("values hash to %s, not %s: %.120s", got, record.HashResult(), strings.Join(values, " "))
		}
		return ""
	}
	if !slices.Equal(values, record.Result()) {
		return fmt.Sprintf("got %.200q, not %.200q", values, record.Result())
	}
	return ""
}

// render turns rows into the text of the scripts, value by value: letters say
// what a column is read as, I for integers, R for numbers with three decimals, T
// for text.
func render(ctx *sql.Context, schema sql.Schema, rows []sql.Row, letters string) ([]string, error) {
	var values []string
	for _, row := range rows {
		for i, v := range row {
			text, err := renderValue(ctx, schema[i].Type, v, letters[i])
			if err != nil {
				return nil, err
			}
			values = append(values, text)
		}
	}
	return values, nil
}

func renderValue(ctx *sql.Context, typ sql.Type, v any, letter byte) (string, error) {
	if v == nil {
		return "NULL", nil
	}
	switch letter {
	case 'I':
		if types.IsText(typ) {
			return textOf(ctx, typ, v)
		}
		n, _, err := types.Float64.Convert(ctx, v)
		if err != nil {
			return "", err
		}
		if whole, _, err := types.Int64.Convert(ctx, v); err == nil && float64(whole.(int64)) == n.(float64) {
			return fmt.Sprint(whole), nil
		}
		return fmt.Sprintf("%.0f", truncate(n.(float64))), nil
	case 'R':
		n, _, err := types.Float64.Convert(ctx, v)
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("%.3f", n), nil
	default:
		text, err := textOf(ctx, typ, v)
		if text == "" && err == nil {
			text = "(empty)"
		}
		return text, err
	}
}

func truncate(f float64) float64 {
	return float64(int64(f))
}

// textOf is what a client would be sent, with what is not printable replaced.
func textOf(ctx *sql.Context, typ sql.Type, v any) (string, error) {
	value, err := typ.SQL(ctx, nil, v)
	if err != nil {
		return "", err
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '@'
		}
		return r
	}, value.ToString()), nil
}
