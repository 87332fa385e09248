package correct_test

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/catalog"
	"github.com/freshetdb/freshet/plugin/correct"
	"github.com/freshetdb/freshet/vtab/kv"
)

// unnumbered are the engine's kinds that stay 1105: faults of the engine itself or
// of its integrators, and what MySQL has no error for.
var unnumbered = strings.Fields(`
	ErrInvalidType ErrSystemVariableCodeFail ErrTableCreatedNotFound ErrUnexpectedRowLength
	ErrInvalidChildrenNumber ErrInvalidExpressionNumber ErrInvalidChildType ErrRowEditCanceled ErrInvalidAsOfExpression
	ErrTriggerCannotBeDropped ErrVersionedStoredProceduresNotSupported ErrProcedureNestedCallAsOf ErrProcedureCallAsOfReadOnly
	ErrExternalProcedureAmbiguousOverload ErrExternalProcedureNonFunction ErrExternalProcedureMissingContextParam
	ErrExternalProcedurePointerVariadic ErrExternalProcedureReturnTypes ErrExternalProcedureFirstReturn
	ErrExternalProcedureSecondReturn ErrExternalProcedureInvalidParamType ErrUnknownUserVariable
	ErrSystemVariableReinitialized ErrUserVariableNoDefault ErrLoadDataCharacterLength ErrImmutableDatabaseProvider
	ErrTableFunctionNotInFrom ErrConflictingExternalQuery ErrIncompatibleAsOf ErrPidAlreadyUsed
	ErrSessionDoesNotSupportPersistence ErrInvalidKeyPair ErrInvalidSRID ErrUnsupportedGISTypeForSpatialFunc ErrUnsupportedGISType
	ErrInvalidSQLValType ErrUnexpectedNilRow ErrUnsupportedJoinFactorCount ErrUnexpectedSeparator ErrDatabaseWriteLocked
	ErrCollatedExprWrongType ErrCharSetIntroducer ErrMergeJoinExpectsComparerFilters ErrNoJoinFilters ErrDroppedJoinFilters
	ErrStarUnsupported ErrIncompleteFullTextIntegration ErrInvalidTypeForLimit ErrDistinctOnMatchOrderBy
	ErrNoAutoIncrementCol`)

// Every kind of error that the engine declares in its sql package has a number or
// is named as having none, so that an update of the engine cannot add one unseen.
func TestEveryKindIsClassified(t *testing.T) {
	pkg, err := build.Default.Import("github.com/dolthub/go-mysql-server/sql", ".", build.FindOnly)
	require.NoError(t, err)
	mapped := selectors(t, "errorkind.go", "sql")
	declared := kinds(t, filepath.Join(pkg.Dir, "errors.go"))
	require.Greater(t, len(declared), 200)
	known := map[string]bool{}
	for _, name := range unnumbered {
		known[name] = true
		require.False(t, mapped[name], "%s has a number", name)
	}
	var unclassified []string
	for _, name := range declared {
		if !mapped[name] && !known[name] {
			unclassified = append(unclassified, name)
		}
	}
	require.Empty(t, unclassified, "kinds that have no number and are not known to have none")
}

func kinds(t *testing.T, file string) []string {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	require.NoError(t, err)
	var names []string
	ast.Inspect(parsed, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && strings.HasPrefix(spec.Names[0].Name, "Err") {
			names = append(names, spec.Names[0].Name)
		}
		return true
	})
	return names
}

func selectors(t *testing.T, file, pkg string) map[string]bool {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	require.NoError(t, err)
	names := map[string]bool{}
	ast.Inspect(parsed, func(n ast.Node) bool {
		if selector, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := selector.X.(*ast.Ident); ok && x.Name == pkg {
				names[selector.Sel.Name] = true
			}
		}
		return true
	})
	return names
}

func numberAndState(t *testing.T, err error) string {
	t.Helper()
	var known *mysql.SQLError
	require.ErrorAs(t, correct.MySQLError(err), &known)
	return fmt.Sprintf("%d %s", known.Num, known.State)
}

