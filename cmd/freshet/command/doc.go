// Package command is the freshet command: its subcommands, settings and exit codes.
// It stands apart from main so that test binaries can be the command too.
package command
