package correct

import (
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	"github.com/dolthub/go-mysql-server/sql/sets"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/freshetdb/freshet/vtab"
)

// createSelectName is the engine's rule that plans CREATE TABLE … SELECT.
const createSelectName = "resolveCreateSelect"

// bindSelectDefaults is that rule, with the SELECT's schema bound: the new table
// takes over the defaults of the columns that are selected, and the engine refuses
// its plan if they are still text.
func bindSelectDefaults(engine analyzer.RuleFunc) analyzer.RuleFunc {
	return func(ctx *sql.Context, a *analyzer.Analyzer, n sql.Node, scope *plan.Scope, sel analyzer.RuleSelector, flags *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
		create, ok := n.(*plan.CreateTable)
		if !ok || create.Select() == nil {
			return n, transform.SameTree, nil
		}
		if len(create.ForeignKeys()) > 0 {
			return nil, transform.SameTree, sql.ErrUnsupportedFeature.New("FOREIGN KEY in CREATE TABLE … SELECT")
		}
		if _, done := create.Select().(*boundDefaults); done {
			return engine(ctx, a, n, scope, sel, flags)
		}
		columns, err := widened(ctx, create)
		if err != nil {
			return nil, transform.SameTree, err
		}
		spec := &plan.TableSpec{
			Schema: columns, IdxDefs: create.Indexes(), ChDefs: create.Checks(),
			TableOpts: create.TableOpts, Collation: create.Collation,
		}
		source := &boundDefaults{UnaryNode: plan.UnaryNode{Child: create.Select()}, catalog: a.Catalog}
		bound := plan.NewCreateTableSelect(create.Database(), create.Name(), create.IfNotExists(), create.Temporary(), source, spec)
		planned, identity, err := engine(ctx, a, bound, scope, sel, flags)
		if err != nil {
			return nil, transform.SameTree, err
		}
		return withTableOptions(planned, create.TableOpts), identity, nil
	}
}

// widened are the columns of the table. Those that the statement does not declare,
// which therefore bear no mark, have the engine's types of what is selected.
func widened(ctx *sql.Context, create *plan.CreateTable) (sql.PrimaryKeySchema, error) {
	schema := create.PkSchema()
	selected, err := selectedTypes(ctx, create.Select(), create.Select().Schema(ctx))
	if err != nil || len(selected) != len(schema.Schema) {
		return schema, err
	}
	schema.Schema = schema.Schema.Copy()
	for i, column := range schema.Schema {
		if _, _, declared := vtab.ReadColumnMark(column.Comment); !declared && strings.EqualFold(column.Name, selected[i].Name) {
			column.Type, column.Nullable = selected[i].Type, selected[i].Nullable
		}
	}
	return schema, nil
}

// withTableOptions gives a planned CREATE TABLE … SELECT the options of its table,
// which the engine drops, and its columns their own types.
func withTableOptions(n sql.Node, options map[string]any) sql.Node {
	copier, ok := n.(*plan.TableCopier)
	if !ok {
		return n
	}
	create, ok := copier.Destination.(*plan.CreateTable)
	if !ok {
		return n
	}
	for _, column := range create.PkSchema().Schema {
		if display, ok := column.Type.(DisplayType); ok {
			column.Type = display.Plain()
		}
	}
	with := *create
	with.TableOpts = options
	changed := *copier
	changed.Destination = &with
	return &changed
}

// boundDefaults is a SELECT whose schema has bound defaults.
type boundDefaults struct {
	plan.UnaryNode
	catalog *analyzer.Catalog
}

var _ sql.ExecBuilderNode = (*boundDefaults)(nil)

// IsReadOnly implements sql.Node.
func (n *boundDefaults) IsReadOnly() bool { return n.Child.IsReadOnly() }

// String implements sql.Node.
func (n *boundDefaults) String() string { return n.Child.String() }

// DebugString implements sql.DebugStringer.
func (n *boundDefaults) DebugString(ctx *sql.Context) string { return sql.DebugString(ctx, n.Child) }

// Schema implements sql.Node.
func (n *boundDefaults) Schema(ctx *sql.Context) sql.Schema {
	schema := planbuilder.New(ctx, n.catalog, nil).ResolveSchemaDefaults(ctx.GetCurrentDatabase(), "", n.Child.Schema(ctx))
	typed, err := selectedTypes(ctx, n.Child, schema)
	if err != nil {
		return schema // the engine's types, as wide as they go
	}
	return typed
}

// WithChildren implements sql.Node.
func (n *boundDefaults) WithChildren(_ *sql.Context, children ...sql.Node) (sql.Node, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(n, len(children), 1)
	}
	return &boundDefaults{plan.UnaryNode{Child: children[0]}, n.catalog}, nil
}

