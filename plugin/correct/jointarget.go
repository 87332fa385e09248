package correct

import (
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
)

// joinTarget is a table that a statement of several tables changes.
type joinTarget struct {
	start, end int // its columns in a joined row
	schema     sql.Schema
	key        []int // positions of its primary key in its rows, none if it has none
	triggers   chains
	seen       map[string]struct{}
}

// newJoinTarget finds the columns of the table that the statement calls name. What
// they are is taken from the table: a projection above a join keeps only names and
// types.
func newJoinTarget(joined, table sql.Schema, name string) (*joinTarget, error) {
	t := &joinTarget{start: -1, schema: table, seen: map[string]struct{}{}}
	for i, column := range joined {
		if !strings.EqualFold(column.Source, name) {
			if t.start >= 0 {
				break
			}
			continue
		}
		if t.start < 0 {
			t.start = i
		}
		t.end = i + 1
	}
	if t.start < 0 || t.end-t.start != len(table) {
		return nil, fmt.Errorf("table %s has %d columns, and %d in the rows of the statement", name, len(table), t.end-max(t.start, 0))
	}
	for i, column := range table {
		if column.PrimaryKey {
			t.key = append(t.key, i)
		}
	}
	return t, nil
}

// of is the table's part of a joined row, which may have values of an outer scope
// in front; width is that of the joined row without them. It is a copy.
func (t *joinTarget) of(row sql.Row, width int) sql.Row {
	outer := len(row) - width
	return append(sql.Row(nil), row[outer+t.start:outer+t.end]...)
}

// absent says whether the table has no row here: an outer join found none.
func (t *joinTarget) absent(row sql.Row) bool {
	for _, i := range t.key {
		if row[i] == nil {
			return true
		}
	}
	if len(t.key) > 0 {
		return false
	}
	for _, value := range row {
		if value != nil {
			return false
		}
	}
	return true
}

// first says whether the statement meets a row for the first time. Rows of a table
// without a primary key are told apart by all their values.
func (t *joinTarget) first(row sql.Row) bool {
	var b strings.Builder
	part := func(value any) {
		text := fmt.Sprintf("%T %v", value, value)
		fmt.Fprintf(&b, "%d:%s", len(text), text)
	}
	for _, i := range t.key {
		part(row[i])
	}
	if len(t.key) == 0 {
		for _, value := range row {
			part(value)
		}
	}
	if _, ok := t.seen[b.String()]; ok {
		return false
	}
	t.seen[b.String()] = struct{}{}
	return true
}
