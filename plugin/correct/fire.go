package correct

import (
	"errors"
	"io"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
)

// chain runs triggers of one event and time for the rows that it is given. A nil
// chain runs none. It is the statement's own and used by one goroutine.
type chain struct {
	feed      *feed
	iter      sql.RowIter
	generated generatedColumns // computed anew after the triggers
}

// newChain builds a chain; nil for no triggers.
func newChain(ctx *sql.Context, b sql.NodeExecBuilder, triggers []*plan.TriggerExecutor) (*chain, error) {
	if len(triggers) == 0 {
		return nil, nil
	}
	c := &chain{feed: &feed{}}
	var n sql.Node = &feedNode{feed: c.feed}
	var err error
	for _, trigger := range triggers {
		if n, err = trigger.WithChildren(ctx, n, trigger.Right()); err != nil {
			return nil, err
		}
	}
	c.iter, err = b.Build(ctx, n, nil)
	return c, err
}

// fire runs the triggers for a row: the new one of an INSERT, the old one of a
// DELETE, the old and the new one of an UPDATE. It returns the row as the triggers
// leave it. What they insert leaves LAST_INSERT_ID() alone.
func (c *chain) fire(ctx *sql.Context, row sql.Row) (sql.Row, error) {
	if c == nil {
		return row, nil
	}
	id := &ctx.GetLastQueryInfo().LastInsertId
	defer id.Store(id.Load())
	c.feed.row = row
	row, err := c.iter.Next(ctx)
	if err != nil {
		return nil, err
	}
	return c.generated.compute(ctx, row)
}

func (c *chain) close(ctx *sql.Context) error {
	if c == nil {
		return nil
	}
	return c.iter.Close(ctx)
}

// chains are the triggers of an event.
type chains struct{ before, after *chain }

func newChains(ctx *sql.Context, b sql.NodeExecBuilder, triggers rowTriggers) (c chains, err error) {
	if c.before, err = newChain(ctx, b, triggers.before); err != nil {
		return c, err
	}
	if c.before != nil {
		c.before.generated = triggers.generated
	}
	c.after, err = newChain(ctx, b, triggers.after)
	return c, err
}

func (c chains) close(ctx *sql.Context) error {
	return errors.Join(c.before.close(ctx), c.after.close(ctx))
}

// feed is the row source of a chain.
type feed struct{ row sql.Row }

// Next implements sql.RowIter.
func (f *feed) Next(*sql.Context) (sql.Row, error) {
	if f.row == nil {
		return nil, io.EOF
	}
	return f.row, nil
}

// Close implements sql.RowIter.
func (f *feed) Close(*sql.Context) error { return nil }

// feedNode stands where the engine has the statement that a trigger belongs to.
type feedNode struct{ feed *feed }

var _ sql.ExecBuilderNode = (*feedNode)(nil)

// BuildRowIter implements sql.ExecBuilderNode.
func (n *feedNode) BuildRowIter(*sql.Context, sql.NodeExecBuilder, sql.Row) (sql.RowIter, error) {
	return n.feed, nil
}

// Resolved implements sql.Node.
func (*feedNode) Resolved() bool { return true }

// IsReadOnly implements sql.Node.
func (*feedNode) IsReadOnly() bool { return true }

// String implements sql.Node.
func (*feedNode) String() string { return "row" }

// Schema implements sql.Node.
func (*feedNode) Schema(*sql.Context) sql.Schema { return nil }

// Children implements sql.Node.
func (*feedNode) Children() []sql.Node { return nil }

// WithChildren implements sql.Node.
func (n *feedNode) WithChildren(_ *sql.Context, children ...sql.Node) (sql.Node, error) {
	if len(children) != 0 {
		return nil, sql.ErrInvalidChildrenNumber.New(n, len(children), 0)
	}
	return n, nil
}
