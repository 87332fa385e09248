//go:build !long

package isolation

import "time"

const (
	long        = false
	bankTime    = 400 * time.Millisecond
	lives       = 2
	historyTime = 250 * time.Millisecond
	hotRounds   = 60
)
