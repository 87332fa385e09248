package own

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
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

// ShownEvent prepares SHOW CREATE EVENT, where the engine puts the comment between
// quotes as it is.
func ShownEvent(n *plan.ShowCreateEvent) *plan.ShowCreateEvent {
	shown := *n
	shown.Event.Comment = sql.EscapeSpecialCharactersInComment(n.Event.Comment)
	return &shown
}
