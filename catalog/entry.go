package catalog

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"github.com/freshetdb/freshet/vtab/kv"
)

// The stored form of an entry (docs/formats/catalog.md):
//
//	key    SpaceCatalog, kind (1 byte), id (4)
//	value  record version (1)
//	       head length (4), head checksum (4), head
//	       body length (4), body checksum (4), body
//	       head, head checksum (4), head length (4)
//
// The head is stored at both ends because it says what must survive damage to
// the rest: whose name is reserved and which key ranges are somebody's data.
const (
	recordVersion = 1
	entryKeyBytes = 6
	frameBytes    = 8 // a length and a checksum
)

// Checksums cover the key and the part's tag too, so that a value under another
// entry's key, or a part in another's place, does not pass.
const (
	partHead = 'h'
	partBody = 'b'
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// head is what can be known of an entry without decoding its body.
type head struct {
	Header
	physical   []ID
	references []TableRef
	maxID      ID // the highest id used inside the body
}

// EntryKey returns the key under which a committed definition is stored.
func EntryKey(kind Kind, id ID) []byte { return entryKey(kind, id) }

// entryKey returns the key of an entry.
func entryKey(kind Kind, id ID) []byte {
	return binary.BigEndian.AppendUint32([]byte{byte(kv.SpaceCatalog), byte(kind)}, uint32(id))
}

// parseEntryKey is the inverse of entryKey.
func parseEntryKey(key []byte) (Kind, ID, bool) {
	if len(key) != entryKeyBytes || key[0] != byte(kv.SpaceCatalog) {
		return 0, 0, false
	}
	return Kind(key[1]), ID(binary.BigEndian.Uint32(key[2:])), true
}

func checksum(key []byte, part byte, data []byte) uint32 {
	sum := crc32.Update(0, castagnoli, key)
	sum = crc32.Update(sum, castagnoli, []byte{part})
	return crc32.Update(sum, castagnoli, data)
}

// encodeEntry returns the value stored under the entry's key.
func encodeEntry(h *head, body []byte) []byte {
	key := entryKey(h.Kind, h.ID)
	hd := appendHead(nil, h)
	sum := checksum(key, partHead, hd)
	value := make([]byte, 0, 1+3*frameBytes+2*len(hd)+len(body))
	value = append(value, recordVersion)
	value = binary.BigEndian.AppendUint32(value, uint32(len(hd)))
	value = binary.BigEndian.AppendUint32(value, sum)
	value = append(value, hd...)
	value = binary.BigEndian.AppendUint32(value, uint32(len(body)))
	value = binary.BigEndian.AppendUint32(value, checksum(key, partBody, body))
	value = append(value, body...)
	value = append(value, hd...)
	value = binary.BigEndian.AppendUint32(value, sum)
	return binary.BigEndian.AppendUint32(value, uint32(len(hd)))
}

// decodeEntry takes an entry apart. A nil error means that all of value is what
// encodeEntry made. Otherwise the head is still returned when one of its copies
// is intact, else nil; the body never is. It never panics.
func decodeEntry(key, value []byte) (*head, []byte, error) {
	kind, id, ok := parseEntryKey(key)
	if !ok {
		return nil, nil, ErrBadKey
	}
	front, rest := splitFront(key, value)
	back := splitBack(key, value)
	hd := front
	if hd == nil {
		hd = back
	}
	var h *head
	if hd != nil {
		if h = parseHead(hd); h != nil {
			h.Kind, h.ID = kind, id
		}
	}
	switch {
	case len(value) == 0:
		return nil, nil, fmt.Errorf("%w: it is empty", ErrDamaged)
	case value[0] != recordVersion:
		return h, nil, fmt.Errorf("%w: it is %d", ErrUnknownRecord, value[0])
	case h == nil || front == nil || !bytes.Equal(front, back):
		return h, nil, ErrDamaged
	}
	body, tail := splitPart(key, partBody, rest)
	if body == nil || len(tail) != len(back)+frameBytes {
		return h, nil, ErrDamaged
	}
	return h, body, nil
}

// splitPart takes length, checksum and data off the front of b. The data is nil
// (never merely empty) if they do not fit.
func splitPart(key []byte, part byte, b []byte) (data, rest []byte) {
	if len(b) < frameBytes {
		return nil, nil
	}
	n := uint64(binary.BigEndian.Uint32(b))
	if n > uint64(len(b)-frameBytes) {
		return nil, nil
	}
	data = b[frameBytes : frameBytes+n : frameBytes+n]
	if checksum(key, part, data) != binary.BigEndian.Uint32(b[4:]) {
		return nil, nil
	}
	return data, b[frameBytes+n:]
}

// splitFront returns the head at the front of a value and what follows it.
func splitFront(key, value []byte) (hd, rest []byte) {
	if len(value) == 0 {
		return nil, nil
	}
	return splitPart(key, partHead, value[1:])
}

// splitBack returns the head at the end of a value.
func splitBack(key, value []byte) []byte {
	if len(value) < 1+frameBytes {
		return nil
	}
	end := len(value) - frameBytes
	n := uint64(binary.BigEndian.Uint32(value[end+4:]))
	if n > uint64(end-1) {
		return nil
	}
	hd := value[uint64(end)-n : end]
	if checksum(key, partHead, hd) != binary.BigEndian.Uint32(value[end:]) {
		return nil
	}
	return hd
}

// appendHead encodes a head; kind and id are in the key.
func appendHead(dst []byte, h *head) []byte {
	dst = binary.BigEndian.AppendUint64(dst, h.Version)
	dst = binary.BigEndian.AppendUint32(dst, uint32(h.Parent))
	dst = binary.BigEndian.AppendUint32(dst, uint32(h.maxID))
	dst = appendText(dst, h.Name)
	dst = binary.AppendUvarint(dst, uint64(len(h.physical)))
	for _, id := range h.physical {
		dst = binary.BigEndian.AppendUint32(dst, uint32(id))
	}
	dst = binary.AppendUvarint(dst, uint64(len(h.references)))
	for _, ref := range h.references {
		dst = appendText(appendText(dst, ref.Database), ref.Table)
	}
	return dst
}

func appendText(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// parseHead is the inverse of appendHead, nil for anything else.
func parseHead(b []byte) *head {
	r := headReader{rest: b}
	h := &head{}
	h.Version = r.uint64()
	h.Parent = ID(r.uint32())
	h.maxID = ID(r.uint32())
	h.Name = r.text()
	for range r.count(4) {
		h.physical = append(h.physical, ID(r.uint32()))
	}
	for range r.count(2) {
		h.references = append(h.references, TableRef{Database: r.text(), Table: r.text()})
	}
	if r.failed || len(r.rest) != 0 {
		return nil
	}
	return h
}

// headReader reads the parts of a head; after a failure all it reads is zero.
type headReader struct {
	rest   []byte
	failed bool
}

func (r *headReader) take(n uint64) []byte {
	if r.failed || n > uint64(len(r.rest)) {
		r.failed = true
		return nil
	}
	part := r.rest[:n]
	r.rest = r.rest[n:]
	return part
}

func (r *headReader) uint64() uint64 {
	if part := r.take(8); part != nil {
		return binary.BigEndian.Uint64(part)
	}
	return 0
}

func (r *headReader) uint32() uint32 {
	if part := r.take(4); part != nil {
		return binary.BigEndian.Uint32(part)
	}
	return 0
}

func (r *headReader) uvarint() uint64 {
	v, n := binary.Uvarint(r.rest)
	if r.failed || n <= 0 {
		r.failed = true
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

func (r *headReader) text() string { return string(r.take(r.uvarint())) }

// count reads a number of elements of at least size bytes each, refusing one
// that the rest cannot hold.
func (r *headReader) count(size uint64) uint64 {
	n := r.uvarint()
	if n > uint64(len(r.rest))/size {
		r.failed = true
		return 0
	}
	return n
}
