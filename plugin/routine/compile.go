package routine

import (
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/freshetdb/freshet/plugin/parser"
)

// compiler turns the syntax tree of a function, which is its own to change, into a
// program. The first error stops it.
type compiler struct {
	parser   *parser.Parser
	program  *program
	database string
	native   func(name string) bool
	scope    *scope
	labels   []label
	// procedure: the body is that of a procedure, which may do more.
	procedure bool
}

// scope is what the declarations of a block, or the parameters, name.
type scope struct {
	outer      *scope
	variables  map[string]int // index of the slot
	conditions map[string]condition
	cursors    map[string]*cursor
}

type label struct {
	name string
	loop bool
}

// compile makes a program of a function whose tree nobody else has. Native says
// which names are functions of the engine.
func compile(f *parser.CreateFunction, database string, b binding, native func(string) bool) (*program, error) {
	p := &program{function: f, binding: b}
	p.binding.variables = map[string]variable{}
	c := &compiler{parser: parser.New(nil), program: p, database: database, native: native}
	c.push()
	for i := range f.Params {
		s, err := c.declare(f.Params[i].Name, &f.Params[i].Type)
		if err != nil {
			return nil, err
		}
		p.params = append(p.params, s)
	}
	var err error
	if p.result, err = resultType(f); err != nil {
		return nil, err
	}
	p.body, err = c.statement(f.Tree)
	return p, err
}

func (c *compiler) push() {
	c.scope = &scope{outer: c.scope, variables: map[string]int{}, conditions: map[string]condition{}, cursors: map[string]*cursor{}}
}

func (c *compiler) pop() { c.scope = c.scope.outer }

// declare adds a variable to the scope.
func (c *compiler) declare(name string, declared *ast.ColumnType) (*slot, error) {
	typ, err := types.ColumnTypeToType(declared)
	if err != nil {
		return nil, err
	}
	if _, ok := c.scope.variables[lower(name)]; ok {
		return nil, errDuplicateVariable(name)
	}
	s := &slot{name: name, typ: typ}
	c.scope.variables[lower(name)] = c.add(s)
	return s, nil
}

// add makes a slot one that statements can refer to.
func (c *compiler) add(s *slot) int {
	i := len(c.program.slots)
	c.program.slots = append(c.program.slots, s)
	c.program.binding.variables[bindingName(i)] = variable{s}
	return i
}

func (c *compiler) variable(name string) (int, bool) {
	for s := c.scope; s != nil; s = s.outer {
		if i, ok := s.variables[lower(name)]; ok {
			return i, true
		}
	}
	return 0, false
}

func (c *compiler) cursor(name string) (*cursor, error) {
	for s := c.scope; s != nil; s = s.outer {
		if found, ok := s.cursors[lower(name)]; ok {
			return found, nil
		}
	}
	return nil, errCursor(name)
}

func (c *compiler) condition(name string) (condition, error) {
	for s := c.scope; s != nil; s = s.outer {
		if found, ok := s.conditions[lower(name)]; ok {
			return found, nil
		}
	}
	return condition{}, errCondition(name)
}

func (c *compiler) statements(all ast.Statements) ([]node, error) {
	nodes := make([]node, 0, len(all))
	for _, s := range all {
		n, err := c.statement(s)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, n)
	}
	return nodes, nil
}

func (c *compiler) statement(s ast.Statement) (node, error) {
	switch s := s.(type) {
	case *ast.BeginEndBlock:
		return c.block(s)
	case *ast.IfStatement:
		return c.ifStatement(s)
	case *ast.CaseStatement:
		return c.caseStatement(s)
	case *ast.Loop:
		return c.loop(&loop{label: lower(s.Label)}, s.Statements)
	case *ast.While:
		condition := c.expression(s.Condition)
		return c.loop(&loop{label: lower(s.Label), while: condition}, s.Statements)
	case *ast.Repeat:
		condition := c.expression(s.Condition)
		return c.loop(&loop{label: lower(s.Label), until: condition}, s.Statements)
	case *ast.Leave:
		return c.jump(flowLeave, "LEAVE", s.Label)
	case *ast.Iterate:
		return c.jump(flowIterate, "ITERATE", s.Label)
	case *ast.Return:
		if c.procedure {
			return nil, errReturn()
		}
		return returning{c.expression(s.Expr)}, nil
	case *ast.Set:
		return c.set(s)
	case *ast.Signal:
		return c.signal(s, false)
	case *ast.Resignal:
		return c.signal(&s.Signal, true)
	case *ast.OpenCursor:
		found, err := c.cursor(s.Name)
		return opening{found}, err
	case *ast.Declare:
		return nil, misplaced(s)
	case *ast.CloseCursor:
		found, err := c.cursor(s.Name)
		return closing{found}, err
	case *ast.FetchCursor:
		return c.fetch(s)
	}
	return c.sqlStatement(s)
}

