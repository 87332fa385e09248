package plugin

import (
	"errors"
	"io"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/rowexec"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/freshetdb/freshet/catalog"
	"github.com/freshetdb/freshet/plugin/correct"
	"github.com/freshetdb/freshet/plugin/load"
	"github.com/freshetdb/freshet/plugin/own"
	"github.com/freshetdb/freshet/plugin/routine"
	"github.com/freshetdb/freshet/vtab"
)

// executor stands in front of the engine's executor for the statements that end
// or join a transaction. It sees every node of every statement.
type executor struct {
	corrections *correct.Priority
	// stock builds a node without coming back here; engine builds it with all
	// corrections.
	stock    *rowexec.BaseBuilder
	engine   sql.NodeExecBuilder
	accounts *mysql_db.MySQLDb
	// procedures runs what CALL names, in the place of the engine's interpreter.
	procedures *routine.Procedures
}

var _ sql.NodeExecBuilder = (*executor)(nil)

// newExecutor gives the analyzer an executor with the corrections and the
// transaction rules in front. The engine sets its Runner.
func newExecutor(a *analyzer.Analyzer, procedures *routine.Procedures) *executor {
	e := &executor{accounts: a.Catalog.MySQLDb, procedures: procedures}
	e.corrections = correct.NewExecBuilder(a, correct.Options{Next: e, Judge: vtab.Judge})
	e.stock = e.corrections.NewStock(a.Overrides)
	e.engine = a.ExecBuilder
	return e
}

// start is called when the engine exists: procedures run their statements on it.
func (e *executor) start(runner sql.StatementRunner) { e.stock.Runner = runner }

// Build implements sql.NodeExecBuilder.
func (e *executor) Build(ctx *sql.Context, n sql.Node, row sql.Row) (sql.RowIter, error) {
	session, ok := ctx.Session.(*vtab.Session)
	if !ok {
		return nil, nil
	}
	if err := e.mayRun(ctx, n); err != nil {
		return nil, err
	}
	if session.LocksTables() {
		if err := withinLocks(session, n); err != nil {
			return nil, err
		}
	}
	switch n := n.(type) {
	case *plan.Call:
		defer session.BeginCall()()
		if n.Procedure.ExternalProc != nil {
			return e.stock.Build(ctx, n, row)
		}
		return e.call(ctx, n, row)
	case *plan.CreateProcedure:
		details := n.StoredProcDetails
		checked := &catalog.Routine{Header: catalog.Header{Kind: catalog.KindProcedure, Name: details.Name}, Statement: details.CreateStatement, SQLMode: details.SqlMode}
		if err := e.procedures.Check(ctx, n.Database().Name(), checked); err != nil {
			return nil, err
		}
		defined := *n
		defined.StoredProcDetails.CreateStatement = checked.Statement
		return e.implicit(ctx, session, &defined, row)
	case *plan.Filter:
		return e.filter(ctx, n, row)
	case *plan.Update, *plan.DeleteFrom:
		session.BeginWrite()
		return nil, nil
	case *plan.InsertInto:
		session.BeginWrite()
		if loaded, err := load.Direct(ctx, n); loaded != nil || err != nil {
			return loaded, err
		}
		expectRows(n)
	case *plan.LoadData:
		return load.Rows(ctx, n)
	case *plan.TableCopier:
		session.BeginWrite()
		if create, ok := n.Destination.(*plan.CreateTable); ok {
			return e.createFrom(ctx, session, n, create)
		}
	case *plan.CreateTable:
		if n.Temporary() {
			return e.createTable(ctx, n)
		}
	case *plan.ShowCreateTable:
		shown, err := own.ShownTable(ctx, n)
		if err != nil {
			return nil, err
		}
		return e.showTexts(ctx, shown, row)
	case *plan.DescribeQuery:
		if !n.Format.Plan && !n.Format.Analyze {
			return sql.RowsToRowIter(own.Explained(ctx, n.Child)...), nil
		}
	case *plan.ShowColumns:
		rows, err := e.stock.Build(ctx, n, row)
		if err != nil {
			return nil, err
		}
		return own.ShownColumns(n, rows), nil
	case *plan.ShowProcessList:
		rows, err := e.stock.Build(ctx, n, row)
		if err != nil || e.has(ctx, sql.PrivilegeType_Process) {
			return rows, err
		}
		return &ownProcesses{rows}, nil
	case *plan.ShowCreateEvent:
		return e.showTexts(ctx, own.ShownEvent(n), row)
	case *plan.ShowCreateTrigger, *plan.ShowCreateProcedure, *plan.ShowTriggers:
		return e.showTexts(ctx, n, row)
	case *plan.Sort, *plan.TopN, *plan.Window, *plan.GroupBy, *plan.HashLookup, *plan.CachedResults:
		return e.measure(ctx, session, n, row)
	case *plan.StartTransaction:
		access := map[sql.TransactionCharacteristic]vtab.Access{sql.ReadOnly: vtab.ReadOnly}[n.TransChar]
		return ended(session.Begin(ctx, vtab.Characteristics{Access: access}, false))
	case *plan.Commit:
		return ended(session.Finish(ctx, true, false))
	case *plan.Rollback:
		return ended(session.Finish(ctx, false, false))
	case *plan.PrependNode:
		vtab.Rebind(n)
		return nil, nil
	case *plan.CreateDB:
		named, err := withServerCollation(ctx, n)
		if err != nil {
			return nil, err
		}
		if own.Inside(ctx) {
			return e.stock.Build(ctx, named, row)
		}
		return e.implicit(ctx, session, named, row)
	}
	if correct.ChangesRows(n) {
		session.BeginWrite()
	}
	return e.implicit(ctx, session, n, row)
}

