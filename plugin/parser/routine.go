package parser

import (
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// Names in the body that FunctionBodyAsProcedure makes. None can be written by a user.
const (
	// FunctionLabel is the label of the outermost block: leaving it ends the function.
	FunctionLabel = "\x01function"
	// FunctionResult is the variable that holds the result when the block ends, an OUT parameter for the caller.
	FunctionResult = "\x01result"
	// FunctionDone is a local variable: 1 once a handler has returned.
	FunctionDone = "\x01done"
)

// FunctionBodyAsProcedure returns a copy of the body of f that the engine's procedure interpreter runs: RETURN expr is
//
//	BEGIN SET result = expr; LEAVE function; END
//
// in a block labelled FunctionLabel. The caller declares a variable or OUT parameter FunctionResult of f.ReturnType
// before it runs the body, and reads it afterwards; if FunctionDone and the label were never reached, the function
// ended without RETURN (MySQL error 1321) and the result is what the caller put there.
//
// The interpreter runs only the first operation of a handler. A handler that is RETURN alone becomes
//
//	SELECT expr, 1 INTO result, done
//
// and a test of done behind each block that declares one. CONTINUE handlers of that kind become EXIT handlers, which
// is the same for a RETURN. Handlers with several statements are refused with error 1235, as are
// statements that return rows (MySQL error 1415).
//
// Each call returns a tree of its own, to be run by one session at a time: the interpreter writes values into it.
//
// What the interpreter does wrong, whatever the body looks like, is listed in the documentation of the package that
// runs it.
func FunctionBodyAsProcedure(f *CreateFunction) (ast.Statement, error) {
	b := &bodyTransform{}
	body := b.statement(clone(f.Tree))
	if b.failure != nil {
		return nil, b.failure
	}
	statements := ast.Statements{}
	if b.handlers {
		done := ast.ColumnType{Type: "int", Default: integer(0)}
		statements = append(statements, &ast.Declare{Variables: &ast.DeclareVariables{
			Names: []ast.ColIdent{ast.NewColIdent(FunctionDone)}, VarType: done,
		}})
	}
	return &ast.BeginEndBlock{Label: FunctionLabel, Statements: append(statements, body)}, nil
}

type bodyTransform struct {
	handlers bool // a handler returns
	failure  error
}

// statement returns what stands for s; it may change s.
func (b *bodyTransform) statement(s ast.Statement) ast.Statement {
	switch s := s.(type) {
	case *ast.Return:
		return &ast.BeginEndBlock{Statements: ast.Statements{
			setVariable(FunctionResult, s.Expr), &ast.Leave{Label: FunctionLabel},
		}}
	case *ast.BeginEndBlock:
		return b.block(s)
	case *ast.IfStatement:
		for i := range s.Conditions {
			b.all(s.Conditions[i].Statements)
		}
		b.all(s.Else)
	case *ast.CaseStatement:
		for i := range s.Cases {
			b.all(s.Cases[i].Statements)
		}
		b.all(s.Else)
	case *ast.Loop:
		b.all(s.Statements)
	case *ast.Repeat:
		b.all(s.Statements)
	case *ast.While:
		b.all(s.Statements)
	case *ast.Select:
		if s.Into == nil {
			b.failure = errResultSet()
		}
	case *ast.SetOp:
		if s.Into == nil {
			b.failure = errResultSet()
		}
	case *ast.ParenSelect, *ast.Show, *ast.Explain:
		b.failure = errResultSet()
	}
	return s
}

func (b *bodyTransform) all(statements ast.Statements) {
	for i := range statements {
		statements[i] = b.statement(statements[i])
	}
}

// block transforms a block and, if one of its handlers returns, puts the test behind it.
func (b *bodyTransform) block(s *ast.BeginEndBlock) ast.Statement {
	returning := false
	for i, inner := range s.Statements {
		d, ok := inner.(*ast.Declare)
		if !ok || d.Handler == nil {
			s.Statements[i] = b.statement(inner)
			continue
		}
		returning = b.handler(d.Handler) || returning
	}
	if !returning {
		return s
	}
	b.handlers = true
	test := &ast.IfStatement{Conditions: []ast.IfStatementCondition{{
		Expr:       &ast.ComparisonExpr{Operator: ast.EqualStr, Left: &ast.ColName{Name: ast.NewColIdent(FunctionDone)}, Right: integer(1)},
		Statements: ast.Statements{&ast.Leave{Label: FunctionLabel}},
	}}}
	return &ast.BeginEndBlock{Statements: ast.Statements{s, test}}
}

// handler transforms a handler; true if it returns from the function.
func (b *bodyTransform) handler(h *ast.DeclareHandler) bool {
	body := h.Statement
	for {
		block, ok := body.(*ast.BeginEndBlock)
		if !ok {
			break
		}
		if len(block.Statements) != 1 {
			b.failure = errUnsupported("a handler with several statements in a stored function")
			return false
		}
		body = block.Statements[0]
	}
	h.Statement = body
	r, ok := body.(*ast.Return)
	if !ok {
		switch body.(type) {
		case *ast.IfStatement, *ast.CaseStatement, *ast.Loop, *ast.Repeat, *ast.While:
			b.failure = errUnsupported("a handler with several statements in a stored function")
		}
		return false
	}
	h.Action = ast.DeclareHandlerAction_Exit
	h.Statement = &ast.Select{
		SelectExprs: ast.SelectExprs{&ast.AliasedExpr{Expr: r.Expr}, &ast.AliasedExpr{Expr: integer(1)}},
		Into:        &ast.Into{Variables: ast.Variables{ast.NewColIdent(FunctionResult), ast.NewColIdent(FunctionDone)}},
	}
	return true
}

func setVariable(name string, e ast.Expr) *ast.Set {
	return &ast.Set{Exprs: ast.SetVarExprs{{Name: &ast.ColName{Name: ast.NewColIdent(name)}, Expr: e}}}
}

// ReplaceNames calls f for every unqualified column name below stmt, also where the engine's interpreter doesn't look
// (CASE, BETWEEN, HAVING, ORDER BY, join conditions, function arguments, …), and puts the expression it returns in its
// place; nil leaves the name. Names that are the target of an assignment are not visited. For interpreters of stored
// routines: f answers for local variables and parameters. stmt is changed; use a copy.
func ReplaceNames(stmt ast.Statement, f func(lower string) ast.Expr) ast.Statement {
	var w walker
	var look visit
	value := func(e *ast.Expr) {
		n, down := look(*e)
		*e = n.(ast.Expr)
		if down {
			w.walkIn(*e, look)
		}
	}
	look = func(n any) (any, bool) {
		switch n := n.(type) {
		case *ast.SetVarExpr:
			if n.Expr != nil {
				value(&n.Expr)
			}
			return n, false
		case *ast.AssignmentExpr:
			value(&n.Expr)
			return n, false
		case *ast.ColName:
			if n.Qualifier.IsEmpty() {
				if e := f(strings.ToLower(n.Name.String())); e != nil {
					return e, false
				}
			}
		}
		return n, true
	}
	return w.walk(stmt, look)
}
