package writeset

const (
	// arenaFirstBytes is the first chunk: what an ordinary single-row statement
	// writes, row and two index entries.
	arenaFirstBytes = 512
	// arenaChunkBytes bounds a chunk. A chunk lives as long as one item in it,
	// so a larger one would keep more overwritten bytes alive.
	arenaChunkBytes = 16 << 10
	// arenaLargeBytes and above get a slice of their own, so that a chunk's end
	// is never wasted by more than a quarter.
	arenaLargeBytes = arenaChunkBytes / 4
)

// arena hands out byte slices cut from larger ones: one allocation serves many
// keys.
type arena struct {
	free []byte // the unused end of the current chunk
	next int    // size of the next chunk
}

// take returns a slice of n bytes that nobody else has. It is never nil.
func (a *arena) take(n int) []byte {
	if n >= arenaLargeBytes {
		return make([]byte, n)
	}
	if n > len(a.free) || a.free == nil {
		a.next = max(arenaFirstBytes, min(2*a.next, arenaChunkBytes))
		a.free = make([]byte, max(a.next, n))
	}
	taken := a.free[:n:n]
	a.free = a.free[n:]
	return taken
}