// filter builds a filter above a table, of which the statement locks rows or whose
// scan can apply it; other filters are the engine's.
func (e *executor) filter(ctx *sql.Context, n *plan.Filter, row sql.Row) (sql.RowIter, error) {
	build := func() (sql.RowIter, error) { return e.engine.Build(ctx, n.Child, row) }
	table := vtab.FilteredTable(ctx, n.Child)
	if table == nil {
		return vtab.NewScanFilter(n.Child, n.Expression, build)
	}
	rows, err := build()
	if err != nil {
		return nil, err
	}
	return vtab.NewLockingFilter(table, n.Expression, rows), nil
}

// implicit runs the statements that commit what is open; others are the engine's.
func (e *executor) implicit(ctx *sql.Context, session *vtab.Session, n sql.Node, row sql.Row) (sql.RowIter, error) {
	if !commitsImplicitly(n) {
		if tx := session.GetTransaction(); tx != nil && tx.IsReadOnly() && definesTemporary(n) {
			return nil, sql.ErrReadOnlyTransaction.New()
		}
		return nil, nil
	}
	if err := mayChangeDatabase(ctx, e.accounts, n); err != nil || own.Inside(ctx) {
		return nil, err
	}
	return e.define(ctx, session, n, row)
}

// ended is the answer of a statement that begins or ends a transaction.
func ended(err error) (sql.RowIter, error) {
	if err != nil {
		return nil, err
	}
	return sql.RowsToRowIter(), nil
}

// showTexts shows definitions as they were written.
func (e *executor) showTexts(ctx *sql.Context, n sql.Node, row sql.Row) (sql.RowIter, error) {
	rows, err := e.stock.Build(ctx, n, row)
	if err != nil {
		return nil, err
	}
	return own.Unpinned{RowIter: rows}, nil
}

