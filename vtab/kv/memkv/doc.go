// Package memkv is the reference model of the storage seam: a kv.Store in
// memory, as simple as the contract allows. Other engines are compared with it
// (vtab/kv/kvtest), and databases that need no disk can live on it.
//
// The store is a chain of immutable states, each an ordered tree and the
// position that made it; a commit copies the tree (nodes are shared until
// written), changes the copy inside the one commit section and publishes it.
// A snapshot is a pointer to a state. Pending writes are a writeset.Set, locks
// are those of vtab/kv/locks. "Stable storage" is memory: what is applied is
// durable, and nothing survives the process.
//
// A store is safe for concurrent use; transactions are not, as kv says.
package memkv
