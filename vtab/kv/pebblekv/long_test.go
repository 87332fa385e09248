//go:build long

package pebblekv

// long makes the crash and fault tests take every case.
const long = true
