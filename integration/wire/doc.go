// Package wire tests the real server through stock clients: the mariadb command
// line client and the Go driver. It loads real dumps unmodified, compares what
// Sakila's views, routines and triggers answer with what MariaDB answers (the
// transcripts in testdata), kills the server and compares again.
//
// To make the transcripts anew from a MariaDB server that has the dumps loaded:
//
//	FRESHET_REFERENCE='root@unix(/path/to/socket)' \
//	  go test -tags gms_pure_go ./integration/wire -run TestTranscripts -rewrite
package wire