// withinLocks refuses tables that the session's LOCK TABLES has not locked.
func withinLocks(session *vtab.Session, n sql.Node) error {
	write := false
	switch change := n.(type) {
	case *plan.InsertInto:
		n, write = change.Destination, true
	case *plan.DropTable:
		for _, dropped := range change.Tables {
			if resolved, ok := dropped.(*plan.ResolvedTable); ok {
				if err := mayChange(session, resolved.Table); err != nil {
					return err
				}
			}
		}
		return nil
	default:
		if altered := alteredTable(n); altered != nil {
			return mayChange(session, altered)
		}
	}
	for {
		switch node := n.(type) {
		case *plan.ResolvedTable:
			if table, ok := sql.GetUnderlyingTable(node.Table).(*vtab.Table); ok {
				return session.MayUse(table, write)
			}
			return nil
		case *plan.IndexedTableAccess:
			n = node.TableNode
			continue
		}
		if children := n.Children(); write && len(children) == 1 {
			n = children[0]
			continue
		}
		return nil
	}
}

func mayChange(session *vtab.Session, t sql.Table) error {
	if table, ok := sql.GetUnderlyingTable(t).(*vtab.Table); ok {
		return session.MayUse(table, true)
	}
	return nil
}

// call runs a stored procedure. Under autocommit each of its statements has a
// transaction of its own; else they belong to the session's.
func (e *executor) call(ctx *sql.Context, n *plan.Call, row sql.Row) (sql.RowIter, error) {
	if n.AsOf() != nil {
		return nil, sql.ErrUnsupportedFeature.New("CALL … AS OF")
	}
	args := make([]routine.Argument, len(n.Params))
	for i, param := range n.Params {
		value, err := param.Eval(ctx, row)
		if err != nil {
			return nil, err
		}
		args[i].Value = value
		if user, ok := param.(*expression.UserVar); ok {
			args[i].Set = func(ctx *sql.Context, value any, typ sql.Type) error {
				return ctx.SetUserVariable(ctx, user.Name, value, typ)
			}
		}
	}
	ctx.SetTransaction(nil)
	result, err := e.procedures.Call(ctx, n.Database().Name(), n.Name, args)
	if err != nil {
		return nil, err
	}
	n.SetSchema(result.Schema)
	return sql.RowsToRowIter(result.Rows...), nil
}

// expectRows tells the table how many rows an INSERT … VALUES brings.
func expectRows(n *plan.InsertInto) {
	rows := 0
	transform.Inspect(n.Source, func(n sql.Node) bool {
		if v, ok := n.(*plan.Values); ok {
			rows += len(v.ExpressionTuples)
		}
		return true
	})
	if rows < 2 {
		return
	}
	destination, err := plan.GetInsertable(n.Destination)
	if err != nil {
		return
	}
	if table, ok := sql.GetUnderlyingTable(destination).(*vtab.Table); ok {
		table.ExpectRows(rows)
	}
}

// define runs a statement that changes definitions: what is open is committed
// first, and a failure leaves nothing behind, at once.
func (e *executor) define(ctx *sql.Context, session *vtab.Session, n sql.Node, row sql.Row) (sql.RowIter, error) {
	if tx := session.GetTransaction(); tx != nil && tx.IsReadOnly() && changesData(n) {
		return nil, sql.ErrReadOnlyTransaction.New()
	}
	if err := session.CommitBeforeDDL(ctx); err != nil {
		return nil, err
	}
	it, err := e.stock.Build(ctx, n, row)
	if err != nil {
		session.Abandon()
		return nil, err
	}
	return &definitionIter{RowIter: it, session: session}, nil
}

// definitionIter ends the statement's transaction with the statement: the engine
// would not commit all of these by itself, and would leave those that fail open.
type definitionIter struct {
	sql.RowIter
	session *vtab.Session
	failed  bool
}

// Next implements sql.RowIter.
func (i *definitionIter) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := i.RowIter.Next(ctx)
	if err != nil && !errors.Is(err, io.EOF) {
		i.failed = true
		i.session.Abandon()
	}
	return row, err
}

