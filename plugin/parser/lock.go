package parser

import (
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// LockMode is how a locking read locks.
type LockMode uint8

const (
	LockUpdate LockMode = iota + 1 // FOR UPDATE
	LockShare                      // FOR SHARE, LOCK IN SHARE MODE
)

// LockWait is what a locking read does about a row that somebody else has locked.
type LockWait uint8

const (
	WaitForLock LockWait = iota // wait up to innodb_lock_wait_timeout
	NoWait                      // fail at once with 3572
	SkipLocked                  // leave the row out
)

// LockMark is a locking clause as it reaches the tables it covers.
type LockMark struct {
	Mode LockMode
	Wait LockWait
}

// lockPrefix begins the AS OF value that marks a table of a locking read.
const lockPrefix = "lock:"

// String is the AS OF value: lock:update or lock:share, then :nowait or :skip locked.
func (m LockMark) String() string {
	s := lockPrefix + "update"
	if m.Mode == LockShare {
		s = lockPrefix + "share"
	}
	switch m.Wait {
	case NoWait:
		s += ":nowait"
	case SkipLocked:
		s += ":skip locked"
	}
	return s
}

// ParseLockMark reads an AS OF value; false if it is not a lock mark.
func ParseLockMark(asOf string) (LockMark, bool) {
	rest, ok := strings.CutPrefix(asOf, lockPrefix)
	if !ok {
		return LockMark{}, false
	}
	kind, wait, _ := strings.Cut(rest, ":")
	m := LockMark{Mode: LockUpdate}
	switch kind {
	case "update":
	case "share":
		m.Mode = LockShare
	default:
		return LockMark{}, false
	}
	switch wait {
	case "":
	case "nowait":
		m.Wait = NoWait
	case "skip locked":
		m.Wait = SkipLocked
	default:
		return LockMark{}, false
	}
	return m, true
}

// lockClause is one locking clause: FOR UPDATE OF a, b NOWAIT. No tables means all of the query block.
type lockClause struct {
	mark   LockMark
	tables ast.TableNames
}

// lockClauses are the clauses at the end of one query.
type lockClauses struct {
	clauses []lockClause
	text    string
}

// lockMarkName is the table in the OF list that stands for clauses the base grammar can't read; a number follows.
const lockMarkName = "\x01lock"

// lockClause reads the locking clauses at token i, if that is what is there, and returns the last token of them. The
// base grammar knows one clause, FOR UPDATE or LOCK IN SHARE MODE; anything else is given to it as FOR UPDATE OF a
// name that leads back to what was written.
func (s *source) lockClause(i int) (int, error) {
	r := &reader{s: s, i: i}
	l := &lockClauses{}
	needed := false
	for {
		c, share, ok := r.lockClause()
		if !ok {
			break
		}
		needed = needed || share || len(l.clauses) > 0
		l.clauses = append(l.clauses, c)
	}
	if len(l.clauses) == 0 {
		return i, nil
	}
	if !needed {
		return r.i - 1, nil
	}
	cut := span{s.tokens[i].start, r.last()}
	if c := l.clauses[0]; len(l.clauses) == 1 && c.mark.Wait == WaitForLock && len(c.tables) == 0 {
		s.edits = append(s.edits, edit{cut, "LOCK IN SHARE MODE", true})
		return r.i - 1, nil
	}
	if s.createsTable() {
		// There, the base grammar takes a plain clause only.
		return i, errUnsupported("this locking clause in CREATE TABLE … SELECT")
	}
	l.text = s.text[cut.start:cut.end]
	s.edits = append(s.edits, edit{cut, "FOR UPDATE OF `" + lockMarkName + itoa(len(s.locks)) + "`", true})
	s.locks = append(s.locks, l)
	return r.i - 1, nil
}

// createsTable tells whether the statement is CREATE [TEMPORARY] TABLE.
func (s *source) createsTable() bool {
	return s.word(0, "create") && (s.word(1, "table") || s.word(1, "temporary"))
}

// lockClause reads one clause. share is true for FOR SHARE, which the base grammar lacks.
func (r *reader) lockClause() (c lockClause, share, ok bool) {
	back := r.i
	switch {
	case r.words("for", "update"):
		c.mark.Mode = LockUpdate
	case r.words("for", "share"):
		c.mark.Mode, share = LockShare, true
	case r.words("lock", "in", "share", "mode"):
		c.mark.Mode = LockShare
		return c, false, true
	default:
		return c, false, false
	}
	if r.words("of") {
		for {
			n, ok := r.qualified()
			if !ok {
				r.i = back
				return c, false, false
			}
			c.tables = append(c.tables, ast.TableName{Name: ast.NewTableIdent(n.Name), DbQualifier: ast.NewTableIdent(n.Database)})
			if !r.punct(',') {
				break
			}
		}
	}
	switch {
	case r.words("nowait"):
		c.mark.Wait = NoWait
	case r.words("skip", "locked"):
		c.mark.Wait = SkipLocked
	}
	return c, share, true
}

// locker marks the tables of locking reads.
type locker struct {
	p *Parser
	s *source
	// ctes are names that WITH gives to queries, by name: they are no tables.
	ctes map[string]int
}

// markLocks gives every table that a locking clause covers an AS OF with the mark.
func (p *Parser) markLocks(stmt ast.Statement, s *source) ast.Statement {
	l := &locker{p: p, s: s, ctes: map[string]int{}}
	return p.walker.walk(stmt, l.visit)
}

func (l *locker) visit(n any) (any, bool) {
	switch n := n.(type) {
	case *ast.Explain:
		return n, false // nothing is locked, and the plan shows the tables as they are
	case *ast.CommonTableExpr:
		l.ctes[strings.ToLower(n.As.String())]++
	case *ast.Select:
		l.names(n.With)
		if clauses := l.clausesOf(n.Lock); clauses != nil {
			l.query(n, clauses)
		}
	case *ast.SetOp:
		l.names(n.With)
		if clauses := l.clausesOf(n.Lock); clauses != nil {
			l.query(n, clauses)
		}
	}
	return n, true
}

// names notes the names a WITH defines, before the query that uses them is visited.
func (l *locker) names(with *ast.With) {
	if with == nil {
		return
	}
	for _, c := range with.Ctes {
		l.ctes[strings.ToLower(c.As.String())]++
	}
}

// clausesOf returns the clauses behind a lock, and writes into the lock what they say.
func (l *locker) clausesOf(lock *ast.Lock) []lockClause {
	if lock == nil || lock.Type == "" {
		return nil
	}
	if len(lock.Tables) == 1 && l.s != nil {
		if n, ok := strings.CutPrefix(lock.Tables[0].Name.String(), lockMarkName); ok {
			written := l.s.locks[atoi(n)]
			lock.Type = " " + strings.ToLower(written.text)
			lock.Tables = nil
			for _, c := range written.clauses {
				lock.Tables = append(lock.Tables, c.tables...)
			}
			return written.clauses
		}
	}
	c := lockClause{mark: LockMark{Mode: LockUpdate}, tables: lock.Tables}
	switch {
	case lock.Type == ast.ShareModeStr:
		c.mark.Mode = LockShare
	case strings.HasSuffix(lock.Type, "nowait"):
		c.mark.Wait = NoWait
	case strings.HasSuffix(lock.Type, "skip locked"):
		c.mark.Wait = SkipLocked
	}
	return []lockClause{c}
}

// query marks the base tables of one query. Subqueries and derived tables lock only if they say so themselves.
func (l *locker) query(q ast.SelectStatement, clauses []lockClause) {
	switch q := q.(type) {
	case *ast.Select:
		for _, t := range q.From {
			l.table(t, clauses)
		}
	case *ast.SetOp:
		l.query(q.Left, clauses)
		l.query(q.Right, clauses)
	case *ast.ParenSelect:
		l.query(q.Select, clauses)
	}
}

func (l *locker) table(t ast.TableExpr, clauses []lockClause) {
	switch t := t.(type) {
	case *ast.AliasedTableExpr:
		name, ok := t.Expr.(ast.TableName)
		if !ok || t.AsOf != nil || l.exempt(name) {
			return
		}
		for _, c := range clauses {
			if c.covers(t, name) {
				t.AsOf = &ast.AsOf{Time: ast.NewStrVal([]byte(c.mark.String()))}
				return
			}
		}
	case *ast.JoinTableExpr:
		l.table(t.LeftExpr, clauses)
		l.table(t.RightExpr, clauses)
	case *ast.ParenTableExpr:
		for _, e := range t.Exprs {
			l.table(e, clauses)
		}
	}
}

// exempt tells whether name is no table that could be locked: a query of WITH, DUAL, a table the server makes up.
func (l *locker) exempt(name ast.TableName) bool {
	if name.DbQualifier.IsEmpty() {
		key := strings.ToLower(name.Name.String())
		return key == "dual" || l.ctes[key] > 0
	}
	switch strings.ToLower(name.DbQualifier.String()) {
	case "information_schema", "performance_schema", "mysql", "sys", "freshet", DualDatabase:
		return true
	}
	return false
}

// covers tells whether the clause locks the table that a query calls so.
func (c lockClause) covers(t *ast.AliasedTableExpr, name ast.TableName) bool {
	if len(c.tables) == 0 {
		return true
	}
	for _, of := range c.tables {
		switch {
		case !t.As.IsEmpty():
			if of.DbQualifier.IsEmpty() && strings.EqualFold(of.Name.String(), t.As.String()) {
				return true
			}
		case strings.EqualFold(of.Name.String(), name.Name.String()):
			if of.DbQualifier.IsEmpty() || strings.EqualFold(of.DbQualifier.String(), name.DbQualifier.String()) {
				return true
			}
		}
	}
	return false
}
