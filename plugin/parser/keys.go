package parser

import (
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// CreateTableKeys is a CREATE TABLE with functional key parts. The engine can add such keys to a table that exists,
// but not create them with it. Whoever runs this binds and runs Create and then each of Keys, in one transaction: all
// or nothing. If Create finds the table there and IF NOT EXISTS was given, the keys are not added.
type CreateTableKeys struct {
	Table       Name
	Temporary   bool
	IfNotExists bool
	// Create is the *ast.DDL without these keys; Keys are *ast.AlterTable that add one key each, in order. All are
	// shared and must not be changed.
	Create ast.Statement
	Keys   []ast.Statement
}

func (*CreateTableKeys) isStatement() {}

func (s *CreateTableKeys) String() string { return ast.String(s.Create) }

// functionalKeys takes keys with functional parts out of CREATE TABLE statements.
func (p *Parser) functionalKeys(stmt ast.Statement) ast.Statement {
	return p.walker.walk(stmt, func(n any) (any, bool) {
		if ddl, ok := n.(*ast.DDL); ok && ddl.Action == ast.CreateStr && ddl.TableSpec != nil {
			if s := splitFunctionalKeys(ddl); s != nil {
				return p.inject(s, authNone), false // each part brings its own
			}
		}
		return n, true
	})
}

func splitFunctionalKeys(ddl *ast.DDL) *CreateTableKeys {
	var plain, functional []*ast.IndexDefinition
	for _, d := range ddl.TableSpec.Indexes {
		if isFunctional(d.Fields) && !d.Info.Primary {
			functional = append(functional, d)
		} else {
			plain = append(plain, d)
		}
	}
	if len(functional) == 0 {
		return nil
	}
	ddl.TableSpec.Indexes = plain
	s := &CreateTableKeys{
		Table:       Name{ddl.Table.DbQualifier.String(), ddl.Table.Name.String()},
		Temporary:   ddl.Temporary,
		IfNotExists: ddl.IfNotExists,
		Create:      ddl,
	}
	for _, d := range functional {
		s.Keys = append(s.Keys, addKey(ddl.Table, d))
	}
	return s
}

func isFunctional(fields []*ast.IndexField) bool {
	for _, f := range fields {
		if f.Expression != nil {
			return true
		}
	}
	return false
}

// addKey is the tree of ALTER TABLE t ADD KEY …, as the base grammar makes it.
func addKey(table ast.TableName, d *ast.IndexDefinition) ast.Statement {
	kind := ""
	switch {
	case d.Info.Unique:
		kind = ast.UniqueStr
	case d.Info.Fulltext:
		kind = ast.FulltextStr
	case d.Info.Spatial:
		kind = ast.SpatialStr
	case d.Info.Vector:
		kind = ast.VectorStr
	}
	return &ast.AlterTable{
		Table: table,
		Auth:  authNone,
		Statements: []*ast.DDL{{
			Action: ast.AlterStr,
			Table:  table,
			IndexSpec: &ast.IndexSpec{
				Action: ast.CreateStr, ToName: d.Info.Name, Type: kind, Fields: d.Fields, Options: d.Options,
			},
			Auth: authOnTables(ast.AuthType_INDEX, []Name{{table.DbQualifier.String(), table.Name.String()}}),
		}},
	}
}

// KeyAttributes is what a definition says about a key that the engine does not pass on to the table.
type KeyAttributes struct {
	Table Name
	// Key is empty where the definition gives no name; PRIMARY for the primary key.
	Key string
	// Parts are the columns in order, empty for functional parts; Desc runs parallel to it.
	Parts []string
	Desc  []bool
	// Invisible keys are kept but not used by the planner.
	Invisible bool
}

// KeyOrders returns the keys that stmt (CREATE TABLE, ALTER TABLE, CREATE INDEX, or a statement of ours that holds
// those) defines with a descending part, or as INVISIBLE. A key that is not listed is ascending and visible.
func KeyOrders(stmt ast.Statement) []KeyAttributes {
	var out []KeyAttributes
	add := func(table ast.TableName, name string, fields []*ast.IndexField, options []*ast.IndexOption) {
		k := KeyAttributes{Table: Name{table.DbQualifier.String(), table.Name.String()}, Key: name}
		listed := false
		for _, f := range fields {
			desc := strings.EqualFold(f.Order, ast.DescScr)
			k.Parts = append(k.Parts, f.Column.String())
			k.Desc = append(k.Desc, desc)
			listed = listed || desc
		}
		for _, o := range options {
			k.Invisible = k.Invisible || strings.EqualFold(o.Name, "invisible")
		}
		if listed || k.Invisible {
			out = append(out, k)
		}
	}
	var visit func(s ast.Statement)
	visit = func(s ast.Statement) {
		switch s := s.(type) {
		case *ast.AlterTable:
			for _, d := range s.Statements {
				if d.Table.IsEmpty() {
					c := *d
					c.Table = s.Table
					d = &c
				}
				visit(d)
			}
		case *ast.DDL:
			if s.TableSpec != nil {
				for _, d := range s.TableSpec.Indexes {
					name := d.Info.Name.String()
					if d.Info.Primary {
						name = "PRIMARY"
					}
					add(s.Table, name, d.Fields, d.Options)
				}
			}
			if s.IndexSpec != nil && s.IndexSpec.Action == ast.CreateStr {
				name := s.IndexSpec.ToName.String()
				if s.IndexSpec.Type == ast.PrimaryStr {
					name = "PRIMARY"
				}
				add(s.Table, name, s.IndexSpec.Fields, s.IndexSpec.Options)
			}
		case ast.InjectedStatement:
			if k, ok := StatementOf(s).(*CreateTableKeys); ok {
				visit(k.Create)
				for _, a := range k.Keys {
					visit(a)
				}
			}
		}
	}
	visit(stmt)
	return out
}
