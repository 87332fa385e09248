package exact

import (
	"bytes"
	"math"
	"math/big"
	"testing"

	"github.com/cockroachdb/apd/v3"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func decimal(t require.TestingT, s string) *apd.Decimal {
	d, _, err := apd.NewFromString(s)
	require.NoError(t, err)
	return d
}

// ST-089: sums beyond 2^53 are exact.
func TestFixedSums(t *testing.T) {
	for _, c := range []struct {
		name  string
		in    []string
		sum   string
		avg   string
		scale int32
	}{
		{"empty", nil, "0", "", 0},
		{"beyond a double", []string{"9007199254740992", "1", "1"}, "9007199254740994", "3002399751580331.3333", 4},
		{"beyond int64", []string{"9223372036854775807", "9223372036854775807", "18446744073709551615"}, "36893488147419103229", "12297829382473034409.6667", 4},
		{"scales meet", []string{"1", "0.25", "-0.125"}, "1.125", "0.3750000", 7},
		{"half away from zero", []string{"1", "0", "0", "0", "0", "0", "0", "0"}, "1", "0.13", 2},
		{"half away from zero, negative", []string{"-1", "0", "0", "0", "0", "0", "0", "0"}, "-1", "-0.13", 2},
		{"65 digits", []string{"99999999999999999999999999999999999.999999999999999999999999999999", "0.000000000000000000000000000001"}, "100000000000000000000000000000000000.000000000000000000000000000000", "50000000000000000000000000000000000.000000000000000000000000000000", 30},
		{"power of ten", []string{"1e3", "1"}, "1001", "500.5000", 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			var f Fixed
			for _, s := range c.in {
				require.NoError(t, f.AddDecimal(decimal(t, s)))
			}
			require.Equal(t, c.sum, f.Decimal().Text('f'))
			if len(c.in) > 0 {
				require.Equal(t, c.avg, f.Quotient(int64(len(c.in)), c.scale).Text('f'))
			}
		})
	}
}

func TestFixedRefuses(t *testing.T) {
	var f Fixed
	f.AddInt64(7)
	require.ErrorIs(t, f.AddDecimal(&apd.Decimal{Form: apd.NaN}), ErrNotFinite)
	require.ErrorIs(t, f.AddDecimal(&apd.Decimal{Form: apd.Infinite}), ErrNotFinite)
	require.ErrorIs(t, f.AddDecimal(apd.New(1, -1_000_000_000)), ErrScale)
	require.ErrorIs(t, f.AddDecimal(apd.New(1, 1_000_000_000)), ErrScale)
	require.Equal(t, "7", f.Decimal().Text('f'))
	var m FixedMoments
	require.ErrorIs(t, m.Add(apd.New(1, -3000)), ErrScale)
	require.Zero(t, m.Count)
}

func TestFixedLeaves128Bits(t *testing.T) {
	var f, g Fixed
	d := decimal(t, "18446744073709551615")
	g.setUnits(new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 126), big.NewInt(1)))
	want := g.units()
	for range 8 {
		require.NoError(t, g.AddDecimal(d))
		want.Add(want, d.Coeff.MathBigInt())
	}
	f = Fixed{hi: math.MaxInt64, lo: math.MaxUint64}
	f.AddInt64(1)
	require.Equal(t, new(big.Int).Lsh(big.NewInt(1), 127), f.units())
	f = Fixed{hi: math.MinInt64}
	f.SubUint64(1)
	require.Equal(t, "-170141183460469231731687303715884105729", f.units().String())
	require.Equal(t, want, g.units())
}

// genDecimal mixes magnitudes and scales, up to 65 digits.
var genDecimal = rapid.Custom(func(t *rapid.T) *apd.Decimal {
	digits := rapid.StringMatching(`[1-9][0-9]{0,64}|0`).Draw(t, "digits")
	d, _, err := apd.NewFromString(digits)
	if err != nil {
		t.Fatal(err)
	}
	d.Negative = rapid.Bool().Draw(t, "negative") && !d.IsZero()
	d.Exponent = -rapid.Int32Range(0, 30).Draw(t, "scale")
	return d
})

