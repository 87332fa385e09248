package parser

import "strings"

// collect finds the edits that make the base grammar read the statement as MySQL does.
func (s *source) collect() error {
	l := lexer{text: s.text, mode: s.mode}
	for l.next().kind != kindEnd {
	}
	for _, d := range l.dashes {
		s.edits = append(s.edits, edit{span{d, d + 1}, "- ", true})
	}
	var lower [ruleWordMax]byte
	for i := 0; i < len(s.tokens); i++ {
		t := s.tokens[i]
		switch t.kind {
		case kindString:
			s.nationalString(i)
			s.plainBackslashes(t)
			s.patternEscapes(t)
		case kindWord:
			s.foreignName(t)
			if t.end-t.start > ruleWordMax || s.punct(i-1, '.') {
				continue
			}
			rule := rules[string(lowerOf(s.text[t.start:t.end], &lower))]
			if rule == nil {
				continue
			}
			last, err := rule(s, i)
			if err != nil {
				return err
			}
			i = max(i, last)
		case kindQuoted:
			// The base grammar takes no name between the quotes for no name at all.
			if t.end-t.start == 2 && (s.word(i-1, "index") || s.word(i-1, "key")) {
				return errNamelessIndex()
			}
		case kindUnfinished:
			if s.one && s.compound {
				return nil // a later statement, or the base grammar says so
			}
			return errUnfinished(s.text, t.start)
		}
	}
	return nil
}

// lowerOf writes w in lower case into buffer.
func lowerOf(w string, buffer *[ruleWordMax]byte) []byte {
	for i := 0; i < len(w); i++ {
		b := w[i]
		if b >= 'A' && b <= 'Z' {
			b |= 0x20
		}
		buffer[i] = b
	}
	return buffer[:len(w)]
}

// word tells whether token i exists and is the keyword.
func (s *source) word(i int, lower string) bool {
	return i >= 0 && i < len(s.tokens) && s.tokens[i].is(s.text, lower)
}

// punct tells whether token i exists and is the byte.
func (s *source) punct(i int, b byte) bool {
	return i >= 0 && i < len(s.tokens) && s.tokens[i].punct(s.text, b)
}

// nationalString drops the N of N'…': strings are utf8mb4 here, which holds all that utf8mb3 does.
func (s *source) nationalString(i int) {
	if i == 0 {
		return
	}
	n := s.tokens[i-1]
	if n.end == s.tokens[i].start && n.is(s.text, "n") && s.text[s.tokens[i].start] == '\'' {
		s.edits = append(s.edits, edit{span{n.start, n.end}, " ", false})
	}
}

// plainBackslashes doubles the backslashes of a string under NO_BACKSLASH_ESCAPES: the base grammar always escapes.
func (s *source) plainBackslashes(t token) {
	if !s.mode.noBackslashEscapes {
		return
	}
	for i := t.start; i < t.end; i++ {
		if s.text[i] == '\\' {
			s.edits = append(s.edits, edit{span{i, i + 1}, `\\`, true})
		}
	}
}

// patternEscapes doubles the backslash of \% and \_ in a string, which stand for themselves: they are escapes of
// patterns, not of strings. The base grammar drops the backslash.
func (s *source) patternEscapes(t token) {
	if s.mode.noBackslashEscapes {
		return
	}
	for i := t.start; i+1 < t.end; i++ {
		if s.text[i] != '\\' {
			continue
		}
		if s.text[i+1] == '%' || s.text[i+1] == '_' {
			s.edits = append(s.edits, edit{span{i, i + 1}, `\\`, true})
		}
		i++ // what the backslash escapes
	}
}

// hasPatternEscape reports whether patternEscapes may find something.
func hasPatternEscape(text string) bool {
	for {
		i := strings.IndexByte(text, '\\')
		if i < 0 || i+1 == len(text) {
			return false
		}
		if text[i+1] == '%' || text[i+1] == '_' {
			return true
		}
		text = text[i+2:]
	}
}

// foreignName quotes a name with bytes that the base grammar knows in quoted names only.
func (s *source) foreignName(t token) {
	w := s.text[t.start:t.end]
	for i := 0; i < len(w); i++ {
		if classes[w[i]]&foreign != 0 {
			s.edits = append(s.edits, edit{t.span(), "`" + w + "`", false})
			return
		}
	}
}

