package routine

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// The statements that only procedures may have.

// procedureStatement compiles what is not control flow in a procedure.
func (c *compiler) procedureStatement(s ast.Statement) (node, error) {
	switch s := s.(type) {
	case *ast.DDL:
		if s.Action == ast.CreateStr && s.TriggerSpec != nil {
			return nil, errWithin("TRIGGER")
		}
		if s.Action == ast.CreateStr && s.ProcedureSpec != nil {
			return nil, errWithin("PROCEDURE")
		}
	case *ast.Select:
		if err := c.checkLimit(s.Limit); err != nil {
			return nil, err
		}
		if s.Into != nil && len(s.Into.Variables) > 0 {
			into := s.Into
			s.Into = nil
			return c.selectInto(s, into)
		}
		return sending{c.query(s)}, nil
	case *ast.SetOp:
		if s.Into != nil && len(s.Into.Variables) > 0 {
			into := s.Into
			s.Into = nil
			return c.selectInto(s, into)
		}
		return sending{c.query(s)}, nil
	case *ast.ParenSelect:
		return sending{c.query(s)}, nil
	case *ast.Call:
		return c.call(s)
	case *ast.Prepare, *ast.Execute, *ast.Deallocate:
		return dynamic{c.program.binding.procedures, &c.program.binding, s}, nil
	case *ast.LockTables, *ast.UnlockTables:
		return nil, errNotInRoutine("LOCK")
	case *ast.Use:
		return nil, errNotInRoutine("USE")
	case *ast.Load:
		return nil, errNotInRoutine("LOAD DATA")
	}
	return executing{c.query(s)}, nil
}

// checkLimit refuses variables in LIMIT that are no integers.
func (c *compiler) checkLimit(limit *ast.Limit) error {
	if limit == nil {
		return nil
	}
	for _, e := range []ast.Expr{limit.Rowcount, limit.Offset} {
		name, ok := e.(*ast.ColName)
		if !ok {
			continue
		}
		if i, ok := c.variable(name.Name.String()); ok && !types.IsInteger(c.program.slots[i].typ) {
			return errLimitType(name.Name.String(), c.program.slots[i].typ)
		}
	}
	return nil
}

// sending is a query whose rows go to the client.
type sending struct{ query *query }

func (s sending) run(m *machine) (flow, error) {
	return m.guard(func() error {
		schema, rows, err := s.query.rows(m, -1)
		if err == nil {
			m.results.query = &Result{Schema: schema, Rows: rows}
		}
		return err
	})
}

// executing is any other statement.
type executing struct{ query *query }

func (e executing) run(m *machine) (flow, error) {
	return m.guard(func() error {
		schema, rows, err := e.query.rows(m, -1)
		if err != nil {
			return err
		}
		m.results.other = nil
		if len(schema) > 0 {
			m.results.other = &Result{Schema: schema, Rows: rows}
		}
		return nil
	})
}

// dynamic is PREPARE, EXECUTE and DEALLOCATE, which know no local variables.
type dynamic struct {
	procedures *Procedures
	binding    *binding
	statement  ast.Statement
}

func (d dynamic) run(m *machine) (flow, error) {
	return m.guard(func() error {
		back, err := d.binding.asDefiner(m.ctx)
		if err != nil {
			return err
		}
		defer back()
		runner := *d.procedures.runner.Load()
		schema, iter, _, err := runner.QueryWithBindings(m.ctx, "", d.statement, nil, nil)
		if err != nil {
			return d.procedures.failed(m.ctx, err)
		}
		rows, err := read(m.ctx, iter, -1)
		if err != nil {
			return d.procedures.failed(m.ctx, err)
		}
		if _, ok := d.statement.(*ast.Execute); !ok {
			return nil
		}
		if types.IsOkResultSchema(schema) {
			m.results.other = &Result{Schema: schema, Rows: rows}
		} else {
			m.results.query = &Result{Schema: schema, Rows: rows}
		}
		return nil
	})
}

// calling is CALL. Arguments that are variables may be written to.
type calling struct {
	procedures     *Procedures
	database, name string
	args           []*expression
	targets        []*assignment // nil for an argument that is no variable
}

