package routine

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"

	"github.com/freshetdb/freshet/plugin/parser"
)

// AccountOf reads an account as the engine's parser has it: `user`@`host`.
func AccountOf(text string) parser.Account {
	user, host := text, "%"
	if at := strings.LastIndexByte(text, '@'); at >= 0 {
		user, host = text[:at], text[at+1:]
	}
	return parser.Account{User: unquote(user), Host: unquote(host)}
}

func unquote(name string) string {
	name = strings.TrimSpace(name)
	if len(name) < 2 || name[0] != name[len(name)-1] || !strings.ContainsRune("`'\"", rune(name[0])) {
		return name
	}
	mark := name[:1]
	return strings.ReplaceAll(name[1:len(name)-1], mark+mark, mark)
}

// find is the account of that name, nil if there is none.
func find(accounts *mysql_db.MySQLDb, name parser.Account) *mysql_db.User {
	reader := accounts.Reader()
	defer reader.Close()
	user := accounts.GetUser(reader, name.User, name.Host, false)
	if user == nil || user.User != name.User {
		return nil
	}
	return user
}

// Administers tells whether the session may act for other accounts.
func Administers(ctx *sql.Context, accounts *mysql_db.MySQLDb) bool {
	return accounts == nil || !accounts.Enabled() ||
		accounts.UserHasPrivileges(ctx, sql.NewPrivilegedOperation(sql.PrivilegeCheckSubject{}, sql.PrivilegeType_Super)) ||
		accounts.UserHasPrivileges(ctx, sql.NewDynamicPrivilegedOperation("set_user_id")) ||
		accounts.UserHasPrivileges(ctx, sql.NewDynamicPrivilegedOperation("set_any_definer"))
}

// MayDefineAs checks that the session may name an account as a definer: its own,
// or any if it administers them.
func MayDefineAs(ctx *sql.Context, accounts *mysql_db.MySQLDb, definer parser.Account) error {
	if Administers(ctx, accounts) {
		return nil
	}
	client := ctx.Session.Client()
	self, named := find(accounts, parser.Account{User: client.User, Host: client.Address}), find(accounts, definer)
	if self != nil && named != nil && self.User == named.User && self.Host == named.Host {
		return nil
	}
	return errMissingRight("SUPER or SET_USER_ID")
}

// asDefiner gives the session the privileges of the definer until back is called.
// It stays who it is: USER() is the caller. Privileges that change meanwhile are
// the session's own again, so it is used for one statement at a time.
func asDefiner(ctx *sql.Context, accounts *mysql_db.MySQLDb, definer *parser.Account) (back func(), err error) {
	if definer == nil || accounts == nil || !accounts.Enabled() {
		return func() {}, nil
	}
	user := find(accounts, *definer)
	if user == nil {
		return nil, errNoDefiner(*definer)
	}
	client := ctx.Session.Client()
	privileges, counter := ctx.Session.GetPrivilegeSet()
	as := client
	as.User, as.Address = user.User, user.Host
	ctx.Session.SetClient(as)
	ctx.Session.SetPrivilegeSet(nil, 0)
	accounts.UserActivePrivilegeSet(ctx) // kept in the session
	ctx.Session.SetClient(client)
	return func() { ctx.Session.SetPrivilegeSet(privileges, counter) }, nil
}

// mayCall checks the right to call a procedure from a body.
func (b *binding) mayCall(ctx *sql.Context, database, name string) error {
	accounts := b.analyzer.Catalog.MySQLDb
	if !b.authorize || accounts == nil || !accounts.Enabled() {
		return nil
	}
	back, err := b.asDefiner(ctx)
	if err != nil {
		return err
	}
	defer back()
	in := sql.PrivilegeCheckSubject{Database: database}
	one := sql.PrivilegeCheckSubject{Database: database, Routine: name, IsProcedure: true}
	if accounts.UserHasPrivileges(ctx, sql.NewPrivilegedOperation(in, sql.PrivilegeType_Execute)) ||
		accounts.RoutineAdminCheck(ctx, sql.NewPrivilegedOperation(one, sql.PrivilegeType_Execute)) {
		return nil
	}
	account := parser.Account{User: ctx.Session.Client().User, Host: ctx.Session.Client().Address}
	if b.definer != nil {
		account = *b.definer
	}
	return errMayNotCall(account, database, name)
}
