package plugin

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"
	"github.com/dolthub/go-mysql-server/sql/plan"
)

// mayChangeDatabase checks the right to create, alter or drop a database. The
// engine checks it against the current database instead of the one that is
// named.
func mayChangeDatabase(ctx *sql.Context, accounts *mysql_db.MySQLDb, n sql.Node) error {
	var name string
	var right sql.PrivilegeType
	switch n := n.(type) {
	case *plan.CreateDB:
		name, right = n.DbName, sql.PrivilegeType_Create
	case *plan.AlterDB:
		name, right = n.Database(ctx), sql.PrivilegeType_Alter
	case *plan.DropDB:
		name, right = n.DbName, sql.PrivilegeType_Drop
	default:
		return nil
	}
	if name == "" {
		name = ctx.GetCurrentDatabase()
	}
	if accounts.UserHasPrivileges(ctx, sql.NewPrivilegedOperation(sql.PrivilegeCheckSubject{Database: name}, right)) {
		return nil
	}
	user := mysql_db.User{User: ctx.Session.Client().User, Host: ctx.Session.Client().Address}
	return sql.ErrDatabaseAccessDeniedForUser.New(user.UserHostToString("'"), name)
}
