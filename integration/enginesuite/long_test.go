//go:build long

package enginesuite

// wholeSuite is set: every function runs.
const wholeSuite = true
