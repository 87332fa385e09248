package plugin

import (
	"errors"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/freshetdb/freshet/vtab"
)

// createFrom runs CREATE TABLE … SELECT: the table and its rows are there together,
// or neither is.
func (e *executor) createFrom(ctx *sql.Context, session *vtab.Session, n *plan.TableCopier, create *plan.CreateTable) (sql.RowIter, error) {
	if err := mayChangeDatabase(ctx, e.accounts, create); err != nil {
		return nil, err
	}
	if tx := session.GetTransaction(); tx != nil && tx.IsReadOnly() {
		return nil, sql.ErrReadOnlyTransaction.New()
	}
	if !create.Temporary() {
		if err := session.CommitBeforeDDL(ctx); err != nil {
			return nil, err
		}
	}
	created, count, err := e.createAndFill(ctx, n, create)
	switch {
	case err != nil && !create.Temporary():
		session.Abandon()
		return nil, err
	case err != nil && created:
		return nil, errors.Join(err, dropCreated(ctx, create))
	case err != nil:
		return nil, err
	}
	if !create.Temporary() {
		if err := session.CommitOpen(ctx); err != nil {
			return nil, err
		}
	}
	ctx.GetLastQueryInfo().RowCount.Store(int64(count))
	return sql.RowsToRowIter(sql.NewRow(types.NewOkResult(int(count)))), nil
}

// createAndFill makes the table, and tells whether it did.
func (e *executor) createAndFill(ctx *sql.Context, n *plan.TableCopier, create *plan.CreateTable) (created bool, count uint64, err error) {
	_, exists, err := findTable(ctx, create)
	if err != nil {
		return false, 0, err
	}
	if exists && !create.IfNotExists() {
		return false, 0, sql.ErrTableAlreadyExists.New(create.Name())
	}
	if exists {
		ctx.Session.Warn(&sql.Warning{Level: "Note", Code: 1050, Message: "Table '" + create.Name() + "' already exists"})
		return false, 0, nil
	}
	it, err := e.createTable(ctx, create)
	if err != nil {
		return false, 0, err
	}
	if err := it.Close(ctx); err != nil {
		return true, 0, err
	}
	table, found, err := findTable(ctx, create)
	if err != nil {
		return true, 0, err
	}
	if !found {
		return true, 0, sql.ErrUnsupportedFeature.New("CREATE TABLE … SELECT for a name that a view or a temporary table has")
	}
	count, err = e.corrections.Fill(ctx, create.Database(), table, n.Source)
	return true, count, err
}

// findTable is the table of the name and kind that a CREATE makes.
func findTable(ctx *sql.Context, create *plan.CreateTable) (sql.Table, bool, error) {
	table, ok, err := create.Database().GetTableInsensitive(ctx, create.Name())
	if err != nil || !ok {
		return nil, false, err
	}
	return table, isTemporary(table) == create.Temporary(), nil
}

// dropCreated drops a temporary table again: its definition is no part of a
// transaction.
func dropCreated(ctx *sql.Context, create *plan.CreateTable) error {
	db := create.Database()
	if privileged, ok := db.(mysql_db.PrivilegedDatabase); ok {
		db = privileged.Unwrap()
	}
	dropper, ok := db.(sql.TableDropper)
	if !ok {
		return sql.ErrDropTableNotSupported.New(db.Name())
	}
	return dropper.DropTable(ctx, create.Name())
}

// createTable makes a table. The comment of a temporary one the engine would drop.
func (e *executor) createTable(ctx *sql.Context, create *plan.CreateTable) (sql.RowIter, error) {
	comment, commented := create.TableOpts["comment"].(string)
	if !commented || !create.Temporary() {
		return e.stock.Build(ctx, create, nil)
	}
	_, exists, err := findTable(ctx, create)
	if err != nil {
		return nil, err
	}
	it, err := e.stock.Build(ctx, create, nil)
	if err != nil || exists {
		return it, err
	}
	table, _, err := findTable(ctx, create)
	if err != nil {
		return nil, err
	}
	if t, ok := sql.GetUnderlyingTable(table).(sql.CommentAlterableTable); ok {
		err = t.ModifyComment(ctx, comment)
	}
	return it, err
}
