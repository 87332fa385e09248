package crash

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/freshetdb/freshet/integration/process"
)

func TestMain(m *testing.M) { process.Main(m) }

// newRandom returns a source seeded from FRESHET_SEED, else from the clock; the
// seed is logged.
func newRandom(t *testing.T) *rand.Rand {
	seed := uint64(time.Now().UnixNano())
	if text := os.Getenv("FRESHET_SEED"); text != "" {
		given, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		seed = given
	}
	t.Logf("FRESHET_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// rounds shortens a number of rounds with -short.
func rounds(n int) int {
	if testing.Short() {
		return min(n, 2)
	}
	return n
}
