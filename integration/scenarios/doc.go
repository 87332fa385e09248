// Package scenarios holds the acceptance scenarios about tables as SQL scripts:
// encodings and types, keys and indexes, changing rows, tables and names, each
// run on a store of its own, in process.
//
// A script is text. Each line that is not indented starts a statement; indented
// lines continue it. What follows `--` at the end of a statement is expected of it:
//
//	SELECT a, b FROM t  --= 1,x; 2,NULL   these rows in this order
//	SELECT a FROM t     --~ 2; 1          these rows in any order
//	INSERT INTO t …     --! 1062          this error number
//	UPDATE t …          --# 2             this many affected rows
//	@B SELECT …                           session B instead of the first
//	.reopen   .kill   .check              a clean restart, a crash, a check
//
// Other statements must succeed. Every script ends with a check, and with another
// after a restart.
package scenarios
