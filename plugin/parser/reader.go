package parser

import "strings"

// reader reads the tokens of a statement of ours one after the other.
type reader struct {
	s *source
	i int
}

// at is the position of the next token, or the end of the text.
func (r *reader) at() int {
	if r.i < len(r.s.tokens) {
		return r.s.tokens[r.i].start
	}
	return len(r.s.text)
}

// last is the position behind the token read last.
func (r *reader) last() int {
	if r.i == 0 {
		return 0
	}
	return r.s.tokens[r.i-1].end
}

// fail is the syntax error at the next token.
func (r *reader) fail() error { return errSyntaxNear(r.s.text, r.at()) }

// words consumes the keywords if all of them come next.
func (r *reader) words(lower ...string) bool {
	for n, w := range lower {
		if !r.s.word(r.i+n, w) {
			return false
		}
	}
	r.i += len(lower)
	return true
}

// oneOf consumes a keyword of the list and returns it in upper case.
func (r *reader) oneOf(lower ...string) (string, bool) {
	for _, w := range lower {
		if r.words(w) {
			return strings.ToUpper(w), true
		}
	}
	return "", false
}

func (r *reader) punct(b byte) bool {
	if !r.s.punct(r.i, b) {
		return false
	}
	r.i++
	return true
}

// done tells whether the statement ends here, and consumes its semicolon.
func (r *reader) done() bool {
	return r.i >= len(r.s.tokens) || r.punct(';')
}

// end is where the statement ends once done said so.
func (r *reader) end() int {
	if r.i >= len(r.s.tokens) {
		return len(r.s.text)
	}
	return r.last()
}

// name consumes an identifier, quoted or not.
func (r *reader) name() (string, bool) {
	if r.i >= len(r.s.tokens) {
		return "", false
	}
	t := r.s.tokens[r.i]
	w := r.s.text[t.start:t.end]
	switch t.kind {
	case kindWord:
	case kindQuoted:
		w = unquote(w)
	default:
		return "", false
	}
	r.i++
	return w, true
}

// qualified consumes name or database.name.
func (r *reader) qualified() (Name, bool) {
	first, ok := r.name()
	if !ok {
		return Name{}, false
	}
	if !r.punct('.') {
		return Name{Name: first}, true
	}
	second, ok := r.name()
	return Name{Database: first, Name: second}, ok
}

// str consumes a string literal and returns its value.
func (r *reader) str() (string, bool) {
	if r.i >= len(r.s.tokens) || r.s.tokens[r.i].kind != kindString {
		return "", false
	}
	t := r.s.tokens[r.i]
	r.i++
	return stringValue(r.s.text[t.start:t.end], r.s.mode), true
}

// skipParens goes behind the parenthesis that closes the one just consumed.
func (r *reader) skipParens() bool {
	for depth := 1; depth > 0; r.i++ {
		switch {
		case r.i >= len(r.s.tokens) || depth > nestingMax:
			return false
		case r.s.punct(r.i, '('):
			depth++
		case r.s.punct(r.i, ')'):
			depth--
		}
	}
	return true
}

// rest goes to the end of the statement and returns the text up to there, from the next token on.
func (r *reader) rest() string {
	from := r.at()
	for r.i < len(r.s.tokens) && !r.s.punct(r.i, ';') {
		r.i++
	}
	return r.s.text[from:max(from, r.last())]
}

// unquote returns the name inside its quotes.
func unquote(quoted string) string {
	q := quoted[:1]
	return strings.ReplaceAll(quoted[1:len(quoted)-1], q+q, q)
}

// stringValue returns the value of a string literal with its quotes.
func stringValue(literal string, m mode) string {
	q := literal[0]
	body := literal[1 : len(literal)-1]
	if strings.IndexByte(body, q) < 0 && (m.noBackslashEscapes || strings.IndexByte(body, '\\') < 0) {
		return body
	}
	var out strings.Builder
	for i := 0; i < len(body); i++ {
		b := body[i]
		switch {
		case b == q:
			i++ // the second of two
		case b == '\\' && !m.noBackslashEscapes && i+1 < len(body):
			i++
			if e, ok := escapes[body[i]]; ok {
				out.WriteString(e)
				continue
			}
			b = body[i]
		}
		out.WriteByte(b)
	}
	return out.String()
}

// escapes are the sequences behind a backslash that stand for something else (MySQL manual, String Literals).
var escapes = map[byte]string{
	'0': "\x00", 'b': "\b", 'n': "\n", 'r': "\r", 't': "\t", 'Z': "\x1a", '%': `\%`, '_': `\_`,
}

// quoteName quotes an identifier.
func quoteName(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

// quoteString writes a string literal that reads the same under every sql_mode but ANSI's for double quotes, unless
// it has backslashes.
func quoteString(s string) string {
	return "'" + strings.ReplaceAll(strings.ReplaceAll(s, `\`, `\\`), "'", "''") + "'"
}
