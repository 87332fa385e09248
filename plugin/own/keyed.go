package own

import (
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"

	"github.com/freshetdb/freshet/plugin/correct"
	"github.com/freshetdb/freshet/plugin/literal"
	"github.com/freshetdb/freshet/plugin/parser"
	"github.com/freshetdb/freshet/vtab"
)

// SELECT and UPDATE of the row with one value of an integer primary key, without the
// planner. As for INSERT, the engine runs the statement, and words the result,
// wherever there is a difficulty.

var _ parser.KeyedRunner = (*Statements)(nil)

// RunsKeyed implements parser.KeyedRunner.
func (s *Statements) RunsKeyed(ctx *sql.Context, k *parser.Keyed) bool {
	database := k.Table.Database
	if database == "" {
		database = ctx.GetCurrentDatabase()
	}
	if k.Value.Kind != parser.LiteralInteger || !s.tables.Keyed(ctx, database, k.Table.Name, k.Key, len(k.Assignments) > 0) {
		return false
	}
	return len(k.Assignments) > 0 || unlimited(ctx)
}

// unlimited reports whether sql_select_limit is at its default.
func unlimited(ctx *sql.Context) bool {
	unset, _ := sql.HasDefaultValue(ctx, ctx.Session, "sql_select_limit")
	return unset
}

// keyed is the plan of a Keyed statement.
func (s *Statements) keyed(ctx *sql.Context, k *parser.Keyed) (sql.ExecSourceRel, error) {
	if len(k.Assignments) > 0 {
		return &keyedUpdate{keyedNode{node{statement: k, schema: types.OkResultSchema}, s, k}}, nil
	}
	schema, err := s.keyedSchema(ctx, k)
	if err != nil {
		return nil, err
	}
	return &keyedSelect{keyedNode{node{statement: k, schema: schema, readOnly: true}, s, k}}, nil
}

// keyedSchemas remembers the schemas of results, which the engine's planner says.
type keyedSchemas struct {
	mu    sync.Mutex
	known map[keyedPlace]keyedSchema
}

// keyedPlace is a statement in a database.
type keyedPlace struct {
	shape    *parser.KeyedShape
	database string
}

type keyedSchema struct {
	table   uint32
	version uint64
	schema  sql.Schema
}

// maxKeyedSchemas bounds the memory for schemas; beyond it all are forgotten.
const maxKeyedSchemas = 1024

// keyedSchema is the schema of a SELECT's result.
func (s *Statements) keyedSchema(ctx *sql.Context, k *parser.Keyed) (sql.Schema, error) {
	table, database, err := s.keyedTable(ctx, k)
	if err != nil {
		return nil, err
	}
	place := keyedPlace{k.KeyedShape, database}
	if table != nil {
		s.schemas.mu.Lock()
		known, ok := s.schemas.known[place]
		s.schemas.mu.Unlock()
		if ok && known.table == uint32(table.ID()) && known.version == table.Version() {
			return known.schema, nil
		}
	}
	schema, err := s.plannedSchema(ctx, k)
	if err != nil || table == nil {
		return schema, err
	}
	s.schemas.mu.Lock()
	defer s.schemas.mu.Unlock()
	if s.schemas.known == nil || len(s.schemas.known) >= maxKeyedSchemas {
		s.schemas.known = map[keyedPlace]keyedSchema{}
	}
	s.schemas.known[place] = keyedSchema{uint32(table.ID()), table.Version(), schema}
	return schema, nil
}

// plannedSchema lets the engine plan a statement for the schema of its result.
func (s *Statements) plannedSchema(ctx *sql.Context, k *parser.Keyed) (sql.Schema, error) {
	a := s.analyzer.Load()
	if a == nil {
		return nil, errNotAttached
	}
	trees := ctx.WithContext(parser.WithTrees(ctx.Context))
	statement, text, _, err := s.parser.ParseWithOptions(trees, k.Text, ';', false, sql.LoadSqlMode(ctx).ParserOptions())
	if err != nil {
		return nil, err
	}
	ctx = inside(ctx)
	bound, flags, err := planbuilder.New(ctx, a.Catalog, nil).BindOnly(statement, text, &sql.QueryFlags{})
	if err != nil {
		return nil, err
	}
	analyzed, err := a.Analyze(ctx, bound, nil, flags)
	if err != nil {
		return nil, err
	}
	return analyzed.Schema(ctx), nil
}

// keyedTable is the table of a statement, nil if the engine has to run it.
func (s *Statements) keyedTable(ctx *sql.Context, k *parser.Keyed) (*vtab.Table, string, error) {
	database, err := databaseOf(ctx, k.Table)
	if err != nil {
		return nil, "", err
	}
	table, err := s.tables.KeyedTable(ctx, database, k.Table.Name, k.Key, len(k.Assignments) > 0)
	return table, database, err
}

// keyedNode is what both statements have in common.
type keyedNode struct {
	node
	statements *Statements
	keyed      *parser.Keyed
}

// Planned implements correct.Planned.
func (n *keyedNode) Planned() {}

