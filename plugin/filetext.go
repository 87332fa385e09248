package plugin

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"
)

// fileText is LOAD_FILE(), which answers NULL without the FILE privilege.
type fileText struct {
	*function.LoadFile
	accounts *mysql_db.MySQLDb
}

// fileTextFunction makes LOAD_FILE() over the accounts.
func fileTextFunction(accounts *mysql_db.MySQLDb) sql.Function {
	return sql.Function1{Name: "load_file", Fn: func(ctx *sql.Context, name sql.Expression) sql.Expression {
		engine, ok := function.NewLoadFile(ctx, name).(*function.LoadFile)
		if !ok {
			return function.NewLoadFile(ctx, name)
		}
		return &fileText{LoadFile: engine, accounts: accounts}
	}}
}

// Eval implements sql.Expression.
func (l *fileText) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	file := sql.NewPrivilegedOperation(sql.PrivilegeCheckSubject{}, sql.PrivilegeType_File)
	if l.accounts.Enabled() && !l.accounts.UserHasPrivileges(ctx, file) {
		return nil, nil
	}
	return l.LoadFile.Eval(ctx, row)
}

// WithChildren implements sql.Expression.
func (l *fileText) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	changed, err := l.LoadFile.WithChildren(ctx, children...)
	if err != nil {
		return nil, err
	}
	engine, ok := changed.(*function.LoadFile)
	if !ok {
		return nil, sql.ErrInvalidType.New(changed)
	}
	return &fileText{LoadFile: engine, accounts: l.accounts}, nil
}
