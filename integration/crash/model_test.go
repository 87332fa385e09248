package crash

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
)

// relation is what a table must hold: its columns besides the key, and its rows
// by key, values in the order of the columns.
type relation struct {
	columns []string
	rows    map[int][]int
}

// state is what a session's database must hold, tables by name.
type state map[string]*relation

func (s state) clone() state {
	out := make(state, len(s))
	for name, r := range s {
		c := &relation{columns: slices.Clone(r.columns), rows: make(map[int][]int, len(r.rows))}
		for id, values := range r.rows {
			c.rows[id] = slices.Clone(values)
		}
		out[name] = c
	}
	return out
}

// String renders a state so that equal states have equal text.
func (s state) String() string {
	var out strings.Builder
	for _, name := range slices.Sorted(maps.Keys(s)) {
		r := s[name]
		fmt.Fprintf(&out, "%s(%s)\n", name, strings.Join(r.columns, ","))
		for _, id := range slices.Sorted(maps.Keys(r.rows)) {
			fmt.Fprintf(&out, "  %d %v\n", id, r.rows[id])
		}
	}
	return out.String()
}

// names returns the tables in order, so that a seed chooses the same ones again.
func (s state) names() []string {
	names := make([]string, 0, len(s))
	for name := range s {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// step is a statement and what it makes of a state.
type step struct {
	sql   string
	apply func(state)
	// ends says that the statement commits the open transaction before it runs.
	ends bool
}

const (
	tablesMax  = 4
	keysMax    = 40
	columnsMax = 5
	// fresh is the default of added columns.
	fresh = 7
)

// change draws a statement that changes rows.
func change(r *rand.Rand, s state) (step, bool) {
	names := s.names()
	if len(names) == 0 {
		return step{}, false
	}
	name := names[r.IntN(len(names))]
	t := s[name]
	column := r.IntN(len(t.columns))
	key, by := r.IntN(keysMax), 1+r.IntN(5)
	switch r.IntN(5) {
	case 0, 1:
		return replaceRows(r, name, len(t.columns)), true
	case 2:
		return step{sql: fmt.Sprintf("UPDATE %s SET %s = %s + %d WHERE id >= %d", name, t.columns[column], t.columns[column], by, key), apply: func(s state) {
			for id, values := range s[name].rows {
				if id >= key {
					values[column] += by
				}
			}
		}}, true
	case 3:
		return step{sql: fmt.Sprintf("DELETE FROM %s WHERE id %% %d = 0", name, by+1), apply: func(s state) {
			maps.DeleteFunc(s[name].rows, func(id int, _ []int) bool { return id%(by+1) == 0 })
		}}, true
	default:
		// Moves rows to other keys; 1,000 apart, so that none is taken.
		return step{sql: fmt.Sprintf("UPDATE %s SET id = id + 1000 WHERE id < %d AND id + 1000 NOT IN (SELECT id FROM (SELECT id FROM %s) x)", name, key, name), apply: func(s state) {
			rows := s[name].rows
			for _, id := range slices.Sorted(maps.Keys(rows)) {
				if _, taken := rows[id+1000]; id < key && !taken {
					rows[id+1000] = rows[id]
					delete(rows, id)
				}
			}
		}}, true
	}
}

func replaceRows(r *rand.Rand, name string, columns int) step {
	rows := map[int][]int{}
	var tuples []string
	for range 1 + r.IntN(8) {
		id, values := r.IntN(keysMax), make([]int, columns)
		if rows[id] != nil {
			continue
		}
		text := fmt.Sprint(id)
		for i := range values {
			values[i] = r.IntN(100)
			text += fmt.Sprintf(",%d", values[i])
		}
		rows[id] = values
		tuples = append(tuples, "("+text+")")
	}
	return step{sql: fmt.Sprintf("REPLACE INTO %s VALUES %s", name, strings.Join(tuples, ",")), apply: func(s state) {
		for id, values := range rows {
			s[name].rows[id] = slices.Clone(values)
		}
	}}
}

// define draws a statement that changes definitions.
func define(r *rand.Rand, s state, serial int) step {
	names := s.names()
	fill := len(names) < 2 || (len(names) < tablesMax && r.IntN(3) == 0)
	if fill {
		name := fmt.Sprintf("t%d", serial)
		return step{ends: true, sql: fmt.Sprintf("CREATE TABLE %s (id INT PRIMARY KEY, a INT NOT NULL, KEY (a))", name), apply: func(s state) {
			s[name] = &relation{columns: []string{"a"}, rows: map[int][]int{}}
		}}
	}
	name := names[r.IntN(len(names))]
	switch r.IntN(5) {
	case 0:
		return step{ends: true, sql: "DROP TABLE " + name, apply: func(s state) { delete(s, name) }}
	case 1:
		return step{ends: true, sql: "TRUNCATE TABLE " + name, apply: func(s state) { clear(s[name].rows) }}
	case 2:
		to := fmt.Sprintf("t%d", serial)
		return step{ends: true, sql: fmt.Sprintf("RENAME TABLE %s TO %s", name, to), apply: func(s state) {
			s[to] = s[name]
			delete(s, name)
		}}
	case 3:
		if len(s[name].columns) < columnsMax {
			column := fmt.Sprintf("c%d", serial)
			return step{ends: true, sql: fmt.Sprintf("ALTER TABLE %s ADD COLUMN %s INT NOT NULL DEFAULT %d", name, column, fresh), apply: func(s state) {
				s[name].columns = append(s[name].columns, column)
				for id := range s[name].rows {
					s[name].rows[id] = append(s[name].rows[id], fresh)
				}
			}}
		}
		last := len(s[name].columns) - 1
		return step{ends: true, sql: fmt.Sprintf("ALTER TABLE %s DROP COLUMN %s", name, s[name].columns[last]), apply: func(s state) {
			s[name].columns = s[name].columns[:last]
			for id, values := range s[name].rows {
				s[name].rows[id] = values[:last]
			}
		}}
	default:
		column := s[name].columns[len(s[name].columns)-1]
		return step{ends: true, sql: fmt.Sprintf("CREATE INDEX i%d ON %s (%s, id)", serial, name, column), apply: func(state) {}}
	}
}
