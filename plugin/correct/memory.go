package correct

import "github.com/dolthub/go-mysql-server/sql"

// memoryKeeper is a session that bounds the memory of a statement's operators.
type memoryKeeper interface {
	// KeepMemory fails where the statement would keep too much.
	KeepMemory(bytes int64) error
	ReleaseMemory(bytes int64)
}

// keyMemory is what a key in a set takes beside its bytes.
const keyMemory = 48

// keptMemory is what one operator keeps.
type keptMemory struct{ bytes int64 }

func (k *keptMemory) keep(ctx *sql.Context, bytes int64) error {
	keeper, ok := ctx.Session.(memoryKeeper)
	if !ok {
		return nil
	}
	if err := keeper.KeepMemory(bytes); err != nil {
		return err
	}
	k.bytes += bytes
	return nil
}

func (k *keptMemory) release(ctx *sql.Context) {
	if keeper, ok := ctx.Session.(memoryKeeper); ok && k.bytes > 0 {
		keeper.ReleaseMemory(k.bytes)
		k.bytes = 0
	}
}
