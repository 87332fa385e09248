package correct

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	"github.com/dolthub/go-mysql-server/sql/transform"
)

// regenerated computes the generated columns of rows anew: from what their columns
// store, and after BEFORE triggers, which may have set what they are made of. The
// engine computes them from what the statement says.
type regenerated struct {
	plan.UnaryNode
	columns generatedColumns
}

// generatedColumns are the generated columns of a table.
type generatedColumns struct {
	// exprs has the expressions in the order of the schema, nil for other columns.
	exprs []sql.Expression
	// inputs are the columns that they are made of.
	inputs []generatedInput
}

type generatedInput struct {
	at int
	conversion
}

// none says whether there are none.
func (g generatedColumns) none() bool { return g.exprs == nil }

// compute is a row, the end of which is one of the table, with its generated
// columns computed.
func (g generatedColumns) compute(ctx *sql.Context, row sql.Row) (sql.Row, error) {
	if g.none() {
		return row, nil
	}
	row = row.Copy()
	return row, sql.EvalProjections(ctx, g.exprs, row[len(row)-len(g.exprs):])
}

// stored is a row of the table with the inputs as their columns store them. One
// that its column refuses stays what it is: the statement will refuse it.
func (g generatedColumns) stored(ctx *sql.Context, row sql.Row) sql.Row {
	own := row.Copy()
	for _, input := range g.inputs {
		if own[input.at] == nil {
			continue
		}
		if value, inRange, err := input.convert(ctx, own[input.at], 1); err == nil && inRange == sql.InRange {
			own[input.at] = value
		}
	}
	return own
}

var _ sql.ExecBuilderNode = (*regenerated)(nil)

// IsReadOnly implements sql.Node.
func (n *regenerated) IsReadOnly() bool { return n.Child.IsReadOnly() }

// String implements sql.Node.
func (n *regenerated) String() string { return n.Child.String() }

// DebugString implements sql.DebugStringer.
func (n *regenerated) DebugString(ctx *sql.Context) string { return sql.DebugString(ctx, n.Child) }

// WithChildren implements sql.Node.
func (n *regenerated) WithChildren(_ *sql.Context, children ...sql.Node) (sql.Node, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(n, len(children), 1)
	}
	changed := *n
	changed.Child = children[0]
	return &changed, nil
}

// BuildRowIter implements sql.ExecBuilderNode.
func (n *regenerated) BuildRowIter(ctx *sql.Context, b sql.NodeExecBuilder, row sql.Row) (sql.RowIter, error) {
	rows, err := b.Build(ctx, n.Child, row)
	if err != nil {
		return nil, err
	}
	return &regeneratedIter{RowIter: rows, columns: n.columns}, nil
}

type regeneratedIter struct {
	sql.RowIter
	columns generatedColumns
}

// Next implements sql.RowIter.
func (i *regeneratedIter) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := i.RowIter.Next(ctx)
	if err != nil {
		return row, err
	}
	offset := len(row) - len(i.columns.exprs)
	own, err := i.columns.compute(ctx, i.columns.stored(ctx, row[offset:]))
	if err != nil {
		return nil, err
	}
	row = row.Copy()
	for at, e := range i.columns.exprs {
		if e != nil {
			row[offset+at] = own[at]
		}
	}
	return row, nil
}

// generatedColumns are those of a table.
func (r *triggerRule) generatedColumns(ctx *sql.Context, table *plan.ResolvedTable) (g generatedColumns, err error) {
	schema := table.Schema(ctx)
	if !slices.ContainsFunc(schema, func(c *sql.Column) bool { return c.Generated != nil }) {
		return g, nil
	}
	used := make([]bool, len(schema))
	builder := planbuilder.New(ctx, r.analyzer.Catalog, nil)
	columns := builder.ResolveSchemaDefaults(table.Database().Name(), table.Name(), schema).GeneratedExpressions()
	for i, e := range columns {
		if e == nil {
			continue
		}
		positioned, _, err := transform.Expr(ctx, e, func(_ *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
			field, ok := e.(*expression.GetField)
			if !ok {
				return e, transform.SameTree, nil
			}
			at := slices.IndexFunc(schema, func(c *sql.Column) bool { return strings.EqualFold(c.Name, field.Name()) })
			if at < 0 {
				return nil, transform.SameTree, sql.ErrColumnNotFound.New(field.Name())
			}
			used[at] = true
			return field.WithIndex(at), transform.NewTree, nil
		})
		if err != nil {
			return g, err
		}
		columns[i] = positioned
	}
	for i, column := range schema {
		if used[i] && column.Generated == nil {
			g.inputs = append(g.inputs, generatedInput{at: i, conversion: conversion{column: column.Name, typ: column.Type}})
		}
	}
	g.exprs = columns
	return g, nil
}

// regenerate puts a regenerated node above rows of a table with generated columns.
func (r *triggerRule) regenerate(ctx *sql.Context, table *plan.ResolvedTable, n sql.Node) (sql.Node, error) {
	columns, err := r.generatedColumns(ctx, table)
	if err != nil || columns.none() {
		return n, err
	}
	return &regenerated{UnaryNode: plan.UnaryNode{Child: n}, columns: columns}, nil
}

// regenerateUpdate does so above the BEFORE triggers of an UPDATE.
func (r *triggerRule) regenerateUpdate(ctx *sql.Context, table *plan.ResolvedTable, fired sql.Node) (sql.Node, error) {
	if trigger, ok := fired.(*plan.TriggerExecutor); ok {
		left, err := r.regenerateUpdate(ctx, table, trigger.Left())
		if err != nil {
			return nil, err
		}
		return trigger.WithChildren(ctx, left, trigger.Right())
	}
	update, ok := fired.(*plan.Update)
	if !ok {
		return fired, nil
	}
	if _, ok := update.Child.(*plan.TriggerExecutor); !ok {
		return fired, nil
	}
	child, err := r.regenerate(ctx, table, update.Child)
	if err != nil {
		return nil, err
	}
	return update.WithChildren(ctx, child)
}
