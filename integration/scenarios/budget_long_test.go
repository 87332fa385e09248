//go:build long

package scenarios

// How much the random tests and crash tests do.
const (
	randomTables  = 200
	randomQueries = 300
	// instantRows is the size of the table that columns are added to.
	instantRows = 1_000_000
	// lockedRows is how many rows one transaction locks.
	lockedRows  = 1_000_000
	manyTables  = 10_000
	idRounds    = 1000
	definitions = 500
	// crashEvery and buildCrashEvery are how many file operations lie between two
	// crashes.
	crashEvery      = 1
	buildCrashEvery = 1
	// crashAllPercents takes three crashes at a time, which keep 0, 50 and 100 % of
	// what was not synced, instead of these in turn.
	crashAllPercents = true
)
