package routine

import (
	"errors"
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/freshetdb/freshet/plugin/correct"
)

// handler is DECLARE … HANDLER.
type handler struct {
	block      *block
	exit       bool
	conditions []condition
	body       node
}

// condition is what a handler is for: the first field that is set.
type condition struct {
	number int
	state  string
	class  errorClass
}

// errorClass groups SQLSTATEs.
type errorClass uint8

const (
	classNone errorClass = iota
	classException
	classNotFound
	classWarning
)

func classOf(state string) errorClass {
	switch {
	case len(state) != 5 || state[:2] == "00":
		return classNone
	case state[:2] == "01":
		return classWarning
	case state[:2] == "02":
		return classNotFound
	}
	return classException
}

// rank says how closely the condition describes the error, 0 for not at all: a
// number before a SQLSTATE before a class, as in MySQL.
func (c condition) rank(e *mysql.SQLError) int {
	switch {
	case c.number != 0:
		if c.number == e.Num {
			return 3
		}
	case c.state != "":
		if c.state == e.State {
			return 2
		}
	case c.class == classOf(e.State):
		return 1
	}
	return 0
}

// find is the handler for an error: of the innermost block that has one, the one
// that describes it best.
func (m *machine) find(e *mysql.SQLError) (*handler, *activeBlock) {
	for active := m.active; active != nil; active = active.outer {
		var best *handler
		bestRank := 0
		for _, h := range active.block.handlers {
			for _, c := range h.conditions {
				if rank := c.rank(e); rank > bestRank {
					best, bestRank = h, rank
				}
			}
		}
		if best != nil {
			return best, active
		}
	}
	return nil, nil
}

// handle gives an error to its handler and says how the failed statement ends. An
// error without a handler is returned; a cancelled context has no handler.
func (m *machine) handle(err error) (flow, error) {
	if ctxErr := m.ctx.Err(); ctxErr != nil {
		return flow{}, ctxErr
	}
	var e *mysql.SQLError
	if !errors.As(correct.MySQLError(err), &e) {
		return flow{}, err
	}
	h, active := m.find(e)
	if h == nil {
		return flow{}, err
	}
	return m.runHandler(h, active, e)
}

// runHandler runs a handler outside of its block's own handlers.
func (m *machine) runHandler(h *handler, active *activeBlock, e *mysql.SQLError) (flow, error) {
	outer, handled := m.active, m.handled
	m.active, m.handled = active.outer, e
	f, err := h.body.run(m)
	m.active, m.handled = outer, handled
	switch {
	case err != nil || f.kind != flowNext:
		return f, err
	case h.exit:
		return flow{kind: flowExit, block: h.block}, nil
	}
	return flow{}, nil
}

// warned gives the latest warning to a handler, if there is one for it.
func (m *machine) warned() (flow, error) {
	warnings := m.ctx.Session.Warnings()
	if len(warnings) == 0 {
		return flow{}, nil
	}
	latest := warnings[0]
	e := mysql.NewSQLError(latest.Code, "01000", "%s", latest.Message)
	h, active := m.find(e)
	if h == nil {
		return flow{}, nil
	}
	return m.runHandler(h, active, e)
}

// signaling is SIGNAL and RESIGNAL.
type signaling struct {
	again  bool // RESIGNAL
	state  string
	number int
	text   *expression
	code   *expression
}

func (s signaling) run(m *machine) (flow, error) {
	return m.guard(func() error {
		e, err := s.raised(m)
		if err != nil {
			return err
		}
		if classOf(e.State) != classWarning {
			return e
		}
		m.ctx.Session.Warn(&sql.Warning{Level: "Warning", Code: e.Num, Message: e.Message})
		return nil
	})
}

func (s signaling) raised(m *machine) (*mysql.SQLError, error) {
	e := &mysql.SQLError{Num: s.number, State: s.state}
	if s.again {
		if m.handled == nil {
			return nil, errResignalInactive()
		}
		copied := *m.handled
		if s.state != "" {
			copied.Num, copied.State = s.number, s.state
		}
		e = &copied
	}
	if e.Num == 0 {
		e.Num = map[errorClass]int{classWarning: 1642, classNotFound: 1643}[classOf(e.State)]
		if e.Num == 0 {
			e.Num = 1644
		}
	}
	if e.Message == "" {
		kind := map[errorClass]string{classWarning: "warning", classNotFound: "not found"}[classOf(e.State)]
		if kind == "" {
			kind = "exception"
		}
		e.Message = "Unhandled user-defined " + kind + " condition"
	}
	if s.code != nil {
		value, err := s.code.eval(m)
		if err != nil {
			return nil, err
		}
		number, err := toNumber(m.ctx, value)
		if err != nil {
			return nil, err
		}
		e.Num = number
	}
	if s.text != nil {
		value, err := s.text.eval(m)
		if err != nil {
			return nil, err
		}
		e.Message = fmt.Sprint(value)
	}
	return e, nil
}
