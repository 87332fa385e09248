// Package enginesuite runs the SQL engine's own test suite on Freshet's tables:
// every exported function of its enginetest package, in process and through the
// server.
//
// The suite's functions fail a test directly and share the process, so each set
// of them runs in a child process (this test binary again), whose results are
// compared with testdata/known.txt: failures that are the engine's own or that
// a decision explains, each with its reason. An unlisted failure fails the test,
// and so does a listed one that no longer fails, so the list cannot rot.
//
//	go test -tags gms_pure_go,long -v -timeout 60m ./integration/enginesuite
//	go test -tags gms_pure_go -v ./integration/enginesuite # a few functions
//	FRESHET_SUITE=TestScripts,TestTriggers go test ... # only these functions
package enginesuite
