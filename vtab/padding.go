package vtab

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
)

// withoutPadding is a row without the blanks at the end of its CHARs: MySQL pads them
// when it stores, and gives none of the blanks back when it reads (8.0 Reference
// Manual, 11.3.2).
func (s *shape) withoutPadding(ctx *sql.Context, row sql.Row) (sql.Row, error) {
	copied := false
	for _, ord := range s.chars {
		value, err := sql.UnwrapAny(ctx, row[ord])
		if err != nil {
			return nil, err
		}
		text, ok := value.(string)
		if !ok || !strings.HasSuffix(text, " ") {
			continue
		}
		if !copied {
			row, copied = row.Copy(), true
		}
		row[ord] = strings.TrimRight(text, " ")
	}
	return row, nil
}
