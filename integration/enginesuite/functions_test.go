package enginesuite

import (
	"slices"
	"testing"

	"github.com/dolthub/go-mysql-server/enginetest"
	"github.com/dolthub/go-mysql-server/enginetest/queries"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/stretchr/testify/require"
)

// plainFunction is a function of the suite.
type plainFunction = func(*testing.T, enginetest.Harness)

// boundFunctions need more than a harness.
var boundFunctions = map[string]func(*testing.T, *harness){
	"TestCharsetCollationWire": func(t *testing.T, h *harness) {
		enginetest.TestCharsetCollationWire(t, h, h.SessionBuilder())
	},
	"TestDatabaseCollationWire": func(t *testing.T, h *harness) {
		enginetest.TestDatabaseCollationWire(t, h, h.SessionBuilder())
	},
	"TestTypesOverWire": func(t *testing.T, h *harness) {
		enginetest.TestTypesOverWire(t, h, h.SessionBuilder())
	},
	"TestJoinOps": func(t *testing.T, h *harness) {
		enginetest.TestJoinOps(t, h, enginetest.DefaultJoinOpTests)
	},
	"TestJoinStats": func(t *testing.T, h *harness) {
		h.keepSession = true
		enginetest.TestJoinStats(t, h)
	},
	"TestJsonScripts": func(t *testing.T, h *harness) {
		enginetest.TestJsonScripts(t, h, nil)
	},
	"TestJsonScriptsPrepared": func(t *testing.T, h *harness) {
		enginetest.TestJsonScriptsPrepared(t, h, nil)
	},
	"TestPersist": func(t *testing.T, h *harness) {
		enginetest.TestPersist(t, h, func(*sql.Context) sql.PersistableSession {
			return h.NewSession().Session.(sql.PersistableSession)
		})
	},
	"TestQueryPlans": func(t *testing.T, h *harness) {
		enginetest.TestQueryPlans(t, h, queries.PlanTests)
	},
	"TestReadOnly": func(t *testing.T, h *harness) {
		enginetest.TestReadOnly(t, h, true)
	},
	"TestTransactionScripts": func(t *testing.T, h *harness) {
		require.True(t, endReadOnlyBeforeDDL(queries.TransactionTests))
		enginetest.TestTransactionScripts(t, h)
	},
	"TestUserPrivileges": func(t *testing.T, h *harness) {
		enginetest.TestUserPrivileges(t, h)
	},
}

// endReadOnlyBeforeDDL makes the suite's script of READ ONLY transactions expect
// what MySQL does, where the engine alone commits: DDL is refused (1792), and
// works once the transaction is ended. It reports whether the script is there.
func endReadOnlyBeforeDDL(tests []queries.TransactionTest) bool {
	for i := range tests {
		for j, assertion := range tests[i].Assertions {
			if tests[i].Name == "READ ONLY Transactions" && assertion.Query == "/* client a */ alter table t2 add val2 int" {
				tests[i].Assertions = slices.Insert(tests[i].Assertions, j,
					queries.ScriptTestAssertion{Query: assertion.Query, ExpectedErr: sql.ErrReadOnlyTransaction},
					queries.ScriptTestAssertion{Query: "/* client a */ commit", Expected: []sql.Row{}})
				return true
			}
		}
	}
	return false
}

// notRun are functions of the suite that say nothing about store tables.
var notRun = map[string]string{
	"TestTpchPlans":                planTexts,
	"TestImdbPlans":                planTexts,
	"TestIntegrationPlans":         planTexts,
	"TestSysbenchPlans":            planTexts,
	"TestSpatialIndexPlans":        planTexts,
	"TestQueryPlans":               planTexts,
	"TestIndexQueryPlans":          planTexts,
	"TestTpccPlans":                planTexts,
	"TestGeneratedColumnPlans":     planTexts,
	"TestQueryPlanScripts":         planTexts,
	"TestBrokenInsertScripts":      "the engine's own list of what it answers wrongly",
	"TestBrokenJSONTableScripts":   "the engine's own list of what it answers wrongly",
	"TestBrokenQueries":            "the engine's own list of what it answers wrongly",
	"TestTpcdsPlans":               "the engine's authors skip it: features of the engine are missing",
	"TestVersionedQueries":         "reading tables as of an earlier time is not offered",
	"TestVersionedQueriesPrepared": "reading tables as of an earlier time is not offered",
	"TestVersionedViews":           "reading tables as of an earlier time is not offered",
	"TestVersionedViewsPrepared":   "reading tables as of an earlier time is not offered",
	"TestReadOnlyDatabases":        "databases that are read-only by themselves are not offered",
	"TestReadOnlyVersionedQueries": "reading tables as of an earlier time is not offered",
	"TestValidateSession":          "tests a call-back of the engine's own memory session",
}

// planTexts are functions that compare the text of plans, costs included, with
// those over the engine's own tables. Statistics of store tables are others, so
// equal texts would be chance.
const planTexts = "compares plan texts and costs with those of the engine's own tables"

// notOverServer are functions that cannot run through a server, whatever the
// tables are, as in the engine's own tests.
var notOverServer = map[string]string{
	"TestQueriesPrepared":           "prepares again what the client has prepared already",
	"TestJoinStats":                 "does not work with bind variables",
	"TestAnsiQuotesSqlModePrepared": "prepares by the sql_mode of a session that the server does not use",
	"TestDateParse":                 "prepares again what the client has prepared already",
	"TestTupleQueries":              "prepares again what the client has prepared already",
	"TestPersist":                   "reads the session of the test, not the server's",
	"TestCharsetCollationEngine":    "prepares again what the client has prepared already",
	"TestCharsetCollationWire":      "starts a server itself",
	"TestDatabaseCollationWire":     "starts a server itself",
	"TestTypesOverWire":             "starts a server itself",
	"TestUserPrivileges":            "switches users through the session of the test",
	"TestUserAuthentication":        "starts servers itself",
}

// functions lists the names of the functions to run.
func functions(overServer bool) []string {
	var names []string
	add := func(name string) {
		if notRun[name] == "" && (!overServer || notOverServer[name] == "") {
			names = append(names, name)
		}
	}
	for name := range plainFunctions {
		if _, bound := boundFunctions[name]; !bound {
			add(name)
		}
	}
	for name := range boundFunctions {
		add(name)
	}
	return names
}

// runFunction runs one function of the suite.
func runFunction(t *testing.T, name string, overServer bool) {
	h := newHarness(t, overServer)
	h.clients = needClients[name]
	if bound, ok := boundFunctions[name]; ok {
		bound(t, h)
		return
	}
	plainFunctions[name](t, h)
}
