package parser

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/dolthub/go-mysql-server/sql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// Keyed is a statement on the row with one value of a key:
//
//	SELECT * | c, … FROM t WHERE k = literal
//	UPDATE t SET c = literal | c = c + integer | c = c - integer, … WHERE k = literal
//
// Programs send these more than any others, with few texts but for the literals. A text is read by the base grammar
// once; what it found is kept under the text without its literals.
type Keyed struct {
	*KeyedShape
	Text string
	// Values are the literals of the assignments.
	Values []Literal
	// Value is that of the key.
	Value Literal

	mode mode
}

// KeyedShape is what Keyed statements that differ in their literals only have in common. It is made once and may be a
// key to what a Resolver knows of it.
type KeyedShape struct {
	Table Name
	Key   string // the column of the key, as written
	// Columns are those of a SELECT, as written; none means all.
	Columns []string
	// Assignments are those of an UPDATE; none means SELECT.
	Assignments []KeyedAssignment

	plain bool
}

// KeyedAssignment is Column = value, or Column = Column Operator value.
type KeyedAssignment struct {
	Column   string
	Operator byte // '+', '-', or 0
}

func (*Keyed) isStatement() {}

func (s *Keyed) String() string { return s.Text }

// TextOf is the text of a number, the value of a string, and empty for NULL.
func (s *Keyed) TextOf(l Literal) string { return literalText(s.Text, l, s.mode) }

// KeyedRunner is a Resolver that runs Keyed statements itself. It is asked for each when the statement is parsed;
// answering false leaves the statement to the base grammar.
type KeyedRunner interface {
	Resolver
	RunsKeyed(ctx *sql.Context, s *Keyed) bool
}

// keyedShapes remembers shapes by the text without literals.
type keyedShapes struct {
	mu    sync.RWMutex
	known map[string]*KeyedShape
}

// maxKeyedShapes bounds the memory for shapes; beyond it all are forgotten. Texts longer than maxKeyedText are not
// looked at.
const (
	maxKeyedShapes = 1024
	maxKeyedText   = 2048
)

// keyed reads a Keyed statement at the beginning of text. ok is false for everything else, whether or not it is a
// statement.
func (p *Parser) keyed(ctx context.Context, text string, options ast.ParserOptions, one bool) (s *Keyed, end int, ok bool) {
	const verb = "select" // as long as "update"
	if len(text) < len(verb) || len(text) > maxKeyedText || !equalFold(text[:len(verb)], "select") && !equalFold(text[:len(verb)], "update") {
		return nil, 0, false
	}
	runner, ok := p.resolver.(KeyedRunner)
	if !ok {
		return nil, 0, false
	}
	session, ok := ctx.(*sql.Context)
	if !ok || session.Session == nil || ctx.Value(treeKey{}) != nil {
		return nil, 0, false
	}
	s = &Keyed{Text: text, mode: mode{ansiQuotes: options.AnsiQuotes}}
	if strings.IndexByte(text, '\\') >= 0 {
		s.mode = backslashMode(ctx, text, s.mode)
	}
	var space [512]byte
	bare, end, ok := s.read(space[:0])
	if !ok || !one && strings.Trim(text[end:], "; \t\r\n") != "" {
		return nil, 0, false
	}
	s.KeyedShape = p.shapes.find(ctx, bare, text[:end], options)
	if !s.plain || len(s.Values) != len(s.Assignments) || !runner.RunsKeyed(session, s) {
		return nil, 0, false
	}
	s.Text = text[:end]
	return s, end, true
}

// read goes over names, literals and the punctuation of a Keyed statement. It appends the text without its literals
// to bare. end is the position behind the statement and its semicolon.
func (s *Keyed) read(bare []byte) ([]byte, int, bool) {
	l := &lexer{text: s.Text, mode: s.mode}
	if s.mode.ansiQuotes {
		bare = append(bare, '"') // other names, other shapes
	}
	from := 0
	var last kind // of the token before: a name, a number or string for any literal, or punctuation
	for {
		before := l.pos
		t := l.next()
		switch {
		case t.kind == kindEnd, t.punct(l.text, ';'):
			if last != kindNumber || len(l.markers) > 0 || len(l.dashes) > 0 {
				return nil, 0, false
			}
			s.Value = s.Values[len(s.Values)-1]
			s.Values = s.Values[:len(s.Values)-1]
			return append(bare, s.Text[from:t.start]...), t.end, true
		case t.kind == kindWord && !t.is(l.text, "null"), t.kind == kindQuoted:
			last = kindWord
		case t.kind == kindPunct && strings.IndexByte(",.*=+", l.text[t.start]) >= 0, t.punct(l.text, '-') && last == kindWord:
			last = kindPunct
		default: // a minus behind punctuation is a number's
			l.pos = before
			literal, ok := readLiteral(l, s.mode)
			if !ok || last == kindNumber {
				return nil, 0, false
			}
			s.Values = append(s.Values, literal)
			bare = append(append(bare, s.Text[from:literal.start]...), '?', '0'+byte(literal.Kind))
			from, last = int(literal.end), kindNumber
		}
	}
}

