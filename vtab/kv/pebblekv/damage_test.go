package pebblekv

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/cockroachdb/pebble/v2/wal"
	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/vtab/kv"
)

// killed is what a store's folder holds after the end of its process.
func killed(mem *vfs.MemFS) *vfs.MemFS { return crashClone(mem, 100, 1) }

// contents is every file of a folder, by path.
func contents(t testing.TB, fsys vfs.FS, dir string) map[string]string {
	t.Helper()
	got := map[string]string{}
	names, err := fsys.List(dir)
	require.NoError(t, err)
	for _, name := range names {
		path := fsys.PathJoin(dir, name)
		info, err := fsys.Stat(path)
		require.NoError(t, err)
		if !info.IsDir() {
			got[path] = string(readFile(t, fsys, path))
			continue
		}
		for path, content := range contents(t, fsys, path) {
			got[path] = content
		}
	}
	return got
}

// requireDamaged asserts that a folder is refused as damaged, that the error has
// all words, and that no file changed.
func requireDamaged(t testing.TB, fsys vfs.FS, words ...string) {
	t.Helper()
	before := contents(t, fsys, "data")
	s, err := Open(ctx, "data", small(fsys))
	if err == nil {
		_ = s.Close()
	}
	require.ErrorIs(t, err, kv.ErrCorrupt)
	for _, w := range words {
		require.ErrorContains(t, err, w)
	}
	require.Equal(t, before, contents(t, fsys, "data"))
}

// recordStarts are the offsets of the records of a log, and its readable end.
func recordStarts(t testing.TB, name string, content []byte) ([]int, tail) {
	t.Helper()
	number, _, ok := wal.ParseLogFilename(name[strings.LastIndex(name, "/")+1:])
	require.True(t, ok, name)
	var starts []int
	r := chunkReader{file: bytes.NewReader(content), log: uint32(number)}
	end, err := r.read(func(c chunk, offset int64, beyond bool) {
		if c.first && !beyond {
			starts = append(starts, int(offset))
		}
	})
	require.NoError(t, err)
	return starts, end
}

// ST-044, INV-KV-10: after a kill, one flipped bit anywhere in the log before
// its last record is refused with the file and the place, no file changed; in the
// last record it is a torn end. In the first log of a store, which Pebble writes
// without offsets, and in a later one; with records of less and more than a block.
func TestDamagedLog(t *testing.T) {
	for name, c := range map[string]struct{ bytes, commits, sessions int }{
		"first log":     {40, 200, 1},
		"a later log":   {40, 200, 2},
		"large records": {50_000, 5, 2},
	} {
		t.Run(name, func(t *testing.T) {
			mem := vfs.NewCrashableMem()
			o := Options{FS: mem}
			s := open(t, o)
			for range c.sessions - 1 {
				require.NoError(t, s.Close())
				s = open(t, o)
			}
			for i := range c.commits {
				put(t, s, fmt.Sprintf("\x03%03d", i), strings.Repeat("v", c.bytes))
			}
			file, content := lastLog(t, killed(mem))
			starts, end := recordStarts(t, file, content)
			require.Greater(t, len(starts), c.commits) // and the reservation
			last := starts[len(starts)-1]
			flips := []int{last - 1, last, last + 7, int(end.end) - 1}
			for at := range syncedHeaderBytes { // of a record in the middle
				flips = append(flips, starts[len(starts)/2]+at)
			}
			for at := 0; at < int(end.end); at += int(end.end)/40 + 1 {
				flips = append(flips, at)
			}
			for i, at := range flips {
				if testing.Short() && i%4 != 0 {
					continue
				}
				fsys := killed(mem)
				bad := bytes.Clone(content)
				bad[at] ^= 1 << (i % 8)
				if i >= 4 && i < 4+syncedHeaderBytes {
					bad[at] = content[at] ^ 1
				}
				writeFile(t, fsys, file, bad)
				if at < last {
					start := starts[0]
					for _, s := range starts {
						if s <= at {
							start = s
						}
					}
					words := []string{file}
					if c.bytes < blockBytes { // else another chunk of the record
						words = append(words, fmt.Sprintf("damaged at byte %d", start))
					}
					requireDamaged(t, fsys, words...)
					continue
				}
				s := open(t, Options{FS: fsys})
				require.Len(t, dump(t, s), c.commits-1, "byte %d", at)
				require.NoError(t, s.Close())
			}
		})
	}
}

// The way out that the error names works.
func TestDamagedLogIsCut(t *testing.T) {
	mem := vfs.NewCrashableMem()
	s := open(t, Options{FS: mem})
	for i := range 30 {
		put(t, s, fmt.Sprintf("\x03%03d", i), "value")
	}
	fsys := killed(mem)
	file, content := lastLog(t, fsys)
	starts, _ := recordStarts(t, file, content)
	bad := bytes.Clone(content)
	bad[starts[11]+30] ^= 4
	writeFile(t, fsys, file, bad)
	requireDamaged(t, fsys, fmt.Sprintf("cut it to %d bytes", starts[11]))
	writeFile(t, fsys, file, bad[:starts[11]])
	again := open(t, Options{FS: fsys})
	require.Len(t, dump(t, again), 10) // the first record is the reservation
	require.NoError(t, again.Close())
}

