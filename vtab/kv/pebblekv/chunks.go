package pebblekv

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
)

// The format of Pebble's logs and MANIFESTs (its package record): blocks of 32
// KiB that hold chunks, none across a block's end, each with a checksum. Chunks
// of a log carry the low 32 bits of the log's number, which tells them from what
// a file held before it was used again, and the newer kind how far the log had
// been synced.
//
// Pebble reads a log up to the first chunk that is not intact, and there decides
// whether that is the torn end or damage. In v2.1.7 it overlooks damage: it only
// looks beyond the block that it is in, it counts of what was synced only the
// parts of blocks that were written before the block was full, and the first log
// of a new store carries no such counts at all. Hence this reader, which decides
// before Pebble is opened.
const (
	blockBytes = 32 << 10

	plainHeaderBytes  = 7  // checksum, length, type: MANIFESTs
	logHeaderBytes    = 11 // and the number of the log
	syncedHeaderBytes = 19 // and the offset up to which it was synced

	// chunkKinds of each header follow one another: a whole record, its first,
	// a middle, its last chunk.
	chunkKinds       = 4
	plainChunkType   = 1
	logChunkType     = plainChunkType + chunkKinds
	syncedChunkType  = logChunkType + chunkKinds
	invalidChunkType = syncedChunkType + chunkKinds
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// chunk is an intact chunk.
type chunk struct {
	first, last bool   // of its record
	synced      uint64 // the log was synced at least so far when it was made; 0 is unknown
	payload     []byte // valid until the next block is read
	bytes       int    // with the header
}

// finding is what is at a place of a block.
type finding uint8

const (
	foundBroken finding = iota
	foundChunk
	foundPadding // the rest of the block holds nothing
	foundTrailer // a log was closed here
)

// chunkReader reads the chunks of one file.
type chunkReader struct {
	file io.Reader
	log  uint32 // the low bits of the log's number; 0 for a MANIFEST
}

// tail is how the readable part of a file ends.
type tail struct {
	end   int64 // the offset of the first byte that cannot be read
	torn  bool  // there is something at end, or a record begun before it
	close bool  // the trailer of a closed log is there
}

// read calls visit with every intact chunk and its offset: first those of the
// readable part, then, with beyond set, those that are found after it.
func (r *chunkReader) read(visit func(c chunk, offset int64, beyond bool)) (tail, error) {
	var t tail
	open := false // a record has begun
	buffer := make([]byte, blockBytes)
	for base := int64(0); ; base += blockBytes {
		n, err := io.ReadFull(r.file, buffer)
		whole := err == nil
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return t, err
		}
		block := buffer[:n]
		for at := 0; at < n; {
			c, found := r.at(block, at)
			if found == foundPadding && n-at < plainHeaderBytes && !whole {
				found = foundBroken // nothing so short ends a file
			}
			switch {
			case found == foundChunk:
				visit(c, base+int64(at), t.torn)
				if !t.torn {
					open = !c.last
				}
				at += c.bytes
			case found == foundPadding:
				at = n
			case found == foundTrailer && !open && !t.torn:
				return tail{end: base + int64(at), close: true}, nil
			default:
				if !t.torn {
					t = tail{end: base + int64(at), torn: true}
				}
				at = r.resume(block, at)
			}
		}
		if !whole {
			if !t.torn {
				t = tail{end: base + int64(n), torn: open}
			}
			return t, nil
		}
	}
}

// at decodes what is at a place of a block.
func (r *chunkReader) at(block []byte, at int) (chunk, finding) {
	rest := block[at:]
	if len(rest) < plainHeaderBytes {
		return chunk{}, foundPadding
	}
	sum, kind := binary.LittleEndian.Uint32(rest), rest[6]
	length := int(binary.LittleEndian.Uint16(rest[4:]))
	if sum == 0 && length == 0 && kind == 0 {
		return chunk{}, padding(rest)
	}
	header := r.header(kind)
	if header == 0 || len(rest) < header {
		return chunk{}, foundBroken
	}
	if header > plainHeaderBytes {
		switch number := binary.LittleEndian.Uint32(rest[7:]); {
		case number == r.log:
		case number == r.log+1 && sum == 0 && length == 0 && kind == logChunkType:
			return chunk{}, foundTrailer
		default:
			return chunk{}, foundBroken
		}
	}
	if len(rest) < header+length || sum != checksum(rest[6:header+length]) {
		return chunk{}, foundBroken
	}
	position := (kind - plainChunkType) % chunkKinds
	c := chunk{first: position <= 1, last: position == 0 || position == 3, payload: rest[header : header+length], bytes: header + length}
	if header == syncedHeaderBytes {
		c.synced = binary.LittleEndian.Uint64(rest[11:])
	}
	return c, foundChunk
}

// header is the length of a header in this kind of file, 0 if it has none of
// that type.
func (r *chunkReader) header(kind byte) int {
	switch {
	case kind >= plainChunkType && kind < logChunkType && r.log == 0:
		return plainHeaderBytes
	case kind >= logChunkType && kind < syncedChunkType && r.log != 0:
		return logHeaderBytes
	case kind >= syncedChunkType && kind < invalidChunkType && r.log != 0:
		return syncedHeaderBytes
	default:
		return 0
	}
}

// padding judges the zeros at a place where a chunk could be: they are one only
// where the longest header does not fit.
func padding(rest []byte) finding {
	if len(rest) < logHeaderBytes {
		return foundPadding
	}
	if len(rest) >= syncedHeaderBytes {
		return foundBroken
	}
	for _, b := range rest {
		if b != 0 {
			return foundBroken
		}
	}
	return foundPadding
}

// resume finds where to go on after a broken chunk: where its header says that
// it ends, if something whole is there, else at the next intact chunk of the
// block. The header goes first because a record may contain the image of a log.
func (r *chunkReader) resume(block []byte, at int) int {
	rest := block[at:]
	if len(rest) < plainHeaderBytes {
		return len(block)
	}
	if header := r.header(rest[6]); header > 0 {
		next := at + header + int(binary.LittleEndian.Uint16(rest[4:]))
		if next == len(block) {
			return next
		}
		if next < len(block) {
			if _, found := r.at(block, next); found != foundBroken {
				return next
			}
		}
	}
	for next := at + 1; next < len(block); next++ {
		if _, found := r.at(block, next); found == foundChunk {
			return next
		}
	}
	return len(block)
}

// checksum is the CRC-32C of Pebble's chunks, rotated and shifted so that a
// checksum over data with checksums in it is not weak.
func checksum(data []byte) uint32 {
	c := crc32.Checksum(data, castagnoli)
	return (c>>15 | c<<17) + 0xa282ead8
}
