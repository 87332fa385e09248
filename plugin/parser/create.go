package parser

import (
	"context"
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// CreateMissing is CREATE TRIGGER or CREATE PROCEDURE with IF NOT EXISTS: nothing happens, but note 1359 or 1304, if
// the object is there; else Create is run.
type CreateMissing struct {
	Procedure bool // else a trigger
	Object    Name
	// CreateText is the statement without IF NOT EXISTS; Create is its tree, whose positions refer to it.
	CreateText string
	Create     ast.Statement
}

func (*CreateMissing) isStatement() {}

func (s *CreateMissing) String() string { return s.CreateText }

// createMissing reads CREATE [DEFINER = u] TRIGGER | PROCEDURE IF NOT EXISTS …; nil for anything else.
func (p *Parser) createMissing(ctx context.Context, r *reader) (ast.Statement, error) {
	start := r.s.tokens[r.i-1].start
	if _, err := r.definerClause(); err != nil {
		return nil, nil
	}
	procedure := r.words("procedure")
	if !procedure && !r.words("trigger") {
		return nil, nil
	}
	cut := r.at()
	if !r.words("if", "not", "exists") {
		return nil, nil
	}
	rest := r.at()
	name, ok := r.qualified()
	if !ok {
		return nil, r.fail()
	}
	head := r.s.text[start:cut]
	parsed, err := p.parse(r.s.sameMode(ctx), head+r.s.text[rest:], r.s.options, r.s.one)
	if err != nil {
		return nil, err
	}
	r.skipTo(rest + parsed.end - len(head))
	if r.last() <= rest {
		return nil, r.fail()
	}
	c := &CreateMissing{
		Procedure:  procedure,
		Object:     name,
		CreateText: strings.TrimSpace(head + r.s.text[rest:r.last()]),
		Create:     parsed.stmt,
	}
	p.clampPositions(c.Create, len(c.CreateText))
	p.hideBody(c.Create)
	auth := authInDatabase(ast.AuthType_CREATE_ROUTINE, name.Database)
	if ddl, ok := parsed.stmt.(*ast.DDL); ok && !procedure {
		auth = ddl.Auth
	}
	return p.inject(c, auth), nil
}

// skipTo goes to the token at or behind position end, but leaves the semicolon of the statement to be read.
func (r *reader) skipTo(end int) {
	for r.i < len(r.s.tokens) && r.s.tokens[r.i].start < end {
		r.i++
	}
	if r.i > 0 && r.s.punct(r.i-1, ';') && r.s.tokens[r.i-1].end >= end {
		r.i--
	}
}

// routineTypes takes character sets and collations out of the parameters of CREATE PROCEDURE, where the base grammar
// has no place for them, and notes them for setRoutineTypes.
func (s *source) routineTypes() {
	i := 0
	for i < len(s.tokens) && i < headTokens && !s.word(i, "procedure") {
		i++
	}
	for i < len(s.tokens) && !s.punct(i, '(') {
		if i > headTokens {
			return
		}
		i++
	}
	depth, param := 0, 0
	for ; i < len(s.tokens); i++ {
		switch {
		case s.punct(i, '('):
			depth++
		case s.punct(i, ')'):
			if depth--; depth == 0 {
				return
			}
		case depth == 1 && s.punct(i, ','):
			param++
		case depth == 1 && s.word(i, "charset"):
			i = s.takeType(param, i, i+1, true)
		case depth == 1 && (s.word(i, "character") || s.word(i, "char")) && s.word(i+1, "set"):
			i = s.takeType(param, i, i+2, true)
		case depth == 1 && s.word(i, "collate"):
			i = s.takeType(param, i, i+1, false)
		}
	}
}

// paramType is the character set and collation of a parameter.
type paramType struct{ charset, collation string }

// takeType takes out the tokens from first to value, the name of a character set or collation.
func (s *source) takeType(param, first, value int, charset bool) int {
	r := &reader{s: s, i: value}
	name, ok := r.name()
	if !ok {
		if name, ok = r.str(); !ok {
			return first
		}
	}
	if s.paramTypes == nil {
		s.paramTypes = map[int]paramType{}
	}
	t := s.paramTypes[param]
	if charset {
		t.charset = name
	} else {
		t.collation = name
	}
	s.paramTypes[param] = t
	s.edits = append(s.edits, edit{span{s.tokens[first].start, s.tokens[value].end}, "", false})
	return value
}

// setRoutineTypes gives the parameters what routineTypes took out.
func (s *source) setRoutineTypes(stmt ast.Statement) {
	ddl, ok := stmt.(*ast.DDL)
	if !ok || ddl.ProcedureSpec == nil {
		return
	}
	for i, t := range s.paramTypes {
		if i < len(ddl.ProcedureSpec.Params) {
			ddl.ProcedureSpec.Params[i].Type.Charset = t.charset
			ddl.ProcedureSpec.Params[i].Type.Collate = t.collation
		}
	}
}
