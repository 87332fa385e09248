package kv

import (
	"encoding/binary"
	"fmt"
)

// Space is the first byte of every key.
type Space byte

const (
	SpaceMeta     Space = 0x01 // singletons of the store: position, catalog version, next id, clean-shutdown marker
	SpaceCatalog  Space = 0x02 // catalog entries by kind and id
	SpaceRow      Space = 0x03 // rows by physical id and primary key
	SpaceIndex    Space = 0x04 // index entries by physical id and key
	SpaceView     Space = 0x05 // view state
	SpaceLog      Space = 0x06 // transaction log
	SpaceDerived  Space = 0x07 // derived-index state
	SpaceCount    Space = 0x08 // exact row counts by physical id
	SpaceSequence Space = 0x09 // auto-increment reservations by table id
	SpaceLock     Space = 0x0a // never stored: lock keys that are not data keys (tables)
)

// PrefixBytes is the length of a space byte and an id.
const PrefixBytes = 5

// AppendPrefix appends the space and the id that start a key of one object.
// Ids are unsigned, big endian, so that objects sort by id.
func AppendPrefix(dst []byte, s Space, id uint32) []byte {
	return binary.BigEndian.AppendUint32(append(dst, byte(s)), id)
}

// PrefixRange is the range of all keys of one object.
func PrefixRange(s Space, id uint32) Range {
	r := Range{Start: AppendPrefix(nil, s, id)}
	if id == 1<<32-1 {
		r.End = []byte{byte(s) + 1}
	} else {
		r.End = AppendPrefix(nil, s, id+1)
	}
	return r
}

// SpaceRange is the range of all keys of a space.
func SpaceRange(s Space) Range {
	return Range{Start: []byte{byte(s)}, End: []byte{byte(s) + 1}}
}

// Keys of SpaceMeta. The engine writes MetaPosition in every batch.
var (
	MetaPosition       = []byte{byte(SpaceMeta), 'p'}
	MetaReserved       = []byte{byte(SpaceMeta), 'r'} // positions below it may have been handed out
	MetaCatalogVersion = []byte{byte(SpaceMeta), 'c'}
	MetaNextID         = []byte{byte(SpaceMeta), 'i'}
	MetaCleanShutdown  = []byte{byte(SpaceMeta), 'm'}
)

// AppendPosition appends the stored form of a position, the value of
// MetaPosition and MetaReserved: eight bytes, big endian.
func AppendPosition(dst []byte, p Position) []byte {
	return binary.BigEndian.AppendUint64(dst, uint64(p))
}

// DecodePosition reads what AppendPosition wrote. Anything else is ErrCorrupt.
func DecodePosition(value []byte) (Position, error) {
	if len(value) != 8 {
		return 0, fmt.Errorf("position of %d bytes: %w", len(value), ErrCorrupt)
	}
	return Position(binary.BigEndian.Uint64(value)), nil
}
