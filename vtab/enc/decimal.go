package enc

import (
	"encoding/binary"
	"math/bits"
	"strconv"

	"github.com/cockroachdb/apd/v3"
)

// decimalExponentMax bounds the exponent of a DECIMAL value in either direction.
// MySQL's own values stay within 65 digits; the engine's intermediate results
// reach further, but an exponent from damaged bytes must not make somebody print
// gigabytes of zeros.
const decimalExponentMax = 4096

// decimalDigitsMax bounds the digits of a coefficient, for the same reason.
const decimalDigitsMax = 8192

// Leads of decimals in keys. A positive number is 0.d1d2d3... * 10^e with d1 not
// zero; the lead tells e where it is of usual size. A negative number is the
// positive one with every byte flipped, which gives leads 0x03 to 0x7e.
const (
	leadZero    = 0x80
	leadTiny    = 0x81 // e follows in two bytes
	leadFirst   = 0x82 // e = exponentFirst
	leadLast    = 0xfb
	leadHuge    = 0xfc // e follows in two bytes
	exponentLow = -32
	exponentTop = exponentLow + leadLast - leadFirst
	// exponentBias makes the two-byte form unsigned.
	exponentBias = 1 << 15
)

// storable reports whether d is a finite number of bounded size.
func storable(d *apd.Decimal) bool {
	return d.Form == apd.Finite && d.Exponent <= decimalExponentMax && d.Exponent >= -decimalExponentMax &&
		d.Coeff.BitLen() <= decimalDigitsMax*3
}

// holds reports whether d, of the right scale where that matters, is a value of
// the column.
func (c *column) holds(d *apd.Decimal) bool {
	return storable(d) && (!c.scaled || d.NumDigits() <= int64(c.precision))
}

// atScale gives d the scale of the column if it has fewer decimals. The engine's
// conversion leaves some numbers as they are written, 1E+2 for one.
func (c *column) atScale(d *apd.Decimal) *apd.Decimal {
	missing := int64(d.Exponent) + int64(c.scale)
	if !c.scaled || d.Form != apd.Finite || missing <= 0 || missing > decimalDigitsMax {
		return d
	}
	scaled := &apd.Decimal{Negative: d.Negative, Exponent: -c.scale}
	factor := new(apd.BigInt).Exp(apd.NewBigInt(10), apd.NewBigInt(missing), nil)
	scaled.Coeff.Mul(&d.Coeff, factor)
	return scaled
}

// appendKeyDecimal appends d so that byte order is numerical order. Numerically
// equal decimals of any scale are the same bytes. d must be storable.
func appendKeyDecimal(dst []byte, d *apd.Decimal) []byte {
	if d.Coeff.Sign() == 0 {
		return append(dst, leadZero)
	}
	var space [32]byte
	digits := coefficientDigits(space[:0], d)
	exponent := len(digits) + int(d.Exponent)
	for digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
	}
	from := len(dst)
	switch {
	case exponent < exponentLow:
		dst = appendLow(append(dst, leadTiny), uint64(exponent+exponentBias), 2)
	case exponent > exponentTop:
		dst = appendLow(append(dst, leadHuge), uint64(exponent+exponentBias), 2)
	default:
		dst = append(dst, byte(leadFirst+exponent-exponentLow))
	}
	dst = appendDigitPairs(dst, digits)
	if d.Negative {
		flip(dst[from:])
	}
	return dst
}

// appendDigitPairs appends two digits a byte: twice the pair, plus one if more
// follow. A number that goes on is thus above one that ends.
func appendDigitPairs(dst, digits []byte) []byte {
	for i := 0; i < len(digits); i += 2 {
		pair := (digits[i] - '0') * 10
		if i+1 < len(digits) {
			pair += digits[i+1] - '0'
		}
		pair *= 2
		if i+2 < len(digits) {
			pair++
		}
		dst = append(dst, pair)
	}
	return dst
}

func coefficientDigits(dst []byte, d *apd.Decimal) []byte {
	if d.Coeff.IsUint64() {
		return strconv.AppendUint(dst, d.Coeff.Uint64(), 10)
	}
	return d.Coeff.Append(dst, 10)
}

func flip(b []byte) {
	for i := range b {
		b[i] = ^b[i]
	}
}

// keyDecimalParts splits a decimal in a key into its exponent and its digit
// pairs, which are returned as stored, with the mask that reads them.
func keyDecimalParts(src []byte, mask byte) (exponent int, pairs []byte, pairMask byte, rest []byte, err error) {
	if len(src) == 0 {
		return 0, nil, 0, nil, corrupt("decimal key is missing")
	}
	lead := src[0] ^ mask
	if lead == leadZero {
		return 0, nil, mask, src[1:], nil
	}
	if lead < leadZero {
		mask = ^mask
		lead = ^lead
	}
	src = src[1:]
	switch {
	case lead == leadTiny || lead == leadHuge:
		if len(src) < 2 {
			return 0, nil, 0, nil, corrupt("decimal key is cut off")
		}
		exponent = int(src[0]^mask)<<8 | int(src[1]^mask) - exponentBias
		if lead == leadTiny && exponent >= exponentLow || lead == leadHuge && exponent <= exponentTop {
			return 0, nil, 0, nil, corrupt("decimal key is not minimal")
		}
		src = src[2:]
	case lead >= leadFirst && lead <= leadLast:
		exponent = int(lead) - leadFirst + exponentLow
	default:
		return 0, nil, 0, nil, corrupt("decimal key has an unknown lead")
	}
	for i, b := range src {
		b ^= mask
		if b > 2*99+1 {
			return 0, nil, 0, nil, corrupt("decimal key has an unknown digit")
		}
		if b&1 == 0 {
			return exponent, src[:i+1], mask, src[i+1:], nil
		}
	}
	return 0, nil, 0, nil, corrupt("decimal key has no end")
}

