package plugin

import (
	"encoding/hex"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// bindingExpressions turns the values of a prepared statement into literals. Kinds
// are the types the client gave them, in order: the wire library keeps the text of
// a value only.
func bindingExpressions(bindings map[string]*querypb.BindVariable, kinds []int32) (map[string]sqlparser.Expr, error) {
	if len(bindings) == 0 {
		return nil, nil
	}
	exprs := make(map[string]sqlparser.Expr, len(bindings))
	for name, b := range bindings {
		value, err := sqltypes.BindVariableToValue(b)
		if err != nil {
			return nil, err
		}
		if exprs[name], err = sqlparser.ExprFromValue(value); err != nil {
			return nil, err
		}
	}
	for i, kind := range kinds {
		name := fmt.Sprintf("v%d", i+1)
		if text, ok := exprs[name].(*sqlparser.SQLVal); ok && text.Type == sqlparser.StrVal {
			exprs[name] = typedText(querypb.Type(kind), text)
		}
	}
	return exprs, nil
}

// typedText is a value that arrived as text, by the type that the client gave it.
func typedText(kind querypb.Type, value *sqlparser.SQLVal) *sqlparser.SQLVal {
	text := string(value.Val)
	switch kind {
	case sqltypes.Timestamp, sqltypes.Date, sqltypes.Datetime, sqltypes.Time:
		if text == " " {
			text = "0000-00-00 00:00:00" // a date of no bytes
		}
		return sqlparser.NewStrVal([]byte(paddedMicros(text)))
	case sqltypes.Decimal:
		if isDecimalText(text) {
			if !strings.Contains(text, ".") {
				text += "."
			}
			return sqlparser.NewFloatVal([]byte(text))
		}
	default:
		if !utf8.ValidString(text) {
			// Only a binary literal may have such bytes.
			return sqlparser.NewHexVal([]byte(hex.EncodeToString(value.Val)))
		}
	}
	return value
}

// paddedMicros gives a time that the wire library has printed its six digits behind
// the point: it writes 5000 microseconds as .5000.
func paddedMicros(text string) string {
	point := strings.IndexByte(text, '.')
	if point < 0 || len(text)-point-1 >= 6 {
		return text
	}
	return text[:point+1] + strings.Repeat("0", 6-(len(text)-point-1)) + text[point+1:]
}

// isDecimalText tells whether text is digits, perhaps with a sign and a point.
func isDecimalText(text string) bool {
	text = strings.TrimPrefix(text, "-")
	whole, fraction, _ := strings.Cut(text, ".")
	return whole+fraction != "" && strings.Trim(whole+fraction, "0123456789") == ""
}

// countParameters corrects what the wire library counted: it takes a string that
// begins with ":v" for a parameter.
func countParameters(p *mysql.PrepareData, statement sqlparser.Statement) error {
	if !strings.Contains(p.PrepareStmt, "':v") && !strings.Contains(p.PrepareStmt, "\":v") {
		return nil
	}
	names := map[string]bool{}
	err := sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		if v, ok := n.(*sqlparser.SQLVal); ok && v.Type == sqlparser.ValArg {
			names[string(v.Val)] = true
		}
		return true, nil
	}, statement)
	if err != nil || len(names) >= int(p.ParamsCount) {
		return err
	}
	p.ParamsCount = uint16(len(names))
	p.ParamsType = p.ParamsType[:len(names)]
	return nil
}
