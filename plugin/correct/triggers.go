package correct

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
)

// rowTriggers are the triggers of one table for one event, in the order in which
// they run. Only the right sides of the nodes mean anything: the analyzed bodies.
type rowTriggers struct {
	before, after []*plan.TriggerExecutor
	// generated are the columns to be computed anew after the BEFORE triggers.
	generated generatedColumns
}

// empty says whether there are none.
func (t rowTriggers) empty() bool { return len(t.before) == 0 && len(t.after) == 0 }

// triggersByTable is the engine's rule that gives statements their triggers, asked
// for one table and one event at a time. By itself the rule gives every statement
// inside another the triggers of all of them, knows no DELETE triggers of a
// REPLACE, no UPDATE triggers of ON DUPLICATE KEY UPDATE and no triggers of a
// multi-table DELETE, and resolves names in bodies in the session's database.
func triggersByTable(engine analyzer.RuleFunc) analyzer.RuleFunc {
	return func(ctx *sql.Context, a *analyzer.Analyzer, n sql.Node, scope *plan.Scope, sel analyzer.RuleSelector, flags *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
		if !flags.DmlIsSet() {
			return n, transform.SameTree, nil
		}
		rule := &triggerRule{analyzer: a, scope: scope, engine: func(ctx *sql.Context, n sql.Node, scope *plan.Scope) (sql.Node, error) {
			fired, _, err := engine(ctx, a, n, scope, sel, flags)
			return fired, err
		}}
		return rule.node(ctx, n)
	}
}

// triggerRule is one application of the rule.
type triggerRule struct {
	analyzer *analyzer.Analyzer
	engine   func(*sql.Context, sql.Node, *plan.Scope) (sql.Node, error)
	scope    *plan.Scope
}

// node gives the statements in n their triggers.
func (r *triggerRule) node(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	switch n := n.(type) {
	case *plan.CreateTrigger, *plan.CreateProcedure, *plan.TriggerExecutor, changeNode:
		return n, transform.SameTree, nil
	case *plan.InsertInto:
		return r.insert(ctx, n)
	case *plan.Update:
		return r.update(ctx, n)
	case *plan.DeleteFrom:
		return r.delete(ctx, n)
	}
	return r.children(ctx, n)
}

func (r *triggerRule) children(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	children := n.Children()
	var changed []sql.Node
	for i, child := range children {
		fixed, same, err := r.node(ctx, child)
		if err != nil {
			return nil, transform.SameTree, err
		}
		if same == transform.SameTree {
			continue
		}
		if changed == nil {
			changed = slices.Clone(children)
		}
		changed[i] = fixed
	}
	if changed == nil {
		return n, transform.SameTree, nil
	}
	fixed, err := n.WithChildren(ctx, changed...)
	return fixed, transform.NewTree, err
}

func (r *triggerRule) insert(ctx *sql.Context, n *plan.InsertInto) (sql.Node, transform.TreeIdentity, error) {
	table := resolvedTable(ctx, n.Destination)
	if table == nil {
		return n, transform.SameTree, nil
	}
	fired, err := r.ask(ctx, table, n, r.scope)
	if err != nil {
		return nil, transform.SameTree, err
	}
	inner, after := peel(fired)
	n, ok := inner.(*plan.InsertInto)
	if !ok {
		return fired, transform.NewTree, nil
	}
	source, err := r.regenerate(ctx, table, n.Source)
	if err != nil {
		return nil, transform.SameTree, err
	}
	if n, err = r.position(ctx, n.WithSource(source)); err != nil {
		return nil, transform.SameTree, err
	}
	if !n.IsReplace && !n.OnDupExprs.HasUpdates() && len(after) == 0 {
		return n, transform.NewTree, nil
	}
	insert := &keyedInsert{after: after}
	switch {
	case n.IsReplace:
		insert.changes, err = r.load(ctx, table, plan.DeleteTrigger)
	case n.OnDupExprs.HasUpdates():
		insert.changes, err = r.load(ctx, table, plan.UpdateTrigger)
	}
	if err != nil {
		return nil, transform.SameTree, err
	}
	insert.Child = n
	return insert, transform.NewTree, nil
}

