package own

import (
	"github.com/dolthub/go-mysql-server/sql"

	"github.com/freshetdb/freshet/plugin/parser"
)

// StoredText prepares a stored definition for the engine, which parses it under
// the modes it was written in, but for NO_BACKSLASH_ESCAPES, which it takes from
// the session: where the two differ the text says so itself.
func StoredText(ctx *sql.Context, text, sqlMode string) string {
	if ctx == nil || ctx.Session == nil || plainBackslash(sql.LoadSqlMode(ctx)) == plainBackslash(sql.NewSqlModeFromString(sqlMode)) {
		return text
	}
	return parser.PinMode(text, sqlMode)
}

func plainBackslash(m *sql.SqlMode) bool { return m.ModeEnabled(sql.NoBackslashEscapes) }

// Unpinned shows rows without what StoredText puts in front of texts.
type Unpinned struct{ sql.RowIter }

// Next implements sql.RowIter.
func (u Unpinned) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := u.RowIter.Next(ctx)
	for i, value := range row {
		if text, ok := value.(string); ok {
			row[i] = parser.UnpinMode(text)
		}
	}
	return row, err
}
