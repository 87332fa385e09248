package own

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/information_schema"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/freshetdb/freshet/vtab"
)

// allRights is what SHOW FULL COLUMNS says of the privileges on a column.
const allRights = "select,insert,update,references"

// Where the columns of SHOW FULL COLUMNS and of SHOW COLUMNS stand.
const (
	shownName, shownType, shownCollation = 0, 1, 2
	shownDefault, shownDefaultFull       = 4, 5
	shownRights                          = 7
)

// ShownColumns is the result of SHOW COLUMNS as MySQL has it. The engine puts the
// collation into the type, shows its own default collation as that of every text, and
// literal defaults with their quotes.
func ShownColumns(n *plan.ShowColumns, rows sql.RowIter) sql.RowIter {
	table, ok := n.Child.(*plan.ResolvedTable)
	if !ok {
		return rows
	}
	store, ok := sql.GetUnderlyingTable(table.Table).(*vtab.Table)
	if !ok {
		return rows
	}
	return &columnIter{RowIter: rows, table: store, schema: n.TargetSchema(), full: n.Full}
}

type columnIter struct {
	sql.RowIter
	table  *vtab.Table
	schema sql.Schema
	full   bool
}

// Next implements sql.RowIter.
func (i *columnIter) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := i.RowIter.Next(ctx)
	if err != nil {
		return nil, err
	}
	name, _ := row[shownName].(string)
	at := i.schema.IndexOfColName(name)
	if at < 0 {
		return row, nil
	}
	column := i.schema[at]
	row = row.Copy()
	row[shownType] = vtab.AttributedType(column.Type, typeOf(column), i.table.Attributes(name))
	value := information_schema.GetColumnDefault(ctx, column.Default)
	if !i.full {
		row[shownDefault] = value
		return row, nil
	}
	row[shownDefaultFull] = value
	row[shownCollation] = nil
	if typ, ok := column.Type.(sql.TypeWithCollation); ok && typ.Collation() != sql.Collation_binary && !types.IsJSON(column.Type) {
		row[shownCollation] = typ.Collation().Name()
	}
	row[shownRights] = allRights
	return row, nil
}

// typeOf is a column's type as MySQL shows it beside its collation.
func typeOf(column *sql.Column) string {
	if typ, ok := column.Type.(sql.TypeWithCollation); ok {
		return typ.StringWithTableCollation(typ.Collation())
	}
	return column.Type.String()
}
