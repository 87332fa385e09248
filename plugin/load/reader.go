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
		r.buffer = r.buffer[:0]
		for !bytes.HasSuffix(r.buffer, []byte(r.format.LinesTerminatedBy)) {
			ok, err := r.more()
			if err != nil {
				return err
			}
			if !ok {
				return nil
			}
		}
	}
	return nil
}

// Next returns the fields of the next record, io.EOF at the end.
func (r *Reader) Next() ([]Field, error) {
	r.buffer, r.at, r.fields, r.text = r.buffer[:0], 0, r.fields[:0], r.text[:0]
	if err := r.start(); err != nil {
		return nil, err
	}
	if r.splitPlain() {
		return r.fields, nil
	}
	for {
		last, err := r.field()
		if err != nil {
			return nil, err
		}
		if last {
			return r.fields, nil
		}
	}
}

// start reads the first line of a record and goes behind LINES STARTING BY.
func (r *Reader) start() error {
	for {
		ok, err := r.more()
		if err != nil {
			return err
		}
		if !ok && len(r.buffer) == 0 {
			return io.EOF
		}
		found := bytes.Index(r.buffer, []byte(r.format.LinesStartingBy))
		if found >= 0 {
			r.at = found + len(r.format.LinesStartingBy)
			return nil
		}
		if !ok {
			return io.EOF
		}
		r.buffer = r.buffer[:0]
	}
}

// splitPlain splits a record that is one line without escapes and enclosures.
func (r *Reader) splitPlain() bool {
	line := r.buffer[r.at:]
	f := &r.format
	if f.FieldsEscapedBy != "" && bytes.IndexByte(line, f.FieldsEscapedBy[0]) >= 0 ||
		f.FieldsEnclosedBy != "" && bytes.IndexByte(line, f.FieldsEnclosedBy[0]) >= 0 {
		return false
	}
	line, whole := bytes.CutSuffix(line, []byte(f.LinesTerminatedBy))
	if !whole && !r.ended || bytes.Contains(line, []byte(f.LinesTerminatedBy)) {
		return false
	}
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
			if !ok && escape != enclosure {
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
