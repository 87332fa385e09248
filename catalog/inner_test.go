package catalog

import (
	"testing"

	"github.com/freshetdb/freshet/vtab/kv"
)

func newInner(testing.TB) kv.Store { return newFake() }
