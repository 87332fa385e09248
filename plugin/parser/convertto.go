package parser

import (
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// AlterTableConvert is an ALTER TABLE with CONVERT TO CHARACTER SET, which the base grammar reads as a change of the
// default. Whoever runs this converts the table and then runs Rest, in one transaction: all or nothing.
type AlterTableConvert struct {
	Table Name
	// Charset is empty for CHARACTER SET DEFAULT, Collation where there is no COLLATE.
	Charset, Collation string
	// Rest is the *ast.AlterTable of the other clauses, nil if there are none. It is shared and must not be changed.
	Rest ast.Statement
}

func (*AlterTableConvert) isStatement() {}

func (s *AlterTableConvert) String() string {
	charset := s.Charset
	if charset == "" {
		charset = "DEFAULT"
	}
	text := "ALTER TABLE " + s.Table.String() + " CONVERT TO CHARACTER SET " + charset
	if s.Collation != "" {
		text += " COLLATE " + s.Collation
	}
	if s.Rest != nil {
		text += "; " + ast.String(s.Rest)
	}
	return text
}

// convertMark begins the collation that stands for CONVERT TO; character set and collation follow, with a line break
// between them.
const convertMark = "\x01convert:"

// convertTo: CONVERT TO CHARACTER SET x [COLLATE y], as COLLATE with a name that alterConversions knows.
func convertTo(s *source, i int) (int, error) {
	if !s.word(0, "alter") && !s.compound {
		return i, nil
	}
	r := &reader{s: s, i: i + 1}
	if !r.words("to", "character", "set") && !r.words("to", "char", "set") && !r.words("to", "charset") {
		return i, nil
	}
	charset, ok := r.nameOrString()
	if !ok {
		return i, nil
	}
	collation := ""
	if r.words("collate") {
		if collation, ok = r.nameOrString(); !ok {
			return i, nil
		}
	}
	if strings.EqualFold(charset, "default") {
		charset = ""
	}
	s.replace(i, r.i-1, "COLLATE "+quoteText(convertMark+charset+"\n"+collation), false)
	return r.i - 1, nil
}

// nameOrString consumes an identifier or a string literal.
func (r *reader) nameOrString() (string, bool) {
	if name, ok := r.name(); ok {
		return name, true
	}
	return r.str()
}

// quoteText is a string literal of text without quotes and backslashes; of other text it is what comes first.
func quoteText(text string) string {
	if i := strings.IndexAny(text, `'\`); i >= 0 {
		text = text[:i]
	}
	return "'" + text + "'"
}

// alterConversions makes the marks of convertTo statements of ours.
func (p *Parser) alterConversions(stmt ast.Statement) ast.Statement {
	return p.walker.walk(stmt, func(n any) (any, bool) {
		alter, ok := n.(*ast.AlterTable)
		if !ok {
			return n, true
		}
		convert := &AlterTableConvert{Table: Name{alter.Table.DbQualifier.String(), alter.Table.Name.String()}}
		found := false
		var rest []*ast.DDL
		for _, clause := range alter.Statements {
			marked, ok := "", false
			if clause.AlterCollationSpec != nil {
				marked, ok = strings.CutPrefix(clause.AlterCollationSpec.Collation, convertMark)
			}
			if !ok {
				rest = append(rest, clause)
				continue
			}
			found = true
			convert.Charset, convert.Collation, _ = strings.Cut(marked, "\n")
		}
		if !found {
			return n, false
		}
		if len(rest) > 0 {
			others := *alter
			others.Statements = rest
			convert.Rest = &others
		}
		return p.inject(convert, authOnTables(ast.AuthType_ALTER, []Name{convert.Table})), false
	})
}