// INV: a sum equals that of a big fraction, in any order, after removals, and
// through its encoding.
func TestFixedAgainstFractions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(genDecimal, 0, 30).Draw(t, "values")
		gone := rapid.SliceOfN(genDecimal, 0, 10).Draw(t, "gone")
		var f, other Fixed
		want := new(big.Rat)
		for i, v := range append(values, gone...) {
			target := &f
			if i%3 == 0 {
				target = &other
			}
			require.NoError(t, target.AddDecimal(v))
			if i < len(values) {
				r, ok := new(big.Rat).SetString(v.Text('f'))
				require.True(t, ok)
				want.Add(want, r)
			}
		}
		f.Merge(&other)
		for _, v := range gone {
			require.NoError(t, f.SubDecimal(v))
		}
		require.Zero(t, want.Cmp(f.Rat()))
		encoded, err := f.AppendBinary([]byte{1})
		require.NoError(t, err)
		var back Fixed
		rest, err := back.Decode(append(encoded[1:], 9))
		require.NoError(t, err)
		require.Equal(t, []byte{9}, rest)
		again, err := back.AppendBinary([]byte{1})
		require.NoError(t, err)
		require.Equal(t, encoded, again)
		require.Equal(t, f.Decimal().Text('f'), back.Decimal().Text('f'))
	})
}

func TestFixedIntegers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var f Fixed
		want := new(big.Int)
		require.NoError(t, f.AddDecimal(apd.New(0, -rapid.Int32Range(0, 25).Draw(t, "scale"))))
		for _, v := range rapid.SliceOf(rapid.Int64()).Draw(t, "signed") {
			f.AddInt64(v)
			want.Add(want, big.NewInt(v))
		}
		for _, v := range rapid.SliceOf(rapid.Uint64()).Draw(t, "unsigned") {
			f.SubUint64(v)
			want.Sub(want, new(big.Int).SetUint64(v))
		}
		for _, v := range rapid.SliceOf(rapid.Int64()).Draw(t, "gone") {
			f.SubInt64(v)
			f.AddUint64(uint64(v))
			want.Sub(want, big.NewInt(v))
			want.Add(want, new(big.Int).SetUint64(uint64(v)))
		}
		require.Zero(t, new(big.Rat).SetInt(want).Cmp(f.Rat()))
	})
}

// genFloat mixes everything a double can be but infinities and NaN, subnormals
// and values near the largest included.
var genFloat = rapid.Custom(func(t *rapid.T) float64 {
	if rapid.Bool().Draw(t, "plain") {
		return rapid.Float64Range(-1e6, 1e6).Draw(t, "v")
	}
	v := math.Float64frombits(rapid.Uint64().Draw(t, "bits"))
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0.1
	}
	return v
})

func rat(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }

// INV: a Float equals a big fraction rounded once, in any order, after removals,
// and through its encoding.
func TestFloatAgainstFractions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(genFloat, 0, 40).Draw(t, "values")
		gone := rapid.SliceOfN(genFloat, 0, 20).Draw(t, "gone")
		var m, other FloatMoments
		sum, squares := new(big.Rat), new(big.Rat)
		for i, v := range append(values, gone...) {
			if i%3 == 0 {
				other.Add(v)
			} else {
				m.Add(v)
			}
			if i < len(values) {
				sum.Add(sum, rat(v))
				squares.Add(squares, new(big.Rat).Mul(rat(v), rat(v)))
			}
		}
		m.Merge(&other)
		for _, v := range gone {
			m.Sub(v)
		}
		checkFloat(t, &m.Sum, sum)
		checkFloat(t, &m.Squares, squares)
		if len(values) > 0 {
			n := new(big.Rat).SetInt64(int64(len(values)))
			want, _ := new(big.Rat).Quo(sum, n).Float64()
			require.Equal(t, want, m.Sum.Quotient(int64(len(values))))
		}
	})
}

func checkFloat(t *rapid.T, f *Float, exact *big.Rat) {
	r, ok := f.Rat()
	require.True(t, ok)
	require.Zero(t, exact.Cmp(r))
	want, _ := exact.Float64()
	require.Equal(t, want, f.Float64())
	encoded, err := f.AppendBinary(nil)
	require.NoError(t, err)
	var back Float
	rest, err := back.Decode(encoded)
	require.NoError(t, err)
	require.Empty(t, rest)
	again, err := back.AppendBinary(nil)
	require.NoError(t, err)
	require.True(t, bytes.Equal(encoded, again))
	require.Equal(t, want, back.Float64())
}

