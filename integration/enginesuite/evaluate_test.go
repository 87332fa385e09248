package enginesuite

import (
	"slices"
	"strconv"
	"testing"

	"github.com/cockroachdb/apd/v3"
	"github.com/dolthub/go-mysql-server/enginetest"
	"github.com/dolthub/go-mysql-server/enginetest/queries"
	"github.com/dolthub/go-mysql-server/enginetest/scriptgen/setup"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/stretchr/testify/require"
	"gopkg.in/src-d/go-errors.v1"
)

// The suite expects SUM and AVG of exact numbers as DOUBLE, which is what the
// engine alone gives. Freshet gives the DECIMAL that MySQL gives; a DECIMAL of
// equal value is taken for the expected DOUBLE, nothing else is.

var _ enginetest.ResultEvaluationHarness = (*harness)(nil)

// EvaluateQueryResults implements enginetest.ResultEvaluationHarness.
func (h *harness) EvaluateQueryResults(t *testing.T, expected []sql.Row, columns []*sql.Column, schema sql.Schema, actual []sql.Row, query string, _ queries.WrapBehavior) {
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
			if double[i] && i < len(schema) && types.IsDecimal(schema[i].Type) {
				row[i] = asDouble(t, value)
			}
		}
	}
	if h.overServer && len(expected) == 0 && isOK(actual) {
		actual = expected // a client is told OK where the engine returns no row
	}
	columns = slices.Clone(columns)
	for i, column := range columns {
		if i < len(schema) && column.Type == types.Float64 && types.IsDecimal(schema[i].Type) {
			changed := *column
			changed.Type = schema[i].Type
			columns[i] = &changed
		}
	}
	enginetest.CheckResults(sql.NewEmptyContext(), t, plain{h}, expected, columns, schema, actual, query, h.engine)
}

// isOK reports whether a result is an OK that changed nothing.
func isOK(rows []sql.Row) bool {
	if len(rows) != 1 || len(rows[0]) != 1 {
		return false
	}
	result, ok := rows[0][0].(types.OkResult)
	return ok && result.RowsAffected == 0 && result.InsertID == 0
}

func asDouble(t *testing.T, value any) any {
	switch v := value.(type) {
	case *apd.Decimal:
		f, err := v.Float64()
		require.NoError(t, err)
		return f
	case string:
		if f, err := strconv.ParseFloat(v, 64); err == nil {
			return f
		}
	}
	return value
}

// EvaluateExpectedError implements enginetest.ResultEvaluationHarness.
func (h *harness) EvaluateExpectedError(t *testing.T, expected string, err error) {
	require.Equal(t, expected, err.Error())
}

// EvaluateExpectedErrorKind implements enginetest.ResultEvaluationHarness. The
// error that a client gets has no kind, only a number.
func (h *harness) EvaluateExpectedErrorKind(t *testing.T, expected *errors.Kind, err error) {
	if h.overServer {
		require.Error(t, err)
		return
	}
	require.True(t, expected.Is(err), "Expected error of type %s but got %s", expected, err)
}

// plain is the harness without its own evaluation.
type plain struct{ h *harness }

// NewContext implements enginetest.Harness.
func (p plain) NewContext() *sql.Context { return p.h.NewContext() }

// Setup implements enginetest.Harness.
func (p plain) Setup(scripts ...[]setup.SetupScript) { p.h.Setup(scripts...) }

// NewEngine implements enginetest.Harness.
func (p plain) NewEngine(t *testing.T) (enginetest.QueryEngine, error) { return p.h.NewEngine(t) }