func (c *compiler) call(s *ast.Call) (node, error) {
	if s.AsOf != nil {
		return nil, errUnsupported("CALL … AS OF")
	}
	n := calling{procedures: c.program.binding.procedures, database: s.ProcName.Qualifier.String(), name: s.ProcName.Name.String()}
	if n.database == "" {
		n.database = c.database
	}
	for _, param := range s.Params {
		n.targets = append(n.targets, c.target(param))
		n.args = append(n.args, c.expression(param))
	}
	return n, nil
}

// target is the variable that an expression is, nil if it is none.
func (c *compiler) target(e ast.Expr) *assignment {
	name, ok := e.(*ast.ColName)
	if !ok || !name.Qualifier.IsEmpty() {
		return nil
	}
	text := name.Name.String()
	if user, ok := strings.CutPrefix(text, "@"); ok && !strings.HasPrefix(user, "@") {
		return &assignment{user: user}
	}
	if i, ok := c.variable(text); ok {
		return &assignment{slot: c.program.slots[i]}
	}
	return nil
}

func (n calling) run(m *machine) (flow, error) {
	return m.guard(func() error {
		if err := m.program.binding.mayCall(m.ctx, n.database, n.name); err != nil {
			return err
		}
		args := make([]Argument, len(n.args))
		for i, e := range n.args {
			value, err := e.eval(m)
			if err != nil {
				return err
			}
			args[i].Value = value
			if target := n.targets[i]; target != nil {
				args[i].Set = func(_ *sql.Context, value any, typ sql.Type) error { return target.set(m, value, typ) }
			}
		}
		result, err := n.procedures.Call(m.ctx, n.database, n.name, args)
		if err != nil {
			return err
		}
		if types.IsOkResultSchema(result.Schema) {
			m.results.other = result
		} else {
			m.results.query = result
		}
		return nil
	})
}

// rows runs a statement of a procedure as one of the session.
func (p *Procedures) rows(ctx *sql.Context, q *query, limit int) (sql.Schema, []sql.Row, error) {
	schema, rows, err := p.statement(ctx, q, limit)
	if err != nil {
		return nil, nil, p.failed(ctx, err)
	}
	return schema, rows, nil
}

func (p *Procedures) statement(ctx *sql.Context, q *query, limit int) (sql.Schema, []sql.Row, error) {
	if err := p.begin(ctx); err != nil {
		return nil, nil, err
	}
	back, err := q.binding.asDefiner(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer back()
	bound, flags, err := q.binding.bind(ctx, q.statement, q.binding.values())
	if err != nil {
		return nil, nil, err
	}
	analyzed, err := p.analyzer.Load().Analyze(ctx, bound, nil, flags)
	if err != nil {
		return nil, nil, err
	}
	runner := *p.runner.Load()
	schema, iter, _, err := runner.PrepQueryPlanForExecution(ctx, "", analyzed, flags)
	if err != nil {
		return nil, nil, err
	}
	rows, err := read(ctx, iter, limit)
	return schema, rows, err
}

// begin starts a transaction if none is open: names are looked up in it.
func (p *Procedures) begin(ctx *sql.Context) error {
	if err := ctx.Session.ValidateSession(ctx); err != nil {
		return err
	}
	session, ok := ctx.Session.(sql.TransactionSession)
	if !ok || ctx.GetTransaction() != nil {
		return nil
	}
	tx, err := session.StartTransaction(ctx, sql.ReadWrite)
	if err != nil {
		return err
	}
	ctx.SetTransaction(tx)
	return nil
}

// failed ends the transaction of a failed statement under autocommit: a handler
// may go on. It returns the statement's error.
func (p *Procedures) failed(ctx *sql.Context, err error) error {
	session, ok := ctx.Session.(sql.TransactionSession)
	tx := ctx.GetTransaction()
	if !ok || tx == nil || ctx.GetIgnoreAutoCommit() {
		return err
	}
	autocommit, autocommitErr := plan.IsSessionAutocommit(ctx)
	if autocommitErr != nil || !autocommit {
		return err
	}
	if rollbackErr := session.Rollback(ctx, tx); rollbackErr != nil {
		return rollbackErr
	}
	ctx.SetTransaction(nil)
	return err
}
