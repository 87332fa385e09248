package correct

import (
	"errors"
	"io"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
)

// changeNode is a statement that changes rows and is run by an operator of ours.
// Its child is the engine's node for the statement.
type changeNode interface {
	sql.ExecBuilderNode
	// withOptions is the node that compares and judges rows as the options say; nil
	// if it does already.
	withOptions(o *Options) sql.Node
}

var (
	_ changeNode = (*keyedInsert)(nil)
	_ changeNode = (*joinUpdate)(nil)
	_ changeNode = (*joinDelete)(nil)
	_ changeNode = (*quietStatement)(nil)
)

// ChangesRows reports whether n is an operator of this package that changes rows.
func ChangesRows(n sql.Node) bool {
	_, ok := n.(changeNode)
	return ok
}

// change is what changeNodes have in common.
type change struct {
	plan.UnaryNode
	equal exactFunc // nil in plans, set when they are built
	judge judgeFunc // as equal; then nil if nothing is ever judged
}

// judging returns the judge of one execution, which may have nothing to do.
func (c *change) judging(ctx *sql.Context) func(ctx *sql.Context, table sql.Table, row sql.Row) error {
	if c.judge != nil {
		if judge := c.judge(ctx); judge != nil {
			return judge
		}
	}
	return func(*sql.Context, sql.Table, sql.Row) error { return nil }
}

// IsReadOnly implements sql.Node.
func (c *change) IsReadOnly() bool { return false }

// String implements sql.Node.
func (c *change) String() string { return c.Child.String() }

// DebugString implements sql.DebugStringer.
func (c *change) DebugString(ctx *sql.Context) string { return sql.DebugString(ctx, c.Child) }

// Schema implements sql.Node.
func (c *change) Schema(*sql.Context) sql.Schema { return types.OkResultSchema }

// with is the same over another child.
func (c change) with(n sql.Node, children []sql.Node) (change, error) {
	if len(children) != 1 {
		return c, sql.ErrInvalidChildrenNumber.New(n, len(children), 1)
	}
	c.Child = children[0]
	return c, nil
}

// exact is the schema by which rows are compared.
func (c *change) exact(schema sql.Schema) sql.Schema {
	if exact, ok := exactSchema(schema, c.equal); ok {
		return exact
	}
	return schema
}

// changeIter runs a statement to its end at the first Next, and answers with its
// rows: usually one, the OK of the protocol.
type changeIter struct {
	run  func(*sql.Context) ([]sql.Row, error)
	ran  bool
	rows []sql.Row
}

// Next implements sql.RowIter.
func (i *changeIter) Next(ctx *sql.Context) (sql.Row, error) {
	if !i.ran {
		i.ran = true
		rows, err := i.run(ctx)
		if err != nil {
			return nil, err
		}
		i.rows = rows
	}
	if len(i.rows) == 0 {
		return nil, io.EOF
	}
	row := i.rows[0]
	i.rows = i.rows[1:]
	return row, nil
}

// Close implements sql.RowIter.
func (i *changeIter) Close(*sql.Context) error { return nil }

// safepointEvery is how many rows a statement changes between two moments at which
// the session may do what it likes, as in the engine's own statements.
const safepointEvery = 1024

// eachRow calls do with the rows of a source, until its end or an error. A row
// that IGNORE has dropped is nil.
func eachRow(ctx *sql.Context, rows sql.RowIter, do func(sql.Row) error) error {
	for n := 1; ; n++ {
		if n%safepointEvery == 0 {
			sql.SessionCommandSafepoint(ctx.Session)
		}
		row, err := rows.Next(ctx)
		if ctxErr := ctx.Err(); ctxErr != nil {
			return ctxErr
		}
		var ignored sql.IgnorableError
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.As(err, &ignored):
			row = nil
		case err != nil:
			return err
		}
		if err := do(row); err != nil {
			return err
		}
	}
}

