package parser

import (
	"context"
	"strings"
	"sync"

	"github.com/dolthub/go-mysql-server/sql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// InsertValues is INSERT INTO t [(c, …)] VALUES (…), …, where every value is NULL, a number or a string. It is read
// without a syntax tree: a tree costs more than the rows, and the binder would walk over it again.
type InsertValues struct {
	Table Name
	// Columns are those named, as written; none means all.
	Columns []string
	// Text is the whole statement; Literals point into it, PerRow of them for each row.
	Text     string
	Literals []Literal
	PerRow   int

	mode mode
}

// LiteralKind is the kind of a Literal.
type LiteralKind uint8

const (
	LiteralNull    LiteralKind = iota
	LiteralInteger             // decimal digits, perhaps behind a minus sign
	LiteralDecimal             // with a point
	LiteralFloat               // with an exponent
	LiteralString              // quoted, with escapes
)

// Literal is one value: bytes [start, end) of the statement.
type Literal struct {
	start, end uint32
	Kind       LiteralKind
}

func (*InsertValues) isStatement() {}

func (s *InsertValues) String() string { return s.Text }

// TextOf is the text of a number, the value of a string, and empty for NULL.
func (s *InsertValues) TextOf(l Literal) string { return literalText(s.Text, l, s.mode) }

func literalText(text string, l Literal, m mode) string {
	switch l.Kind {
	case LiteralNull:
		return ""
	case LiteralString:
		return stringValue(text[l.start:l.end], m)
	}
	return text[l.start:l.end]
}

// NumberKind is the kind of a number written as text; false if it is no number, or not one of the three kinds.
func NumberKind(text string) (LiteralKind, bool) {
	digits := strings.TrimPrefix(text, "-")
	if digits == "" || digits[0] == '.' && len(digits) == 1 {
		return 0, false
	}
	return numberKind(digits)
}

// DirectInserter is a Resolver that runs an InsertValues itself. It is asked for each when the statement is parsed;
// answering false leaves the statement to the base grammar.
type DirectInserter interface {
	Resolver
	InsertsDirectly(ctx *sql.Context, table Name) bool
}

type treeKey struct{}

// WithTrees is a context in which all statements are parsed to trees of the base grammar.
func WithTrees(ctx context.Context) context.Context { return context.WithValue(ctx, treeKey{}, true) }

// insertHead is the part of an INSERT before its rows, as the base grammar reads it.
type insertHead struct {
	table   Name
	columns []string
	plain   bool // nothing but INSERT INTO, names and VALUES
}

// insertHeads remembers heads by their text: programs repeat few of them.
type insertHeads struct {
	mu    sync.RWMutex
	known map[string]*insertHead
}

// maxInsertHeads bounds the memory for heads; beyond it all are forgotten.
const maxInsertHeads = 1024

// insertValues reads an InsertValues at the beginning of text. ok is false for everything else, whether or not it is
// a statement. end is the position behind the statement and its semicolon.
func (p *Parser) insertValues(ctx context.Context, text string, options ast.ParserOptions, one bool) (s *InsertValues, end int, ok bool) {
	const insert = "insert"
	if len(text) < len(insert) || !equalFold(text[:len(insert)], insert) || len(text) > 1<<31 {
		return nil, 0, false
	}
	direct, ok := p.resolver.(DirectInserter)
	if !ok {
		return nil, 0, false
	}
	session, ok := ctx.(*sql.Context)
	if !ok || session.Session == nil || ctx.Value(treeKey{}) != nil {
		return nil, 0, false
	}
	l := &lexer{text: text, mode: mode{ansiQuotes: options.AnsiQuotes}}
	headEnd, ok := insertHeadEnd(l)
	if !ok {
		return nil, 0, false
	}
	head := p.heads.read(ctx, p, text[:headEnd], options)
	if !head.plain || !direct.InsertsDirectly(session, head.table) {
		return nil, 0, false
	}
	if strings.IndexByte(text, '\\') >= 0 {
		l.mode = backslashMode(ctx, text, l.mode)
	}
	s = &InsertValues{Table: head.table, Columns: head.columns, Text: text, mode: l.mode}
	if !s.readRows(l) || len(s.Columns) > 0 && len(s.Columns) != s.PerRow {
		return nil, 0, false
	}
	end = l.pos
	if !one && strings.Trim(text[end:], "; \t\r\n") != "" {
		return nil, 0, false
	}
	s.Text = text[:end]
	return s, end, true
}

// insertHeadEnd goes over INSERT INTO, names, parentheses and VALUES, and returns the position behind VALUES.
func insertHeadEnd(l *lexer) (int, bool) {
	text := l.text
	if !l.next().is(text, "insert") || !l.next().is(text, "into") {
		return 0, false
	}
	for {
		t := l.next()
		switch {
		case t.is(text, "values"), t.is(text, "value"):
			return t.end, len(l.markers) == 0
		case t.kind == kindWord:
		case t.kind == kindQuoted && text[t.start] == '`':
		case t.kind == kindPunct && strings.IndexByte(".,()", text[t.start]) >= 0:
		default:
			return 0, false
		}
	}
}

// read returns the head with the given text.
func (h *insertHeads) read(ctx context.Context, p *Parser, text string, options ast.ParserOptions) *insertHead {
	h.mu.RLock()
	head := h.known[text]
	h.mu.RUnlock()
	if head != nil {
		return head
	}
	head = p.insertHead(ctx, text, options)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.known == nil || len(h.known) >= maxInsertHeads {
		h.known = map[string]*insertHead{}
	}
	h.known[strings.Clone(text)] = head
	return head
}

// insertHead lets the base grammar read a head.
func (p *Parser) insertHead(ctx context.Context, text string, options ast.ParserOptions) *insertHead {
	stmt, err := ast.ParseWithOptions(ctx, text+" (1)", options)
	insert, ok := stmt.(*ast.Insert)
	if err != nil || !ok || insert.Action == ast.ReplaceStr || insert.Ignore != "" || insert.With != nil ||
		len(insert.Partitions) > 0 || insert.Table.Name.IsEmpty() {
		return &insertHead{}
	}
	if _, ok := insert.Rows.(*ast.AliasedValues); !ok {
		return &insertHead{}
	}
	head := &insertHead{plain: true, table: Name{insert.Table.DbQualifier.String(), insert.Table.Name.String()}}
	for _, c := range insert.Columns {
		head.columns = append(head.columns, c.String())
	}
	return head
}

// readRows reads the rows behind VALUES up to the end of the statement.
func (s *InsertValues) readRows(l *lexer) bool {
	for {
		if !l.next().punct(l.text, '(') {
			return false
		}
		before := len(s.Literals)
		if !s.readRow(l) {
			return false
		}
		if n := len(s.Literals) - before; s.PerRow == 0 {
			s.PerRow = n
		} else if n != s.PerRow {
			return false
		}
		switch t := l.next(); {
		case t.punct(l.text, ','):
		case t.kind == kindEnd, t.punct(l.text, ';'):
			return len(l.markers) == 0 && len(l.dashes) == 0
		default:
			return false
		}
	}
}

// readRow reads the values of a row and its closing parenthesis.
func (s *InsertValues) readRow(l *lexer) bool {
	for {
		literal, ok := readLiteral(l, s.mode)
		if !ok {
			return false
		}
		s.Literals = append(s.Literals, literal)
		switch t := l.next(); {
		case t.punct(l.text, ','):
		case t.punct(l.text, ')'):
			return true
		default:
			return false
		}
	}
}

// readLiteral reads one value.
func readLiteral(l *lexer, m mode) (Literal, bool) {
	t := l.next()
	text := l.text
	switch {
	case t.kind == kindString:
		return Literal{uint32(t.start), uint32(t.end), LiteralString}, plainEscapes(text[t.start:t.end], m)
	case t.is(text, "null"):
		return Literal{uint32(t.start), uint32(t.end), LiteralNull}, true
	case t.punct(text, '-'):
		number := l.next()
		kind, ok := numberKind(text[number.start:number.end])
		return Literal{uint32(t.start), uint32(number.end), kind}, ok && number.kind == kindNumber && number.start == t.end
	case t.kind == kindNumber:
		kind, ok := numberKind(text[t.start:t.end])
		return Literal{uint32(t.start), uint32(t.end), kind}, ok
	}
	return Literal{}, false
}

// numberKind tells integers, decimals and floats apart; false for hexadecimal numbers.
func numberKind(text string) (LiteralKind, bool) {
	kind := LiteralInteger
	for i := 0; i < len(text); i++ {
		switch b := text[i]; {
		case b >= '0' && b <= '9':
		case b == '.':
			kind = LiteralDecimal
		case b == 'e' || b == 'E':
			return LiteralFloat, true
		default:
			return 0, false
		}
	}
	return kind, true
}

// plainEscapes tells whether the escapes of a string literal, if any, are among those that everybody reads alike.
func plainEscapes(literal string, m mode) bool {
	if m.noBackslashEscapes {
		return true
	}
	for {
		i := strings.IndexByte(literal, '\\')
		if i < 0 {
			return true
		}
		if strings.IndexByte(`0'"bnrtZ\`, literal[i+1]) < 0 {
			return false
		}
		literal = literal[i+2:]
	}
}
