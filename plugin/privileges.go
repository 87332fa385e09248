package plugin

import (
	"context"
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"
)

// rootUser may log in from this machine without a password until it is given
// one, as after `mysqld --initialize-insecure`. It is an account like any other
// and is stored with them at the first change.
const (
	rootUser = "root"
	rootHost = "localhost"
)

// privilegePersister stores accounts and grants whenever the engine has changed
// them. The engine changes its memory first; when storing fails, it is set back
// to what is stored, so that a failed statement grants nothing.
type privilegePersister struct {
	accounts *mysql_db.MySQLDb
	backend  backend
}

var _ mysql_db.MySQLDbPersistence = (*privilegePersister)(nil)

// Persist is called with the engine's accounts locked for writing, so it cannot
// lock them again to undo; restore does that after the statement.
func (p *privilegePersister) Persist(ctx *sql.Context, data []byte) error {
	if err := p.backend.savePrivileges(ctx, data); err != nil {
		return fmt.Errorf("accounts and grants could not be stored: %w", err)
	}
	return nil
}

// loadPrivileges fills the engine's accounts from the store and turns
// authentication on.
func loadPrivileges(ctx context.Context, accounts *mysql_db.MySQLDb, b backend) error {
	stored, err := b.privileges(ctx)
	if err != nil {
		return fmt.Errorf("reading accounts and grants: %w", err)
	}
	accounts.SetPersister(&privilegePersister{accounts: accounts, backend: b})
	accounts.SetEnabled(true)
	if len(stored) == 0 {
		accounts.AddRootAccount()
		return nil
	}
	return replacePrivileges(accounts, stored)
}

// replacePrivileges sets the engine's accounts to exactly those in data.
func replacePrivileges(accounts *mysql_db.MySQLDb, data []byte) error {
	editor := accounts.Editor()
	defer editor.Close()
	if err := accounts.OverwriteUsersAndGrantData(sql.NewEmptyContext(), editor, data); err != nil {
		return fmt.Errorf("stored accounts and grants: %w", err)
	}
	return nil
}
