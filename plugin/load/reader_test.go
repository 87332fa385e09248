package load

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

var (
	tabs = Format{FieldsTerminatedBy: "\t", FieldsEscapedBy: `\`, LinesTerminatedBy: "\n"}
	csv  = Format{FieldsTerminatedBy: ",", FieldsEnclosedBy: `"`, FieldsEscapedBy: `\`, LinesTerminatedBy: "\r\n"}
	quot = Format{FieldsTerminatedBy: ",", FieldsEnclosedBy: `"`, FieldsEscapedBy: `"`, LinesTerminatedBy: "\n"}
	wide = Format{FieldsTerminatedBy: "||", FieldsEnclosedBy: "'", FieldsEscapedBy: `\`, LinesTerminatedBy: "\n"}
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
		{quot, "1,\"at the end\"", "1|\"at the end\""},
		{bare, "skip\nxxxa||b\nmore xxxc||d\nxxx\n", "a|b/c|d/"},
		{bare, "xxxa|b||c\\||d", `a|b|c\|d`},
		{wide, "'1'||'x'\n'2'||'y'\n3||'z'\n4||a\\\\b\n5||e\n", `1|x/2|y/3|z/4|a\b/5|e`},
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
					fields, _, err := r.Next(100)
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
			quick, _, errA := a.Next(1 << 20)
			var slow []Field
			b.compact()
			b.fields, b.text = b.fields[:0], b.text[:0]
			_, errB := b.start()
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
	_, _, err = r.Next(10)
	require.ErrorContains(t, err, "longer than 1000 bytes")
}

func TestSkipLines(t *testing.T) {
	r, err := NewReader(strings.NewReader("head\n\"second\n1\t2\n"), tabs, 1000)
	require.NoError(t, err)
	require.NoError(t, r.SkipLines(2))
	fields, _, err := r.Next(10)
	require.NoError(t, err)
	require.Equal(t, "1", string(fields[0].Text))
	require.NoError(t, r.SkipLines(5))
	_, _, err = r.Next(10)
	require.ErrorIs(t, err, io.EOF)
}

// What follows the fields that are asked for goes with its line, whatever it looks
// like; a line terminator behind the escape does not end the line.
func TestSurplusFields(t *testing.T) {
	r, err := NewReader(strings.NewReader("1,2\r\n5,6,\"a\"b\r\n7,8\r\n9,10,\"open\r\n11,12,x\\\r\n,y\r\n13,14"), csv, 1000)
	require.NoError(t, err)
	var seen []string
	for {
		fields, surplus, err := r.Next(2)
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		seen = append(seen, fmt.Sprintf("%s,%s %v", fields[0].Text, fields[1].Text, surplus))
	}
	require.Equal(t, []string{"1,2 false", "5,6 true", "7,8 false", "9,10 true", "11,12 true", "13,14 false"}, seen)
}

// What is written by the rules of the manual is read back, in any format.
func TestWrittenRecordsReadBack(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	pieces := []string{"a", "b", "1", " ", ",", "|", "||", "\t", "\n", "\r", "\r\n", `"`, "'", `\`, "NULL", "N", "é", "\x00", "xyz"}
	for round := range 3000 {
		f := Format{
			FieldsTerminatedBy: []string{"\t", ",", "||", "ab"}[r.IntN(4)], FieldsEnclosedBy: []string{"", `"`, "'"}[r.IntN(3)],
			FieldsEscapedBy: `\`, LinesTerminatedBy: []string{"\n", "\r\n", "|\n"}[r.IntN(3)], LinesStartingBy: []string{"", "> "}[r.IntN(2)],
		}
		var want [][]string
		var input strings.Builder
		for range 1 + r.IntN(6) {
			var record []string
			input.WriteString(f.LinesStartingBy)
			for i := range 3 {
				var value strings.Builder
				for range r.IntN(5) {
					value.WriteString(pieces[r.IntN(len(pieces))])
				}
				record = append(record, value.String())
				if i > 0 {
					input.WriteString(f.FieldsTerminatedBy)
				}
				quote := f.FieldsEnclosedBy
				if r.IntN(2) == 0 {
					quote = ""
				}
				input.WriteString(quote)
				for _, b := range []byte(value.String()) {
					// Every byte that may begin something is escaped, letters of
					// terminators among them; none of these has another meaning.
					if strings.IndexByte(f.FieldsTerminatedBy+f.FieldsEnclosedBy+f.LinesTerminatedBy+`\`, b) >= 0 && b != 'b' {
						input.WriteString(`\`)
					}
					input.WriteByte(b)
				}
				input.WriteString(quote)
			}
			input.WriteString(f.LinesTerminatedBy)
			want = append(want, record)
		}
		var in io.Reader = strings.NewReader(input.String())
		if round%2 == 0 {
			in = iotest.HalfReader(in)
		}
		reader, err := NewReader(in, f, 1<<20)
		require.NoError(t, err)
		for _, record := range want {
			fields, surplus, err := reader.Next(3)
			require.NoError(t, err, "%+v %q", f, input.String())
			require.False(t, surplus)
			require.Len(t, fields, 3, "%+v %q", f, input.String())
			for i, value := range record {
				if f.FieldsEnclosedBy != "" && value == "NULL" {
					continue // unenclosed it is a NULL
				}
				require.Equal(t, value, string(fields[i].Text), "%+v %q", f, input.String())
			}
		}
		_, _, err = reader.Next(3)
		require.ErrorIs(t, err, io.EOF)
	}
}
