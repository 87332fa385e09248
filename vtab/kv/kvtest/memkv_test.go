package kvtest_test

import (
	"testing"

	"github.com/freshetdb/freshet/vtab/kv"
	"github.com/freshetdb/freshet/vtab/kv/kvtest"
	"github.com/freshetdb/freshet/vtab/kv/memkv"
)

func openMemory(*testing.T) kv.Store { return memkv.New(memkv.Options{MaxTxnBytes: 8 << 20}) }

// TestMemoryConformance is ST-146 on the reference model.
func TestMemoryConformance(t *testing.T) { kvtest.Run(t, openMemory) }
