package parser

import (
	"context"
	"strings"

	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// Account is user@host. Host is empty where the text has none, which means '%'.
type Account struct{ User, Host string }

// Characteristics are those of a stored routine. Unset strings are empty, Deterministic is nil if not given.
type Characteristics struct {
	Deterministic *bool
	DataAccess    string // CONTAINS SQL, NO SQL, READS SQL DATA, MODIFIES SQL DATA
	Security      string // DEFINER or INVOKER
	Comment       *string
	Language      string // SQL
}

// Param is a parameter of a stored function: its type as written and as the engine's grammar reads it.
type Param struct {
	Name     string
	TypeText string
	Type     ast.ColumnType
}

// CreateFunction is CREATE FUNCTION.
type CreateFunction struct {
	Function    Name
	IfNotExists bool
	// Definer is nil for the current user: not given, or CURRENT_USER.
	Definer         *Account
	Params          []Param
	ReturnTypeText  string
	ReturnType      ast.ColumnType
	Characteristics Characteristics
	// Body is the text of the body, Tree its syntax tree: RETURN is an *ast.Return there. The tree is shared by all
	// that hold this statement and must not be changed.
	Body string
	Tree ast.Statement
	// Text is the whole statement, executable comments opened; parsing it again gives the same statement.
	Text string
}

// DropFunction is DROP FUNCTION.
type DropFunction struct {
	Function Name
	IfExists bool
}

// ShowCreateFunction is SHOW CREATE FUNCTION.
type ShowCreateFunction struct{ Function Name }

// ShowFunctionStatus is SHOW FUNCTION STATUS [LIKE 'p' | WHERE expr].
type ShowFunctionStatus struct {
	Like *string
	// Where is the text of the condition over the columns shown, WhereTree its tree; empty and nil without one.
	Where     string
	WhereTree ast.Expr
}

// AlterRoutine is ALTER FUNCTION or ALTER PROCEDURE: it changes the characteristics given.
type AlterRoutine struct {
	Routine         Name
	Function        bool
	Characteristics Characteristics
}

func (*CreateFunction) isStatement()     {}
func (*DropFunction) isStatement()       {}
func (*ShowCreateFunction) isStatement() {}
func (*ShowFunctionStatus) isStatement() {}
func (*AlterRoutine) isStatement()       {}

func (s *CreateFunction) String() string { return s.Text }
func (s *DropFunction) String() string {
	if s.IfExists {
		return "DROP FUNCTION IF EXISTS " + s.Function.String()
	}
	return "DROP FUNCTION " + s.Function.String()
}
func (s *ShowCreateFunction) String() string { return "SHOW CREATE FUNCTION " + s.Function.String() }
func (s *ShowFunctionStatus) String() string {
	switch {
	case s.Like != nil:
		return "SHOW FUNCTION STATUS LIKE " + quoteString(*s.Like)
	case s.Where != "":
		return "SHOW FUNCTION STATUS WHERE " + s.Where
	}
	return "SHOW FUNCTION STATUS"
}
func (s *AlterRoutine) String() string {
	kind := "PROCEDURE "
	if s.Function {
		kind = "FUNCTION "
	}
	return "ALTER " + kind + s.Routine.String() + s.Characteristics.String()
}

// String writes the characteristics given, each with a blank in front.
func (c Characteristics) String() string { return c.text(false) }

// text is String in the syntax of NO_BACKSLASH_ESCAPES if plain.
func (c Characteristics) text(plain bool) string {
	var b strings.Builder
	if c.Language != "" {
		b.WriteString(" LANGUAGE " + c.Language)
	}
	if c.Deterministic != nil {
		if !*c.Deterministic {
			b.WriteString(" NOT")
		}
		b.WriteString(" DETERMINISTIC")
	}
	if c.DataAccess != "" {
		b.WriteString(" " + c.DataAccess)
	}
	if c.Security != "" {
		b.WriteString(" SQL SECURITY " + c.Security)
	}
	if c.Comment != nil {
		quoted := quoteString(*c.Comment)
		if plain {
			quoted = "'" + strings.ReplaceAll(*c.Comment, "'", "''") + "'"
		}
		b.WriteString(" COMMENT " + quoted)
	}
	return b.String()
}

// characteristics reads as many characteristics as there are.
func (r *reader) characteristics() (Characteristics, error) {
	var c Characteristics
	yes, no := true, false
	for {
		switch {
		case r.words("not", "deterministic"):
			c.Deterministic = &no
		case r.words("deterministic"):
			c.Deterministic = &yes
		case r.words("contains", "sql"):
			c.DataAccess = "CONTAINS SQL"
		case r.words("no", "sql"):
			c.DataAccess = "NO SQL"
		case r.words("reads", "sql", "data"):
			c.DataAccess = "READS SQL DATA"
		case r.words("modifies", "sql", "data"):
			c.DataAccess = "MODIFIES SQL DATA"
		case r.words("language", "sql"):
			c.Language = "SQL"
		case r.words("sql", "security"):
			security, ok := r.oneOf("definer", "invoker")
			if !ok {
				return c, r.fail()
			}
			c.Security = security
		case r.words("comment"):
			text, ok := r.str()
			if !ok {
				return c, r.fail()
			}
			c.Comment = &text
		default:
			return c, nil
		}
	}
}

// definerClause reads DEFINER = account.
func (r *reader) definerClause() (*Account, error) {
	if !r.words("definer") {
		return nil, nil
	}
	if !r.punct('=') {
		return nil, r.fail()
	}
	if r.words("current_user") {
		if r.punct('(') && !r.punct(')') {
			return nil, r.fail()
		}
		return nil, nil
	}
	user, ok := r.account()
	if !ok {
		return nil, r.fail()
	}
	a := &Account{User: user, Host: "%"}
	switch {
	case r.punct('@'):
		if a.Host, ok = r.account(); !ok {
			return nil, r.fail()
		}
	case r.i < len(r.s.tokens) && r.s.tokens[r.i].kind == kindVariable:
		t := r.s.tokens[r.i]
		r.i++
		a.Host = r.s.text[t.start+1 : t.end]
		if q := a.Host[0]; classes[q] == classQuote {
			a.Host = strings.ReplaceAll(a.Host[1:len(a.Host)-1], string(q)+string(q), string(q))
		}
	}
	return a, nil
}

// account reads one half of user@host.
func (r *reader) account() (string, bool) {
	if n, ok := r.name(); ok {
		return n, true
	}
	return r.str()
}

// createFunction reads CREATE [DEFINER = u] FUNCTION …; nil for other CREATE statements.
func (p *Parser) createFunction(ctx context.Context, r *reader) (ast.Statement, error) {
	start := r.s.tokens[r.i-1].start
	back := r.i
	definer, err := r.definerClause()
	if err != nil {
		r.i = back
		return nil, nil // the base grammar has its say
	}
	if r.words("aggregate", "function") {
		return nil, errUnsupported("CREATE AGGREGATE FUNCTION")
	}
	if !r.words("function") {
		r.i = back
		return nil, nil
	}
	f := &CreateFunction{Definer: definer, IfNotExists: r.words("if", "not", "exists")}
	var ok bool
	if f.Function, ok = r.qualified(); !ok {
		return nil, r.fail()
	}
	if r.words("returns") {
		return nil, errUnsupported("CREATE FUNCTION … SONAME")
	}
	if err := p.functionRest(ctx, r, f, start); err != nil {
		return nil, err
	}
	return p.inject(f, authInDatabase(ast.AuthType_CREATE_ROUTINE, f.Function.Database)), nil
}

// functionRest reads the parameters, the type, the characteristics and the body. A procedure with an OUT parameter
// for the result goes through the base grammar, which so checks the types and the body.
func (p *Parser) functionRest(ctx context.Context, r *reader, f *CreateFunction, start int) error {
	if !r.punct('(') {
		return r.fail()
	}
	from := r.last()
	if !r.skipParens() {
		return r.fail()
	}
	params := r.s.text[from : r.last()-1]
	if !r.words("returns") {
		return r.fail()
	}
	if f.ReturnTypeText = r.dataType(); f.ReturnTypeText == "" {
		return r.fail()
	}
	var err error
	if f.Characteristics, err = r.characteristics(); err != nil {
		return err
	}
	bodyStart := r.at()
	separator := ", "
	if strings.TrimSpace(params) == "" {
		separator = ""
	}
	head := "CREATE PROCEDURE " + f.Function.String() + "(" + params + separator + "OUT " + resultName + " " + f.ReturnTypeText + ") "
	parsed, err := p.parse(r.s.sameMode(ctx), head+r.s.text[bodyStart:], r.s.options, r.s.one)
	if err != nil {
		return err
	}
	ddl, ok := parsed.stmt.(*ast.DDL)
	if !ok || ddl.ProcedureSpec == nil {
		return errSyntaxNear(r.s.text, start)
	}
	r.skipTo(bodyStart + parsed.end - len(head))
	if r.last() <= bodyStart {
		return r.fail()
	}
	f.Body = strings.TrimSpace(r.s.text[bodyStart:r.last()])
	f.Text = r.s.text[start:r.last()]
	f.Tree = ddl.ProcedureSpec.Body
	return f.setParams(ddl.ProcedureSpec.Params, r.s)
}

// resultName is the parameter that receives the result of a function; quoted, and nothing a user can mean.
const resultName = "`\x01result`"

func (f *CreateFunction) setParams(params []ast.ProcedureParam, s *source) error {
	seen := make(map[string]bool, len(params))
	for _, p := range params[:len(params)-1] {
		if p.Direction != ast.ProcedureParamDirection_In {
			return errSyntaxNear(f.Text, 0)
		}
		key := strings.ToLower(p.Name)
		if seen[key] {
			return mysql.NewSQLError(erDuplicateParam, "42000", "Duplicate variable: %s", p.Name)
		}
		seen[key] = true
		f.Params = append(f.Params, Param{Name: p.Name, TypeText: p.Type.String(), Type: p.Type})
	}
	f.ReturnType = params[len(params)-1].Type
	if !returns(f.Tree) {
		return mysql.NewSQLError(erNoReturn, "42000", "No RETURN found in FUNCTION %s", f.Function.Name)
	}
	return nil
}

// returns tells whether body has a RETURN.
func returns(body ast.Statement) bool {
	found := false
	w := walker{}
	w.walk(body, func(n any) (any, bool) {
		if _, ok := n.(*ast.Return); ok {
			found = true
		}
		return n, !found
	})
	return found
}

// dataType reads a data type and returns its text, empty if there is none.
func (r *reader) dataType() string {
	from := r.at()
	if _, ok := r.name(); !ok {
		return ""
	}
	for r.i < len(r.s.tokens) {
		switch {
		case r.punct('('):
			if !r.skipParens() {
				return ""
			}
		case r.words("unsigned"), r.words("signed"), r.words("zerofill"), r.words("precision"), r.words("varying"),
			r.words("binary"), r.words("ascii"), r.words("unicode"), r.words("byte"):
		case r.words("character", "set"), r.words("charset"), r.words("collate"), r.words("srid"):
			r.i++
		default:
			return r.s.text[from:r.last()]
		}
	}
	return r.s.text[from:r.last()]
}

func (p *Parser) dropFunction(r *reader) (ast.Statement, error) {
	d := &DropFunction{IfExists: r.words("if", "exists")}
	var ok bool
	if d.Function, ok = r.qualified(); !ok {
		return nil, r.fail()
	}
	return p.inject(d, authInDatabase(ast.AuthType_ALTER_ROUTINE, d.Function.Database)), nil
}

func (p *Parser) alterRoutine(r *reader, function bool) (ast.Statement, error) {
	a := &AlterRoutine{Function: function}
	var ok bool
	if a.Routine, ok = r.qualified(); !ok {
		return nil, r.fail()
	}
	var err error
	if a.Characteristics, err = r.characteristics(); err != nil {
		return nil, err
	}
	return p.inject(a, authInDatabase(ast.AuthType_ALTER_ROUTINE, a.Routine.Database)), nil
}

func (p *Parser) showFunctionStatus(ctx context.Context, r *reader) (ast.Statement, error) {
	s := &ShowFunctionStatus{}
	switch {
	case r.words("like"):
		pattern, ok := r.str()
		if !ok {
			return nil, r.fail()
		}
		s.Like = &pattern
	case r.words("where"):
		from := r.at()
		s.Where = r.rest()
		parsed, err := p.parse(r.s.sameMode(ctx), "SELECT "+s.Where, r.s.options, false)
		if err != nil {
			return nil, errSyntaxNear(r.s.text, from)
		}
		sel, ok := parsed.stmt.(*ast.Select)
		if !ok || len(sel.SelectExprs) != 1 || sel.Where != nil {
			return nil, errSyntaxNear(r.s.text, from)
		}
		e, ok := sel.SelectExprs[0].(*ast.AliasedExpr)
		if !ok {
			return nil, errSyntaxNear(r.s.text, from)
		}
		s.WhereTree = e.Expr
	}
	return p.inject(s, authNone), nil
}