func (c *compiler) block(s *ast.BeginEndBlock) (node, error) {
	b := &block{label: lower(s.Label)}
	c.push()
	defer c.pop()
	if b.label != "" {
		c.labels = append(c.labels, label{name: b.label})
		defer func() { c.labels = c.labels[:len(c.labels)-1] }()
	}
	for _, inner := range s.Statements {
		if d, ok := inner.(*ast.Declare); ok {
			if err := c.declaration(b, d); err != nil {
				return nil, err
			}
			continue
		}
		n, err := c.statement(inner)
		if err != nil {
			return nil, err
		}
		b.statements = append(b.statements, n)
	}
	return b, nil
}

func (c *compiler) declaration(b *block, d *ast.Declare) error {
	switch {
	case len(b.statements) > 0:
		return misplaced(d)
	case d.Variables != nil && len(b.cursors)+len(b.handlers) > 0:
		return errMisplaced(sql.ErrDeclareVariableOrderInvalid, 1337, "Variable or condition declaration after cursor or handler declaration")
	case d.Condition != nil && len(b.cursors)+len(b.handlers) > 0:
		return errMisplaced(sql.ErrDeclareConditionOrderInvalid, 1337, "Variable or condition declaration after cursor or handler declaration")
	case d.Cursor != nil && len(b.handlers) > 0:
		return errMisplaced(sql.ErrDeclareCursorOrderInvalid, 1338, "Cursor declaration after handler declaration")
	}
	switch {
	case d.Variables != nil:
		return c.declareVariables(b, d.Variables)
	case d.Condition != nil:
		return c.declareCondition(d.Condition)
	case d.Cursor != nil:
		name := lower(d.Cursor.Name)
		if _, ok := c.scope.cursors[name]; ok {
			return errDuplicateCursor(d.Cursor.Name)
		}
		declared := &cursor{query: c.query(d.Cursor.SelectStmt)}
		c.scope.cursors[name] = declared
		b.cursors = append(b.cursors, declared)
		return nil
	}
	return c.declareHandler(b, d.Handler)
}

// misplaced is the error for a declaration that is not at the start of a block.
func misplaced(d *ast.Declare) error {
	kind := sql.ErrDeclareHandlerOrderInvalid
	switch {
	case d.Variables != nil:
		kind = sql.ErrDeclareVariableOrderInvalid
	case d.Condition != nil:
		kind = sql.ErrDeclareConditionOrderInvalid
	case d.Cursor != nil:
		kind = sql.ErrDeclareCursorOrderInvalid
	}
	return errMisplaced(kind, 1064, "You have an error in your SQL syntax: a declaration has to stand at the start of a block")
}

func (c *compiler) declareVariables(b *block, d *ast.DeclareVariables) error {
	declared := declaration{}
	if d.VarType.Default != nil {
		// A default sees what was declared before, not its own variables.
		declared.value = c.expression(d.VarType.Default)
	}
	typ := d.VarType
	typ.Default = nil
	for _, name := range d.Names {
		s, err := c.declare(name.String(), &typ)
		if err != nil {
			return err
		}
		declared.slots = append(declared.slots, s)
	}
	b.variables = append(b.variables, declared)
	return nil
}

func (c *compiler) declareCondition(d *ast.DeclareCondition) error {
	name := lower(d.Name)
	if _, ok := c.scope.conditions[name]; ok {
		return errDuplicateCondition(d.Name)
	}
	declared := condition{state: d.SqlStateValue}
	if d.MysqlErrorCode != nil {
		number, err := strconv.Atoi(string(d.MysqlErrorCode.Val))
		if err != nil || number == 0 {
			return errCondition(string(d.MysqlErrorCode.Val))
		}
		declared = condition{number: number}
	} else if classOf(declared.state) == classNone {
		return errBadState(declared.state)
	}
	c.scope.conditions[name] = declared
	return nil
}

func (c *compiler) declareHandler(b *block, d *ast.DeclareHandler) error {
	h := &handler{block: b, exit: d.Action == ast.DeclareHandlerAction_Exit}
	if d.Action == ast.DeclareHandlerAction_Undo {
		return errUnsupported("UNDO HANDLER")
	}
	for _, value := range d.ConditionValues {
		described, err := c.handlerCondition(value)
		if err != nil {
			return err
		}
		for _, other := range b.handlers {
			for _, taken := range other.conditions {
				if taken == described {
					return errDuplicateHandler()
				}
			}
		}
		h.conditions = append(h.conditions, described)
	}
	var err error
	if h.body, err = c.statement(d.Statement); err != nil {
		return err
	}
	b.handlers = append(b.handlers, h)
	return nil
}

