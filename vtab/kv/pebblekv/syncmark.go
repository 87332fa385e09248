package pebblekv

import (
	"encoding/binary"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/batchrepr"
)

// syncMark says that a log was synced up to an offset. Each commit carries the
// newest one into the log, in a record that Pebble keeps there and nowhere else.
// A damaged place that a mark after it covers was whole once: that tells it from
// the torn end that a loss of power leaves.
type syncMark struct {
	log    uint64 // its number
	offset int64  // always the end of a chunk
}

const (
	syncMarkTag   = 's'
	syncMarkBytes = 1 + 8 + 8
)

func (m syncMark) encode() []byte {
	b := append(make([]byte, 0, syncMarkBytes), syncMarkTag)
	b = binary.BigEndian.AppendUint64(b, m.log)
	return binary.BigEndian.AppendUint64(b, uint64(m.offset))
}

// markOf reads the mark at the beginning of a batch, of which the rest may be in
// other chunks. Pebble's own reader of batches wants all of it.
func markOf(batch []byte) (syncMark, bool) {
	const head = batchrepr.HeaderLen + 2 // kind and length of the first entry
	if len(batch) < head+syncMarkBytes || pebble.InternalKeyKind(batch[head-2]) != pebble.InternalKeyKindLogData ||
		batch[head-1] != syncMarkBytes || batch[head] != syncMarkTag {
		return syncMark{}, false
	}
	data := batch[head : head+syncMarkBytes]
	return syncMark{
		log:    binary.BigEndian.Uint64(data[1:]),
		offset: int64(binary.BigEndian.Uint64(data[9:])),
	}, true
}
