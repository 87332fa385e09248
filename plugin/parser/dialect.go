package parser

// rule edits what begins with a word at token i, and returns the last token it dealt with.
type rule func(s *source, i int) (last int, err error)

// ruleWordMax is the length of the longest word in rules.
const ruleWordMax = 18

// rules are what the base grammar reads differently from MySQL, or not at all, by the first word of it.
var rules = map[string]rule{
	"definer": func(s *source, i int) (int, error) { s.definer(i); return i, nil },
	"for":     (*source).lockClause,
	"lock":    lockOrAlgorithm,
	"with":    withClause,
	"charset": func(s *source, i int) (int, error) { s.charset(i); return i, nil },
	"year":    func(s *source, i int) (int, error) { s.typeWidth(i); return i, nil },
	"time":    func(s *source, i int) (int, error) { s.typeWidth(i); return i, nil },
	"return":  func(s *source, i int) (int, error) { s.parenthesize(i); return i, nil },
	"default": func(s *source, i int) (int, error) {
		if s.compound && s.declares(i) {
			s.parenthesize(i)
		}
		return i, nil
	},
	"partition":     partitionClause,
	"algorithm":     lockOrAlgorithm,
	"using":         usingBeforeParts,
	"references":    inlineReference,
	"visible":       visibleColumn,
	"invisible":     invisibleColumn,
	"column_format": columnStorage,
	"storage":       columnStorage,
	"geomcollection": func(s *source, i int) (int, error) {
		s.replace(i, i, "geometrycollection", false)
		return i, nil
	},
	"like":               likeInParens,
	"convert":            convertTo,
	"format":             explainFormat,
	"table":              optionsWithoutColumns,
	"add":                addColumnList,
	"restrict":           dropBehaviour,
	"cascade":            dropBehaviour,
	"tables":             tablesForTable,
	"schema":             alterSchema,
	"local":              maintenanceScope,
	"no_write_to_binlog": maintenanceScope,
	"update":             updateHistogram,
	"set":                setPassword,
	"low_priority":       priority,
	"high_priority":      priority,
	"delayed":            priority,
	"quick":              priority,
	"delete":             deleteAlias,
	"all":                quantified,
	"any":                quantified,
	"some":               quantified,
}

// definesTable tells whether the statement is CREATE or ALTER TABLE; bodies of routines are left alone.
func (s *source) definesTable() bool {
	return s.createsTable() || s.word(0, "alter") && s.word(1, "table")
}

// withClause: WITH ROLLUP, WITH PARSER p.
func withClause(s *source, i int) (int, error) {
	switch {
	case s.word(i+1, "rollup"):
		if i == 0 {
			return i, errSyntaxNear(s.text, s.tokens[i].start)
		}
		s.replace(i, i+1, ", '"+rollupMark+"'", true)
		return i + 1, nil
	case s.word(i+1, "parser") && i+2 < len(s.tokens):
		// The parser plugin of a FULLTEXT key: Freshet has analyzers of its own.
		s.replace(i, i+2, "", false)
		return i + 2, nil
	}
	return i, nil
}

func partitionClause(s *source, i int) (int, error) {
	switch {
	case s.word(i+1, "by"):
		s.partitioned = true
	case s.punct(i-1, '(') && s.partitioned:
		return s.partitions(i - 1), nil
	}
	return i, nil
}

// lockOrAlgorithm: LOCK begins a locking clause, or is LOCK [=] x behind CREATE and DROP INDEX, as ALGORITHM [=] x.
// How an index is built is not the user's choice here: it never blocks longer than it must.
func lockOrAlgorithm(s *source, i int) (int, error) {
	index := s.word(0, "drop") && s.word(1, "index")
	for n := 1; n < 4 && !index; n++ {
		index = s.word(0, "create") && s.word(n, "index")
	}
	if !index {
		if s.word(i, "lock") {
			return s.lockClause(i)
		}
		return i, nil
	}
	last := i + 1
	if s.punct(last, '=') {
		last++
	}
	for _, choice := range []string{"default", "instant", "inplace", "copy", "none", "shared", "exclusive"} {
		if s.word(last, choice) {
			s.replace(i, last, "", false)
			return last, nil
		}
	}
	return i, nil
}

// usingBeforeParts: USING BTREE | HASH in front of the parts of a key, or of a key of one column. All keys are ordered.
func usingBeforeParts(s *source, i int) (int, error) {
	if s.definesTable() && (s.word(i+1, "btree") || s.word(i+1, "hash")) && (s.punct(i+2, '(') || s.word(i-1, "key") || s.word(i-1, "unique")) {
		s.replace(i, i+1, "", false)
		return i + 1, nil
	}
	return i, nil
}

