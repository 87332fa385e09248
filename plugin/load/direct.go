package load

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unsafe"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/freshetdb/freshet/plugin/correct"
	"github.com/freshetdb/freshet/plugin/literal"
	"github.com/freshetdb/freshet/plugin/parser"
	"github.com/freshetdb/freshet/vtab"
)

// Direct returns an iterator that runs LOAD DATA into a plain table, nil where the
// engine has to: for REPLACE, user variables, SET clauses, triggers, CHECKs, foreign
// keys, generated columns. Its one row is the statement's result.
func Direct(ctx *sql.Context, n *plan.InsertInto) (sql.RowIter, error) {
	data := dataOf(n.Source)
	if data == nil || data.IsReplace || data.SetExprs != nil {
		return nil, nil
	}
	for _, v := range data.UserVars {
		if v != nil {
			return nil, nil
		}
	}
	destination, err := plan.GetInsertable(n.Destination)
	if err != nil {
		return nil, err
	}
	table, ok := sql.GetUnderlyingTable(destination).(*vtab.Table)
	if !ok {
		return nil, nil
	}
	if plain, err := table.Plain(ctx); err != nil || !plain {
		return nil, err
	}
	l := &loader{data: data, table: table, lenient: n.Ignore || !sql.LoadSqlMode(ctx).Strict(), ignore: n.Ignore}
	if !l.plan(ctx) {
		return nil, nil
	}
	return l, nil
}

// dataOf finds the LOAD DATA that an INSERT reads from.
func dataOf(source sql.Node) (found *plan.LoadData) {
	transform.Inspect(source, func(n sql.Node) bool {
		if data, ok := n.(*plan.LoadData); ok {
			found = data
		}
		return found == nil
	})
	return found
}

// loader runs the statement at its first row.
type loader struct {
	data            *plan.LoadData
	table           *vtab.Table
	lenient, ignore bool

	columns []column
	fields  int // that a record should have

	source *source
	row    sql.Row
	done   bool

	fill     *vtab.Fill // this or inserter takes the rows
	inserter sql.RowInserter

	records, affected, skipped uint64
	ids                        literal.AutoIncrement
}

// column is a column of the table.
type column struct {
	*sql.Column
	field   int // -1: not listed
	value   any // of one that is not listed
	missing any // where the record is too short
	convert literal.Converter
	numeric bool
}

// plan finds where each column's values come from; false if the engine is needed.
func (l *loader) plan(ctx *sql.Context) bool {
	schema := l.data.DestSch
	l.columns = make([]column, len(schema))
	for i, c := range schema {
		l.columns[i] = column{Column: c, field: -1, convert: literal.ConverterOf(c.Type), numeric: literal.IsNumeric(c.Type)}
	}
	l.fields = len(l.data.ColNames)
	if l.fields == 0 {
		l.fields = len(schema)
		for i := range l.columns {
			l.columns[i].field = i
		}
	}
	for i, name := range l.data.ColNames {
		ordinal := schema.IndexOfColName(name)
		if ordinal < 0 || l.columns[ordinal].field >= 0 {
			return false
		}
		l.columns[ordinal].field = i
	}
	for i := range l.columns {
		c := &l.columns[i]
		if c.AutoIncrement {
			l.ids = literal.AutoIncrement{Table: l.table, Type: c.Type}
			continue
		}
		value, ok := literal.Default(ctx, c.Column)
		if !ok && c.field < 0 {
			return false
		}
		c.value, c.missing = value, value
		if !c.Nullable {
			c.missing = c.Type.Zero()
		}
	}
	return true
}

// Next implements sql.RowIter.
func (l *loader) Next(ctx *sql.Context) (sql.Row, error) {
	if l.done {
		return nil, io.EOF
	}
	l.done = true
	var err error
	if l.source, err = open(ctx, l.data); err != nil {
		return nil, err
	}
	warnings := ctx.WarningCount()
	if err = l.begin(ctx); err == nil {
		err = l.end(ctx, l.load(ctx))
	}
	if err = closing(err, l.source.file); err != nil {
		return nil, err
	}
	info := ctx.GetLastQueryInfo()
	first, generated := l.ids.First()
	if generated {
		info.LastInsertId.Store(int64(first))
	}
	info.RowCount.Store(int64(l.affected))
	return sql.Row{types.OkResult{RowsAffected: l.affected, InsertID: first, Info: summary{l, ctx.WarningCount() - warnings}}}, nil
}

