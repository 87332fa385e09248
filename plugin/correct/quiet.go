package correct

import "github.com/dolthub/go-mysql-server/sql"

// quietStatement is a statement of one table with triggers, as the engine runs it:
// what its triggers insert leaves LAST_INSERT_ID() alone.
type quietStatement struct{ change }

// Schema implements sql.Node.
func (n *quietStatement) Schema(ctx *sql.Context) sql.Schema { return n.Child.Schema(ctx) }

// WithChildren implements sql.Node.
func (n *quietStatement) WithChildren(_ *sql.Context, children ...sql.Node) (sql.Node, error) {
	changed, err := n.with(n, children)
	return &quietStatement{changed}, err
}

func (n *quietStatement) withOptions(*Options) sql.Node { return nil }

// BuildRowIter implements sql.ExecBuilderNode.
func (n *quietStatement) BuildRowIter(ctx *sql.Context, b sql.NodeExecBuilder, row sql.Row) (sql.RowIter, error) {
	rows, err := b.Build(ctx, n.Child, row)
	if err != nil || setsInsertID(ctx, n.Child) {
		return rows, err
	}
	return &quietIter{rows: rows}, nil
}

// quietIter ends with LAST_INSERT_ID() as it was before the first row. The engine
// counts the rows below it.
type quietIter struct {
	rows    sql.RowIter
	started bool
	before  int64
}

var _ sql.MutableRowIter = (*quietIter)(nil)

// Next implements sql.RowIter.
func (i *quietIter) Next(ctx *sql.Context) (sql.Row, error) {
	info := ctx.GetLastQueryInfo()
	if !i.started {
		i.started, i.before = true, info.LastInsertId.Load()
	}
	row, err := i.rows.Next(ctx)
	info.LastInsertId.Store(i.before)
	return row, err
}

// Close implements sql.RowIter.
func (i *quietIter) Close(ctx *sql.Context) error { return i.rows.Close(ctx) }

// GetChildIter implements sql.MutableRowIter.
func (i *quietIter) GetChildIter() sql.RowIter { return i.rows }

// WithChildIter implements sql.MutableRowIter.
func (i *quietIter) WithChildIter(rows sql.RowIter) sql.RowIter {
	changed := *i
	changed.rows = rows
	return &changed
}
