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
// other chunks.
func markOf(batch []byte) (syncMark, bool) {
	if len(batch) < batchrepr.HeaderLen {
		return syncMark{}, false
	}
	entries := batchrepr.Read(batch)
	kind, data, _, ok, err := entries.Next()
	if !ok || err != nil || kind != pebble.InternalKeyKindLogData || len(data) != syncMarkBytes || data[0] != syncMarkTag {
		return syncMark{}, false
	}
	return syncMark{
		log:    binary.BigEndian.Uint64(data[1:]),
		offset: int64(binary.BigEndian.Uint64(data[9:])),
	}, true
}
