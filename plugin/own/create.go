package own

import (
	"errors"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/freshetdb/freshet/plugin/parser"
	"github.com/freshetdb/freshet/vtab"
)

// alterView replaces a view that exists.
func (s *Statements) alterView(ctx *sql.Context, statement *parser.AlterView) error {
	database, err := s.store(ctx, statement.View)
	if err != nil {
		return err
	}
	_, found, err := database.GetViewDefinition(ctx, statement.View.Name)
	if err != nil {
		return err
	}
	if found {
		return s.run(ctx, statement.Create, statement.CreateText)
	}
	_, found, err = database.GetTableInsensitive(ctx, statement.View.Name)
	if err != nil {
		return err
	}
	if found {
		return errNotView(database.Name(), statement.View.Name)
	}
	return errNoTable(database.Name(), statement.View.Name)
}

// createMissing creates a trigger or procedure unless there is one of that name.
func (s *Statements) createMissing(ctx *sql.Context, statement *parser.CreateMissing) error {
	database, err := s.store(ctx, statement.Object)
	if err != nil {
		return err
	}
	name := statement.Object.Name
	if statement.Procedure {
		if _, found, err := database.GetStoredProcedure(ctx, name); err != nil {
			return err
		} else if found {
			note(ctx, 1304, "PROCEDURE "+name+" already exists")
			return nil
		}
		return s.run(ctx, statement.Create, statement.CreateText)
	}
	triggers, err := database.GetTriggers(ctx)
	if err != nil {
		return err
	}
	for _, t := range triggers {
		if strings.EqualFold(t.Name, name) {
			note(ctx, 1359, "Trigger already exists")
			return nil
		}
	}
	return s.run(ctx, statement.Create, statement.CreateText)
}

// createTableKeys creates a table and then its functional keys, all or nothing.
func (s *Statements) createTableKeys(ctx *sql.Context, statement *parser.CreateTableKeys) error {
	database, err := s.store(ctx, statement.Table)
	if err != nil {
		return err
	}
	name := statement.Table.Name
	if statement.IfNotExists {
		exists, err := taken(ctx, database, name, statement.Temporary)
		if err != nil {
			return err
		}
		if exists {
			return s.run(ctx, statement.Create, statement.String())
		}
	}
	if err := s.run(ctx, statement.Create, statement.String()); err != nil {
		return err
	}
	for _, key := range statement.Keys {
		if err := s.run(ctx, key, ""); err != nil {
			if statement.Temporary {
				// A temporary table is not part of the transaction.
				err = errors.Join(err, database.DropTable(ctx, name))
			}
			return err
		}
	}
	return nil
}

// taken tells whether CREATE TABLE IF NOT EXISTS would leave a table alone. A
// temporary table may hide one of the store.
func taken(ctx *sql.Context, database *vtab.Database, name string, temporary bool) (bool, error) {
	table, found, err := database.GetTableInsensitive(ctx, name)
	if err != nil || !found {
		return false, err
	}
	if !temporary {
		return true, nil
	}
	t, ok := table.(sql.TemporaryTable)
	return ok && t.IsTemporary(), nil
}

// note adds a warning of level Note.
func note(ctx *sql.Context, code int, message string) {
	ctx.Session.Warn(&sql.Warning{Level: "Note", Code: code, Message: message})
}
