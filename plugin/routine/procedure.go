package routine

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"sync/atomic"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/types"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/freshetdb/freshet/catalog"
	"github.com/freshetdb/freshet/plugin/parser"
)

// callDepthMax bounds calls of procedures within calls, so that an endless
// recursion ends before the stack does.
const callDepthMax = 255

// ProcedureSource is where stored procedures are kept. It may be used by any
// number of goroutines.
type ProcedureSource interface {
	// Procedure gives the procedure, nil if there is none, or no such database.
	Procedure(ctx *sql.Context, database, name string) (*catalog.Routine, error)
}

// Runner is the engine that runs the statements of procedures.
type Runner interface {
	sql.StatementRunner
	// PrepQueryPlanForExecution starts a plan as a statement of the session: in its
	// transaction, to be committed at the iterator's Close under autocommit.
	PrepQueryPlanForExecution(ctx *sql.Context, query string, plan sql.Node, flags *sql.QueryFlags) (sql.Schema, sql.RowIter, *sql.QueryFlags, error)
}

// Procedures runs stored procedures. It may be used by any number of goroutines.
type Procedures struct {
	source   ProcedureSource
	parser   *parser.Parser
	analyzer atomic.Pointer[analyzer.Analyzer]
	runner   atomic.Pointer[Runner]
}

// NewProcedures makes the interpreter of the procedures of source. The parser is
// the engine's: bodies may hold statements of its own.
func NewProcedures(source ProcedureSource, p *parser.Parser) *Procedures {
	return &Procedures{source: source, parser: p}
}

// Attach gives the engine's parts. Call it once, when the engine is built.
func (p *Procedures) Attach(a *analyzer.Analyzer, r Runner) {
	p.analyzer.Store(a)
	p.runner.Store(&r)
}

// Argument is one argument of a call: its value, and where an OUT or INOUT
// parameter is written to, nil if it is no variable.
type Argument struct {
	Value any
	Set   func(ctx *sql.Context, value any, typ sql.Type) error
}

// Result is what a call answers with: rows with their schema, or an
// types.OkResult.
type Result struct {
	Schema sql.Schema
	Rows   []sql.Row
}

// results are the answers of a procedure's statements so far. Of several the
// client gets the last query's, or else the last statement's.
type results struct {
	query, other *Result
}

func (r *results) final() *Result {
	switch {
	case r.query != nil:
		return r.query
	case r.other != nil:
		return r.other
	}
	return &Result{Schema: types.OkResultSchema, Rows: []sql.Row{{types.NewOkResult(0)}}}
}

type callDepthKey struct{}

// Call runs a procedure in the session's transaction. Its statements are
// statements of the session: under autocommit each commits by itself.
func (p *Procedures) Call(ctx *sql.Context, database, name string, args []Argument) (*Result, error) {
	r, err := p.source.Procedure(ctx, database, name)
	if err != nil {
		return nil, err
	}
	if r == nil {
		return nil, errNoProcedure(database, name)
	}
	depth, _ := ctx.Value(callDepthKey{}).(int)
	if depth >= callDepthMax {
		return nil, errTooDeep(r.Name)
	}
	program, params, err := p.compile(ctx, database, r)
	if err != nil {
		return nil, err
	}
	if len(params) != len(args) {
		return nil, errProcedureArguments(database, r.Name, len(params), len(args))
	}
	for i, param := range params {
		if param.Direction != ast.ProcedureParamDirection_In && args[i].Set == nil {
			return nil, errNotAVariable(i+1, database+"."+r.Name)
		}
	}
	inner := ctx.WithContext(context.WithValue(ctx.Context, callDepthKey{}, depth+1))
	defer inDatabase(ctx, database)()
	result, err := underMode(inner, r.SQLMode, func() (any, error) { return program.call(inner, params, args) })
	if err != nil {
		return nil, err
	}
	for i, param := range params {
		if param.Direction == ast.ProcedureParamDirection_In {
			continue
		}
		if err := args[i].Set(ctx, program.params[i].value, program.params[i].typ); err != nil {
			return nil, err
		}
	}
	return result.(*Result), nil
}

