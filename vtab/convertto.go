package vtab

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"

	"github.com/freshetdb/freshet/catalog"
)

// varcharBytesMax is the most that a VARCHAR may take.
const varcharBytesMax = 65_535

// ConvertTo is ALTER TABLE … CONVERT TO CHARACTER SET: every column of text and the
// table's default get the collation, and rows and keys are written anew. A TEXT gets
// the next larger type where it could not hold as many characters. Text that the
// character set does not have is error 1366, equal values of a unique key are 1062;
// nothing is changed then.
func (t *Table) ConvertTo(ctx *sql.Context, collation sql.CollationID) error {
	var converters []converter
	change := func(d *catalog.Table) error {
		d.Collation = collation.Name()
		for i := range d.Columns {
			was, err := parseType(ctx, d.Columns[i].Type)
			if err != nil {
				return err
			}
			next, err := convertedType(was, collation)
			if err != nil {
				return err
			}
			text := typeText(next)
			if text == d.Columns[i].Type {
				continue
			}
			d.Columns[i].Type = text
			converters = append(converters, converter{ord: i, column: d.Columns[i].Name, was: was, next: next})
		}
		return nil
	}
	d, _, err := t.definition(ctx)
	if err != nil {
		return err
	}
	after, err := catalog.Clone(d)
	if err != nil {
		return err
	}
	if err := change(after); err != nil {
		return err
	}
	if len(converters) == 0 {
		return t.ModifyDefaultCollation(ctx, collation)
	}
	if err := t.mayConvert(ctx, converters); err != nil {
		return err
	}
	if err := checkRowLength(after); err != nil {
		return err
	}
	if err := checkKeyLengths(after); err != nil {
		return err
	}
	n := int64(0)
	return t.rewriteRows(ctx, change, func(row sql.Row) (sql.Row, error) {
		n++
		row = row.Copy()
		for i := range converters {
			if err := converters[i].convert(ctx, row, n); err != nil {
				return nil, err
			}
		}
		return row, nil
	})
}

// mayConvert refuses what MySQL refuses: columns of foreign keys, while those are
// checked.
func (t *Table) mayConvert(ctx *sql.Context, converters []converter) error {
	checks, err := ctx.GetSessionVariable(ctx, "foreign_key_checks")
	if err != nil {
		return err
	}
	if on, ok := checks.(int8); !ok || on == 0 {
		return nil
	}
	converts := func(columns []string) (string, bool) {
		for _, name := range columns {
			for i := range converters {
				if sameName(converters[i].column, name) {
					return name, true
				}
			}
		}
		return "", false
	}
	declared, err := t.GetDeclaredForeignKeys(ctx)
	if err != nil {
		return err
	}
	for _, fk := range declared {
		if column, ok := converts(fk.Columns); ok {
			return mysqlError(1832, "HY000", "Cannot change column '%s': used in a foreign key constraint '%s'", column, fk.Name)
		}
	}
	referenced, err := t.GetReferencedForeignKeys(ctx)
	if err != nil {
		return err
	}
	for _, fk := range referenced {
		if column, ok := converts(fk.ParentColumns); ok {
			return mysqlError(1833, "HY000", "Cannot change column '%s': used in a foreign key constraint '%s' of table '%s.%s'", column, fk.Name, fk.Database, fk.Table)
		}
	}
	return nil
}

// convertedType is the type of a column after CONVERT TO.
func convertedType(typ sql.Type, to sql.CollationID) (sql.Type, error) {
	text, ok := typ.(sql.StringType)
	if !ok {
		with, ok := typ.(sql.TypeWithCollation)
		if !ok || types.IsJSON(typ) || with.Collation() == sql.Collation_binary {
			return typ, nil
		}
		return with.WithNewCollation(to)
	}
	if !types.IsTextOnly(typ) {
		return typ, nil
	}
	from, into := text.CharacterSet().MaxLength(), to.CharacterSet().MaxLength()
	switch base := typ.Type(); base {
	case sqltypes.Text:
		length := text.MaxByteLength()
		if into > from {
			length = min(length/from*into, types.LongTextBlobMax)
		}
		return types.CreateString(sqltypes.Text, length, to)
	default:
		length := text.MaxCharacterLength()
		if base == sqltypes.VarChar && length*into > varcharBytesMax {
			return types.CreateString(sqltypes.Text, length*into, to)
		}
		return types.CreateString(base, length, to)
	}
}

// converter gives the values of one column another character set.
type converter struct {
	ord       int
	column    string
	was, next sql.Type
}

// convert changes a row in place; n is its number, for messages.
func (c *converter) convert(ctx *sql.Context, row sql.Row, n int64) error {
	value, err := sql.UnwrapAny(ctx, row[c.ord])
	if err != nil {
		return err
	}
	text, ok := value.(string)
	if !ok {
		return nil // NULL, or a number of ENUM or SET
	}
	next, ok := c.next.(sql.StringType)
	if !ok {
		return nil
	}
	if types.IsTextOnly(next) {
		if at := Unrepresentable(next.CharacterSet(), text); at >= 0 {
			return errBadTextAt(text[at:], c.column, n)
		}
		return nil
	}
	was := c.was.(sql.StringType)
	bytes, ok := was.CharacterSet().Encoder().Encode([]byte(text))
	if !ok {
		return errBadTextAt(text, c.column, n)
	}
	if int64(len(bytes)) > next.MaxByteLength() {
		return mysqlError(1406, "22001", "Data too long for column '%s' at row %d", c.column, n)
	}
	if next.Type() == sqltypes.Binary {
		bytes = append(bytes, make([]byte, next.MaxByteLength()-int64(len(bytes)))...)
	}
	row[c.ord] = bytes
	return nil
}
