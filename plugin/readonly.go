package plugin

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"
	"github.com/dolthub/vitess/go/mysql"
)

// refuseReadOnly refuses changes while read_only or super_read_only is set: error
// 1290. Accounts with SUPER or CONNECTION_ADMIN are exempt from the former.
func refuseReadOnly(ctx *sql.Context, accounts *mysql_db.MySQLDb) error {
	if globalSwitch("super_read_only") {
		return errReadOnlyServer("--super-read-only")
	}
	if !globalSwitch("read_only") || !accounts.Enabled() {
		return nil
	}
	if accounts.UserHasPrivileges(ctx, sql.NewPrivilegedOperation(sql.PrivilegeCheckSubject{}, sql.PrivilegeType_Super)) ||
		accounts.UserHasPrivileges(ctx, sql.NewDynamicPrivilegedOperation("connection_admin")) {
		return nil
	}
	return errReadOnlyServer("--read-only")
}

// globalSwitch reads a global variable that is on or off.
func globalSwitch(name string) bool {
	_, value, ok := sql.SystemVariables.GetGlobal(name)
	if !ok {
		return false
	}
	on, err := sql.ConvertToBool(nil, value)
	return err == nil && on
}

func errReadOnlyServer(option string) error {
	return mysql.NewSQLError(1290, "HY000", "The MySQL server is running with the %s option so it cannot execute this statement", option)
}
