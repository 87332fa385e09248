package parser

import (
	"context"
	"errors"
	"os"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"
	"github.com/stretchr/testify/require"
)

// FuzzParser: nothing panics; positions and remainders lie inside the text; and what no pass concerns is parsed as by
// the base grammar.
func FuzzParser(f *testing.F) {
	script, err := os.ReadFile("testdata/clients.sql")
	require.NoError(f, err)
	for _, s := range splitScript(string(script)) {
		f.Add(s, false)
	}
	for _, s := range []string{"select 1; select 2", "select a from t where b = 'x'", "'", "/*!", "/*!50000 /*", "N'", "select a, b from t group by a with rollup, 1",
		"select \"a\" || `b` from t for share of", "create function f() returns int begin return 1; end; select 2", "--", "@`", "x'4", "1e", "select 1 /*! union select 2 */ ;;"} {
		f.Add(s, true)
	}
	base, ours := sql.NewMysqlParser(), New(nil)
	f.Fuzz(func(t *testing.T, query string, ansi bool) {
		o := ast.ParserOptions{AnsiQuotes: ansi, PipesAsConcat: ansi}
		for _, multi := range []bool{false, true} {
			stmt, parsed, rest, err := ours.ParseWithOptions(context.Background(), query, ';', multi, o)
			require.LessOrEqual(t, len(rest), len(query))
			require.Equal(t, query[len(query)-len(rest):], rest+"", "remainder is no suffix")
			if ddl, ok := stmt.(*ast.DDL); ok && err == nil {
				require.LessOrEqual(t, ddl.SubStatementPositionEnd, len(parsed))
				require.LessOrEqual(t, ddl.SubStatementPositionStart, max(ddl.SubStatementPositionEnd, len(parsed)))
			}
			text := sql.RemoveSpaceAndDelimiter(query, ';')
			found := scan(text, mode{ansiQuotes: ansi}, multi)
			if found.hints != 0 || found.compound {
				continue
			}
			want, _, _, wantErr := base.ParseWithOptions(context.Background(), query[:], ';', multi, o)
			if wantErr != nil {
				continue
			}
			require.NoError(t, err)
			require.Equal(t, want, stmt)
		}
		stmt, n, err := ours.ParseOneWithOptions(context.Background(), query, o)
		require.True(t, n >= 0 && n <= len(query))
		if ddl, ok := stmt.(*ast.DDL); ok && err == nil {
			require.LessOrEqual(t, ddl.SubStatementPositionEnd, len(query)+1)
		}
		_, _ = ours.ParseSimple(query)
		if errors.Is(err, ast.ErrEmpty) {
			require.Nil(t, stmt)
		}
	})
}

func BenchmarkPointSelect(b *testing.B) {
	const query = "SELECT id, name, price FROM products WHERE id = 4711 AND kind = 'x'"
	b.Run("base", func(b *testing.B) { benchmarkParser(b, sql.NewMysqlParser(), query) })
	b.Run("ours", func(b *testing.B) { benchmarkParser(b, New(nil), query) })
	b.Run("scan", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; i < b.N; i++ {
			scan(query, mode{}, false)
		}
	})
}

func BenchmarkPing(b *testing.B) {
	b.Run("base", func(b *testing.B) { benchmarkParser(b, sql.NewMysqlParser(), "SELECT @@version, 1") })
	b.Run("ours", func(b *testing.B) { benchmarkParser(b, New(nil), "SELECT @@version, 1") })
}

func benchmarkParser(b *testing.B, p sql.Parser, query string) {
	b.ReportAllocs()
	ctx := context.Background()
	for i := 0; i < b.N; i++ {
		if _, _, _, err := p.ParseWithOptions(ctx, query, ';', false, ast.ParserOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}
