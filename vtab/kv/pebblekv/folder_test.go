package pebblekv

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/vtab/kv"
)

// openDisk opens a store in a folder of the machine.
func openDisk(t testing.TB, dir string) *Store {
	t.Helper()
	s, err := Open(ctx, dir, Options{CacheBytes: smallCacheBytes, MemTableBytes: smallMemTableBytes})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// fingerprint is the name, time and content of everything below dir.
func fingerprint(t testing.TB, dir string) map[string]string {
	t.Helper()
	got := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		got[path] = fmt.Sprint(info.ModTime().UnixNano(), info.Mode(), info.Size())
		if d.Type().IsRegular() {
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			got[path] += fmt.Sprintf(" %x", sha256.Sum256(content))
		}
		return nil
	}))
	return got
}

// requireRefused asserts that dir does not open, why, and that the refusal
// changes nothing.
func requireRefused(t testing.TB, dir string, want error, words ...string) {
	t.Helper()
	before := fingerprint(t, dir)
	s, err := Open(ctx, dir, Options{})
	if err == nil {
		_ = s.Close()
	}
	require.ErrorIs(t, err, want)
	for _, w := range append(words, dir) {
		require.ErrorContains(t, err, w)
	}
	require.Equal(t, before, fingerprint(t, dir))
}

// storeOnDisk is a closed store with some content.
func storeOnDisk(t testing.TB) string {
	dir := filepath.Join(t.TempDir(), "data")
	s := openDisk(t, dir)
	put(t, s, "\x03a", "1")
	require.NoError(t, s.Close())
	return dir
}

// rewrite replaces text in the identity file and, if it can be, its checksum.
func rewrite(t testing.TB, dir, old, new string, sum bool) {
	t.Helper()
	path := filepath.Join(dir, identityName)
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Contains(t, string(content), old)
	content = bytes.Replace(content, []byte(old), []byte(new), 1)
	if sum {
		body := content[:bytes.Index(content, []byte("checksum"))]
		content = fmt.Appendf(bytes.Clone(body), "checksum %016x\n", xxhash.Sum64(body))
	}
	require.NoError(t, os.WriteFile(path, content, 0o640))
}

// INV-KV-8: what is not a data folder of this version is refused with every file
// unchanged.
func TestRefusals(t *testing.T) {
	t.Run("somebody else's folder", func(t *testing.T) {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "letter.txt"), []byte("dear"), 0o600))
		requireRefused(t, dir, kv.ErrNotOurs, "letter.txt")
	})
	t.Run("a bare Pebble store", func(t *testing.T) {
		dir := storeOnDisk(t)
		requireRefused(t, filepath.Join(dir, storeName), kv.ErrNotOurs)
	})
	t.Run("the identity file is gone", func(t *testing.T) {
		dir := storeOnDisk(t)
		require.NoError(t, os.Remove(filepath.Join(dir, identityName)))
		requireRefused(t, dir, kv.ErrNotOurs, identityName)
	})
	t.Run("the store is gone", func(t *testing.T) {
		dir := storeOnDisk(t)
		require.NoError(t, os.RemoveAll(filepath.Join(dir, storeName)))
		requireRefused(t, dir, kv.ErrCorrupt, storeName)
	})
	t.Run("a file in place of the folder", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "file")
		require.NoError(t, os.WriteFile(path, []byte("x"), 0o600))
		_, err := Open(ctx, path, Options{})
		require.ErrorContains(t, err, path)
	})
	for name, c := range map[string]struct {
		old, new string
		sum      bool
		want     error
		words    []string
	}{
		// ST-031
		"a newer version":         {"format 1", "format 12", true, kv.ErrNewerFormat, []string{"version 12", "version 1"}},
		"a newer version, edited": {"format 1", "format 2", false, kv.ErrNewerFormat, []string{"version 2", "version 1"}},
		"another magic":           {identityMagic, "somebody's folder", true, kv.ErrNotOurs, nil},
		"another kind":            {"store pebble", "store tikv", true, kv.ErrNotOurs, []string{"tikv"}},
		"no version":              {"format 1", "format one", true, kv.ErrCorrupt, nil},
		"a negative version":      {"format 1", "format -1", true, kv.ErrCorrupt, nil},
		"a flipped bit":           {"store", "stose", false, kv.ErrCorrupt, nil},
		"a wrong checksum":        {"checksum ", "checksum f", false, kv.ErrCorrupt, nil},
		"a short incarnation":     {"incarnation ", "incarnation 0", true, kv.ErrCorrupt, nil},
		"one more line":           {"store pebble\n", "store pebble\nmore 1\n", true, kv.ErrCorrupt, nil},
	} {
		t.Run(name, func(t *testing.T) {
			dir := storeOnDisk(t)
			rewrite(t, dir, c.old, c.new, c.sum)
			requireRefused(t, dir, c.want, c.words...)
		})
	}
	t.Run("truncated anywhere", func(t *testing.T) {
		whole := newIdentity().encode()
		for n := range len(whole) {
			_, err := decodeIdentity(whole[:n])
			require.True(t, errors.Is(err, kv.ErrNotOurs) || errors.Is(err, kv.ErrCorrupt), "%d bytes: %v", n, err)
		}
	})
}

