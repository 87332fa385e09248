// Package locks is the lock manager of the engines that have none of their own:
// a table of locks on keys, held by owners (transactions) until they end.
//
// # Modes
//
// Modes are those of kv.LockMode. Two owners may hold a key together if the
// matrix has a +:
//
//	     IS  IX  S   SU  X
//	IS   +   +   +   +   -
//	IX   +   +   -   +   -
//	S    +   -   +   +   -
//	SU   +   +   +   -   -
//	X    -   -   -   -   -
//
// SU (share-update) is what a build takes on a table: it keeps other builds and
// exclusive DDL away and lets readers and writers go on.
//
// One owner may hold several modes of a key. The manager keeps the set, so S
// plus IX is exactly "shared and intention exclusive" and is never widened to
// X. A mode that blocks no more than the set already does is granted at once and
// adds nothing: X covers all modes, every mode covers IS.
//
// # Queues
//
// A request that cannot be granted waits in the key's queue. Requests of owners
// that hold the key already (conversions) stand before all others and wait for
// conflicting holders only. Any other request waits for conflicting holders and
// for every conflicting request before it, so nobody is overtaken by a request
// it excludes, and compatible requests don't wait for each other. Whenever a
// hold or a request goes away, the queue is walked from its head and everything
// that nothing blocks is granted.
//
// # Deadlocks
//
// A ring of waits can only close at the moment a request joins a queue: grants
// go to owners that run, and an owner that runs waits for nobody. So a request
// joins under one mutex (Table.detect) and the search for a ring starts from
// it, over the same edges that block: conflicting holders and conflicting
// requests ahead. While the mutex is held no wait can begin, hence what the
// search sees, queue by queue, can only dissolve behind it, never form; a ring
// is checked once more before it gets its victim. The victim is chosen by
// VictimRule. It is woken with kv.LockDeadlock and keeps its locks until its
// owner releases them; the search repeats until the new request is in no ring.
//
// # Cost
//
// Keys are spread over shards by hash; a shard is a mutex, a chained hash table
// and a bounded stock of spare entries, so a lock on an idle key costs one
// mutex and, in the steady state, no allocation. An entry exists only while its
// key is held or waited for.
package locks
