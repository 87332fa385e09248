package correct

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
)

// fixInsert corrects an INSERT or REPLACE; nil if it needs nothing. ON DUPLICATE
// KEY UPDATE judges by stored bytes whether it changes a row, and assigns with
// range checks; without strict mode, or with IGNORE, values are converted with
// warnings before the engine sees them.
func (p *Priority) fixInsert(ctx *sql.Context, n *plan.InsertInto) (sql.Node, error) {
	if returning := fixReturning(n); returning != nil {
		return returning, nil
	}
	fixed := *n
	changed := false
	if n.OnDupExprs.HasUpdates() {
		exprs, assigned := fixAssignments(ctx, n.OnDupExprs.AllExpressions(), n.Ignore)
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
	if lenient(ctx, n.Ignore) {
		source, converted, err := lenientRows(ctx, n, n.Source)
		if err != nil {
			return nil, err
		}
		fixed.Source = source
		changed = changed || converted
	} else {
		source, converted, err := withDayNumbers(ctx, n, n.Source)
		if err != nil {
			return nil, err
		}
		fixed.Source = source
		changed = changed || converted
	}
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

// lenientSource converts the rows of an INSERT to the types of its columns, with
// warnings where the engine would fail.
type lenientSource struct {
	plan.UnaryNode
	columns []lenientColumn
	// oneRow: the statement inserts a single row, where MySQL refuses an explicit
	// NULL for a NOT NULL column even without strict mode.
	oneRow bool
}

type lenientColumn struct {
	conversion
	nullable  bool
	automatic bool // AUTO_INCREMENT: NULL asks for a value
	omitted   bool // not in the statement, and without a default
}

var _ sql.ExecBuilderNode = (*lenientSource)(nil)

// lenientRows puts a lenientSource above the source of an INSERT, and below what
// computes its generated columns; false if it is there.
func lenientRows(ctx *sql.Context, n *plan.InsertInto, source sql.Node) (sql.Node, bool, error) {
	switch source := source.(type) {
	case *lenientSource:
		return source, false, nil
	case *regenerated:
		child, changed, err := lenientRows(ctx, n, source.Child)
		if err != nil || !changed {
			return source, false, err
		}
		fixed, err := source.WithChildren(ctx, child)
		return fixed, true, err
	}
	return newLenientSource(ctx, n, source), true, nil
}

func newLenientSource(ctx *sql.Context, n *plan.InsertInto, rows sql.Node) *lenientSource {
	schema := n.Destination.Schema(ctx)
	source := &lenientSource{UnaryNode: plan.UnaryNode{Child: rows}, columns: make([]lenientColumn, len(schema))}
	for i, column := range schema {
		source.columns[i] = lenientColumn{
			conversion: conversion{column: column.Name, typ: column.Type, lenient: true},
			nullable:   column.Nullable,
			automatic:  column.AutoIncrement,
			omitted:    n.DeferredDefaults.Contains(i),
		}
	}
	source.oneRow = !n.Ignore && insertsOneRow(n.Source)
	return source
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
func (s *lenientSource) IsReadOnly() bool { return true }

// String implements sql.Node.
func (s *lenientSource) String() string { return s.Child.String() }

// WithChildren implements sql.Node.
func (s *lenientSource) WithChildren(_ *sql.Context, children ...sql.Node) (sql.Node, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(s, len(children), 1)
	}
	changed := *s
	changed.Child = children[0]
	return &changed, nil
}

// BuildRowIter implements sql.ExecBuilderNode.
func (s *lenientSource) BuildRowIter(ctx *sql.Context, b sql.NodeExecBuilder, row sql.Row) (sql.RowIter, error) {
	child, err := b.Build(ctx, s.Child, row)
	if err != nil {
		return nil, err
	}
	return &lenientIter{child: child, source: s}, nil
}

type lenientIter struct {
	child  sql.RowIter
	source *lenientSource
	rows   int64
}

// Next implements sql.RowIter. Rows may have values of an outer scope in front of
// those to insert.
func (i *lenientIter) Next(ctx *sql.Context) (sql.Row, error) {
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

func (i *lenientIter) store(ctx *sql.Context, column lenientColumn, value any) (any, error) {
	if value != nil || column.nullable || column.automatic {
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
func (i *lenientIter) Close(ctx *sql.Context) error { return i.child.Close(ctx) }