// inlineReference: REFERENCES in the definition of a column is read and forgotten by MySQL 8.0, with all its clauses.
func inlineReference(s *source, i int) (int, error) {
	if !s.definesTable() {
		return i, nil
	}
	for n, depth := i-1, 0; n > 0 && depth >= 0 && !(depth == 0 && s.punct(n, ',')); n-- {
		switch {
		case s.punct(n, ')'):
			depth++
		case s.punct(n, '('):
			depth--
		case depth == 0 && s.word(n, "foreign") && s.word(n+1, "key"):
			return i, nil
		}
	}
	r := &reader{s: s, i: i + 1}
	if _, ok := r.qualified(); !ok {
		return i, nil
	}
	if r.punct('(') && !r.skipParens() {
		return i, nil
	}
	for {
		switch {
		case r.words("match", "full"), r.words("match", "partial"), r.words("match", "simple"):
		case r.words("on", "delete"), r.words("on", "update"):
			if !r.words("set", "null") && !r.words("set", "default") && !r.words("no", "action") && !r.words("cascade") && !r.words("restrict") {
				return i, nil
			}
		default:
			s.replace(i, r.i-1, "", false)
			return r.i - 1, nil
		}
	}
}

// visibleColumn: VISIBLE as the attribute of a column, which is what columns are anyway.
func visibleColumn(s *source, i int) (int, error) {
	if s.attributeOfColumn(i) {
		s.replace(i, i, "", false)
	}
	return i, nil
}

// invisibleColumn: an INVISIBLE column would be part of SELECT * here, so it is refused.
func invisibleColumn(s *source, i int) (int, error) {
	if s.attributeOfColumn(i) {
		return i, errUnsupported("INVISIBLE columns")
	}
	return i, nil
}

// attributeOfColumn tells whether token i is an attribute of a column. Of a key, it stands behind the parts or an
// option; a key's definition has its word since the last comma or parenthesis at the same depth.
func (s *source) attributeOfColumn(i int) bool {
	if !s.definesTable() || i == 0 || s.punct(i-1, ',') || s.punct(i-1, '(') {
		return false
	}
	for n, depth := i-1, 0; n > 0 && depth >= 0; n-- {
		switch {
		case s.punct(n, ')'):
			depth++
		case s.punct(n, '('):
			depth--
		case depth == 0 && s.punct(n, ','):
			return true
		case depth == 0 && (s.word(n, "key") || s.word(n, "index") || s.word(n, "unique")) && s.keyword(n):
			return false
		}
	}
	return true
}

// keyword tells whether KEY, INDEX or UNIQUE at token n begins the definition of a key.
func (s *source) keyword(n int) bool {
	return s.punct(n-1, ',') || s.punct(n-1, '(') || s.word(n-1, "add") || s.word(n-1, "unique") || s.word(n-1, "fulltext") ||
		s.word(n-1, "spatial") || s.word(n-1, "alter") || s.word(n-1, "vector")
}

// columnStorage: COLUMN_FORMAT and STORAGE of a column; they mean something to the NDB engine only.
func columnStorage(s *source, i int) (int, error) {
	if !s.definesTable() {
		return i, nil
	}
	for _, choice := range []string{"fixed", "dynamic", "default", "disk", "memory"} {
		if s.word(i+1, choice) && !s.punct(i-1, '(') && !s.punct(i-1, ',') {
			s.replace(i, i+1, "", false)
			return i + 1, nil
		}
	}
	return i, nil
}

// likeInParens: CREATE TABLE t (LIKE u).
func likeInParens(s *source, i int) (int, error) {
	if !s.createsTable() || !s.punct(i-1, '(') {
		return i, nil
	}
	r := &reader{s: s, i: i + 1}
	if _, ok := r.qualified(); ok && r.punct(')') {
		s.replace(i-1, i-1, "", false)
		s.replace(r.i-1, r.i-1, "", false)
	}
	return i, nil
}

// addColumnList: ALTER TABLE t ADD [COLUMN] (a int, b int), as one ADD COLUMN for each.
func addColumnList(s *source, i int) (int, error) {
	open := i + 1
	if s.word(open, "column") {
		open++
	}
	if !s.definesTable() || !s.punct(open, '(') {
		return i, nil
	}
	depth := 0
	for n := open; n < len(s.tokens); n++ {
		switch {
		case s.punct(n, '('):
			depth++
		case s.punct(n, ')'):
			if depth--; depth == 0 {
				s.replace(i, open, "ADD COLUMN ", false)
				s.replace(n, n, "", false)
				return open, nil
			}
		case depth == 1 && s.punct(n, ','):
			s.replace(n, n, ", ADD COLUMN ", false)
		}
	}
	return i, nil
}

