package correct

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
)

// exactTable is a table of an UPDATE with an exact schema. The engine finds the
// schema by which it compares rows through the tables at the leaves of the plan,
// for one table and for joins alike.
type exactTable struct {
	sql.Table
	schema sql.Schema
}

var _ sql.TableWrapper = exactTable{}

// Underlying implements sql.TableWrapper.
func (t exactTable) Underlying() sql.Table { return t.Table }

// Schema implements sql.Table.
func (t exactTable) Schema(*sql.Context) sql.Schema { return t.schema }

// exactUpdatable is an exactTable that is the target.
type exactUpdatable struct {
	exactTable
	updatable sql.UpdatableTable
}

var _ sql.UpdatableTable = exactUpdatable{}

// Updater implements sql.UpdatableTable.
func (t exactUpdatable) Updater(ctx *sql.Context) sql.RowUpdater { return t.updatable.Updater(ctx) }

// fixUpdate gives the tables below an UPDATE exact schemas; nil if they need none.
func (p *Priority) fixUpdate(ctx *sql.Context, n *plan.Update) (sql.Node, error) {
	child, changed, err := p.fixUpdateChild(ctx, n.Child)
	if err != nil || !changed {
		return nil, err
	}
	return n.WithChildren(ctx, child)
}

// fixUpdateChild walks from an UPDATE down to its source of rows, and not into the
// bodies of triggers on the way.
func (p *Priority) fixUpdateChild(ctx *sql.Context, n sql.Node) (sql.Node, bool, error) {
	switch n := n.(type) {
	case *plan.TriggerExecutor:
		left, changed, err := p.fixUpdateChild(ctx, n.Left())
		if err != nil || !changed {
			return n, false, err
		}
		fixed, err := n.WithChildren(ctx, left, n.Right())
		return fixed, true, err
	case *plan.ForeignKeyHandler:
		original, changed, err := p.fixUpdateChild(ctx, n.OriginalNode)
		if err != nil || !changed {
			return n, false, err
		}
		fixed := *n
		fixed.OriginalNode = original
		if schema, ok := exactSchema(n.Sch, p.options.ExactEqual); ok {
			fixed.Sch = schema
		}
		return &fixed, true, nil
	case *plan.UpdateSource:
		source, same, err := transform.Node(ctx, n.Child, p.exactLeaf)
		if err != nil || same == transform.SameTree {
			return n, false, err
		}
		fixed, err := n.WithChildren(ctx, source)
		return fixed, true, err
	}
	children := n.Children()
	if len(children) != 1 {
		return n, false, nil
	}
	child, changed, err := p.fixUpdateChild(ctx, children[0])
	if err != nil || !changed {
		return n, false, err
	}
	fixed, err := n.WithChildren(ctx, child)
	return fixed, true, err
}

func (p *Priority) exactLeaf(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	switch n := n.(type) {
	case *plan.ResolvedTable:
		table, ok := p.exactTable(ctx, n.Table)
		if !ok {
			return n, transform.SameTree, nil
		}
		fixed := *n
		fixed.Table = table
		return &fixed, transform.NewTree, nil
	case *plan.IndexedTableAccess:
		table, same, err := transform.Node(ctx, n.TableNode, p.exactLeaf)
		if err != nil || same == transform.SameTree {
			return n, transform.SameTree, err
		}
		fixed := *n
		fixed.TableNode = table.(sql.TableNode)
		return &fixed, transform.NewTree, nil
	case *plan.Project:
		return p.exactProject(ctx, n)
	}
	return n, transform.SameTree, nil
}

// exactProject gives the columns a projection passes on exact types: the planner
// puts one over a join whose sides it has swapped.
func (p *Priority) exactProject(ctx *sql.Context, n *plan.Project) (sql.Node, transform.TreeIdentity, error) {
	columns := make([]sql.Expression, len(n.Projections))
	changed := false
	for i, e := range n.Projections {
		columns[i] = e
		column, ok := e.(*expression.GetField)
		if !ok {
			continue
		}
		typ, ok := exactType(column.Type(ctx), p.options.ExactEqual)
		if !ok {
			continue
		}
		columns[i] = expression.NewGetFieldWithTable(column.Index(), int(column.TableId()), typ,
			column.Database(), column.Table(), column.Name(), column.IsNullable(ctx))
		changed = true
	}
	if !changed {
		return n, transform.SameTree, nil
	}
	fixed := *n
	fixed.Projections = columns
	return &fixed, transform.NewTree, nil
}

// exactTable is the table with an exact schema; false if it has one.
func (p *Priority) exactTable(ctx *sql.Context, table sql.Table) (sql.Table, bool) {
	schema, ok := exactSchema(table.Schema(ctx), p.options.ExactEqual)
	if !ok {
		return table, false
	}
	exact := exactTable{Table: table, schema: schema}
	if updatable, ok := updatableTable(table); ok {
		return exactUpdatable{exact, updatable}, true
	}
	return exact, true
}

func updatableTable(table sql.Table) (sql.UpdatableTable, bool) {
	for {
		if updatable, ok := table.(sql.UpdatableTable); ok {
			return updatable, true
		}
		wrapper, ok := table.(sql.TableWrapper)
		if !ok {
			return nil, false
		}
		table = wrapper.Underlying()
	}
}