// byEngine runs the statement as if it had never been ours.
func (n *keyedNode) byEngine(ctx *sql.Context) (sql.RowIter, error) {
	s := n.statements
	trees := ctx.WithContext(parser.WithTrees(ctx.Context))
	statement, text, _, err := s.parser.ParseWithOptions(trees, n.keyed.Text, ';', false, sql.LoadSqlMode(ctx).ParserOptions())
	if err != nil {
		return nil, err
	}
	return s.rows(inside(ctx), statement, text)
}

// row finds the row. Errors: errNotDirect, those of the store.
func (n *keyedNode) row(ctx *sql.Context, table *vtab.Table) (sql.RowIter, error) {
	value, ok := literal.ConverterOf(table.KeyColumn().Type)(ctx, n.keyed.Value.Kind, n.keyed.TextOf(n.keyed.Value))
	if !ok {
		return nil, errNotDirect
	}
	return table.ByKey(ctx, value)
}

// keyedSelect is the SELECT.
type keyedSelect struct{ keyedNode }

var _ correct.Planned = (*keyedSelect)(nil)

// WithChildren implements sql.Node.
func (n *keyedSelect) WithChildren(_ *sql.Context, children ...sql.Node) (sql.Node, error) {
	return plan.NillaryWithChildren(n, children...)
}

// RowIter implements sql.ExecSourceRel.
func (n *keyedSelect) RowIter(ctx *sql.Context, _ sql.Row) (sql.RowIter, error) {
	rows, err := n.read(ctx)
	if errors.Is(err, errNotDirect) {
		return n.byEngine(ctx)
	}
	if err == nil {
		sql.IncrementStatusVariable(ctx, "Com_select", 1)
	}
	return rows, err
}

func (n *keyedSelect) read(ctx *sql.Context) (sql.RowIter, error) {
	table, _, err := n.statements.keyedTable(ctx, n.keyed)
	if err != nil {
		return nil, err
	}
	if table == nil {
		return nil, errNotDirect
	}
	if len(n.keyed.Columns) > 0 {
		projected, err := table.WithProjections(ctx, n.keyed.Columns)
		if err != nil {
			return nil, errNotDirect
		}
		table = projected.(*vtab.Table)
	}
	if len(table.Schema(ctx)) != len(n.schema) {
		return nil, errNotDirect // it has been altered since the schema was asked for
	}
	return n.row(ctx, table)
}

// keyedUpdate is the UPDATE.
type keyedUpdate struct{ keyedNode }

var _ correct.Planned = (*keyedUpdate)(nil)

// Children implements sql.Node.
func (n *keyedUpdate) Children() []sql.Node { return changesRows }

// WithChildren implements sql.Node.
func (n *keyedUpdate) WithChildren(_ *sql.Context, children ...sql.Node) (sql.Node, error) {
	if len(children) != len(changesRows) {
		return nil, sql.ErrInvalidChildrenNumber.New(n, len(children), len(changesRows))
	}
	return n, nil
}

// RowIter implements sql.ExecSourceRel.
func (n *keyedUpdate) RowIter(*sql.Context, sql.Row) (sql.RowIter, error) {
	return &keyedUpdateIter{node: n}, nil
}

// keyedUpdateIter runs the statement at its first row, which is the result.
type keyedUpdateIter struct {
	node *keyedUpdate
	done bool
}

// Next implements sql.RowIter.
func (i *keyedUpdateIter) Next(ctx *sql.Context) (sql.Row, error) {
	if i.done {
		return nil, io.EOF
	}
	i.done = true
	result, err := i.node.run(ctx)
	if errors.Is(err, errNotDirect) {
		rows, err := i.node.byEngine(ctx)
		if err != nil {
			return nil, err
		}
		row, err := rows.Next(ctx)
		return row, correct.AlsoFailed(err, rows.Close(ctx))
	}
	if err != nil {
		return nil, err
	}
	sql.IncrementStatusVariable(ctx, "Com_update", 1)
	return sql.Row{result}, nil
}

// Close implements sql.RowIter.
func (i *keyedUpdateIter) Close(*sql.Context) error { return nil }

// assignment is a column with its new value.
type assignment struct {
	*sql.Column
	ordinal int
	value   any   // of an assignment without an operator
	add     int64 // of one with
	adds    bool
}

