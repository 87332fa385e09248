package correct

import (
	"cmp"

	"github.com/cockroachdb/apd/v3"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/freshetdb/freshet/vtab/enc"
)

// comparator orders values of two types as MySQL does (8.0 Reference Manual, 12.3,
// "Type Conversion in Expression Evaluation"). It has no state that changes and
// may be used by any number of goroutines.
type comparator struct {
	left, right sql.Type
	how         comparisonKind
	text        sql.Type     // of comparisonText: with the collation that wins
	parts       []comparator // of comparisonTuple
}

// comparisonKind says as what two values are compared.
type comparisonKind uint8

const (
	comparisonEngine comparisonKind = iota // as the engine does
	comparisonSame                         // by the type of both
	comparisonNumber
	comparisonText
	comparisonDate
	comparisonTuple
)

// sharedCollation is the one that two operands are compared by.
func sharedCollation(ctx *sql.Context, left, right sql.Expression) sql.CollationID {
	leftCollation, leftStrength := sql.GetCoercibility(ctx, left)
	rightCollation, rightStrength := sql.GetCoercibility(ctx, right)
	collation, _ := sql.ResolveCoercibility(leftCollation, leftStrength, rightCollation, rightStrength)
	return collation
}

func newComparator(ctx *sql.Context, left, right sql.Expression) comparator {
	c := comparatorOf(left.Type(ctx), right.Type(ctx), sharedCollation(ctx, left, right))
	if c.how == comparisonTuple {
		l, lok := left.(expression.Tuple)
		r, rok := right.(expression.Tuple)
		if lok && rok {
			for i := range c.parts {
				c.parts[i] = newComparator(ctx, l[i], r[i])
			}
		}
	}
	return c
}

func comparatorOf(left, right sql.Type, collation sql.CollationID) comparator {
	c := comparator{left: left, right: right}
	lt, lok := left.(types.TupleType)
	rt, rok := right.(types.TupleType)
	switch {
	case lok && rok && len(lt) == len(rt):
		c.how = comparisonTuple
		for i := range lt {
			c.parts = append(c.parts, comparatorOf(lt[i], rt[i], tupleCollation(lt[i], rt[i], collation)))
		}
	case lok || rok:
		c.how = comparisonEngine
	case sameText(left, right):
		c.how, c.text = comparisonText, types.CreateLongText(collation)
	case types.TypesEqual(left, right) && !types.IsDecimal(left):
		c.how = comparisonSame
	default:
		c.how = mixedKind(left, right)
		if c.how == comparisonText {
			c.text = types.CreateLongText(memberCollation(left, right, collation))
		}
	}
	return c
}

// sameText says whether both are text, and neither is binary.
func sameText(left, right sql.Type) bool { return types.IsTextOnly(left) && types.IsTextOnly(right) }

func tupleCollation(left, right sql.Type, fallback sql.CollationID) sql.CollationID {
	for _, typ := range []sql.Type{left, right} {
		if text, ok := typ.(sql.StringType); ok && types.IsTextOnly(typ) {
			return text.Collation()
		}
	}
	return fallback
}

// memberCollation is that of the ENUM or SET in a comparison with text.
func memberCollation(left, right sql.Type, fallback sql.CollationID) sql.CollationID {
	for _, typ := range []sql.Type{left, right} {
		switch typ := typ.(type) {
		case sql.EnumType:
			return typ.Collation()
		case sql.SetType:
			return typ.Collation()
		}
	}
	return fallback
}

func isMember(typ sql.Type) bool { return types.IsEnum(typ) || types.IsSet(typ) }

// isDay says whether values of the type are points in time.
func isDay(typ sql.Type) bool { return types.IsTime(typ) && !types.IsTimespan(typ) }

func mixedKind(left, right sql.Type) comparisonKind {
	if types.IsJSON(left) || types.IsJSON(right) || types.IsGeometry(left) || types.IsGeometry(right) ||
		types.IsBinaryType(left) || types.IsBinaryType(right) {
		return comparisonEngine
	}
	leftNumber, rightNumber := types.IsNumber(left), types.IsNumber(right)
	leftWord := types.IsTextOnly(left) || isMember(left)
	rightWord := types.IsTextOnly(right) || isMember(right)
	switch {
	case leftNumber && rightNumber, leftNumber && rightWord, leftWord && rightNumber:
		return comparisonNumber
	case leftWord && rightWord:
		return comparisonText
	case isDay(left) && rightNumber, leftNumber && isDay(right):
		return comparisonDate
	}
	return comparisonEngine
}

// compare is negative, 0 or positive. Null says that the comparison is NULL; then
// an order other than 0 still tells tuples that can never be equal.
func (c *comparator) compare(ctx *sql.Context, left, right any) (order int, null bool, err error) {
	if left == nil || right == nil {
		return 0, true, nil
	}
	if left, err = sql.UnwrapAny(ctx, left); err != nil {
		return 0, false, err
	}
	if right, err = sql.UnwrapAny(ctx, right); err != nil {
		return 0, false, err
	}
	switch c.how {
	case comparisonSame:
		order, err = c.left.Compare(ctx, left, right)
		return order, false, err
	case comparisonNumber:
		return c.compareNumbers(ctx, left, right)
	case comparisonText:
		return c.compareText(ctx, left, right)
	case comparisonDate:
		return c.compareDates(ctx, left, right)
	case comparisonTuple:
		return c.compareTuples(ctx, left, right)
	}
	equals := expression.NewEquals(expression.NewLiteral(left, c.left), expression.NewLiteral(right, c.right))
	order, err = equals.Compare(ctx, nil)
	if expression.ErrNilOperand.Is(err) {
		return order, true, nil
	}
	return order, false, err
}

