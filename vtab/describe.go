package vtab

import (
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/freshetdb/freshet/catalog"
)

// From the engine's schema to descriptors.

// describeSchema fills the columns and the primary key of t. pk gives the parts
// of a separate PRIMARY KEY clause, nil where the columns carry it.
func describeSchema(ctx *sql.Context, t *catalog.Table, schema sql.PrimaryKeySchema, pk []sql.IndexColumn, newID func() catalog.ID) error {
	for _, col := range schema.Schema {
		d, err := describeColumn(ctx, col, nil)
		if err != nil {
			return err
		}
		d.ID = newID()
		t.Columns = append(t.Columns, d)
	}
	if len(pk) > 0 {
		return describePrimary(t, schema.Schema, pk)
	}
	for _, ord := range schema.PkOrdinals {
		t.Columns[ord].Nullable = false
		t.PK = append(t.PK, catalog.Part{Column: t.Columns[ord].ID})
	}
	return nil
}

// describePrimary fills the primary key from a PRIMARY KEY clause.
func describePrimary(t *catalog.Table, schema sql.Schema, pk []sql.IndexColumn) error {
	t.PK = nil
	for _, part := range pk {
		ord := schema.IndexOfColName(part.Name)
		if ord < 0 {
			return sql.ErrKeyColumnDoesNotExist.New(part.Name)
		}
		if part.Length > 0 && types.IsText(schema[ord].Type) {
			return sql.ErrUnsupportedIndexPrefix.New(part.Name)
		}
		t.Columns[ord].Nullable = false
		t.PK = append(t.PK, catalog.Part{Column: t.Columns[ord].ID})
	}
	return nil
}

// describeColumn turns a column into its descriptor, without an id. was is the column
// that it replaces, nil for a new one: a change that does not come from a declaration
// leaves the attributes alone.
func describeColumn(ctx *sql.Context, col *sql.Column, was *catalog.Column) (catalog.Column, error) {
	if !col.HiddenSystem {
		if err := checkIdentifier("column", 1166, col.Name); err != nil {
			return catalog.Column{}, err
		}
	}
	d := catalog.Column{
		Name: col.Name, Type: typeText(col.Type), Nullable: col.Nullable, Virtual: col.Virtual,
		AutoIncrement: col.AutoIncrement, Hidden: col.HiddenSystem,
	}
	var marked bool
	d.Attributes, d.Comment, marked = ReadColumnMark(col.Comment)
	if !marked && was != nil {
		d.Attributes = was.Attributes
	}
	if col.PrimaryKey {
		d.Nullable = false
	}
	var err error
	if d.Default, err = expressionText(ctx, col.Default); err != nil {
		return d, err
	}
	if d.Generated, err = expressionText(ctx, col.Generated); err != nil {
		return d, err
	}
	d.OnUpdate, err = expressionText(ctx, col.OnUpdate)
	return d, err
}

// typeText renders a type so that parseType gives it back whatever the defaults
// of the database are: strings always name their collation.
func typeText(t sql.Type) string {
	switch m := t.(type) {
	case sql.EnumType:
		return "enum" + membersText(m.Values()) + collationText(m.Collation())
	case sql.SetType:
		return "set" + membersText(m.Values()) + collationText(m.Collation())
	}
	if ct, ok := t.(sql.TypeWithCollation); ok {
		return ct.StringWithTableCollation(sql.Collation_binary)
	}
	if st, ok := t.(sql.SpatialColumnType); ok {
		if srid, declared := st.GetSpatialTypeSRID(); declared {
			return fmt.Sprintf("%s SRID %d", t, srid)
		}
	}
	return t.String()
}

// membersText renders the members of an ENUM or SET. GMS's own text leaves
// backslashes as they are, so that they would be read as escapes.
func membersText(members []string) string {
	quote := strings.NewReplacer(`\`, `\\`, `'`, `''`)
	texts := make([]string, len(members))
	for i, m := range members {
		texts[i] = "'" + quote.Replace(m) + "'"
	}
	return "(" + strings.Join(texts, ",") + ")"
}

func collationText(c sql.CollationID) string {
	return " CHARACTER SET " + c.CharacterSet().Name() + " COLLATE " + c.Name()
}

// expressionText renders a default, generated or ON UPDATE expression. Columns
// are named without their table, so that a rename of the table does not matter.
func expressionText(ctx *sql.Context, v *sql.ColumnDefaultValue) (string, error) {
	if v == nil || v.Expr == nil {
		return "", nil
	}
	e, _, err := transform.Expr(ctx, v, func(_ *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		if f, ok := e.(*expression.GetField); ok {
			return f.WithTable("").WithQuotedNames(sql.DefaultMySQLSchemaFormatter, true), transform.NewTree, nil
		}
		return e, transform.SameTree, nil
	})
	if err != nil {
		return "", err
	}
	text := e.String()
	if text == "" {
		return "''", nil
	}
	return text, nil
}

// describeParts turns the parts of an index definition into descriptor parts.
func describeParts(t *catalog.Table, cols []sql.IndexColumn) ([]catalog.Part, error) {
	if len(cols) > maxIndexParts {
		return nil, mysqlError(1070, "42000", "Too many key parts specified; max %d parts allowed", maxIndexParts)
	}
	var parts []catalog.Part
	seen := map[catalog.ID]bool{}
	for _, col := range cols {
		d := findColumn(t, col.Name)
		if d == nil {
			return nil, sql.ErrKeyColumnDoesNotExist.New(col.Name)
		}
		if seen[d.ID] {
			return nil, sql.ErrDuplicateColumn.New(col.Name)
		}
		seen[d.ID] = true
		parts = append(parts, catalog.Part{Column: d.ID, Prefix: int(col.Length)})
	}
	return parts, nil
}

// findColumn returns the column of that name, nil if there is none.
func findColumn(t *catalog.Table, name string) *catalog.Column {
	for i := range t.Columns {
		if strings.EqualFold(t.Columns[i].Name, name) {
			return &t.Columns[i]
		}
	}
	return nil
}

func sameName(a, b string) bool { return strings.EqualFold(a, b) }

// describeIndexType maps the engine's constraint to the descriptor's type.
func describeIndexType(c sql.IndexConstraint) catalog.IndexType {
	switch c {
	case sql.IndexConstraint_Unique:
		return catalog.IndexUnique
	case sql.IndexConstraint_Spatial:
		return catalog.IndexSpatial
	case sql.IndexConstraint_Fulltext:
		return catalog.IndexFullText
	case sql.IndexConstraint_Vector:
		return catalog.IndexVector
	}
	return catalog.IndexPlain
}
