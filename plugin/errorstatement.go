package plugin

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// Numbers of errors that mean something else in some statements.
const (
	codeUnknownTable  = 1051 // what is to be dropped
	codeNoSuchColumn  = 1054
	codeNoSuchTable   = 1146
	codeNoReferenced  = 1824 // the table that a foreign key references
	codeCheckNoColumn = 3820
)

// inStatement gives an error the number that it has in its statement: the engine
// has one kind of error for a table, or a column, that is missing anywhere.
func (h *handler) inStatement(ctx *sql.Context, err *mysql.SQLError) *mysql.SQLError {
	if err.Num != codeNoSuchTable && err.Num != codeNoSuchColumn {
		return err
	}
	switch firstToken(ctx.Query()) {
	case sqlparser.DROP:
		if err.Num == codeNoSuchTable {
			return mysql.NewSQLError(codeUnknownTable, "42S02", "%s", err.Message)
		}
		return err
	case sqlparser.CREATE, sqlparser.ALTER:
	default:
		return err
	}
	statement, _, _, parseErr := h.engine.Parser.Parse(ctx, ctx.Query(), true)
	if parseErr != nil {
		return err // the error is what matters, not why it can't be told better
	}
	for _, constraint := range constraintsOf(statement) {
		switch details := constraint.Details.(type) {
		case *sqlparser.ForeignKeyDefinition:
			if err.Num == codeNoSuchTable && namesLast(err.Message, details.ReferencedTable.Name.String()) {
				return mysql.NewSQLError(codeNoReferenced, "HY000", "Failed to open the referenced table '%s'", details.ReferencedTable.Name.String())
			}
		case *sqlparser.CheckConstraintDefinition:
			if name := namedColumn(details.Expr, err.Message); err.Num == codeNoSuchColumn && name != "" {
				return mysql.NewSQLError(codeCheckNoColumn, "HY000", "Check constraint '%s' refers to non-existing column '%s'.", constraint.Name, name)
			}
		}
	}
	return err
}

// constraintsOf are the constraints that a CREATE or ALTER TABLE adds.
func constraintsOf(statement sqlparser.Statement) []*sqlparser.ConstraintDefinition {
	var found []*sqlparser.ConstraintDefinition
	add := func(ddl *sqlparser.DDL) {
		if ddl.TableSpec != nil {
			found = append(found, ddl.TableSpec.Constraints...)
		}
	}
	switch s := statement.(type) {
	case *sqlparser.DDL:
		add(s)
	case *sqlparser.AlterTable:
		for _, clause := range s.Statements {
			add(clause)
		}
	}
	return found
}

// namesLast says whether a message ends in a name, perhaps in quotes.
func namesLast(message, name string) bool {
	return strings.HasSuffix(strings.ToLower(strings.Trim(message, "'\"`")), strings.ToLower(name))
}

// namedColumn is the column of an expression that a message has in quotes.
func namedColumn(e sqlparser.Expr, message string) string {
	name := ""
	// The walk has no errors of its own.
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		if c, ok := n.(*sqlparser.ColName); ok && strings.Contains(strings.ToLower(message), `"`+c.Name.Lowered()+`"`) {
			name = c.Name.String()
		}
		return true, nil
	}, e)
	return name
}