// The text of the identity file is a format: docs/formats/kv.md.
func TestIdentityFile(t *testing.T) {
	id := identity{version: 1, kind: storeKind}
	for i := range id.incarnation {
		id.incarnation[i] = byte(i)
	}
	want := "freshet data folder\nformat 1\nstore pebble\nincarnation 000102030405060708090a0b0c0d0e0f\n"
	require.Regexp(t, "^"+regexp.QuoteMeta(want)+"checksum [0-9a-f]{16}\n$", string(id.encode()))
	back, err := decodeIdentity(id.encode())
	require.NoError(t, err)
	require.Equal(t, id, back)
	require.NotEqual(t, newIdentity().incarnation, newIdentity().incarnation)
}

// FuzzIdentity: no content makes the decoder panic, and it accepts only what
// encode writes.
func FuzzIdentity(f *testing.F) {
	f.Add(newIdentity().encode())
	f.Add([]byte(identityMagic + "\nformat 99999999999999999999\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		if id, err := decodeIdentity(content); err == nil {
			require.Equal(t, string(content), string(id.encode()))
		}
	})
}

func TestNewFolders(t *testing.T) {
	for name, dir := range map[string]string{
		"absent": filepath.Join(t.TempDir(), "a", "b"),
		"empty":  t.TempDir(),
	} {
		t.Run(name, func(t *testing.T) {
			s := openDisk(t, dir)
			put(t, s, "\x03a", "1")
			require.NoError(t, s.Close())
			require.Equal(t, map[string]string{"\x03a": "1"}, dump(t, openDisk(t, dir)))
		})
	}
	t.Run("the root of a file system", func(t *testing.T) {
		dir := t.TempDir()
		require.NoError(t, os.Mkdir(filepath.Join(dir, "lost+found"), 0o700))
		require.NoError(t, openDisk(t, dir).Close())
	})
}

const childEnv = "FRESHET_TEST_OPEN"

// ST-032, INV-KV-9: a second opener, in this process or another, is refused at
// once with every file unchanged; after a kill of the first the second opens.
func TestSecondOpener(t *testing.T) {
	if dir := os.Getenv(childEnv); dir != "" {
		s, err := Open(ctx, dir, Options{CacheBytes: smallCacheBytes})
		fmt.Println("opened:", err)
		if err == nil {
			put(t, s, "\x03child", "1")
			fmt.Println("written")
			select {} // until killed
		}
		return
	}
	dir := storeOnDisk(t)
	s := openDisk(t, dir)
	put(t, s, "\x03b", "2")
	// The first deletes what its open has replaced in the background.
	require.Eventually(t, func() bool {
		options, err := filepath.Glob(filepath.Join(dir, "store", "OPTIONS-*"))
		return err == nil && len(options) == 1
	}, 10*time.Second, time.Millisecond)
	requireRefused(t, dir, kv.ErrLocked)
	before := fingerprint(t, dir)
	out := child(t, dir, "opened:")
	require.Contains(t, out, kv.ErrLocked.Error())
	require.Equal(t, before, fingerprint(t, dir))
	put(t, s, "\x03c", "3") // the first works on
	require.NoError(t, s.Close())

	require.Contains(t, child(t, dir, "written"), "opened: <nil>") // killed when it has written
	s = openDisk(t, dir)
	require.Equal(t, map[string]string{"\x03a": "1", "\x03b": "2", "\x03c": "3", "\x03child": "1"}, dump(t, s))
	require.Greater(t, put(t, s, "\x03d", "4"), kv.Position(positionsPerReserve), "the kill was an unclean end")
}

// child runs this test in another process, which opens dir, until it prints a
// word, then kills it.
func child(t testing.TB, dir, until string) string {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestSecondOpener$")
	cmd.Env = append(os.Environ(), childEnv+"="+dir)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	var text []byte
	buf := make([]byte, 4096)
	for !bytes.Contains(text, []byte(until)) || !bytes.HasSuffix(text, []byte("\n")) {
		n, err := out.Read(buf)
		text = append(text, buf[:n]...)
		if err != nil {
			break
		}
	}
	_ = cmd.Process.Kill() // it may have ended by itself
	_ = cmd.Wait()
	require.Contains(t, string(text), until)
	return string(text)
}

