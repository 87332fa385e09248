package enc

import "unsafe"

// alias returns b as a string without copying. b must never change afterwards.
func alias(b []byte) string {
	return unsafe.String(unsafe.SliceData(b), len(b))
}
