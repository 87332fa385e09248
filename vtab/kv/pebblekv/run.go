package pebblekv

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2/objstorage/objstorageprovider"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
)

const (
	// runBytesMax bounds the memory of one bulk writer. Longer runs mean fewer
	// table files that overlap, hence less to compact.
	runBytesMax = 32 << 20
	// ingestBytesMin is from when on a run becomes a table file: below it the
	// three syncs of one cost more than the log and the memory table.
	ingestBytesMin = 1 << 20
	// placeBytes is what a run keeps beside a pair.
	placeBytes = 24
)

func (o Options) runBytes() int { return int(min(runBytesMax, o.MemTableBytes)) }

// run is a number of pairs in the order in which they came.
type run struct {
	data   []byte // keys and values, one behind the other
	places []place
}

// place is where a pair lies in data. A run has less than 4 GiB: at most one
// value beyond runBytesMax.
type place struct {
	at         uint32
	keyBytes   uint32
	valueBytes uint32
	// head is the key behind what all keys of the run have in common, its first
	// eight bytes as a number: it decides nearly all comparisons of a sort
	// without a look at the key.
	head uint64
}

func (r *run) empty() bool { return len(r.places) == 0 }

// bytes is about what the run occupies.
func (r *run) bytes() int { return len(r.data) + placeBytes*len(r.places) }

func (r *run) add(key, value []byte) {
	r.places = append(r.places, place{at: uint32(len(r.data)), keyBytes: uint32(len(key)), valueBytes: uint32(len(value))})
	r.data = append(append(r.data, key...), value...)
}

func (r *run) reset() { r.data, r.places = r.data[:0], r.places[:0] }

func (r *run) key(p place) []byte { return r.data[p.at:][:p.keyBytes] }

func (r *run) value(p place) []byte { return r.data[p.at+p.keyBytes:][:p.valueBytes] }

// sort orders the pairs by key and keeps the last of each key.
func (r *run) sort() {
	r.fillHeads()
	if !slices.IsSortedFunc(r.places, r.order) {
		slices.SortFunc(r.places, r.order)
	}
	r.places = slices.CompactFunc(r.places, func(a, b place) bool {
		return a.head == b.head && bytes.Equal(r.key(a), r.key(b))
	})
}

// order is by key and, of one key, the later first: Compact keeps the first.
func (r *run) order(a, b place) int {
	if c := cmp.Compare(a.head, b.head); c != 0 {
		return c
	}
	if c := bytes.Compare(r.key(a), r.key(b)); c != 0 {
		return c
	}
	return cmp.Compare(b.at, a.at)
}

// fillHeads computes the heads. A key that ends within its head is filled up
// with zeros; it may then share the head of a longer one, and the keys decide.
func (r *run) fillHeads() {
	if r.empty() {
		return
	}
	common := r.key(r.places[0])
	for _, p := range r.places {
		key := r.key(p)
		common = common[:min(len(common), len(key))]
		for i := range common {
			if common[i] != key[i] {
				common = common[:i]
				break
			}
		}
	}
	var head [8]byte
	for i := range r.places {
		clear(head[copy(head[:], r.key(r.places[i])[len(common):]):])
		r.places[i].head = binary.BigEndian.Uint64(head[:])
	}
}

// handOver makes a run visible.
func (s *Store) handOver(ctx context.Context, r *run) error {
	r.sort()
	if r.bytes() < ingestBytesMin {
		return s.applyRun(r)
	}
	err := s.ingestRun(ctx, r)
	if vfs.IsNoSpaceError(err) {
		s.space.setFull()
	}
	return translate(err)
}

// applyRun writes a run through the log.
func (s *Store) applyRun(r *run) error {
	b := s.db.NewBatchWithSize(r.bytes() + 64)
	defer s.release(b)
	for _, p := range r.places {
		if err := b.Set(r.key(p), r.value(p), nil); err != nil {
			return translate(err)
		}
	}
	return s.applyUnsynced(b)
}

// ingestRun writes a run as a table file and gives it to Pebble, which links it
// in at the lowest level where it overlaps nothing. It is durable at once.
func (s *Store) ingestRun(ctx context.Context, r *run) error {
	path, err := s.folder.bulkFile(s.bulkFiles.Add(1))
	if err != nil {
		return err
	}
	if err := s.writeTable(path, r); err != nil {
		return errors.Join(err, s.options.FS.Remove(path))
	}
	err = recovered(func() error { return s.db.Ingest(ctx, []string{path}) })
	s.generation.Add(1)
	if errors.Is(err, errPanicked) {
		s.latch.trip(err)
	}
	if err != nil {
		return fmt.Errorf("handing over a table file: %w", errors.Join(err, s.options.FS.Remove(path)))
	}
	return s.latch.err()
}

// writeTable writes a sorted run to a new table file and syncs it.
func (s *Store) writeTable(path string, r *run) error {
	file, err := s.options.FS.Create(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return fmt.Errorf("making a table file: %w", err)
	}
	w := sstable.NewWriter(objstorageprovider.NewFileWritable(file), s.tables)
	for _, p := range r.places {
		if err = w.Set(r.key(p), r.value(p)); err != nil {
			break
		}
	}
	if err = errors.Join(err, w.Close()); err != nil {
		return fmt.Errorf("writing a table file: %w", err)
	}
	return nil
}
