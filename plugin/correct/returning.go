package correct

import (
	"errors"
	"io"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
)

// returningNode is an INSERT or REPLACE with RETURNING. The engine streams such a
// statement without beginning and completing it for the table's editor, and gives
// old and new rows of a REPLACE without looking at RETURNING. Here the statement
// runs as one without RETURNING, to its end, and its new rows are answered after.
type returningNode struct {
	plan.UnaryNode
	insert *plan.InsertInto // with RETURNING
}

var _ sql.ExecBuilderNode = (*returningNode)(nil)

// fixReturning is the node for an INSERT with RETURNING; nil for others, and for
// one whose rows an AFTER trigger passes on.
func fixReturning(n *plan.InsertInto) sql.Node {
	if len(n.Returning) == 0 || n.HasAfterTrigger {
		return nil
	}
	plain := *n
	plain.Returning = nil
	return &returningNode{UnaryNode: plan.UnaryNode{Child: &plain}, insert: n}
}

// IsReadOnly implements sql.Node.
func (r *returningNode) IsReadOnly() bool { return false }

// String implements sql.Node.
func (r *returningNode) String() string { return r.insert.String() }

// Schema implements sql.Node: the columns of RETURNING.
func (r *returningNode) Schema(ctx *sql.Context) sql.Schema {
	schema := make(sql.Schema, len(r.insert.Returning))
	for i, e := range r.insert.Returning {
		schema[i] = transform.ExpressionToColumn(ctx, e, "")
	}
	return schema
}

// WithChildren implements sql.Node.
func (r *returningNode) WithChildren(_ *sql.Context, children ...sql.Node) (sql.Node, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(r, len(children), 1)
	}
	changed := *r
	changed.Child = children[0]
	return &changed, nil
}

// BuildRowIter implements sql.ExecBuilderNode.
func (r *returningNode) BuildRowIter(ctx *sql.Context, b sql.NodeExecBuilder, row sql.Row) (sql.RowIter, error) {
	child, err := b.Build(ctx, r.Child, row)
	if err != nil {
		return nil, err
	}
	return &returningIter{child: child, node: r, width: len(r.insert.Destination.Schema(ctx))}, nil
}

type returningIter struct {
	child sql.RowIter
	node  *returningNode
	width int // of a row of the table
	ran   bool
	rows  []sql.Row
}

// Next implements sql.RowIter.
func (i *returningIter) Next(ctx *sql.Context) (sql.Row, error) {
	if !i.ran {
		i.ran = true
		err := i.run(ctx)
		if closeErr := i.child.Close(ctx); err == nil {
			err = closeErr
		}
		if err != nil {
			i.rows = nil
			return nil, err
		}
	}
	if len(i.rows) == 0 {
		return nil, io.EOF
	}
	row := i.rows[0]
	i.rows = i.rows[1:]
	return row, nil
}

// run executes the statement. A row of it is the new row, or the old and the new.
func (i *returningIter) run(ctx *sql.Context) error {
	for {
		row, err := i.child.Next(ctx)
		var ignored sql.IgnorableError
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.As(err, &ignored):
			continue
		case err != nil:
			return err
		}
		if len(row) > i.width {
			row = row[len(row)-i.width:]
		}
		answer := make(sql.Row, len(i.node.insert.Returning))
		for j, e := range i.node.insert.Returning {
			if answer[j], err = e.Eval(ctx, row); err != nil {
				return err
			}
		}
		i.rows = append(i.rows, answer)
	}
}

// Close implements sql.RowIter.
func (i *returningIter) Close(ctx *sql.Context) error {
	if i.ran {
		return nil
	}
	i.ran = true
	return i.child.Close(ctx)
}
