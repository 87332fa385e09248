package correct

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
)

// padSubqueries gives the subqueries inside aggregates the row that the engine
// has numbered their columns for.
//
// GROUP_CONCAT appends its value to the row before it evaluates its ORDER BY. The
// engine counts that column when it assigns the positions of all of GROUP_CONCAT,
// and of all aggregates after it, each GROUP_CONCAT adding one. Only its ORDER BY
// has the column then, so a subquery elsewhere, which prepends the whole outer
// row to its own, looks for its columns too far to the right
// (analyzer/fix_exec_indexes.go, OrderedAggregation).
//
// It is done when a node is executed: the rules that assign positions may run
// again over a plan that is finished, and must find the subqueries as they know
// them. Nil means that nothing is to be padded.
func padSubqueries(ctx *sql.Context, n sql.Node) (sql.Node, error) {
	expressions := n.(sql.Expressioner).Expressions()
	if !slices.ContainsFunc(expressions, func(e sql.Expression) bool { _, ok := e.(*aggregation.GroupConcat); return ok }) {
		return nil, nil
	}
	ordered, changed := 0, false
	for i, e := range expressions {
		concat, ok := e.(*aggregation.GroupConcat)
		if ok {
			ordered++
		}
		var padded sql.Expression
		var same transform.TreeIdentity
		var err error
		if ok {
			padded, same, err = padGroupConcat(ctx, concat, ordered)
		} else {
			padded, same, err = pad(ctx, e, ordered)
		}
		if err != nil {
			return nil, err
		}
		if same == transform.NewTree {
			if !changed {
				expressions, changed = slices.Clone(expressions), true
			}
			expressions[i] = padded
		}
	}
	if !changed {
		return nil, nil
	}
	return n.(sql.Expressioner).WithExpressions(ctx, expressions...)
}

// padGroupConcat pads the arguments by what is missing, and ORDER BY, which has
// its own column, by one less.
func padGroupConcat(ctx *sql.Context, g *aggregation.GroupConcat, by int) (sql.Expression, transform.TreeIdentity, error) {
	children := slices.Clone(g.Children())
	sorting := len(children) - len(g.OutputExpressions())
	changed := false
	for i, child := range children {
		missing := by
		if i < sorting {
			missing--
		}
		padded, same, err := pad(ctx, child, missing)
		if err != nil {
			return nil, transform.SameTree, err
		}
		if same == transform.NewTree {
			children[i], changed = padded, true
		}
	}
	if !changed {
		return g, transform.SameTree, nil
	}
	e, err := g.WithChildren(ctx, children...)
	if err != nil {
		return nil, transform.SameTree, err
	}
	// WithChildren forgets both.
	withID := e.(*aggregation.GroupConcat).WithId(g.Id())
	if g.Window() != nil {
		return withID.(*aggregation.GroupConcat).WithWindow(ctx, g.Window()), transform.NewTree, nil
	}
	return withID, transform.NewTree, nil
}

func pad(ctx *sql.Context, e sql.Expression, by int) (sql.Expression, transform.TreeIdentity, error) {
	if by == 0 {
		return e, transform.SameTree, nil
	}
	return transform.Expr(ctx, e, func(_ *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		if query, ok := e.(*plan.Subquery); ok {
			return &paddedSubquery{Subquery: query, by: by}, transform.NewTree, nil
		}
		return e, transform.SameTree, nil
	})
}

// paddedSubquery evaluates a subquery on a row with columns added at its end.
type paddedSubquery struct {
	*plan.Subquery
	by int
}

// Eval implements sql.Expression.
func (s *paddedSubquery) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	return s.Subquery.Eval(ctx, append(slices.Clip(row), make(sql.Row, s.by)...))
}

// WithChildren implements sql.Expression.
func (s *paddedSubquery) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	e, err := s.Subquery.WithChildren(ctx, children...)
	if err != nil {
		return nil, err
	}
	query, ok := e.(*plan.Subquery)
	if !ok {
		return e, nil
	}
	return &paddedSubquery{Subquery: query, by: s.by}, nil
}
