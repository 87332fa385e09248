package enc

import "encoding/binary"

// readUvarint reads a minimal varint.
func readUvarint(src []byte) (uint64, []byte, error) {
	n, size := binary.Uvarint(src)
	if size <= 0 || size > 1 && src[size-1] == 0 {
		return 0, nil, corrupt("number is cut off or not minimal")
	}
	return n, src[size:], nil
}

// readVarint reads a minimal zigzag varint.
func readVarint(src []byte) (int64, []byte, error) {
	n, size := binary.Varint(src)
	if size <= 0 || size > 1 && src[size-1] == 0 {
		return 0, nil, corrupt("number is cut off or not minimal")
	}
	return n, src[size:], nil
}

// readSized reads a length and that many bytes, which are part of src.
func readSized(src []byte) (body, rest []byte, err error) {
	n, src, err := readUvarint(src)
	if err != nil {
		return nil, nil, err
	}
	if n > uint64(len(src)) {
		return nil, nil, corrupt("length is beyond the end")
	}
	return src[:n:n], src[n:], nil
}

// readCount reads a number of elements of at least one byte each.
func readCount(src []byte) (int, []byte, error) {
	n, src, err := readUvarint(src)
	if err != nil {
		return 0, nil, err
	}
	if n > uint64(len(src)) {
		return 0, nil, corrupt("count is beyond the end")
	}
	return int(n), src, nil
}
