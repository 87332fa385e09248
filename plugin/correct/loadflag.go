package correct

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
)

// flagLoad makes LOAD DATA the INSERT that it is: the engine's binder leaves the
// flag out, and without it no trigger is looked for.
func flagLoad(n sql.Node, flags *sql.QueryFlags) {
	insert, ok := n.(*plan.InsertInto)
	if !ok || flags == nil {
		return
	}
	if _, ok := insert.Source.(*plan.LoadData); ok {
		flags.Set(sql.QFlagInsert)
	}
}
