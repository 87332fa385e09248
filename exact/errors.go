package exact

import "errors"

// Adding.
var (
	// ErrNotFinite: the value is a decimal NaN or infinity.
	ErrNotFinite = errors.New("the value is not a finite number")
	// ErrScale: the value has more fractional digits, or a larger power of ten,
	// than an accumulator takes.
	ErrScale = errors.New("the scale of the value is out of range")
)

// Decoding.
var (
	// ErrEncoding: the bytes are not an encoded accumulator.
	ErrEncoding = errors.New("not an encoded accumulator")
)
