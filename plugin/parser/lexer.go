package parser

import "strings"

// kind classifies a token. Whitespace and comments never become tokens.
type kind uint8

const (
	kindEnd        kind = iota // end of the text
	kindWord                   // unquoted identifier or keyword
	kindQuoted                 // `…`, or "…" under ANSI_QUOTES
	kindString                 // '…', or "…" without ANSI_QUOTES; one literal, adjacent ones stay apart
	kindPrefixed               // x'…' and b'…'
	kindNumber                 // 1, 1.5e3, .5, 0x1f
	kindVariable               // @v, @@v, @'v', @@global.v
	kindPunct                  // any other single byte
	kindUnfinished             // string, quoted name or comment that the text ends in
)

// token is a piece of the text: bytes [start, end).
type token struct {
	kind       kind
	start, end int
}

func (t token) span() span { return span{t.start, t.end} }

// mode holds what changes the lexical structure.
type mode struct {
	ansiQuotes         bool // "…" quotes a name
	noBackslashEscapes bool // \ in a string is an ordinary byte
}

// span is a half-open range of bytes.
type span struct{ start, end int }

// lexer walks MySQL text token by token. It allocates nothing unless the text has an executable comment (/*!…*/),
// whose markers it collects: the tokens inside are then returned like any others, or, when the comment asks for a
// newer server than executableVersionMax, the whole comment is collected and skipped.
type lexer struct {
	text string
	mode mode
	pos  int
	// inside is true between the markers of an executable comment.
	inside bool
	// markers are the spans of executable comment markers, and of whole executable comments that don't apply.
	markers []span
	// foreign is true once a word had a byte that the base grammar knows in quoted names only.
	foreign bool
	// dashes are positions of "--" that MySQL reads as two minus signs and the base grammar as a comment.
	dashes []int
}

// A class says what a byte may begin; the bits of word bytes can be gathered over a word.
const (
	classOther  uint8 = 0
	classSpace  uint8 = 1
	classQuote  uint8 = 2
	classStart  uint8 = 3 // may begin a comment, number or variable
	classWord   uint8 = 0x80
	classDigit  uint8 = classWord | 0x40
	classLetter uint8 = classWord | 0x20
	foreign     uint8 = 0x10 // of a letter: not one that the base grammar takes in unquoted names
)

// classes maps each byte to its class.
var classes = func() (c [256]uint8) {
	for b := 0; b < 256; b++ {
		switch {
		case b == ' ' || b >= '\t' && b <= '\r':
			c[b] = classSpace
		case b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b == '_':
			c[b] = classLetter
		case b == '$' || b >= 0x80:
			c[b] = classLetter | foreign
		case b >= '0' && b <= '9':
			c[b] = classDigit
		case b == '\'' || b == '"' || b == '`':
			c[b] = classQuote
		case b == '/' || b == '-' || b == '#' || b == '.' || b == '@' || b == '*':
			c[b] = classStart
		}
	}
	return c
}()

func isWordByte(b byte) bool { return classes[b]&classWord != 0 }

// next returns the next token; at the end of the text, kindEnd for ever.
func (l *lexer) next() token {
	text := l.text
	for l.pos < len(text) {
		start := l.pos
		b := text[start]
		switch classes[b] {
		case classSpace:
			l.pos++
		case classLetter, classLetter | foreign:
			return l.word()
		case classDigit:
			return l.number()
		case classQuote:
			return l.quoted(b)
		case classStart:
			if t, ok := l.special(b); ok {
				return t
			}
		default:
			l.pos++
			return token{kindPunct, start, l.pos}
		}
	}
	return token{kindEnd, len(text), len(text)}
}

func (l *lexer) word() token {
	start, text := l.pos, l.text
	gathered := classes[text[start]]
	i := start + 1
	for i < len(text) {
		c := classes[text[i]]
		if c&classWord == 0 {
			break
		}
		gathered |= c
		i++
	}
	l.foreign = l.foreign || gathered&foreign != 0
	l.pos = i
	if i == start+1 && i < len(l.text) && l.text[i] == '\'' {
		if b := l.text[start] | 0x20; b == 'x' || b == 'b' {
			end := strings.IndexByte(l.text[i+1:], '\'')
			if end < 0 {
				l.pos = len(l.text)
				return token{kindUnfinished, start, l.pos}
			}
			l.pos = i + 1 + end + 1
			return token{kindPrefixed, start, l.pos}
		}
	}
	return token{kindWord, start, i}
}

// number scans a number. A word that begins with a digit (1a, legal as a name in MySQL) is a word.
func (l *lexer) number() token {
	start, i := l.pos, l.pos
	for i < len(l.text) && classes[l.text[i]] == classDigit {
		i++
	}
	if i < len(l.text) && l.text[i] == '.' {
		i++
		for i < len(l.text) && classes[l.text[i]] == classDigit {
			i++
		}
	}
	if i < len(l.text) && l.text[i]|0x20 == 'e' {
		j := i + 1
		if j < len(l.text) && (l.text[j] == '+' || l.text[j] == '-') {
			j++
		}
		if j < len(l.text) && classes[l.text[j]] == classDigit {
			for j < len(l.text) && classes[l.text[j]] == classDigit {
				j++
			}
			i = j
		}
	}
	k := kindNumber
	if i < len(l.text) && classes[l.text[i]]&^foreign == classLetter {
		k = kindWord
		if i == start+1 && l.text[start] == '0' && l.text[i]|0x20 == 'x' {
			k = kindNumber
		}
		for i < len(l.text) && isWordByte(l.text[i]) {
			i++
		}
	}
	l.pos = i
	return token{k, start, i}
}

