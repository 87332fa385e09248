package parser

import (
	"context"
	"errors"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// Parser is a sql.Parser: the engine's MySQL parser plus what its grammar lacks. It is safe for
// concurrent use.
type Parser struct {
	base     sql.Parser
	resolver Resolver
	walker   *walker
	// hides: bodies of procedures are kept from the engine, see HideBodies.
	hides bool
	// marks: what the engine does not pass on of keys goes into their comments, see MarkKeys.
	marks bool
	// heads are the beginnings of INSERT statements that have been read.
	heads *insertHeads
	// shapes are those of the statements on one row.
	shapes *keyedShapes
}

var _ sql.Parser = (*Parser)(nil)

// New returns a parser. resolver turns statements of our own into nodes; nil refuses them with error 1235.
func New(resolver Resolver) *Parser {
	return &Parser{base: sql.NewMysqlParser(), resolver: resolver, walker: &walker{}, heads: &insertHeads{}, shapes: &keyedShapes{}}
}

// ParseSimple implements sql.Parser: default options, the whole text is one statement.
func (p *Parser) ParseSimple(query string) (ast.Statement, error) {
	r, err := p.parse(context.Background(), query, ast.ParserOptions{}, false)
	p.hideBody(r.stmt)
	rights(r.stmt)
	return r.stmt, err
}

// Parse implements sql.Parser with the options of the session's sql_mode.
func (p *Parser) Parse(ctx *sql.Context, query string, multi bool) (ast.Statement, string, string, error) {
	return p.ParseWithOptions(ctx, query, ';', multi, sql.LoadSqlMode(ctx).ParserOptions())
}

// ParseWithOptions implements sql.Parser. The text returned as parsed is the one that positions in the statement
// refer to, and the one to store: what the user wrote, without the marks of executable comments. The remainder is
// always a suffix of query.
func (p *Parser) ParseWithOptions(ctx context.Context, query string, delimiter rune, multi bool, options ast.ParserOptions) (ast.Statement, string, string, error) {
	text := sql.RemoveSpaceAndDelimiter(query, delimiter)
	r, err := p.parse(ctx, text, options, multi)
	if err != nil && !errors.Is(err, ast.ErrEmpty) {
		return nil, text, "", err
	}
	parsed := sql.RemoveSpaceAndDelimiter(r.text, delimiter)
	p.clampPositions(r.stmt, len(parsed))
	p.hideBody(r.stmt)
	rights(r.stmt)
	if !multi {
		return r.stmt, parsed, "", err
	}
	remainder := ""
	if r.end < len(text) {
		remainder = text[r.end:]
	}
	return r.stmt, parsed, remainder, err
}

// ParseOneWithOptions implements sql.Parser. Positions in the statement and the returned index refer to query.
func (p *Parser) ParseOneWithOptions(ctx context.Context, query string, options ast.ParserOptions) (ast.Statement, int, error) {
	r, err := p.parse(ctx, query, options, true)
	if err != nil {
		if errors.Is(err, ast.ErrEmpty) {
			return nil, r.end, err
		}
		return nil, 0, err
	}
	if r.shown != nil {
		p.shift(r.stmt, r.shown, query)
	}
	p.hideBody(r.stmt)
	rights(r.stmt)
	return r.stmt, r.end, nil
}

// result is one parsed statement.
type result struct {
	stmt ast.Statement
	// text is the statement with executable comments opened: positions in stmt refer to it.
	text string
	// end is where the next statement begins in the text given to parse.
	end int
	// shown leads from text back to the text given; nil if they agree.
	shown *textMap
}

// parse parses the first statement of text, or all of text as one statement.
func (p *Parser) parse(ctx context.Context, text string, options ast.ParserOptions, one bool) (result, error) {
	if s, end, ok := p.insertValues(ctx, text, options, one); ok {
		return result{stmt: p.inject(s, authOnTables(ast.AuthType_INSERT, []Name{s.Table})), text: text[:end], end: end}, nil
	}
	if s, end, ok := p.keyed(ctx, text, options, one); ok {
		privilege := ast.AuthType_SELECT
		if len(s.Assignments) > 0 {
			privilege = ast.AuthType_UPDATE
		}
		return result{stmt: p.inject(s, authOnTables(privilege, []Name{s.Table})), text: text[:end], end: end}, nil
	}
	m := mode{ansiQuotes: options.AnsiQuotes}
	if strings.IndexByte(text, '\\') >= 0 {
		m = backslashMode(ctx, text, m)
	}
	found := scan(text, m, one)
	if m.noBackslashEscapes || hasPatternEscape(text[:found.end]) {
		found.hints |= hintText
	}
	if found.hints&^hintsOfTree == 0 {
		return p.plain(ctx, text, options, one, found)
	}
	s := &source{given: text[:found.end], mode: m, options: options, one: one, compound: found.compound}
	return p.helped(ctx, s, found)
}

// hintsOfTree are the hints that leave the text alone.
const hintsOfTree = hintTableless | hintVector | hintHaving | hintPartition | hintConstant | hintOperator | hintWindow | hintAggregate | hintConcat

// plain parses a statement whose text needs no help.
func (p *Parser) plain(ctx context.Context, text string, options ast.ParserOptions, one bool, found scanned) (result, error) {
	r := result{text: text[:found.end], end: found.end}
	var err error
	if one {
		r.stmt, _, err = p.base.ParseOneWithOptions(ctx, r.text, options)
	} else {
		r.stmt, err = ast.ParseWithOptions(ctx, r.text, options)
	}
	if err != nil {
		return r, unsupported(r.text, mode{ansiQuotes: options.AnsiQuotes}, err)
	}
	if found.hints != 0 {
		r.stmt, err = p.tree(r.stmt, found.hints, nil)
	}
	return r, err
}

// source is a statement on its way through the passes over its text.
type source struct {
	given    string // as the user sent it
	text     string // executable comments opened
	tokens   []token
	mode     mode
	options  ast.ParserOptions
	one      bool
	compound bool

	shown *textMap // text → given
	edits []edit   // of text, for the base grammar only
	locks []*lockClauses
	own   []ast.Statement // statements of ours inside a body, by the number in their placeholder

	partitioned bool              // PARTITION BY has been seen
	paramTypes  map[int]paramType // of a procedure, by parameter
}

// helped parses a statement whose text needs edits, or which is one of our own.
func (p *Parser) helped(ctx context.Context, s *source, found scanned) (result, error) {
	s.open()
	r := result{text: s.text, end: len(s.given), shown: s.shown}
	if stmt, end, ok, err := p.own(ctx, s); ok {
		if err != nil {
			return r, err
		}
		if !s.one && !s.onlySemicolons(end) {
			return r, errSyntaxNear(s.text, end)
		}
		r.text, r.end = s.text[:end], s.shown.back(end)
		r.stmt = stmt
		return r, nil
	}
	if err := s.collect(); err != nil {
		return r, err
	}
	if s.compound {
		s.routineTypes()
		if err := p.bodies(ctx, s); err != nil {
			return r, err
		}
	}
	edited, hidden := s.text, (*textMap)(nil)
	if len(s.edits) > 0 {
		edited, hidden = apply(s.text, s.edits)
	}
	stmt, n, err := p.baseParse(ctx, edited, s)
	if err != nil && !errors.Is(err, ast.ErrEmpty) {
		return r, unsupported(s.text, s.mode, err)
	}
	if s.one && s.compound && n < len(edited) {
		end := hidden.back(n)
		r.text, r.end = s.text[:end], s.shown.back(end)
	}
	if err != nil {
		return r, err
	}
	if hidden != nil {
		p.shift(stmt, hidden, s.text)
	}
	p.clampPositions(stmt, len(r.text))
	s.setRoutineTypes(stmt)
	r.stmt, err = p.tree(stmt, found.hints, s)
	return r, err
}

func (p *Parser) baseParse(ctx context.Context, text string, s *source) (ast.Statement, int, error) {
	if s.one {
		return p.base.ParseOneWithOptions(ctx, text, s.options)
	}
	stmt, err := ast.ParseWithOptions(ctx, text, s.options)
	return stmt, len(text), err
}

// open opens executable comments and finds the tokens.
func (s *source) open() {
	toks, l := lex(s.given, s.mode)
	if len(l.markers) == 0 {
		s.text, s.tokens = s.given, toks
		return
	}
	edits := make([]edit, 0, len(l.markers))
	for _, m := range l.markers {
		edits = append(edits, edit{span: s.widen(m), text: s.glue(m)})
	}
	s.text, s.shown = apply(s.given, edits)
	s.tokens, _ = lex(s.text, s.mode)
}

// widen takes in the blanks behind a marker, so that opened comments leave no gaps.
func (s *source) widen(m span) span {
	for m.end < len(s.given) && (s.given[m.end] == ' ' || s.given[m.end] == '\t') {
		m.end++
	}
	return m
}

// glue is what stands for a marker: one blank where words would otherwise touch.
func (s *source) glue(m span) string {
	if m.start == 0 || classes[s.given[m.start-1]] == classSpace {
		return ""
	}
	return " "
}

func (s *source) onlySemicolons(from int) bool {
	for _, t := range s.tokens {
		if t.start >= from && !t.punct(s.text, ';') {
			return false
		}
	}
	return true
}

// shift moves the positions in stmt through m, back to text, and restores headings of columns that an edit touched.
func (p *Parser) shift(stmt ast.Statement, m *textMap, text string) {
	p.walker.walk(stmt, func(n any) (any, bool) {
		switch n := n.(type) {
		case *ast.DDL:
			if n.SubStatementPositionEnd > 0 {
				n.SubStatementPositionStart = m.back(n.SubStatementPositionStart)
				n.SubStatementPositionEnd = m.backEnd(n.SubStatementPositionEnd)
			}
		case *ast.AliasedExpr:
			if n.EndParsePos > n.StartParsePos {
				n.StartParsePos, n.EndParsePos = m.back(n.StartParsePos), m.backEnd(n.EndParsePos)
				if n.InputExpression != "" && n.EndParsePos <= len(text) && m.hidesIn(n.StartParsePos, n.EndParsePos) {
					n.InputExpression = strings.Trim(text[n.StartParsePos:n.EndParsePos], " \n\t")
				}
			}
		}
		return n, true
	})
}

// clampPositions keeps the end of a body within the text: the base grammar may count bytes behind it.
func (p *Parser) clampPositions(stmt ast.Statement, length int) {
	if ddl, ok := stmt.(*ast.DDL); ok && ddl.SubStatementPositionEnd > length {
		ddl.SubStatementPositionEnd = length
	}
}
