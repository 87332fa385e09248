package own

import (
	"errors"
	"io"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/freshetdb/freshet/plugin/correct"
	"github.com/freshetdb/freshet/plugin/literal"
	"github.com/freshetdb/freshet/plugin/parser"
	"github.com/freshetdb/freshet/vtab"
)

// INSERT … VALUES of literals into a plain table, without the planner. It does
// what the engine would do with a statement that meets no difficulty: wherever
// there is one (a value that needs a conversion with a word to say, a duplicate, a
// missing default, sql_mode not strict) what was done is taken back, and the
// engine runs the statement and words the result.

var (
	_ parser.DirectInserter = (*Statements)(nil)
	_ correct.Planned       = (*insertNode)(nil)
)

// InsertsDirectly implements parser.DirectInserter.
func (s *Statements) InsertsDirectly(ctx *sql.Context, table parser.Name) bool {
	database := table.Database
	if database == "" {
		database = ctx.GetCurrentDatabase()
	}
	return s.tables.Plain(database, table.Name)
}

// insertNode is the statement in the plan.
type insertNode struct {
	node
	statements *Statements
	insert     *parser.InsertValues
}

func (s *Statements) insertValues(statement *parser.InsertValues) *insertNode {
	return &insertNode{node: node{statement: statement, schema: types.OkResultSchema}, statements: s, insert: statement}
}

// changesRows is a node without a task of its own: the engine knows by the types in
// a plan that the statement is a change of rows, which keeps its ROW_COUNT().
var changesRows = []sql.Node{&plan.LoadData{}}

// Children implements sql.Node.
func (n *insertNode) Children() []sql.Node { return changesRows }

// WithChildren implements sql.Node.
func (n *insertNode) WithChildren(_ *sql.Context, children ...sql.Node) (sql.Node, error) {
	if len(children) != len(changesRows) {
		return nil, sql.ErrInvalidChildrenNumber.New(n, len(children), len(changesRows))
	}
	return n, nil
}

// Planned implements correct.Planned.
func (n *insertNode) Planned() {}

// RowIter implements sql.ExecSourceRel.
func (n *insertNode) RowIter(*sql.Context, sql.Row) (sql.RowIter, error) {
	return &insertIter{node: n}, nil
}

// insertIter runs the statement at its first row, which is the result.
type insertIter struct {
	node *insertNode
	done bool
}

// Next implements sql.RowIter.
func (i *insertIter) Next(ctx *sql.Context) (sql.Row, error) {
	if i.done {
		return nil, io.EOF
	}
	i.done = true
	result, err := i.node.run(ctx)
	if errors.Is(err, errNotDirect) {
		return i.node.byEngine(ctx)
	}
	if err != nil {
		return nil, err
	}
	sql.IncrementStatusVariable(ctx, "Com_insert", 1)
	return sql.Row{result}, nil
}

// Close implements sql.RowIter.
func (i *insertIter) Close(*sql.Context) error { return nil }

// errNotDirect says that the engine has to run the statement. Nothing has been
// changed then.
var errNotDirect = errors.New("the statement needs the engine")

// byEngine runs the statement as if it had never been ours.
func (n *insertNode) byEngine(ctx *sql.Context) (sql.Row, error) {
	s := n.statements
	trees := ctx.WithContext(parser.WithTrees(ctx.Context))
	statement, text, _, err := s.parser.ParseWithOptions(trees, n.insert.Text, ';', false, sql.LoadSqlMode(ctx).ParserOptions())
	if err != nil {
		return nil, err
	}
	ctx = inside(ctx)
	rows, err := s.rows(ctx, statement, text)
	if err != nil {
		return nil, err
	}
	result, err := rows.Next(ctx)
	return result, correct.AlsoFailed(err, rows.Close(ctx))
}

// run inserts the rows and returns the statement's result.
func (n *insertNode) run(ctx *sql.Context) (result types.OkResult, err error) {
	columns, table, err := n.columns(ctx)
	if err != nil {
		return result, err
	}
	w := insertRows{ctx: ctx, insert: n.insert, table: table, columns: columns, row: make(sql.Row, len(columns))}
	for i := range columns {
		if columns[i].automatic {
			w.ids = literal.AutoIncrement{Table: table, Type: columns[i].Type}
		}
	}
	rows := len(n.insert.Literals) / n.insert.PerRow
	if rows > 1 {
		table.ExpectRows(rows)
	}
	inserter := table.Inserter(ctx)
	inserter.StatementBegin(ctx)
	for i := range rows {
		if err = w.insertRow(inserter, i); err != nil {
			break
		}
	}
	if sql.ErrPrimaryKeyViolation.Is(err) || sql.ErrUniqueKeyViolation.Is(err) || sql.ErrDuplicateEntry.Is(err) {
		err = errNotDirect
	}
	switch {
	case err == nil:
		err = inserter.StatementComplete(ctx)
	case errors.Is(err, errNotDirect):
		err = correct.AlsoFailed(err, vtab.Retract(inserter))
	default:
		err = correct.AlsoFailed(err, inserter.DiscardChanges(ctx, err))
	}
	if err := correct.AlsoFailed(err, inserter.Close(ctx)); err != nil {
		return result, err
	}
	info := ctx.GetLastQueryInfo()
	if first, generated := w.ids.First(); generated {
		info.LastInsertId.Store(int64(first))
	}
	info.RowCount.Store(int64(rows))
	return types.OkResult{RowsAffected: uint64(rows), InsertID: w.firstID}, nil
}

