// Package recent keeps what recent commits have changed, for serializable
// transactions: before one commits, the store looks whether a commit since its
// reads has changed what it read (backward validation: Kung and Robinson, "On
// Optimistic Methods for Concurrency Control", 1981).
//
// A Log keeps something only while a transaction watches. It has a bound: beyond
// it the oldest commits are forgotten, and a transaction that is older than what
// is left cannot be validated and fails.
package recent
