// Package writeset holds the pending writes of one transaction: an ordered map
// from key to value or tombstone, plus the ranges the transaction deletes, and
// an iterator that lays them over the keys of a base.
//
// A Set belongs to one transaction. Savepoint gives a Mark, an immutable picture
// of the set that costs a few words: the set and its marks share tree nodes and
// copy a node only when it is written. RollbackTo makes the set equal to a mark
// again, and Merge reads through a mark while the set moves on. A set that was
// never written to owns no memory, and its mark is a shared sentinel.
//
// Precedence: a pending Put or Delete of a key wins over a pending range
// deletion that covers it, whichever came first; a range deletion hides only
// what the base holds. That is what an engine gets that writes range deletions
// first and single keys after them.
//
// The package knows no engine: it sees the base as a kv.Iterator.
package writeset
