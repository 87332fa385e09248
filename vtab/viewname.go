package vtab

import "strings"

// qualifyView names the database in a CREATE VIEW statement. The engine binds the
// stored statement again whenever the view is read, and would look for the view's
// own name in the session's current database, which there may be none of.
func qualifyView(statement, database string) string {
	at := viewNameAt(statement)
	if at < 0 {
		return statement
	}
	end := at + tokenLength(statement[at:])
	if rest := strings.TrimLeft(statement[end:], " \t\r\n"); strings.HasPrefix(rest, ".") {
		return statement
	}
	return statement[:at] + "`" + strings.ReplaceAll(database, "`", "``") + "`." + statement[at:]
}

// viewNameAt finds the name behind VIEW [IF NOT EXISTS], -1 if there is none.
func viewNameAt(s string) int {
	seen := false
	for i := 0; i < len(s); {
		n := tokenLength(s[i:])
		word := strings.ToLower(s[i : i+n])
		switch {
		case strings.TrimSpace(word) == "" || isComment(word):
		case !seen:
			seen = word == "view"
		case word == "if" || word == "not" || word == "exists":
		default:
			return i
		}
		i += n
	}
	return -1
}

func isComment(s string) bool {
	return strings.HasPrefix(s, "/*") && !strings.HasPrefix(s, "/*!") || strings.HasPrefix(s, "-- ") || s[0] == '#'
}

// tokenLength is the length of the token, comment or blank that s starts with.
func tokenLength(s string) int {
	switch c := s[0]; {
	case c == '\'' || c == '"' || c == '`':
		return quotedLength(s)
	case isComment(s):
		mark := "\n"
		if c == '/' {
			mark = "*/"
		}
		if end := strings.Index(s, mark); end >= 0 {
			return end + len(mark)
		}
		return len(s)
	}
	n := 0
	for n < len(s) && isNameByte(s[n]) {
		n++
	}
	return max(1, n)
}

// quotedLength is the length of the quoted text that s starts with; a doubled
// quote, and outside backquotes a backslash, keeps it open.
func quotedLength(s string) int {
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && s[0] != '`':
			i++
		case s[i] != s[0]:
		case i+1 < len(s) && s[i+1] == s[0]:
			i++
		default:
			return i + 1
		}
	}
	return len(s)
}

func isNameByte(c byte) bool {
	return c >= 0x80 || c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
