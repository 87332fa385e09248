package parser

import "strings"

// hint names a reason to look closer at a statement.
type hint uint16

const (
	hintText      hint = 1 << iota // the text needs edits before the base grammar reads it
	hintOwn                        // may be, or contain, a statement of our own
	hintLock                       // FOR UPDATE, FOR SHARE, LOCK IN SHARE MODE
	hintTableless                  // a SELECT without FROM, or FROM DUAL
	hintVector                     // a function that makes a vector from text
	hintHaving                     // HAVING and ORDER BY
	hintRollup                     // WITH ROLLUP
	hintCreate                     // CREATE or ALTER: definitions
	hintPartition                  // t PARTITION (p, …)
	hintSets                       // ANY (, ALL (, SOME (
	hintConstant                   // a comparison, and a decimal or a parameter
	hintOperator                   // an arithmetic operation, or ~
	hintWindow                     // DISTINCT and OVER
	hintAggregate                  // an aggregate behind WHERE
	hintConcat                     // GROUP_CONCAT
)

// scanned is what one pass over the tokens of a statement finds out.
type scanned struct {
	hints hint
	// end is the position behind the first statement and its semicolon; len(text) if there is only one.
	end int
	// compound statements may have semicolons inside: end is then len(text) and the base grammar finds the real one.
	compound bool
}

// headTokens is how far into CREATE … the kind of object is looked for: CREATE OR REPLACE ALGORITHM = x DEFINER = u @ h
// SQL SECURITY x is the longest that can stand before it.
const headTokens = 20

// modifierTokens is how far behind the verb the words are looked for that modifier knows.
const modifierTokens = 8

// depthMax is how many nested parentheses the search for SELECTs without FROM follows; deeper ones count as found.
const depthMax = 64

// scan looks at the tokens of the first statement of text (all of text unless one). It allocates nothing for a
// statement that needs no help.
func scan(text string, m mode, one bool) scanned {
	l := lexer{text: text, mode: m}
	s := scanner{text: text}
	r := scanned{end: len(text)}
	for {
		t := l.next()
		if t.kind == kindEnd {
			break
		}
		if t.kind == kindPunct && text[t.start] == ';' {
			s.close()
			if one && !s.compound {
				r.end = t.end
				break
			}
			s.afterSemicolon()
			continue
		}
		s.token(t)
	}
	s.close()
	if len(l.markers) > 0 || len(l.dashes) > 0 || l.foreign {
		s.hints |= hintText
	}
	if s.compares && s.rounds {
		s.hints |= hintConstant
	}
	r.hints, r.compound = s.hints, s.compound
	return r
}

// scanner holds the state of scan between tokens.
type scanner struct {
	text     string
	hints    hint
	n        int // tokens of the statement so far
	create   bool
	deletes  bool
	sets     bool
	compound bool
	// open has a bit per depth of parentheses: a SELECT there has had no FROM yet.
	open     uint64
	depth    int
	previous token
	having   bool
	// beforeCompares is true if a comparison stands in front of the word read last.
	beforeCompares bool
	// compares and rounds: a comparison was read, and something that the binder might round in one.
	compares, rounds bool
	// distinct and where: these words were read.
	distinct, where bool
	// negates: a minus sign was read that belongs to what follows, if that is no number.
	negates bool
}

func (s *scanner) token(t token) {
	if s.negates {
		s.negates = false
		if t.kind != kindNumber {
			s.hints |= hintOperator
		}
	}
	switch t.kind {
	case kindVariable:
		if s.sets && s.n == 1 && isNextCharacteristic(s.text[t.start:t.end]) {
			s.hints |= hintOwn
		}
	case kindWord:
		s.word(t)
		s.beforeCompares = s.previous.kind == kindPunct && isComparison(s.text[s.previous.start])
	case kindNumber:
		s.rounds = s.rounds || strings.IndexByte(s.text[t.start:t.end], '.') >= 0
	case kindPunct:
		switch s.text[t.start] {
		case '=', '<', '>':
			s.compares = true
		case '?':
			s.rounds = true
		case '~':
			s.hints |= hintOperator
		case '+', '-', '*':
			s.operator(s.text[t.start])
		case '(':
			s.depth++
			s.openParen()
		case ')':
			if s.depth < depthMax && s.open&(1<<s.depth) != 0 {
				s.open &^= 1 << s.depth
				s.hints |= hintTableless
			}
			if s.depth > 0 {
				s.depth--
			}
		}
	case kindString:
		if s.previous.kind == kindWord && s.previous.end == t.start && s.previous.is(s.text, "n") {
			s.hints |= hintText
		}
	}
	s.previous = t
	s.n++
}

// operator looks at the token in front of a sign: an operand, or not.
func (s *scanner) operator(sign byte) {
	switch s.previous.kind {
	case kindPunct:
		if b := s.text[s.previous.start]; b != ')' && b != '?' {
			s.negates = sign == '-'
			return
		}
	case kindWord:
		if sign == '*' && s.previous.is(s.text, "select") {
			return
		}
	}
	s.hints |= hintOperator
}

// openParen looks at the word in front of a parenthesis.
func (s *scanner) openParen() {
	t := s.previous
	if t.kind != kindWord {
		return
	}
	switch t.end - t.start {
	case 3, 4:
		if s.beforeCompares && (t.is(s.text, "any") || t.is(s.text, "all") || t.is(s.text, "some")) {
			s.hints |= hintSets | hintText
		}
		if s.where && equalFoldAny(s.text[t.start:t.end], "sum", "avg", "min", "max") {
			s.hints |= hintAggregate
		}
	case 5:
		if s.where && t.is(s.text, "count") {
			s.hints |= hintAggregate
		}
	case 9:
		if t.is(s.text, "partition") {
			s.hints |= hintPartition
		}
	}
}

