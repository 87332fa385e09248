package pebblekv

import (
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/wal"
)

// tableRetryPause slows down Pebble's retries after a table file could not be
// written: it starts over at once and would spin on a full disk.
const tableRetryPause = 50 * time.Millisecond

// manifestMarkerPrefix begins the name of the file whose name says which MANIFEST
// is current.
const manifestMarkerPrefix = "marker.manifest."

// guardFS stands between Pebble and the file system and owns the failures that
// Pebble does not survive. An error on a write-ahead log, the MANIFEST, a marker
// or a directory makes Pebble exit the process, panic with mutexes held (once
// even unlock a mutex it no longer holds, which no recover can catch), or go on
// as if nothing had happened. So Pebble never sees one: the guard trips the
// latch and from then on the files that say what the store contains are dark,
// their mutations do nothing and report success.
//
// Why that is safe: (1) nobody is told that a write succeeded unless the latch
// is still open after the write's sync returned, and the guard trips it before
// it returns; (2) what a reopen finds is the state at the moment of the failure,
// exactly as after a crash then, because no log, MANIFEST, rename or removal
// reaches the disk afterwards; (3) table files are written and kept, so that
// readers of this process go on; to the reopen they are orphans.
//
// That holds from the beginning of Open, which fails with the cause when the
// latch trips. When the store lets go of the folder the guard is severed: a
// Pebble that could not be closed then gets no file any more.
type guardFS struct {
	vfs.FS
	root     string // Pebble's folder
	latch    *latch
	walSyncs atomic.Uint64
	synced   atomic.Pointer[syncMark] // the last sync of a log that succeeded
	onFull   func()                   // called when the disk is found full

	// gate is held for reading while a name in the folder is made, changed or
	// removed. Who has it for writing, and sets severed, knows that none will be.
	gate    sync.RWMutex
	severed bool
}

// pass lets one change of names through; the caller calls the result after it.
// It never returns once the guard is severed: the goroutine belongs to a Pebble
// that has been given up, and an error would only make it try again.
func (g *guardFS) pass() (done func()) {
	g.gate.RLock()
	if g.severed {
		g.gate.RUnlock()
		select {}
	}
	return g.gate.RUnlock
}

// sever lets no change of names through any more. It gives up, and says so, if
// one that is under way does not end before the deadline.
func (g *guardFS) sever(deadline time.Time) error {
	for !g.gate.TryLock() {
		if time.Now().After(deadline) {
			return errTimeout
		}
		time.Sleep(time.Millisecond)
	}
	defer g.gate.Unlock()
	g.severed = true
	return nil
}

// role says what depends on a file.
type role uint8

const (
	roleTable   role = iota // contents only; a failed write can be repeated
	roleForeign             // outside Pebble's folder: a copy that is being made
	roleRecord              // what the store contains is read from it
	roleLog                 // a write-ahead log
)

// vital reports whether the store has failed when an operation has.
func (r role) vital() bool { return r >= roleRecord }

// roleOf is the role of a file.
func (g *guardFS) roleOf(path string) role {
	base := g.PathBase(path)
	switch {
	case g.PathDir(path) != g.root:
		return roleForeign
	case strings.HasSuffix(base, ".log"):
		return roleLog
	case strings.HasSuffix(base, ".sst"), strings.HasSuffix(base, ".blob"):
		return roleTable
	default: // MANIFEST-n, marker.*, OPTIONS-n and what becomes it
		return roleRecord
	}
}

// dark reports whether mutations must no longer reach the disk.
func (g *guardFS) dark() bool { return g.latch.tripped() }

// judge decides what Pebble learns of the outcome of a mutation.
func (g *guardFS) judge(r role, op, path string, err error) error {
	if err == nil {
		return nil
	}
	if vfs.IsNoSpaceError(err) {
		g.onFull()
	}
	if !r.vital() {
		if r == roleTable {
			time.Sleep(tableRetryPause)
		}
		return err
	}
	g.latch.trip(&fileError{op: op, path: path, err: err})
	return nil
}

// open wraps a file that was opened for writing. After a failed or dark open of
// a file that must not fail, Pebble gets one that swallows everything.
func (g *guardFS) open(r role, op, path string, create func() (vfs.File, error)) (vfs.File, error) {
	if r.vital() && g.dark() {
		return g.wrap(r, path, vfs.NewMemFile(nil)), nil
	}
	defer g.pass()()
	f, err := create()
	if err != nil {
		if err = g.judge(r, op, path, err); err != nil {
			return nil, err
		}
		f = vfs.NewMemFile(nil)
	}
	return g.wrap(r, path, f), nil
}

func (g *guardFS) wrap(r role, path string, f vfs.File) vfs.File {
	file := &guardFile{File: f, guard: g, role: r, path: path}
	if r == roleLog {
		if number, _, ok := wal.ParseLogFilename(g.PathBase(path)); ok {
			file.written.log = uint64(number)
		}
	}
	return file
}

