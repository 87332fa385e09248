package routine

import (
	"fmt"
	"sort"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"

	"github.com/freshetdb/freshet/catalog"
	"github.com/freshetdb/freshet/plugin/parser"
)

// Statement is the node of a statement about stored functions. IsDDL says whether
// it commits the session's open transaction first and its own change at its end,
// which is the executor's task.
type Statement struct {
	functions *Functions
	statement parser.Statement
	schema    sql.Schema
	run       func(*Statement, *sql.Context) ([]sql.Row, error)
	ddl       bool
}

var _ sql.ExecSourceRel = (*Statement)(nil)

// Resolve gives the node of a statement about stored functions, false for all
// other statements.
func (f *Functions) Resolve(statement parser.Statement) (*Statement, bool) {
	s := &Statement{functions: f, statement: statement, schema: types.OkResultSchema}
	switch statement := statement.(type) {
	case *parser.CreateFunction:
		s.run, s.ddl = (*Statement).create, true
	case *parser.DropFunction:
		s.run, s.ddl = (*Statement).drop, true
	case *parser.AlterRoutine:
		if !statement.Function {
			return nil, false
		}
		s.run, s.ddl = (*Statement).alter, true
	case *parser.ShowCreateFunction:
		s.run, s.schema = (*Statement).showCreate, columns("Function", "sql_mode", "Create Function",
			"character_set_client", "collation_connection", "Database Collation")
	case *parser.ShowFunctionStatus:
		s.run, s.schema = (*Statement).showStatus, statusColumns()
	default:
		return nil, false
	}
	return s, true
}

func columns(names ...string) sql.Schema {
	schema := make(sql.Schema, len(names))
	for i, name := range names {
		schema[i] = &sql.Column{Name: name, Type: types.LongText, Nullable: true}
	}
	return schema
}

func statusColumns() sql.Schema {
	schema := columns("Db", "Name", "Type", "Definer", "Modified", "Created", "Security_type", "Comment",
		"character_set_client", "collation_connection", "Database Collation")
	for _, column := range schema[:2] {
		column.Type = types.MustCreateString(sqltypes.VarChar, 64, sql.Collation_utf8mb4_0900_ai_ci)
	}
	schema[4].Type, schema[5].Type = types.Datetime, types.Datetime
	return schema
}

// IsDDL says whether the statement changes a definition.
func (s *Statement) IsDDL() bool { return s.ddl }

// RowIter implements sql.ExecSourceRel. The statement runs here, not at Next.
func (s *Statement) RowIter(ctx *sql.Context, _ sql.Row) (sql.RowIter, error) {
	rows, err := s.run(s, ctx)
	if err != nil {
		return nil, err
	}
	return sql.RowsToRowIter(rows...), nil
}

// Resolved implements sql.Node.
func (s *Statement) Resolved() bool { return true }

// String implements sql.Node.
func (s *Statement) String() string { return s.statement.String() }

// Schema implements sql.Node.
func (s *Statement) Schema(*sql.Context) sql.Schema { return s.schema }

// Children implements sql.Node.
func (s *Statement) Children() []sql.Node { return nil }

// WithChildren implements sql.Node.
func (s *Statement) WithChildren(_ *sql.Context, children ...sql.Node) (sql.Node, error) {
	return plan.NillaryWithChildren(s, children...)
}

// IsReadOnly implements sql.Node.
func (s *Statement) IsReadOnly() bool { return !s.ddl }

// CollationCoercibility implements sql.CollationCoercible.
func (s *Statement) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 7
}

func done() []sql.Row { return []sql.Row{{types.NewOkResult(0)}} }

// find is the function of that name, and its database.
func (s *Statement) find(ctx *sql.Context, name parser.Name) (string, *catalog.Routine, error) {
	database, err := databaseOf(ctx, name)
	if err != nil {
		return "", nil, err
	}
	found, err := s.functions.definitions.Lookup(ctx, database, name.Name)
	return database, found, err
}

func databaseOf(ctx *sql.Context, name parser.Name) (string, error) {
	if name.Database != "" {
		return name.Database, nil
	}
	if current := ctx.GetCurrentDatabase(); current != "" {
		return current, nil
	}
	return "", errNoDatabase()
}

func (s *Statement) create(ctx *sql.Context) ([]sql.Row, error) {
	statement := s.statement.(*parser.CreateFunction)
	database, found, err := s.find(ctx, statement.Function)
	if err != nil {
		return nil, err
	}
	if a := s.functions.analyzer.Load(); a != nil && !a.Catalog.HasDatabase(ctx, database) {
		return nil, sql.ErrDatabaseNotFound.New(database)
	}
	if found != nil {
		if !statement.IfNotExists {
			return nil, errExists(statement.Function.Name)
		}
		ctx.Warn(1304, "FUNCTION %s already exists", statement.Function.Name)
		return done(), nil
	}
	if a := s.functions.analyzer.Load(); a != nil && statement.Definer != nil {
		if err := MayDefineAs(ctx, a.Catalog.MySQLDb, *statement.Definer); err != nil {
			return nil, err
		}
	}
	now := ctx.QueryTime()
	definition := &catalog.Routine{
		Header:    catalog.Header{Kind: catalog.KindFunction, Name: statement.Function.Name},
		Statement: Render(statement, definerOf(ctx, statement)),
		SQLMode:   sql.LoadSqlMode(ctx).String(),
		Created:   now, Modified: now,
	}
	if err := s.check(ctx, database, definition); err != nil {
		return nil, err
	}
	return done(), s.functions.definitions.Create(ctx, database, definition)
}

