package own

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/freshetdb/freshet/catalog"
	"github.com/freshetdb/freshet/plugin/parser"
)

// alterProcedure changes the characteristics of a procedure. Its text is rendered
// anew up to the body, which stays as it was written.
func (s *Statements) alterProcedure(ctx *sql.Context, statement *parser.AlterRoutine) error {
	database, err := s.store(ctx, statement.Routine)
	if err != nil {
		return err
	}
	found, ok, err := database.Routine(ctx, catalog.KindProcedure, statement.Routine.Name)
	if err != nil {
		return err
	}
	if !ok {
		return errNoProcedure(database.Name(), statement.Routine.Name)
	}
	text, err := s.withCharacteristics(ctx, found, statement.Characteristics)
	if err != nil {
		return err
	}
	changed := *found
	changed.Statement, changed.Modified = text, ctx.QueryTime()
	return database.ReplaceRoutine(ctx, catalog.KindProcedure, details(&changed))
}

// withCharacteristics is the text of a procedure with some of its characteristics
// replaced.
func (s *Statements) withCharacteristics(ctx *sql.Context, r *catalog.Routine, changes parser.Characteristics) (string, error) {
	options := sql.NewSqlModeFromString(r.SQLMode).ParserOptions()
	split, err := s.parser.SplitProcedure(ctx, parser.PinMode(r.Statement, r.SQLMode), options)
	if err != nil {
		return "", fmt.Errorf("procedure %s: %w", r.Name, err)
	}
	split.Characteristics = merged(split.Characteristics, changes)
	text := split.String()
	if _, _, _, err := s.parser.ParseWithOptions(ctx, parser.PinMode(text, r.SQLMode), ';', false, options); err != nil {
		return "", fmt.Errorf("procedure %s with other characteristics: %w", r.Name, err)
	}
	return parser.UnpinMode(text), nil
}

// merged is c with those of changes that are given.
func merged(c, changes parser.Characteristics) parser.Characteristics {
	if changes.Deterministic != nil {
		c.Deterministic = changes.Deterministic
	}
	if changes.DataAccess != "" {
		c.DataAccess = changes.DataAccess
	}
	if changes.Security != "" {
		c.Security = changes.Security
	}
	if changes.Comment != nil {
		c.Comment = changes.Comment
	}
	if changes.Language != "" {
		c.Language = changes.Language
	}
	return c
}