// readKeyDecimal reads a decimal and gives it the scale. It fails if the number
// has more decimal places, or with them more digits than precision.
func readKeyDecimal(src []byte, mask byte, scale int32, precision int) (*apd.Decimal, []byte, error) {
	exponent, pairs, pairMask, rest, err := keyDecimalParts(src, mask)
	if err != nil {
		return nil, nil, err
	}
	d := &apd.Decimal{Exponent: -scale}
	if pairs == nil {
		return d, rest, nil
	}
	d.Negative = pairMask != mask
	digits := make([]byte, 0, 2*len(pairs)+int(scale))
	for _, b := range pairs {
		pair := (b ^ pairMask) / 2
		digits = append(digits, '0'+pair/10, '0'+pair%10)
	}
	if digits[0] == '0' || string(digits[len(digits)-2:]) == "00" {
		return nil, nil, corrupt("decimal key is not minimal")
	}
	// The coefficient has exponent+scale digits; those not stored are zeros.
	want := exponent + int(scale)
	if digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
	}
	if want < len(digits) || want > precision {
		return nil, nil, corrupt("decimal key does not fit its column")
	}
	for len(digits) < want {
		digits = append(digits, '0')
	}
	if u, err := strconv.ParseUint(string(digits), 10, 64); err == nil {
		d.Coeff.SetUint64(u)
	} else if _, ok := d.Coeff.SetString(string(digits), 10); !ok {
		return nil, nil, corrupt("decimal key has unknown digits")
	}
	return d, rest, nil
}

// appendDecimal appends the exact representation of a storable d: exponent,
// sign, coefficient. Zero has no sign.
func appendDecimal(dst []byte, d *apd.Decimal) []byte {
	dst = binary.AppendVarint(dst, int64(d.Exponent))
	sign := byte(0)
	if d.Negative && d.Coeff.Sign() != 0 {
		sign = 1
	}
	dst = append(dst, sign)
	if d.Coeff.IsUint64() {
		u := d.Coeff.Uint64()
		return appendLow(dst, u, (bits.Len64(u)+7)/8)
	}
	return append(dst, d.Coeff.Bytes()...)
}

// readDecimal reads what appendDecimal wrote; all of src belongs to it.
func readDecimal(src []byte) (*apd.Decimal, error) {
	exponent, n := binary.Varint(src)
	if n <= 0 || n > 1 && src[n-1] == 0 || exponent > decimalExponentMax || exponent < -decimalExponentMax {
		return nil, corrupt("decimal has a wrong exponent")
	}
	if len(src) == n || src[n] > 1 {
		return nil, corrupt("decimal has no sign")
	}
	d := &apd.Decimal{Exponent: int32(exponent), Negative: src[n] == 1}
	magnitude := src[n+1:]
	switch {
	case len(magnitude) == 0:
		if d.Negative {
			return nil, corrupt("decimal is a negative zero")
		}
		return d, nil
	case magnitude[0] == 0:
		return nil, corrupt("decimal is not minimal")
	case len(magnitude) > decimalDigitsMax*3/8:
		return nil, corrupt("decimal has too many digits")
	}
	if len(magnitude) <= 8 {
		var u uint64
		for _, b := range magnitude {
			u = u<<8 | uint64(b)
		}
		d.Coeff.SetUint64(u)
	} else {
		d.Coeff.SetBytes(magnitude)
	}
	return d, nil
}

// scaledCoefficient returns the signed coefficient of a decimal that fits the
// fixed-width form of c.
func scaledCoefficient(c *column, d *apd.Decimal) (int64, bool) {
	if d.Form != apd.Finite || d.Exponent != -c.scale || !d.Coeff.IsUint64() {
		return 0, false
	}
	u := d.Coeff.Uint64()
	if u > uint64(c.max) {
		return 0, false
	}
	if d.Negative {
		return -int64(u), true
	}
	return int64(u), true
}

// scaledDecimal is the inverse of scaledCoefficient, into a zero d.
func (c *column) scaledDecimal(d *apd.Decimal, n int64) error {
	if n > c.max || n < -c.max {
		return corrupt("decimal is out of range")
	}
	d.Exponent = -c.scale
	if n < 0 {
		d.Negative = true
		n = -n
	}
	d.Coeff.SetUint64(uint64(n))
	return nil
}