// ST-044: a cut tail of the log is the end of history, a flipped bit is an error.
func TestTornTail(t *testing.T) {
	mem := vfs.NewCrashableMem()
	s := open(t, Options{FS: mem})
	x := begin(t, s)
	for i := range 20 {
		require.NoError(t, x.Put(fmt.Appendf(nil, "\x03%02d", i), make([]byte, 100)))
	}
	_, err := x.Commit(ctx, kv.CommitOptions{})
	require.NoError(t, err)
	put(t, s, "\x04last", "1")
	clone := crashClone(mem, 0, 1)
	name, content := lastLog(t, clone)
	for _, cut := range []int{1, 5, 20, 40} {
		fsys := crashClone(mem, 0, 1)
		writeFile(t, fsys, name, content[:len(content)-cut])
		s := open(t, Options{FS: fsys})
		require.Len(t, dump(t, s), 20, "cut %d", cut)
		require.Equal(t, kv.Position(1), s.Applied())
		require.NoError(t, s.Close())
	}
}

// lastLog returns the newest log of Pebble and its content.
func lastLog(t testing.TB, fsys vfs.FS) (string, []byte) {
	t.Helper()
	dir := fsys.PathJoin("data", storeName)
	names, err := fsys.List(dir)
	require.NoError(t, err)
	names = slices.DeleteFunc(names, func(n string) bool { return !strings.HasSuffix(n, ".log") })
	name := fsys.PathJoin(dir, slices.Max(names))
	return name, readFile(t, fsys, name)
}

func readFile(t testing.TB, fsys vfs.FS, name string) []byte {
	t.Helper()
	f, err := fsys.Open(name)
	require.NoError(t, err)
	info, err := f.Stat()
	require.NoError(t, err)
	content := make([]byte, info.Size())
	if len(content) > 0 { // a MemFS has EOF else
		_, err = f.ReadAt(content, 0)
		require.NoError(t, err)
	}
	require.NoError(t, f.Close())
	return content
}

func writeFile(t testing.TB, fsys vfs.FS, name string, content []byte) {
	t.Helper()
	f, err := fsys.Create(name, vfs.WriteCategoryUnspecified)
	require.NoError(t, err)
	_, err = f.Write(bytes.Clone(content)) // a file system may change what it is given
	require.NoError(t, err)
	require.NoError(t, f.Sync())
	require.NoError(t, f.Close())
}

// ST-044, INV-KV-10: a flipped bit in a table file gives a right answer or an
// error that names the file, never a wrong one.
func TestFlippedBit(t *testing.T) {
	mem := vfs.NewMem()
	s := open(t, Options{FS: mem})
	want := map[string]string{}
	x := begin(t, s)
	for i := range 2000 {
		k, v := fmt.Sprintf("\x03%04d", i), strings.Repeat(fmt.Sprint(i, " "), 20)
		require.NoError(t, x.Put([]byte(k), []byte(v)))
		want[k] = v
	}
	_, err := x.Commit(ctx, kv.CommitOptions{})
	require.NoError(t, err)
	require.NoError(t, s.db.Flush())
	require.NoError(t, s.Close())

	dir := mem.PathJoin("data", storeName)
	names, err := mem.List(dir)
	require.NoError(t, err)
	i := slices.IndexFunc(names, func(n string) bool { return strings.HasSuffix(n, ".sst") })
	require.GreaterOrEqual(t, i, 0)
	table := mem.PathJoin(dir, names[i])
	content := readFile(t, mem, table)
	found := 0
	for at := 7; at < len(content); at += len(content)/60 + 1 {
		bad := bytes.Clone(content)
		bad[at] ^= 0x10
		writeFile(t, mem, table, bad)
		if got, err := readAll(mem); err != nil {
			require.ErrorIs(t, err, kv.ErrCorrupt, "byte %d", at)
			require.ErrorContains(t, err, strings.TrimSuffix(names[i], ".sst"), "byte %d", at)
			found++
		} else {
			require.True(t, maps.Equal(want, got), "byte %d gives a wrong answer", at)
		}
	}
	t.Logf("%d of 60 flips noticed", found)
	require.Greater(t, found, 50)
}

// readAll opens a store and scans it.
func readAll(fsys vfs.FS) (map[string]string, error) {
	s, err := Open(ctx, "data", Options{FS: fsys})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	it := storeReader{s}.Scan(ctx, kv.Range{Start: []byte{2}}, kv.ScanOptions{})
	defer it.Close()
	got := map[string]string{}
	for it.Next() {
		v, err := it.Value()
		if err != nil {
			return nil, err
		}
		got[string(it.Key())] = string(v)
	}
	return got, it.Err()
}
