package parser

import (
	"context"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// own reads a statement that the base grammar lacks. ok is false if s is not one; end is the position behind it and
// its semicolon, in s.text.
func (p *Parser) own(ctx context.Context, s *source) (stmt ast.Statement, end int, ok bool, err error) {
	r := &reader{s: s}
	for r.punct(';') && s.one {
	}
	start := r.i
	switch {
	case r.words("check", "table"), r.words("check", "tables"):
		stmt, err = p.maintenance(r, CheckTable)
	case r.words("repair"):
		stmt, err = p.repair(r)
	case r.words("checksum", "table"), r.words("checksum", "tables"):
		stmt, err = p.maintenance(r, ChecksumTable)
	case r.words("optimize"):
		stmt, err = p.optimize(r)
	case r.words("do"):
		stmt, err = p.do(ctx, r)
	case r.words("begin"):
		stmt = p.begin(r)
	case r.words("start", "transaction"):
		stmt, err = p.startTransaction(r)
	case r.words("commit"):
		stmt, err = p.endTransaction(r, false)
	case r.words("rollback"):
		stmt, err = p.endTransaction(r, true)
	case r.words("set", "transaction"):
		stmt, err = p.setTransaction(r)
	case r.words("set"):
		stmt = p.setNext(r)
	case r.words("lock", "tables"), r.words("lock", "table"):
		stmt, err = p.lockTables(r)
	case r.words("unlock", "tables"), r.words("unlock", "table"):
		stmt = p.inject(&UnlockTables{}, authNone)
	case r.words("flush"):
		stmt, err = p.flush(r)
	case r.words("xa"):
		return nil, r.at(), true, errUnsupported("XA")
	case r.words("handler"):
		return nil, r.at(), true, errUnsupported("HANDLER")
	case r.words("show"):
		stmt, err = p.show(ctx, r)
	case r.words("drop", "function"):
		stmt, err = p.dropFunction(r)
	case r.words("alter"):
		stmt, err = p.alter(ctx, r)
	case r.words("create"):
		if stmt, err = p.createFunction(ctx, r); stmt == nil && err == nil {
			stmt, err = p.createMissing(ctx, r)
		}
	}
	if err != nil {
		return nil, r.at(), true, err
	}
	if stmt == nil {
		r.i = start
		return nil, 0, false, nil
	}
	if !r.done() {
		return nil, r.at(), true, r.fail()
	}
	return stmt, r.end(), true, nil
}

// tableList reads t[, …].
func (r *reader) tableList() ([]Name, error) {
	var names []Name
	for {
		n, ok := r.qualified()
		if !ok {
			return nil, r.fail()
		}
		names = append(names, n)
		if !r.punct(',') {
			return names, nil
		}
	}
}

// maintenanceOptions are the words that may follow the tables, by operation.
var maintenanceOptions = map[TableOperation][]string{
	CheckTable:    {"quick", "fast", "medium", "extended", "changed"},
	RepairTable:   {"quick", "extended", "use_frm"},
	ChecksumTable: {"quick", "extended"},
}

func (p *Parser) maintenance(r *reader, op TableOperation, options ...string) (ast.Statement, error) {
	names, err := r.tableList()
	if err != nil {
		return nil, err
	}
	s := &TableMaintenance{Operation: op, Tables: names, Options: options}
	for !(r.i >= len(r.s.tokens)) && !r.s.punct(r.i, ';') {
		if op == CheckTable && r.words("for", "upgrade") {
			s.Options = append(s.Options, "FOR UPGRADE")
			continue
		}
		o, ok := r.oneOf(maintenanceOptions[op]...)
		if !ok {
			return nil, r.fail()
		}
		s.Options = append(s.Options, o)
	}
	privilege := ast.AuthType_SELECT
	if op == RepairTable || op == OptimizeTable {
		privilege = ast.AuthType_INSERT
	}
	return p.inject(s, authOnTables(privilege, names)), nil
}

// localOptions reads [NO_WRITE_TO_BINLOG | LOCAL].
func (r *reader) localOptions() []string {
	if o, ok := r.oneOf("local", "no_write_to_binlog"); ok {
		return []string{o}
	}
	return nil
}

func (p *Parser) repair(r *reader) (ast.Statement, error) {
	options := r.localOptions()
	if !r.words("table") && !r.words("tables") {
		return nil, r.fail()
	}
	return p.maintenance(r, RepairTable, options...)
}

func (p *Parser) optimize(r *reader) (ast.Statement, error) {
	options := r.localOptions()
	if !r.words("table") && !r.words("tables") {
		return nil, r.fail()
	}
	return p.maintenance(r, OptimizeTable, options...)
}

// do reads DO expr, …: the expressions are those of a SELECT.
func (p *Parser) do(ctx context.Context, r *reader) (ast.Statement, error) {
	from := r.at()
	text := r.rest()
	parsed, err := p.parse(r.s.sameMode(ctx), "SELECT "+text, r.s.options, false)
	if err != nil {
		return nil, errSyntaxNear(r.s.text, from)
	}
	sel, ok := parsed.stmt.(*ast.Select)
	if !ok || sel.Where != nil || sel.Into != nil || sel.GroupBy != nil || sel.Having != nil || sel.OrderBy != nil || sel.Limit != nil {
		return nil, errSyntaxNear(r.s.text, from)
	}
	d := &Do{Text: "DO " + text, Select: sel}
	for _, e := range sel.SelectExprs {
		a, ok := e.(*ast.AliasedExpr)
		if !ok || !a.As.IsEmpty() {
			return nil, errSyntaxNear(r.s.text, from)
		}
	}
	return p.inject(d, authNone, &ast.Subquery{Select: sel}), nil
}

func (p *Parser) show(ctx context.Context, r *reader) (ast.Statement, error) {
	switch {
	case r.words("engine"):
		engine, ok := r.name()
		if !ok {
			return nil, r.fail()
		}
		what, ok := r.oneOf("status", "mutex", "logs")
		if !ok {
			return nil, r.fail()
		}
		return p.inject(&ShowEngineStatus{Engine: engine, What: what},
			ast.AuthInformation{AuthType: ast.AuthType_PROCESS, TargetType: ast.AuthTargetType_Global}), nil
	case r.words("create", "function"):
		n, ok := r.qualified()
		if !ok {
			return nil, r.fail()
		}
		return p.inject(&ShowCreateFunction{Function: n}, authInDatabase(ast.AuthType_SHOW_CREATE_PROCEDURE, n.Database)), nil
	case r.words("events", "from"), r.words("events", "in"):
		return p.showEventsOf(ctx, r)
	case r.words("triggers", "from"), r.words("triggers", "in"):
		return p.showTriggersOf(ctx, r)
	case r.words("function", "status"):
		return p.showFunctionStatus(ctx, r)
	}
	return nil, nil
}

// alter reads ALTER VIEW, ALTER FUNCTION and ALTER PROCEDURE.
func (p *Parser) alter(ctx context.Context, r *reader) (ast.Statement, error) {
	start := r.i - 1
	if r.words("function") {
		return p.alterRoutine(r, true)
	}
	if r.words("procedure") {
		return p.alterRoutine(r, false)
	}
	for n := 0; n < headTokens && r.i < len(r.s.tokens); n++ {
		switch {
		case r.words("view"):
			return p.alterView(ctx, r, start)
		case r.words("table"), r.words("event"), r.words("user"), r.words("database"), r.words("schema"):
			return nil, nil
		}
		r.i++
	}
	return nil, nil
}

func (p *Parser) alterView(ctx context.Context, r *reader, start int) (ast.Statement, error) {
	name, ok := r.qualified()
	if !ok {
		return nil, r.fail()
	}
	r.rest()
	text := "CREATE OR REPLACE" + r.s.text[r.s.tokens[start].end:r.last()]
	parsed, err := p.parse(r.s.sameMode(ctx), text, r.s.options, false)
	if err != nil {
		return nil, err
	}
	v := &AlterView{View: name, CreateText: text, Create: parsed.stmt}
	return p.inject(v, authInDatabase(ast.AuthType_CREATE_VIEW, name.Database)), nil
}