// editors are the editors of one statement. They begin, and end, together.
type editors []sql.EditOpenerCloser

func (e editors) begin(ctx *sql.Context) {
	for _, editor := range e {
		editor.StatementBegin(ctx)
	}
}

// end completes the statement, or undoes it if it has failed: the last editor that
// began goes back first, so that each finds what it began with.
func (e editors) end(ctx *sql.Context, err error) error {
	for i := len(e) - 1; i >= 0; i-- {
		if err == nil {
			err = e[i].StatementComplete(ctx)
			continue
		}
		err = AlsoFailed(err, e[i].DiscardChanges(ctx, err))
	}
	return err
}

// closed ends the source of a statement's rows. One that has failed answers the
// error once more, which adds nothing to err.
func closed(ctx *sql.Context, rows sql.RowIter, err error) error {
	if closeErr := rows.Close(ctx); err == nil {
		return closeErr
	}
	return err
}

// AlsoFailed adds what failed after err. An err alone stays what it is: the engine
// looks at its type.
func AlsoFailed(err error, more ...error) error {
	for _, next := range more {
		switch {
		case next == nil:
		case err == nil:
			err = next
		default:
			err = errors.Join(err, next)
		}
	}
	return err
}

// evaluateChecks refuses a row that an enforced CHECK constraint does not admit.
func evaluateChecks(ctx *sql.Context, checks sql.CheckConstraints, row sql.Row) error {
	for _, check := range checks {
		if !check.Enforced {
			continue
		}
		value, err := sql.EvaluateCondition(ctx, check.Expr, row)
		if err != nil {
			return err
		}
		if sql.IsFalse(value) {
			return sql.ErrCheckConstraintViolated.New(check.Name)
		}
	}
	return nil
}

// fillNulls refuses a row with NULL in a NOT NULL column; where the statement
// converts with warnings, the column gets its zero instead.
func fillNulls(ctx *sql.Context, schema sql.Schema, row sql.Row, lenient bool) error {
	for i, column := range schema {
		if row[i] != nil || column.Nullable {
			continue
		}
		if !lenient {
			return sql.ErrInsertIntoNonNullableProvidedNull.New(column.Name)
		}
		ctx.Warn(codeBadNull, "Column '%s' cannot be null", column.Name)
		row[i] = column.Type.Zero()
	}
	return nil
}

// ignore makes a warning of an error for which IGNORE skips a row; other errors it
// returns.
func ignore(ctx *sql.Context, err error) error {
	for _, kind := range plan.IgnorableErrors {
		if kind.Is(err) {
			ctx.Session.Warn(&sql.Warning{Level: "Warning", Code: sql.CastSQLError(err).Num, Message: err.Error()})
			return nil
		}
	}
	return err
}

// countsFoundRows says whether the client wants rows counted that an UPDATE finds,
// changed or not.
func countsFoundRows(ctx *sql.Context) bool {
	return ctx.Client().Capabilities&mysql.CapabilityClientFoundRows > 0
}

// setsInsertID says whether a statement has LAST_INSERT_ID(expr), which sets what
// LAST_INSERT_ID() answers. What triggers have is theirs.
func setsInsertID(ctx *sql.Context, n sql.Node) bool {
	found := false
	visit := func(ctx *sql.Context, e sql.Expression) bool {
		if id, ok := e.(*function.LastInsertId); ok && id.Child != nil {
			found = true
		}
		return !found
	}
	transform.InspectWithOpaque(ctx, n, func(ctx *sql.Context, n sql.Node) bool {
		switch n := n.(type) {
		case *plan.TriggerExecutor:
			found = found || setsInsertID(ctx, n.Left())
			return false
		case *plan.InsertInto:
			found = found || setsInsertID(ctx, n.Source)
		}
		if with, ok := n.(sql.Expressioner); ok {
			for _, e := range with.Expressions() {
				sql.Inspect(ctx, e, visit)
			}
		}
		return !found
	})
	return found
}
