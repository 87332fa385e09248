package parser

import (
	"context"
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// Procedure is the text of a CREATE PROCEDURE in three parts.
type Procedure struct {
	// Head is everything up to the parameters and their closing parenthesis, Body the statement that is executed.
	Head            string
	Characteristics Characteristics
	Body            string
	// plain: backslashes in strings are no escapes.
	plain bool
}

// String is the whole statement.
func (p Procedure) String() string {
	return p.Head + p.Characteristics.text(p.plain) + "\n" + p.Body
}

// SplitProcedure takes a stored CREATE PROCEDURE apart. Other text is a syntax error.
func (p *Parser) SplitProcedure(ctx context.Context, text string, options ast.ParserOptions) (Procedure, error) {
	m := mode{ansiQuotes: options.AnsiQuotes}
	if strings.IndexByte(text, '\\') >= 0 {
		m = backslashMode(ctx, text, m)
	}
	s := &source{given: text, mode: m, options: options}
	s.open()
	r := &reader{s: s}
	if !r.words("create") {
		return Procedure{}, r.fail()
	}
	if _, err := r.definerClause(); err != nil {
		return Procedure{}, err
	}
	if !r.words("procedure") {
		return Procedure{}, r.fail()
	}
	if _, ok := r.qualified(); !ok || !r.punct('(') || !r.skipParens() {
		return Procedure{}, r.fail()
	}
	split := Procedure{Head: s.text[:r.last()], plain: m.noBackslashEscapes}
	var err error
	if split.Characteristics, err = r.characteristics(); err != nil {
		return Procedure{}, err
	}
	split.Body = s.text[r.at():]
	return split, nil
}

// ProcedureBody is the body of a procedure. The engine neither checks nor runs it: package routine does, which knows
// more of SQL's handlers and variables. It never becomes a node.
type ProcedureBody struct{ Tree ast.Statement }

func (*ProcedureBody) isStatement() {}

func (s *ProcedureBody) String() string { return ast.String(s.Tree) }

// HideBodies returns a parser that answers CREATE PROCEDURE with a ProcedureBody for its body, for an engine whose
// procedures package routine runs.
func (p *Parser) HideBodies() *Parser {
	hiding := *p
	hiding.hides = true
	return &hiding
}

// hideBody puts a ProcedureBody in the place of the body of a CREATE PROCEDURE.
func (p *Parser) hideBody(stmt ast.Statement) {
	if ddl, ok := stmt.(*ast.DDL); ok && p.hides && ddl.ProcedureSpec != nil && ddl.ProcedureSpec.Body != nil {
		ddl.ProcedureSpec.Body = p.inject(&ProcedureBody{ddl.ProcedureSpec.Body}, authNone)
	}
}

// BodyOf returns the syntax tree of the body of a CREATE PROCEDURE, nil for other statements. It belongs to whoever
// asked for the statement to be parsed.
func BodyOf(stmt ast.Statement) ast.Statement {
	ddl, ok := stmt.(*ast.DDL)
	if !ok || ddl.ProcedureSpec == nil {
		return nil
	}
	if body, ok := StatementOf(ddl.ProcedureSpec.Body).(*ProcedureBody); ok {
		return body.Tree
	}
	return ddl.ProcedureSpec.Body
}