// find returns the shape with the given text.
func (k *keyedShapes) find(ctx context.Context, bare []byte, text string, options ast.ParserOptions) *KeyedShape {
	k.mu.RLock()
	shape := k.known[string(bare)]
	k.mu.RUnlock()
	if shape != nil {
		return shape
	}
	shape = newKeyedShape(ctx, text, options)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.known == nil || len(k.known) >= maxKeyedShapes {
		k.known = map[string]*KeyedShape{}
	}
	k.known[string(bare)] = shape
	return shape
}

// newKeyedShape lets the base grammar read a statement.
func newKeyedShape(ctx context.Context, text string, options ast.ParserOptions) *KeyedShape {
	stmt, err := ast.ParseWithOptions(ctx, strings.TrimRight(text, "; \t\r\n"), options)
	if err != nil {
		return &KeyedShape{}
	}
	shape := &KeyedShape{}
	switch stmt := stmt.(type) {
	case *ast.Select:
		if stmt.Into != nil || stmt.With != nil || stmt.Limit != nil || stmt.Having != nil || stmt.Lock != nil && stmt.Lock.Type != "" || len(stmt.GroupBy) > 0 ||
			len(stmt.Comments) > 0 || len(stmt.Window) > 0 || len(stmt.OrderBy) > 0 || hasOptions(stmt.QueryOpts) {
			return shape
		}
		shape.plain = shape.from(stmt.From) && shape.where(stmt.Where) && shape.selects(stmt.SelectExprs)
	case *ast.Update:
		if stmt.Ignore != "" || stmt.With != nil || stmt.Limit != nil || len(stmt.Comments) > 0 || len(stmt.OrderBy) > 0 || len(stmt.Returning) > 0 {
			return shape
		}
		shape.plain = shape.from(stmt.TableExprs) && shape.where(stmt.Where) && shape.assigns(stmt.Exprs)
	}
	return shape
}

func hasOptions(o ast.QueryOpts) bool {
	return o.All || o.Distinct || len(o.DistinctOn) > 0 || o.StraightJoinHint || o.SQLCalcFoundRows || o.SQLCache || o.SQLNoCache
}

func (s *KeyedShape) from(tables ast.TableExprs) bool {
	if len(tables) != 1 {
		return false
	}
	table, ok := tables[0].(*ast.AliasedTableExpr)
	if !ok || table.Hints != nil || table.AsOf != nil || !table.As.IsEmpty() || len(table.Partitions) > 0 || table.Lateral {
		return false
	}
	name, ok := table.Expr.(ast.TableName)
	s.Table = Name{name.DbQualifier.String(), name.Name.String()}
	return ok && !name.Name.IsEmpty() && name.SchemaQualifier.IsEmpty()
}

func (s *KeyedShape) where(where *ast.Where) bool {
	if where == nil {
		return false
	}
	equal, ok := where.Expr.(*ast.ComparisonExpr)
	if !ok || equal.Operator != ast.EqualStr || equal.Escape != nil || !isLiteral(equal.Right) {
		return false
	}
	s.Key, ok = bareColumn(equal.Left)
	return ok
}

func (s *KeyedShape) selects(expressions ast.SelectExprs) bool {
	for _, e := range expressions {
		switch e := e.(type) {
		case *ast.StarExpr:
			return len(expressions) == 1 && e.TableName.IsEmpty()
		case *ast.AliasedExpr:
			name, ok := bareColumn(e.Expr)
			twice := slices.ContainsFunc(s.Columns, func(other string) bool { return strings.EqualFold(other, name) })
			if !ok || twice || !e.As.IsEmpty() {
				return false
			}
			s.Columns = append(s.Columns, name)
		default:
			return false
		}
	}
	return len(expressions) > 0
}

func (s *KeyedShape) assigns(expressions ast.AssignmentExprs) bool {
	for _, e := range expressions {
		column, ok := bareColumn(e.Name)
		if !ok {
			return false
		}
		assignment := KeyedAssignment{Column: column}
		value := e.Expr
		if sum, ok := value.(*ast.BinaryExpr); ok {
			same, ok := bareColumn(sum.Left)
			number, isNumber := sum.Right.(*ast.SQLVal)
			if !ok || !isNumber || number.Type != ast.IntVal || !strings.EqualFold(same, column) || sum.Operator != ast.PlusStr && sum.Operator != ast.MinusStr {
				return false
			}
			assignment.Operator, value = sum.Operator[0], number
		}
		if !isLiteral(value) {
			return false
		}
		s.Assignments = append(s.Assignments, assignment)
	}
	return len(expressions) > 0
}

// bareColumn is the name of a column without its table.
func bareColumn(e ast.Expr) (string, bool) {
	column, ok := e.(*ast.ColName)
	if !ok || !column.Qualifier.IsEmpty() {
		return "", false
	}
	return column.Name.String(), true
}

func isLiteral(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.NullVal:
		return true
	case *ast.UnaryExpr:
		number, ok := e.Expr.(*ast.SQLVal)
		return ok && e.Operator == ast.UMinusStr && number.Type != ast.StrVal
	case *ast.SQLVal:
		return e.Type == ast.IntVal || e.Type == ast.FloatVal || e.Type == ast.StrVal
	}
	return false
}
