// Package crash kills the real server under load, over and over, and compares
// what it kept with what its clients were told: acknowledged work is whole,
// unacknowledged work is whole or absent, values that were handed out never come
// again, and freshet check finds nothing.
//
// By default a few rounds run. The full number runs with the tag long:
//
//	go test -tags gms_pure_go,long -timeout 60m ./integration/crash
package crash
