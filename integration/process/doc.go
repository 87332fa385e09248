// Package process runs the real freshet binary for the suites that test it from
// outside: it builds it once per test process, starts servers on free ports of
// the loopback, ends them gently or with a kill, and checks their data folders.
package process
