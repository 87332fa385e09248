package exact

import (
	"math"
	"math/big"
)

// Float is an exact sum of doubles.
//
// The sum is the exact value of parts (a non-overlapping expansion, smallest
// first: Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust
// Geometric Predicates", 1997) plus wide. Ordinary values meet one to three
// parts; values so large or small that the error of an addition or product could
// leave the range of a double go to wide instead.
type Float struct {
	parts []float64
	wide  *big.Int // in units of 2^-wideShift
	// Infinities and NaNs are counted, so that they too can be taken away.
	posInf, negInf, nan int64
}

const (
	// wideShift: the square of the smallest double is 2^-2148.
	wideShift = 2148
	// partMax: below it no sum of parts can overflow (there are at most about
	// forty, and they do not overlap).
	partMax = 0x1p1000
	// squareMin and squareMax: between them a square and its rounding error are
	// both normal doubles.
	squareMin = 0x1p-450
	squareMax = 0x1p490
	// integerMax: integers up to it are doubles.
	integerMax = 1 << 53
)

// Add adds a double.
func (f *Float) Add(v float64) { f.add(v, 1) }

// Sub takes a double away.
func (f *Float) Sub(v float64) { f.add(v, -1) }

// AddSquare adds v·v, exactly.
func (f *Float) AddSquare(v float64) { f.addSquare(v, 1) }

// SubSquare takes v·v away.
func (f *Float) SubSquare(v float64) { f.addSquare(v, -1) }

// Merge adds another sum.
func (f *Float) Merge(o *Float) {
	for _, p := range o.parts {
		f.grow(p)
	}
	if o.wide != nil {
		f.addWide(o.wide)
	}
	f.posInf += o.posInf
	f.negInf += o.negInf
	f.nan += o.nan
}

// Float64 is the sum rounded once, half to even. An exact zero is +0. It is an
// infinity if the sum is beyond the range of a double or only infinities of that
// sign were added, NaN as IEEE 754 has it.
func (f *Float) Float64() float64 {
	if v, ok := f.special(); ok {
		return v
	}
	if f.wide == nil {
		return roundParts(f.parts)
	}
	v, _ := f.finite().Float64()
	return v
}

// Quotient is sum / n rounded once. n must not be 0.
func (f *Float) Quotient(n int64) float64 {
	if v, ok := f.special(); ok {
		return v / float64(n)
	}
	if f.wide == nil && len(f.parts) == 0 {
		return 0
	}
	if f.wide == nil && len(f.parts) == 1 && n <= integerMax {
		return f.parts[0] / float64(n)
	}
	r := f.finite()
	v, _ := r.Quo(r, new(big.Rat).SetInt64(n)).Float64()
	return v
}

// Rat is the sum as a fraction; false if infinities or NaNs are in it.
func (f *Float) Rat() (*big.Rat, bool) {
	if _, ok := f.special(); ok {
		return nil, false
	}
	return f.finite(), true
}

func (f *Float) special() (float64, bool) {
	switch {
	case f.nan != 0 || (f.posInf != 0 && f.negInf != 0):
		return math.NaN(), true
	case f.posInf != 0:
		return math.Inf(1), true
	case f.negInf != 0:
		return math.Inf(-1), true
	}
	return 0, false
}

// units is the finite part of the sum in units of 2^-shift, where shift is the
// smallest for which the parts are whole, or wideShift if wide is in use.
func (f *Float) units() (sum *big.Int, shift int) {
	sum = new(big.Int)
	shift = -1023
	for _, p := range f.parts {
		_, exponent := split(math.Abs(p))
		shift = max(shift, -exponent)
	}
	if f.wide != nil {
		shift = wideShift
		sum.Set(f.wide)
	}
	for _, p := range f.parts {
		sum.Add(sum, unitsOf(p, shift))
	}
	return sum, shift
}

func (f *Float) finite() *big.Rat {
	units, shift := f.units()
	if shift <= 0 {
		return new(big.Rat).SetInt(units.Lsh(units, uint(-shift)))
	}
	return new(big.Rat).SetFrac(units, new(big.Int).Lsh(big.NewInt(1), uint(shift)))
}

func (f *Float) add(v float64, sign int64) {
	switch {
	case math.IsNaN(v):
		f.nan += sign
	case math.IsInf(v, 1):
		f.posInf += sign
	case math.IsInf(v, -1):
		f.negInf += sign
	case v == 0:
	case math.Abs(v) < partMax:
		f.grow(v * float64(sign))
	default:
		f.addWide(unitsOf(v*float64(sign), wideShift))
	}
}

func (f *Float) addSquare(v float64, sign int64) {
	abs := math.Abs(v)
	switch {
	case math.IsNaN(v):
		f.nan += sign
	case math.IsInf(v, 0):
		f.posInf += sign
	case v == 0:
	case abs > squareMin && abs < squareMax:
		high := v * v
		low := math.FMA(v, v, -high)
		f.grow(high * float64(sign))
		if low != 0 {
			f.grow(low * float64(sign))
		}
	default:
		mantissa, exponent := split(abs)
		square := new(big.Int).SetUint64(mantissa)
		square.Mul(square, square)
		square.Lsh(square, uint(wideShift+2*exponent))
		if sign < 0 {
			square.Neg(square)
		}
		f.addWide(square)
	}
}

func (f *Float) addWide(units *big.Int) {
	if f.wide == nil {
		f.wide = new(big.Int)
	}
	f.wide.Add(f.wide, units)
	if f.wide.Sign() == 0 {
		f.wide = nil
	}
}

// grow adds x to the expansion, keeping it non-overlapping and without zeros.
func (f *Float) grow(x float64) {
	kept := 0
	for _, y := range f.parts {
		if math.Abs(x) < math.Abs(y) {
			x, y = y, x
		}
		high := x + y
		if low := y - (high - x); low != 0 {
			f.parts[kept] = low
			kept++
		}
		x = high
	}
	f.parts = f.parts[:kept]
	switch {
	case x == 0:
	case math.Abs(x) < partMax:
		f.parts = append(f.parts, x)
	default:
		// The largest part outgrew the range in which additions are exact.
		f.addWide(unitsOf(x, wideShift))
	}
}

// roundParts is the nearest double to the exact value of a non-overlapping
// expansion. Adding from the largest part down, the first addition that leaves
// an error decides the result; only when that error is exactly half a unit does
// the sign of the next part matter.
func roundParts(parts []float64) float64 {
	if len(parts) == 0 {
		return 0
	}
	i := len(parts) - 1
	high := parts[i]
	low := 0.0
	for i > 0 && low == 0 {
		i--
		x, y := high, parts[i]
		high = x + y
		low = y - (high - x)
	}
	if i > 0 && low != 0 && (low < 0) == (parts[i-1] < 0) {
		twice := 2 * low
		if sum := high + twice; sum-high == twice {
			return sum
		}
	}
	return high
}

// unitsOf is the finite double v in units of 2^-shift, of which it is a whole
// number.
func unitsOf(v float64, shift int) *big.Int {
	mantissa, exponent := split(math.Abs(v))
	units := new(big.Int).SetUint64(mantissa)
	units.Lsh(units, uint(shift+exponent))
	if v < 0 {
		units.Neg(units)
	}
	return units
}

// split gives v = mantissa·2^exponent for a finite v ≥ 0; exponent ≥ -1074.
func split(v float64) (mantissa uint64, exponent int) {
	b := math.Float64bits(v)
	mantissa = b & (1<<52 - 1)
	exponent = int(b >> 52)
	if exponent == 0 {
		return mantissa, -1074
	}
	return mantissa | 1<<52, exponent - 1075
}
