package parser

import (
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// primaryOption is KeyOpt of a column declared PRIMARY KEY; the base grammar does not export its name.
const primaryOption = ast.ColumnKeyOption(1)

// checkDefinition refuses a CREATE TABLE as MySQL does before it looks at anything else: two primary keys, two keys of
// one name, and a CHECK of a column that the table does not have.
func (p *Parser) checkDefinition(ddl *ast.DDL) error {
	spec := ddl.TableSpec
	if ddl.Action != ast.CreateStr || spec == nil {
		return nil
	}
	columns, primaries := map[string]bool{}, 0
	for _, c := range spec.Columns {
		columns[c.Name.Lowered()] = true
		if c.Type.KeyOpt == primaryOption {
			primaries++
		}
	}
	keys := map[string]bool{}
	for _, index := range spec.Indexes {
		name := index.Info.Name.Lowered()
		switch {
		case index.Info.Primary:
			primaries++
		case name != "" && keys[name]:
			return mysql.NewSQLError(erDuplicateKeyName, "42000", "Duplicate key name '%s'", index.Info.Name.String())
		}
		keys[name] = true
	}
	if primaries > 1 {
		return mysql.NewSQLError(erMultiplePrimaryKeys, "42000", "Multiple primary key defined")
	}
	if ddl.OptSelect != nil || ddl.OptLike != nil {
		return nil
	}
	return p.checkConstraints(ddl.Table.Name.String(), spec.Constraints, columns)
}

func (p *Parser) checkConstraints(table string, constraints []*ast.ConstraintDefinition, columns map[string]bool) error {
	var err error
	unnamed := 0
	for _, constraint := range constraints {
		check, ok := constraint.Details.(*ast.CheckConstraintDefinition)
		if !ok {
			continue
		}
		name := constraint.Name
		if name == "" {
			unnamed++
			name = table + "_chk_" + itoa(unnamed)
		}
		look := func(n any) (any, bool) {
			if c, ok := n.(*ast.ColName); ok && err == nil && !columns[c.Name.Lowered()] {
				err = mysql.NewSQLError(erCheckUnknownColumn, "HY000", "Check constraint '%s' refers to non-existing column '%s'.", name, c.Name.String())
			}
			return n, err == nil
		}
		look(check.Expr)
		p.walker.walkIn(check.Expr, look)
		if err != nil {
			return err
		}
	}
	return nil
}

// refuseAggregates answers as MySQL does for an aggregate in WHERE: the engine would apply it to the whole result. In a
// subquery it may belong to the query around it.
func (p *Parser) refuseAggregates(stmt ast.Statement) error {
	var where []*ast.Where
	switch s := stmt.(type) {
	case *ast.Select:
		where = append(where, s.Where)
	case *ast.Insert:
		if rows, ok := s.Rows.(*ast.Select); ok {
			where = append(where, rows.Where)
		}
	case *ast.Update:
		where = append(where, s.Where)
	case *ast.Delete:
		where = append(where, s.Where)
	}
	for _, w := range where {
		if w != nil && p.hasAggregate(w.Expr) {
			return mysql.NewSQLError(erGroupFunction, "HY000", "Invalid use of group function")
		}
	}
	return nil
}
