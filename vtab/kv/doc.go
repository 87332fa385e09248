// Package kv is the storage seam: what store tables, the catalog and every
// derived structure ask of an ordered key-value engine, and nothing more.
//
// A Store holds keys in byte order. A Txn reads a snapshot or the latest
// committed state, each merged with the transaction's own pending writes, locks
// keys, and commits everything it wrote in one atomic batch at one Position.
// The caller's hook runs inside the commit section, where nothing else commits,
// and may add to the batch: that is how row counts, view maintenance and the
// transaction log share the fate of the rows.
//
// Every call takes a context and can fail. Limits are data (Caps), failures are
// typed and carry the key (ErrNotFound, *LockError, ErrOutcomeUnknown, ...).
// Iterators report their error separately from their end and must be closed.
//
// Engines: vtab/kv/pebblekv (the default, durable) and vtab/kv/memkv (the
// reference model, in memory). vtab/kv/kvtest is the conformance suite that
// every engine passes.
package kv
