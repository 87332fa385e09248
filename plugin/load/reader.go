package load

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// Format says how records and fields are told apart: the FIELDS and LINES clauses.
type Format struct {
	FieldsTerminatedBy string
	FieldsEnclosedBy   string // one byte, or none
	FieldsEscapedBy    string // one byte, or none
	LinesStartingBy    string
	LinesTerminatedBy  string
}

// Field is one field of a record. Text is valid until the next record is read.
type Field struct {
	Text []byte
	Null bool
}

// Reader reads records. It is used by one goroutine and needs memory for one
// record.
type Reader struct {
	in     *bufio.Reader
	format Format
	limit  int

	buffer []byte // the record as far as it has been read
	at     int
	ended  bool // the input ends behind buffer
	fields []Field
	text   []byte // of fields that are not as they stand in the input
}

// readBuffer is how much is read from the input at once.
const readBuffer = 1 << 17

// NewReader returns a reader of in. A record longer than limit bytes is an error.
func NewReader(in io.Reader, format Format, limit int) (*Reader, error) {
	switch {
	case format.LinesTerminatedBy == "":
		return nil, errors.New("LINES TERMINATED BY '' is not supported")
	case format.FieldsTerminatedBy == "":
		return nil, errors.New("fields of fixed size (FIELDS TERMINATED BY '') are not supported")
	}
	return &Reader{in: bufio.NewReaderSize(in, readBuffer), format: format, limit: limit}, nil
}

// more appends input up to the next byte that may end a line. False means that
// the input has ended.
func (r *Reader) more() (bool, error) {
	if r.ended {
		return false, nil
	}
	last := r.format.LinesTerminatedBy[len(r.format.LinesTerminatedBy)-1]
	for {
		part, err := r.in.ReadSlice(last)
		r.buffer = append(r.buffer, part...)
		if len(r.buffer) > r.limit {
			return false, fmt.Errorf("a record of LOAD DATA is longer than %d bytes", r.limit)
		}
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, io.EOF):
			r.ended = true
			return len(part) > 0, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return false, err
		}
	}
}

// SkipLines goes over n lines, without regard to fields.
func (r *Reader) SkipLines(n int64) error {
	for ; n > 0; n-- {
		r.compact()
		if err := r.skipLine(); err != nil {
			return err
		}
	}
	return nil
}

// skipLine goes behind the next line terminator. A byte behind the escape is not
// looked at; enclosures do not count.
func (r *Reader) skipLine() error {
	f := &r.format
	for {
		ok, err := r.has(1)
		if err != nil || !ok {
			return err
		}
		if f.FieldsEscapedBy != "" && r.buffer[r.at] == f.FieldsEscapedBy[0] {
			if _, err := r.has(2); err != nil {
				return err
			}
			r.at = min(r.at+2, len(r.buffer))
			continue
		}
		if ok, err = r.looksAt(0, f.LinesTerminatedBy); err != nil {
			return err
		}
		if ok {
			r.at += len(f.LinesTerminatedBy)
			return nil
		}
		r.at++
	}
}

// compact forgets what lies before the present position.
func (r *Reader) compact() {
	n := copy(r.buffer, r.buffer[r.at:])
	r.buffer, r.at = r.buffer[:n], 0
}

// Next returns up to limit fields of the next record, io.EOF at the end. surplus
// says that the record has more; they are gone with its line.
func (r *Reader) Next(limit int) (fields []Field, surplus bool, err error) {
	r.compact()
	r.fields, r.text = r.fields[:0], r.text[:0]
	end, err := r.start()
	if err != nil {
		return nil, false, err
	}
	if r.splitPlain(end) {
		if len(r.fields) > limit {
			return r.fields[:limit], true, nil
		}
		return r.fields, false, nil
	}
	for {
		last, err := r.field()
		if err != nil {
			return nil, false, err
		}
		if last {
			return r.fields, false, nil
		}
		if len(r.fields) == limit {
			return r.fields, true, r.skipLine()
		}
	}
}

// line makes sure that the present line has been read and returns where it ends,
// its terminator included.
func (r *Reader) line() (end int, err error) {
	from := r.at
	for {
		if i := bytes.Index(r.buffer[from:], []byte(r.format.LinesTerminatedBy)); i >= 0 {
			return from + i + len(r.format.LinesTerminatedBy), nil
		}
		from = max(r.at, len(r.buffer)-len(r.format.LinesTerminatedBy)+1)
		ok, err := r.more()
		if err != nil {
			return 0, err
		}
		if !ok {
			return len(r.buffer), nil
		}
	}
}

// start goes to the beginning of a record, behind LINES STARTING BY, and returns
// where its first line ends.
func (r *Reader) start() (end int, err error) {
	for {
		end, err := r.line()
		if err != nil {
			return 0, err
		}
		if end == r.at {
			return 0, io.EOF
		}
		if i := bytes.Index(r.buffer[r.at:end], []byte(r.format.LinesStartingBy)); i >= 0 {
			r.at += i + len(r.format.LinesStartingBy)
			return end, nil
		}
		r.at = end
		r.compact()
	}
}

