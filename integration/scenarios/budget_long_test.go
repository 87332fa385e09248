//go:build long

package scenarios

// The long run.
const (
	randomTables  = 200
	randomQueries = 300
	crashEvery    = 1
)
