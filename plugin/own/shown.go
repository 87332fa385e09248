package own

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/freshetdb/freshet/catalog"
	"github.com/freshetdb/freshet/vtab"
)

// ShownTable prepares SHOW CREATE TABLE: keys say which of their parts are descending,
// for the Formatter, and a table with virtual columns, around which the engine puts
// one of its own, shows its comment, and its conditions as they were declared. The
// engine would print the conditions in a form that does not read back.
func ShownTable(ctx *sql.Context, n *plan.ShowCreateTable) (*plan.ShowCreateTable, error) {
	shown := *n
	shown.Indexes = MarkIndexes(n.Indexes)
	table, ok := n.Child.(*plan.ResolvedTable)
	if !ok {
		return &shown, nil
	}
	plain := *table
	plain.Table = sql.GetUnderlyingTable(table.Table)
	shown.Child = &plain
	if store, ok := plain.Table.(*vtab.Table); ok {
		marked, err := markShown(&shown, store)
		if err != nil {
			return nil, err
		}
		shown = *marked
	}
	declared, ok := plain.Table.(sql.CheckTable)
	if !ok {
		return &shown, nil
	}
	definitions, err := declared.GetChecks(ctx)
	if err != nil {
		return nil, err
	}
	checks := make(sql.CheckConstraints, len(definitions))
	for i, d := range definitions {
		text := sql.NewUnresolvedColumnDefaultValue(d.CheckExpression)
		checks[i] = &sql.CheckConstraint{Name: d.Name, Expr: text.Expr, Enforced: d.Enforced}
	}
	with := shown.WithChecks(checks)
	return with.(*plan.ShowCreateTable), nil
}

// markShown makes columns say their attributes in their comments, for the Formatter.
func markShown(n *plan.ShowCreateTable, table *vtab.Table) (*plan.ShowCreateTable, error) {
	schema := n.TargetSchema().Copy()
	for _, column := range schema {
		a := table.Attributes(column.Name)
		if a == (catalog.Attributes{}) && !types.IsTimespan(column.Type) {
			continue
		}
		var err error
		if column.Comment, err = vtab.MarkColumn(column.Comment, a); err != nil {
			return nil, err
		}
	}
	with, err := n.WithTargetSchema(schema)
	if err != nil {
		return nil, err
	}
	return with.(*plan.ShowCreateTable), nil
}

// ShownEvent prepares SHOW CREATE EVENT, where the engine puts the comment between
// quotes as it is.
func ShownEvent(n *plan.ShowCreateEvent) *plan.ShowCreateEvent {
	shown := *n
	shown.Event.Comment = sql.EscapeSpecialCharactersInComment(n.Event.Comment)
	return &shown
}
