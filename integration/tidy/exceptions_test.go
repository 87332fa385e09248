package tidy

// goroutineOwners lists the files that start goroutines outside tests, with who
// waits for them. A file that is not listed may not contain a go statement; a
// listed one must contain one.
var goroutineOwners = map[string]string{
	"cmd/freshet/command/serve.go":  "serveDB waits for Serve to return",
	"integration/bench/inserts.go":  "together waits for its workers",
	"integration/bench/loads.go":    "ends when the reader that it feeds is read or closed, within loadData",
	"integration/process/inside.go": "Inside.End waits for it",
	"integration/process/server.go": "Kill and Stop wait for it",
	"vtab/kv/pebblekv/store.go":     "nobody, on purpose: it runs what Pebble may never return from, and Close gives up on it",
	"plugin/listener.go":            "connListener.Close waits for the accept loops",
	"plugin/server.go":              "Shutdown waits for it, or gives up with an error when its context ends",
	"plugin/watch.go":               "watcher.close waits for the sweeper, clientWatch.end for the one that watches a client",
}

// initAllowed lists the files that may have an init function, with the reason.
var initAllowed = map[string]string{}

// longFiles lists files over the limit that cannot be split, with the reason.
var longFiles = map[string]string{}
