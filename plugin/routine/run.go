package routine

import (
	"errors"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
)

// flowKind says how a statement ended.
type flowKind uint8

const (
	flowNext    flowKind = iota // the next statement is to run
	flowLeave                   // LEAVE label
	flowIterate                 // ITERATE label
	flowExit                    // an EXIT handler of block ran
	flowReturn                  // RETURN
)

type flow struct {
	kind  flowKind
	label string
	block *block
}

// node is a compiled statement.
type node interface {
	run(m *machine) (flow, error)
}

// machine runs a program once.
type machine struct {
	ctx     *sql.Context
	program *program
	active  *activeBlock
	result  any
	// handled is the error whose handler is running, nil outside of handlers.
	handled *mysql.SQLError
	results results // of a procedure
}

// activeBlock is a block that is being run, within the one it is in.
type activeBlock struct {
	block *block
	outer *activeBlock
}

// guard runs a statement without inner statements and gives an error to the
// handlers in reach. An error that comes out of guard has none, so nobody further
// out looks for one again.
func (m *machine) guard(statement func() error) (flow, error) {
	if err := m.ctx.Err(); err != nil {
		return flow{}, err
	}
	warnings := m.ctx.WarningCount()
	err := statement()
	if err == nil && m.ctx.WarningCount() > warnings {
		return m.warned()
	}
	if err == nil {
		return flow{}, nil
	}
	return m.handle(err)
}

// block is BEGIN … END.
type block struct {
	label      string
	variables  []declaration
	cursors    []*cursor
	handlers   []*handler
	statements []node
}

// declaration initializes variables at the start of a block.
type declaration struct {
	slots []*slot
	value *expression // nil without DEFAULT
}

func (b *block) run(m *machine) (flow, error) {
	m.active = &activeBlock{block: b, outer: m.active}
	defer func() { m.active = m.active.outer }()
	for _, d := range b.variables {
		if f, err := m.declare(d); err != nil || f.kind != flowNext {
			return b.end(f), err
		}
	}
	for _, c := range b.cursors {
		c.close()
	}
	f, err := runAll(m, b.statements)
	for _, c := range b.cursors {
		c.close()
	}
	return b.end(f), err
}

// end takes the flows that end at this block.
func (b *block) end(f flow) flow {
	if (f.kind == flowExit && f.block == b) || (f.kind == flowLeave && b.label != "" && f.label == b.label) {
		return flow{}
	}
	return f
}

func (m *machine) declare(d declaration) (flow, error) {
	return m.guard(func() error {
		var value any
		if d.value != nil {
			var err error
			if value, err = d.value.eval(m); err != nil {
				return err
			}
		}
		for _, s := range d.slots {
			if err := s.set(m.ctx, value); err != nil {
				return err
			}
		}
		return nil
	})
}

func runAll(m *machine, statements []node) (flow, error) {
	for _, s := range statements {
		if f, err := s.run(m); err != nil || f.kind != flowNext {
			return f, err
		}
	}
	return flow{}, nil
}

// branch is IF, and CASE without an operand: the first true condition decides. A
// condition that fails under a CONTINUE handler counts as false.
type branch struct {
	conditions []*expression
	bodies     [][]node
	otherwise  []node
	// complete: no condition and no ELSE is an error (CASE).
	complete bool
}

func (b *branch) run(m *machine) (flow, error) {
	for i, condition := range b.conditions {
		ok, f, err := m.test(condition)
		if err != nil || f.kind != flowNext {
			return f, err
		}
		if ok {
			return runAll(m, b.bodies[i])
		}
	}
	if b.complete && b.otherwise == nil {
		return m.guard(errCaseNotFound)
	}
	return runAll(m, b.otherwise)
}

func (m *machine) test(condition *expression) (bool, flow, error) {
	ok := false
	f, err := m.guard(func() error {
		value, err := condition.eval(m)
		if err != nil || value == nil {
			return err
		}
		ok, err = sql.ConvertToBool(m.ctx, value)
		return err
	})
	return ok, f, err
}

// loop is LOOP, WHILE and REPEAT.
type loop struct {
	label string
	while *expression // tested before the body
	until *expression // tested after it
	body  []node
}

func (l *loop) run(m *machine) (flow, error) {
	for {
		if err := m.ctx.Err(); err != nil {
			return flow{}, err
		}
		if l.while != nil {
			if ok, f, err := m.test(l.while); err != nil || f.kind != flowNext || !ok {
				return f, err
			}
		}
		f, err := runAll(m, l.body)
		switch {
		case err != nil:
			return f, err
		case f.kind == flowLeave && l.label != "" && f.label == l.label:
			return flow{}, nil
		case f.kind == flowIterate && l.label != "" && f.label == l.label:
		case f.kind != flowNext:
			return f, nil
		}
		if l.until != nil {
			if ok, f, err := m.test(l.until); err != nil || f.kind != flowNext || ok {
				return f, err
			}
		}
	}
}

// jump is LEAVE and ITERATE.
type jump flow

func (j jump) run(*machine) (flow, error) { return flow(j), nil }

// returning is RETURN.
type returning struct{ value *expression }

func (r returning) run(m *machine) (flow, error) {
	done := false
	f, err := m.guard(func() error {
		value, err := r.value.eval(m)
		if err != nil {
			return err
		}
		if m.result, err = m.program.convertResult(m.ctx, value); err != nil {
			return err
		}
		done = true
		return nil
	})
	if err == nil && done && f.kind == flowNext {
		return flow{kind: flowReturn}, nil
	}
	return f, err
}

// assignment is SET and the INTO of a query.
type assignment struct {
	slot *slot
	user string // a user variable, if slot is nil
}

func (a assignment) set(m *machine, value any, typ sql.Type) error {
	if a.slot != nil {
		return a.slot.set(m.ctx, value)
	}
	return m.ctx.SetUserVariable(m.ctx, a.user, value, typ)
}

// setting is one assignment of a SET.
type setting struct {
	target assignment
	value  *expression
}

func (s setting) run(m *machine) (flow, error) {
	return m.guard(func() error {
		value, err := s.value.eval(m)
		if err != nil {
			return err
		}
		return s.target.set(m, value, s.value.typ)
	})
}

// selection is SELECT … INTO.
type selection struct {
	query   *query
	targets []assignment
}

func (s selection) run(m *machine) (flow, error) {
	f, err := m.guard(func() error {
		schema, rows, err := s.query.rows(m, 2)
		switch {
		case err != nil:
			return err
		case len(schema) != len(s.targets):
			return errColumnCount()
		case len(rows) == 0:
			return errNoData
		case len(rows) > 1:
			return errTooManyRows()
		}
		for i, target := range s.targets {
			if err := target.set(m, rows[0][i], schema[i].Type); err != nil {
				return err
			}
		}
		return nil
	})
	if errors.Is(err, errNoData) {
		// Without a handler it is a warning, and the variables stay as they are.
		m.ctx.Warn(errNoData.Num, "%s", errNoData.Message)
		return flow{}, nil
	}
	return f, err
}

// execution is a statement whose result is not used.
type execution struct{ query *query }

func (e execution) run(m *machine) (flow, error) {
	return m.guard(func() error {
		_, _, err := e.query.rows(m, -1)
		return err
	})
}

// lower is how names are compared.
func lower(name string) string { return strings.ToLower(name) }
