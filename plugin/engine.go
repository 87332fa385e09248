package plugin

import (
	"sync"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
)

// versionPostfix follows the MySQL version that VERSION() and the handshake show.
const versionPostfix = "freshet"

// ruleAlwaysID is the id of the rule that turns off the engine's short cut for
// simple SELECTs. Ids of the engine's own rules are far below.
const ruleAlwaysID analyzer.RuleId = 30001

// alwaysRules adds a rule that does nothing to the batch that every statement
// passes. The engine plans a SELECT from one table without the later batches
// when that batch is empty; then none of our rules would see it, and arms of a
// UNION would get no index. The batch is a variable of the engine's package, so
// it is changed once per process.
var alwaysRules = sync.OnceFunc(func() {
	nothing := func(_ *sql.Context, _ *analyzer.Analyzer, n sql.Node, _ *plan.Scope, _ analyzer.RuleSelector, _ *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
		return n, transform.SameTree, nil
	}
	analyzer.AlwaysBeforeDefault = append(analyzer.AlwaysBeforeDefault, analyzer.Rule{Id: ruleAlwaysID, Apply: nothing})
})

// newEngine builds the engine over a backend.
func newEngine(b backend) (*sqle.Engine, error) {
	alwaysRules()
	builder := analyzer.NewBuilder(b.provider()).AddOverrides(b.overrides())
	b.configure(builder)
	a := builder.Build()
	if err := b.finish(a); err != nil {
		return nil, err
	}
	return sqle.New(a, &sqle.Config{VersionPostfix: versionPostfix}), nil
}
