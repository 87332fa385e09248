package exact

import (
	"math/big"
	"math/bits"

	"github.com/cockroachdb/apd/v3"
)

// scaleMax bounds the exponent of decimals in both directions. SQL decimals have
// at most 30 fractional digits (60 when squared); the room above that is for
// intermediate results of expressions, and the bound keeps a hostile exponent
// from allocating gigabytes.
const scaleMax = 4096

// smallPowers are the powers of ten that fit 64 bits.
var smallPowers = [...]uint64{
	1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
}

// Fixed is an exact sum of integers and decimals, in units of 10^-Scale. The
// scale is the largest one seen so far and never shrinks.
type Fixed struct {
	// The sum is hi·2^64 + lo in two's complement, unless wide is set: then wide
	// alone holds it. A sum that leaves 128 bits moves to wide and stays there.
	lo    uint64
	hi    int64
	scale int32
	wide  *big.Int
}

// Scale is the number of fractional digits of the sum.
func (f *Fixed) Scale() int32 { return f.scale }

// AddInt64 adds an integer.
func (f *Fixed) AddInt64(v int64) { f.addUnits(magnitude(v), v < 0) }

// SubInt64 takes an integer away.
func (f *Fixed) SubInt64(v int64) { f.addUnits(magnitude(v), v >= 0) }

// AddUint64 adds an unsigned integer.
func (f *Fixed) AddUint64(v uint64) { f.addUnits(v, false) }

// SubUint64 takes an unsigned integer away.
func (f *Fixed) SubUint64(v uint64) { f.addUnits(v, true) }

// AddDecimal adds a decimal, which is not kept or changed. The error is
// ErrNotFinite or ErrScale; the sum is then as before.
func (f *Fixed) AddDecimal(d *apd.Decimal) error { return f.addDecimal(d, false) }

// SubDecimal takes a decimal away; errors as AddDecimal.
func (f *Fixed) SubDecimal(d *apd.Decimal) error { return f.addDecimal(d, true) }

// Merge adds another sum.
func (f *Fixed) Merge(o *Fixed) {
	f.raiseScale(o.scale)
	f.addBig(new(big.Int).Mul(o.units(), pow10(f.scale-o.scale)), false)
}

// Decimal is the sum with exactly Scale fractional digits. The caller owns it.
func (f *Fixed) Decimal() *apd.Decimal {
	units := f.units()
	d := &apd.Decimal{Exponent: -f.scale, Negative: units.Sign() < 0}
	d.Coeff.SetMathBigInt(units)
	d.Coeff.Abs(&d.Coeff)
	return d
}

// Rat is the sum as a fraction. The caller owns it.
func (f *Fixed) Rat() *big.Rat {
	return new(big.Rat).SetFrac(f.units(), pow10(f.scale))
}

// Quotient is sum / n with scale fractional digits, rounded half away from zero
// as DECIMAL division rounds. n must not be 0. The caller owns the result.
func (f *Fixed) Quotient(n int64, scale int32) *apd.Decimal {
	num := f.units()
	den := big.NewInt(n)
	if shift := scale - f.scale; shift >= 0 {
		num.Mul(num, pow10(shift))
	} else {
		den.Mul(den, pow10(-shift))
	}
	q := roundedQuotient(num, den)
	d := &apd.Decimal{Exponent: -scale, Negative: q.Sign() < 0}
	d.Coeff.SetMathBigInt(q.Abs(q))
	return d
}

func (f *Fixed) addDecimal(d *apd.Decimal, negate bool) error {
	if d.Form != apd.Finite {
		return ErrNotFinite
	}
	if d.Exponent < -scaleMax || d.Exponent > scaleMax {
		return ErrScale
	}
	negate = negate != d.Negative
	if -d.Exponent == f.scale && d.Coeff.IsUint64() {
		f.addRaw(d.Coeff.Uint64(), negate)
		return nil
	}
	f.raiseScale(-d.Exponent)
	if shift := f.scale + d.Exponent; d.Coeff.IsUint64() && int(shift) < len(smallPowers) {
		if high, low := bits.Mul64(d.Coeff.Uint64(), smallPowers[shift]); high == 0 {
			f.addRaw(low, negate)
			return nil
		}
	}
	units := new(big.Int).Set(d.Coeff.MathBigInt())
	units.Mul(units, pow10(f.scale+d.Exponent))
	f.addBig(units, negate)
	return nil
}