// splitPlain splits a record that is one line, up to end, without escapes and
// enclosures.
func (r *Reader) splitPlain(end int) bool {
	line := r.buffer[r.at:end]
	f := &r.format
	if f.FieldsEscapedBy != "" && bytes.IndexByte(line, f.FieldsEscapedBy[0]) >= 0 ||
		f.FieldsEnclosedBy != "" && bytes.IndexByte(line, f.FieldsEnclosedBy[0]) >= 0 {
		return false
	}
	r.at = end
	line = bytes.TrimSuffix(line, []byte(f.LinesTerminatedBy))
	for {
		var field []byte
		var more bool
		if len(f.FieldsTerminatedBy) == 1 {
			i := bytes.IndexByte(line, f.FieldsTerminatedBy[0])
			if more = i >= 0; more {
				field, line = line[:i], line[i+1:]
			} else {
				field = line
			}
		} else {
			var rest []byte
			field, rest, more = bytes.Cut(line, []byte(f.FieldsTerminatedBy))
			line = rest
		}
		r.fields = append(r.fields, Field{Text: field, Null: f.FieldsEnclosedBy != "" && string(field) == "NULL"})
		if !more {
			return true
		}
	}
}

// has makes sure that n bytes are there to be looked at, if the input has them.
func (r *Reader) has(n int) (bool, error) {
	for len(r.buffer)-r.at < n {
		ok, err := r.more()
		if err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

// looksAt reports whether text stands i bytes ahead.
func (r *Reader) looksAt(i int, text string) (bool, error) {
	ok, err := r.has(i + len(text))
	return ok && string(r.buffer[r.at+i:r.at+i+len(text)]) == text, err
}

// field reads one field byte by byte and reports whether it is the record's last.
func (r *Reader) field() (last bool, err error) {
	f := &r.format
	var enclosure, escape int = -1, -1
	if f.FieldsEnclosedBy != "" {
		enclosure = int(f.FieldsEnclosedBy[0])
	}
	if f.FieldsEscapedBy != "" {
		escape = int(f.FieldsEscapedBy[0])
	}
	from := len(r.text)
	ok, err := r.has(1)
	if err != nil {
		return false, err
	}
	enclosed := ok && int(r.buffer[r.at]) == enclosure
	if enclosed {
		r.at++
	}
	null := false // the field's only byte came from \N
	end := func(closed bool) {
		text := r.text[from:]
		if enclosed && !closed {
			// The input ended inside: the opening quote was one of the text's bytes.
			r.text = append(r.text, 0)
			text = r.text[from:]
			copy(text[1:], text)
			text[0] = byte(enclosure)
		}
		word := !enclosed && enclosure >= 0 && string(text) == "NULL"
		r.fields = append(r.fields, Field{Text: text, Null: word || null && len(text) == 1})
	}
	for {
		ok, err := r.has(1)
		if err != nil {
			return false, err
		}
		if !ok {
			end(false)
			return true, nil
		}
		b := r.buffer[r.at]
		if int(b) == escape {
			if ok, err = r.has(2); err != nil {
				return false, err
			}
			if !ok { // the input ends in an escape, even if it might have closed an enclosure
				r.text = append(r.text, b)
				r.at++
				continue
			}
			if ok && (escape != enclosure || int(r.buffer[r.at+1]) == escape) {
				next := r.buffer[r.at+1]
				null = null || next == 'N' && escape != enclosure
				if escape != enclosure {
					next = unescaped(next)
				}
				r.text = append(r.text, next)
				r.at += 2
				continue
			}
		}
		if enclosed && int(b) == enclosure {
			done, last, err := r.closes(enclosure)
			if err != nil {
				return false, err
			}
			if done {
				end(true)
				return last, nil
			}
			continue
		}
		if !enclosed {
			done, last, err := r.terminates()
			if err != nil {
				return false, err
			}
			if done {
				end(true)
				return last, nil
			}
		}
		r.text = append(r.text, b)
		r.at++
	}
}

// terminates reports whether a field ends here, and whether the record does; it
// goes behind the terminator.
func (r *Reader) terminates() (done, last bool, err error) {
	f := &r.format
	if ok, err := r.looksAt(0, f.FieldsTerminatedBy); ok || err != nil {
		r.at += len(f.FieldsTerminatedBy)
		return true, false, err
	}
	if ok, err := r.looksAt(0, f.LinesTerminatedBy); ok || err != nil {
		r.at += len(f.LinesTerminatedBy)
		return true, true, err
	}
	return false, false, nil
}

// closes decides about an enclosing byte inside of an enclosure: it stands for
// itself if it is doubled, or if no terminator follows.
func (r *Reader) closes(enclosure int) (done, last bool, err error) {
	ok, err := r.has(2)
	if err != nil {
		return false, false, err
	}
	if !ok {
		r.at++
		return true, true, nil
	}
	if int(r.buffer[r.at+1]) == enclosure {
		r.text = append(r.text, byte(enclosure))
		r.at += 2
		return false, false, nil
	}
	r.at++
	if done, last, err = r.terminates(); done || err != nil {
		return done, last, err
	}
	r.text = append(r.text, byte(enclosure))
	return false, false, nil
}

// unescaped is what a byte behind the escape stands for.
func unescaped(b byte) byte {
	switch b {
	case 'n':
		return '\n'
	case 't':
		return '\t'
	case 'r':
		return '\r'
	case 'b':
		return '\b'
	case '0':
		return 0
	case 'Z':
		return 26
	}
	return b
}
