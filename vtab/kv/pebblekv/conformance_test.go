package pebblekv

import (
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/vtab/kv"
	"github.com/freshetdb/freshet/vtab/kv/kvtest"
)

// ST-146 on Pebble over the crashable file system and on disk.
func TestConformance(t *testing.T) {
	for _, where := range []struct {
		name string
		fs   func() vfs.FS
		dir  func(*testing.T) string
	}{
		{"Memory", func() vfs.FS { return vfs.NewCrashableMem() }, func(*testing.T) string { return "data" }},
		{"Disk", func() vfs.FS { return nil }, func(t *testing.T) string { return t.TempDir() }},
	} {
		if testing.Short() && where.fs() == nil {
			continue // the syncs take most of the time
		}
		t.Run(where.name, func(t *testing.T) {
			kvtest.Run(t, func(t *testing.T) kv.Store {
				s, err := Open(ctx, where.dir(t), Options{FS: where.fs(), MaxTxnBytes: 8 << 20, CacheBytes: smallCacheBytes})
				require.NoError(t, err)
				return s
			})
		})
	}
}