func (l *lexer) quoted(quote byte) token {
	start := l.pos
	k := kindString
	if quote == '`' || quote == '"' && l.mode.ansiQuotes {
		k = kindQuoted
	}
	end := closingQuote(l.text, start+1, quote, k == kindString && !l.mode.noBackslashEscapes)
	if end < 0 {
		l.pos = len(l.text)
		return token{kindUnfinished, start, l.pos}
	}
	l.pos = end
	return token{k, start, end}
}

// closingQuote returns the position behind the quote that closes a literal whose content begins at i, or -1.
func closingQuote(text string, i int, quote byte, escapes bool) int {
	for {
		q := strings.IndexByte(text[i:], quote)
		if q < 0 {
			return -1
		}
		if escapes {
			if e := strings.IndexByte(text[i:i+q], '\\'); e >= 0 {
				i += e + 2
				if i > len(text) {
					return -1
				}
				continue
			}
		}
		i += q + 1
		if i < len(text) && text[i] == quote {
			i++
			continue
		}
		return i
	}
}

// special handles bytes that may begin a comment, a number or a variable. It returns false after skipping something.
func (l *lexer) special(b byte) (token, bool) {
	start := l.pos
	var after byte
	if start+1 < len(l.text) {
		after = l.text[start+1]
	}
	switch {
	case b == '#':
		l.skipLine()
		return token{}, false
	case b == '-' && after == '-':
		if start+2 >= len(l.text) || l.text[start+2] <= ' ' {
			l.skipLine()
			return token{}, false
		}
		l.dashes = append(l.dashes, start)
	case b == '/' && after == '*':
		return l.comment()
	case b == '*' && after == '/' && l.inside:
		l.inside = false
		l.pos = start + 2
		l.markers = append(l.markers, span{start, start + 2})
		return token{}, false
	case b == '.' && classes[after] == classDigit && (start == 0 || !isWordByte(l.text[start-1]) && l.text[start-1] != '`'):
		l.pos++
		t := l.number()
		return token{kindNumber, start, t.end}, true
	case b == '@':
		return l.variable(), true
	}
	l.pos++
	return token{kindPunct, start, l.pos}, true
}

func (l *lexer) skipLine() {
	if n := strings.IndexByte(l.text[l.pos:], '\n'); n >= 0 {
		l.pos += n + 1
	} else {
		l.pos = len(l.text)
	}
}

func (l *lexer) comment() (token, bool) {
	start := l.pos
	if !l.inside && start+2 < len(l.text) && l.text[start+2] == '!' {
		digits, version := 0, 0
		for i := start + 3; i < len(l.text) && digits < 6 && classes[l.text[i]] == classDigit; i++ {
			version = version*10 + int(l.text[i]-'0')
			digits++
		}
		if digits < 5 {
			digits, version = 0, 0
		}
		if version <= executableVersionMax {
			l.inside = true
			l.pos = start + 3 + digits
			l.markers = append(l.markers, span{start, l.pos})
			return token{}, false
		}
	}
	end := commentEnd(l.text, start)
	if end < 0 {
		l.pos = len(l.text)
		return token{kindUnfinished, start, l.pos}, true
	}
	l.pos = end
	if l.inside || executableLook(l.text[start:end]) {
		// The base grammar would run it, or take its end for the end of the outer comment.
		l.markers = append(l.markers, span{start, end})
	}
	return token{}, false
}

// executableLook tells whether the base grammar takes a comment for an executable one.
func executableLook(comment string) bool {
	return strings.HasPrefix(comment, "/*!") || strings.HasPrefix(comment, "/*M!")
}

// commentEnd returns the position behind the comment that begins at start, or -1. One level of nesting is known, as
// in MySQL, and only where the outer comment is an executable one that is being skipped.
func commentEnd(text string, start int) int {
	i := start + 2
	nests := executableLook(text[start:])
	for {
		e := strings.Index(text[i:], "*/")
		if e < 0 {
			return -1
		}
		if nests {
			if n := strings.Index(text[i:i+e], "/*"); n >= 0 {
				i += e + 2
				nests = false
				continue
			}
		}
		return i + e + 2
	}
}

// variable scans @name, @'name', @`name`, @@name and @@scope.name; a lone @ is punctuation (user@host).
func (l *lexer) variable() token {
	start := l.pos
	i := start + 1
	if i < len(l.text) && l.text[i] == '@' {
		i++
	}
	nameAt := i
	if i < len(l.text) && classes[l.text[i]] == classQuote {
		end := closingQuote(l.text, i+1, l.text[i], l.text[i] != '`' && !l.mode.noBackslashEscapes)
		if end < 0 {
			l.pos = len(l.text)
			return token{kindUnfinished, start, l.pos}
		}
		l.pos = end
		return token{kindVariable, start, end}
	}
	for i < len(l.text) && (isWordByte(l.text[i]) || l.text[i] == '.') {
		i++
	}
	l.pos = i
	if i == nameAt {
		return token{kindPunct, start, i}
	}
	return token{kindVariable, start, i}
}

// is tells whether t is the given keyword; lower must be in lower case.
func (t token) is(text, lower string) bool {
	return t.kind == kindWord && t.end-t.start == len(lower) && equalFold(text[t.start:t.end], lower)
}

// punct tells whether t is the given punctuation byte.
func (t token) punct(text string, b byte) bool {
	return t.kind == kindPunct && text[t.start] == b
}

// equalFold compares ASCII text with a lower-case word of the same length.
func equalFold(s, lower string) bool {
	for i := 0; i < len(s); i++ {
		b := s[i]
		if b >= 'A' && b <= 'Z' {
			b |= 0x20
		}
		if b != lower[i] {
			return false
		}
	}
	return true
}
