// Package kvtest holds what every engine behind the storage seam must pass:
// Run, the contract of kv.go case by case (ST-146); Differential, which
// puts one random history to two engines and demands the same answers; and
// Interleave, which runs random transactions against each other and a model.
//
// An engine's own tests call both:
//
//	func TestConformance(t *testing.T) { kvtest.Run(t, open) }
//	func TestDifferential(t *testing.T) { kvtest.Differential(t, memory, open, seed) }
//
// where open returns an empty store with Caps.MaxTxnBytes of at most
// MaxTxnBytes, so that the limit can be met. The suite closes the stores.
package kvtest
