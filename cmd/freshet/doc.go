// Command freshet runs the database: it serves a data folder over the MySQL
// protocol, checks one offline, and says its version.
//
// Settings of serve come, in this order, from flags, from environment variables
// (FRESHET_ and the flag's name in capitals with _ for -), from the TOML file
// named by --config (keys are the flags' names), and from defaults.
//
// It exits with 0 after a clean end, 1 after a failure or when check found
// something, and 2 when it was called wrongly.
package main
