package correct

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
)

// fixInsert corrects an INSERT or REPLACE; nil if it needs nothing. ON DUPLICATE
// KEY UPDATE judges by stored bytes whether it changes a row, and assigns with
// range checks. Values are converted before the engine sees them, with warnings
// instead of errors without strict mode and with IGNORE.
func (p *Priority) fixInsert(ctx *sql.Context, n *plan.InsertInto) (sql.Node, error) {
	if returning := fixReturning(n); returning != nil {
		return returning, nil
	}
	fixed := *n
	changed := false
	if n.OnDupExprs.HasUpdates() {
		exprs, assigned := fixAssignments(ctx, n.OnDupExprs.AllExpressions(), n.Ignore, limitsOf(n.Destination))
		if assigned {
			updates, err := n.OnDupExprs.WithExpressions(exprs)
			if err != nil {
				return nil, err
			}
			fixed.OnDupExprs = updates
			changed = true
		}
		if destination, ok := p.exactDestination(n.Destination); ok {
			fixed.Destination = destination
			changed = true
		}
	}
	source, converted, err := storedRows(ctx, n, n.Source)
	if err != nil {
		return nil, err
	}
	fixed.Source = source
	changed = changed || converted
	if !changed {
		return nil, nil
	}
	return &fixed, nil
}

func (p *Priority) exactDestination(n sql.Node) (sql.Node, bool) {
	switch n := n.(type) {
	case *plan.InsertDestination:
		schema, ok := exactSchema(n.Sch, p.options.ExactEqual)
		if !ok {
			return n, false
		}
		fixed := *n
		fixed.Sch = schema
		return &fixed, true
	case *keyedDestination:
		child, ok := p.exactDestination(n.Child)
		if !ok {
			return n, false
		}
		fixed := *n
		fixed.Child = child
		return &fixed, true
	case *plan.ForeignKeyHandler:
		original, ok := p.exactDestination(n.OriginalNode)
		if !ok {
			return n, false
		}
		fixed := *n
		fixed.OriginalNode = original
		return &fixed, true
	}
	return n, false
}

// storedSource converts the rows of an INSERT to the types of its columns.
type storedSource struct {
	plan.UnaryNode
	lenient bool // with warnings where the engine would fail
	columns []sourceColumn
	// oneRow: the statement inserts a single row, where MySQL refuses an explicit
	// NULL for a NOT NULL column even without strict mode.
	oneRow bool
}

type sourceColumn struct {
	conversion
	nullable  bool
	automatic bool // AUTO_INCREMENT: NULL asks for a value
	omitted   bool // not in the statement, and without a default
}

var _ sql.ExecBuilderNode = (*storedSource)(nil)

// storedRows puts a storedSource above the source of an INSERT, and below what
// computes its generated columns; false if it is there.
func storedRows(ctx *sql.Context, n *plan.InsertInto, source sql.Node) (sql.Node, bool, error) {
	switch source := source.(type) {
	case *storedSource:
		return source, false, nil
	case *regenerated:
		child, changed, err := storedRows(ctx, n, source.Child)
		if err != nil || !changed {
			return source, false, err
		}
		fixed, err := source.WithChildren(ctx, child)
		return fixed, true, err
	}
	return newStoredSource(ctx, n, source), true, nil
}

func newStoredSource(ctx *sql.Context, n *plan.InsertInto, rows sql.Node) *storedSource {
	schema := n.Destination.Schema(ctx)
	source := &storedSource{UnaryNode: plan.UnaryNode{Child: rows}, lenient: lenient(ctx, n.Ignore), columns: make([]sourceColumn, len(schema))}
	given := projected(rows)
	limits := limitsOf(n.Destination)
	for i, column := range schema {
		source.columns[i] = sourceColumn{
			conversion: conversion{column: column.Name, typ: column.Type, lenient: source.lenient, limits: limits(column.Source, column.Name)},
			nullable:   column.Nullable,
			automatic:  column.AutoIncrement,
			omitted:    n.DeferredDefaults.Contains(i),
		}
		if i < len(given) {
			_, source.columns[i].anyDay = given[i].(*sql.ColumnDefaultValue)
		}
	}
	source.oneRow = !n.Ignore && insertsOneRow(n.Source)
	return source
}

// projected are the expressions of the columns to insert, nil if not known.
func projected(n sql.Node) []sql.Expression {
	for {
		if project, ok := n.(*plan.Project); ok {
			return project.Projections
		}
		children := n.Children()
		if len(children) != 1 {
			return nil
		}
		n = children[0]
	}
}

// insertsOneRow says whether the source is a VALUES list of one row.
func insertsOneRow(n sql.Node) bool {
	for {
		if values, ok := n.(*plan.Values); ok {
			return len(values.ExpressionTuples) == 1
		}
		children := n.Children()
		if len(children) != 1 {
			return false
		}
		n = children[0]
	}
}

// IsReadOnly implements sql.Node.
func (s *storedSource) IsReadOnly() bool { return s.Child.IsReadOnly() }

// String implements sql.Node.
func (s *storedSource) String() string { return s.Child.String() }

// WithChildren implements sql.Node.
func (s *storedSource) WithChildren(_ *sql.Context, children ...sql.Node) (sql.Node, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(s, len(children), 1)
	}
	changed := *s
	changed.Child = children[0]
	return &changed, nil
}

// BuildRowIter implements sql.ExecBuilderNode.
func (s *storedSource) BuildRowIter(ctx *sql.Context, b sql.NodeExecBuilder, row sql.Row) (sql.RowIter, error) {
	child, err := b.Build(ctx, s.Child, row)
	if err != nil {
		return nil, err
	}
	return &storedIter{child: child, source: s}, nil
}

type storedIter struct {
	child  sql.RowIter
	source *storedSource
	rows   int64
}

// Next implements sql.RowIter. Rows may have values of an outer scope in front of
// those to insert.
func (i *storedIter) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := i.child.Next(ctx)
	if err != nil {
		return nil, err
	}
	i.rows++
	stored := row.Copy()
	offset := max(len(row)-len(i.source.columns), 0)
	for j, column := range i.source.columns {
		if offset+j >= len(row) {
			break
		}
		value, err := i.store(ctx, column, row[offset+j])
		if err != nil {
			return nil, sql.NewWrappedInsertError(row, err)
		}
		stored[offset+j] = value
	}
	return stored, nil
}

func (i *storedIter) store(ctx *sql.Context, column sourceColumn, value any) (any, error) {
	if value != nil || column.nullable || column.automatic || !column.lenient {
		return column.store(ctx, value, i.rows)
	}
	if column.omitted {
		ctx.Warn(codeNoDefault, "Field '%s' doesn't have a default value", column.column)
		return column.typ.Zero(), nil
	}
	if i.source.oneRow {
		return nil, nil // the engine refuses it
	}
	ctx.Warn(codeBadNull, "Column '%s' cannot be null", column.column)
	return column.typ.Zero(), nil
}

// Close implements sql.RowIter.
func (i *storedIter) Close(ctx *sql.Context) error { return i.child.Close(ctx) }
