// Package isolation holds the acceptance scenarios about what transactions see of
// each other, over the wire: the levels, lost updates, phantoms and write skew, the
// table of anomalies in docs/isolation.md, and histories of many clients that are
// checked afterwards, with kills in between.
//
// By default histories are short. The full ones run with the tag long:
//
//	go test -tags gms_pure_go,long -timeout 60m ./integration/isolation
package isolation
