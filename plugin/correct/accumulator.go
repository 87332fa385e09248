package correct

import (
	"github.com/cockroachdb/apd/v3"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/freshetdb/freshet/exact"
)

// AggregateKind is one of the aggregates that are computed exactly.
type AggregateKind uint8

const (
	Sum AggregateKind = iota + 1
	Avg
	VarPop
	VarSamp
	StdDevPop
	StdDevSamp
)

// moments says whether the aggregate needs squares.
func (k AggregateKind) moments() bool { return k >= VarPop }

// accumulator is the state of one aggregate over one set of rows. Whether it
// counts in decimals or doubles follows from the argument's type, not from the
// values that happen to come, so the result's type is that of the plan.
type accumulator struct {
	name   string // for errors
	kind   AggregateKind
	double bool
	scale  int32 // the least one of a decimal sum
	extra  int32 // what an average adds to it
	count  int64

	fixed exact.Fixed
	float exact.Float
	// The moments are made by newAccumulator for the kinds that need them: sums
	// are by far the most common, and there is one accumulator per group.
	fixedMoments *exact.FixedMoments
	floatMoments *exact.FloatMoments
}

func newAccumulator(name string, kind AggregateKind, double bool) accumulator {
	a := accumulator{name: name, kind: kind, double: double}
	switch {
	case kind.moments() && double:
		a.floatMoments = &exact.FloatMoments{}
	case kind.moments():
		a.fixedMoments = &exact.FixedMoments{}
	}
	return a
}

// reset forgets all values.
func (a *accumulator) reset() {
	fresh := newAccumulator(a.name, a.kind, a.double)
	fresh.scale, fresh.extra = a.scale, a.extra
	*a = fresh
}

func (a *accumulator) add(n number) error {
	if n.kind == numberNull {
		return nil
	}
	a.count++
	switch {
	case a.double && a.kind.moments():
		a.floatMoments.Add(n.asFloat())
		return nil
	case a.double:
		a.float.Add(n.asFloat())
		return nil
	case !a.kind.moments() && n.kind == numberInt:
		a.fixed.AddInt64(n.integer)
		return nil
	case !a.kind.moments() && n.kind == numberUint:
		a.fixed.AddUint64(n.bits)
		return nil
	}
	d, err := n.asDecimal()
	if err != nil {
		return err
	}
	if a.kind.moments() {
		return a.fixedMoments.Add(d)
	}
	return a.fixed.AddDecimal(d)
}

// remove takes away a value that was added.
func (a *accumulator) remove(n number) error {
	if n.kind == numberNull {
		return nil
	}
	a.count--
	switch {
	case a.double && a.kind.moments():
		a.floatMoments.Sub(n.asFloat())
		return nil
	case a.double:
		a.float.Sub(n.asFloat())
		return nil
	}
	d, err := n.asDecimal()
	if err != nil {
		return err
	}
	if a.kind.moments() {
		return a.fixedMoments.Sub(d)
	}
	return a.fixed.SubDecimal(d)
}

// result is nil (NULL), a float64 or a *apd.Decimal that the caller owns.
func (a *accumulator) result() (any, error) {
	if a.count == 0 {
		return nil, nil
	}
	if a.kind.moments() {
		return a.momentsResult(), nil
	}
	if a.double {
		v := a.float.Float64()
		if a.kind == Avg {
			v = a.float.Quotient(a.count)
		}
		return v, nil
	}
	if a.kind == Avg {
		scale := max(a.scale, a.fixed.Scale()) + a.extra
		return a.decimalResult(a.fixed.Quotient(a.count, min(scale, types.DecimalTypeMaxScale)))
	}
	return a.decimalResult(a.fixed.Decimal())
}

func (a *accumulator) momentsResult() any {
	var v float64
	var ok bool
	sample := a.kind == VarSamp || a.kind == StdDevSamp
	root := a.kind == StdDevPop || a.kind == StdDevSamp
	switch {
	case a.double && root:
		v, ok = a.floatMoments.StdDev(sample)
	case a.double:
		v, ok = a.floatMoments.Variance(sample)
	case root:
		v, ok = a.fixedMoments.StdDev(sample)
	default:
		v, ok = a.fixedMoments.Variance(sample)
	}
	if !ok {
		return nil
	}
	return v
}

// decimalResult gives d at least the scale of the result's type, and refuses what
// no DECIMAL holds.
func (a *accumulator) decimalResult(d *apd.Decimal) (any, error) {
	if -d.Exponent < a.scale {
		padded, err := sql.DecimalRound(d, a.scale)
		if err != nil {
			return nil, err
		}
		d = padded
	}
	if -d.Exponent > types.DecimalTypeMaxScale {
		rounded, err := sql.DecimalRound(d, types.DecimalTypeMaxScale)
		if err != nil {
			return nil, err
		}
		d = rounded
	}
	if d.NumDigits() > types.DecimalTypeMaxPrecision {
		return nil, errOutOfRange("DECIMAL", a.name)
	}
	return d, nil
}

// distinctKey is equal for equal numbers and differs for others.
func (n number) distinctKey(double bool) (string, error) {
	if double {
		f := n.asFloat()
		if f == 0 {
			f = 0 // -0 is 0
		}
		n = number{kind: numberFloat, float: f}
	}
	if n.kind == numberFloat {
		return floatKey(n.float), nil
	}
	d, err := n.asDecimal()
	if err != nil {
		return "", err
	}
	reduced, _ := new(apd.Decimal).Reduce(d)
	if reduced.IsZero() {
		return "0", nil
	}
	return reduced.Text('e'), nil
}
