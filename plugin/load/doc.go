// Package load is LOAD DATA: the reader of its text files and the rows it makes
// of them.
//
// The engine's own reader ends a record at every line terminator, also inside of
// enclosures and behind an escape, takes the word NULL for a NULL wherever it
// stands, and says nothing of lines with too few or too many fields; the reader
// here follows the MySQL manual (LOAD DATA statement, "Field and Line Handling").
// A plain table is loaded without the planner (direct.go), an empty one into a key
// range of its own that takes over with the commit, in bounded memory. Everything
// else goes through the engine's INSERT (rows.go).
package load
