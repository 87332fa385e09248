// Package exact holds accumulators whose result does not depend on the order in
// which values arrive, nor on values that were added and taken away again.
//
// A Fixed sums integers and decimals: a whole number of units of 10^-scale, in
// 128 bits while it fits and in a big integer beyond. A Float sums doubles
// without any rounding; only reading it rounds, once, to the nearest double.
// Both also take squares, so that Σx and Σx² give a variance free of
// cancellation; see FixedMoments and FloatMoments.
//
// Every value that can be added can be removed: removing is exact, so sliding
// windows and incrementally maintained groups show the same bits as a fresh sum
// over the values that are left.
//
// Accumulators are plain values without locks: one goroutine at a time. Their
// zero values are empty sums. They can be encoded; equal sums have equal
// encodings, whatever way they were reached.
package exact
