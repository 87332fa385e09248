//go:build long

package correct_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/apd/v3"
	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/enginetest"
	"github.com/dolthub/go-mysql-server/enginetest/queries"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/stretchr/testify/require"
	"gopkg.in/src-d/go-errors.v1"

	"github.com/freshetdb/freshet/plugin/correct"
)

// suiteHarness runs the engine's own suite over in-memory tables with the
// corrections applied.
type suiteHarness struct{ *enginetest.MemoryHarness }

// suiteDiffers are the tests and statements of the suite whose expectation is not
// what MySQL answers, or that depend on the tables in memory.
var suiteDiffers = map[string]string{
	"avg(v2)_over_(partition_by_v1_order_by_pk)": "AVG of integers has four decimals: 0.3333",
	"FETCH_captures_state_at_OPEN":               "the in-memory table changes under an open cursor when DELETE deletes",

	"replace_into_b_values_(1)":                   "REPLACE by an identical row over the only unique key counts 1",
	"row_count()_behavior/select_row_count()#01":  "REPLACE by an identical row over the only unique key counts 1",
	"REPLACE_INTO_mytable_VALUES_(1,_'first_row'": "REPLACE by an identical row over the only unique key counts 1",
	"REPLACE_INTO_mytable_SET_i_=_1,_s_=_'first":  "REPLACE by an identical row over the only unique key counts 1",

	"/DELETE_mytable,_tabletest":      "a DELETE of several tables counts the rows that it deletes from each",
	"/DELETE_MYTABLE,_TABLETEST":      "a DELETE of several tables counts the rows that it deletes from each",
	"/DELETE_FROM_mytable,_tabletest": "a DELETE of several tables counts the rows that it deletes from each",
	"/DELETE_tabletest,_mytable":      "a DELETE of several tables counts the rows that it deletes from each",
	"delete_mytable,_tabletest":       "a DELETE of several tables counts the rows that it deletes from each",

	"INSERT_INTO_`film`_VALUES_(3":                                   "the id that is reported for rows with ids of their own is the last one",
	"Parameters_resolve_inside_of":                                   "the id that is reported for rows with ids of their own is the last one",
	"non-existent_procedure_in_trigger_body/SELECT_last_insert_id()": "triggers leave LAST_INSERT_ID() alone",
}

// suiteRefused are statements that the suite expects to be refused, and that work:
// deletions from several tables with triggers.
var suiteRefused = []string{
	"delete a from a inner join b on a.j=b.i;",
	"delete a from a inner join b on a.j=b.i where a.i >= 0;",
	"delete a, b from a inner join b on a.j=b.i where a.i >= 0;",
}

type suiteFunctions struct{}

func (suiteFunctions) Function(_ *sql.Context, _, name string) (sql.Function, bool) {
	return correct.Function(name)
}

func (h suiteHarness) NewEngine(t *testing.T) (enginetest.QueryEngine, error) {
	e, err := h.MemoryHarness.NewEngine(t)
	if err != nil {
		return nil, err
	}
	engine := e.(*sqle.Engine)
	if err := correct.Rules(engine.Analyzer); err != nil {
		return nil, err
	}
	correct.NewExecBuilder(engine.Analyzer, correct.Options{})
	engine.Analyzer.ExecBuilder.Runner = engine
	return engine, nil
}

// EvaluateQueryResults compares as the suite does, but takes a DECIMAL for a DOUBLE
// that the suite expects, if it is that number: SUM and AVG of exact arguments are
// DECIMAL in MySQL.
func (h suiteHarness) EvaluateQueryResults(t *testing.T, expected []sql.Row, columns []*sql.Column, schema sql.Schema, actual []sql.Row, query string, _ queries.WrapBehavior) {
	for name, reason := range suiteDiffers {
		if strings.Contains(t.Name(), name) {
			t.Skip(reason)
		}
	}
	double := map[int]bool{}
	for _, row := range expected {
		for i, value := range row {
			if _, ok := value.(float64); ok {
				double[i] = true
			}
		}
	}
	for _, row := range actual {
		for i, value := range row {
			if d, ok := value.(*apd.Decimal); ok && double[i] {
				f, err := d.Float64()
				require.NoError(t, err)
				row[i] = f
			}
		}
	}
	if columns != nil {
		columns = slices.Clone(columns)
		for i, column := range columns {
			if i < len(schema) && column.Type == types.Float64 && types.IsDecimal(schema[i].Type) {
				changed := *column
				changed.Type = schema[i].Type
				columns[i] = &changed
			}
		}
	}
	enginetest.CheckResults(sql.NewEmptyContext(), t, h.MemoryHarness, expected, columns, schema, actual, query, nil)
}

