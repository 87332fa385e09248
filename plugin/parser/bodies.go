package parser

import (
	"context"
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// ownMarkName is the procedure whose call stands for a statement of ours in a body; a number follows.
const ownMarkName = "\x01own"

// bodies replaces statements of ours in the body of a routine, trigger or event by calls that restoreOwn turns back.
func (p *Parser) bodies(ctx context.Context, s *source) error {
	for i := 0; i < len(s.tokens); i++ {
		if !s.ownInBody(i) {
			continue
		}
		end := s.statementEnd(i)
		part := &source{given: s.text[s.tokens[i].start:s.tokens[end-1].end], mode: s.mode, options: s.options}
		part.open()
		stmt, _, ok, err := p.own(ctx, part)
		if err != nil && !s.one {
			return err
		}
		if err != nil || !ok {
			continue
		}
		cut := span{s.tokens[i].start, s.tokens[end-1].end}
		s.dropEdits(cut)
		s.edits = append(s.edits, edit{cut, "CALL `" + ownMarkName + itoa(len(s.own)) + "`()", false})
		s.own = append(s.own, stmt)
		i = end - 1
	}
	return nil
}

// ownInBody tells whether a statement of ours begins at token i.
func (s *source) ownInBody(i int) bool {
	t := s.tokens[i]
	switch {
	case t.is(s.text, "check"), t.is(s.text, "checksum"), t.is(s.text, "repair"), t.is(s.text, "optimize"):
		return s.word(i+1, "table") || s.word(i+1, "local") || s.word(i+1, "no_write_to_binlog")
	case t.is(s.text, "do"), t.is(s.text, "commit"), t.is(s.text, "rollback"):
		return s.beginsStatement(i)
	case t.is(s.text, "start"), t.is(s.text, "set"):
		return s.word(i+1, "transaction") && s.beginsStatement(i)
	}
	return false
}

// beginsStatement tells whether a statement of a body begins at token i. The DO of WHILE … DO or of an event begins
// none: it follows an expression or a clause.
func (s *source) beginsStatement(i int) bool {
	if i == 0 || s.word(i-1, "end") {
		return false
	}
	for _, before := range []string{"begin", "then", "else", "loop", "repeat", "row", "do"} {
		if s.word(i-1, before) {
			return true
		}
	}
	return s.punct(i-1, ';')
}

// statementEnd returns the token behind the simple statement at i: a semicolon, or the END of its block.
func (s *source) statementEnd(i int) int {
	for n := i + 1; n < len(s.tokens); n++ {
		if s.punct(n, ';') {
			return n
		}
	}
	return len(s.tokens)
}

// dropEdits forgets edits inside a span that is replaced as a whole.
func (s *source) dropEdits(cut span) {
	kept := s.edits[:0]
	for _, e := range s.edits {
		if e.start < cut.start || e.end > cut.end {
			kept = append(kept, e)
		}
	}
	s.edits = kept
}

// restoreOwn puts the statements of ours back into a body.
func (p *Parser) restoreOwn(stmt ast.Statement, s *source) ast.Statement {
	return p.walker.walk(stmt, func(n any) (any, bool) {
		if c, ok := n.(*ast.Call); ok {
			if number, ok := strings.CutPrefix(c.ProcName.Name.String(), ownMarkName); ok {
				return s.own[atoi(number)], false
			}
		}
		return n, true
	})
}
