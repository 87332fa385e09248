package correct

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
)

// judgeFunc is Options.Judge.
type judgeFunc func(ctx *sql.Context) func(ctx *sql.Context, table sql.Table, row sql.Row) error

// judgedRows are the rows that an UPDATE of one table has found, each shown to a
// judge before anything is done with it. The engine asks an editor only about rows
// that become others.
type judgedRows struct {
	plan.UnaryNode
	table sql.Table
	judge func(ctx *sql.Context, table sql.Table, row sql.Row) error
}

var _ sql.ExecBuilderNode = (*judgedRows)(nil)

// IsReadOnly implements sql.Node.
func (n *judgedRows) IsReadOnly() bool { return true }

// String implements sql.Node.
func (n *judgedRows) String() string { return n.Child.String() }

// Schema implements sql.Node.
func (n *judgedRows) Schema(ctx *sql.Context) sql.Schema { return n.Child.Schema(ctx) }

// WithChildren implements sql.Node.
func (n *judgedRows) WithChildren(_ *sql.Context, children ...sql.Node) (sql.Node, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(n, len(children), 1)
	}
	changed := *n
	changed.Child = children[0]
	return &changed, nil
}

// BuildRowIter implements sql.ExecBuilderNode.
func (n *judgedRows) BuildRowIter(ctx *sql.Context, b sql.NodeExecBuilder, row sql.Row) (sql.RowIter, error) {
	rows, err := b.Build(ctx, n.Child, row)
	if err != nil {
		return nil, err
	}
	return &judgedIter{RowIter: rows, node: n, width: len(n.table.Schema(ctx))}, nil
}

type judgedIter struct {
	sql.RowIter
	node  *judgedRows
	width int
}

// Next implements sql.RowIter.
func (i *judgedIter) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := i.RowIter.Next(ctx)
	if err != nil {
		return nil, err
	}
	// Values of an outer scope come first.
	if err := i.node.judge(ctx, i.node.table, row[max(0, len(row)-i.width):]); err != nil {
		return nil, err
	}
	return row, nil
}

// judged puts the judge between the rows of an UPDATE and their assignments; nil if
// it is there, or there is nothing to judge.
func (p *Priority) judged(ctx *sql.Context, n *plan.UpdateSource) (*plan.UpdateSource, error) {
	if _, ok := n.Child.(*judgedRows); ok || p.options.Judge == nil {
		return nil, nil
	}
	judge := p.options.Judge(ctx)
	if judge == nil {
		return nil, nil
	}
	table, err := plan.GetUpdatable(n.Child)
	if err != nil {
		return nil, err
	}
	changed := *n
	changed.Child = &judgedRows{UnaryNode: plan.UnaryNode{Child: n.Child}, table: table, judge: judge}
	return &changed, nil
}
