package pebblekv

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/freshetdb/freshet/vtab/kv"
)

// Names in a data folder beside the identity file.
const (
	lockName  = "LOCK"  // held while the folder is open; always empty
	storeName = "store" // Pebble's own folder
	bulkName  = "bulk"  // table files that a bulk load has not handed over yet
)

// folder is a data folder that this process has locked.
//
// A new one is made in an order in which a crash at any point leaves either
// nothing that matters or a whole store: draft identity (synced), store,
// rename of the draft (synced). As long as only the draft is there nobody has
// been given the store, so it may be thrown away and made again.
type folder struct {
	fs       vfs.FS
	path     string
	lock     io.Closer
	identity identity
	created  bool // the identity is still a draft
}

// openFolder inspects, locks and if need be begins to initialise a data folder.
// A refusal (kv.ErrNotOurs, ErrNewerFormat, ErrCorrupt, ErrLocked) leaves every
// file as it was.
func openFolder(fsys vfs.FS, path string, lock lockFunc) (*folder, error) {
	f := &folder{fs: fsys, path: path}
	if err := f.inspect(); err != nil {
		return nil, err
	}
	if err := f.makeDir(); err != nil {
		return nil, err
	}
	var err error
	if f.lock, err = lock(fsys, f.file(lockName)); err != nil {
		return nil, err
	}
	// Another process may have initialised the folder since it was inspected.
	if err = f.inspect(); err == nil && f.created {
		err = f.draft()
	}
	if err == nil {
		err = f.verify()
	}
	if err == nil {
		err = f.remove(bulkName) // what a crash left of bulk loads
	}
	if err != nil {
		return nil, errors.Join(err, f.lock.Close())
	}
	return f, nil
}

// Exists reports, changing nothing, whether the folder dir of a file system (nil
// is the machine's) holds a store, be it open or damaged. What Open would refuse
// for another reason than its being absent is an error.
func Exists(fsys vfs.FS, dir string) (bool, error) {
	if fsys == nil {
		fsys = vfs.Default
	}
	f := &folder{fs: fsys, path: dir}
	if err := f.inspect(); err != nil {
		return false, err
	}
	return !f.created, nil
}

func (f *folder) file(name string) string { return f.fs.PathJoin(f.path, name) }

// storePath is where Pebble lives.
func (f *folder) storePath() string { return f.file(storeName) }

// inspect reads what the folder is, without changing anything.
func (f *folder) inspect() error {
	names, err := f.fs.List(f.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("reading the data folder: %w", err)
	}
	f.created = false
	if slices.Contains(names, identityName) {
		if f.identity, err = f.read(identityName); err != nil {
			return fmt.Errorf("%s: %w", f.path, err)
		}
		if !slices.Contains(names, storeName) {
			return fmt.Errorf("%s: %w: %w: it has no %q", f.path, kv.ErrCorrupt, errIncomplete, storeName)
		}
		return nil
	}
	f.created = true
	if _, err := f.read(identityDraft); err == nil {
		return nil // an initialisation that was broken off
	}
	for _, name := range names {
		// lost+found is in the root of a fresh ext4 file system.
		if name != lockName && name != identityDraft && name != "lost+found" {
			return fmt.Errorf("%s: %w: it holds %q but no %s file", f.path, kv.ErrNotOurs, name, identityName)
		}
	}
	return nil
}

func (f *folder) read(name string) (identity, error) {
	file, err := f.fs.Open(f.file(name))
	if err != nil {
		return identity{}, err
	}
	content, err := io.ReadAll(io.LimitReader(file, identityBytesMax))
	if err = errors.Join(err, file.Close()); err != nil {
		return identity{}, err
	}
	return decodeIdentity(content)
}

// makeDir makes the folder where there is none.
func (f *folder) makeDir() error {
	if _, err := f.fs.Stat(f.path); err == nil {
		return nil
	}
	if err := f.fs.MkdirAll(f.path, 0o750); err != nil {
		return fmt.Errorf("making the data folder: %w", err)
	}
	return syncDir(f.fs, f.fs.PathDir(f.path))
}

// draft begins the initialisation: after it, an empty place for the store.
func (f *folder) draft() error {
	f.identity = newIdentity()
	if err := f.remove(storeName); err != nil { // of an initialisation that was broken off
		return err
	}
	file, err := f.fs.Create(f.file(identityDraft), vfs.WriteCategoryUnspecified)
	if err != nil {
		return fmt.Errorf("initialising the data folder: %w", err)
	}
	_, err = file.Write(f.identity.encode())
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("initialising the data folder: %w", err)
	}
	return syncDir(f.fs, f.path)
}

// finish ends the initialisation, once the store is there and durable.
func (f *folder) finish() error {
	if !f.created {
		return nil
	}
	// The entry of the store must be durable before the name that promises it.
	if err := syncDir(f.fs, f.path); err != nil {
		return err
	}
	if err := f.fs.Rename(f.file(identityDraft), f.file(identityName)); err != nil {
		return fmt.Errorf("initialising the data folder: %w", err)
	}
	f.created = false
	return syncDir(f.fs, f.path)
}

// remove removes what may be there under a name.
func (f *folder) remove(name string) error {
	path := f.file(name)
	if _, err := f.fs.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := f.fs.RemoveAll(path); err != nil {
		return fmt.Errorf("removing leftovers: %w", err)
	}
	return nil
}

// bulkFile is the path of the n-th table file of bulk loads. Nothing about it
// need be durable: what counts is Pebble's link to it.
func (f *folder) bulkFile(n uint64) (string, error) {
	dir := f.file(bulkName)
	if err := f.fs.MkdirAll(dir, 0o750); err != nil {
		return "", fmt.Errorf("making a place for table files: %w", err)
	}
	return f.fs.PathJoin(dir, fmt.Sprintf("%06d.sst", n)), nil
}

func (f *folder) close() error { return f.lock.Close() }

func syncDir(fsys vfs.FS, path string) error {
	dir, err := fsys.OpenDir(path)
	if err != nil {
		return fmt.Errorf("opening %s to sync it: %w", path, err)
	}
	if err := errors.Join(dir.Sync(), dir.Close()); err != nil {
		return fmt.Errorf("syncing %s: %w", path, err)
	}
	return nil
}
