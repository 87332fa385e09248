package correct

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
)

// storedValue is the right side of an assignment to a column, converted as INSERT
// converts. The engine's own assignment drops the information that a value was out
// of range, and stores the clipped one without a word.
type storedValue struct {
	child sql.Expression
	conversion
	nullable bool
	// rows counts evaluations, for messages. An executed statement has expressions
	// of its own, evaluated by one goroutine.
	rows *int64
}

var _ sql.Expression = (*storedValue)(nil)

// Eval implements sql.Expression.
func (s *storedValue) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	value, err := s.child.Eval(ctx, row)
	if err != nil {
		return nil, err
	}
	*s.rows++
	if value == nil && !s.nullable && s.lenient {
		ctx.Warn(codeBadNull, "Column '%s' cannot be null", s.column)
		return s.typ.Zero(), nil
	}
	return s.store(ctx, value, *s.rows)
}

// Type implements sql.Expression.
func (s *storedValue) Type(*sql.Context) sql.Type { return s.typ }

// String implements sql.Expression.
func (s *storedValue) String() string { return s.child.String() }

// Resolved implements sql.Expression.
func (s *storedValue) Resolved() bool { return s.child.Resolved() }

// IsNullable implements sql.Expression.
func (s *storedValue) IsNullable(ctx *sql.Context) bool { return s.child.IsNullable(ctx) }

// Children implements sql.Expression.
func (s *storedValue) Children() []sql.Expression { return []sql.Expression{s.child} }

// WithChildren implements sql.Expression.
func (s *storedValue) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(s, len(children), 1)
	}
	changed := *s
	changed.child = children[0]
	return &changed, nil
}

// fixAssignments wraps the right sides of assignments to columns; false if there
// are none to wrap. limits are those of the columns.
func fixAssignments(ctx *sql.Context, exprs []sql.Expression, ignore bool, limits columnLimits) ([]sql.Expression, bool) {
	fixed := make([]sql.Expression, len(exprs))
	changed := false
	rows := new(int64)
	for i, e := range exprs {
		fixed[i] = e
		set, ok := e.(*expression.SetField)
		if !ok {
			continue
		}
		column, ok := set.LeftChild.(*expression.GetField)
		if !ok {
			continue
		}
		if _, done := set.RightChild.(*storedValue); done {
			continue
		}
		typ := column.Type(ctx)
		fixed[i] = expression.NewSetField(column, &storedValue{
			child:      set.RightChild,
			conversion: conversion{column: column.Name(), typ: typ, lenient: lenient(ctx, ignore), limits: limits(column.Table(), column.Name())},
			nullable:   column.IsNullable(ctx),
			rows:       rows,
		})
		changed = true
	}
	return fixed, changed
}

func (p *Priority) fixUpdateSource(ctx *sql.Context, n *plan.UpdateSource) (sql.Node, error) {
	judged, err := p.judged(ctx, n)
	if err != nil {
		return nil, err
	}
	if judged != nil {
		n = judged
	}
	exprs, changed := fixAssignments(ctx, n.Expressions(), n.Ignore, limitsOf(n.Child))
	if !changed {
		if judged == nil {
			return nil, nil
		}
		return judged, nil
	}
	return n.WithExpressions(ctx, exprs...)
}

// fixSet serves SET NEW.column in triggers.
func fixSet(ctx *sql.Context, n *plan.Set) sql.Node {
	exprs, changed := fixAssignments(ctx, n.Exprs, false, limitsOf(nil))
	if !changed {
		return nil
	}
	fixed := *n
	fixed.Exprs = exprs
	return &fixed
}
