package parser

import (
	"sort"
	"strings"
)

// edit replaces the bytes of a span.
type edit struct {
	span
	text string
	// shown edits must not show in the heading of a column: the heading is taken from the text before the edit.
	shown bool
}

// textMap relates positions in an edited text to positions in the text before.
type textMap struct {
	// Parallel lists, ascending: from to[i] on, position p was from[i] + (p - to[i]), but never more than until[i].
	to, from, until []int
	edits           []edit
	before, after   int // lengths
}

// apply carries out edits and returns the new text with its map. Of two edits that overlap the first one counts; rules
// are written so that this happens in text only that the base grammar refuses anyway.
func apply(text string, edits []edit) (string, *textMap) {
	sort.SliceStable(edits, func(i, j int) bool { return edits[i].start < edits[j].start })
	var out strings.Builder
	m := &textMap{edits: edits, before: len(text)}
	out.Grow(len(text) + 32*len(edits))
	at := 0
	piece := func(from, until int) {
		m.to = append(m.to, out.Len())
		m.from = append(m.from, from)
		m.until = append(m.until, until)
	}
	for _, e := range edits {
		if e.start < at {
			continue
		}
		piece(at, e.start)
		out.WriteString(text[at:e.start])
		piece(e.start, e.end)
		out.WriteString(e.text)
		at = e.end
	}
	piece(at, len(text))
	out.WriteString(text[at:])
	m.after = out.Len()
	return out.String(), m
}

// back returns the position before the edits. Positions inside a replacement go to the replaced span.
func (m *textMap) back(p int) int {
	if m == nil {
		return p
	}
	if p >= m.after {
		return m.before + p - m.after
	}
	i := sort.SearchInts(m.to, p+1) - 1
	if i < 0 {
		return p
	}
	// Empty pieces share their start with the next one; the last of them is the piece that holds p.
	return min(m.from[i]+p-m.to[i], m.until[i])
}

// backEnd is back for the end of a range: it stays right behind the byte that the range ended with.
func (m *textMap) backEnd(p int) int {
	if m == nil || p <= 0 || p > m.after {
		return m.back(p)
	}
	i := sort.SearchInts(m.to, p) - 1
	if i < 0 {
		return p
	}
	if i+1 < len(m.to) && p == m.to[i+1] {
		return m.until[i]
	}
	return min(m.from[i]+p-m.to[i], m.until[i])
}

// hidesIn tells whether a shown edit falls into the range [start, end) of the text before the edits.
func (m *textMap) hidesIn(start, end int) bool {
	if m == nil {
		return false
	}
	for _, e := range m.edits {
		if e.shown && e.start >= start && e.end <= end {
			return true
		}
	}
	return false
}

// replace notes an edit of the tokens [first, last].
func (s *source) replace(first, last int, text string, shown bool) {
	if first < 0 || first >= len(s.tokens) || last >= len(s.tokens) {
		return
	}
	s.edits = append(s.edits, edit{span{s.tokens[first].start, s.tokens[last].end}, text, shown})
}

// lex returns all tokens of text, without the end.
func lex(text string, m mode) ([]token, *lexer) {
	l := &lexer{text: text, mode: m}
	toks := make([]token, 0, len(text)/4)
	for {
		t := l.next()
		if t.kind == kindEnd {
			return toks, l
		}
		toks = append(toks, t)
	}
}
