package vtab

import (
	"strconv"
	"strings"

	"github.com/freshetdb/freshet/catalog"
)

// KeyMark is how the statement parser says what the engine does not pass on of a
// key's definition: it puts KeyMark, the positions of the descending parts
// separated by commas, and "\x01" in front of the key's comment.
const KeyMark = "\x01key:"

// MarkKey puts a mark in front of a comment. A comment that looks marked gets one,
// too, so that it can be told.
func MarkKey(comment string, descending []bool) string {
	var positions []string
	for i, desc := range descending {
		if desc {
			positions = append(positions, strconv.Itoa(i))
		}
	}
	if len(positions) == 0 && !strings.HasPrefix(comment, KeyMark) {
		return comment
	}
	return KeyMark + strings.Join(positions, ",") + "\x01" + comment
}

// ReadKeyMark takes the mark off a comment and returns the positions of the
// descending parts.
func ReadKeyMark(comment string) (descending []int, rest string) {
	marked, ok := strings.CutPrefix(comment, KeyMark)
	if !ok {
		return nil, comment
	}
	list, rest, ok := strings.Cut(marked, "\x01")
	if !ok {
		return nil, comment
	}
	for _, text := range strings.Split(list, ",") {
		if n, err := strconv.Atoi(text); err == nil && n >= 0 {
			descending = append(descending, n)
		}
	}
	return descending, rest
}

// applyKeyMark makes the parts descending that the comment says, and takes the
// mark off it.
func applyKeyMark(parts []catalog.Part, comment string) string {
	descending, rest := ReadKeyMark(comment)
	for _, n := range descending {
		if n < len(parts) {
			parts[n].Desc = true
		}
	}
	return rest
}

// Descending says which parts of the index are declared DESC.
func (x *Index) Descending() []bool {
	all := make([]bool, len(x.shape.parts))
	for i := range x.shape.parts {
		all[i] = x.shape.parts[i].Desc
	}
	return all
}
