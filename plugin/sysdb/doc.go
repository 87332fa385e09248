// Package sysdb is the database freshet: tables that show what the server is doing.
// They are made up when they are read, from memory, and cost nothing before.
//
//	freshet.transactions   the open transactions, what they wait for, what they run
//	freshet.locks          who holds and who wants which lock
//	freshet.last_deadlock  the ring of the last deadlock, one row for each wait
//
// A table is a name, columns and a function that returns rows; New lists them.
//
// The database is not listed by SHOW DATABASES, so that programs that copy all
// databases leave it out, as they do with performance_schema; everything else
// (USE, SHOW TABLES FROM, DESCRIBE, grants) works as with any other.
package sysdb
