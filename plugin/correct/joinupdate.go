package correct

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
)

// joinUpdate is an UPDATE of joined tables, or one whose subquery the planner has
// made a join of. The engine fires its triggers for joined rows instead of the
// tables' rows, evaluates CHECK constraints on columns of the joined row, and sets
// ON UPDATE columns of tables that the statement does not change.
type joinUpdate struct {
	change
	triggers map[string]rowTriggers // by the name of the target in lower case
}

// WithChildren implements sql.Node.
func (n *joinUpdate) WithChildren(_ *sql.Context, children ...sql.Node) (sql.Node, error) {
	changed := *n
	var err error
	changed.change, err = n.with(n, children)
	return &changed, err
}

func (n *joinUpdate) withOptions(o *Options) sql.Node {
	if n.equal != nil {
		return nil
	}
	changed := *n
	changed.equal, changed.judge = o.ExactEqual, o.Judge
	return &changed
}

// BuildRowIter implements sql.ExecBuilderNode.
func (n *joinUpdate) BuildRowIter(ctx *sql.Context, b sql.NodeExecBuilder, row sql.Row) (sql.RowIter, error) {
	statement := n.Child.(*plan.Update)
	join := updateJoin(statement)
	source := join.Child.(*plan.UpdateSource)
	schema := source.Child.Schema(ctx)
	run := &joinUpdateRun{
		width: len(schema), ignore: statement.Ignore,
		lenient: lenient(ctx, statement.Ignore), foundRows: countsFoundRows(ctx),
		keepID: !setsInsertID(ctx, source),
		judge:  n.judging(ctx),
	}
	if err := run.assign(ctx, source); err != nil {
		return nil, err
	}
	for name, node := range join.UpdateTargets {
		name = strings.ToLower(name)
		if !slices.ContainsFunc(run.explicit, func(a assignment) bool { return a.table == name }) {
			continue // only columns that follow others would be set, and none of those changes
		}
		target, err := n.target(ctx, b, statement, schema, name, node)
		if err != nil {
			return nil, err
		}
		run.targets = append(run.targets, target)
	}
	if err := run.follow(ctx); err != nil {
		return nil, err
	}
	slices.SortFunc(run.targets, func(a, b *updateTarget) int { return a.start - b.start })
	var err error
	if run.rows, err = b.Build(ctx, source.Child, row); err != nil {
		return nil, err
	}
	return &changeIter{run: run.run}, nil
}

func (n *joinUpdate) target(ctx *sql.Context, b sql.NodeExecBuilder, statement *plan.Update, schema sql.Schema, name string, node sql.Node) (*updateTarget, error) {
	table, err := plan.GetUpdatable(node)
	if err != nil {
		return nil, err
	}
	joined, err := newJoinTarget(schema, table.Schema(ctx), name)
	if err != nil {
		return nil, err
	}
	if joined.triggers, err = newChains(ctx, b, n.triggers[name]); err != nil {
		return nil, err
	}
	joined.schema = n.exact(joined.schema)
	t := &updateTarget{joinTarget: joined, name: name, table: table, updater: table.Updater(ctx)}
	t.always = !statement.IsJoin && len(joined.key) == 0
	t.checks, err = checksOf(ctx, statement.Checks(), joined.schema, name, strings.ToLower(table.Name()))
	return t, err
}

// checksOf are the constraints of a table, over rows of its own. The statement has
// those of all its targets, over columns that it names by the table or its alias.
func checksOf(ctx *sql.Context, checks sql.CheckConstraints, schema sql.Schema, names ...string) (sql.CheckConstraints, error) {
	var own sql.CheckConstraints
	for _, check := range checks {
		foreign := false
		e, _, err := transform.Expr(ctx, check.Expr, func(_ *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
			field, ok := e.(*expression.GetField)
			if !ok {
				return e, transform.SameTree, nil
			}
			i := slices.IndexFunc(schema, func(c *sql.Column) bool { return strings.EqualFold(c.Name, field.Name()) })
			if i < 0 || !slices.Contains(names, strings.ToLower(field.Table())) {
				foreign = true
				return e, transform.SameTree, nil
			}
			return field.WithIndex(i), transform.NewTree, nil
		})
		if err != nil {
			return nil, err
		}
		if foreign || slices.ContainsFunc(own, func(c *sql.CheckConstraint) bool { return c.Name == check.Name }) {
			continue
		}
		bound := *check
		bound.Expr = e
		own = append(own, &bound)
	}
	return own, nil
}
