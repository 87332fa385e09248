package tidy

// goroutineOwners lists the files that start goroutines outside tests, with who
// waits for them. A file that is not listed may not contain a go statement; a
// listed one must contain one.
var goroutineOwners = map[string]string{}

// initAllowed lists the files that may have an init function, with the reason.
var initAllowed = map[string]string{}

// longFiles lists files over the limit that cannot be split, with the reason.
var longFiles = map[string]string{}
