package parser

import (
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// TransactionOptions are what a statement says of a transaction; what it leaves open is empty.
type TransactionOptions struct {
	Isolation string // as in @@transaction_isolation: REPEATABLE-READ, …
	Access    string // READ ONLY or READ WRITE
}

// Begin is BEGIN and START TRANSACTION.
type Begin struct {
	TransactionOptions
	Snapshot bool // WITH CONSISTENT SNAPSHOT
}

// Choice is a word that may be written, be denied by NO, or be absent.
type Choice int8

const (
	Unsaid Choice = iota
	Yes
	No
)

// EndTransaction is COMMIT and ROLLBACK, but not ROLLBACK TO.
type EndTransaction struct {
	Rollback       bool
	Chain, Release Choice
}

// SetTransaction is SET TRANSACTION without a scope, which counts for the next transaction only.
type SetTransaction struct{ TransactionOptions }

func (*Begin) isStatement()          {}
func (*EndTransaction) isStatement() {}
func (*SetTransaction) isStatement() {}

func (s *Begin) String() string {
	var options []string
	if s.Snapshot {
		options = append(options, "WITH CONSISTENT SNAPSHOT")
	}
	if s.Access != "" {
		options = append(options, s.Access)
	}
	return strings.TrimSpace("START TRANSACTION " + strings.Join(options, ", "))
}

func (s *EndTransaction) String() string {
	text := "COMMIT"
	if s.Rollback {
		text = "ROLLBACK"
	}
	text += map[Choice]string{Yes: " AND CHAIN", No: " AND NO CHAIN"}[s.Chain]
	return text + map[Choice]string{Yes: " RELEASE", No: " NO RELEASE"}[s.Release]
}

func (s *SetTransaction) String() string {
	var options []string
	if s.Isolation != "" {
		options = append(options, "ISOLATION LEVEL "+strings.ReplaceAll(s.Isolation, "-", " "))
	}
	if s.Access != "" {
		options = append(options, s.Access)
	}
	return "SET TRANSACTION " + strings.Join(options, ", ")
}

// begin reads what follows BEGIN; nil if it is not the statement's only word but WORK.
func (p *Parser) begin(r *reader) ast.Statement {
	r.words("work")
	if !r.atEnd() {
		return nil
	}
	return p.inject(&Begin{}, authNone)
}

// startTransaction reads the characteristics of START TRANSACTION, each at most once.
func (p *Parser) startTransaction(r *reader) (ast.Statement, error) {
	s := &Begin{}
	if r.atEnd() {
		return p.inject(s, authNone), nil
	}
	for {
		switch {
		case !s.Snapshot && r.words("with", "consistent", "snapshot"):
			s.Snapshot = true
		case s.Access == "" && r.access(&s.Access):
		default:
			return nil, r.fail()
		}
		if !r.punct(',') {
			return p.inject(s, authNone), nil
		}
	}
}

// access reads READ ONLY or READ WRITE.
func (r *reader) access(into *string) bool {
	switch {
	case r.words("read", "only"):
		*into = "READ ONLY"
	case r.words("read", "write"):
		*into = "READ WRITE"
	default:
		return false
	}
	return true
}

// endTransaction reads what follows COMMIT or ROLLBACK; nil for what the base grammar is to read.
func (p *Parser) endTransaction(r *reader, rollback bool) (ast.Statement, error) {
	s := &EndTransaction{Rollback: rollback}
	r.words("work")
	switch {
	case r.words("and", "no", "chain"):
		s.Chain = No
	case r.words("and", "chain"):
		s.Chain = Yes
	}
	switch {
	case r.words("no", "release"):
		s.Release = No
	case s.Chain == Yes && r.words("release"):
		r.i--
		return nil, r.fail()
	case r.words("release"):
		s.Release = Yes
	}
	if !r.atEnd() {
		return nil, nil
	}
	return p.inject(s, authNone), nil
}

// setTransaction reads what follows SET TRANSACTION.
func (p *Parser) setTransaction(r *reader) (ast.Statement, error) {
	s := &SetTransaction{}
	for {
		switch {
		case s.Isolation == "" && r.words("isolation", "level"):
			if !r.level(&s.Isolation) {
				return nil, r.fail()
			}
		case s.Access == "" && r.access(&s.Access):
		default:
			return nil, r.fail()
		}
		if !r.punct(',') {
			return p.inject(s, authNone), nil
		}
	}
}

// level reads an isolation level.
func (r *reader) level(into *string) bool {
	for _, words := range [][]string{{"repeatable", "read"}, {"read", "committed"}, {"read", "uncommitted"}, {"serializable"}} {
		if r.words(words...) {
			*into = strings.ToUpper(strings.Join(words, "-"))
			return true
		}
	}
	return false
}

// isNextCharacteristic tells whether a variable without a scope, if set, speaks of the next transaction only.
func isNextCharacteristic(variable string) bool {
	return equalFoldAny(variable, "@@transaction_isolation", "@@transaction_read_only")
}

// setNext reads SET @@transaction_isolation = … and SET @@transaction_read_only = … with a literal: without a scope,
// these are SET TRANSACTION. Nil for all else.
func (p *Parser) setNext(r *reader) ast.Statement {
	if r.i >= len(r.s.tokens) || r.s.tokens[r.i].kind != kindVariable {
		return nil
	}
	t := r.s.tokens[r.i]
	variable := r.s.text[t.start:t.end]
	if !isNextCharacteristic(variable) {
		return nil
	}
	r.i++
	if r.punct(':') && !r.s.punct(r.i, '=') || !r.punct('=') {
		return nil
	}
	value, ok := r.str()
	if !ok && r.i < len(r.s.tokens) {
		value = r.s.text[r.s.tokens[r.i].start:r.s.tokens[r.i].end]
		r.i++
	}
	if !r.atEnd() {
		return nil
	}
	s := &SetTransaction{}
	switch value = strings.ToUpper(value); {
	case equalFoldAny(variable, "@@transaction_read_only") && (value == "0" || value == "OFF" || value == "FALSE"):
		s.Access = "READ WRITE"
	case equalFoldAny(variable, "@@transaction_read_only") && (value == "1" || value == "ON" || value == "TRUE"):
		s.Access = "READ ONLY"
	case equalFoldAny(variable, "@@transaction_isolation"):
		for _, level := range []string{"REPEATABLE-READ", "READ-COMMITTED", "READ-UNCOMMITTED", "SERIALIZABLE"} {
			if value == level {
				s.Isolation = level
			}
		}
	}
	if s.TransactionOptions == (TransactionOptions{}) {
		return nil
	}
	return p.inject(s, authNone)
}

// atEnd tells whether the statement ends here, and leaves its semicolon.
func (r *reader) atEnd() bool {
	return r.i >= len(r.s.tokens) || r.s.punct(r.i, ';')
}
