package routine

import (
	"sync"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/freshetdb/freshet/plugin/correct"
	"github.com/freshetdb/freshet/plugin/parser"
)

// program is a compiled function. It holds the values of its variables and is run
// by one call at a time.
type program struct {
	function *parser.CreateFunction
	binding  binding
	slots    []*slot
	params   []*slot
	result   sql.Type
	body     node
}

// run calls the function with arguments, which are converted to its parameters.
func (p *program) run(ctx *sql.Context, args []any) (any, error) {
	for _, s := range p.slots {
		s.value = nil
	}
	for i, s := range p.params {
		if err := s.set(ctx, args[i]); err != nil {
			return nil, err
		}
	}
	m := &machine{ctx: ctx, program: p}
	f, err := p.body.run(m)
	if err != nil {
		return nil, err
	}
	if f.kind != flowReturn {
		return nil, errEndedWithoutReturn(p.function.Function.Name)
	}
	return m.result, nil
}

func (p *program) convertResult(ctx *sql.Context, value any) (any, error) {
	return correct.Store(ctx, p.function.Function.Name+"()", p.result, value, !sql.LoadSqlMode(ctx).Strict(), 1)
}

// idleProgramsMax is how many compiled programs one place in a statement keeps: as
// many as goroutines evaluate it at a time, which are few.
const idleProgramsMax = 8

// programs hands out programs of one function to the calls that run them.
type programs struct {
	compile func() (*program, error)
	mu      sync.Mutex
	idle    []*program
}

func (p *programs) take() (*program, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.idle); n > 0 {
		taken := p.idle[n-1]
		p.idle = p.idle[:n-1]
		return taken, nil
	}
	return p.compile()
}

func (p *programs) give(back *program) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.idle) < idleProgramsMax {
		p.idle = append(p.idle, back)
	}
}

// resultType is the type that RETURNS declares.
func resultType(f *parser.CreateFunction) (sql.Type, error) {
	declared := f.ReturnType
	return types.ColumnTypeToType(&declared)
}
