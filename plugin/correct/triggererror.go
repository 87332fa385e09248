package correct

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/vitess/go/mysql"
	goerrors "gopkg.in/src-d/go-errors.v1"
)

// applyTriggersName is the engine's rule that puts triggers around a statement.
const applyTriggersName = "applyTriggers"

// errTriggerBroken wraps what is missing.
var errTriggerBroken = goerrors.NewKind("trigger '%s.%s' cannot run")

// nameTrigger adds the trigger's name to the error of a statement that fires one
// with names in it that nothing has any more. The engine says only that a column is
// missing, or, for NEW and OLD, that there is no such table, which nobody who wrote
// the statement can make anything of.
func nameTrigger(apply analyzer.RuleFunc) analyzer.RuleFunc {
	return func(ctx *sql.Context, a *analyzer.Analyzer, n sql.Node, scope *plan.Scope, sel analyzer.RuleSelector, flags *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
		out, same, err := apply(ctx, a, n, scope, sel, flags)
		if err == nil || !isMissingName(err) {
			return out, same, err
		}
		database, trigger, ok := brokenTrigger(ctx, a, n, err)
		if !ok {
			return out, same, err
		}
		if sql.ErrTableNotFound.Is(err) {
			for _, row := range []string{"new", "old"} {
				if err.Error() == sql.ErrTableNotFound.New(row).Error() {
					return nil, transform.SameTree, mysql.NewSQLError(1054, "42S22", "Unknown column in '%s' of trigger '%s.%s'", row, database, trigger)
				}
			}
		}
		return nil, transform.SameTree, errTriggerBroken.Wrap(err, database, trigger)
	}
}

func isMissingName(err error) bool {
	return sql.ErrColumnNotFound.Is(err) || sql.ErrTableColumnNotFound.Is(err) || sql.ErrUnknownColumn.Is(err) || sql.ErrTableNotFound.Is(err)
}

// brokenTrigger finds the trigger on a table of n that cannot be read for the reason
// given.
func brokenTrigger(ctx *sql.Context, a *analyzer.Analyzer, n sql.Node, reason error) (database, trigger string, ok bool) {
	transform.Inspect(n, func(n sql.Node) bool {
		table, is := n.(*plan.ResolvedTable)
		if !is || ok || table.SqlDatabase == nil {
			return !ok
		}
		triggers, is := table.SqlDatabase.(sql.TriggerDatabase)
		if !is {
			return true
		}
		all, err := triggers.GetTriggers(ctx)
		if err != nil {
			return true // the statement's own error is the one to show
		}
		for _, t := range all {
			if onTable(ctx, a, t, table.Name()) && failsFor(ctx, a, t, reason) {
				database, trigger, ok = table.SqlDatabase.Name(), t.Name, true
				return false
			}
		}
		return true
	})
	return database, trigger, ok
}

// failsFor reports whether a trigger cannot be read when it fires, for the reason
// given.
func failsFor(ctx *sql.Context, a *analyzer.Analyzer, t sql.TriggerDefinition, reason error) bool {
	_, err := readTrigger(ctx, a, t, false)
	return err != nil && err.Error() == reason.Error()
}

// readTrigger reads a trigger as the engine does when it fires, or only its head.
func readTrigger(ctx *sql.Context, a *analyzer.Analyzer, t sql.TriggerDefinition, head bool) (sql.Node, error) {
	b := planbuilder.New(ctx, a.Catalog, nil)
	b.DisableAuth()
	b.SetParserOptions(sql.NewSqlModeFromString(t.SqlMode).ParserOptions())
	if head {
		b.TriggerCtx().LoadOnly = true
	} else {
		b.TriggerCtx().Call = true
	}
	n, _, _, _, err := b.Parse(t.CreateStatement, nil, false)
	return n, err
}

// onTable reports whether a trigger belongs to a table of its database.
func onTable(ctx *sql.Context, a *analyzer.Analyzer, t sql.TriggerDefinition, table string) bool {
	n, err := readTrigger(ctx, a, t, true)
	if err != nil {
		return false
	}
	create, ok := n.(*plan.CreateTrigger)
	if !ok {
		return false
	}
	of, ok := create.Table.(*plan.ResolvedTable)
	return ok && of.Name() == table
}
