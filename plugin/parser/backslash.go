package parser

import (
	"context"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
)

// pinPlain and pinEscapes, in front of a text, say how backslashes in its strings were read when it was stored. The
// engine parses stored definitions under the options ANSI_QUOTES and PIPES_AS_CONCAT of their time, but knows no
// NO_BACKSLASH_ESCAPES; without a pin such a text would be read under the mode of the session that uses it.
const (
	pinPlain   = "/*\x01plain*/"
	pinEscapes = "/*\x01escape*/"
)

// PinMode returns text, a stored definition, so that it is parsed as under sqlMode, a list of modes as in
// @@sql_mode, whatever the session's mode is. A text without a backslash is returned as it is.
func PinMode(text, sqlMode string) string {
	if strings.IndexByte(text, '\\') < 0 {
		return text
	}
	if sql.NewSqlModeFromString(sqlMode).ModeEnabled(sql.NoBackslashEscapes) {
		return pinPlain + text
	}
	return pinEscapes + text
}

// UnpinMode takes off what PinMode put on, for showing.
func UnpinMode(text string) string {
	return strings.TrimPrefix(strings.TrimPrefix(text, pinPlain), pinEscapes)
}

type plainKey struct{}

// sameMode is the context for parsing a text that was made from a part of s: its backslashes are those of s.
func (s *source) sameMode(ctx context.Context) context.Context {
	return context.WithValue(ctx, plainKey{}, s.mode.noBackslashEscapes)
}

// backslashMode completes the mode for a text that has a backslash. A pinned text keeps its pin, as a comment, so
// that positions stay right.
func backslashMode(ctx context.Context, text string, m mode) mode {
	switch {
	case strings.HasPrefix(text, pinPlain):
		m.noBackslashEscapes = true
	case strings.HasPrefix(text, pinEscapes):
	default:
		if plain, ok := ctx.Value(plainKey{}).(bool); ok {
			m.noBackslashEscapes = plain
			break
		}
		if c, ok := ctx.(*sql.Context); ok && c.Session != nil {
			m.noBackslashEscapes = sql.LoadSqlMode(c).ModeEnabled(sql.NoBackslashEscapes)
		}
	}
	return m
}
