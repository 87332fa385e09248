//go:build long

package isolation

import "time"

const (
	// long: the full lengths of histories.
	long = true
	// bankTime is how long money is moved in one life of the server, ST-108.
	bankTime = 10 * time.Second
	// lives is how many times a server is killed and started again.
	lives = 6
	// historyTime is how long a history grows in one life.
	historyTime = 2 * time.Second
	// hotRounds is how many times each client updates the hot row.
	hotRounds = 2000
)
