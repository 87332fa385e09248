// Command bench measures Freshet against floors on the same machine in the same
// run, and prints medians and ratios: what a figure means depends on the machine,
// what a ratio means hardly does.
//
//	go run -tags gms_pure_go ./integration/bench              # everything
//	go run -tags gms_pure_go ./integration/bench -run insert  # parts by name
//
//	go run -tags gms_pure_go ./integration/bench -run hotrow -against 'root@tcp(127.0.0.1:3306)/'
//
// The floors: for a point select, the SQL engine over a table that returns a
// constant; for a durable insert, commits of as many bytes by the storage engine
// alone; for a scan, a loop that only decodes the same rows; for
// increments of one row, another server.
package main
