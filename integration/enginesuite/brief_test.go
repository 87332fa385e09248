//go:build !long

package enginesuite

// wholeSuite is not set: only briefFunctions run.
const wholeSuite = false
