package own

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/freshetdb/freshet/vtab"
)

// Formatter renders definitions for SHOW CREATE TABLE so that they can be read
// back. The engine's own leaves backslashes and quotes in the members of ENUM and
// SET and in the comments of keys as they are, and shows the numbers of members
// in defaults.
type Formatter struct{ sql.MySqlSchemaFormatter }

var _ sql.SchemaFormatter = (*Formatter)(nil)

// GenerateCreateTableColumnDefinition implements sql.SchemaFormatter.
func (f *Formatter) GenerateCreateTableColumnDefinition(col *sql.Column, colDefault, onUpdate string, tableCollation sql.CollationID) string {
	var members []string
	switch typ := col.Type.(type) {
	case sql.EnumType:
		members = typ.Values()
		colDefault = memberDefault(col, colDefault, func(n uint64) (string, bool) { return typ.At(int(n)) })
	case sql.SetType:
		members = typ.Values()
		colDefault = memberDefault(col, colDefault, func(n uint64) (string, bool) {
			text, err := typ.BitsToString(n)
			return text, err == nil
		})
	default:
		return f.attributed(col, colDefault, onUpdate, tableCollation)
	}
	text := f.MySqlSchemaFormatter.GenerateCreateTableColumnDefinition(col, colDefault, onUpdate, tableCollation)
	plain, quoted := make([]string, len(members)), make([]string, len(members))
	for i, m := range members {
		plain[i] = "'" + strings.ReplaceAll(m, "'", "''") + "'"
		quoted[i] = quoteString(m)
	}
	return strings.Replace(text, "("+strings.Join(plain, ",")+")", "("+strings.Join(quoted, ",")+")", 1)
}

// attributed is a definition with the attributes that the column's comment says.
func (f *Formatter) attributed(col *sql.Column, colDefault, onUpdate string, tableCollation sql.CollationID) string {
	attributes, comment, marked := vtab.ReadColumnMark(col.Comment)
	if !marked {
		return f.MySqlSchemaFormatter.GenerateCreateTableColumnDefinition(col, colDefault, onUpdate, tableCollation)
	}
	plain := *col
	plain.Comment = comment
	text := f.MySqlSchemaFormatter.GenerateCreateTableColumnDefinition(&plain, colDefault, onUpdate, tableCollation)
	name := "  " + f.QuoteIdentifier(col.Name) + " "
	typ := col.Type.String()
	rest, ok := strings.CutPrefix(text, name+typ)
	if !ok {
		return text
	}
	return name + vtab.AttributedType(col.Type, typ, attributes) + rest
}

// memberDefault gives a literal default of ENUM or SET, which is the quoted number
// of the value, as the value's text.
func memberDefault(col *sql.Column, text string, member func(uint64) (string, bool)) string {
	if col.Default == nil || !col.Default.IsLiteral() {
		return text
	}
	n, err := strconv.ParseUint(strings.Trim(text, "'"), 10, 64)
	if err != nil {
		return text
	}
	if m, ok := member(n); ok {
		return quoteString(m)
	}
	return text
}

// GenerateCreateTableIndexDefinition implements sql.SchemaFormatter.
func (f *Formatter) GenerateCreateTableIndexDefinition(isUnique, isSpatial, isFullText, isVector bool, name string, columns []string, comment string) (string, bool) {
	descending, comment := vtab.ReadKeyMark(comment)
	columns = slices.Clone(columns)
	for _, n := range descending {
		if n < len(columns) {
			columns[n] += " DESC"
		}
	}
	text, shown := f.MySqlSchemaFormatter.GenerateCreateTableIndexDefinition(isUnique, isSpatial, isFullText, isVector, name, columns, "")
	if comment != "" {
		text += " COMMENT " + quoteString(comment)
	}
	return text, shown
}

// MarkIndexes makes indexes say in their comments which of their parts are
// descending, for the Formatter.
func MarkIndexes(indexes []sql.Index) []sql.Index {
	marked := make([]sql.Index, len(indexes))
	for i, x := range indexes {
		marked[i] = x
		if store, ok := x.(*vtab.Index); ok {
			marked[i] = markedIndex{store}
		}
	}
	return marked
}

// markedIndex is an index whose comment carries a mark.
type markedIndex struct{ *vtab.Index }

// Comment implements sql.Index.
func (x markedIndex) Comment() string { return vtab.MarkKey(x.Index.Comment(), x.Descending()) }

// quoteString writes a string as SQL does.
func quoteString(s string) string {
	return "'" + sql.EscapeSpecialCharactersInComment(s) + "'"
}
