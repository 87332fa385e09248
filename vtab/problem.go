package vtab

import (
	"fmt"
	"slices"
	"strings"

	"github.com/freshetdb/freshet/catalog"
)

// ProblemKind says what a check found. The texts are stable: reports and scripts
// may compare them.
type ProblemKind string

const (
	// ProblemCatalog: an entry of the catalog is not as it was written, or the
	// entries contradict each other.
	ProblemCatalog ProblemKind = "catalog"
	// ProblemDefinition: a table's definition can be read and not be used.
	ProblemDefinition ProblemKind = "definition"
	// ProblemRow: a stored row does not decode, or holds NULL where none may be.
	ProblemRow ProblemKind = "row"
	// ProblemRowKey: a row lies under another key than its values make.
	ProblemRowKey ProblemKind = "row-key"
	// ProblemMissingEntry: a row lacks its entry in an index.
	ProblemMissingEntry ProblemKind = "missing-entry"
	// ProblemStrayEntry: an index entry belongs to no row.
	ProblemStrayEntry ProblemKind = "stray-entry"
	// ProblemWrongEntry: an index entry has another value than its row makes.
	ProblemWrongEntry ProblemKind = "wrong-entry"
	// ProblemDuplicate: two rows have one value of a unique key.
	ProblemDuplicate ProblemKind = "duplicate-key"
	// ProblemOrphan: a row refers to a parent that is not there.
	ProblemOrphan ProblemKind = "orphan-row"
	// ProblemCheck: a row violates an enforced CHECK constraint.
	ProblemCheck ProblemKind = "check-violation"
	// ProblemSequence: a counter would hand out a value that a row has.
	ProblemSequence ProblemKind = "sequence"
	// ProblemCount: the stored number of rows is not the number of rows.
	ProblemCount ProblemKind = "row-count"
	// ProblemStray: keys lie in a range that nothing owns.
	ProblemStray ProblemKind = "stray-range"
	// ProblemUnreadable: a part of the store cannot be read; what it holds is not
	// checked.
	ProblemUnreadable ProblemKind = "unreadable"
	// ProblemMore: further findings are counted and not listed.
	ProblemMore ProblemKind = "more"

	// NoteOrphan: a row refers to a parent that is not there, under a foreign key
	// that was declared without validating the rows. MySQL allows that.
	NoteOrphan ProblemKind = "note-unvalidated-orphan"
	// NoteUnchecked: something could not be checked, and why.
	NoteUnchecked ProblemKind = "note-unchecked"
)

// Problem is one thing that a check found.
type Problem struct {
	Kind ProblemKind
	// Object is the table, and the index, constraint or catalog entry, as text.
	Object string
	// Key is the stored key, nil where no single key is meant.
	Key    []byte
	Detail string
}

// Damage reports whether the store is damaged; false is a note.
func (p Problem) Damage() bool { return !strings.HasPrefix(string(p.Kind), "note-") }

// String says all of it in a line.
func (p Problem) String() string {
	if p.Key == nil {
		return fmt.Sprintf("%s: %s: %s", p.Kind, p.Object, p.Detail)
	}
	return fmt.Sprintf("%s: %s: key %x: %s", p.Kind, p.Object, p.Key, p.Detail)
}

// Report is what a check of a whole store looked at and found.
type Report struct {
	Objects      int // entries of the catalog
	Tables       int
	Rows         uint64
	IndexEntries uint64
	Problems     []Problem
}

// Damaged reports whether any of the problems is damage.
func (r *Report) Damaged() bool {
	for _, p := range r.Problems {
		if p.Damage() {
			return true
		}
	}
	return false
}

// maxProblems bounds what is listed of one table: the first findings tell what
// happened, and a list must fit in memory whatever the damage.
const maxProblems = 1000

// findings collects the problems of one table.
type findings struct {
	table    string
	problems []Problem
	more     uint64 // not listed
	damage   bool   // some of those not listed are damage
}

func (f *findings) add(kind ProblemKind, part string, key []byte, format string, args ...any) {
	if len(f.problems) >= maxProblems {
		f.more++
		f.damage = f.damage || Problem{Kind: kind}.Damage()
		return
	}
	object := f.table
	if part != "" {
		object += " " + part
	}
	f.problems = append(f.problems, Problem{Kind: kind, Object: object, Key: cloneKey(key), Detail: fmt.Sprintf(format, args...)})
}

// has tells whether a problem of the kind is among those listed from place from on.
func (f *findings) has(kind ProblemKind, from int) bool {
	return slices.ContainsFunc(f.problems[from:], func(p Problem) bool { return p.Kind == kind })
}

// list returns what was found, with the number of what is not listed.
func (f *findings) list() []Problem {
	if f.more == 0 {
		return f.problems
	}
	kind := NoteUnchecked
	if f.damage {
		kind = ProblemMore
	}
	return append(f.problems, Problem{Kind: kind, Object: f.table, Detail: fmt.Sprintf("%d further findings are not listed", f.more)})
}

func cloneKey(key []byte) []byte {
	if key == nil {
		return nil
	}
	return append([]byte{}, key...)
}

// quoteName writes a name as SQL does.
func quoteName(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

func tableText(db string, t *catalog.Table) string { return quoteName(db) + "." + quoteName(t.Name) }
