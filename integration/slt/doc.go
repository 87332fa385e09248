// Package slt runs SQL logic tests (https://www.sqlite.org/sqllogictest): scripts
// of statements and queries with their results, made by other databases. A few
// small ones of our own are in testdata; the large public sets are not part of
// the repository and are given by path:
//
//	FRESHET_SLT=/path/to/folder go test -tags gms_pure_go -v ./integration/slt
//
// prints what passed per folder and every failure, and fails only if fewer
// records pass than FRESHET_SLT_FLOOR says (in percent; default 99).
package slt
