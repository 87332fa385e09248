package own

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"

	"github.com/freshetdb/freshet/plugin/parser"
	"github.com/freshetdb/freshet/vtab"
)

// createTableLike makes an empty table with the definition of another one.
func (s *Statements) createTableLike(ctx *sql.Context, statement *parser.CreateTableLike) error {
	target, err := s.store(ctx, statement.Table)
	if err != nil {
		return err
	}
	sourceDatabase, err := databaseOf(ctx, statement.Source)
	if err != nil {
		return err
	}
	found, err := s.databases.Database(ctx, sourceDatabase)
	if err != nil {
		return err
	}
	source, ok := found.(*vtab.Database)
	if !ok {
		return s.run(ctx, statement.Create, statement.String())
	}
	table, err := s.likeSource(ctx, source, statement.Source.Name)
	if err != nil {
		return err
	}
	name := statement.Table.Name
	if !statement.Temporary && strings.EqualFold(name, statement.Source.Name) && strings.EqualFold(target.Name(), source.Name()) {
		return errNotUnique(name)
	}
	err = target.CreateTableLike(ctx, name, table, statement.Temporary)
	if statement.IfNotExists && sql.ErrTableAlreadyExists.Is(err) {
		note(ctx, 1050, "Table '"+name+"' already exists")
		return nil
	}
	return err
}

// likeSource is the table to copy, if it is one and the session may read it.
func (s *Statements) likeSource(ctx *sql.Context, database *vtab.Database, name string) (*vtab.Table, error) {
	table, err := s.baseTable(ctx, database, name)
	if err != nil || table.IsTemporary() {
		return table, err
	}
	return table, s.mayRead(ctx, database.Name(), table.Name())
}

// baseTable is the table of a name. A view of the name is error 1347.
func (s *Statements) baseTable(ctx *sql.Context, database *vtab.Database, name string) (*vtab.Table, error) {
	found, ok, err := database.GetTableInsensitive(ctx, name)
	if err != nil {
		return nil, err
	}
	if table, isStore := found.(*vtab.Table); ok && isStore {
		return table, nil
	}
	if _, isView, err := database.GetViewDefinition(ctx, name); err != nil || isView {
		if err != nil {
			return nil, err
		}
		return nil, errNotBaseTable(database.Name(), name)
	}
	return nil, errNoTable(database.Name(), name)
}

// mayRead checks the right to select from a table.
func (s *Statements) mayRead(ctx *sql.Context, database, table string) error {
	a := s.analyzer.Load()
	if a == nil {
		return errNotAttached
	}
	accounts := a.Catalog.MySQLDb
	subject := sql.PrivilegeCheckSubject{Database: database, Table: table}
	if !accounts.Enabled() || accounts.UserHasPrivileges(ctx, sql.NewPrivilegedOperation(subject, sql.PrivilegeType_Select)) {
		return nil
	}
	user := mysql_db.User{User: ctx.Session.Client().User, Host: ctx.Session.Client().Address}
	return sql.ErrTableAccessDeniedForUser.New(user.UserHostToString("'"), table)
}
