//go:build !long

package scenarios

// How much the random tests and crash tests do; the long run does more.
const (
	randomTables  = 8
	randomQueries = 150
	// crashEvery is how many file operations lie between two crashes, and
	// crashPercents what of the unsynced bytes is kept, in turn.
	crashEvery = 9
)
