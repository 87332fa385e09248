package correct

import (
	"context"
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// TriggerRow is a column of NEW or OLD that the parser has put into a syntax tree
// where the binder would not find it.
type TriggerRow struct {
	Table  string // new or old
	Column string
}

// String implements fmt.Stringer, for the text of the syntax tree.
func (r TriggerRow) String() string { return r.Table + "." + r.Column }

// WithResolvedChildren implements sqlparser.Injectable.
func (r TriggerRow) WithResolvedChildren(_ context.Context, children []any) (any, error) {
	if len(children) != 0 {
		return nil, fmt.Errorf("column %s with %d children", r, len(children))
	}
	return &triggerColumn{TriggerRow: r}, nil
}

// triggerColumn is a TriggerRow as an expression. The plan of a trigger's body knows
// where the row has it; an execution has its value.
type triggerColumn struct {
	TriggerRow
	column *sql.Column // nil before it is positioned
	at     int         // in the row that the trigger runs for
	bound  bool        // value is the row's
	value  any
}

var _ sql.Expression = (*triggerColumn)(nil)

// Eval implements sql.Expression.
func (c *triggerColumn) Eval(*sql.Context, sql.Row) (any, error) {
	if !c.bound {
		return nil, fmt.Errorf("%s is evaluated outside of a trigger", c)
	}
	return c.value, nil
}

// Type implements sql.Expression.
func (c *triggerColumn) Type(*sql.Context) sql.Type {
	if c.column == nil {
		return types.Null
	}
	return c.column.Type
}

// IsNullable implements sql.Expression.
func (c *triggerColumn) IsNullable(*sql.Context) bool { return c.column == nil || c.column.Nullable }

// Resolved implements sql.Expression.
func (c *triggerColumn) Resolved() bool { return true }

// Children implements sql.Expression.
func (c *triggerColumn) Children() []sql.Expression { return nil }

// WithChildren implements sql.Expression.
func (c *triggerColumn) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 0 {
		return nil, sql.ErrInvalidChildrenNumber.New(c, len(children), 0)
	}
	return c, nil
}

// changeTriggerColumns replaces the columns of NEW and OLD in the updates of an
// INSERT.
func changeTriggerColumns(ctx *sql.Context, n *plan.InsertInto, change func(triggerColumn) (triggerColumn, error)) (*plan.InsertInto, error) {
	if !n.OnDupExprs.HasUpdates() {
		return n, nil
	}
	exprs, same, err := transform.Exprs(ctx, n.OnDupExprs.AllExpressions(), func(_ *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		column, ok := e.(*triggerColumn)
		if !ok {
			return e, transform.SameTree, nil
		}
		changed, err := change(*column)
		return &changed, transform.NewTree, err
	})
	if err != nil || same == transform.SameTree {
		return n, err
	}
	fixed := *n
	fixed.OnDupExprs, err = n.OnDupExprs.WithExpressions(exprs)
	return &fixed, err
}

// position finds the columns of NEW and OLD in the row of the trigger that an INSERT
// is in.
func (r *triggerRule) position(ctx *sql.Context, n *plan.InsertInto) (*plan.InsertInto, error) {
	return changeTriggerColumns(ctx, n, func(c triggerColumn) (triggerColumn, error) {
		row := r.scope.Schema(ctx)
		for at := len(row) - 1; at >= 0; at-- {
			if strings.EqualFold(row[at].Source, c.Table) && strings.EqualFold(row[at].Name, c.Column) {
				c.at, c.column = at, row[at]
				return c, nil
			}
		}
		return c, sql.ErrTableColumnNotFound.New(c.Table, c.Column)
	})
}

// bindTriggerColumns gives them the values of the row.
func bindTriggerColumns(ctx *sql.Context, n *plan.InsertInto, row sql.Row) (*plan.InsertInto, error) {
	return changeTriggerColumns(ctx, n, func(c triggerColumn) (triggerColumn, error) {
		if c.column == nil || c.at >= len(row) {
			return c, fmt.Errorf("%s is not in the %d values of the trigger's row", c, len(row))
		}
		c.value, c.bound = row[c.at], true
		return c, nil
	})
}