func TestMySQLErrorOfErrors(t *testing.T) {
	require.NoError(t, correct.MySQLError(nil))
	for _, c := range []struct {
		err  error
		want string
	}{
		{mysql.NewSQLError(1690, "", "kept"), "1690 22003"},
		{fmt.Errorf("while: %w", mysql.NewSQLError(45000, "45000", "signal")), "45000 45000"},
		{errors.New("who knows"), "1105 HY000"},
		{sql.ErrTableNotFound.New("t"), "1146 42S02"},
		{fmt.Errorf("planning: %w", sql.ErrTableNotFound.New("t")), "1146 42S02"},
		{sql.NewWrappedInsertError(sql.Row{1}, sql.ErrCheckConstraintViolated.New("c")), "3819 HY000"},
		{sql.NewWrappedInsertError(sql.Row{1}, sql.NewWrappedTypeConversionError(1, 0, types.ErrLengthBeyondLimit.New("x", "c"))), "1406 22001"},
		{sql.NewUniqueKeyErr("1", true, sql.Row{1}), "1062 23000"},
		{sql.ErrLockDeadlock.New("x"), "1213 40001"},
		{sql.ErrForeignKeyChildViolation.New("a", "b", "c", "d"), "1452 23000"},
		{sql.ErrForeignKeyParentViolation.New("a", "b", "c", "d"), "1451 23000"},
		{sql.ErrReadOnlyTransaction.New(), "1792 25006"},
		{sql.ErrExpectedSingleRow.New(), "1242 21000"},
		{sql.ErrSyntaxError.New("near"), "1064 42000"},
		{errors.Join(sql.NewUniqueKeyErr("1", true, sql.Row{1}), errors.New("close")), "1062 23000"},
		{&kv.LockError{Reason: kv.LockTimeout}, "1205 HY000"},
		{fmt.Errorf("insert: %w", &kv.LockError{Reason: kv.LockDeadlock}), "1213 40001"},
		{&kv.LockError{Reason: kv.LockBusy}, "3572 HY000"},
		{&kv.LockError{Reason: kv.LockTooMany}, "1206 HY000"},
		{&kv.SizeError{What: "transaction", Size: 2, Limit: 1}, "1197 HY000"},
		{&kv.SizeError{What: "key", Size: 2, Limit: 1}, "1071 42000"},
		{&kv.SizeError{What: "value", Size: 2, Limit: 1}, "1118 42000"},
		{kv.ErrDiskFull, "1021 HY000"},
		{kv.ErrOutcomeUnknown, "1180 HY000"},
		{&kv.FailedError{Cause: errors.New("sync")}, "1030 HY000"},
		{&kv.FailedError{Cause: kv.ErrDiskFull}, "1021 HY000"},
		{fmt.Errorf("%w: block", kv.ErrCorrupt), "1034 HY000"},
		{kv.ErrClosed, "1053 08S01"},
		{catalog.ErrClosed, "1053 08S01"},
		{&catalog.ExistsError{Kind: catalog.KindTable, Name: "t"}, "1050 42S01"},
		{&catalog.ExistsError{Kind: catalog.KindDatabase, Name: "t"}, "1007 HY000"},
		{&catalog.ExistsError{Kind: catalog.KindFunction, Name: "t"}, "1304 42000"},
		{&catalog.NameError{Kind: catalog.KindTable, Reason: catalog.NameTooLong}, "1059 42000"},
		{&catalog.NameError{Kind: catalog.KindDatabase, Reason: catalog.NameEmpty}, "1102 42000"},
		{&catalog.BrokenEntryError{Header: catalog.Header{Kind: catalog.KindTable}, Cause: errors.New("x")}, "1712 HY000"},
		{context.Canceled, "1317 70100"},
		{context.DeadlineExceeded, "3024 HY000"},
	} {
		require.Equal(t, c.want, numberAndState(t, c.err), "%v", c.err)
	}
	text := correct.MySQLError(&kv.SizeError{What: "transaction", Size: 2, Limit: 1}).Error()
	require.Contains(t, text, "limit of 1")
	require.Contains(t, text, "smaller transactions")
}

// What clients meet most, from statement to number.
func TestMySQLErrorOfStatements(t *testing.T) {
	s := newShell(t)
	s.exec("create table p (id int primary key)",
		"create table t (id int primary key, i tinyint, s varchar(3), n int not null, u int unique, j json, e enum('a'), c int check (c > 0), p int, foreign key (p) references p(id))",
		"insert into t (id, n, u) values (1, 1, 1)", "insert into p values (1)", "insert into t (id, n, p) values (9, 1, 1)")
	for _, c := range []struct{ statement, want string }{
		{"select * from nosuch", "1146 42S02"},
		{"select nosuch from t", "1054 42S22"},
		{"select * from nodb.t", "1049 42000"},
		{"selec 1", "1064 42000"},
		{"insert into t (id, n) values (1, 1)", "1062 23000"},
		{"insert into t (id, n, u) values (2, 1, 1)", "1062 23000"},
		{"insert into t (id, n) values (2, null)", "1048 23000"},
		{"insert into t (id) values (2)", "1364 HY000"},
		{"insert into t (id, n, i) values (2, 1, 300)", "1264 22003"},
		{"update t set i = 300", "1264 22003"},
		{"insert into t (id, n, i) values (2, 1, 'x')", "1366 HY000"},
		{"insert into t (id, n, s) values (2, 1, 'abcd')", "1406 22001"},
		{"update t set s = 'abcd'", "1406 22001"},
		{"insert into t (id, n, e) values (2, 1, 'b')", "1265 01000"},
		{"insert into t (id, n, c) values (2, 1, 0)", "3819 HY000"},
		{"insert into t (id, n, p) values (2, 1, 5)", "1452 23000"},
		{"delete from p", "1451 23000"},
		{"insert into t values (1)", "1136 21S01"},
		{"create table t (id int)", "1050 42S01"},
		{"create database d", "1007 HY000"},
		{"create index x on t (nosuch)", "1072 42000"},
		{"select nosuch(1)", "1305 42000"},
		{"call nosuch()", "1305 42000"},
		{"select a.id from t a, t b where id = 1", "1052 23000"},
		{"truncate p", "1701 42000"},
		{"set @@nosuch = 1", "1193 HY000"},
		{"select (select id, n from t)", "1241 21000"},
		{"select id from t union select id, n from t", "1222 21000"},
	} {
		require.Equal(t, c.want, numberAndState(t, s.fails(c.statement)), c.statement)
	}
}
