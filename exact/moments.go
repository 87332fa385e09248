package exact

import (
	"math"
	"math/big"

	"github.com/cockroachdb/apd/v3"
)

// sqrtBits is the precision of square roots before the one rounding to a double:
// more than twice the 53 bits of a double, so that the root of a fraction is
// rounded as if it were exact except when it lies within 2^-75 of a tie.
const sqrtBits = 128

// FixedMoments counts integers and decimals with the sums of their values and
// squares.
type FixedMoments struct {
	Count   int64
	Sum     Fixed
	Squares Fixed
}

// Add adds a decimal; errors as Fixed.AddDecimal, with nothing changed.
func (m *FixedMoments) Add(d *apd.Decimal) error { return m.add(d, 1) }

// Sub takes a decimal away; errors as Fixed.AddDecimal, with nothing changed.
func (m *FixedMoments) Sub(d *apd.Decimal) error { return m.add(d, -1) }

func (m *FixedMoments) add(d *apd.Decimal, sign int64) error {
	if d.Form != apd.Finite {
		return ErrNotFinite
	}
	if d.Exponent < -scaleMax/2 || d.Exponent > scaleMax/2 {
		return ErrScale
	}
	var square apd.Decimal
	square.Coeff.Mul(&d.Coeff, &d.Coeff)
	square.Exponent = 2 * d.Exponent
	if err := m.Sum.addDecimal(d, sign < 0); err != nil {
		return err
	}
	if err := m.Squares.addDecimal(&square, sign < 0); err != nil {
		return err
	}
	m.Count += sign
	return nil
}

// Merge adds the values of another one.
func (m *FixedMoments) Merge(o *FixedMoments) {
	m.Count += o.Count
	m.Sum.Merge(&o.Sum)
	m.Squares.Merge(&o.Squares)
}

// Variance is the variance of the values, rounded once: of the population, or of
// a sample. False if there are too few values (none, or fewer than two).
func (m *FixedMoments) Variance(sample bool) (float64, bool) {
	r, ok := variance(m.Count, m.Sum.Rat(), m.Squares.Rat(), sample)
	if !ok {
		return 0, false
	}
	v, _ := r.Float64()
	return v, true
}

// StdDev is the square root of the variance; false as Variance.
func (m *FixedMoments) StdDev(sample bool) (float64, bool) {
	r, ok := variance(m.Count, m.Sum.Rat(), m.Squares.Rat(), sample)
	if !ok {
		return 0, false
	}
	return sqrt(r), true
}

// FloatMoments counts doubles with the sums of their values and squares.
type FloatMoments struct {
	Count   int64
	Sum     Float
	Squares Float
}

// Add adds a double.
func (m *FloatMoments) Add(v float64) {
	m.Count++
	m.Sum.Add(v)
	m.Squares.AddSquare(v)
}

// Sub takes a double away.
func (m *FloatMoments) Sub(v float64) {
	m.Count--
	m.Sum.Sub(v)
	m.Squares.SubSquare(v)
}

// Merge adds the values of another one.
func (m *FloatMoments) Merge(o *FloatMoments) {
	m.Count += o.Count
	m.Sum.Merge(&o.Sum)
	m.Squares.Merge(&o.Squares)
}

// Variance is as FixedMoments.Variance; NaN if a value was not finite.
func (m *FloatMoments) Variance(sample bool) (float64, bool) {
	r, ok := m.fraction(sample)
	if !ok {
		return 0, false
	}
	if r == nil {
		return math.NaN(), true
	}
	v, _ := r.Float64()
	return v, true
}

// StdDev is the square root of the variance; false and NaN as Variance.
func (m *FloatMoments) StdDev(sample bool) (float64, bool) {
	r, ok := m.fraction(sample)
	if !ok {
		return 0, false
	}
	if r == nil {
		return math.NaN(), true
	}
	return sqrt(r), true
}

// fraction is the variance, nil if a value was not finite.
func (m *FloatMoments) fraction(sample bool) (*big.Rat, bool) {
	sum, sumOK := m.Sum.Rat()
	squares, squaresOK := m.Squares.Rat()
	if !sumOK || !squaresOK {
		return nil, m.Count > 0
	}
	return variance(m.Count, sum, squares, sample)
}

// variance is (n·Σx² − (Σx)²) / n², or / n(n-1) for a sample. It uses up its
// arguments.
func variance(n int64, sum, squares *big.Rat, sample bool) (*big.Rat, bool) {
	if n < 1 || (sample && n < 2) {
		return nil, false
	}
	count := new(big.Rat).SetInt64(n)
	squares.Mul(squares, count)
	squares.Sub(squares, sum.Mul(sum, sum))
	squares.Quo(squares, count)
	if sample {
		count.SetInt64(n - 1)
	}
	return squares.Quo(squares, count), true
}

func sqrt(r *big.Rat) float64 {
	root := new(big.Float).SetPrec(sqrtBits).SetRat(r)
	v, _ := root.Sqrt(root).Float64()
	return v
}