func (c *comparator) compareNumbers(ctx *sql.Context, left, right any) (int, bool, error) {
	l, err := memberNumber(ctx, c.left, left)
	if err != nil {
		return 0, false, err
	}
	r, err := memberNumber(ctx, c.right, right)
	if err != nil {
		return 0, false, err
	}
	return compareNumbers(l, r)
}

// memberNumber is numberOf, also for values of ENUM and SET, which count as the
// member's position and the members' bits.
func memberNumber(ctx *sql.Context, typ sql.Type, value any) (number, error) {
	if isMember(typ) {
		converted, _, err := typ.Convert(ctx, value)
		if err != nil {
			return number{}, err
		}
		value = converted
	}
	return numberOf(ctx, typ, value)
}

// compareNumbers compares as doubles if one is a double, else exactly.
func compareNumbers(l, r number) (int, bool, error) {
	switch {
	case l.kind == numberNull || r.kind == numberNull:
		return 0, true, nil
	case l.kind == numberFloat || r.kind == numberFloat:
		return cmp.Compare(l.asFloat(), r.asFloat()), false, nil
	case l.kind == numberInt && r.kind == numberInt:
		return cmp.Compare(l.integer, r.integer), false, nil
	case l.kind == numberUint && r.kind == numberUint:
		return cmp.Compare(l.bits, r.bits), false, nil
	case l.kind == numberInt && r.kind == numberUint:
		return compareSigned(l.integer, r.bits), false, nil
	case l.kind == numberUint && r.kind == numberInt:
		return -compareSigned(r.integer, l.bits), false, nil
	}
	left, err := l.asDecimal()
	if err != nil {
		return 0, false, err
	}
	right, err := r.asDecimal()
	if err != nil {
		return 0, false, err
	}
	return left.Cmp(right), false, nil
}

func compareSigned(signed int64, unsigned uint64) int {
	if signed < 0 {
		return -1
	}
	return cmp.Compare(uint64(signed), unsigned)
}

func (c *comparator) compareText(ctx *sql.Context, left, right any) (int, bool, error) {
	l, err := memberText(ctx, c.left, left)
	if err != nil {
		return 0, false, err
	}
	r, err := memberText(ctx, c.right, right)
	if err != nil {
		return 0, false, err
	}
	if text, ok := c.text.(sql.StringType); ok && enc.Pads(text.Collation()) {
		l, r = withoutPad(text.Collation(), l), withoutPad(text.Collation(), r)
	}
	order, err := c.text.Compare(ctx, l, r)
	return order, false, err
}

// withoutPad is a text as its collation compares it.
func withoutPad(collation sql.CollationID, value any) any {
	switch text := value.(type) {
	case string:
		return enc.WithoutPad(collation, text)
	case []byte:
		return enc.WithoutPad(collation, string(text))
	}
	return value
}

// padded says whether values of a type are text under a collation that takes no
// account of the blanks at its end.
func padded(typ sql.Type) bool {
	text, ok := typ.(sql.StringType)
	return ok && types.IsTextOnly(typ) && enc.Pads(text.Collation())
}

// memberText is the text of a value, of ENUM and SET as well.
func memberText(ctx *sql.Context, typ sql.Type, value any) (any, error) {
	if !isMember(typ) {
		return value, nil
	}
	out, err := typ.SQL(ctx, nil, value)
	if err != nil {
		return nil, err
	}
	return out.ToString(), nil
}

// compareDates reads the number as the digits of a date (20200228, 200228,
// 20200228101112).
func (c *comparator) compareDates(ctx *sql.Context, left, right any) (int, bool, error) {
	sides := [2]any{left, right}
	for i, typ := range []sql.Type{c.left, c.right} {
		if !types.IsNumber(typ) {
			continue
		}
		n, err := numberOf(ctx, typ, sides[i])
		if err != nil {
			return 0, false, err
		}
		day, ok := dateOfNumber(n)
		if !ok {
			return c.compareDigits(ctx, left, right)
		}
		sides[i] = day
	}
	order, err := types.DatetimeMaxPrecision.Compare(ctx, sides[0], sides[1])
	return order, false, err
}

// compareDigits compares a date with a number that is no date, by its digits.
func (c *comparator) compareDigits(ctx *sql.Context, left, right any) (int, bool, error) {
	l, err := numberOf(ctx, c.left, left)
	if err != nil {
		return 0, false, err
	}
	r, err := numberOf(ctx, c.right, right)
	if err != nil {
		return 0, false, err
	}
	return compareNumbers(l, r)
}

// compareTuples stops at the first parts that differ.
func (c *comparator) compareTuples(ctx *sql.Context, left, right any) (int, bool, error) {
	l, lok := left.([]any)
	r, rok := right.([]any)
	if !lok || !rok || len(l) != len(c.parts) || len(r) != len(c.parts) {
		return 0, false, sql.ErrInvalidOperandColumns.New(len(c.parts), len(r))
	}
	anyNull := false
	for i := range c.parts {
		order, null, err := c.parts[i].compare(ctx, l[i], r[i])
		if err != nil || order != 0 {
			return order, anyNull || null, err
		}
		anyNull = anyNull || null
	}
	return 0, anyNull, nil
}

// wholeDecimal says whether a decimal is a whole number.
func wholeDecimal(d *apd.Decimal) bool {
	reduced, _ := new(apd.Decimal).Reduce(d)
	return d.Form == apd.Finite && reduced.Exponent >= 0
}
