package parser

import ast "github.com/dolthub/vitess/go/vt/sqlparser"

// qualifyParents gives the parents of foreign keys that are named without a database that of the child, where that is
// named with one: the binder looks for them in the current database.
func (p *Parser) qualifyParents(stmt ast.Statement) {
	p.walker.walk(stmt, func(n any) (any, bool) {
		switch n := n.(type) {
		case *ast.DDL:
			qualifyParentsOf(n, n.Table.DbQualifier)
		case *ast.AlterTable:
			for _, clause := range n.Statements {
				qualifyParentsOf(clause, n.Table.DbQualifier)
			}
		}
		return n, true
	})
}

func qualifyParentsOf(ddl *ast.DDL, database ast.TableIdent) {
	if ddl.TableSpec == nil || database.IsEmpty() {
		return
	}
	qualify := func(key *ast.ForeignKeyDefinition) {
		if key != nil && key.ReferencedTable.DbQualifier.IsEmpty() {
			key.ReferencedTable.DbQualifier = database
		}
	}
	for _, constraint := range ddl.TableSpec.Constraints {
		if key, ok := constraint.Details.(*ast.ForeignKeyDefinition); ok {
			qualify(key)
		}
	}
	for _, column := range ddl.TableSpec.Columns {
		qualify(column.Type.ForeignKeyDef)
	}
}
