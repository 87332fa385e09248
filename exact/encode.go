package exact

import (
	"encoding/binary"
	"math/big"
)

// The encodings. Integers are varints (encoding/binary); an integer of any size
// is its sign and length as one signed varint, then its magnitude, big-endian
// without leading zeros.
//
//	Fixed         scale, units
//	Float         shift, units, count of +Inf, of -Inf, of NaN; units are odd or
//	              0 with shift 0, so that equal sums have equal bytes
//	FixedMoments  count, Sum, Squares
//	FloatMoments  count, Sum, Squares

// encodedBytesMax bounds the magnitude of a decoded integer: no sum of doubles
// or of decimals within scaleMax comes near it.
const encodedBytesMax = 1 << 13

// AppendBinary appends the encoding.
func (f *Fixed) AppendBinary(dst []byte) ([]byte, error) {
	dst = binary.AppendVarint(dst, int64(f.scale))
	return appendBig(dst, f.units()), nil
}

// Decode replaces the sum by the one encoded at the front of src and returns
// what follows. The error is ErrEncoding, with nothing changed.
func (f *Fixed) Decode(src []byte) ([]byte, error) {
	scale, src, err := decodeVarint(src)
	if err != nil {
		return nil, err
	}
	if scale < 0 || scale > scaleMax {
		return nil, ErrEncoding
	}
	units, src, err := decodeBig(src)
	if err != nil {
		return nil, err
	}
	f.scale = int32(scale)
	f.setUnits(units)
	return src, nil
}

// AppendBinary appends the encoding.
func (f *Float) AppendBinary(dst []byte) ([]byte, error) {
	units, shift := f.units()
	if units.Sign() == 0 {
		shift = 0
	} else {
		zeros := units.TrailingZeroBits()
		units.Rsh(units, zeros)
		shift -= int(zeros)
	}
	dst = appendBig(binary.AppendVarint(dst, int64(shift)), units)
	for _, count := range []int64{f.posInf, f.negInf, f.nan} {
		dst = binary.AppendVarint(dst, count)
	}
	return dst, nil
}

// Decode is as Fixed.Decode.
func (f *Float) Decode(src []byte) ([]byte, error) {
	shift, src, err := decodeVarint(src)
	if err != nil {
		return nil, err
	}
	if shift < -wideShift || shift > wideShift {
		return nil, ErrEncoding
	}
	units, src, err := decodeBig(src)
	if err != nil {
		return nil, err
	}
	var counts [3]int64
	for i := range counts {
		if counts[i], src, err = decodeVarint(src); err != nil {
			return nil, err
		}
	}
	*f = Float{posInf: counts[0], negInf: counts[1], nan: counts[2]}
	f.addWide(units.Lsh(units, uint(wideShift-shift)))
	f.narrow()
	return src, nil
}

// narrow moves wide to parts, if the parts can hold it.
func (f *Float) narrow() {
	rest := f.wide
	one := new(big.Int).Lsh(big.NewInt(1), wideShift)
	var parts []float64
	for rest != nil && rest.Sign() != 0 {
		v, _ := new(big.Rat).SetFrac(rest, one).Float64()
		if v == 0 || v >= partMax || v <= -partMax {
			return
		}
		parts = append(parts, v)
		rest = new(big.Int).Sub(rest, unitsOf(v, wideShift))
	}
	f.wide = nil
	for i := len(parts) - 1; i >= 0; i-- {
		f.grow(parts[i])
	}
}

// AppendBinary appends the encoding.
func (m *FixedMoments) AppendBinary(dst []byte) ([]byte, error) {
	dst, err := m.Sum.AppendBinary(binary.AppendVarint(dst, m.Count))
	if err != nil {
		return nil, err
	}
	return m.Squares.AppendBinary(dst)
}

// Decode is as Fixed.Decode.
func (m *FixedMoments) Decode(src []byte) ([]byte, error) {
	var decoded FixedMoments
	var err error
	if decoded.Count, src, err = decodeVarint(src); err != nil {
		return nil, err
	}
	if src, err = decoded.Sum.Decode(src); err != nil {
		return nil, err
	}
	if src, err = decoded.Squares.Decode(src); err != nil {
		return nil, err
	}
	*m = decoded
	return src, nil
}

// AppendBinary appends the encoding.
func (m *FloatMoments) AppendBinary(dst []byte) ([]byte, error) {
	dst, err := m.Sum.AppendBinary(binary.AppendVarint(dst, m.Count))
	if err != nil {
		return nil, err
	}
	return m.Squares.AppendBinary(dst)
}

// Decode is as Fixed.Decode.
func (m *FloatMoments) Decode(src []byte) ([]byte, error) {
	var decoded FloatMoments
	var err error
	if decoded.Count, src, err = decodeVarint(src); err != nil {
		return nil, err
	}
	if src, err = decoded.Sum.Decode(src); err != nil {
		return nil, err
	}
	if src, err = decoded.Squares.Decode(src); err != nil {
		return nil, err
	}
	*m = decoded
	return src, nil
}

func appendBig(dst []byte, v *big.Int) []byte {
	magnitude := v.Bytes()
	size := int64(len(magnitude))
	if v.Sign() < 0 {
		size = -size
	}
	return append(binary.AppendVarint(dst, size), magnitude...)
}

func decodeVarint(src []byte) (int64, []byte, error) {
	v, n := binary.Varint(src)
	if n <= 0 {
		return 0, nil, ErrEncoding
	}
	return v, src[n:], nil
}

func decodeBig(src []byte) (*big.Int, []byte, error) {
	size, src, err := decodeVarint(src)
	if err != nil {
		return nil, nil, err
	}
	if size < -encodedBytesMax || size > encodedBytesMax {
		return nil, nil, ErrEncoding
	}
	negative := size < 0
	if negative {
		size = -size
	}
	if int64(len(src)) < size || (size > 0 && src[0] == 0) {
		return nil, nil, ErrEncoding
	}
	v := new(big.Int).SetBytes(src[:size])
	if negative {
		v.Neg(v)
	}
	return v, src[size:], nil
}