// Close implements sql.RowIter.
func (i *definitionIter) Close(ctx *sql.Context) error {
	err := i.RowIter.Close(ctx)
	if err != nil && !i.failed {
		i.session.Abandon()
	}
	if err != nil || i.failed {
		return err
	}
	return i.session.CommitOpen(ctx)
}

// commitsImplicitly lists the statements before which MySQL commits an open
// transaction. CREATE and DROP of temporary tables are none of them, other changes of
// their definitions are.
func commitsImplicitly(n sql.Node) bool {
	switch n := n.(type) {
	case interface{ IsDDL() bool }:
		return n.IsDDL()
	case *plan.CreateTable:
		return !n.Temporary()
	case *plan.DropTable:
		return !dropsTemporary(n)
	case *plan.Block:
		return altersTable(n)
	case *plan.Truncate, *plan.AlterDefaultSet, *plan.AlterDefaultDrop, *plan.AlterTableComment,
		*plan.AlterTableCollation, *plan.AlterAutoIncrement, *plan.AlterEvent, *plan.CreateSpatialRefSys, *plan.AnalyzeTable, *plan.CreateUser,
		*plan.DropUser, *plan.AlterUser, *plan.RenameUser, *plan.CreateRole, *plan.DropRole,
		*plan.Grant, *plan.GrantRole, *plan.Revoke, *plan.RevokeRole:
		return true
	}
	return plan.IsDDLNode(n)
}

// changesData tells the statements that a read-only transaction refuses from those
// which only commit it.
func changesData(n sql.Node) bool {
	_, analyzes := n.(*plan.AnalyzeTable)
	return !analyzes && !n.IsReadOnly()
}

// altersTable reports whether a block is an ALTER TABLE of several clauses: the
// bodies of conditions in triggers are blocks too.
func altersTable(n *plan.Block) bool {
	for _, child := range n.Children() {
		if !commitsImplicitly(child) {
			return false
		}
	}
	return len(n.Children()) > 0
}

// onTemporary reports whether a statement changes the definition of temporary
// tables only.
func onTemporary(n sql.Node) bool {
	if block, ok := n.(*plan.Block); ok {
		for _, child := range block.Children() {
			if !onTemporary(child) {
				return false
			}
		}
		return len(block.Children()) > 0
	}
	table := alteredTable(n)
	return table != nil && isTemporary(table)
}

// definesTemporary reports whether a statement changes the definition of a temporary
// table: MySQL refuses that in a read-only transaction, but not changes of its rows.
func definesTemporary(n sql.Node) bool {
	drop, ok := n.(*plan.DropTable)
	return onTemporary(n) || ok && dropsTemporary(drop)
}

func dropsTemporary(n *plan.DropTable) bool {
	for _, child := range n.Tables {
		table, ok := child.(*plan.ResolvedTable)
		if !ok || !isTemporary(table.Table) {
			return false
		}
	}
	return len(n.Tables) > 0
}

// alteredTable is the table of an ALTER, nil for other statements.
func alteredTable(n sql.Node) sql.Table {
	switch n.(type) {
	case *plan.AddColumn, *plan.DropColumn, *plan.ModifyColumn, *plan.RenameColumn, *plan.AlterPK,
		*plan.AlterIndex, *plan.CreateIndex, *plan.DropIndex, *plan.Truncate, *plan.AlterDefaultSet,
		*plan.AlterDefaultDrop, *plan.AlterTableComment, *plan.AlterTableCollation,
		*plan.AlterAutoIncrement, *plan.CreateCheck, *plan.DropCheck:
	default:
		return nil
	}
	for _, child := range n.Children() {
		if rt, ok := child.(*plan.ResolvedTable); ok {
			return rt.Table
		}
	}
	return nil
}

func isTemporary(t sql.Table) bool {
	tt, ok := sql.GetUnderlyingTable(t).(sql.TemporaryTable)
	return ok && tt.IsTemporary()
}
