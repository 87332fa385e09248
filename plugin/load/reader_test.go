package load

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

var (
	tabs = Format{FieldsTerminatedBy: "\t", FieldsEscapedBy: `\`, LinesTerminatedBy: "\n"}
	csv  = Format{FieldsTerminatedBy: ",", FieldsEnclosedBy: `"`, FieldsEscapedBy: `\`, LinesTerminatedBy: "\r\n"}
	quot = Format{FieldsTerminatedBy: ",", FieldsEnclosedBy: `"`, FieldsEscapedBy: `"`, LinesTerminatedBy: "\n"}
	bare = Format{FieldsTerminatedBy: "||", LinesTerminatedBy: "\n", LinesStartingBy: "xxx"}
)

// Records are split as the manual says (LOAD DATA statement, "Field and Line
// Handling"). NULLs are shown as <null>.
func TestRecords(t *testing.T) {
	for _, c := range []struct {
		format Format
		input  string
		want   string
	}{
		{tabs, "1\ta\n2\tb\n", "1|a/2|b"},
		{tabs, "1\ta\n2\tb", "1|a/2|b"},
		{tabs, "", ""},
		{tabs, "\n", ""},
		{tabs, "a\t\n\t\n", "a|/|"},
		{tabs, "\\N\t\\Nx\ta\\Nb\tNULL\n", "<null>|Nx|aNb|NULL"},
		{tabs, "a\\tb\\nc\\\\d\\0\\Z\\b\\q\\r\n", "a\tb\nc\\d\x00\x1a\bq\r"},
		{tabs, "a\\\tb\\\nc\td\n", "a\tb\nc|d"}, // escaped terminators are data
		{tabs, "a\\", `a\`},
		{csv, "\"a,b\",c\r\n", "a,b|c"},
		{csv, "\"two\r\nlines\",c\r\nx,y\r\n", "two\r\nlines|c/x|y"},
		{csv, "\"say \"\"so\"\"\",NULL,\"NULL\",\\N,\"\\N\"\r\n", `say "so"|<null>|NULL|<null>|<null>`},
		{csv, "\"a\"b\",c\r\n", `a"b|c`},
		{csv, "a\"b,c\"\r\n", `a"b|c"`},
		{csv, "\"open,c\r\n", "\"open,c\r\n"},
		{csv, "a\nb,c\rd\r\n", "a\nb|c\rd"},
		{csv, "\"\",\"\"\r\n", "|"},
		{csv, "\"a\"", "a"},
		{quot, "\"a\"\"b\",\"\"\"\",c\"\"d\n", `a"b|"|c"d`},
		{quot, "\"x\ny\",1\n", "x\ny|1"},
		{bare, "skip\nxxxa||b\nmore xxxc||d\nxxx\n", "a|b/c|d/"},
		{bare, "xxxa|b||c\\||d", `a|b|c\|d`},
	} {
		for _, way := range []struct {
			name string
			in   io.Reader
		}{{"whole", strings.NewReader(c.input)}, {"byte by byte", iotest.OneByteReader(strings.NewReader(c.input))}} {
			t.Run(fmt.Sprintf("%q %s", c.input, way.name), func(t *testing.T) {
				r, err := NewReader(way.in, c.format, 1<<20)
				require.NoError(t, err)
				var records []string
				for {
					fields, err := r.Next()
					if errors.Is(err, io.EOF) {
						break
					}
					require.NoError(t, err)
					var texts []string
					for _, f := range fields {
						if f.Null {
							texts = append(texts, "<null>")
						} else {
							texts = append(texts, string(f.Text))
						}
					}
					records = append(records, strings.Join(texts, "|"))
				}
				require.Equal(t, c.want, strings.Join(records, "/"))
			})
		}
	}
}

// The quick way over a plain line and the slow one give the same fields.
func FuzzRecordsBothWays(f *testing.F) {
	f.Add("1\ta\n2\t\\N\n")
	f.Fuzz(func(t *testing.T, input string) {
		if strings.ContainsAny(input, `\"`) {
			t.Skip()
		}
		plain := Format{FieldsTerminatedBy: "\t", LinesTerminatedBy: "\n"}
		escaped := Format{FieldsTerminatedBy: "\t", FieldsEscapedBy: `\`, FieldsEnclosedBy: `"`, LinesTerminatedBy: "\n"}
		a, err := NewReader(strings.NewReader(input), plain, 1<<20)
		require.NoError(t, err)
		b, err := NewReader(strings.NewReader(input), escaped, 1<<20)
		require.NoError(t, err)
		for {
			quick, errA := a.Next()
			var slow []Field
			b.buffer, b.at, b.fields, b.text = b.buffer[:0], 0, b.fields[:0], b.text[:0]
			errB := b.start()
			for last := false; errB == nil && !last; {
				last, errB = b.field()
			}
			slow = b.fields
			require.Equal(t, errA, errB)
			if errA != nil {
				return
			}
			require.Equal(t, len(quick), len(slow))
			for i := range quick {
				require.Equal(t, string(quick[i].Text), string(slow[i].Text))
			}
		}
	})
}

// A record that never ends is an error, not memory.
func TestRecordTooLong(t *testing.T) {
	r, err := NewReader(strings.NewReader(strings.Repeat("x", 5000)), tabs, 1000)
	require.NoError(t, err)
	_, err = r.Next()
	require.ErrorContains(t, err, "longer than 1000 bytes")
}

func TestSkipLines(t *testing.T) {
	r, err := NewReader(strings.NewReader("head\n\"second\n1\t2\n"), tabs, 1000)
	require.NoError(t, err)
	require.NoError(t, r.SkipLines(2))
	fields, err := r.Next()
	require.NoError(t, err)
	require.Equal(t, "1", string(fields[0].Text))
	require.NoError(t, r.SkipLines(5))
	_, err = r.Next()
	require.ErrorIs(t, err, io.EOF)
}
