package enc

// Successor appends to dst the smallest byte string greater than every string
// that starts with key, and returns dst. It returns nil if there is none: key is
// empty or all of it is 0xff. dst and key may not overlap.
func Successor(dst, key []byte) []byte {
	for i := len(key) - 1; i >= 0; i-- {
		if key[i] != 0xff {
			dst = append(dst, key[:i]...)
			return append(dst, key[i]+1)
		}
	}
	return nil
}
