package own

import (
	"errors"
	"fmt"
	"io"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/freshetdb/freshet/plugin/parser"
)

// do is DO: it reads the one row of its query and returns none.
type do struct {
	plan.UnaryNode
	statement *parser.Do
}

var (
	_ sql.ExecBuilderNode = (*do)(nil)
	_ sql.ExecSourceRel   = (*do)(nil)
)

func newDo(statement *parser.Do, exprs []sql.Expression) (*do, error) {
	if len(exprs) != 1 {
		return nil, fmt.Errorf("DO was bound with %d expressions, want one", len(exprs))
	}
	subquery, ok := exprs[0].(*plan.Subquery)
	if !ok {
		return nil, fmt.Errorf("DO was bound with a %T, want a subquery", exprs[0])
	}
	return &do{UnaryNode: plan.UnaryNode{Child: subquery.Query}, statement: statement}, nil
}

// BuildRowIter implements sql.ExecBuilderNode.
func (d *do) BuildRowIter(ctx *sql.Context, b sql.NodeExecBuilder, row sql.Row) (sql.RowIter, error) {
	rows, err := b.Build(ctx, d.Child, row)
	if err != nil {
		return nil, err
	}
	if err := drain(ctx, rows); err != nil {
		return nil, err
	}
	return sql.RowsToRowIter(sql.Row{types.NewOkResult(0)}), nil
}

// drain reads all rows of an iterator and closes it.
func drain(ctx *sql.Context, rows sql.RowIter) error {
	for {
		_, err := rows.Next(ctx)
		if errors.Is(err, io.EOF) {
			return rows.Close(ctx)
		}
		if err != nil {
			if closeErr := rows.Close(ctx); closeErr != nil {
				return errors.Join(err, closeErr)
			}
			return err
		}
	}
}

// RowIter implements sql.ExecSourceRel, which the binder asks of the nodes of our
// statements. The engine prefers BuildRowIter.
func (d *do) RowIter(*sql.Context, sql.Row) (sql.RowIter, error) {
	return nil, fmt.Errorf("%s was executed without a builder", d)
}

// Resolved implements sql.Node.
func (d *do) Resolved() bool { return d.Child.Resolved() }

// String implements sql.Node.
func (d *do) String() string { return d.statement.String() }

// Schema implements sql.Node.
func (d *do) Schema(*sql.Context) sql.Schema { return types.OkResultSchema }

// WithChildren implements sql.Node.
func (d *do) WithChildren(_ *sql.Context, children ...sql.Node) (sql.Node, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(d, len(children), 1)
	}
	changed := *d
	changed.Child = children[0]
	return &changed, nil
}

// IsReadOnly implements sql.Node.
func (d *do) IsReadOnly() bool { return d.Child.IsReadOnly() }

// CollationCoercibility implements sql.CollationCoercible.
func (d *do) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 7
}
