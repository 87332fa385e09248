package parser

import (
	"strconv"

	"github.com/dolthub/vitess/go/mysql"
)

// MySQL error numbers this package answers with.
const (
	erParse            = 1064
	erNotSupportedYet  = 1235
	erNoReturn         = 1320
	erDuplicateParam   = 1331
	erGroupingArgument = 3148
	erNotPartitioned   = 1747

	erDuplicateKeyName    = 1061
	erMultiplePrimaryKeys = 1068
	erGroupFunction       = 1111
	erCheckUnknownColumn  = 3820
	erWrongNameForIndex   = 1280
)

// nearMax is how much of the text a syntax error quotes, as in MySQL.
const nearMax = 80

// errSyntaxNear is MySQL's syntax error for text that is wrong from position at on.
func errSyntaxNear(text string, at int) error {
	near := text[min(at, len(text)):]
	if len(near) > nearMax {
		near = near[:nearMax]
	}
	return mysql.NewSQLError(erParse, "42000", "You have an error in your SQL syntax near '%s' at position %d", near, at)
}

// errUnfinished is for a string, name or comment that the text ends in.
func errUnfinished(text string, at int) error { return errSyntaxNear(text, at) }

// errNamelessIndex is MySQL's answer to quotes without a name between them where the name of an index belongs.
func errNamelessIndex() error {
	return mysql.NewSQLError(erWrongNameForIndex, "42000", "Incorrect index name ''")
}

// errUnsupported names a statement that MySQL knows and Freshet does not.
func errUnsupported(what string) error {
	return mysql.NewSQLError(erNotSupportedYet, "42000", "This version of Freshet doesn't yet support '%s'", what)
}

func itoa(n int) string { return strconv.Itoa(n) }

// errNotPartitioned is MySQL's answer to PARTITION (…) on a table that has no partitions.
func errNotPartitioned() error {
	return mysql.NewSQLError(erNotPartitioned, "HY000", "PARTITION () clause on non partitioned table")
}
