package plugin

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/freshetdb/freshet/plugin/routine"
)

// mayRun checks the rights that the engine does not: to name another account as a
// definer, to reach the accounts from the bodies of triggers and procedures, to
// write files, to set variables of the server.
func (e *executor) mayRun(ctx *sql.Context, n sql.Node) error {
	if !e.accounts.Enabled() {
		return nil
	}
	switch n := n.(type) {
	case *plan.CreateTrigger:
		return routine.MayDefineAs(ctx, e.accounts, routine.AccountOf(n.Definer))
	case *plan.CreateEvent:
		return routine.MayDefineAs(ctx, e.accounts, routine.AccountOf(n.Definer))
	case *plan.AlterEvent:
		return routine.MayDefineAs(ctx, e.accounts, routine.AccountOf(n.Definer))
	case *plan.CreateView:
		return routine.MayDefineAs(ctx, e.accounts, routine.AccountOf(n.Definer))
	case *plan.InsertInto:
		if n.IsReplace {
			return e.mayUse(ctx, n.Destination, sql.PrivilegeType_Insert, sql.PrivilegeType_Delete)
		}
		return e.mayUse(ctx, n.Destination, sql.PrivilegeType_Insert)
	case *plan.Update:
		return e.mayUse(ctx, n.Child, sql.PrivilegeType_Update)
	case *plan.DeleteFrom:
		for _, target := range n.GetDeleteTargets() {
			if err := e.mayUse(ctx, target, sql.PrivilegeType_Delete); err != nil {
				return err
			}
		}
		return nil
	case *plan.ResolvedTable, *plan.IndexedTableAccess:
		return e.mayUse(ctx, n, sql.PrivilegeType_Select)
	case *plan.Into:
		if n.Outfile == "" && n.Dumpfile == "" {
			return nil
		}
		return e.need(ctx, "FILE", e.has(ctx, sql.PrivilegeType_File))
	case *plan.CreateUser:
		if n.Locked {
			return mysql.NewSQLError(1235, "42000", "This version of Freshet doesn't yet support '%s'", "ACCOUNT LOCK")
		}
	case *plan.Set:
		for _, set := range n.Exprs {
			if field, ok := set.(*expression.SetField); ok && ofServer(field.LeftChild) {
				return e.needVariables(ctx)
			}
		}
	}
	return nil
}

// has tells whether the session has a right on everything.
func (e *executor) has(ctx *sql.Context, right sql.PrivilegeType) bool {
	return e.accounts.UserHasPrivileges(ctx, sql.NewPrivilegedOperation(sql.PrivilegeCheckSubject{}, right))
}

func (e *executor) needVariables(ctx *sql.Context) error {
	return e.need(ctx, "SUPER or SYSTEM_VARIABLES_ADMIN", e.has(ctx, sql.PrivilegeType_Super) ||
		e.accounts.UserHasPrivileges(ctx, sql.NewDynamicPrivilegedOperation("system_variables_admin")))
}

func (e *executor) need(_ *sql.Context, rights string, has bool) error {
	if has {
		return nil
	}
	return mysql.NewSQLError(1227, "42000", "Access denied; you need (at least one of) the %s privilege(s) for this operation", rights)
}

// ofServer tells whether an assignment changes more than the session.
func ofServer(target sql.Expression) bool {
	variable, ok := target.(*expression.SystemVar)
	if !ok {
		return false
	}
	scope, ok := variable.Scope.(*sql.MysqlScope)
	return !ok || scope.Type != sql.SystemVariableScope_Session
}

// mayUse checks a right on the tables below n that hold the accounts. For those
// of other databases the engine does, except in bodies.
func (e *executor) mayUse(ctx *sql.Context, n sql.Node, rights ...sql.PrivilegeType) error {
	tables := []sql.Node{n}
	for len(tables) > 0 {
		n, tables = tables[0], tables[1:]
		if access, ok := n.(*plan.IndexedTableAccess); ok {
			n = access.TableNode
		}
		table, ok := n.(*plan.ResolvedTable)
		if !ok {
			tables = append(tables, n.Children()...)
			continue
		}
		if database, ok := table.Database().(*mysql_db.MySQLDb); !ok || database == nil {
			continue
		}
		subject := sql.PrivilegeCheckSubject{Database: "mysql", Table: table.Name()}
		if !e.accounts.UserHasPrivileges(ctx, sql.NewPrivilegedOperation(subject, rights...)) {
			user := mysql_db.User{User: ctx.Session.Client().User, Host: ctx.Session.Client().Address}
			return sql.ErrTableAccessDeniedForUser.New(user.UserHostToString("'"), table.Name())
		}
	}
	return nil
}

// ownProcesses is SHOW PROCESSLIST for who may see but their own connections.
type ownProcesses struct{ sql.RowIter }

// Next implements sql.RowIter.
func (i *ownProcesses) Next(ctx *sql.Context) (sql.Row, error) {
	const user = 1
	for {
		row, err := i.RowIter.Next(ctx)
		if err != nil || row[user] == ctx.Session.Client().User {
			return row, err
		}
	}
}
