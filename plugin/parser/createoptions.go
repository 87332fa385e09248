package parser

import ast "github.com/dolthub/vitess/go/vt/sqlparser"

// noColumn is the column that stands for none in a CREATE TABLE … SELECT that has options and no columns: the base
// grammar reads options behind columns only.
const noColumn = "\x01none"

// optionWords begin the options of a table.
var optionWords = []string{"engine", "comment", "charset", "character", "default", "collate", "auto_increment", "row_format", "avg_row_length", "max_rows", "min_rows", "key_block_size"}

// optionsWithoutColumns: CREATE TABLE t option … [AS] SELECT ….
func optionsWithoutColumns(s *source, i int) (int, error) {
	if !s.createsTable() || i > 2 {
		return i, nil
	}
	r := &reader{s: s, i: i + 1}
	r.words("if", "not", "exists")
	if _, ok := r.qualified(); !ok {
		return i, nil
	}
	last := r.i - 1
	if _, ok := r.oneOf(optionWords...); !ok {
		return i, nil
	}
	selects := false
	for n := r.i; n < len(s.tokens) && !s.punct(n, ';'); n++ {
		selects = selects || s.word(n, "select")
	}
	if !selects {
		return i, nil
	}
	at := s.tokens[last].end
	s.edits = append(s.edits, edit{span{at, at}, " (`" + noColumn + "` INT)", false})
	return i, nil
}

// dropNoColumn takes the column of optionsWithoutColumns out again.
func dropNoColumn(stmt ast.Statement) {
	ddl, ok := stmt.(*ast.DDL)
	if ok && ddl.OptSelect != nil && ddl.TableSpec != nil && len(ddl.TableSpec.Columns) == 1 && ddl.TableSpec.Columns[0].Name.String() == noColumn {
		ddl.TableSpec.Columns = nil
	}
}
