package parser

import (
	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// CreateTableLike is CREATE TABLE t LIKE s. The engine's own copy of a definition loses the comment, functional keys,
// and of other keys the lengths and directions of their parts.
type CreateTableLike struct {
	Table       Name
	Source      Name
	Temporary   bool
	IfNotExists bool
	// Create is the statement's *ast.DDL, for tables that are not the store's. It is shared and must not be changed.
	Create ast.Statement
}

func (*CreateTableLike) isStatement() {}

func (s *CreateTableLike) String() string { return ast.String(s.Create) }

// createsLike takes over CREATE TABLE … LIKE with one table and nothing else.
func (p *Parser) createsLike(stmt ast.Statement) ast.Statement {
	return p.walker.walk(stmt, func(n any) (any, bool) {
		ddl, ok := n.(*ast.DDL)
		if !ok || ddl.Action != ast.CreateStr || ddl.OptLike == nil || ddl.TableSpec != nil || len(ddl.OptLike.LikeTables) != 1 {
			return n, true
		}
		source := ddl.OptLike.LikeTables[0]
		return p.inject(&CreateTableLike{
			Table:       Name{ddl.Table.DbQualifier.String(), ddl.Table.Name.String()},
			Source:      Name{source.DbQualifier.String(), source.Name.String()},
			Temporary:   ddl.Temporary,
			IfNotExists: ddl.IfNotExists,
			Create:      ddl,
		}, ddl.Auth), false
	})
}