// definer drops DEFINER = CURRENT_USER[()] and DEFINER = CURRENT_ROLE: without a definer, the engine takes the
// current user. Accounts, which the base grammar knows, stay.
func (s *source) definer(i int) {
	if !s.punct(i+1, '=') || !s.word(i+2, "current_user") && !s.word(i+2, "current_role") {
		return
	}
	end := i + 2
	if s.punct(end+1, '(') && s.punct(end+2, ')') {
		end += 2
	}
	s.edits = append(s.edits, edit{span{s.tokens[i].start, s.tokens[end].end}, "", true})
}

// stringTypes are the last words of a data type that a character set may follow.
var stringTypes = []string{"char", "varchar", "text", "tinytext", "mediumtext", "longtext", "character", "varying", "nchar"}

// charset writes CHARSET of a data type as CHARACTER SET: the base grammar doesn't know the short form everywhere.
func (s *source) charset(i int) {
	if s.compound || i == 0 || i+1 >= len(s.tokens) || s.tokens[i+1].kind == kindPunct {
		return
	}
	before := s.tokens[i-1]
	ofType := before.punct(s.text, ')')
	for _, w := range stringTypes {
		ofType = ofType || before.is(s.text, w)
	}
	if ofType {
		s.edits = append(s.edits, edit{s.tokens[i].span(), "CHARACTER SET", false})
	}
}

// notBeforeType are words behind which YEAR and TIME are functions, not the type of a column or parameter.
var notBeforeType = []string{"select", "default", "as", "and", "or", "not", "when", "then", "else", "set", "in", "by", "return",
	"if", "where", "on", "having", "until", "while", "case", "distinct", "all", "between", "like", "div", "mod", "xor", "is", "interval"}

// typeWidth drops the width of the types YEAR(4), the only one there is, and TIME(n): the engine's TIME holds six
// digits of a second always and refuses to be told.
func (s *source) typeWidth(i int) {
	if i == 0 || !s.punct(i+1, '(') || !s.punct(i+3, ')') || s.tokens[i+2].kind != kindNumber {
		return
	}
	if !s.compound && !s.definesTable() {
		return
	}
	before := s.tokens[i-1]
	name := before.kind == kindQuoted || before.kind == kindWord && !equalFoldAny(s.text[before.start:before.end], notBeforeType...)
	width := s.text[s.tokens[i+2].start:s.tokens[i+2].end]
	if name && (s.word(i, "year") && width == "4" || s.word(i, "time") && s.compound && len(width) == 1 && width <= "6") {
		s.replace(i+1, i+3, "", false)
	}
}

// partitions drops the list of partitions that begins at token i, a parenthesis: all rows of a table lie in one
// place here, and the base grammar reads only the simplest lists. It returns the last token.
func (s *source) partitions(i int) int {
	r := &reader{s: s, i: i + 1}
	if !r.skipParens() {
		return i + 1
	}
	s.dropEdits(span{s.tokens[i].start, r.last()})
	s.edits = append(s.edits, edit{span{s.tokens[i].start, r.last()}, "", false})
	return r.i - 1
}

// declares tells whether the DEFAULT at token i is that of DECLARE v, … type DEFAULT expr.
func (s *source) declares(i int) bool {
	for n := i - 1; n >= 0 && n > i-headTokens && !s.punct(n, ';'); n-- {
		if s.word(n, "declare") {
			return true
		}
	}
	return false
}

// condition tells whether one of the tokens [i, end) makes an expression a condition.
func (s *source) condition(i, end int) bool {
	for ; i < end; i++ {
		t := s.tokens[i]
		switch b := s.text[t.start]; {
		case t.kind == kindPunct && (b == '=' || b == '<' || b == '>' || b == '!' || b == '|' || b == '&'):
			return true
		case t.kind == kindWord && equalFoldAny(s.text[t.start:t.end], "and", "or", "xor", "not", "between", "in", "like", "is",
			"regexp", "rlike", "exists", "member", "true", "false"):
			return true
		}
	}
	return false
}

// parenthesize puts the expression behind token i, RETURN or DEFAULT, in parentheses: the base grammar knows
// conditions (BETWEEN, AND, =, …) only inside of them.
func (s *source) parenthesize(i int) {
	if !s.compound {
		return
	}
	end := s.statementEnd(i)
	if end <= i+1 || !s.condition(i+1, end) {
		return
	}
	from, to := s.tokens[i+1].start, s.tokens[end-1].end
	s.edits = append(s.edits, edit{span{from, from}, "(", true}, edit{span{to, to}, ")", true})
}
