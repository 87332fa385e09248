package vtab

import (
	"context"
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
)

// DuplicateKey is what MySQL's message about a duplicate says. The engine's error
// has no place for it, so it travels behind the end of the existing row.
type DuplicateKey struct {
	Entry string // the values of the key, joined by -
	Key   string // table.index
}

// newDuplicate is the refusal of row because existing has its key; existing is nil
// if it is not known. Both are as the engine shows them.
func (s *shape) newDuplicate(ctx *sql.Context, x *indexShape, row, existing sql.Row) error {
	carrier := make(sql.Row, len(existing)+1)
	copy(carrier, existing)
	carrier[len(existing)] = DuplicateKey{Entry: s.entryText(ctx, x, row), Key: s.desc.Name + "." + x.name}
	return sql.NewUniqueKeyErr(x.keyText(ctx, row), x == s.primary, carrier[:len(existing)])
}

// DuplicateOf returns what is known of a duplicate that this package has refused.
func DuplicateOf(e sql.UniqueKeyError) (DuplicateKey, bool) {
	n := len(e.Existing)
	if cap(e.Existing) != n+1 {
		return DuplicateKey{}, false
	}
	d, ok := e.Existing[:n+1][n].(DuplicateKey)
	return d, ok
}

// entryText renders key values as MySQL does.
func (s *shape) entryText(ctx *sql.Context, x *indexShape, row sql.Row) string {
	parts := make([]string, len(x.cols))
	for i, ord := range x.cols {
		value, err := s.schema[ord].Type.SQL(ctx, nil, row[ord])
		if err != nil {
			parts[i] = fmt.Sprint(row[ord])
			continue
		}
		parts[i] = value.ToString()
	}
	return strings.Join(parts, "-")
}

// keyText renders key values as the engine does.
func (x *indexShape) keyText(ctx context.Context, row sql.Row) string {
	var parts []string
	for _, ord := range x.cols {
		v, err := sql.UnwrapAny(ctx, row[ord])
		if err != nil {
			v = row[ord]
		}
		if b, ok := v.([]byte); ok {
			v = string(b)
		}
		parts = append(parts, fmt.Sprint(v))
	}
	return fmt.Sprintf("[%s]", strings.Join(parts, ","))
}