// closing closes the input, whatever happened before.
func closing(err error, file io.Closer) error {
	if err != nil {
		return closed(err, file)
	}
	return file.Close()
}

// Close implements sql.RowIter.
func (l *loader) Close(*sql.Context) error { return nil }

// summary is what a client shows of the statement.
type summary struct {
	l        *loader
	warnings uint16
}

func (s summary) String() string {
	return fmt.Sprintf("Records: %d  Deleted: 0  Skipped: %d  Warnings: %d", s.l.records, s.l.skipped, s.warnings)
}

// begin decides where the rows go.
func (l *loader) begin(ctx *sql.Context) (err error) {
	if l.fill, err = l.table.NewFill(ctx); l.fill != nil || err != nil {
		return err
	}
	l.inserter = l.table.Inserter(ctx)
	l.inserter.StatementBegin(ctx)
	return nil
}

// end completes the statement, or undoes it after err.
func (l *loader) end(ctx *sql.Context, err error) error {
	if l.fill != nil {
		if err == nil {
			err = l.fill.Finish(ctx)
		} else {
			l.fill.Discard()
		}
		if err != nil {
			ctx.Session.(*vtab.Session).Abandon()
		}
		return err
	}
	if err == nil {
		err = l.inserter.StatementComplete(ctx)
	} else if undo := l.inserter.DiscardChanges(ctx, err); undo != nil {
		err = errors.Join(err, undo)
	}
	if closeErr := l.inserter.Close(ctx); closeErr != nil {
		err = errors.Join(err, closeErr)
	}
	return err
}

// load reads all records.
func (l *loader) load(ctx *sql.Context) error {
	l.row = make(sql.Row, len(l.columns))
	for {
		fields, surplus, err := l.source.next(l.fields)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		l.records++
		if err := l.source.checkCount(ctx, len(fields) < l.fields, surplus, l.lenient); err != nil {
			return err
		}
		for i := range l.columns {
			if l.row[i], err = l.value(ctx, &l.columns[i], fields); err != nil {
				return err
			}
		}
		if err := l.put(ctx); err != nil {
			return err
		}
	}
}

// codeNullToNotNull is the number for a NULL in a column that takes none.
const codeNullToNotNull = 1263

// value is what a column of the row gets.
func (l *loader) value(ctx *sql.Context, c *column, fields []Field) (value any, err error) {
	switch {
	case c.field < 0:
		value = c.value
	case c.field >= len(fields):
		value = c.missing
	case fields[c.field].Null:
	default:
		if value, err = l.convert(ctx, c, fields[c.field].Text); err != nil {
			return nil, err
		}
	}
	if c.AutoIncrement {
		return l.ids.Value(ctx, value)
	}
	if value != nil || c.Nullable {
		return value, nil
	}
	if !l.lenient {
		return nil, mysql.NewSQLError(codeNullToNotNull, "22004", "Column set to default value; NULL supplied to NOT NULL column '%s' at row %d", c.Name, l.source.number)
	}
	ctx.Warn(codeNullToNotNull, "Column set to default value; NULL supplied to NOT NULL column '%s' at row %d", c.Name, l.source.number)
	return c.Type.Zero(), nil
}

// convert turns the text of a field into the column's value.
func (l *loader) convert(ctx *sql.Context, c *column, field []byte) (any, error) {
	// The text is looked at before the next record is read, and copied where it stays.
	text := unsafe.String(unsafe.SliceData(field), len(field))
	kind := parser.LiteralString
	if c.numeric {
		if number, ok := parser.NumberKind(text); ok {
			kind = number
		}
	}
	if value, ok := c.convert(ctx, kind, text); ok {
		return value, nil
	}
	return correct.Store(ctx, c.Name, c.Type, strings.Clone(text), l.lenient, l.source.number)
}

// put stores the row.
func (l *loader) put(ctx *sql.Context) error {
	var err error
	if l.fill != nil {
		err = l.fill.Insert(ctx, l.row)
	} else {
		err = l.inserter.Insert(ctx, l.row)
	}
	switch {
	case err == nil:
		l.affected++
		return nil
	case l.ignore && isDuplicate(err):
		var known *mysql.SQLError
		if !errors.As(correct.MySQLError(err), &known) {
			return err
		}
		ctx.Warn(known.Num, "%s", known.Message)
		l.skipped++
		return nil
	}
	return err
}

func isDuplicate(err error) bool {
	return sql.ErrPrimaryKeyViolation.Is(err) || sql.ErrUniqueKeyViolation.Is(err)
}
