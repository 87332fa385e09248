package load

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/vitess/go/mysql"
)

// source is the input of one LOAD DATA.
type source struct {
	file    io.ReadCloser
	records *Reader
	charset sql.CharacterSetID // of the text; unspecified is that of the engine
	number  int64              // of the last record, from 1
}

// maxRecordBytes bounds a record: no row can be as large.
const maxRecordBytes = 1 << 30

// open opens the file of a statement and goes over the lines to ignore.
func open(ctx *sql.Context, n *plan.LoadData) (*source, error) {
	s := &source{}
	if n.Charset != "" && !strings.EqualFold(n.Charset, "binary") {
		charset, err := sql.ParseCharacterSet(n.Charset)
		if err != nil {
			return nil, mysql.NewSQLError(1115, "42000", "Unknown character set: '%s'", n.Charset)
		}
		if charset != sql.CharacterSet_utf8mb4 && charset != sql.CharacterSet_utf8mb3 {
			s.charset = charset
		}
	}
	var err error
	if n.Local {
		s.file, err = openLocal(ctx, n.File)
	} else {
		s.file, err = openFile(n.File)
	}
	if err != nil {
		return nil, err
	}
	s.records, err = NewReader(s.file, Format{
		FieldsTerminatedBy: n.FieldsTerminatedBy, FieldsEnclosedBy: n.FieldsEnclosedBy, FieldsEscapedBy: n.FieldsEscapedBy,
		LinesStartingBy: n.LinesStartingBy, LinesTerminatedBy: n.LinesTerminatedBy,
	}, maxRecordBytes)
	if err != nil {
		err = mysql.NewSQLError(1235, "42000", "This version of Freshet doesn't yet support '%s'", err)
	} else {
		err = s.records.SkipLines(n.IgnoreNum)
	}
	if err != nil {
		return nil, closed(err, s.file)
	}
	return s, nil
}

// closed closes a file after an error and returns what went wrong.
func closed(err error, file io.Closer) error {
	if closeErr := file.Close(); closeErr != nil {
		return fmt.Errorf("%w (and closing the input: %v)", err, closeErr)
	}
	return err
}

// openLocal asks the client for the file.
func openLocal(ctx *sql.Context, name string) (io.ReadCloser, error) {
	_, allowed, ok := sql.SystemVariables.GetGlobal("local_infile")
	if on, isNumber := allowed.(int8); !ok || !isNumber || on == 0 {
		return nil, mysql.NewSQLError(3948, "42000", "Loading local data is disabled; this must be enabled on both the client and server sides")
	}
	return ctx.LoadInfile(name)
}

// openFile opens a file of the server's, which must lie where secure_file_priv says.
func openFile(name string) (io.ReadCloser, error) {
	_, value, ok := sql.SystemVariables.GetGlobal("secure_file_priv")
	if !ok {
		return nil, sql.ErrUnknownSystemVariable.New("secure_file_priv")
	}
	if folder, _ := value.(string); folder != "" {
		inside, err := liesIn(folder, name)
		if err != nil {
			return nil, sql.ErrLoadDataCannotOpen.New(err.Error())
		}
		if !inside {
			return nil, mysql.NewSQLError(1290, "HY000", "The MySQL server is running with the --secure-file-priv option so it cannot execute this statement")
		}
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, sql.ErrLoadDataCannotOpen.New(err.Error())
	}
	return file, nil
}

// liesIn reports whether a file lies in a folder or below it, links followed.
func liesIn(folder, name string) (bool, error) {
	folder, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return false, err
	}
	if name, err = filepath.EvalSymlinks(name); err != nil {
		return false, err
	}
	if folder, err = filepath.Abs(folder); err != nil {
		return false, err
	}
	if name, err = filepath.Abs(name); err != nil {
		return false, err
	}
	below, err := filepath.Rel(folder, name)
	return err == nil && below != ".." && !strings.HasPrefix(below, ".."+string(filepath.Separator)), nil
}

// next returns up to limit fields of the next record in the engine's character set.
// The record's number is in number.
func (s *source) next(limit int) (fields []Field, surplus bool, err error) {
	fields, surplus, err = s.records.Next(limit)
	if err != nil {
		return nil, false, err
	}
	s.number++
	if s.charset == sql.CharacterSet_Unspecified {
		return fields, surplus, nil
	}
	for i := range fields {
		decoded, ok := s.charset.Encoder().Decode(fields[i].Text)
		if !ok {
			return nil, false, mysql.NewSQLError(1300, "HY000", "Invalid %s character string in field %d at row %d", s.charset.Name(), i+1, s.number)
		}
		fields[i].Text = decoded
	}
	return fields, surplus, nil
}

// Warnings and errors about the number of fields.
const (
	codeTooFewFields  = 1261
	codeTooManyFields = 1262
)

// checkCount speaks of a record with a wrong number of fields: an error in a
// strict statement, else a warning.
func (s *source) checkCount(ctx *sql.Context, missing, surplus, lenient bool) error {
	var code int
	var text string
	switch {
	case missing:
		code, text = codeTooFewFields, fmt.Sprintf("Row %d doesn't contain data for all columns", s.number)
	case surplus:
		code, text = codeTooManyFields, fmt.Sprintf("Row %d was truncated; it contained more data than there were input columns", s.number)
	default:
		return nil
	}
	if !lenient {
		return mysql.NewSQLError(code, "01000", "%s", text)
	}
	ctx.Warn(code, "%s", text)
	return nil
}
