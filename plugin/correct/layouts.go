package correct

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql/types"
)

// dateLayouts are ways to write dates and times that MySQL reads and the engine
// does not: any punctuation may stand between the parts, and the parts need no
// leading zeros (MySQL 8.0 Reference Manual, 11.2.2, "relaxed" format). The
// common delimiters are covered; they are tried after the engine's own.
var dateLayouts = []string{
	"2006/1/2", "2006/1/2 15:4:5.999999999", "2006/1/2 15:4", "2006/1/2T15:4:5.999999999",
	"2006.1.2", "2006.1.2 15:4:5.999999999", "2006.1.2 15.4.5",
	"2006-1-2T15:4:5.999999999", "2006-1-2 15:4",
}

// installLayouts lets the engine read them, once per process.
func installLayouts() {
	if !slices.Contains(types.TimestampDatetimeLayouts, dateLayouts[0]) {
		types.TimestampDatetimeLayouts = append(types.TimestampDatetimeLayouts, dateLayouts...)
	}
}