// EvaluateExpectedError compares errors as the suite does.
func (suiteHarness) EvaluateExpectedError(t *testing.T, expected string, err error) {
	require.Equal(t, expected, err.Error())
}

// EvaluateExpectedErrorKind compares errors as the suite does.
func (suiteHarness) EvaluateExpectedErrorKind(t *testing.T, expected *errors.Kind, err error) {
	require.True(t, expected.Is(err), "expected %v, got %v", expected, err)
}

// TestEngineSuite runs the parts of the engine's suite that the corrections touch.
// What differs, and is right, is in docs/compatibility/engine.md.
func TestEngineSuite(t *testing.T) {
	correct.Install()
	analyzer.ExternalFunctionProvider = suiteFunctions{}
	t.Cleanup(func() { analyzer.ExternalFunctionProvider = nil })
	for _, part := range []struct {
		name string
		run  func(*testing.T, enginetest.Harness)
	}{
		{"Queries", enginetest.TestQueries},
		{"Scripts", enginetest.TestScripts},
		{"JoinQueries", enginetest.TestJoinQueries},
		{"TupleQueries", func(t *testing.T, h enginetest.Harness) { enginetest.TestTupleQueries(t, h) }},
		{"InsertInto", enginetest.TestInsertInto},
		{"InsertDuplicateKeyKeyless", func(t *testing.T, h enginetest.Harness) { enginetest.TestInsertDuplicateKeyKeyless(t, h) }},
		{"ReplaceInto", enginetest.TestReplaceInto},
		{"Update", enginetest.TestUpdate},
		{"UpdateIgnore", enginetest.TestUpdateIgnore},
		{"UpdateErrors", enginetest.TestUpdateErrors},
		{"OnUpdateExprScripts", enginetest.TestOnUpdateExprScripts},
		{"DeleteFrom", enginetest.TestDelete},
		{"Triggers", enginetest.TestTriggers},
		{"StoredProcedures", enginetest.TestStoredProcedures},
		{"ForeignKeys", enginetest.TestForeignKeys},
		{"GroupByFunctions", func(t *testing.T, h enginetest.Harness) { enginetest.TestStatistics(t, h) }},
		{"Window", enginetest.TestWindowFunctions},
		{"WindowRange", enginetest.TestWindowRangeFrames},
		{"WindowRow", enginetest.TestWindowRowFrames},
		{"NamedWindows", enginetest.TestNamedWindows},
		{"QueryErrors", enginetest.TestQueryErrors},
		{"ColumnDefaults", enginetest.TestColumnDefaults},
		{"Views", enginetest.TestViews},
		{"Convert", enginetest.TestConvert},
		{"PreparedStatements", enginetest.TestPreparedStatements},
		{"GeneratedColumns", enginetest.TestGeneratedColumns},
		{"JsonScripts", func(t *testing.T, h enginetest.Harness) { enginetest.TestJsonScripts(t, h, nil) }},
		{"CheckConstraints", func(t *testing.T, h enginetest.Harness) {
			enginetest.TestChecksOnInsert(t, h)
			enginetest.TestChecksOnUpdate(t, h)
		}},
	} {
		t.Run(part.name, func(t *testing.T) {
			memory := enginetest.NewDefaultMemoryHarness()
			memory.QueriesToSkip(suiteRefused...)
			part.run(t, suiteHarness{memory})
		})
	}
}
