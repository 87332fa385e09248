package parser

import ast "github.com/dolthub/vitess/go/vt/sqlparser"

// checksOfNewColumns gives ADD CHECK clauses of an ALTER TABLE to the clause that adds a column they name, as if they
// stood in the column's definition. The engine binds each clause to the table as it was before the statement.
func checksOfNewColumns(stmt ast.Statement) {
	alter, ok := stmt.(*ast.AlterTable)
	if !ok {
		return
	}
	kept := alter.Statements[:0]
	for i, clause := range alter.Statements {
		if check := addedCheck(clause); check == nil || !giveCheck(alter.Statements[:i], check) {
			kept = append(kept, clause)
		}
	}
	alter.Statements = kept
}

// addedCheck is the condition of an ADD CHECK clause, nil for other clauses.
func addedCheck(clause *ast.DDL) *ast.ConstraintDefinition {
	if clause.ConstraintAction != ast.AddStr || clause.ColumnAction != "" || clause.TableSpec == nil || len(clause.TableSpec.Constraints) != 1 {
		return nil
	}
	c := clause.TableSpec.Constraints[0]
	if _, ok := c.Details.(*ast.CheckConstraintDefinition); !ok {
		return nil
	}
	return c
}

// giveCheck moves a condition to the last of the clauses that adds a column it names and has no condition yet.
func giveCheck(clauses []*ast.DDL, check *ast.ConstraintDefinition) bool {
	for i := len(clauses) - 1; i >= 0; i-- {
		c := clauses[i]
		if c.ColumnAction != ast.AddStr || c.ConstraintAction != "" || c.TableSpec == nil || len(c.TableSpec.Columns) != 1 || len(c.TableSpec.Constraints) > 0 {
			continue
		}
		if namesColumn(check.Details.(*ast.CheckConstraintDefinition).Expr, c.TableSpec.Columns[0].Name) {
			c.ConstraintAction, c.TableSpec.Constraints = ast.AddStr, []*ast.ConstraintDefinition{check}
			return true
		}
	}
	return false
}

func namesColumn(e ast.Expr, name ast.ColIdent) (found bool) {
	err := ast.Walk(func(n ast.SQLNode) (bool, error) {
		if column, ok := n.(*ast.ColName); ok && column.Name.Equal(name) {
			found = true
		}
		return !found, nil
	}, e)
	return found && err == nil
}
