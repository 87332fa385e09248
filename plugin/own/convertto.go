package own

import (
	"github.com/dolthub/go-mysql-server/sql"

	"github.com/freshetdb/freshet/plugin/parser"
	"github.com/freshetdb/freshet/vtab"
)

// convertTable is ALTER TABLE … CONVERT TO CHARACTER SET, with the other clauses of
// the statement after it.
func (s *Statements) convertTable(ctx *sql.Context, statement *parser.AlterTableConvert) error {
	database, err := s.store(ctx, statement.Table)
	if err != nil {
		return err
	}
	table, err := s.baseTable(ctx, database, statement.Table.Name)
	if err != nil {
		return err
	}
	collation, err := convertCollation(ctx, database, statement)
	if err != nil {
		return err
	}
	if err := table.ConvertTo(ctx, collation); err != nil {
		return err
	}
	if statement.Rest == nil {
		return nil
	}
	return s.run(ctx, statement.Rest, statement.String())
}

// convertCollation is the collation that a table is converted to.
func convertCollation(ctx *sql.Context, database *vtab.Database, statement *parser.AlterTableConvert) (sql.CollationID, error) {
	if statement.Charset == "" && statement.Collation == "" {
		return database.GetCollation(ctx), nil
	}
	charset := statement.Charset
	if charset == "" {
		charset = database.GetCollation(ctx).CharacterSet().Name()
	}
	if statement.Collation != "" {
		set, err := sql.ParseCharacterSet(charset)
		if err != nil {
			return 0, err
		}
		collation, err := sql.ParseCollation("", statement.Collation, false)
		if err != nil {
			return 0, err
		}
		if !collation.WorksWithCharacterSet(set) {
			return 0, errCollationMismatch(collation.Name(), set.Name())
		}
		return collation, nil
	}
	return sql.ParseCollation(charset, "", false)
}
