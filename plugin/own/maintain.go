package own

import (
	"errors"
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"

	"github.com/freshetdb/freshet/catalog"
	"github.com/freshetdb/freshet/plugin/correct"
	"github.com/freshetdb/freshet/plugin/parser"
	"github.com/freshetdb/freshet/vtab"
)

// maxDetails bounds the rows that CHECK TABLE answers for one table; the last one
// says how many there are more.
const maxDetails = 100

var (
	operationSchema = sql.Schema{
		{Name: "Table", Type: types.MustCreateString(sqltypes.VarChar, 128, sql.Collation_Default)},
		{Name: "Op", Type: types.MustCreateString(sqltypes.VarChar, 10, sql.Collation_Default)},
		{Name: "Msg_type", Type: types.MustCreateString(sqltypes.VarChar, 10, sql.Collation_Default)},
		{Name: "Msg_text", Type: types.LongText},
	}
	checksumSchema = sql.Schema{
		{Name: "Table", Type: types.MustCreateString(sqltypes.VarChar, 128, sql.Collation_Default)},
		{Name: "Checksum", Type: types.Int64, Nullable: true},
	}
)

// maintenance is the node of CHECK, REPAIR, CHECKSUM and OPTIMIZE TABLE. Each
// table is answered for alone: what is wrong with one is a row of the result.
func (s *Statements) maintenance(statement *parser.TableMaintenance) *node {
	n := &node{statement: statement, schema: operationSchema, ddl: statement.Operation != parser.ChecksumTable}
	n.readOnly = statement.Operation != parser.RepairTable
	one := s.checkTable
	switch statement.Operation {
	case parser.RepairTable:
		one = s.repairTable
	case parser.OptimizeTable:
		one = optimizeTable
	case parser.ChecksumTable:
		n.schema, one = checksumSchema, checksumTable
	}
	n.run = func(ctx *sql.Context) ([]sql.Row, error) {
		var rows []sql.Row
		for _, name := range statement.Tables {
			target, err := s.target(ctx, name)
			if err != nil {
				return nil, err
			}
			answer, err := one(ctx, target)
			if err != nil {
				return nil, err
			}
			rows = append(rows, answer...)
		}
		return rows, nil
	}
	return n
}

// target is what a maintenance statement names.
type target struct {
	database, name string
	table          *vtab.Table // nil if there is no table of that name, or a broken one
	view           bool
	broken         error // the table's entry cannot be read
}

func (t target) label() string { return t.database + "." + t.name }

// row is a row of the result of CHECK, REPAIR and OPTIMIZE.
func (t target) row(operation, kind, text string) sql.Row {
	return sql.Row{t.label(), operation, kind, text}
}

func (s *Statements) target(ctx *sql.Context, name parser.Name) (target, error) {
	database, err := databaseOf(ctx, name)
	if err != nil {
		return target{}, err
	}
	t := target{database: database, name: name.Name}
	found, err := storeDatabase(ctx, s.databases, database)
	if sql.ErrDatabaseNotFound.Is(err) {
		return t, nil
	}
	if err != nil {
		return t, err
	}
	t.database = found.Name()
	if _, t.view, err = found.GetViewDefinition(ctx, name.Name); err != nil || t.view {
		return t, err
	}
	table, ok, err := found.GetTableInsensitive(ctx, name.Name)
	var broken *catalog.BrokenEntryError
	if errors.As(err, &broken) {
		t.broken = err
		return t, nil
	}
	if err != nil || !ok {
		return t, err
	}
	t.table, _ = table.(*vtab.Table)
	return t, nil
}