func (r *triggerRule) update(ctx *sql.Context, n *plan.Update) (sql.Node, transform.TreeIdentity, error) {
	join := updateJoin(n)
	if join == nil {
		return r.single(ctx, n)
	}
	statement := &joinUpdate{triggers: map[string]rowTriggers{}}
	statement.Child = n
	for name, target := range join.UpdateTargets {
		triggers, err := r.loadJoined(ctx, target, plan.UpdateTrigger, n)
		if err != nil {
			return nil, transform.SameTree, err
		}
		statement.triggers[strings.ToLower(name)] = triggers
	}
	return statement, transform.NewTree, nil
}

// updateJoin is the part of an UPDATE of joined tables that knows its targets; nil
// for an UPDATE of one table.
func updateJoin(n *plan.Update) *plan.UpdateJoin {
	child := n.Child
	if handler, ok := child.(*plan.ForeignKeyHandler); ok {
		child = handler.OriginalNode
	}
	join, ok := child.(*plan.UpdateJoin)
	if !ok {
		return nil
	}
	return join
}

func (r *triggerRule) delete(ctx *sql.Context, n *plan.DeleteFrom) (sql.Node, transform.TreeIdentity, error) {
	if !n.HasExplicitTargets() {
		return r.single(ctx, n)
	}
	statement := &joinDelete{}
	statement.Child = n
	for _, target := range n.GetDeleteTargets() {
		triggers, err := r.loadJoined(ctx, target, plan.DeleteTrigger, n)
		if err != nil {
			return nil, transform.SameTree, err
		}
		statement.triggers = append(statement.triggers, triggers)
	}
	return statement, transform.NewTree, nil
}

// single is an UPDATE or DELETE of one table, which the engine runs itself.
func (r *triggerRule) single(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	table := resolvedTable(ctx, n)
	if table == nil {
		return n, transform.SameTree, nil
	}
	fired, err := r.ask(ctx, table, n, r.scope)
	if err != nil || fired == n {
		return n, transform.SameTree, err
	}
	if fired, err = r.regenerateUpdate(ctx, table, fired); err != nil {
		return nil, transform.SameTree, err
	}
	quiet := &quietStatement{}
	quiet.Child = fired
	return quiet, transform.NewTree, nil
}

// ask applies the engine's rule to a statement that changes table, in the table's
// database. Triggers belong to tables that are kept; a temporary table that hides
// one has none.
func (r *triggerRule) ask(ctx *sql.Context, table *plan.ResolvedTable, n sql.Node, scope *plan.Scope) (sql.Node, error) {
	if temporary, ok := sql.GetUnderlyingTable(table.Table).(sql.TemporaryTable); ok && temporary.IsTemporary() {
		return n, nil
	}
	if database := table.Database(); database != nil && !strings.EqualFold(database.Name(), ctx.GetCurrentDatabase()) {
		was := ctx.GetCurrentDatabase()
		ctx.SetCurrentDatabase(database.Name())
		defer ctx.SetCurrentDatabase(was)
	}
	return r.engine(ctx, n, scope)
}

