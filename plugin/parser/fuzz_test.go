package parser

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
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
	f.Fuzz(checkAnyText)
}

// TestMutations does what FuzzParser does, on statements with random damage. The seed is fixed; MUTATIONS in the
// environment raises the number of rounds.
func TestMutations(t *testing.T) {
	rounds := 4000
	if n, err := strconv.Atoi(os.Getenv("MUTATIONS")); err == nil {
		rounds = n
	}
	script, err := os.ReadFile("testdata/clients.sql")
	require.NoError(t, err)
	seeds := splitScript(string(script))
	r := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"'", "\"", "`", "/*", "*/", "/*!50000 ", "--", "#", ";", "(", ")", "N'", "for share", "with rollup", "\\", "begin", "end", ",",
		"\x00", "ü", "$", "@", "select", "return", "do", "of", "as", "charset", "if not exists", "collate", "partition", "x'", "0x", "1e", "."}
	for i := 0; i < rounds; i++ {
		q := seeds[r.IntN(len(seeds))]
		for n := r.IntN(4); n >= 0; n-- {
			at := r.IntN(len(q) + 1)
			switch r.IntN(4) {
			case 0:
				q = q[:at] + pieces[r.IntN(len(pieces))] + q[at:]
			case 1:
				q = q[:at] + " " + pieces[r.IntN(len(pieces))] + " " + q[at:]
			case 2:
				q = q[:at] + q[min(len(q), at+r.IntN(12)):]
			case 3:
				q = q[:at] + seeds[r.IntN(len(seeds))]
			}
		}
		if !t.Run("", func(t *testing.T) { checkAnyText(t, q, i%5 == 0) }) {
			t.Fatalf("round %d: %q", i, q)
		}
	}
}

// checkAnyText holds for every text.
func checkAnyText(t *testing.T, query string, ansi bool) {
	base, ours := sql.NewMysqlParser(), New(nil)
	o := ast.ParserOptions{AnsiQuotes: ansi, PipesAsConcat: ansi}
	for _, multi := range []bool{false, true} {
		stmt, parsed, rest, err := ours.ParseWithOptions(context.Background(), query, ';', multi, o)
		text := sql.RemoveSpaceAndDelimiter(query, ';')
		require.True(t, strings.HasSuffix(text, rest), "remainder %q is no suffix of %q", rest, text)
		if ddl, ok := stmt.(*ast.DDL); ok && err == nil {
			require.LessOrEqual(t, ddl.SubStatementPositionEnd, len(parsed))
			require.LessOrEqual(t, ddl.SubStatementPositionStart, ddl.SubStatementPositionEnd)
		}
		if found := scan(text, mode{ansiQuotes: ansi}, multi); found.hints != 0 || found.compound {
			continue
		}
		want, wantText, wantRest, wantErr := base.ParseWithOptions(context.Background(), query, ';', multi, o)
		if wantErr != nil {
			continue
		}
		require.NoError(t, err)
		require.Equal(t, want, stmt)
		require.Equal(t, wantText, parsed)
		require.Equal(t, wantRest, rest)
	}
	stmt, n, err := ours.ParseOneWithOptions(context.Background(), query, o)
	require.True(t, n >= 0 && n <= len(query), "%d of %d", n, len(query))
	if ddl, ok := stmt.(*ast.DDL); ok && err == nil {
		require.LessOrEqual(t, ddl.SubStatementPositionEnd, len(query)+1)
	}
	if errors.Is(err, ast.ErrEmpty) {
		require.Nil(t, stmt)
	}
	_, err = ours.ParseSimple(query)
	if err != nil {
		require.NotContains(t, err.Error(), "panic")
	}
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

func BenchmarkViewText(b *testing.B) {
	const query = "CREATE ALGORITHM=UNDEFINED DEFINER=`root`@`localhost` SQL SECURITY DEFINER VIEW `v` AS select `c`.`name` AS `category`,sum(`p`.`amount`) AS `total` from `payment` `p` join `category` `c` on `c`.`id` = `p`.`category` where `p`.`amount` > 3 group by `c`.`name`"
	b.Run("base", func(b *testing.B) { benchmarkParser(b, sql.NewMysqlParser(), query) })
	b.Run("ours", func(b *testing.B) { benchmarkParser(b, New(nil), query) })
}
