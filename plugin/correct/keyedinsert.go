package correct

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// keyedInsert is a REPLACE, an INSERT with ON DUPLICATE KEY UPDATE, or one whose
// table has AFTER triggers. The engine's INSERT runs below it, into an editor of
// ours that knows what becomes of each row. The engine itself would fire no
// triggers for rows that are evicted or updated, count one row for all that a new
// one evicts, and let triggers change LAST_INSERT_ID().
type keyedInsert struct {
	change
	after []*plan.TriggerExecutor // AFTER INSERT; BEFORE INSERT is in the child's source
	// changes are the DELETE triggers of REPLACE or the UPDATE triggers of ON
	// DUPLICATE KEY UPDATE.
	changes rowTriggers
}

// WithChildren implements sql.Node.
func (n *keyedInsert) WithChildren(_ *sql.Context, children ...sql.Node) (sql.Node, error) {
	changed := *n
	var err error
	changed.change, err = n.with(n, children)
	return &changed, err
}

func (n *keyedInsert) withOptions(o *Options) sql.Node {
	if n.equal != nil {
		return nil
	}
	changed := *n
	changed.equal, changed.judge = o.ExactEqual, o.Judge
	return &changed
}

// insert is the engine's node.
func (n *keyedInsert) insert() *plan.InsertInto { return n.Child.(*plan.InsertInto) }

// Schema implements sql.Node: the columns of RETURNING, if there is one.
func (n *keyedInsert) Schema(ctx *sql.Context) sql.Schema {
	returning := n.insert().Returning
	if len(returning) == 0 {
		return n.change.Schema(ctx)
	}
	schema := make(sql.Schema, len(returning))
	for i, e := range returning {
		schema[i] = transform.ExpressionToColumn(ctx, e, "")
	}
	return schema
}

// BuildRowIter implements sql.ExecBuilderNode.
func (n *keyedInsert) BuildRowIter(ctx *sql.Context, b sql.NodeExecBuilder, row sql.Row) (sql.RowIter, error) {
	bound, err := bindTriggerColumns(ctx, n.insert(), row)
	if err != nil {
		return nil, err
	}
	statement := *bound
	editor, err := newKeyedEditor(ctx, n, &statement)
	if err != nil {
		return nil, err
	}
	run := &keyedRun{node: n, editor: editor}
	if run.after, err = newChain(ctx, b, n.after); err != nil {
		return nil, err
	}
	if editor.changes, err = newChains(ctx, b, n.changes); err != nil {
		return nil, err
	}
	statement.IsReplace = false
	statement.Returning = nil
	statement.Destination = &keyedDestination{UnaryNode: plan.UnaryNode{Child: statement.Destination}, editor: editor}
	if run.rows, err = b.Build(ctx, statement.WithChecks(nil), row); err != nil {
		return nil, err
	}
	return &changeIter{run: run.run}, nil
}

// keyedRun is one execution.
type keyedRun struct {
	node      *keyedInsert
	editor    *keyedEditor
	rows      sql.RowIter
	after     *chain
	affected  uint64
	returning []sql.Row
}

func (r *keyedRun) run(ctx *sql.Context) ([]sql.Row, error) {
	info := ctx.GetLastQueryInfo()
	before := info.LastInsertId.Load()
	err := eachRow(ctx, r.rows, func(row sql.Row) error {
		if row == nil {
			return nil
		}
		return r.finish(ctx)
	})
	err = closed(ctx, r.rows, err)
	err = AlsoFailed(err, r.after.close(ctx), r.editor.changes.close(ctx))
	if err != nil {
		return nil, err
	}
	info.RowCount.Store(int64(r.affected))
	id := r.insertID(ctx, before)
	if len(r.node.insert().Returning) > 0 {
		return r.returning, nil
	}
	return []sql.Row{sql.NewRow(types.OkResult{RowsAffected: r.affected, InsertID: id})}, nil
}

// finish runs the AFTER triggers of the row that the editor has just taken, and
// counts it.
func (r *keyedRun) finish(ctx *sql.Context) error {
	done := r.editor.done
	after, row := r.after, done.row
	if done.old != nil {
		after, row = r.editor.changes.after, joined(done.old, done.row)
	}
	if _, err := after.fire(ctx, row); err != nil {
		return err
	}
	r.affected += done.affected
	returning := r.node.insert().Returning
	if len(returning) == 0 {
		return nil
	}
	answer := make(sql.Row, len(returning))
	for i, e := range returning {
		var err error
		if answer[i], err = e.Eval(ctx, done.row); err != nil {
			return err
		}
	}
	r.returning = append(r.returning, answer)
	return nil
}

// insertID settles LAST_INSERT_ID(), which is the first value that the statement
// generated for a row that it inserted, whatever triggers did meanwhile; before is
// what it was. The number that the protocol reports is that one, else what
// LAST_INSERT_ID(expr) was given, else the value of the last row.
func (r *keyedRun) insertID(ctx *sql.Context, before int64) uint64 {
	info := ctx.GetLastQueryInfo()
	if r.editor.generated != 0 {
		info.LastInsertId.Store(int64(r.editor.generated))
		return r.editor.generated
	}
	if setsInsertID(ctx, r.node.Child) {
		return uint64(info.LastInsertId.Load())
	}
	info.LastInsertId.Store(before)
	return r.editor.lastID
}

// joined is the row of an UPDATE as triggers see it.
func joined(old, row sql.Row) sql.Row {
	both := make(sql.Row, 0, len(old)+len(row))
	return append(append(both, old...), row...)
}

// keyedDestination is the destination of the INSERT below a keyedInsert: the
// engine's, with our editor.
type keyedDestination struct {
	plan.UnaryNode
	editor *keyedEditor
}

var (
	_ sql.Node            = (*keyedDestination)(nil)
	_ sql.InsertableTable = (*keyedDestination)(nil)
	_ sql.UpdatableTable  = (*keyedDestination)(nil)
	_ sql.TableWrapper    = (*keyedDestination)(nil)
)

// Inserter implements sql.InsertableTable.
func (d *keyedDestination) Inserter(*sql.Context) sql.RowInserter { return d.editor }

// Updater implements sql.UpdatableTable.
func (d *keyedDestination) Updater(*sql.Context) sql.RowUpdater { return keyedUpdater{d.editor} }

// Underlying implements sql.TableWrapper.
func (d *keyedDestination) Underlying() sql.Table { return d.editor.table }

// Name implements sql.Table.
func (d *keyedDestination) Name() string { return d.editor.table.Name() }

// String implements sql.Node.
func (d *keyedDestination) String() string { return d.Child.String() }

// Schema implements sql.Node.
func (d *keyedDestination) Schema(ctx *sql.Context) sql.Schema { return d.Child.Schema(ctx) }

// Collation implements sql.Table.
func (d *keyedDestination) Collation() sql.CollationID { return d.editor.table.Collation() }

// Partitions implements sql.Table.
func (d *keyedDestination) Partitions(ctx *sql.Context) (sql.PartitionIter, error) {
	return d.editor.table.Partitions(ctx)
}

// PartitionRows implements sql.Table.
func (d *keyedDestination) PartitionRows(ctx *sql.Context, p sql.Partition) (sql.RowIter, error) {
	return d.editor.table.PartitionRows(ctx, p)
}

// IsReadOnly implements sql.Node.
func (d *keyedDestination) IsReadOnly() bool { return false }

// WithChildren implements sql.Node.
func (d *keyedDestination) WithChildren(_ *sql.Context, children ...sql.Node) (sql.Node, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(d, len(children), 1)
	}
	changed := *d
	changed.Child = children[0]
	return &changed, nil
}