func (c *compiler) handlerCondition(value ast.DeclareHandlerCondition) (condition, error) {
	switch value.ValueType {
	case ast.DeclareHandlerCondition_MysqlErrorCode:
		number, err := strconv.Atoi(string(value.MysqlErrorCode.Val))
		if err != nil || number == 0 {
			return condition{}, errCondition(string(value.MysqlErrorCode.Val))
		}
		return condition{number: number}, nil
	case ast.DeclareHandlerCondition_SqlState:
		if classOf(value.String) == classNone {
			return condition{}, errBadState(value.String)
		}
		return condition{state: value.String}, nil
	case ast.DeclareHandlerCondition_ConditionName:
		return c.condition(value.String)
	case ast.DeclareHandlerCondition_SqlWarning:
		return condition{class: classWarning}, nil
	case ast.DeclareHandlerCondition_NotFound:
		return condition{class: classNotFound}, nil
	}
	return condition{class: classException}, nil
}

func (c *compiler) ifStatement(s *ast.IfStatement) (node, error) {
	b := &branch{}
	for _, part := range s.Conditions {
		b.conditions = append(b.conditions, c.expression(part.Expr))
		body, err := c.statements(part.Statements)
		if err != nil {
			return nil, err
		}
		b.bodies = append(b.bodies, body)
	}
	var err error
	b.otherwise, err = c.statements(s.Else)
	return b, err
}

// choice is CASE with an operand, which is evaluated once.
type choice struct {
	operand *expression
	held    *slot
	branch  *branch
}

func (n *choice) run(m *machine) (flow, error) {
	f, err := m.guard(func() error {
		value, err := n.operand.eval(m)
		if err != nil {
			return err
		}
		n.held.value, n.held.typ = value, n.operand.typ
		return nil
	})
	if err != nil || f.kind != flowNext {
		return f, err
	}
	return n.branch.run(m)
}

func (c *compiler) caseStatement(s *ast.CaseStatement) (node, error) {
	b := &branch{complete: true}
	var held *slot
	var reference ast.Expr
	if s.Expr != nil {
		held = &slot{name: "CASE"}
		reference = ast.NewValArg([]byte(":" + bindingName(c.add(held))))
	}
	for _, part := range s.Cases {
		condition := part.Case
		if held != nil {
			condition = &ast.ComparisonExpr{Operator: ast.EqualStr, Left: reference, Right: part.Case}
		}
		b.conditions = append(b.conditions, c.expression(condition))
		body, err := c.statements(part.Statements)
		if err != nil {
			return nil, err
		}
		b.bodies = append(b.bodies, body)
	}
	if s.Else != nil {
		otherwise, err := c.statements(s.Else)
		if err != nil {
			return nil, err
		}
		b.otherwise = otherwise
	}
	if held == nil {
		return b, nil
	}
	return &choice{operand: c.expression(s.Expr), held: held, branch: b}, nil
}

func (c *compiler) loop(l *loop, body ast.Statements) (node, error) {
	c.labels = append(c.labels, label{name: l.label, loop: true})
	defer func() { c.labels = c.labels[:len(c.labels)-1] }()
	var err error
	l.body, err = c.statements(body)
	return l, err
}

func (c *compiler) jump(kind flowKind, action, name string) (node, error) {
	for i := len(c.labels) - 1; i >= 0; i-- {
		if l := c.labels[i]; l.name == lower(name) && (l.loop || kind == flowLeave) {
			return jump{kind: kind, label: l.name}, nil
		}
	}
	return nil, errLabel(action, name)
}

// targets are the variables of an INTO.
func (c *compiler) targets(names []string) ([]assignment, error) {
	all := make([]assignment, 0, len(names))
	for _, name := range names {
		if user, ok := strings.CutPrefix(name, "@"); ok {
			all = append(all, assignment{user: user})
			continue
		}
		i, ok := c.variable(name)
		if !ok {
			return nil, errVariable(name)
		}
		all = append(all, assignment{slot: c.program.slots[i]})
	}
	return all, nil
}

func (c *compiler) fetch(s *ast.FetchCursor) (node, error) {
	found, err := c.cursor(s.Name)
	if err != nil {
		return nil, err
	}
	targets, err := c.targets(s.Variables)
	return fetching{found, targets}, err
}

func (c *compiler) signal(s *ast.Signal, again bool) (node, error) {
	n := signaling{again: again, state: s.SqlStateValue}
	if s.ConditionName != "" {
		declared, err := c.condition(s.ConditionName)
		if err != nil {
			return nil, err
		}
		if declared.state == "" {
			return nil, sql.ErrSignalOnlySqlState.New()
		}
		n.state = declared.state
	}
	if n.state != "" && classOf(n.state) == classNone {
		return nil, errBadState(n.state)
	}
	for _, item := range s.Info {
		switch item.ConditionItemName {
		case ast.SignalConditionItemName_MessageText:
			n.text = c.expression(item.Value)
		case ast.SignalConditionItemName_MysqlErrno:
			n.code = c.expression(item.Value)
		}
	}
	return n, nil
}
