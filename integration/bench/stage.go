package main

import (
	"fmt"
	"runtime"

	"github.com/freshetdb/freshet/integration/process"
)

// stage is what running the real process needs of a test, for a program: a
// failure ends the stage with an error.
type stage struct{ cleanups []func() }

var _ process.T = (*stage)(nil)

// stageError carries a failure up to end.
type stageError struct{ text string }

func (e stageError) Error() string { return e.text }

func newStage() *stage { return &stage{} }

// end runs the clean-ups and turns a failure of the stage into *err. Defer it.
func (s *stage) end(err *error) {
	if r := recover(); r != nil {
		failure, ok := r.(stageError)
		if !ok {
			panic(r)
		}
		*err = failure
	}
	for i := len(s.cleanups) - 1; i >= 0; i-- {
		s.cleanups[i]()
	}
	runtime.GC()
}

func (s *stage) Helper()                           {}
func (s *stage) Cleanup(f func())                  { s.cleanups = append(s.cleanups, f) }
func (s *stage) Fatal(args ...any)                 { panic(stageError{fmt.Sprint(args...)}) }
func (s *stage) Fatalf(format string, args ...any) { panic(stageError{fmt.Sprintf(format, args...)}) }
func (s *stage) Skipf(format string, args ...any)  { panic(stageError{fmt.Sprintf(format, args...)}) }