// busy is a store that was killed after commits of eight writers, with several
// logs, some of them in files that were used before.
func busy(t testing.TB) (*vfs.MemFS, int) {
	mem := vfs.NewCrashableMem()
	s := open(t, small(mem))
	const writers, commits = 8, 90
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() {
			for n := 1; n <= commits; n++ {
				if err := countUp(s, i, n); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	return killed(mem), writers * (commits + 1)
}

// logsOf are the paths of the logs that a folder needs, by number.
func logsOf(t testing.TB, fsys vfs.FS) []string {
	t.Helper()
	f := &folder{fs: fsys, path: "data"}
	_, oldest, err := f.readManifest()
	require.NoError(t, err)
	logs, err := wal.Scan(wal.Dir{FS: fsys, Dirname: f.storePath()})
	require.NoError(t, err)
	var paths []string
	for _, l := range logs {
		if uint64(l.Num) >= oldest {
			_, path := l.SegmentLocation(0)
			paths = append(paths, path)
		}
	}
	return paths
}

// ST-044: a log that many writers filled, in a file that was used before. What is
// taken for a torn end is no more than the commits of the last few syncs.
func TestDamagedSharedLog(t *testing.T) {
	fsys, rows := busy(t)
	logs := logsOf(t, fsys)
	file := logs[len(logs)-1]
	content := readFile(t, fsys, file)
	_, end := recordStarts(t, file, content)
	require.True(t, end.torn, "the file was not used before")
	refused := 0
	const flips = 50
	for i := range flips {
		at := int(end.end) * i / flips
		bad := bytes.Clone(content)
		bad[at] ^= 0x20
		again := killed(fsys)
		writeFile(t, again, file, bad)
		s, err := Open(ctx, "data", small(again))
		if err != nil {
			require.ErrorIs(t, err, kv.ErrCorrupt)
			require.ErrorContains(t, err, file)
			refused++
			continue
		}
		require.Greater(t, len(dump(t, s)), rows-4*8, "byte %d of %d", at, end.end)
		require.NoError(t, s.Close())
	}
	require.Greater(t, refused, flips/2)
}

// ST-044: nothing that the history is read from may be missing, and a store that
// had commits never comes up empty.
func TestMissingFiles(t *testing.T) {
	t.Run("the only log", func(t *testing.T) {
		mem := vfs.NewCrashableMem()
		s := open(t, Options{FS: mem})
		put(t, s, "\x03a", "1")
		fsys := killed(mem)
		file, _ := lastLog(t, fsys)
		require.NoError(t, fsys.Remove(file))
		requireDamaged(t, fsys, file, "missing")
	})
	t.Run("any log", func(t *testing.T) {
		// A log is missed whether it is the first, the last or between.
		const commits = 30
		mem, inj, faulty := faultyFS()
		s := open(t, small(faulty))
		held := make(chan struct{}) // flushes wait for it
		inj.set(func(op errorfs.Op) error {
			if op.Kind == errorfs.OpCreate && s.guard.roleOf(op.Path) == roleTable {
				<-held
			}
			return nil
		})
		for i := range commits {
			put(t, s, fmt.Sprintf("\x03%03d", i), strings.Repeat("v", workloadValueBytes))
		}
		clone := killed(mem)
		close(held)
		logs := logsOf(t, clone)
		require.GreaterOrEqual(t, len(logs), 3)
		for _, file := range logs {
			fsys := killed(clone)
			require.NoError(t, fsys.Remove(file))
			requireDamaged(t, fsys, file, "missing")
		}
		for _, file := range logs[:len(logs)-1] { // closed ones must be whole
			fsys := killed(clone)
			content := readFile(t, fsys, file)
			_, end := recordStarts(t, file, content)
			require.True(t, end.close)
			writeFile(t, fsys, file, content[:end.end])
			requireDamaged(t, fsys, file)
		}
		again := open(t, small(clone))
		require.Len(t, dump(t, again), commits)
		require.NoError(t, again.Close())
	})
	t.Run("everything of the engine", func(t *testing.T) {
		mem := vfs.NewCrashableMem()
		require.NoError(t, open(t, Options{FS: mem}).Close())
		fsys := killed(mem)
		require.NoError(t, fsys.RemoveAll("data/store"))
		require.NoError(t, fsys.MkdirAll("data/store", 0o750))
		requireDamaged(t, fsys, "MANIFEST")
	})
	for _, prefix := range []string{"MANIFEST-", "marker.manifest", "*.sst"} {
		t.Run(prefix, func(t *testing.T) {
			fsys, _ := busy(t)
			names, err := fsys.List("data/store")
			require.NoError(t, err)
			for _, name := range names {
				if strings.HasPrefix(name, prefix) || strings.HasSuffix(name, strings.TrimPrefix(prefix, "*")) {
					require.NoError(t, fsys.Remove("data/store/"+name))
				}
			}
			requireDamaged(t, fsys)
		})
	}
}

// ST-044: a MANIFEST that is damaged before its last record is refused, Pebble
// would take what comes before as the newest state.
func TestDamagedManifest(t *testing.T) {
	fsys, _ := busy(t)
	f := &folder{fs: fsys, path: "data"}
	file, _, err := f.readManifest()
	require.NoError(t, err)
	content := readFile(t, fsys, file)
	var starts []int
	r := chunkReader{file: bytes.NewReader(content)}
	_, err = r.read(func(_ chunk, offset int64, _ bool) { starts = append(starts, int(offset)) })
	require.NoError(t, err)
	require.Greater(t, len(starts), 3)
	for _, at := range starts[:len(starts)-1] {
		for _, in := range []int{0, 4, 6, plainHeaderBytes} {
			again := killed(fsys)
			bad := bytes.Clone(content)
			bad[at+in] ^= 1
			writeFile(t, again, file, bad)
			requireDamaged(t, again, file, fmt.Sprintf("byte %d", at))
		}
	}
	require.True(t, slices.IsSorted(starts))
}
