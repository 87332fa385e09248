package correct

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// joinDelete is a DELETE that names its targets. The engine refuses it for tables
// with triggers, and counts joined rows instead of deleted ones.
type joinDelete struct {
	change
	triggers []rowTriggers // of the targets, in their order
}

// WithChildren implements sql.Node.
func (n *joinDelete) WithChildren(_ *sql.Context, children ...sql.Node) (sql.Node, error) {
	changed := *n
	var err error
	changed.change, err = n.with(n, children)
	return &changed, err
}

func (n *joinDelete) withOptions(o *Options) sql.Node {
	if n.equal != nil {
		return nil
	}
	changed := *n
	changed.equal, changed.judge = o.ExactEqual, o.Judge
	return &changed
}

// BuildRowIter implements sql.ExecBuilderNode.
func (n *joinDelete) BuildRowIter(ctx *sql.Context, b sql.NodeExecBuilder, row sql.Row) (sql.RowIter, error) {
	statement := n.Child.(*plan.DeleteFrom)
	schema := statement.Child.Schema(ctx)
	run := &joinDeleteRun{width: len(schema)}
	for i, node := range statement.GetDeleteTargets() {
		target, err := n.target(ctx, b, schema, i, node)
		if err != nil {
			return nil, err
		}
		run.targets = append(run.targets, target)
	}
	var err error
	if run.rows, err = b.Build(ctx, statement.Child, row); err != nil {
		return nil, err
	}
	return &changeIter{run: run.run}, nil
}

func (n *joinDelete) target(ctx *sql.Context, b sql.NodeExecBuilder, schema sql.Schema, i int, node sql.Node) (*deleteTarget, error) {
	table, err := plan.GetDeletable(node)
	if err != nil {
		return nil, err
	}
	joined, err := newJoinTarget(schema, table.Schema(ctx), nameInStatement(ctx, node, table.Name()))
	if err != nil {
		return nil, err
	}
	joined.triggers, err = newChains(ctx, b, n.triggers[i])
	return &deleteTarget{joinTarget: joined, deleter: table.Deleter(ctx)}, err
}

// nameInStatement is the alias of a table, or else its name.
func nameInStatement(ctx *sql.Context, n sql.Node, name string) string {
	transform.InspectWithOpaque(ctx, n, func(_ *sql.Context, n sql.Node) bool {
		alias, ok := n.(*plan.TableAlias)
		if ok {
			name = alias.Name()
		}
		return !ok
	})
	return name
}

type deleteTarget struct {
	*joinTarget
	deleter sql.RowDeleter
}

// joinDeleteRun is one execution.
type joinDeleteRun struct {
	rows     sql.RowIter
	width    int
	targets  []*deleteTarget
	affected uint64
}

func (r *joinDeleteRun) run(ctx *sql.Context) ([]sql.Row, error) {
	info := ctx.GetLastQueryInfo()
	before := info.LastInsertId.Load()
	var all editors
	for _, t := range r.targets {
		all = append(all, t.deleter)
	}
	all.begin(ctx)
	err := eachRow(ctx, r.rows, func(row sql.Row) error {
		for _, t := range r.targets {
			if err := r.delete(ctx, t, row); err != nil {
				return err
			}
		}
		return nil
	})
	err = closed(ctx, r.rows, all.end(ctx, err))
	for _, t := range r.targets {
		err = AlsoFailed(err, t.deleter.Close(ctx), t.triggers.close(ctx))
	}
	if err != nil {
		return nil, err
	}
	info.LastInsertId.Store(before)
	info.RowCount.Store(int64(r.affected))
	return []sql.Row{sql.NewRow(types.OkResult{RowsAffected: r.affected})}, nil
}

// delete deletes the target's part of a joined row, once.
func (r *joinDeleteRun) delete(ctx *sql.Context, t *deleteTarget, row sql.Row) error {
	old := t.of(row, r.width)
	if t.absent(old) || !t.first(old) {
		return nil
	}
	if _, err := t.triggers.before.fire(ctx, old); err != nil {
		return err
	}
	if err := t.deleter.Delete(ctx, old); err != nil {
		return err
	}
	r.affected++
	_, err := t.triggers.after.fire(ctx, old)
	return err
}
