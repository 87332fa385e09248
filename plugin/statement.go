package plugin

import (
	"context"
	"errors"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/freshetdb/freshet/vtab"
)

// request is one statement, or several in one text, with where its result goes.
type request struct {
	text     string
	several  bool // text may hold several statements: run the first
	bindings map[string]*querypb.BindVariable
	kinds    []int32 // of the bindings, in order, as the client gave them
	cursor   bool    // the client may fetch the result in parts
	send     mysql.ResultSpoolFn
}

// run executes the (first) statement of r and returns what is left of its text.
// Every error it returns is a *mysql.SQLError.
func (h *handler) run(ctx context.Context, c *mysql.Conn, r request) (rest string, err error) {
	defer h.contain(c, &err)
	select {
	case <-h.server.stopping:
		return "", toSQLError(errShutdown)
	default:
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	sqlCtx, err := h.sessions.NewContextWithQuery(ctx, c, r.text)
	if err != nil {
		return "", toSQLError(err)
	}
	watch := &h.server.connections.of(c).watch
	watch.begin(cancel)
	defer watch.end()

	processes := h.engine.ProcessList
	sqlCtx, err = processes.BeginQuery(sqlCtx, r.text)
	if err != nil {
		return "", toSQLError(err)
	}
	defer processes.EndQuery(sqlCtx)
	sqlCtx.ProcessList = running{processes}
	if err := sql.SessionCommandBegin(sqlCtx.Session); err != nil {
		return "", toSQLError(err)
	}
	defer sql.SessionCommandEnd(sqlCtx.Session)

	batches := 0
	send := r.send
	r.send = func(result *sqltypes.Result, more bool) error {
		err := send(result, more)
		if err == nil && len(result.Rows) > 0 {
			batches++
		}
		return err
	}
	rest, err = h.execute(sqlCtx, c, r)
	if err != nil {
		mapped := h.failed(sqlCtx, c, err)
		if batches > 0 && !errors.Is(err, errSend) && answerInstead(c, r.cursor, batches, mapped) {
			return "", nil
		}
		return "", mapped
	}
	if session, ok := sqlCtx.Session.(*vtab.Session); ok && session.Released() {
		if t, ok := trackedOf(c.Conn); ok {
			t.endAfterAnswer()
		}
		return "", nil
	}
	return rest, nil
}

// running is the process list as a statement that runs sees it. Every iterator of
// the engine ends the process when it is closed, which cancels the context: those
// of statements inside procedures would end the CALL. The entry is the
// statement's as a whole and ends with it.
type running struct{ sql.ProcessList }

// EndQuery does nothing.
func (running) EndQuery(*sql.Context) {}

// failed maps an error for the client. What cancelled the statement is the
// reason; that something was cancelled is only its sign.
func (h *handler) failed(ctx *sql.Context, c *mysql.Conn, err error) *mysql.SQLError {
	// The engine wraps the sign of it in errors of its own, in triggers for one.
	cause := context.Cause(ctx)
	if cause != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || toSQLError(err).Num == mysql.ERUnknownError && !isPanic(err)) {
		err = cause
		select {
		case <-h.server.stopping:
			err = errShutdown
		default:
		}
	}
	mapped := toSQLError(err)
	mapped = h.inStatement(ctx, mapped)
	switch {
	case isPanic(err):
		h.log.Error("panic in a session", "connection", c.ConnectionID, "panic", err)
	case mapped.Num == mysql.ERUnknownError:
		h.log.Warn("statement failed without a MySQL error number", "connection", c.ConnectionID, "error", err)
	}
	return mapped
}

// execute parses, runs and sends the result of one statement.
func (h *handler) execute(ctx *sql.Context, c *mysql.Conn, r request) (rest string, err error) {
	text := r.text
	var parsed sqlparser.Statement
	if _, prepared := ctx.Session.GetPreparedQuery(text); r.several && !prepared {
		var one string
		parsed, one, rest, err = h.engine.Parser.Parse(ctx, text, true)
		var numbered *mysql.SQLError
		if errors.Is(err, sqlparser.ErrEmpty) {
			parsed = nil
		} else if errors.As(err, &numbered) {
			return "", err
		} else if err != nil {
			return "", sql.ErrSyntaxError.New(err.Error())
		}
		if one != "" {
			text = one
		}
	}
	ctx, cancel := h.limitTime(ctx)
	defer cancel()
	defer func() {
		if err != nil && errors.Is(context.Cause(ctx), errQueryTimeout) {
			err = errQueryTimeout
		}
	}()
	bindings, err := bindingExpressions(r.bindings, r.kinds)
	if err != nil {
		return "", err
	}
	flags := &sql.QueryFlags{}
	flags.Set(sql.QFlagDeferProjections)
	schema, rows, flags, err := h.engine.QueryWithBindings(ctx, text, parsed, bindings, flags)
	if err != nil {
		return "", err
	}
	result := spool{
		ctx: ctx, conn: c, schema: schema, send: r.send, more: rest != "", keep: r.cursor,
		ddl: flags.IsSet(sql.QFlagDDL) || flags.IsSet(sql.QFlagDBDDL) || flags.IsSet(sql.QFlagAlterTable),
	}
	if err := result.run(rows); err != nil {
		return "", err
	}
	return rest, nil
}

// limitTime applies max_execution_time, in milliseconds. The engine does not
// know which statements only read before it has bound them, so the limit covers
// those whose text starts as a query, as MySQL's covers SELECT only.
func (h *handler) limitTime(ctx *sql.Context) (*sql.Context, context.CancelFunc) {
	value, err := ctx.GetSessionVariable(ctx, "max_execution_time")
	limitMS, ok := value.(int64)
	if err != nil || !ok || limitMS <= 0 || !startsAsQuery(ctx.Query()) {
		return ctx, func() {}
	}
	limited, cancel := context.WithTimeoutCause(ctx, time.Duration(limitMS)*time.Millisecond, errQueryTimeout)
	return ctx.WithContext(limited), cancel
}

func startsAsQuery(text string) bool {
	switch firstToken(text) {
	case sqlparser.SELECT, sqlparser.WITH, sqlparser.TABLE, sqlparser.VALUES:
		return true
	default:
		return false
	}
}

// firstToken returns the parser's token of the first word of a statement.
func firstToken(text string) int {
	tokens := sqlparser.NewStringTokenizer(text)
	for {
		if token, _ := tokens.Scan(); token != sqlparser.COMMENT && token != '(' {
			return token
		}
	}
}

// setStatusFlags tells the client in the next packet whether a transaction is
// open and whether autocommit is on.
func setStatusFlags(ctx *sql.Context, c *mysql.Conn) error {
	value, err := ctx.GetSessionVariable(ctx, sql.AutoCommitSessionVar)
	if err != nil {
		return err
	}
	autocommit, err := sql.ConvertToBool(ctx, value)
	if err != nil {
		return err
	}
	set := func(flag uint16, on bool) {
		if on {
			c.StatusFlags |= flag
		} else {
			c.StatusFlags &^= flag
		}
	}
	set(uint16(mysql.ServerStatusAutocommit), autocommit)
	inside := ctx.GetTransaction() != nil
	if session, ok := ctx.Session.(*vtab.Session); ok {
		inside = session.InTransaction()
	}
	set(uint16(mysql.ServerInTransaction), inside)
	return nil
}