// inDatabase makes a database the session's current one and returns the function
// that brings back the one before.
func inDatabase(ctx *sql.Context, database string) (back func()) {
	before := ctx.GetCurrentDatabase()
	if strings.EqualFold(before, database) {
		return func() {}
	}
	ctx.SetCurrentDatabase(database)
	return func() { ctx.SetCurrentDatabase(before) }
}

// call runs the body with the arguments.
func (p *program) call(ctx *sql.Context, params []ast.ProcedureParam, args []Argument) (*Result, error) {
	for i, param := range params {
		if param.Direction == ast.ProcedureParamDirection_Out {
			continue
		}
		if err := p.params[i].set(ctx, args[i].Value); err != nil {
			return nil, err
		}
	}
	m := &machine{ctx: ctx, program: p}
	if _, err := p.body.run(m); err != nil {
		return nil, err
	}
	return m.results.final(), nil
}

// compile makes a program of a stored procedure. Compiling takes the tree apart,
// so each call parses the text.
func (p *Procedures) compile(ctx *sql.Context, database string, r *catalog.Routine) (*program, []ast.ProcedureParam, error) {
	options := sql.NewSqlModeFromString(r.SQLMode).ParserOptions()
	statement, _, _, err := p.parser.ParseWithOptions(ctx, parser.PinMode(r.Statement, r.SQLMode), ';', false, options)
	if err != nil {
		return nil, nil, fmt.Errorf("procedure %s: %w", r.Name, err)
	}
	ddl, ok := statement.(*ast.DDL)
	if !ok || ddl.ProcedureSpec == nil {
		return nil, nil, fmt.Errorf("%w: %s", ErrDefinition, r.Name)
	}
	compiled := &program{binding: binding{analyzer: p.analyzer.Load(), variables: map[string]variable{}, procedures: p}}
	for _, c := range ddl.ProcedureSpec.Characteristics {
		compiled.binding.authorize = compiled.binding.authorize || c.Type == ast.CharacteristicValue_SqlSecurityInvoker
	}
	if definer := ddl.ProcedureSpec.Definer; definer != "" && !compiled.binding.authorize {
		account := AccountOf(definer)
		compiled.binding.authorize, compiled.binding.definer = true, &account
	}
	c := &compiler{parser: p.parser, program: compiled, database: database, procedure: true}
	c.push()
	params := ddl.ProcedureSpec.Params
	for i := range params {
		s, err := c.declare(params[i].Name, &params[i].Type)
		if err != nil {
			return nil, nil, err
		}
		compiled.params = append(compiled.params, s)
	}
	compiled.body, err = c.statement(parser.BodyOf(ddl))
	return compiled, params, err
}

// Check compiles a procedure that is to be stored, for what its body may not do.
// Tables and columns are looked for only when it runs, as in MySQL.
//
// A procedure of a session that administers no accounts gets the session's as its
// definer. One without a definer is an administrator's.
func (p *Procedures) Check(ctx *sql.Context, database string, r *catalog.Routine) error {
	program, _, err := p.compile(ctx, database, r)
	if err != nil {
		return err
	}
	accounts := p.analyzer.Load().Catalog.MySQLDb
	if definer := program.binding.definer; definer != nil {
		return MayDefineAs(ctx, accounts, *definer)
	}
	if program.binding.authorize || Administers(ctx, accounts) {
		return nil
	}
	self := definerOf(ctx, &parser.CreateFunction{})
	if head := createHead.FindString(r.Statement); head != "" {
		r.Statement = head + " DEFINER=" + quote(self.User) + "@" + quote(self.Host) + " " + strings.TrimSpace(r.Statement[len(head):])
	}
	program, _, err = p.compile(ctx, database, r)
	if err != nil {
		return err
	}
	if definer := program.binding.definer; definer == nil || *definer != self {
		return errMissingRight("SUPER or SET_USER_ID")
	}
	return nil
}

var createHead = regexp.MustCompile(`(?i)^\s*CREATE\b`)
