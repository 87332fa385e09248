package routine

import (
	"context"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
)

// call is a call of a stored function in a statement.
type call struct {
	database, name string
	sqlMode        string // that the function was created with
	deterministic  bool
	typ            sql.Type
	args           []sql.Expression
	programs       *programs // shared by copies of the call
}

var (
	_ sql.FunctionExpression         = (*call)(nil)
	_ sql.NonDeterministicExpression = (*call)(nil)
	_ sql.CollationCoercible         = (*call)(nil)
)

// running is the chain of functions that are being evaluated, in the context.
type running struct {
	database, name string
	outer          *running
}

type runningKey struct{}

// Eval implements sql.Expression.
func (c *call) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	args := make([]any, len(c.args))
	for i, arg := range c.args {
		value, err := arg.Eval(ctx, row)
		if err != nil {
			return nil, err
		}
		args[i] = value
	}
	outer, _ := ctx.Value(runningKey{}).(*running)
	for r := outer; r != nil; r = r.outer {
		if strings.EqualFold(r.database, c.database) && strings.EqualFold(r.name, c.name) {
			return nil, errRecursive()
		}
	}
	program, err := c.programs.take()
	if err != nil {
		return nil, err
	}
	defer c.programs.give(program)
	inner := ctx.WithContext(context.WithValue(ctx.Context, runningKey{}, &running{c.database, c.name, outer}))
	return underMode(inner, c.sqlMode, func() (any, error) { return program.run(inner, args) })
}

// underMode runs f with a sql_mode. The mode is a setting of the session, so a
// statement that evaluates expressions at two places at a time shows it to both
// for the while.
func underMode(ctx *sql.Context, mode string, f func() (any, error)) (value any, err error) {
	before := sql.LoadSqlMode(ctx).String()
	if strings.EqualFold(before, mode) {
		return f()
	}
	if err := ctx.SetSessionVariable(ctx, "sql_mode", mode); err != nil {
		return nil, err
	}
	defer func() {
		if restoreErr := ctx.SetSessionVariable(ctx, "sql_mode", before); err == nil {
			err = restoreErr
		}
	}()
	return f()
}

// FunctionName implements sql.FunctionExpression.
func (c *call) FunctionName() string { return c.name }

// Description implements sql.FunctionExpression.
func (c *call) Description() string { return "stored function" }

// IsNonDeterministic implements sql.NonDeterministicExpression.
func (c *call) IsNonDeterministic() bool { return !c.deterministic }

// Type implements sql.Expression.
func (c *call) Type(*sql.Context) sql.Type { return c.typ }

// IsNullable implements sql.Expression.
func (c *call) IsNullable(*sql.Context) bool { return true }

// Resolved implements sql.Expression.
func (c *call) Resolved() bool {
	for _, arg := range c.args {
		if !arg.Resolved() {
			return false
		}
	}
	return true
}

// String implements sql.Expression.
func (c *call) String() string {
	args := make([]string, len(c.args))
	for i, arg := range c.args {
		args[i] = arg.String()
	}
	return c.database + "." + c.name + "(" + strings.Join(args, ",") + ")"
}

// Children implements sql.Expression.
func (c *call) Children() []sql.Expression { return c.args }

// WithChildren implements sql.Expression.
func (c *call) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != len(c.args) {
		return nil, sql.ErrInvalidChildrenNumber.New(c, len(children), len(c.args))
	}
	changed := *c
	changed.args = children
	return &changed, nil
}

// CollationCoercibility implements sql.CollationCoercible: as MySQL, coercible.
func (c *call) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	if text, ok := c.typ.(sql.StringType); ok {
		return text.Collation(), 4
	}
	return sql.Collation_binary, 5
}
