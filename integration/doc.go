// Package integration holds the suites that test Freshet as a whole: the
// engine's own suite on store tables (enginesuite), SQL logic tests (slt),
// stock clients over the wire (wire), kills of the real process (crash),
// hostile input (abuse), benchmarks (bench) and the house rules (tidy).
package integration