// dropBehaviour: RESTRICT and CASCADE behind DROP VIEW do nothing in MySQL.
func dropBehaviour(s *source, i int) (int, error) {
	if s.word(0, "drop") && s.word(1, "view") && (i == len(s.tokens)-1 || s.punct(i+1, ';')) && !s.punct(i-1, ',') {
		s.replace(i, i, "", false)
	}
	return i, nil
}

// tablesForTable: DROP TABLES and RENAME TABLES.
func tablesForTable(s *source, i int) (int, error) {
	if i == 1 && (s.word(0, "drop") || s.word(0, "rename")) {
		s.replace(i, i, "table", false)
	}
	return i, nil
}

func alterSchema(s *source, i int) (int, error) {
	if i == 1 && s.word(0, "alter") {
		s.replace(i, i, "database", false)
	}
	return i, nil
}

// maintenanceScope: ANALYZE LOCAL TABLE; there is no binary log that the statement could go into.
func maintenanceScope(s *source, i int) (int, error) {
	if i == 1 && s.word(0, "analyze") {
		s.replace(i, i, "", true)
	}
	return i, nil
}

// setPassword: SET PASSWORD FOR u = 'x' is ALTER USER u IDENTIFIED BY 'x'.
func setPassword(s *source, i int) (int, error) {
	if i != 0 || !s.word(1, "password") || !s.word(2, "for") {
		return i, nil
	}
	for n := 3; n < len(s.tokens) && !s.punct(n, ';'); n++ {
		if s.punct(n, '=') {
			s.replace(0, 2, "ALTER USER", false)
			s.replace(n, n, "IDENTIFIED BY", false)
			return 2, nil
		}
	}
	return i, nil
}

// priority: LOW_PRIORITY and its like behind the verb; nothing here works on whole tables.
func priority(s *source, i int) (int, error) {
	verb := i - 1
	for verb > 0 && (s.word(verb, "low_priority") || s.word(verb, "quick")) {
		verb--
	}
	if s.word(verb, "insert") || s.word(verb, "replace") || s.word(verb, "update") || s.word(verb, "delete") {
		s.replace(i, i, "", false)
	}
	return i, nil
}

// deleteAlias: DELETE FROM t AS x WHERE …, which the base grammar knows as DELETE x FROM t AS x.
func deleteAlias(s *source, i int) (int, error) {
	r := &reader{s: s, i: i + 1}
	for r.words("low_priority") || r.words("quick") || r.words("ignore") {
	}
	if !r.words("from") {
		return i, nil
	}
	from := r.i - 1
	if _, ok := r.qualified(); !ok || !r.words("as") {
		return i, nil
	}
	if _, ok := r.name(); !ok {
		return i, nil
	}
	alias := s.tokens[r.i-1]
	if !r.s.word(r.i, "where") && r.i < len(s.tokens) && !s.punct(r.i, ';') {
		return i, nil // ORDER BY and LIMIT exist for one table only
	}
	for n := r.i; n < len(s.tokens) && !s.punct(n, ';'); n++ {
		if s.word(n, "limit") {
			return i, nil
		}
	}
	at := s.tokens[from].start
	s.edits = append(s.edits, edit{span{at, at}, s.text[alias.start:alias.end] + " ", false})
	return r.i - 1, nil
}

// updateHistogram: ANALYZE TABLE t UPDATE HISTOGRAM ON …: ANALYZE TABLE makes the histograms of all columns.
func updateHistogram(s *source, i int) (int, error) {
	if !s.word(0, "analyze") || !s.word(i+1, "histogram") {
		return i, nil
	}
	end := s.statementEnd(i)
	for n := i; n < end; n++ {
		if s.word(n, "data") {
			return i, nil // USING DATA, which the base grammar knows
		}
	}
	s.replace(i, end-1, "", false)
	return end - 1, nil
}

// explainFormat: EXPLAIN FORMAT = TRADITIONAL is EXPLAIN; a document of JSON there is not.
func explainFormat(s *source, i int) (int, error) {
	if i != 1 || !s.word(0, "explain") && !s.word(0, "describe") && !s.word(0, "desc") || !s.punct(2, '=') {
		return i, nil
	}
	switch {
	case s.word(3, "traditional"):
		s.replace(1, 3, "", false)
		return 3, nil
	case s.word(3, "json"):
		return i, errUnsupported("EXPLAIN FORMAT=JSON")
	}
	return i, nil
}
