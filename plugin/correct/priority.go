package correct

import (
	"context"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/rowexec"
)

// Options are what the corrections need from the tables.
type Options struct {
	// ExactEqual says whether two values of a column are stored as the same bytes;
	// neither is nil. Nil stands for the default, which compares Go values, text
	// and JSON by their bytes. It is called only for types whose SQL comparison is
	// coarser than that, by any number of goroutines.
	ExactEqual func(ctx context.Context, typ sql.Type, a, b any) (bool, error)
	// Judge returns what is called with each row of a store table that UPDATE, ON
	// DUPLICATE KEY UPDATE or REPLACE is about to change, whether or not it will be
	// another one, as its table returned it; an error fails the statement. It is
	// asked once for each statement, and returns nil for nothing to be judged. Nil
	// if nothing ever is.
	Judge func(ctx *sql.Context) func(ctx *sql.Context, table sql.Table, row sql.Row) error
	// Next is tried for nodes the corrections leave alone; nil for none. As for
	// any override of the executor, (nil, nil) from it means the engine's own.
	Next sql.NodeExecBuilder
}

// Priority is an override of the engine's executor. It sees every node of every
// statement before it is executed. It has no state besides its options and may be
// used by any number of goroutines.
type Priority struct {
	options Options
	catalog *analyzer.Catalog
	parser  sql.Parser
	engine  *rowexec.BaseBuilder
}

var _ sql.NodeExecBuilder = (*Priority)(nil)

// NewExecBuilder gives the analyzer an executor with the corrections in front.
// Call it before sqle.New, which sets the executor's Runner. The Priority is that
// executor's.
func NewExecBuilder(a *analyzer.Analyzer, options Options) *Priority {
	if options.ExactEqual == nil {
		options.ExactEqual = exactEqual
	}
	p := &Priority{options: options, catalog: a.Catalog, parser: a.Parser}
	p.engine = rowexec.NewBuilder(p, a.Overrides)
	a.ExecBuilder = p.engine
	return p
}

// NewStock makes an executor whose nodes do not come to the Priority, except for the
// clauses of ALTER TABLE that need correction: one may depend on the clause before
// it. The caller sets its Runner.
func (p *Priority) NewStock(overrides sql.EngineOverrides) *rowexec.BaseBuilder {
	c := &clauses{priority: p}
	c.engine = rowexec.NewBuilder(c, overrides)
	return c.engine
}

// clauses is the override of a stock executor.
type clauses struct {
	priority *Priority
	engine   *rowexec.BaseBuilder
}

// Build implements sql.NodeExecBuilder.
func (c *clauses) Build(ctx *sql.Context, n sql.Node, row sql.Row) (sql.RowIter, error) {
	clause, ok := n.(*plan.AlterIndex)
	if !ok {
		return nil, nil
	}
	fixed, err := c.priority.fixAlterIndex(ctx, clause)
	if err != nil || fixed == nil {
		return nil, err
	}
	return c.engine.Build(ctx, fixed, row)
}

// Build implements sql.NodeExecBuilder. A node is either rewritten and built by
// the executor again, which brings it here a second time with nothing left to
// rewrite, or left to the next builder.
func (p *Priority) Build(ctx *sql.Context, n sql.Node, row sql.Row) (sql.RowIter, error) {
	changed, err := p.fix(ctx, n)
	if err != nil {
		return nil, err
	}
	if changed != nil {
		return p.engine.Build(ctx, changed, row)
	}
	if rows, err := p.buildByKeys(ctx, n, row); rows != nil || err != nil {
		return rows, err
	}
	if p.options.Next == nil {
		return nil, nil
	}
	return p.options.Next.Build(ctx, n, row)
}

// Rebuild builds a node that was made of one the Priority's Next was asked to build.
// It comes there again.
func (p *Priority) Rebuild(ctx *sql.Context, n sql.Node, row sql.Row) (sql.RowIter, error) {
	return p.engine.Build(ctx, n, row)
}

// fix is the corrected node, nil for one that needs no correction.
func (p *Priority) fix(ctx *sql.Context, n sql.Node) (sql.Node, error) {
	switch n := n.(type) {
	case *plan.GroupBy:
		if padded, err := padSubqueries(ctx, n); padded != nil || err != nil {
			return padded, err
		}
		if grouped := groupByKeys(ctx, n); grouped != nil {
			return grouped, nil
		}
	case *plan.Sort:
		if conditions, changed := unpaddedOrder(ctx, n.SortConditions); changed {
			return plan.NewSort(conditions, n.Child), nil
		}
	case *plan.TopN:
		if conditions, changed := unpaddedOrder(ctx, n.SortConditions); changed {
			fixed := *n
			fixed.SortConditions = conditions
			return &fixed, nil
		}
	case *plan.Window:
		if fixed := fixWindow(ctx, n); fixed != nil {
			return fixed, nil
		}
		return padSubqueries(ctx, n)
	case *plan.Update:
		return p.fixUpdate(ctx, n)
	case *plan.UpdateSource:
		return p.fixUpdateSource(ctx, n)
	case *plan.InsertInto:
		return p.fixInsert(ctx, n)
	case *plan.Set:
		return fixSet(ctx, n), nil
	case *plan.AlterIndex:
		return p.fixAlterIndex(ctx, n)
	case changeNode:
		return n.withOptions(&p.options), nil
	}
	return nil, nil
}
