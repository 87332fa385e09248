package enc

import "math/bits"

// integer is a Go integer of any width as sign and bits: negative means
// int64(bits).
type integer struct {
	bits     uint64
	negative bool
}

func signedInteger(n int64) integer { return integer{uint64(n), n < 0} }

// fits reports whether n lies in the range of an integer column.
func (n integer) fits(c *column) bool {
	if c.kind.isUnsigned() {
		return !n.negative && n.bits <= c.maxU
	}
	if n.negative {
		return int64(n.bits) >= c.min
	}
	return n.bits <= uint64(c.max)
}

// integerOf returns v as an integer if it is a Go integer or a bool.
func integerOf(v any) (integer, bool) {
	switch n := v.(type) {
	case int64:
		return signedInteger(n), true
	case int32:
		return signedInteger(int64(n)), true
	case uint64:
		return integer{n, false}, true
	case uint32:
		return integer{uint64(n), false}, true
	case int8:
		return signedInteger(int64(n)), true
	case int16:
		return signedInteger(int64(n)), true
	case uint8:
		return integer{uint64(n), false}, true
	case uint16:
		return integer{uint64(n), false}, true
	case int:
		return signedInteger(int64(n)), true
	case uint:
		return integer{uint64(n), false}, true
	case bool:
		if n {
			return integer{1, false}, true
		}
		return integer{}, true
	}
	return integer{}, false
}

// Tags of integers in keys. Between the tags of negative numbers and those of
// longer positive ones lie the small numbers, which are their own tag.
const (
	tagNegative8 = 0x03 // eight bytes follow; 0x0a: one byte
	tagNegative1 = 0x0a
	tagSmall     = 0x0b // 0
	smallMax     = tagPositive1 - 1 - tagSmall
	tagPositive1 = 0xf6 // one byte follows; 0xfd: eight
	tagPositive8 = 0xfd
)

// appendKeyInteger appends an integer so that byte order is numerical order
// over all signed and unsigned 64-bit integers together.
func appendKeyInteger(dst []byte, n integer) []byte {
	if n.negative {
		size := max(1, (bits.Len64(^n.bits)+7)/8)
		return appendLow(append(dst, byte(tagNegative1+1-size)), n.bits, size)
	}
	if n.bits <= smallMax {
		return append(dst, byte(tagSmall+n.bits))
	}
	size := (bits.Len64(n.bits) + 7) / 8
	return appendLow(append(dst, byte(tagPositive1-1+size)), n.bits, size)
}

// appendLow appends the low size bytes of u, big endian.
func appendLow(dst []byte, u uint64, size int) []byte {
	for shift := 8 * (size - 1); shift >= 0; shift -= 8 {
		dst = append(dst, byte(u>>shift))
	}
	return dst
}

// keyIntegerSize is the length of an integer in a key, tag included, or 0 when
// the tag is none of an integer.
func keyIntegerSize(tag byte) int {
	switch {
	case tag >= tagPositive1 && tag <= tagPositive8:
		return int(tag) - tagPositive1 + 2
	case tag >= tagSmall:
		if tag < tagPositive1 {
			return 1
		}
		return 0
	case tag >= tagNegative8:
		return tagNegative1 - int(tag) + 2
	}
	return 0
}

// readKeyInteger reads what appendKeyInteger wrote, with every byte of src
// flipped by mask.
func readKeyInteger(src []byte, mask byte) (n integer, rest []byte, err error) {
	if len(src) == 0 {
		return n, nil, corrupt("integer key is missing")
	}
	tag := src[0] ^ mask
	size := keyIntegerSize(tag)
	if size == 0 {
		return n, nil, corrupt("integer key has an unknown tag")
	}
	if len(src) < size {
		return n, nil, corrupt("integer key is cut off")
	}
	for _, b := range src[1:size] {
		n.bits = n.bits<<8 | uint64(b^mask)
	}
	switch {
	case tag >= tagPositive1:
		if n.bits <= smallMax || bits.Len64(n.bits) <= 8*(size-2) {
			return n, nil, corrupt("integer key is not minimal")
		}
	case tag >= tagSmall:
		n.bits = uint64(tag - tagSmall)
	default:
		n.negative = true
		if size < 9 {
			n.bits |= ^uint64(0) << (8 * (size - 1))
		}
		if int64(n.bits) >= 0 || size > 2 && bits.Len64(^n.bits) <= 8*(size-2) {
			return n, nil, corrupt("integer key is not minimal")
		}
	}
	return n, src[size:], nil
}

// boxInteger returns n as the Go type of an integer kind. n must fit.
func boxInteger(k kind, n uint64) any {
	switch k {
	case kindInt8:
		return int8(n)
	case kindInt16, kindYear:
		return int16(n)
	case kindInt24, kindInt32:
		return int32(n)
	case kindInt64:
		return int64(n)
	case kindUint8:
		return uint8(n)
	case kindUint16, kindEnum:
		return uint16(n)
	case kindUint24, kindUint32:
		return uint32(n)
	default: // BIGINT UNSIGNED, BIT, SET
		return n
	}
}
