package vtab

import "time"

// Limits of the table layer, with their reasons.
const (
	// maxIdentifierChars is MySQL's limit for names of objects.
	maxIdentifierChars = 64
	// maxIndexBytes is the limit for one index key as InnoDB counts it
	// (DYNAMIC row format): dumps that load there load here.
	maxIndexBytes = 3072
	// maxIndexParts is MySQL's limit.
	maxIndexParts = 16
	// maxSignalChars is MySQL's limit for the text of a SIGNAL.
	maxSignalChars = 128
	// contextEveryRows is how often a loop over rows looks at its context: often
	// enough for KILL to be felt at once, rarely enough to cost nothing.
	contextEveryRows = 256
	// sequenceBlockMax is the largest block of auto-increment values reserved in
	// one write: a kill loses at most this many values.
	sequenceBlockMax = 1000
	// uniqueHashesMax is how many values of a unique key a build knows without the
	// store: some 20 MiB.
	uniqueHashesMax = 1 << 20
	// escalateEvery is after how many locks of keys of one table a transaction tries
	// to lock the table instead, each time: 100,000 take some 20 MiB. It is far
	// above what ordinary statements touch, since a locked table stops others.
	escalateEvery = 100_000
	// snapshotPatience bounds the attempts to take a store snapshot and a catalog
	// snapshot of the same commit; each attempt is lost only to a DDL commit that
	// is on its way from the one to the other.
	snapshotPatience = 30 * time.Second
)
