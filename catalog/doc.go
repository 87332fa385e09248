// Package catalog holds the definitions of all objects: what they are
// (descriptors), how they are stored (entries), and which of them exist at one
// moment (snapshots).
//
// A descriptor is immutable once published. It carries ids, which the store goes
// by, and SQL text for its leaves (types, default and check expressions, view
// bodies), which never depends on the session that wrote it. A whole object's
// DDL is rendered from its descriptor; it is not stored beside it, so the two
// cannot differ.
//
// The catalog in memory is a Snapshot that is replaced as a whole when a
// statement that changed it commits. A Txn collects the changes of one
// transaction over the Snapshot it began with; its entries travel in the
// transaction's own batch, so an object exists if and only if its rows do.
//
// Reading order: desc.go (what is stored), entry.go (how), item.go (one entry in
// memory, decoded when first asked for), snapshot.go and database.go (look-ups),
// txn.go and change.go (changes), rehydrate.go, marker.go and sweep.go (opening
// and closing), verify.go (comparing memory, store and what would be written).
// A new kind of object is a row in kindTable; if it is not a Blob it also has a
// case in newObject and kindOf.
//
// docs/formats/catalog.md describes the stored form, docs/invariants/catalog.md
// what must hold.
package catalog
