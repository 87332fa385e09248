package parser

const (
	// executableVersionMax is the server version up to which executable comments (/*!NNNNN … */) are executed:
	// that of MySQL 8.0, the dialect spoken. Comments of MariaDB (/*M!…*/) are comments, as in MySQL.
	executableVersionMax = 80099

	// rollupKeysMax bounds GROUP BY … WITH ROLLUP: each key adds one more pass over the sources.
	rollupKeysMax = 32

	// nestingMax bounds parentheses and blocks that the own statement readers follow.
	nestingMax = 200
)
