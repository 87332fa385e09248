package parser

import (
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// LockTables is LOCK TABLES.
type LockTables struct{ Tables []LockedTable }

// LockedTable is a table of LOCK TABLES. READ LOCAL is READ, as in MySQL for tables of InnoDB. The lock is on the
// table by whatever alias it is used.
type LockedTable struct {
	Name
	Write bool
}

// UnlockTables is UNLOCK TABLES.
type UnlockTables struct{}

// Flush is FLUSH.
type Flush struct {
	// What are the options in upper case: TABLES, PRIVILEGES, …; TABLES stands alone.
	What []string
	// Tables are those of FLUSH TABLES t, …; none means all.
	Tables   []Name
	ReadLock bool // WITH READ LOCK
}

func (*LockTables) isStatement()   {}
func (*UnlockTables) isStatement() {}
func (*Flush) isStatement()        {}

func (s *LockTables) String() string {
	parts := make([]string, len(s.Tables))
	for i, t := range s.Tables {
		parts[i] = t.Name.String() + " READ"
		if t.Write {
			parts[i] = t.Name.String() + " WRITE"
		}
	}
	return "LOCK TABLES " + strings.Join(parts, ", ")
}

func (s *UnlockTables) String() string { return "UNLOCK TABLES" }

func (s *Flush) String() string {
	text := "FLUSH " + strings.Join(s.What, ", ")
	for i, t := range s.Tables {
		if i > 0 {
			text += ","
		}
		text += " " + t.String()
	}
	if s.ReadLock {
		text += " WITH READ LOCK"
	}
	return text
}

// lockTables reads t [[AS] alias] READ [LOCAL] | [LOW_PRIORITY] WRITE, ….
func (p *Parser) lockTables(r *reader) (ast.Statement, error) {
	s := &LockTables{}
	var names []Name
	for {
		n, ok := r.qualified()
		if !ok {
			return nil, r.fail()
		}
		if r.words("as") || !r.s.word(r.i, "read") && !r.s.word(r.i, "write") && !r.s.word(r.i, "low_priority") {
			if _, ok := r.name(); !ok {
				return nil, r.fail()
			}
		}
		t := LockedTable{Name: n}
		switch {
		case r.words("read"):
			r.words("local")
		case r.words("write"), r.words("low_priority", "write"):
			t.Write = true
		default:
			return nil, r.fail()
		}
		s.Tables = append(s.Tables, t)
		names = append(names, n)
		if !r.punct(',') {
			return p.inject(s, authOnTables(ast.AuthType_LOCK, names)), nil
		}
	}
}

// flushed are the options of FLUSH that may stand in a list.
var flushed = [][]string{
	{"binary", "logs"}, {"engine", "logs"}, {"error", "logs"}, {"general", "logs"}, {"relay", "logs"}, {"slow", "logs"}, {"hosts"},
	{"logs"}, {"optimizer_costs"}, {"privileges"}, {"status"}, {"user_resources"},
}

// flush reads what follows FLUSH.
func (p *Parser) flush(r *reader) (ast.Statement, error) {
	r.localOptions()
	s := &Flush{}
	auth := ast.AuthInformation{AuthType: ast.AuthType_RELOAD, TargetType: ast.AuthTargetType_DatabaseIdentifiers, TargetNames: []string{"mysql"}}
	if r.words("tables") || r.words("table") {
		s.What = []string{"TABLES"}
		if err := p.flushTables(r, s); err != nil {
			return nil, err
		}
		return p.inject(s, auth), nil
	}
	for {
		found := false
		for _, words := range flushed {
			if found = r.words(words...); found {
				s.What = append(s.What, strings.ToUpper(strings.Join(words, " ")))
				break
			}
		}
		if !found {
			return nil, r.fail()
		}
		if r.words("for", "channel") {
			if _, ok := r.str(); !ok {
				return nil, r.fail()
			}
		}
		if !r.punct(',') {
			return p.inject(s, auth), nil
		}
	}
}

func (p *Parser) flushTables(r *reader, s *Flush) error {
	if !r.atEnd() && !r.s.word(r.i, "with") {
		names, err := r.tableList()
		if err != nil {
			return err
		}
		s.Tables = names
	}
	if r.words("for", "export") {
		return errUnsupported("FLUSH TABLES … FOR EXPORT")
	}
	s.ReadLock = r.words("with", "read", "lock")
	return nil
}
