package pebblekv

import (
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2/vfs"
)

func faultless() vfs.FS { return vfs.NewMem() }

// counter counts from several goroutines.
type counter struct{ n atomic.Int64 }

func (c *counter) next() int  { return int(c.n.Add(1)) }
func (c *counter) value() int { return int(c.n.Load()) }