// missing are the rows for a target that is no table, nil for one that is.
func (t target) missing(operation string) []sql.Row {
	switch {
	case t.broken != nil:
		return []sql.Row{t.row(operation, "Error", t.broken.Error()), t.row(operation, "error", "Corrupt")}
	case t.view:
		return []sql.Row{
			t.row(operation, "Error", "'"+t.label()+"' is not BASE TABLE"),
			t.row(operation, "status", "Operation failed"),
		}
	case t.table == nil:
		return []sql.Row{
			t.row(operation, "Error", "Table '"+t.label()+"' doesn't exist"),
			t.row(operation, "status", "Operation failed"),
		}
	}
	return nil
}

// checkTable compares a table with itself. Views are sound if they can be bound.
func (s *Statements) checkTable(ctx *sql.Context, t target) ([]sql.Row, error) {
	if t.view {
		return s.checkView(ctx, t), nil
	}
	if rows := t.missing("check"); rows != nil {
		return rows, nil
	}
	if t.table.IsTemporary() {
		return []sql.Row{
			t.row("check", "note", "Temporary tables are not checked"),
			t.row("check", "status", "OK"),
		}, nil
	}
	problems, err := s.tables.CheckTable(ctx, t.database, t.name)
	if err != nil {
		return nil, err
	}
	return t.verdict("check", problems), nil
}

// verdict are the rows for what a check found.
func (t target) verdict(operation string, problems []vtab.Problem) []sql.Row {
	var rows []sql.Row
	damaged := false
	for i, p := range problems {
		kind := "note"
		if p.Damage() {
			kind, damaged = "Error", true
		}
		if i < maxDetails {
			rows = append(rows, t.row(operation, kind, p.String()))
		}
	}
	if more := len(problems) - maxDetails; more > 0 {
		rows = append(rows, t.row(operation, "note", fmt.Sprintf("%d further findings are not shown", more)))
	}
	if damaged {
		return append(rows, t.row(operation, "error", "Corrupt"))
	}
	return append(rows, t.row(operation, "status", "OK"))
}

// checkView binds a view, as a SELECT from it would.
func (s *Statements) checkView(ctx *sql.Context, t target) []sql.Row {
	name := parser.Name{Database: t.database, Name: t.name}
	if err := s.bindQuery(ctx, "SELECT * FROM "+name.String()); err != nil {
		return []sql.Row{
			t.row("check", "Error", correct.MySQLError(err).Error()),
			t.row("check", "error", "Corrupt"),
		}
	}
	return []sql.Row{t.row("check", "status", "OK")}
}

// repairTable makes a table's indexes anew from its rows.
func (s *Statements) repairTable(ctx *sql.Context, t target) ([]sql.Row, error) {
	if rows := t.missing("repair"); rows != nil {
		return rows, nil
	}
	if err := s.tables.RepairTable(ctx, t.database, t.name); err != nil {
		return nil, err
	}
	return []sql.Row{t.row("repair", "status", "OK")}, nil
}

// optimizeTable does nothing: the storage engine reclaims space by itself.
func optimizeTable(_ *sql.Context, t target) ([]sql.Row, error) {
	if rows := t.missing("optimize"); rows != nil {
		return rows, nil
	}
	return []sql.Row{
		t.row("optimize", "note", "Space is reclaimed in the background, nothing is left to do"),
		t.row("optimize", "status", "OK"),
	}, nil
}

// checksumTable answers NULL for what is no table, with a warning.
func checksumTable(ctx *sql.Context, t target) ([]sql.Row, error) {
	switch {
	case t.broken != nil:
		ctx.Warn(1030, "%s", t.broken.Error())
		return []sql.Row{{t.label(), nil}}, nil
	case t.view:
		ctx.Warn(1347, "'%s' is not BASE TABLE", t.label())
		return []sql.Row{{t.label(), nil}}, nil
	case t.table == nil:
		ctx.Warn(1146, "Table '%s' doesn't exist", t.label())
		return []sql.Row{{t.label(), nil}}, nil
	}
	sum, err := t.table.Checksum(ctx)
	if err != nil {
		return nil, err
	}
	return []sql.Row{{t.label(), int64(sum)}}, nil
}
