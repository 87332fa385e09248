package kvtest_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/vtab/kv"
	"github.com/freshetdb/freshet/vtab/kv/kvtest"
	"github.com/freshetdb/freshet/vtab/kv/memkv"
)

func openMemory(*testing.T) kv.Store { return memkv.New(memkv.Options{MaxTxnBytes: 8 << 20}) }

// seed is another one in each run; a failure prints it.
func seed() uint64 { return uint64(time.Now().UnixNano()) }

// TestMemoryDifferential compares the model with itself: histories are legal and
// answers don't depend on the run.
func TestMemoryDifferential(t *testing.T) { kvtest.Differential(t, openMemory, openMemory, seed()) }

// forgetful loses one delete in forgetEvery.
type forgetful struct {
	kv.Store
	deletes int
}

type forgetfulTxn struct {
	kv.Txn
	store *forgetful
}

const forgetEvery = 20

func (s *forgetful) Begin(ctx context.Context) (kv.Txn, error) {
	t, err := s.Store.Begin(ctx)
	return forgetfulTxn{Txn: t, store: s}, err
}

func (t forgetfulTxn) Delete(key []byte) error {
	if t.store.deletes++; t.store.deletes%forgetEvery == 0 {
		return nil
	}
	return t.Txn.Delete(key)
}

// TestDifferentialFindsAFault: a store that now and then forgets a delete is
// told from the model by every seed.
func TestDifferentialFindsAFault(t *testing.T) {
	for s := range uint64(3) {
		bad := &forgetful{Store: openMemory(t)}
		require.ErrorContains(t, kvtest.Diverge(openMemory(t), bad, s), "the answers differ")
	}
}

// TestMemoryInterleavings and its like run other orders in each run.
func TestMemoryInterleavings(t *testing.T) { interleavings(t, openMemory, 150) }

func interleavings(t *testing.T, open kvtest.Open, runs uint64) {
	first := seed()
	validated, refused := 0, 0
	for i := range runs {
		v, r := kvtest.Interleave(t, open, first+i)
		validated, refused = validated+v, refused+r
	}
	require.Greater(t, validated, int(runs))
	require.Greater(t, refused, int(runs)/2)
}