// load gives the triggers of a table for an event: those that the engine gives a
// statement of one table. They see the table's row alone, also where the statement
// is in a trigger itself and its rows have those of that trigger in front.
func (r *triggerRule) load(ctx *sql.Context, table *plan.ResolvedTable, event plan.TriggerEvent) (rowTriggers, error) {
	var probe sql.Node
	if event == plan.UpdateTrigger {
		probe = plan.NewUpdate(ctx, table, false, plan.NewUpdateExprs(nil, 0))
	} else {
		probe = plan.NewDeleteFrom(table, []sql.Node{table}, false)
	}
	alone := (*plan.Scope)(nil).WithMemos(r.scope.Memo(probe).MemoNodes()).WithProcedureCache(r.scope.ProcedureCache())
	fired, err := r.ask(ctx, table, probe, alone)
	if err != nil {
		return rowTriggers{}, err
	}
	var triggers rowTriggers
	fired, triggers.after = peel(fired)
	for _, child := range fired.Children() {
		_, triggers.before = peel(child)
	}
	if event == plan.UpdateTrigger && len(triggers.before) > 0 {
		triggers.generated, err = r.generatedColumns(ctx, table)
	}
	return triggers, err
}

// loadJoined is load for a target of a statement of several tables. A trigger may
// change none of them.
func (r *triggerRule) loadJoined(ctx *sql.Context, target sql.Node, event plan.TriggerEvent, statement sql.Node) (rowTriggers, error) {
	table := resolvedTable(ctx, target)
	if table == nil {
		return rowTriggers{}, nil
	}
	triggers, err := r.load(ctx, table, event)
	if err != nil || triggers.empty() {
		return triggers, err
	}
	used := map[string]bool{}
	transform.InspectWithOpaque(ctx, statement, func(_ *sql.Context, n sql.Node) bool {
		if name := qualifiedName(n); name != "" {
			used[name] = true
		}
		return true
	})
	for _, trigger := range slices.Concat(triggers.before, triggers.after) {
		if table := changedTable(ctx, trigger.Right(), used); table != "" {
			return rowTriggers{}, sql.ErrTriggerTableInUse.New(table)
		}
	}
	return triggers, nil
}

// changedTable is a table of used that a statement in a trigger's body changes.
func changedTable(ctx *sql.Context, body sql.Node, used map[string]bool) string {
	found := ""
	transform.InspectWithOpaque(ctx, body, func(ctx *sql.Context, n sql.Node) bool {
		var targets []sql.Node
		switch n := n.(type) {
		case *plan.InsertInto:
			targets = []sql.Node{n.Destination}
		case *plan.Update:
			targets = []sql.Node{n.Child}
			if join := updateJoin(n); join != nil {
				targets = targets[:0]
				for _, target := range join.UpdateTargets {
					targets = append(targets, target)
				}
			}
		case *plan.DeleteFrom:
			targets = n.GetDeleteTargets()
		}
		for _, target := range targets {
			if table := resolvedTable(ctx, target); table != nil && used[qualifiedName(table)] {
				found = table.Name()
			}
		}
		return found == ""
	})
	return found
}

// qualifiedName is the name of a table with its database's; empty for other nodes.
func qualifiedName(n sql.Node) string {
	if access, ok := n.(*plan.IndexedTableAccess); ok {
		n = access.TableNode
	}
	table, ok := n.(*plan.ResolvedTable)
	if !ok || table.Database() == nil {
		return ""
	}
	return strings.ToLower(table.Database().Name() + "." + table.Name())
}

// resolvedTable is the first table below n; nil for none.
func resolvedTable(ctx *sql.Context, n sql.Node) *plan.ResolvedTable {
	var found *plan.ResolvedTable
	transform.InspectWithOpaque(ctx, n, func(_ *sql.Context, n sql.Node) bool {
		if access, ok := n.(*plan.IndexedTableAccess); ok {
			n = access.TableNode
		}
		if table, ok := n.(*plan.ResolvedTable); ok && found == nil {
			found = table
		}
		return found == nil
	})
	return found
}

// peel takes the triggers off a node. The innermost runs first.
func peel(n sql.Node) (sql.Node, []*plan.TriggerExecutor) {
	var triggers []*plan.TriggerExecutor
	for {
		trigger, ok := n.(*plan.TriggerExecutor)
		if !ok {
			slices.Reverse(triggers)
			return n, triggers
		}
		triggers = append(triggers, trigger)
		n = trigger.Left()
	}
}
