package parser

import (
	"strconv"
	"strings"

	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/freshetdb/freshet/catalog"
	"github.com/freshetdb/freshet/vtab"
)

// Limits of MySQL on the declarations of numbers and times.
const (
	floatDigitsMax   = 255
	floatDecimalsMax = 30
	fractionMax      = 6
)

// integerWidths are the widths that ZEROFILL fills up to where none is given: those of the unsigned types.
var integerWidths = map[string]int{"tinyint": 3, "smallint": 5, "mediumint": 8, "int": 10, "integer": 10, "bigint": 20, "float": 12, "double": 22, "real": 22}

// markColumns puts what the engine does not pass on of a column's declaration in its comment, by which alone it gets to
// the table (vtab.MarkColumn). stmt is changed.
func (p *Parser) markColumns(stmt ast.Statement) error {
	var err error
	p.walker.walk(stmt, func(n any) (any, bool) {
		ddl, ok := n.(*ast.DDL)
		if !ok || ddl.TableSpec == nil || err != nil {
			return n, err == nil
		}
		for _, column := range ddl.TableSpec.Columns {
			if err == nil {
				err = p.markColumn(column, ddl.Action != ast.CreateStr || ddl.OptSelect != nil)
			}
		}
		return n, err == nil
	})
	return err
}

func (p *Parser) markColumn(column *ast.ColumnDefinition, always bool) error {
	typ := &column.Type
	attributes, err := attributesOf(column.Name.String(), typ)
	if err != nil {
		return err
	}
	if !p.marks || !always && attributes == (catalog.Attributes{}) {
		return nil
	}
	comment := ""
	if typ.Comment != nil {
		comment = string(typ.Comment.Val)
	}
	marked, err := vtab.MarkColumn(comment, attributes)
	typ.Comment = ast.NewStrVal([]byte(marked))
	return err
}

// attributesOf are a column's attributes. What the engine refuses of them is taken off the type.
func attributesOf(name string, typ *ast.ColumnType) (catalog.Attributes, error) {
	var a catalog.Attributes
	kind := strings.ToLower(typ.Type)
	if bool(typ.Zerofill) {
		typ.Unsigned = true
	}
	switch kind {
	case "time":
		fraction, err := width(typ.Length)
		if err != nil || fraction > fractionMax {
			return a, mysql.NewSQLError(1426, "42000", "Too-big precision %d specified for '%s'. Maximum is %d.", fraction, name, fractionMax)
		}
		a.Fraction, typ.Length = fraction, nil
		return a, nil
	case "tinyint", "smallint", "mediumint", "int", "integer", "bigint":
	case "float", "double", "real", "double precision":
		a.Unsigned = bool(typ.Unsigned)
		if typ.Scale != nil {
			if err := floatDigits(name, typ, &a); err != nil {
				return a, err
			}
		}
	case "decimal", "fixed", "dec", "numeric":
		a.Unsigned = bool(typ.Unsigned)
	default:
		return a, nil
	}
	if !typ.Zerofill {
		return a, nil
	}
	return a, zerofill(kind, typ, &a)
}

// floatDigits reads FLOAT(M,D) and DOUBLE(M,D).
func floatDigits(name string, typ *ast.ColumnType, a *catalog.Attributes) error {
	digits, err := width(typ.Length)
	if err != nil || digits > floatDigitsMax {
		return mysql.NewSQLError(1439, "42000", "Display width out of range for column '%s' (max = %d)", name, floatDigitsMax)
	}
	decimals, err := width(typ.Scale)
	if err != nil || decimals > floatDecimalsMax {
		return mysql.NewSQLError(1425, "42000", "Too big scale %d specified for column '%s'. Maximum is %d.", decimals, name, floatDecimalsMax)
	}
	if digits < decimals {
		return mysql.NewSQLError(1427, "42000", "For float(M,D), double(M,D) or decimal(M,D), M must be >= D (column '%s').", name)
	}
	if digits == 0 {
		return nil // FLOAT(0,0) is a FLOAT
	}
	a.Digits, a.Decimals = digits, decimals
	typ.Length, typ.Scale = nil, nil
	return nil
}

// zerofill finds the width that a number is filled up to.
func zerofill(kind string, typ *ast.ColumnType, a *catalog.Attributes) error {
	switch {
	case a.Digits > 0:
		a.Zerofill = a.Digits
	case kind == "decimal" || kind == "fixed" || kind == "dec" || kind == "numeric":
		precision, err := width(typ.Length)
		if err != nil {
			return err
		}
		scale, err := width(typ.Scale)
		if err != nil {
			return err
		}
		if precision == 0 {
			precision = 10
		}
		a.Zerofill = precision
		if scale > 0 {
			a.Zerofill++ // the point
		}
	default:
		given, err := width(typ.Length)
		if err != nil {
			return err
		}
		if a.Zerofill = given; given == 0 {
			a.Zerofill = integerWidths[strings.TrimSuffix(kind, " precision")]
		}
	}
	return nil
}

func width(n *ast.SQLVal) (int, error) {
	if n == nil {
		return 0, nil
	}
	return strconv.Atoi(string(n.Val))
}