// insertColumn says where the values of a column come from.
type insertColumn struct {
	*sql.Column
	literal   int // position in the row of literals, -1: the column is not named
	value     any // of a column that is not named
	convert   literal.Converter
	automatic bool // AUTO_INCREMENT
}

// columns finds the table and the source of each column's values.
func (n *insertNode) columns(ctx *sql.Context) ([]insertColumn, *vtab.Table, error) {
	mode := sql.LoadSqlMode(ctx)
	if !mode.Strict() || ctx.GetCollation().CharacterSet() != sql.CharacterSet_utf8mb4 {
		return nil, nil, errNotDirect
	}
	table, err := n.table(ctx)
	if err != nil {
		return nil, nil, err
	}
	schema := table.Schema(ctx)
	columns := make([]insertColumn, len(schema))
	for i, c := range schema {
		columns[i] = insertColumn{Column: c, literal: -1, automatic: c.AutoIncrement}
	}
	if len(n.insert.Columns) == 0 {
		if n.insert.PerRow != len(columns) {
			return nil, nil, errNotDirect
		}
		for i := range columns {
			columns[i].literal = i
		}
	}
	for i, name := range n.insert.Columns {
		ordinal, ok := table.ColumnOrdinal(name)
		if !ok || columns[ordinal].literal >= 0 {
			return nil, nil, errNotDirect
		}
		columns[ordinal].literal = i
	}
	for i := range columns {
		c := &columns[i]
		if c.literal >= 0 {
			c.convert = literal.ConverterOf(c.Type)
		} else if err := n.omitted(ctx, table, c, i); err != nil {
			return nil, nil, err
		}
	}
	return columns, table, nil
}

func (n *insertNode) table(ctx *sql.Context) (*vtab.Table, error) {
	database, err := databaseOf(ctx, n.insert.Table)
	if err != nil {
		return nil, err
	}
	table, err := n.statements.tables.PlainTable(ctx, database, n.insert.Table.Name)
	if err != nil {
		return nil, err
	}
	session, err := vtab.SessionOf(ctx)
	if err == nil && (table == nil || session.MayUse(table, true) != nil) {
		err = errNotDirect
	}
	return table, err
}

// omitted finds the value of a column that the statement does not name.
func (n *insertNode) omitted(ctx *sql.Context, table *vtab.Table, c *insertColumn, ordinal int) error {
	if c.automatic {
		return nil
	}
	if c.Default == nil && c.Nullable {
		return nil
	}
	schema, err := table.ResolvedSchema(func() (sql.Schema, error) { return n.statements.resolvedSchema(ctx, n.insert) })
	if err != nil {
		return errNotDirect // the engine finds the same and says it
	}
	value, ok := literal.Default(ctx, schema[ordinal])
	if !ok {
		return errNotDirect
	}
	c.value = value
	return nil
}

// resolvedSchema binds an INSERT for the defaults of its table.
func (s *Statements) resolvedSchema(ctx *sql.Context, insert *parser.InsertValues) (sql.Schema, error) {
	a := s.analyzer.Load()
	if a == nil {
		return nil, errNotAttached
	}
	statement, err := s.parser.ParseSimple("INSERT INTO " + insert.Table.String() + " VALUES ()")
	if err != nil {
		return nil, err
	}
	builder := planbuilder.New(inside(ctx), a.Catalog, nil)
	builder.DisableAuth()
	bound, _, err := builder.BindOnly(statement, "", &sql.QueryFlags{})
	if err != nil {
		return nil, err
	}
	into, ok := bound.(*plan.InsertInto)
	if !ok {
		return nil, errNotDirect
	}
	return into.Destination.Schema(ctx), nil
}

// insertRows turns rows of literals into rows of the table.
type insertRows struct {
	ctx     *sql.Context
	insert  *parser.InsertValues
	table   *vtab.Table
	columns []insertColumn
	row     sql.Row

	firstID uint64 // AUTO_INCREMENT value of the first row, given or not
	ids     literal.AutoIncrement
}

// insertRow inserts the row with the given number.
func (w *insertRows) insertRow(inserter sql.RowInserter, number int) error {
	literals := w.insert.Literals[number*w.insert.PerRow:][:w.insert.PerRow]
	for i := range w.columns {
		c := &w.columns[i]
		value := c.value
		if c.literal >= 0 {
			l := literals[c.literal]
			var ok bool
			if value, ok = c.convert(w.ctx, l.Kind, w.insert.TextOf(l)); !ok {
				return errNotDirect
			}
		}
		if c.automatic {
			var err error
			if value, err = w.ids.Value(w.ctx, value); err != nil {
				return errNotDirect
			}
			if number == 0 {
				if w.firstID, err = insertID(w.ctx, value); err != nil {
					return errNotDirect
				}
			}
		}
		if value == nil && !c.Nullable {
			return errNotDirect
		}
		w.row[i] = value
	}
	return inserter.Insert(w.ctx, w.row)
}

// insertID is an AUTO_INCREMENT value as clients are told it: one below zero in two's
// complement.
func insertID(ctx *sql.Context, value any) (uint64, error) {
	if id, ok := value.(uint64); ok {
		return id, nil
	}
	id, _, err := types.Int64.Convert(ctx, value)
	if err != nil {
		return 0, err
	}
	return uint64(id.(int64)), nil
}
