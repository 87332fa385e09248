package correct

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	"github.com/dolthub/go-mysql-server/sql/transform"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// addHiddenChecks gives statements the CHECK constraints of tables with virtual
// columns, and so of all tables with functional keys. The engine looks for
// constraints behind the wrapper that computes such columns, finds none, and would
// neither enforce nor show them.
func addHiddenChecks(ctx *sql.Context, a *analyzer.Analyzer, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	return transform.NodeWithOpaque(ctx, n, func(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		with, ok := n.(sql.CheckConstraintNode)
		if !ok {
			return n, transform.SameTree, nil
		}
		var target sql.Node
		switch n := n.(type) {
		case *plan.InsertInto:
			target = n.Destination
		case *plan.Update:
			target = n.Child
		case *plan.ShowCreateTable:
			target = n.Child
		default:
			return n, transform.SameTree, nil
		}
		checks, err := hiddenChecks(ctx, a, target)
		checks = added(with.Checks(), checks)
		if err != nil || len(checks) == 0 {
			return n, transform.SameTree, err
		}
		return with.WithChecks(append(append(sql.CheckConstraints{}, with.Checks()...), checks...)), transform.NewTree, nil
	})
}

// added are those of more that a statement does not have yet: statements inside
// others are analyzed with them and alone.
func added(have, more sql.CheckConstraints) sql.CheckConstraints {
	var missing sql.CheckConstraints
	for _, check := range more {
		if !slices.ContainsFunc(have, func(c *sql.CheckConstraint) bool { return c.Name == check.Name }) {
			missing = append(missing, check)
		}
	}
	return missing
}

// hiddenChecks are the constraints of the tables with virtual columns below n.
func hiddenChecks(ctx *sql.Context, a *analyzer.Analyzer, n sql.Node) (sql.CheckConstraints, error) {
	var all sql.CheckConstraints
	var failed error
	aliases := map[sql.Node]string{}
	transform.InspectWithOpaque(ctx, n, func(ctx *sql.Context, n sql.Node) bool {
		if alias, ok := n.(*plan.TableAlias); ok {
			aliases[alias.Child] = alias.Name()
		}
		rt, ok := n.(*plan.ResolvedTable)
		if !ok || failed != nil {
			return failed == nil
		}
		wrapper, ok := rt.Table.(*plan.VirtualColumnTable)
		if !ok {
			return true
		}
		table, ok := sql.GetUnderlyingTable(wrapper).(sql.CheckTable)
		if !ok {
			return true
		}
		definitions, err := table.GetChecks(ctx)
		if err != nil {
			failed = err
			return false
		}
		for _, d := range definitions {
			name, ok := aliases[rt]
			if !ok {
				name = rt.Name()
			}
			check, err := hiddenCheck(ctx, a, rt, name, d)
			if err != nil {
				failed = err
				return false
			}
			all = append(all, check)
		}
		return true
	})
	return all, failed
}

// hiddenCheck binds a constraint to the columns of rt, which the statement calls
// name.
func hiddenCheck(ctx *sql.Context, a *analyzer.Analyzer, rt *plan.ResolvedTable, name string, d sql.CheckDefinition) (*sql.CheckConstraint, error) {
	parsed, err := parseCheck(a.Parser, rt.Name(), d)
	if err != nil {
		return nil, err
	}
	ids := map[string]sql.ColumnId{}
	next := sql.ColumnId(0)
	for _, col := range rt.Schema(ctx) {
		id, ok := rt.Columns().Next(next + 1)
		if !ok {
			return nil, fmt.Errorf("check %s: table %s has fewer columns than its schema", d.Name, rt.Name())
		}
		ids[strings.ToLower(col.Name)], next = id, id
	}
	bound, err := bindScalar(ctx, a.Catalog, parsed, rt)
	if err != nil {
		return nil, fmt.Errorf("check %s of table %s: %w", d.Name, rt.Name(), err)
	}
	e, _, err := transform.Expr(ctx, bound, func(ctx *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		f, ok := e.(*expression.GetField)
		if !ok {
			return e, transform.SameTree, nil
		}
		id, ok := ids[strings.ToLower(f.Name())]
		if !ok {
			return nil, transform.SameTree, sql.ErrColumnNotFound.New(f.Name())
		}
		return expression.NewGetFieldWithTable(int(id), int(rt.Id()), f.Type(ctx), f.Database(), strings.ToLower(name), f.Name(), f.IsNullable(ctx)), transform.NewTree, nil
	})
	if err != nil {
		return nil, err
	}
	return &sql.CheckConstraint{Name: d.Name, Expr: e, Enforced: d.Enforced, IsNotValid: d.IsNotValid}, nil
}

// parseCheck parses the expression of a constraint.
func parseCheck(parser sql.Parser, table string, d sql.CheckDefinition) (ast.Expr, error) {
	parsed, err := parser.ParseSimple("SELECT " + d.CheckExpression)
	if err != nil {
		return nil, fmt.Errorf("check %s of table %s: %w", d.Name, table, err)
	}
	sel, ok := parsed.(*ast.Select)
	if !ok || len(sel.SelectExprs) != 1 {
		return nil, sql.ErrInvalidCheckConstraint.New(d.CheckExpression)
	}
	aliased, ok := sel.SelectExprs[0].(*ast.AliasedExpr)
	if !ok {
		return nil, sql.ErrInvalidCheckConstraint.New(d.CheckExpression)
	}
	return aliased.Expr, nil
}

// bindScalar binds an expression over the columns of a table: as a SELECT of it.
func bindScalar(ctx *sql.Context, catalog *analyzer.Catalog, e ast.Expr, rt *plan.ResolvedTable) (sql.Expression, error) {
	from := &ast.AliasedTableExpr{
		Expr: ast.TableName{Name: ast.NewTableIdent(rt.Name()), DbQualifier: ast.NewTableIdent(rt.Database().Name())},
		Auth: ast.AuthInformation{AuthType: ast.AuthType_IGNORE},
	}
	builder := planbuilder.New(ctx, catalog, nil)
	builder.DisableAuth()
	node, _, err := builder.BindOnly(&ast.Select{
		SelectExprs: ast.SelectExprs{&ast.AliasedExpr{Expr: e}},
		From:        ast.TableExprs{from},
	}, "", &sql.QueryFlags{})
	if err != nil {
		return nil, err
	}
	project, ok := node.(*plan.Project)
	if !ok || len(project.Projections) != 1 {
		return nil, fmt.Errorf("bound as a %T", node)
	}
	if alias, ok := project.Projections[0].(*expression.Alias); ok {
		return alias.Child, nil
	}
	return project.Projections[0], nil
}
