// Package process runs the freshet command as processes of their own for the
// suites that test it from outside: it starts servers on free ports of the
// loopback, ends them gently or with a kill, and checks their data folders. The
// binary of each suite contains the command and starts itself.
package process