// BuildRowIter implements sql.ExecBuilderNode.
func (n *boundDefaults) BuildRowIter(ctx *sql.Context, b sql.NodeExecBuilder, row sql.Row) (sql.RowIter, error) {
	return b.Build(ctx, n.Child, row)
}

// Fill inserts the rows of a planned SELECT into a table that has just been made
// for them, and returns their number. Columns of the table that the SELECT does not
// have get their defaults; constraints hold.
func (p *Priority) Fill(ctx *sql.Context, db sql.Database, table sql.Table, source sql.Node) (uint64, error) {
	schema := planbuilder.New(ctx, p.catalog, nil).ResolveSchemaDefaults(db.Name(), table.Name(), table.Schema(ctx))
	columns, omitted, err := fillColumns(ctx, table, schema, source.Schema(ctx))
	if err != nil {
		return 0, err
	}
	resolved := plan.NewResolvedTable(table, db, nil)
	checks, err := p.tableChecks(ctx, resolved, schema)
	if err != nil {
		return 0, err
	}
	names := make([]string, len(schema))
	for i, column := range schema {
		names[i] = column.Name
	}
	insert := plan.NewInsertInto(db, plan.NewInsertDestination(schema, resolved), plan.NewProject(ctx, columns, source), false, names, nil, false).
		WithDeferredDefaults(omitted).WithAutoIncrementIdx(-1).WithChecks(checks)
	rows, err := p.engine.Build(ctx, insert, nil)
	if err != nil {
		return 0, err
	}
	n := uint64(0)
	err = eachRow(ctx, rows, func(row sql.Row) error {
		if row != nil {
			n++
		}
		return nil
	})
	return n, closed(ctx, rows, err)
}

// fillColumns are the columns of the new table's rows over those of the SELECT, and
// which of them must have a value and have none.
func fillColumns(ctx *sql.Context, table sql.Table, schema, source sql.Schema) (columns []sql.Expression, omitted sets.FastIntSet, err error) {
	columns = make([]sql.Expression, len(schema))
	for i, column := range schema {
		at := source.IndexOfColName(column.Name)
		switch {
		case at >= 0 && column.Generated != nil:
			return nil, omitted, sql.ErrGeneratedColumnValue.New(column.Name, table.Name())
		case at >= 0:
			columns[i] = expression.NewGetField(at, source[at].Type, column.Name, source[at].Nullable)
		case column.Default != nil:
			columns[i], err = positioned(ctx, column.Default, schema)
		case column.Generated != nil:
			columns[i], err = positioned(ctx, column.Generated, schema)
		default:
			columns[i] = expression.NewLiteral(nil, types.Null)
			if !column.Nullable && !column.AutoIncrement {
				omitted.Add(i)
			}
		}
		if err != nil {
			return nil, omitted, err
		}
		if column.AutoIncrement {
			if columns[i], err = expression.NewAutoIncrement(ctx, table, columns[i]); err != nil {
				return nil, omitted, err
			}
		}
	}
	return columns, omitted, nil
}

// positioned is a default or generated value over rows of a schema.
func positioned(ctx *sql.Context, e sql.Expression, schema sql.Schema) (sql.Expression, error) {
	bound, _, err := transform.Expr(ctx, e, func(_ *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		if field, ok := e.(*expression.GetField); ok {
			return field.WithIndex(schema.IndexOfColName(field.Name())), transform.NewTree, nil
		}
		return e, transform.SameTree, nil
	})
	return bound, err
}

// tableChecks are the CHECK constraints of a table over its rows.
func (p *Priority) tableChecks(ctx *sql.Context, table *plan.ResolvedTable, schema sql.Schema) (sql.CheckConstraints, error) {
	with, ok := table.Table.(sql.CheckTable)
	if !ok {
		return nil, nil
	}
	definitions, err := with.GetChecks(ctx)
	if err != nil {
		return nil, err
	}
	var checks sql.CheckConstraints
	for _, d := range definitions {
		parsed, err := parseCheck(p.parser, table.Name(), d)
		if err != nil {
			return nil, err
		}
		e, err := bindScalar(ctx, p.catalog, parsed, table)
		if err != nil {
			return nil, fmt.Errorf("check %s of table %s: %w", d.Name, table.Name(), err)
		}
		checks = append(checks, &sql.CheckConstraint{Name: d.Name, Expr: e, Enforced: d.Enforced})
	}
	return checksOf(ctx, checks, schema, strings.ToLower(table.Name()))
}
