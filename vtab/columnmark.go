package vtab

import (
	"encoding/json"
	"strings"

	"github.com/freshetdb/freshet/catalog"
)

// columnMark is how the statement parser says what the engine does not pass on of a
// column's definition, and how a definition is shown: it puts columnMark, the
// attributes, and "\x01" in front of the column's comment.
const columnMark = "\x01column:"

// MarkColumn puts attributes in front of a comment.
func MarkColumn(comment string, a catalog.Attributes) (string, error) {
	text, err := json.Marshal(a)
	return columnMark + string(text) + "\x01" + comment, err
}

// ReadColumnMark takes the mark off a comment; marked is false if there is none.
func ReadColumnMark(comment string) (a catalog.Attributes, rest string, marked bool) {
	text, ok := strings.CutPrefix(comment, columnMark)
	if !ok {
		return a, comment, false
	}
	list, rest, ok := strings.Cut(text, "\x01")
	if !ok || json.Unmarshal([]byte(list), &a) != nil {
		return catalog.Attributes{}, comment, false
	}
	return a, rest, true
}