// afterSemicolon is for bodies of compound statements: every statement inside may be one of our own.
func (s *scanner) afterSemicolon() {
	s.open = 0
	s.depth = 0
	s.previous = token{}
	s.n++
}

// close ends a statement: SELECTs still open had no FROM.
func (s *scanner) close() {
	if s.open != 0 {
		s.hints |= hintTableless
	}
	s.open = 0
}

// word classifies a word by length and first byte before it compares: most words are names and fall through.
func (s *scanner) word(t token) {
	if s.n == 0 {
		s.first(t)
	} else if s.sets && s.n == 1 && t.is(s.text, "transaction") {
		s.hints |= hintOwn
	} else if s.n < modifierTokens && s.modifier(t) {
		s.hints |= hintText
	} else if s.create && s.n < headTokens {
		s.head(t)
	}
	w := s.text[t.start:t.end]
	switch len(w) {
	case 3:
		if equalFold(w, "for") {
			s.hints |= hintLock
		}
	case 4:
		switch w[0] | 0x20 {
		case 'f':
			if equalFold(w, "from") {
				s.open &^= 1 << min(s.depth, depthMax-1)
			}
		case 'l':
			if equalFold(w, "lock") {
				s.hints |= hintLock
			}
		case 'o':
			if s.distinct && equalFold(w, "over") {
				s.hints |= hintWindow
			}
		case 'd':
			if equalFold(w, "dual") && s.previous.is(s.text, "from") {
				s.hints |= hintTableless
			}
		}
	case 5:
		if w[0]|0x20 == 'o' && equalFold(w, "order") {
			if s.having {
				s.hints |= hintHaving
			}
		}
		s.where = s.where || w[0]|0x20 == 'w' && equalFold(w, "where")
	case 6:
		s.six(w)
	case 8:
		s.distinct = s.distinct || equalFold(w, "distinct")
	case 9, 12, 16:
		if w[0]|0x20 == 'g' && equalFold(w, "group_concat") {
			s.hints |= hintConcat
		}
		if b := w[0] | 0x20; b == 't' || b == 'v' || b == 's' {
			if equalFoldAny(w, "to_vector", "vec_fromtext", "string_to_vector") {
				s.hints |= hintVector
			}
		}
	}
}

func (s *scanner) six(w string) {
	switch w[0] | 0x20 {
	case 's':
		if equalFold(w, "select") {
			if s.depth >= depthMax {
				s.hints |= hintTableless
				return
			}
			if s.open&(1<<s.depth) != 0 {
				s.hints |= hintTableless
			}
			s.open |= 1 << s.depth
		}
	case 'h':
		if equalFold(w, "having") {
			s.having = true
		}
	case 'r':
		if equalFold(w, "rollup") {
			s.hints |= hintRollup | hintText
		}
	}
}

// first decides by the first word of a statement.
func (s *scanner) first(t token) {
	w := s.text[t.start:t.end]
	switch len(w) {
	case 2:
		if equalFoldAny(w, "do", "xa") {
			s.hints |= hintOwn
		}
	case 3:
		s.sets = equalFold(w, "set")
	case 4:
		if equalFoldAny(w, "drop", "show", "lock", "desc") {
			s.hints |= hintOwn
		}
	case 5:
		if equalFoldAny(w, "begin", "start", "flush") {
			s.hints |= hintOwn
		}
		if equalFoldAny(w, "alter", "check") {
			s.hints |= hintOwn | hintCreate | hintText
			s.create = true
		}
	case 6:
		switch {
		case equalFold(w, "create"):
			s.hints |= hintOwn | hintCreate | hintText
			s.create = true
		case equalFoldAny(w, "repair", "rename", "commit", "unlock"):
			s.hints |= hintOwn
		case equalFold(w, "delete"):
			s.deletes = true
		}
	case 7:
		if equalFoldAny(w, "analyze", "handler", "explain") {
			s.hints |= hintOwn
		}
	case 8:
		if equalFoldAny(w, "checksum", "optimize", "rollback", "describe") {
			s.hints |= hintOwn
		}
	}
}

// modifier tells whether t, near the begin of a statement, is a word that the base grammar doesn't know there.
func (s *scanner) modifier(t token) bool {
	switch w := s.text[t.start:t.end]; len(w) {
	case 2:
		return s.deletes && equalFold(w, "as")
	case 5:
		return equalFold(w, "quick")
	case 7:
		return equalFold(w, "delayed")
	case 8:
		return equalFold(w, "password")
	case 12, 13:
		return equalFoldAny(w, "low_priority", "high_priority")
	}
	return false
}

// head looks at the words behind CREATE and ALTER.
func (s *scanner) head(t token) {
	w := s.text[t.start:t.end]
	switch len(w) {
	case 5:
		if equalFold(w, "event") {
			s.compound = true
		}
	case 7:
		if equalFold(w, "trigger") {
			s.compound = true
		}
	case 8:
		if equalFold(w, "function") {
			s.compound = true
		}
	case 9:
		if equalFold(w, "procedure") {
			s.compound = true
		}
	}
}

func isComparison(b byte) bool { return b == '=' || b == '<' || b == '>' }

func equalFoldAny(w string, lower ...string) bool {
	for _, l := range lower {
		if len(l) == len(w) && equalFold(w, l) {
			return true
		}
	}
	return false
}
