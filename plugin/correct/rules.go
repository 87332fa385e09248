package correct

import (
	"sync"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// Ids of our rules, above all of the engine's.
const (
	alwaysRuleID     analyzer.RuleId = 30001
	finalRuleID      analyzer.RuleId = 30002
	installedBatch                   = "freshet-corrections"
	replaceAggName                   = "replaceAgg"
	processTruncName                 = "processTruncate"
)

// installing guards analyzer.AlwaysBeforeDefault, a variable of the engine's that
// every analyzer of the process reads.
var installing sync.Mutex

// Install adds the rules that have to be known to the engine before an analyzer is
// built, for the whole process. It may be called any number of times, by any
// goroutine, but not while statements are being analyzed for the first time; call
// it before analyzer.NewBuilder.
//
// Their presence alone takes simple selects off the engine's short path, which
// skips the rules of integrators and leaves the arms of a UNION without indexes.
// They keep the engine from turning DELETE into TRUNCATE and subqueries with
// several rows into joins, give statements their triggers, and check integer arithmetic in the finished plan.
func Install() {
	installing.Lock()
	defer installing.Unlock()
	installLayouts()
	for _, rule := range analyzer.AlwaysBeforeDefault {
		if rule.Id == alwaysRuleID {
			return
		}
	}
	analyzer.AlwaysBeforeDefault = append(analyzer.AlwaysBeforeDefault,
		analyzer.Rule{Id: alwaysRuleID, Apply: before})
	final := append([]analyzer.Rule(nil), analyzer.OnceAfterAll...)
	for i, rule := range final {
		if rule.Id.String() == applyTriggersName {
			final[i].Apply = triggersByTable(nameTrigger(rule.Apply))
		}
	}
	analyzer.OnceAfterAll = append(final, analyzer.Rule{Id: finalRuleID, Apply: after})
}

// before runs ahead of the engine's rules.
func before(ctx *sql.Context, a *analyzer.Analyzer, n sql.Node, scope *plan.Scope, sel analyzer.RuleSelector, flags *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
	flagLoad(n, flags)
	// The binder sets them for whatever reads a view: it parses CREATE VIEW. The engine
	// would commit the transaction after such a statement. Those that are to commit do
	// so by themselves, but for DROP TABLE: only its flag tells that TEMPORARY was not
	// said.
	if _, drops := n.(*plan.DropTable); !drops {
		flags.Unset(sql.QFlagDDL)
		flags.Unset(sql.QFlagDBDDL)
	}
	if err := refuseDays(ctx, n); err != nil {
		return nil, transform.SameTree, err
	}
	n, keptSame, err := keepDelete(ctx, n)
	if err != nil {
		return nil, transform.SameTree, err
	}
	n, exactSame, err := exactRanges(ctx, n)
	if err != nil {
		return nil, transform.SameTree, err
	}
	n, checksSame, err := addHiddenChecks(ctx, a, n)
	if err != nil {
		return nil, transform.SameTree, err
	}
	keptSame = keptSame && exactSame && checksSame
	if flags != nil && !flags.SubqueryIsSet() {
		return n, keptSame, nil
	}
	n, guardedSame, err := guardSubqueries(ctx, n)
	return n, keptSame && guardedSame, err
}

// after changes a finished plan: earlier, other rules would not know the
// expressions for what they are.
func after(ctx *sql.Context, _ *analyzer.Analyzer, n sql.Node, scope *plan.Scope, _ analyzer.RuleSelector, _ *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
	n, same, err := transform.NodeExprsWithOpaque(ctx, n, checkedExpression)
	if err != nil {
		return nil, transform.SameTree, err
	}
	if scope.IsEmpty() {
		if wrapped, ok := displayColumns(ctx, n); ok {
			return wrapped, transform.NewTree, nil
		}
	}
	if insert, ok := n.(*plan.InsertInto); ok && insert.IsReplace {
		if returning := fixReturning(insert); returning != nil {
			return returning, transform.NewTree, nil
		}
	}
	return n, same, nil
}

func checkedExpression(ctx *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	switch e := e.(type) {
	case *expression.Arithmetic:
		return checkedArithmetic(ctx, e)
	case *expression.Convert:
		if isDateCast(ctx, e) {
			return &dateCast{Convert: e, child: e.Child}, transform.NewTree, nil
		}
		if isIntegerCast(ctx, e) {
			return &integerCast{Convert: e, child: e.Child}, transform.NewTree, nil
		}
	case *expression.BitOp:
		if types.IsNumber(e.LeftChild.Type(ctx)) && types.IsNumber(e.RightChild.Type(ctx)) {
			return &exactBits{e}, transform.NewTree, nil
		}
	case *expression.IntDiv:
		if types.IsInteger(e.LeftChild.Type(ctx)) && types.IsInteger(e.RightChild.Type(ctx)) {
			return &exactIntDiv{IntDiv: e, left: e.LeftChild, right: e.RightChild}, transform.NewTree, nil
		}
	case *expression.Equals, *expression.NullSafeEquals, *expression.LessThan, *expression.LessThanOrEqual,
		*expression.GreaterThan, *expression.GreaterThanOrEqual:
		return checkComparison(ctx, e.(expression.Comparer))
	case *expression.Between:
		return newBetween(ctx, e), transform.NewTree, nil
	case *expression.InTuple, *expression.HashInTuple:
		return checkIn(ctx, e.(expression.Comparer))
	case *expression.Case:
		return checkCase(ctx, e)
	case *plan.InSubquery:
		return checkInSubquery(ctx, e)
	case sql.FunctionExpression:
		return checkDayArguments(ctx, e)
	case *plan.Subquery:
		query, same, err := transform.NodeExprsWithOpaque(ctx, e.Query, checkedExpression)
		if err != nil || same == transform.SameTree {
			return e, transform.SameTree, err
		}
		return e.WithQuery(query), transform.NewTree, nil
	}
	return e, transform.SameTree, nil
}

// Rules replaces the engine's rules that answer wrongly, in an analyzer that is
// not in use yet. Install must have run before the analyzer was built. The error
// is ErrAlreadyInstalled, or ErrMissingRule if the engine no longer has a rule
// that is to be replaced.
func Rules(a *analyzer.Analyzer) error {
	for _, batch := range a.Batches {
		if batch.Desc == installedBatch {
			return ErrAlreadyInstalled
		}
	}
	instead := func(rule analyzer.RuleFunc) func(analyzer.RuleFunc) analyzer.RuleFunc {
		return func(analyzer.RuleFunc) analyzer.RuleFunc { return rule }
	}
	replacements := map[string]func(analyzer.RuleFunc) analyzer.RuleFunc{
		replaceAggName:   instead(minMaxByIndex),
		processTruncName: instead(checkTruncate),
		replaceSortName:  keepSorts,
		createSelectName: bindSelectDefaults,
		simplifyName:     keepEscapes,
		unnestName:       keyUnnested,
	}
	fires := false
	for _, batch := range a.Batches {
		rules := make([]analyzer.Rule, len(batch.Rules))
		copy(rules, batch.Rules)
		for i, rule := range rules {
			fires = fires || rule.Id.String() == applyTriggersName // which Install has replaced
			if replace, ok := replacements[rule.Id.String()]; ok {
				rules[i].Apply = replace(rule.Apply)
				delete(replacements, rule.Id.String())
			}
			rules[i].Apply = unlessPlanned(rules[i].Apply)
		}
		batch.Rules = rules
	}
	if len(replacements) > 0 || !fires {
		return ErrMissingRule
	}
	a.Batches = append(a.Batches, &analyzer.Batch{Desc: installedBatch, Iterations: 0})
	return nil
}

// Planned is a statement that needs none of the engine's rules: each of the hundred
// looks at its node only to leave it alone.
type Planned interface {
	sql.Node
	// Planned does nothing; it marks the type.
	Planned()
}

// unlessPlanned keeps a rule from statements that need none.
func unlessPlanned(rule analyzer.RuleFunc) analyzer.RuleFunc {
	return func(ctx *sql.Context, a *analyzer.Analyzer, n sql.Node, scope *plan.Scope, sel analyzer.RuleSelector, flags *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
		if _, ok := n.(Planned); ok {
			return n, transform.SameTree, nil
		}
		return rule(ctx, a, n, scope, sel, flags)
	}
}

// keepDelete hides a whole-table DELETE from the engine's conversion to TRUNCATE,
// which looks for triggers and foreign keys in the current database instead of
// the table's. The conversion wants a bare table below the DELETE.
func keepDelete(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	statement, ok := n.(*plan.DeleteFrom)
	if !ok || !statement.Resolved() {
		return n, transform.SameTree, nil
	}
	table, ok := statement.Child.(*plan.ResolvedTable)
	if !ok {
		return n, transform.SameTree, nil
	}
	changed := *statement
	changed.Child = plan.NewFilter(ctx, expression.NewLiteral(true, types.Boolean), table)
	return &changed, transform.NewTree, nil
}

// checkTruncate refuses TRUNCATE of a table that a foreign key of another table
// references, wherever that table is. It leaves DELETE alone.
func checkTruncate(ctx *sql.Context, _ *analyzer.Analyzer, n sql.Node, _ *plan.Scope, _ analyzer.RuleSelector, _ *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
	statement, ok := n.(*plan.Truncate)
	if !ok {
		return n, transform.SameTree, nil
	}
	table, err := plan.GetTruncatable(statement.Child)
	if err != nil {
		return nil, transform.SameTree, err
	}
	parent, ok := sql.GetUnderlyingTable(table).(sql.ForeignKeyTable)
	if !ok {
		return n, transform.SameTree, nil
	}
	enforced, err := foreignKeyChecks(ctx)
	if err != nil || !enforced {
		return n, transform.SameTree, err
	}
	keys, err := parent.GetReferencedForeignKeys(ctx)
	if err != nil {
		return nil, transform.SameTree, err
	}
	for _, key := range keys {
		if !key.IsSelfReferential() {
			return nil, transform.SameTree, sql.ErrTruncateReferencedFromForeignKey.New(table.Name(), key.Name, key.Table)
		}
	}
	return n, transform.SameTree, nil
}

func foreignKeyChecks(ctx *sql.Context) (bool, error) {
	value, err := ctx.GetSessionVariable(ctx, "foreign_key_checks")
	if err != nil {
		return false, err
	}
	return sql.ConvertToBool(ctx, value)
}
