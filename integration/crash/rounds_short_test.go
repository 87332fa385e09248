//go:build !long

package crash

const (
	writerRounds  = 10
	sessionRounds = 6
	familyRounds  = 6
	powerRounds   = 20
)
