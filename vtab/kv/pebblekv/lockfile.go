package pebblekv

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/freshetdb/freshet/vtab/kv"
)

// lockFunc takes the exclusive lock that a file stands for, or fails with
// kv.ErrLocked at once and without changing the file.
type lockFunc func(fsys vfs.FS, path string) (io.Closer, error)

// lockOnFS uses the file system's own lock, for file systems in memory.
func lockOnFS(fsys vfs.FS, path string) (io.Closer, error) {
	lock, err := fsys.Lock(path)
	if errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EACCES) {
		return nil, fmt.Errorf("%s: %w", path, kv.ErrLocked)
	}
	if err != nil {
		return nil, fmt.Errorf("locking the data folder: %w", err)
	}
	return lock, nil
}

// lockOnDisk uses flock(2). Pebble's own lock truncates the file and is not
// seen by a second open in the same process.
func lockOnDisk(_ vfs.FS, path string) (io.Closer, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o640)
	if err != nil {
		return nil, fmt.Errorf("locking the data folder: %w", err)
	}
	err = flock(file)
	if err == nil {
		return file, nil
	}
	if closeErr := file.Close(); closeErr != nil {
		return nil, fmt.Errorf("locking the data folder: %w", errors.Join(err, closeErr))
	}
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, fmt.Errorf("%s: %w", path, kv.ErrLocked)
	}
	return nil, fmt.Errorf("locking the data folder: %w", err)
}
