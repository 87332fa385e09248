package enc

import (
	"encoding/binary"
	"math"
)

// tagValue starts the key of a value whose kind has no tags of its own.
const tagValue = 0x03

// orderedBits maps a float to an unsigned integer so that the order of the
// integers is the order of the numbers. Both zeros are one; every NaN is one,
// above +Inf.
func orderedBits(f float64) uint64 {
	if f == 0 {
		f = 0 // drops the sign
	}
	if math.IsNaN(f) {
		f = math.NaN()
	}
	u := math.Float64bits(f)
	if u>>63 == 1 {
		return ^u
	}
	return u | 1<<63
}

func appendKeyFloat64(dst []byte, f float64) []byte {
	return binary.BigEndian.AppendUint64(append(dst, tagValue), orderedBits(f))
}

// orderedBits32 is orderedBits for single precision.
func orderedBits32(f float32) uint32 {
	if f == 0 {
		f = 0
	}
	if f != f {
		f = float32(math.NaN())
	}
	u := math.Float32bits(f)
	if u>>31 == 1 {
		return ^u
	}
	return u | 1<<31
}

func appendKeyFloat32(dst []byte, f float32) []byte {
	return binary.BigEndian.AppendUint32(append(dst, tagValue), orderedBits32(f))
}

// narrow returns the largest float32 not above f, or if up the smallest not
// below; exact reports whether it is f itself.
func narrow(f float64, up bool) (g float32, exact bool) {
	g = float32(f)
	switch {
	case float64(g) == f || f != f:
		return g, true
	case up && float64(g) < f:
		g = math.Nextafter32(g, float32(math.Inf(1)))
	case !up && float64(g) > f:
		g = math.Nextafter32(g, float32(math.Inf(-1)))
	}
	return g, false
}
