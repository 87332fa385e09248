package parser

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// splitScript cuts a script into statements as the mysql client does: at the delimiter outside of strings, names and
// comments; DELIMITER at the begin of a line changes it.
func splitScript(script string) []string {
	var out []string
	delimiter, start, i, lineStart := ";", 0, 0, true
	flush := func(end int) {
		if s := strings.TrimSpace(script[start:end]); s != "" {
			out = append(out, s)
		}
	}
	for i < len(script) {
		rest := script[i:]
		if lineStart && len(rest) > 10 && strings.EqualFold(rest[:9], "delimiter") {
			line, _, _ := strings.Cut(rest, "\n")
			flush(i)
			delimiter = strings.TrimSpace(line[9:])
			i += len(line)
			start = i
			continue
		}
		lineStart = false
		switch {
		case strings.HasPrefix(rest, delimiter):
			flush(i)
			i += len(delimiter)
			start = i
		case rest[0] == '\n':
			lineStart = true
			i++
		case rest[0] == '\'' || rest[0] == '"' || rest[0] == '`':
			n := closingQuote(script, i+1, rest[0], rest[0] != '`')
			if n < 0 {
				n = len(script)
			}
			i = n
		case rest[0] == '#', strings.HasPrefix(rest, "-- "), strings.HasPrefix(rest, "--\n"):
			line, _, _ := strings.Cut(rest, "\n")
			i += len(line)
		case strings.HasPrefix(rest, "/*"):
			n := strings.Index(rest, "*/")
			if n < 0 {
				n = len(rest) - 2
			}
			i += n + 2
		default:
			i++
		}
	}
	flush(len(script))
	return out
}

// TestScripts: every statement of the dumps parses, alone and as part of one packet.
func TestScripts(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.sql")
	for _, f := range []string{"sakila-schema.sql", "sakila-data.sql", "chinook.sql"} {
		files = append(files, filepath.Join("..", "..", "..", "shared", "data", f))
	}
	p := New(nil)
	for _, f := range files {
		t.Run(filepath.Base(f), func(t *testing.T) {
			script, err := os.ReadFile(f)
			if errors.Is(err, os.ErrNotExist) {
				t.Skip("data not here: ", f)
			}
			if err != nil {
				t.Fatal(err)
			}
			options := ast.ParserOptions{AnsiQuotes: strings.Contains(f, "ansi")}
			statements := splitScript(string(script))
			if len(statements) < 10 {
				t.Fatalf("only %d statements", len(statements))
			}
			for _, s := range statements {
				stmt, parsed, _, err := p.ParseWithOptions(context.Background(), s, ';', false, options)
				if err != nil && !errors.Is(err, ast.ErrEmpty) {
					t.Errorf("%.200s\n%v", s, err)
					continue
				}
				reparse(t, p, stmt, parsed, options)
				if len(s) > 100_000 {
					continue
				}
				multi := s + "\n; SELECT 42"
				_, _, rest, err := p.ParseWithOptions(context.Background(), multi, ';', true, options)
				if (err != nil && !errors.Is(err, ast.ErrEmpty)) || strings.TrimSpace(rest) != "SELECT 42" {
					t.Errorf("in one packet: %.200s\nremainder %.60q, error %v", s, rest, err)
				}
			}
		})
	}
}

// reparse checks that the text to store parses again, and that positions of the body are inside it.
func reparse(t *testing.T, p *Parser, stmt ast.Statement, parsed string, options ast.ParserOptions) {
	t.Helper()
	ddl, ok := stmt.(*ast.DDL)
	if !ok || ddl.SubStatementPositionEnd == 0 {
		return
	}
	again, text, _, err := p.ParseWithOptions(context.Background(), parsed, ';', false, options)
	if err != nil || text != parsed {
		t.Errorf("stored text %.200q: %v", parsed, err)
		return
	}
	d := again.(*ast.DDL)
	body := parsed[d.SubStatementPositionStart:d.SubStatementPositionEnd]
	if body != parsed[ddl.SubStatementPositionStart:ddl.SubStatementPositionEnd] || strings.Contains(body, "*/") && strings.Contains(body, "*/;") {
		t.Errorf("body %q of %q", body, parsed)
	}
}
