package pebblekv

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/wal"

	"github.com/freshetdb/freshet/vtab/kv"
)

// newestLogPrefix begins the name of an empty file in the data folder, which goes
// on with the number of the newest log that was ever made.
const newestLogPrefix = "newest-log."

// The first fields of a record of a MANIFEST, in the order in which they are
// written.
const (
	manifestComparer  = 1
	manifestOldestLog = 2
)

// noteLog writes down, durably, that a log was made and may now receive commits.
func (f *folder) noteLog(number uint64) error {
	_, old, err := f.newestLog()
	if err != nil {
		return err
	}
	name := f.file(fmt.Sprintf("%s%06d", newestLogPrefix, number))
	file, err := f.fs.Create(name, vfs.WriteCategoryUnspecified)
	if err == nil {
		err = errors.Join(file.Close(), syncDir(f.fs, f.path))
	}
	for _, o := range old {
		if path := f.file(o); err == nil && path != name {
			err = f.fs.Remove(path)
		}
	}
	if err != nil {
		return fmt.Errorf("noting that there is a new log: %w", err)
	}
	return nil
}

// newestLog returns the number of the newest log that was ever made, 0 if none is
// noted, and the names of the notes: a crash leaves two.
func (f *folder) newestLog() (newest uint64, notes []string, err error) {
	names, err := f.fs.List(f.path)
	if err != nil {
		return 0, nil, fmt.Errorf("reading the data folder: %w", err)
	}
	for _, name := range names {
		digits, ok := strings.CutPrefix(name, newestLogPrefix)
		if !ok {
			continue
		}
		number, err := strconv.ParseUint(digits, 10, 64)
		if err != nil {
			return 0, nil, fmt.Errorf("%w: the name of the file %s ends with no number", kv.ErrCorrupt, f.file(name))
		}
		newest, notes = max(newest, number), append(notes, name)
	}
	return newest, notes, nil
}

// verify makes sure, without changing anything, that what the store's history is
// read from is there and whole: the MANIFEST, and every log whose contents are
// not all in table files. It reads each of these logs once.
func (f *folder) verify() error {
	if f.created {
		return nil
	}
	manifest, oldest, err := f.readManifest()
	if err != nil {
		return err
	}
	all, err := wal.Scan(wal.Dir{FS: f.fs, Dirname: f.storePath()})
	if err != nil {
		return err
	}
	newest, _, err := f.newestLog()
	if err != nil {
		return err
	}
	h := history{folder: f, manifest: manifest, oldest: oldest, logs: all}
	for len(h.logs) > 0 && uint64(h.logs[0].Num) < oldest {
		h.logs = h.logs[1:]
	}
	switch {
	case newest >= oldest && !h.has(newest):
		return h.missing(newest)
	case newest == 0 && len(all) == 0:
		return h.missing(oldest)
	}
	for i := range h.logs {
		if err := h.verifyLog(i); err != nil {
			return err
		}
	}
	return nil
}

// history is what a store is recovered from.
type history struct {
	folder   *folder
	manifest string
	oldest   uint64   // logs before it are not needed
	logs     wal.Logs // those that are needed
}

func (h *history) has(number uint64) bool {
	_, ok := h.logs.Get(wal.NumWAL(number))
	return ok
}

func (h *history) missing(number uint64) error {
	return fmt.Errorf("%w: %w: the log %s is missing, and with it commits that %s does not have in table files; restore the folder from a copy",
		kv.ErrCorrupt, errIncomplete, h.folder.fs.PathJoin(h.folder.storePath(), fmt.Sprintf("%06d.log", number)), h.manifest)
}

// verifyLog reads a log. A log that was closed must be whole. The last one may
// be torn, but not where it says itself that it had been synced.
func (h *history) verifyLog(i int) error {
	number := uint64(h.logs[i].Num)
	fsys, path := h.logs[i].SegmentLocation(0)
	file, err := fsys.Open(path)
	if err != nil {
		return fmt.Errorf("opening a log: %w", err)
	}
	var proof, lost uint64
	r := chunkReader{file: file, log: uint32(number)}
	t, err := r.read(func(c chunk, offset int64, beyond bool) {
		mark, ok := syncMark{}, false
		if c.first {
			mark, ok = markOf(c.payload)
		}
		if ok && mark.log >= h.oldest && mark.log < number && !h.has(mark.log) {
			lost = mark.log
		}
		if !beyond {
			return
		}
		synced := c.synced
		if ok && mark.log == number {
			synced = max(synced, uint64(mark.offset))
		}
		if synced <= uint64(offset) { // else it is no chunk of this log
			proof = max(proof, synced)
		}
	})
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("reading %s: %w", path, err)
	}
	switch last := i == len(h.logs)-1; {
	case lost > 0:
		return h.missing(lost)
	case !last && !t.close:
		return fmt.Errorf("%w: %s is damaged at byte %d, and later logs follow; restore the folder from a copy", kv.ErrCorrupt, path, t.end)
	case t.torn && proof > uint64(t.end):
		return fmt.Errorf("%w: %s is damaged at byte %d: records after it prove that it had been written up to byte %d; "+
			"restore the folder from a copy, or, to give up every commit from there on, keep a copy of the file and cut it to %d bytes",
			kv.ErrCorrupt, path, t.end, proof, t.end)
	}
	return nil
}

// readManifest returns the path of the current MANIFEST and the number of the
// oldest log that it needs. Its records are synced one by one, so only the last
// may be torn.
func (f *folder) readManifest() (path string, oldest uint64, err error) {
	desc, err := pebble.Peek(f.storePath(), f.fs)
	if err != nil {
		return "", 0, fmt.Errorf("looking at %s: %w", f.storePath(), translate(err))
	}
	if !desc.Exists {
		return "", 0, fmt.Errorf("%w: %w: %s has no MANIFEST; restore the folder from a copy", kv.ErrCorrupt, errIncomplete, f.storePath())
	}
	path = desc.ManifestFilename
	file, err := f.fs.Open(path)
	if err != nil {
		return "", 0, fmt.Errorf("%w: %w: opening %s: %w", kv.ErrCorrupt, errIncomplete, path, err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	proof := int64(0)
	r := chunkReader{file: file}
	t, err := r.read(func(c chunk, offset int64, beyond bool) {
		switch {
		case beyond && c.first:
			proof = offset
		case !beyond && c.first:
			if number, ok := oldestLogIn(c.payload); ok {
				oldest = number
			}
		}
	})
	if err != nil {
		return "", 0, fmt.Errorf("reading %s: %w", path, err)
	}
	if proof > 0 {
		return "", 0, fmt.Errorf("%w: %s is damaged at byte %d, and a record follows at byte %d; restore the folder from a copy", kv.ErrCorrupt, path, t.end, proof)
	}
	return path, oldest, nil
}

// oldestLogIn reads, if it is there, the number of the oldest log needed from
// the beginning of a record of a MANIFEST.
func oldestLogIn(record []byte) (uint64, bool) {
	tag, rest, ok := cutUvarint(record)
	if ok && tag == manifestComparer {
		var length uint64
		if length, rest, ok = cutUvarint(rest); !ok || length > uint64(len(rest)) {
			return 0, false
		}
		tag, rest, ok = cutUvarint(rest[length:])
	}
	if !ok || tag != manifestOldestLog {
		return 0, false
	}
	number, _, ok := cutUvarint(rest)
	return number, ok
}

func cutUvarint(b []byte) (value uint64, rest []byte, ok bool) {
	value, n := binary.Uvarint(b)
	if n <= 0 {
		return 0, nil, false
	}
	return value, b[n:], true
}
