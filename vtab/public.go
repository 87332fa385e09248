package vtab

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"
)

// PublicDatabase is a system database that everybody may read and nobody sees:
// SELECTs without FROM read it.
const PublicDatabase = "__sys"

// SetPrivilegeSet implements sql.Session. GMS computes the privileges of a
// session's user here and looks at them before it asks the provider for a
// database; a user without any would not get to SELECT 1.
func (s *Session) SetPrivilegeSet(set sql.PrivilegeSet, counter uint64) {
	if own, ok := set.(mysql_db.PrivilegeSet); ok {
		own.AddDatabase(PublicDatabase, sql.PrivilegeType_Select)
	}
	s.BaseSession.SetPrivilegeSet(set, counter)
}
