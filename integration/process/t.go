package process

import "testing"

// T is what this package needs of a test; a program that is none can offer it
// too.
type T interface {
	Helper()
	Cleanup(func())
	Fatal(args ...any)
	Fatalf(format string, args ...any)
	Skipf(format string, args ...any)
}

var _ T = testing.TB(nil)
