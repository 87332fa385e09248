package plugin

import (
	"context"
	"log/slog"
	"runtime/debug"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/server"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
)

// handler runs what connections ask for. Opening, closing and resetting a
// connection is the engine's own handler's; statements are run here, because the
// engine's statement loop gives clients error 1105 for errors it does not know,
// goes on after an error in a packet of several statements, and leaves a session
// inside its transaction when a statement panics.
type handler struct {
	mysql.Handler // the engine's own

	server   *Server
	engine   *sqle.Engine
	sessions *server.SessionManager
	log      *slog.Logger
}

var _ mysql.Handler = (*handler)(nil)

func newHandler(s *Server, sessions *server.SessionManager, inner mysql.Handler) *handler {
	return &handler{Handler: inner, server: s, engine: s.db.engine, sessions: sessions, log: s.log}
}

// NewConnection implements mysql.Handler.
func (h *handler) NewConnection(c *mysql.Conn) {
	h.server.connections.add(c)
	h.Handler.NewConnection(c)
}

// ConnectionClosed implements mysql.Handler. It ends the session, which rolls
// back and frees its locks.
func (h *handler) ConnectionClosed(c *mysql.Conn) {
	h.Handler.ConnectionClosed(c)
	h.server.connections.remove(c)
}

// ConnectionAuthenticated implements mysql.Handler.
func (h *handler) ConnectionAuthenticated(c *mysql.Conn) error {
	if t, ok := trackedOf(c.Conn); ok {
		t.handshakeDone()
	}
	if err := h.Handler.ConnectionAuthenticated(c); err != nil {
		return toSQLError(err)
	}
	c.Conn = &answerConn{Conn: c.Conn}
	return nil
}

// ComInitDB implements mysql.Handler.
func (h *handler) ComInitDB(c *mysql.Conn, database string) (err error) {
	defer h.contain(c, &err)
	if err := h.sessions.SetDB(context.Background(), c, database); err != nil {
		return toSQLError(err)
	}
	return nil
}

// ComQuery implements mysql.Handler.
func (h *handler) ComQuery(ctx context.Context, c *mysql.Conn, query string, send mysql.ResultSpoolFn) error {
	_, err := h.run(ctx, c, request{text: query, send: send})
	return err
}

// ComMultiQuery implements mysql.Handler. After an error the rest of the packet
// is not run, as in MySQL: the client takes the error for the answer to all.
func (h *handler) ComMultiQuery(ctx context.Context, c *mysql.Conn, query string, send mysql.ResultSpoolFn) (string, error) {
	rest, err := h.run(ctx, c, request{text: query, several: true, send: send})
	if err != nil {
		return "", err
	}
	return rest, nil
}

// ComStmtExecute implements mysql.Handler.
func (h *handler) ComStmtExecute(ctx context.Context, c *mysql.Conn, p *mysql.PrepareData, send func(*sqltypes.Result) error) error {
	_, err := h.run(ctx, c, request{text: p.PrepareStmt, bindings: p.BindVars, kinds: p.ParamsType, cursor: true, send: func(r *sqltypes.Result, _ bool) error { return send(r) }})
	return err
}

// ComPrepare implements mysql.Handler. It returns the columns of the statement's
// result, nil if it has none.
func (h *handler) ComPrepare(ctx context.Context, c *mysql.Conn, query string, p *mysql.PrepareData) (fields []*querypb.Field, err error) {
	defer h.contain(c, &err)
	sqlCtx, err := h.sessions.NewContextWithQuery(ctx, c, query)
	if err != nil {
		return nil, toSQLError(err)
	}
	sqlCtx, err = sqlCtx.ProcessList.BeginOperation(sqlCtx)
	if err != nil {
		return nil, toSQLError(err)
	}
	defer sqlCtx.ProcessList.EndOperation(sqlCtx)
	if err := sql.SessionCommandBegin(sqlCtx.Session); err != nil {
		return nil, toSQLError(err)
	}
	defer sql.SessionCommandEnd(sqlCtx.Session)
	node, err := h.engine.PrepareQuery(sqlCtx, query)
	if err != nil {
		return nil, toSQLError(err)
	}
	if statement, ok := sqlCtx.Session.GetPreparedQuery(query); ok {
		if err := countParameters(p, statement); err != nil {
			return nil, toSQLError(err)
		}
	}
	if drop, full := h.server.connections.of(c).prepared.use(query); full {
		sqlCtx.Session.UnprepareQuery(drop)
	}
	if returnsCount(node) || types.IsOkResultSchema(node.Schema(sqlCtx)) {
		return nil, nil
	}
	return columnFields(sqlCtx, node.Schema(sqlCtx)), nil
}

// returnsCount reports whether a statement that is bound but not analyzed
// answers with a count of rows. Its node has the table's schema until then.
func returnsCount(node sql.Node) bool {
	switch n := node.(type) {
	case *plan.InsertInto:
		return n.Returning == nil
	case *plan.Update, *plan.UpdateJoin, *plan.DeleteFrom:
		return true
	default:
		return false
	}
}

// ComResetConnection implements mysql.Handler: a new session takes the place of
// the old one, whose transaction is rolled back.
func (h *handler) ComResetConnection(c *mysql.Conn) (err error) {
	defer h.contain(c, &err)
	h.server.connections.of(c).prepared.clear()
	if err := h.Handler.ComResetConnection(c); err != nil {
		return toSQLError(err)
	}
	return nil
}

// contain turns a panic into an error for the client of one connection. Its
// transaction is rolled back; the stack goes to the log only.
func (h *handler) contain(c *mysql.Conn, err *error) {
	r := recover()
	if r == nil {
		return
	}
	h.log.Error("panic in a session", "connection", c.ConnectionID, "panic", r, "stack", string(debug.Stack()))
	*err = errInternal()
	sqlCtx, ctxErr := h.sessions.NewContextWithQuery(context.Background(), c, "")
	if ctxErr != nil {
		h.log.Error("no context to roll back in", "connection", c.ConnectionID, "error", ctxErr)
		return
	}
	if rollbackErr := abandon(sqlCtx); rollbackErr != nil {
		h.log.Error("rolling back after a panic", "connection", c.ConnectionID, "error", rollbackErr)
	}
}

// abandon rolls back the session's transaction and leaves it in autocommit mode
// as set.
func abandon(ctx *sql.Context) error {
	tx := ctx.GetTransaction()
	if tx == nil {
		return nil
	}
	var err error
	if ts, ok := ctx.Session.(sql.TransactionSession); ok {
		err = ts.Rollback(ctx, tx)
	}
	ctx.SetTransaction(nil)
	ctx.SetIgnoreAutoCommit(false)
	return err
}