// addUnits adds v whole numbers.
func (f *Fixed) addUnits(v uint64, negate bool) {
	if int(f.scale) < len(smallPowers) {
		if high, low := bits.Mul64(v, smallPowers[f.scale]); high == 0 {
			f.addRaw(low, negate)
			return
		}
	}
	units := new(big.Int).SetUint64(v)
	f.addBig(units.Mul(units, pow10(f.scale)), negate)
}

// addRaw adds v units of the present scale.
func (f *Fixed) addRaw(v uint64, negate bool) {
	if f.wide != nil {
		f.addBig(new(big.Int).SetUint64(v), negate)
		return
	}
	var carry uint64
	var hi int64
	var lo uint64
	if negate {
		lo, carry = bits.Sub64(f.lo, v, 0)
		hi = f.hi - int64(carry)
		if hi > f.hi {
			f.widen()
			f.addBig(new(big.Int).SetUint64(v), true)
			return
		}
	} else {
		lo, carry = bits.Add64(f.lo, v, 0)
		hi = f.hi + int64(carry)
		if hi < f.hi {
			f.widen()
			f.addBig(new(big.Int).SetUint64(v), false)
			return
		}
	}
	f.lo, f.hi = lo, hi
}

func (f *Fixed) addBig(units *big.Int, negate bool) {
	if f.wide == nil && units.IsUint64() {
		f.addRaw(units.Uint64(), negate)
		return
	}
	f.widen()
	if negate {
		f.wide.Sub(f.wide, units)
		return
	}
	f.wide.Add(f.wide, units)
}

func (f *Fixed) widen() {
	if f.wide == nil {
		f.wide = f.units()
	}
}

// raiseScale makes room for scale fractional digits.
func (f *Fixed) raiseScale(scale int32) {
	if scale <= f.scale {
		return
	}
	factor := pow10(scale - f.scale)
	units := f.units()
	f.lo, f.hi, f.wide = 0, 0, nil
	f.scale = scale
	f.setUnits(units.Mul(units, factor))
}

// setUnits replaces the sum, in 128 bits where it fits.
func (f *Fixed) setUnits(units *big.Int) {
	f.lo, f.hi, f.wide = 0, 0, nil
	if units.BitLen() > 126 {
		f.wide = units
		return
	}
	abs := new(big.Int).Abs(units)
	lo := new(big.Int).And(abs, new(big.Int).SetUint64(^uint64(0))).Uint64()
	hi := new(big.Int).Rsh(abs, 64).Uint64()
	if units.Sign() < 0 {
		var carry uint64
		lo, carry = bits.Add64(^lo, 1, 0)
		hi = ^hi + carry
	}
	f.lo, f.hi = lo, int64(hi)
}

// units is the sum in units; the caller owns it.
func (f *Fixed) units() *big.Int {
	if f.wide != nil {
		return new(big.Int).Set(f.wide)
	}
	units := big.NewInt(f.hi)
	units.Lsh(units, 64)
	return units.Add(units, new(big.Int).SetUint64(f.lo))
}

func magnitude(v int64) uint64 {
	if v < 0 {
		return uint64(-(v + 1)) + 1
	}
	return uint64(v)
}

func pow10(n int32) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
}

// roundedQuotient is num / den rounded half away from zero.
func roundedQuotient(num, den *big.Int) *big.Int {
	q, r := new(big.Int).QuoRem(num, den, new(big.Int))
	r.Abs(r).Lsh(r, 1)
	if r.CmpAbs(den) < 0 {
		return q
	}
	if num.Sign()*den.Sign() < 0 {
		return q.Sub(q, big.NewInt(1))
	}
	return q.Add(q, big.NewInt(1))
}
