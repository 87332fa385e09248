//go:build !long

package scenarios

// How much the random tests and crash tests do.
const (
	randomTables  = 8
	randomQueries = 150
	// instantRows is the size of the table that columns are added to.
	instantRows = 10_000
	// lockedRows is how many rows one transaction locks.
	lockedRows  = 120_000
	manyTables  = 500
	idRounds    = 200
	definitions = 150
	// crashEvery and buildCrashEvery are how many file operations lie between two
	// crashes.
	crashEvery      = 2
	buildCrashEvery = 4
	// crashAllPercents takes three crashes at a time, which keep 0, 50 and 100 % of
	// what was not synced, instead of these in turn.
	crashAllPercents = false
)
