package enc

import "bytes"

// A byte string in a key ends with 0x00. The bytes 0x00 and 0x01 inside it are
// written as 0x01 0x01 and 0x01 0x02, so that nothing inside looks like the end
// and order is kept: end < escaped 0 < escaped 1 < 2.
const (
	terminator = 0x00
	escape     = 0x01
	escapedNul = 0x01
	escapedOne = 0x02
)

// appendKeyBytes appends s and its end.
func appendKeyBytes[S string | []byte](dst []byte, s S) []byte {
	from := 0
	for i := 0; i < len(s); i++ {
		if s[i] > escape {
			continue
		}
		dst = append(dst, s[from:i]...)
		dst = append(dst, escape, s[i]+1)
		from = i + 1
	}
	dst = append(dst, s[from:]...)
	return append(dst, terminator)
}

// skipKeyBytes returns what follows a byte string.
func skipKeyBytes(src []byte, mask byte) ([]byte, error) {
	end := bytes.IndexByte(src, terminator^mask)
	if end < 0 {
		return nil, corrupt("byte string in a key has no end")
	}
	return src[end+1:], nil
}

// readKeyBytes reads what appendKeyBytes wrote, with every byte flipped by mask.
// The value is a fresh slice, never nil.
func readKeyBytes(src []byte, mask byte) (value, rest []byte, err error) {
	rest, err = skipKeyBytes(src, mask)
	if err != nil {
		return nil, nil, err
	}
	body := src[:len(src)-len(rest)-1]
	value = make([]byte, 0, len(body))
	for i := 0; i < len(body); i++ {
		b := body[i] ^ mask
		if b == escape {
			i++
			if i == len(body) {
				return nil, nil, corrupt("byte string in a key ends in an escape")
			}
			b = body[i] ^ mask - 1
			if b > escape {
				return nil, nil, corrupt("unknown escape in a key")
			}
		}
		value = append(value, b)
	}
	return value, rest, nil
}
