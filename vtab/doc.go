// Package vtab is the table layer: it gives go-mysql-server (GMS) databases,
// tables, indexes, editors and transactions that live in a kv.Store.
//
// # How a statement runs
//
// A Session carries at most one Transaction. The first table that a statement
// binds fixes the transaction's two views together: a snapshot of the store and
// the catalog snapshot of the same commit. GetTableInsensitive returns a Table
// made for that one use (a bind); all copies of it share a stmtState, through
// which an editor tells the scan of the same bind that it feeds a write.
//
//   - A plain scan reads the transaction's snapshot merged with its own writes.
//   - A scan that feeds UPDATE or DELETE, or whose SELECT locks, reads the latest
//     committed state, locks each row it returns and reads it again if anything
//     was committed since the scan was opened.
//   - An editor locks the row and its unique keys, reads the stored row at the
//     latest state, and writes row and index entries to the transaction's pending
//     writes. Nothing reaches the store before COMMIT.
//
// # Layers
//
// A descriptor (package catalog) is turned into a shape once per version: schema,
// codecs, key prefixes. Everything on the hot path works on the shape.
//
// Definitions change through (*Transaction).alterTable and its kin, which take
// the catalog's writer lock and the table's lock, so that one place decides what
// each statement persists. Data that is rebuilt (CREATE INDEX, a rewrite) goes in
// bounded chunks to a new physical id that no entry names until the statement
// commits.
package vtab