func TestFloatSpecials(t *testing.T) {
	inf := math.Inf(1)
	var f Float
	require.False(t, math.Signbit(f.Float64()))
	f.Add(math.Copysign(0, -1))
	require.False(t, math.Signbit(f.Float64()))
	f.Add(inf)
	require.Equal(t, inf, f.Float64())
	f.Add(-inf)
	require.True(t, math.IsNaN(f.Float64()))
	f.Sub(inf)
	require.Equal(t, -inf, f.Quotient(2))
	f.Sub(-inf)
	f.Add(math.MaxFloat64)
	f.Add(math.MaxFloat64)
	require.Equal(t, inf, f.Float64(), "the sum is beyond a double")
	f.Sub(math.MaxFloat64)
	require.Equal(t, math.MaxFloat64, f.Float64())
	f.Add(math.NaN())
	require.True(t, math.IsNaN(f.Float64()))
	var m FloatMoments
	m.Add(inf)
	v, ok := m.Variance(false)
	require.True(t, ok && math.IsNaN(v))
}

func TestFloatRoundsOnce(t *testing.T) {
	for _, c := range []struct {
		in   []float64
		want float64
	}{
		{[]float64{1e16, 1, 1e-16}, 10000000000000002},
		{[]float64{1e16, 1, -1e-16}, 1e16},
		{[]float64{0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1}, 1},
		{[]float64{1e308, 1e308, -1e308, 5e-324}, 1e308},
		{[]float64{1e100, 1, -1e100}, 1},
	} {
		var f Float
		for _, v := range c.in {
			f.Add(v)
		}
		require.Equal(t, c.want, f.Float64(), "%v", c.in)
	}
}

func TestMoments(t *testing.T) {
	var m FixedMoments
	_, ok := m.Variance(false)
	require.False(t, ok)
	// A naive Σx² − (Σx)²/n in doubles gives 0 or worse here.
	for _, s := range []string{"1000000000000001", "1000000000000002", "1000000000000003", "7"} {
		require.NoError(t, m.Add(decimal(t, s)))
	}
	require.NoError(t, m.Sub(decimal(t, "7")))
	population, ok := m.Variance(false)
	require.True(t, ok)
	require.Equal(t, 2.0/3, population)
	sample, ok := m.Variance(true)
	require.True(t, ok)
	require.Equal(t, 1.0, sample)
	deviation, ok := m.StdDev(false)
	require.True(t, ok)
	require.Equal(t, 0.816496580927726, deviation)
	require.NoError(t, m.Sub(decimal(t, "1000000000000001")))
	require.NoError(t, m.Sub(decimal(t, "1000000000000002")))
	_, ok = m.Variance(true)
	require.False(t, ok, "a sample of one has no variance")
	population, ok = m.Variance(false)
	require.True(t, ok)
	require.Zero(t, population)
	var f FloatMoments
	for _, v := range []float64{1e15 + 1, 1e15 + 2, 1e15 + 3} {
		f.Add(v)
	}
	population, _ = f.Variance(false)
	require.Equal(t, 2.0/3, population)
}

func TestMomentsEncoding(t *testing.T) {
	var m, back FixedMoments
	require.NoError(t, m.Add(decimal(t, "-1.5")))
	encoded, err := m.AppendBinary(nil)
	require.NoError(t, err)
	_, err = back.Decode(encoded)
	require.NoError(t, err)
	require.Equal(t, m, back)
	var f, fBack FloatMoments
	f.Add(-1.5)
	encoded, err = f.AppendBinary(nil)
	require.NoError(t, err)
	_, err = fBack.Decode(encoded)
	require.NoError(t, err)
	require.Equal(t, f, fBack)
	for n := range encoded {
		_, err = fBack.Decode(encoded[:n])
		require.ErrorIs(t, err, ErrEncoding)
	}
}

// Hostile bytes give ErrEncoding or a sum, never a panic.
func FuzzDecode(f *testing.F) {
	f.Add([]byte{0, 2, 5})
	f.Add([]byte{200, 1, 1, 255, 0, 0, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		var fixed FixedMoments
		if _, err := fixed.Decode(data); err == nil {
			fixed.Variance(false)
		}
		var float FloatMoments
		if _, err := float.Decode(data); err == nil {
			float.Variance(false)
		}
	})
}

func BenchmarkFixedInt(b *testing.B) {
	var f Fixed
	for i := 0; i < b.N; i++ {
		f.AddInt64(int64(i))
	}
}

func BenchmarkFloat(b *testing.B) {
	var f Float
	for i := 0; i < b.N; i++ {
		f.Add(float64(i) * 0.1)
	}
}
