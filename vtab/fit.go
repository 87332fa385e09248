package vtab

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"

	"github.com/freshetdb/freshet/catalog"
)

// fit is what a column asks of a value that is stored, beyond what the engine's type
// does.
type fit struct {
	ord int
	// trims: the blanks at the end go. MySQL pads CHARs when it stores, and gives
	// none of the blanks back when it reads (8.0 Reference Manual, 11.3.2).
	trims bool
	// charset has to have every character of the value; 0 where there is none that
	// it lacks.
	charset sql.CharacterSetID
	limits  Limits
}

// newFit returns what a column asks; false if it takes all that its type takes.
func newFit(ord int, typ sql.Type, a catalog.Attributes) (fit, bool) {
	f := fit{ord: ord, trims: typ.Type() == sqltypes.Char, limits: newLimits(typ, a)}
	if text, ok := typ.(sql.StringType); ok && types.IsTextOnly(typ) && !universal(text.CharacterSet()) {
		f.charset = text.CharacterSet()
	}
	return f, f.trims || f.charset != 0 || f.limits != Limits{}
}

// universal tells whether a character set has all characters.
func universal(c sql.CharacterSetID) bool {
	switch c {
	case sql.CharacterSet_utf8mb4, sql.CharacterSet_utf16, sql.CharacterSet_utf32, sql.CharacterSet_binary:
		return true
	}
	return false
}

// fitted is a row as it is stored, or MySQL's error for a value that cannot be.
func (s *shape) fitted(ctx *sql.Context, row sql.Row) (sql.Row, error) {
	copied := false
	for i := range s.fits {
		f := &s.fits[i]
		if row[f.ord] == nil {
			continue
		}
		value, err := sql.UnwrapAny(ctx, row[f.ord])
		if err != nil {
			return nil, err
		}
		fitted, changed, err := f.apply(ctx, value, s.schema[f.ord].Name)
		if err != nil {
			return nil, err
		}
		if !changed {
			continue
		}
		if !copied {
			row, copied = row.Copy(), true
		}
		row[f.ord] = fitted
	}
	return row, nil
}

func (f *fit) apply(ctx *sql.Context, value any, column string) (fitted any, changed bool, err error) {
	if f.limits != (Limits{}) {
		limited, inRange, err := f.limits.Apply(value)
		if err != nil {
			return nil, false, err
		}
		if inRange != sql.InRange {
			if sql.LoadSqlMode(ctx).Strict() {
				return nil, false, errOutOfRange(column)
			}
			ctx.Warn(1264, "Out of range value for column '%s' at row 1", column)
		}
		return limited, true, nil
	}
	text, ok := value.(string)
	if !ok {
		return value, false, nil
	}
	if f.charset != 0 {
		if at := Unrepresentable(f.charset, text); at >= 0 {
			return nil, false, errBadText(text[at:], column)
		}
	}
	if !f.trims || !strings.HasSuffix(text, " ") {
		return value, false, nil
	}
	return strings.TrimRight(text, " "), true, nil
}

// Unrepresentable is where the first character of a text begins that a character set
// does not have; -1 if there is none.
func Unrepresentable(charset sql.CharacterSetID, text string) int {
	if universal(charset) || isASCII(text) {
		return -1
	}
	encoder := charset.Encoder()
	if _, ok := encoder.Encode([]byte(text)); ok {
		return -1
	}
	for at, r := range text {
		if r < utf8.RuneSelf {
			continue
		}
		if _, ok := encoder.Encode([]byte(string(r))); !ok {
			return at
		}
	}
	return -1
}

func isASCII(text string) bool {
	for i := 0; i < len(text); i++ {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// ShownBytes is how MySQL shows the beginning of a text that it cannot take.
func ShownBytes(text string) string {
	const most = 6
	var b strings.Builder
	for i := 0; i < len(text) && i < most; i++ {
		if c := text[i]; c >= ' ' && c < utf8.RuneSelf {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, `\x%02X`, c)
		}
	}
	if len(text) > most {
		b.WriteString("...")
	}
	return b.String()
}
