package vtab

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/cockroachdb/apd/v3"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"

	"github.com/freshetdb/freshet/catalog"
)

// Limits round and bound the values of a column as its attributes say. The zero value
// does nothing.
type Limits struct {
	unsigned bool
	// places is the number of decimals of FLOAT(M,D) and DOUBLE(M,D), or of digits of a
	// second; rounds says whether there is such a limit. whole is M - D.
	rounds        bool
	places, whole int
}

func newLimits(typ sql.Type, a catalog.Attributes) Limits {
	l := Limits{unsigned: a.Unsigned}
	switch {
	case types.IsTimespan(typ):
		const most = 6
		l.rounds, l.places = a.Fraction < most, a.Fraction
	case types.IsFloat(typ) && a.Digits > 0:
		l.rounds, l.places, l.whole = true, a.Decimals, a.Digits-a.Decimals
	}
	return l
}

// Apply gives the value that is stored. A value out of range comes back as the closest
// one that is not, with the side that it was on.
func (l Limits) Apply(value any) (any, sql.ConvertInRange, error) {
	switch v := value.(type) {
	case *apd.Decimal:
		if l.unsigned && v.Negative && !v.IsZero() {
			return new(apd.Decimal), sql.Underflow, nil
		}
	case float32:
		f, inRange := l.float(float64(v))
		return float32(f), inRange, nil
	case float64:
		f, inRange := l.float(v)
		return f, inRange, nil
	case types.Timespan:
		if l.rounds {
			return l.time(v)
		}
	}
	return value, sql.InRange, nil
}

func (l Limits) float(f float64) (float64, sql.ConvertInRange) {
	if l.unsigned && f < 0 {
		return 0, sql.Underflow
	}
	if !l.rounds || math.IsNaN(f) || math.IsInf(f, 0) {
		return f, sql.InRange
	}
	largest := math.Pow10(l.whole) - math.Pow10(-l.places)
	rounded := f
	if scale := math.Pow10(l.places); math.Abs(f) < math.MaxFloat64/scale {
		rounded = math.RoundToEven(f*scale) / scale
	}
	switch {
	case rounded > largest:
		return largest, sql.Overflow
	case rounded < -largest:
		return -largest, sql.Underflow
	}
	return rounded, sql.InRange
}

// time rounds half a unit away from zero.
func (l Limits) time(t types.Timespan) (any, sql.ConvertInRange, error) {
	const longest = types.Timespan((838*3600 + 59*60 + 59) * 1_000_000)
	unit := types.Timespan(math.Pow10(6 - l.places))
	half := unit / 2
	if t < 0 {
		half = -half
	}
	rounded := (t + half) / unit * unit
	switch {
	case rounded > longest:
		return longest, sql.Overflow, nil
	case rounded < -longest:
		return -longest, sql.Underflow, nil
	}
	return rounded, sql.InRange, nil
}

// Limits are those of a column.
func (t *Table) Limits(column string) Limits {
	if i, ok := t.shape.column(column); ok {
		return newLimits(t.shape.schema[i].Type, t.shape.desc.Columns[i].Attributes)
	}
	return Limits{}
}

// Limited tells whether some column has limits.
func (t *Table) Limited() bool {
	for i := range t.shape.fits {
		if t.shape.fits[i].limits != (Limits{}) {
			return true
		}
	}
	return false
}

// Attributes are those of a column.
func (t *Table) Attributes(column string) catalog.Attributes {
	if i, ok := t.shape.column(column); ok {
		return t.shape.desc.Columns[i].Attributes
	}
	return catalog.Attributes{}
}

// Shown tells whether values of a column are shown otherwise than its type says.
func (t *Table) Shown(column string) (Display, bool) {
	i, ok := t.shape.column(column)
	if !ok {
		return Display{}, false
	}
	return newDisplay(t.shape.schema[i].Type, t.shape.desc.Columns[i].Attributes)
}

// ShowsOtherwise tells whether Shown is true for some column.
func (t *Table) ShowsOtherwise() bool { return t.shape.displays }

// AttributedType is the text of a type with its attributes, as definitions show it.
func AttributedType(typ sql.Type, text string, a catalog.Attributes) string {
	switch {
	case types.IsTimespan(typ):
		if a.Fraction > 0 {
			return fmt.Sprintf("time(%d)", a.Fraction)
		}
		return "time"
	case types.IsFloat(typ) && a.Digits > 0:
		text += fmt.Sprintf("(%d,%d)", a.Digits, a.Decimals)
	case sql.IsNumberType(typ) && !types.IsDecimal(typ) && a.Zerofill > 0:
		name, rest, _ := strings.Cut(text, " ")
		if types.IsFloat(typ) {
			break
		}
		text = strings.TrimSpace(name + "(" + strconv.Itoa(a.Zerofill) + ") " + rest)
	}
	if a.Unsigned {
		text += " unsigned"
	}
	if a.Zerofill > 0 {
		text += " zerofill"
	}
	return text
}

// Display is how the values of a column are shown where that is not as their type's.
type Display struct {
	// Zerofill is the width to fill up to, Places the decimals of a floating point number or
	// the digits of a second, -1 for those of the type.
	Zerofill, Places int
}

func newDisplay(typ sql.Type, a catalog.Attributes) (Display, bool) {
	d := Display{Zerofill: a.Zerofill, Places: -1}
	switch {
	case types.IsTimespan(typ):
		d.Places = a.Fraction
		return d, a.Fraction > 0
	case types.IsFloat(typ) && a.Digits > 0:
		d.Places = a.Decimals
	}
	return d, d.Zerofill > 0 || d.Places >= 0
}

// Text is a value's text, from that of its type.
func (d Display) Text(typ sql.Type, text string) string {
	if d.Places >= 0 {
		if typ.Type() == sqltypes.Time {
			text = withPlaces(text, d.Places)
		} else if f, err := strconv.ParseFloat(text, 64); err == nil {
			text = strconv.FormatFloat(f, 'f', d.Places, 64)
		}
	}
	if n := d.Zerofill - len(text); n > 0 && !strings.HasPrefix(text, "-") {
		text = strings.Repeat("0", n) + text
	}
	return text
}

// withPlaces cuts or fills the fraction of a second.
func withPlaces(text string, places int) string {
	whole, fraction, _ := strings.Cut(text, ".")
	fraction += strings.Repeat("0", max(0, places-len(fraction)))
	return whole + "." + fraction[:places]
}
