package kvtest_test

import (
	"context"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/vtab/kv"
	"github.com/freshetdb/freshet/vtab/kv/kvtest"
	"github.com/freshetdb/freshet/vtab/kv/pebblekv"
)

func openPebble(t *testing.T, dir string, o pebblekv.Options) kv.Store {
	t.Helper()
	o.MaxTxnBytes = 8 << 20
	s, err := pebblekv.Open(context.Background(), dir, o)
	require.NoError(t, err)
	return s
}

// openPebbleMemory opens a store on the crashable file system.
func openPebbleMemory(t *testing.T) kv.Store {
	return openPebble(t, "data", pebblekv.Options{FS: vfs.NewCrashableMem()})
}

func openPebbleDisk(t *testing.T) kv.Store { return openPebble(t, t.TempDir(), pebblekv.Options{}) }

// openPebbleSmall has tiny memory tables, so that histories reach files and
// compactions.
func openPebbleSmall(t *testing.T) kv.Store {
	return openPebble(t, "data", pebblekv.Options{FS: vfs.NewMem(), MemTableBytes: 64 << 10, CacheBytes: 256 << 10})
}

// The histories are ST-146 for Pebble over the crashable file system and on
// disk; its conformance is tested in its own package.

func TestPebbleMemoryDifferential(t *testing.T) {
	kvtest.Differential(t, openMemory, openPebbleMemory, seed())
}

func TestPebbleSmallDifferential(t *testing.T) {
	kvtest.Differential(t, openMemory, openPebbleSmall, seed())
}

func TestPebbleDiskDifferential(t *testing.T) {
	kvtest.Differential(t, openMemory, openPebbleDisk, seed())
}

func TestPebbleInterleavings(t *testing.T) { interleavings(t, openPebbleMemory, 40) }

func TestPebbleSmallInterleavings(t *testing.T) { interleavings(t, openPebbleSmall, 20) }