// run changes the row and returns the statement's result.
func (n *keyedUpdate) run(ctx *sql.Context) (result types.OkResult, err error) {
	table, _, err := n.statements.keyedTable(ctx, n.keyed)
	if err != nil {
		return result, err
	}
	if table == nil || !sql.LoadSqlMode(ctx).Strict() || ctx.GetCollation().CharacterSet() != sql.CharacterSet_utf8mb4 {
		return result, errNotDirect
	}
	assignments, err := n.assignments(ctx, table)
	if err != nil {
		return result, err
	}
	session, err := vtab.SessionOf(ctx)
	if err != nil {
		return result, err
	}
	session.BeginWrite()
	updater := table.Updater(ctx)
	updater.StatementBegin(ctx)
	info, err := n.update(ctx, table, updater, assignments)
	if sql.ErrPrimaryKeyViolation.Is(err) || sql.ErrUniqueKeyViolation.Is(err) || sql.ErrDuplicateEntry.Is(err) {
		err = errNotDirect
	}
	switch {
	case err == nil:
		err = updater.StatementComplete(ctx)
	case errors.Is(err, errNotDirect):
		err = correct.AlsoFailed(err, vtab.Retract(updater))
	default:
		err = correct.AlsoFailed(err, updater.DiscardChanges(ctx, err))
	}
	if err := correct.AlsoFailed(err, updater.Close(ctx)); err != nil {
		return result, err
	}
	affected := info.Updated
	if ctx.Client().Capabilities&mysql.CapabilityClientFoundRows > 0 {
		affected = info.Matched
	}
	ctx.GetLastQueryInfo().RowCount.Store(int64(affected))
	return types.OkResult{RowsAffected: uint64(affected), Info: info}, nil
}

// assignments resolves the columns and converts the literals.
func (n *keyedUpdate) assignments(ctx *sql.Context, table *vtab.Table) ([]assignment, error) {
	schema := table.Schema(ctx)
	all := make([]assignment, len(n.keyed.Assignments))
	for i, a := range n.keyed.Assignments {
		ordinal, ok := table.ColumnOrdinal(a.Column)
		if !ok || strings.EqualFold(a.Column, n.keyed.Key) {
			return nil, errNotDirect
		}
		for _, before := range all[:i] {
			if before.ordinal == ordinal {
				return nil, errNotDirect
			}
		}
		c := &all[i]
		c.Column, c.ordinal = schema[ordinal], ordinal
		l, text := n.keyed.Values[i], n.keyed.TextOf(n.keyed.Values[i])
		if a.Operator != 0 {
			number, err := strconv.ParseInt(text, 10, 64)
			if err != nil || number == math.MinInt64 || !types.IsInteger(c.Type) {
				return nil, errNotDirect
			}
			if a.Operator == '-' {
				number = -number
			}
			c.adds, c.add = true, number
			continue
		}
		if c.value, ok = literal.ConverterOf(c.Type)(ctx, l.Kind, text); !ok || c.value == nil && !c.Nullable {
			return nil, errNotDirect
		}
		if c.Type.Type() == sqltypes.Char && strings.HasSuffix(text, " ") {
			return nil, errNotDirect
		}
	}
	return all, nil
}

// update finds the row and changes it.
func (n *keyedUpdate) update(ctx *sql.Context, table *vtab.Table, updater sql.RowUpdater, assignments []assignment) (info plan.UpdateInfo, err error) {
	rows, err := n.row(ctx, table)
	if err != nil {
		return info, err
	}
	old, err := rows.Next(ctx)
	if closeErr := rows.Close(ctx); closeErr != nil {
		return info, correct.AlsoFailed(err, closeErr)
	}
	if errors.Is(err, io.EOF) {
		return info, nil
	}
	if err != nil {
		return info, err
	}
	if judge := vtab.Judge(ctx); judge != nil {
		if err := judge(ctx, table, old); err != nil {
			return info, err
		}
	}
	info.Matched = 1
	changed := false
	row := old.Copy()
	for i := range assignments {
		a := &assignments[i]
		value := a.value
		if a.adds {
			if value, err = a.sum(ctx, old[a.ordinal]); err != nil {
				return info, err
			}
		}
		same, ok := sameValue(old[a.ordinal], value)
		if !ok {
			return info, errNotDirect
		}
		changed = changed || !same
		row[a.ordinal] = value
	}
	if !changed {
		return info, nil
	}
	info.Updated = 1
	return info, updater.Update(ctx, old, row)
}

// sum adds to the column's value; what the column does not hold, the engine refuses.
func (a *assignment) sum(ctx *sql.Context, old any) (any, error) {
	if old == nil {
		return nil, nil
	}
	wide, inRange, err := types.Int64.Convert(ctx, old)
	if err != nil || inRange != sql.InRange {
		return nil, errNotDirect
	}
	before := wide.(int64)
	after := before + a.add
	if (after > before) != (a.add > 0) && a.add != 0 {
		return nil, errNotDirect
	}
	if after < 0 && types.IsUnsigned(a.Type) {
		return nil, errNotDirect
	}
	value, inRange, err := a.Type.Convert(ctx, after)
	if err != nil || inRange != sql.InRange {
		return nil, errNotDirect
	}
	return value, nil
}

// sameValue reports whether two values of a column are the same to the byte; ok is
// false where that is not known.
func sameValue(a, b any) (same, ok bool) {
	if a == nil || b == nil {
		return a == nil && b == nil, true
	}
	switch a := a.(type) {
	case int8, int16, int32, int64, uint8, uint16, uint32, uint64, float32, float64, string:
		return a == b, true
	case time.Time:
		b, ok := b.(time.Time)
		return ok && a.Equal(b), ok
	}
	return false, false
}