// syncMark is how far which log is synced; zero if none has been.
func (g *guardFS) syncMark() syncMark {
	if m := g.synced.Load(); m != nil {
		return *m
	}
	return syncMark{}
}

// Create makes a file. Before the marker that names the current MANIFEST, the
// folder is synced: Pebble syncs it only after, and a file system that keeps
// directory entries out of order could have the marker and not the MANIFEST.
func (g *guardFS) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	r := g.roleOf(name)
	if r == roleRecord && strings.HasPrefix(g.PathBase(name), manifestMarkerPrefix) && !g.dark() {
		if err := g.judge(r, "sync", g.root, syncDir(g.FS, g.root)); err != nil {
			return nil, err
		}
	}
	return g.open(r, "create", name, func() (vfs.File, error) { return g.FS.Create(name, c) })
}

func (g *guardFS) ReuseForWrite(oldname, newname string, c vfs.DiskWriteCategory) (vfs.File, error) {
	return g.open(g.roleOf(newname), "reuse", newname, func() (vfs.File, error) {
		return g.FS.ReuseForWrite(oldname, newname, c)
	})
}

func (g *guardFS) OpenReadWrite(name string, c vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	return g.open(g.roleOf(name), "open", name, func() (vfs.File, error) {
		return g.FS.OpenReadWrite(name, c, opts...)
	})
}

func (g *guardFS) OpenDir(name string) (vfs.File, error) {
	f, err := g.FS.OpenDir(name)
	if err != nil {
		return nil, err
	}
	r := roleForeign
	if name == g.root {
		r = roleRecord
	}
	return g.wrap(r, name, f), nil
}

func (g *guardFS) Rename(oldname, newname string) error {
	r := g.roleOf(newname)
	if r.vital() && g.dark() {
		return nil
	}
	defer g.pass()()
	return g.judge(r, "rename to", newname, g.FS.Rename(oldname, newname))
}

// Remove may fail without harm, a file too many is found at the next open; but
// once dark, nothing that the frozen MANIFEST mentions may go.
func (g *guardFS) Remove(name string) error {
	if g.dark() {
		return nil
	}
	defer g.pass()()
	return g.FS.Remove(name)
}

func (g *guardFS) RemoveAll(name string) error {
	if g.dark() {
		return nil
	}
	defer g.pass()()
	return g.FS.RemoveAll(name)
}

func (g *guardFS) Link(oldname, newname string) error {
	defer g.pass()()
	return g.FS.Link(oldname, newname)
}

// Lock does nothing: only Pebble asks, and the data folder around Pebble's is
// locked already. A lock of Pebble's own would outlive a store that failed.
func (g *guardFS) Lock(string) (io.Closer, error) { return io.NopCloser(nil), nil }

func (g *guardFS) Unwrap() vfs.FS { return g.FS }

// guardFile is a file whose mutations the guard judges.
type guardFile struct {
	vfs.File
	guard *guardFS
	role  role
	path  string
	// written is what was written of a log. Pebble writes and syncs one from one
	// goroutine at a time.
	written syncMark
}

// dark reports whether mutations of this file are swallowed.
func (f *guardFile) dark() bool { return f.role.vital() && f.guard.dark() }

func (f *guardFile) Write(p []byte) (int, error) {
	if f.dark() {
		return len(p), nil
	}
	n, err := f.File.Write(p)
	f.written.offset += int64(n)
	if err != nil {
		if err = f.guard.judge(f.role, "write", f.path, err); err == nil {
			n = len(p)
		}
	}
	return n, err
}

func (f *guardFile) WriteAt(p []byte, offset int64) (int, error) {
	if f.dark() {
		return len(p), nil
	}
	n, err := f.File.WriteAt(p, offset)
	if err != nil {
		if err = f.guard.judge(f.role, "write", f.path, err); err == nil {
			n = len(p)
		}
	}
	return n, err
}

func (f *guardFile) Sync() error {
	if f.dark() {
		return nil
	}
	return f.synced(f.File.Sync())
}

func (f *guardFile) SyncData() error {
	if f.dark() {
		return nil
	}
	return f.synced(f.File.SyncData())
}

func (f *guardFile) SyncTo(length int64) (bool, error) {
	if f.dark() {
		return false, nil
	}
	full, err := f.File.SyncTo(length)
	return full, f.guard.judge(f.role, "sync", f.path, err)
}

// synced judges the outcome of a sync.
func (f *guardFile) synced(err error) error {
	if f.role == roleLog {
		f.guard.walSyncs.Add(1)
		if mark := f.written; err == nil && mark.log > 0 {
			f.guard.synced.Store(&mark)
		}
	}
	return f.guard.judge(f.role, "sync", f.path, err)
}

func (f *guardFile) Preallocate(offset, length int64) error {
	if f.dark() {
		return nil
	}
	return f.guard.judge(f.role, "preallocate", f.path, f.File.Preallocate(offset, length))
}

func (f *guardFile) Close() error {
	err := f.File.Close()
	if f.dark() {
		return nil
	}
	return f.guard.judge(f.role, "close", f.path, err)
}
