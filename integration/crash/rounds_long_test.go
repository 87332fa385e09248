//go:build long

package crash

const (
	writerRounds  = 200 // ST-034
	sessionRounds = 50  // ST-046
	familyRounds  = 200
	powerRounds   = 1000
)
