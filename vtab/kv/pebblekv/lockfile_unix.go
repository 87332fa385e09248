//go:build unix

package pebblekv

import (
	"os"

	"golang.org/x/sys/unix"
)

// flock locks an open file exclusively or fails with EWOULDBLOCK. The lock ends
// when the file is closed, also by the end of the process.
func flock(file *os.File) error {
	return unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
}
