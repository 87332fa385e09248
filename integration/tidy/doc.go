// Package tidy checks the house rules of CONTRIBUTING that a program can
// check, over every file of the repository: file length, package comments and
// names, documented exports, no open ends, no work at program start, no
// goroutine without an owner, formatting, and that invariants and acceptance
// scenarios named anywhere exist.
//
// It has no code of its own outside its tests. Each rule is one test function;
// exceptions are lists in exceptions_test.go, each with its reason.
package tidy