// check compiles the function as it will be stored, for what its body may not do.
// Tables and columns are looked for only when the function runs, as in MySQL.
func (s *Statement) check(ctx *sql.Context, database string, definition *catalog.Routine) error {
	parsed, err := s.functions.parse(ctx, definition)
	if err != nil {
		return err
	}
	_, err = compile(parsed, database, binding{}, s.functions.native)
	return err
}

func (s *Statement) drop(ctx *sql.Context) ([]sql.Row, error) {
	statement := s.statement.(*parser.DropFunction)
	database, found, err := s.find(ctx, statement.Function)
	if err != nil {
		return nil, err
	}
	if found == nil {
		if !statement.IfExists {
			return nil, errNoFunction(database, statement.Function.Name)
		}
		ctx.Warn(1305, "FUNCTION %s.%s does not exist", database, statement.Function.Name)
		return done(), nil
	}
	return done(), s.functions.definitions.Drop(ctx, database, found.Name)
}

func (s *Statement) alter(ctx *sql.Context) ([]sql.Row, error) {
	statement := s.statement.(*parser.AlterRoutine)
	database, found, err := s.find(ctx, statement.Routine)
	if err != nil {
		return nil, err
	}
	if found == nil {
		return nil, errNoFunction(database, statement.Routine.Name)
	}
	parsed, err := s.functions.parse(ctx, found)
	if err != nil {
		return nil, err
	}
	parsed.Characteristics = withCharacteristics(parsed.Characteristics, statement.Characteristics)
	changed := *found
	changed.Statement = Render(parsed, definerOf(ctx, parsed))
	changed.Modified = ctx.QueryTime()
	return done(), s.functions.definitions.Replace(ctx, database, &changed)
}

// settings are character_set_client, collation_connection and the collation of the
// database, as SHOW has them.
func (s *Statement) settings(ctx *sql.Context, database string) ([3]string, error) {
	var all [3]string
	for i, name := range []string{"character_set_client", "collation_connection"} {
		value, err := ctx.GetSessionVariable(ctx, name)
		if err != nil {
			return all, err
		}
		all[i] = fmt.Sprint(value)
	}
	all[2] = sql.Collation_Default.Name()
	a := s.functions.analyzer.Load()
	if a == nil {
		return all, nil
	}
	found, err := a.Catalog.Database(ctx, database)
	if err != nil {
		return all, err
	}
	if collated, ok := found.(sql.CollatedDatabase); ok {
		all[2] = collated.GetCollation(ctx).Name()
	}
	return all, nil
}

func (s *Statement) showCreate(ctx *sql.Context) ([]sql.Row, error) {
	statement := s.statement.(*parser.ShowCreateFunction)
	database, found, err := s.find(ctx, statement.Function)
	if err != nil {
		return nil, err
	}
	if found == nil {
		return nil, errNoFunction(database, statement.Function.Name)
	}
	settings, err := s.settings(ctx, database)
	if err != nil {
		return nil, err
	}
	return []sql.Row{{found.Name, found.SQLMode, found.Statement, settings[0], settings[1], settings[2]}}, nil
}

func (s *Statement) showStatus(ctx *sql.Context) ([]sql.Row, error) {
	statement := s.statement.(*parser.ShowFunctionStatus)
	a := s.functions.analyzer.Load()
	if a == nil {
		return nil, nil
	}
	var rows []sql.Row
	for _, database := range a.Catalog.AllDatabases(ctx) {
		found, err := s.functions.definitions.List(ctx, database.Name())
		if err != nil {
			return nil, err
		}
		for _, r := range found {
			row, err := s.statusRow(ctx, database.Name(), r)
			if err != nil {
				return nil, err
			}
			rows = append(rows, row)
		}
	}
	sort.SliceStable(rows, func(i, j int) bool {
		if rows[i][0] != rows[j][0] {
			return rows[i][0].(string) < rows[j][0].(string)
		}
		return rows[i][1].(string) < rows[j][1].(string)
	})
	return s.filterStatus(ctx, a, statement, rows)
}

func (s *Statement) statusRow(ctx *sql.Context, database string, r *catalog.Routine) (sql.Row, error) {
	parsed, err := s.functions.parse(ctx, r)
	if err != nil {
		return nil, err
	}
	settings, err := s.settings(ctx, database)
	if err != nil {
		return nil, err
	}
	security := parsed.Characteristics.Security
	if security == "" {
		security = "DEFINER"
	}
	comment := ""
	if parsed.Characteristics.Comment != nil {
		comment = *parsed.Characteristics.Comment
	}
	definer := definerOf(ctx, parsed)
	return sql.Row{database, r.Name, "FUNCTION", definer.User + "@" + definer.Host, r.Modified, r.Created,
		strings.ToUpper(security), comment, settings[0], settings[1], settings[2]}, nil
}
