// Package pebblekv is the default engine behind the storage seam vtab/kv: an
// ordered, durable key-value store in one data folder, on Pebble.
//
// A transaction keeps its writes in memory (vtab/kv/writeset) and its locks in
// the store's lock table (vtab/kv/locks). Commit copies the writes into a batch,
// enters the commit section (one mutex), assigns the next position, runs the
// caller's hook on the committed state, applies batch and position as one record
// of the write-ahead log, publishes, leaves the section, releases the locks, and
// only then waits for the disk, so that commits share syncs.
//
// Files, by what they hold: store.go (open, close), folder.go and identity.go
// (the data folder; format in docs/formats/kv.md), history.go, chunks.go and
// syncmark.go (what Open verifies before Pebble is asked), engine.go (Pebble's opening,
// closing and events), txn.go, reader.go, iterator.go, bulk.go (the seam),
// commit.go and durable.go (the protocol), snapshots.go (sharing), guard.go and
// latch.go (failures), space.go (the disk reserve), options.go (tuning).
//
// The invariants are INV-KV-n in docs/invariants/kv.md.
package pebblekv
