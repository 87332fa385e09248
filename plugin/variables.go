package plugin

import (
	"context"
	"fmt"
	"math"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/freshetdb/freshet/vtab"
	"github.com/freshetdb/freshet/vtab/kv/pebblekv"
)

const (
	collationServer = "collation_server"
	lockWaitTimeout = "innodb_lock_wait_timeout"
	// lockWaitSeconds is MySQL's default for it, lockWaitMax its largest value.
	lockWaitSeconds = 50
	lockWaitMax     = 1 << 30
	// versionComment is what clients show in their greeting.
	versionComment = "Freshet"
)

// setVariables puts the settings and the persisted variables of a store in force.
// System variables are the engine's, for the whole process. A persisted variable
// that cannot be set is logged and keeps nobody from opening the store.
func setVariables(ctx context.Context, o Options, b backend) error {
	// The engine's own takes no value but one second.
	if v, _, ok := sql.SystemVariables.GetGlobal(lockWaitTimeout); !ok || v.GetDefault() != int64(lockWaitSeconds) {
		sql.SystemVariables.AddSystemVariables([]sql.SystemVariable{&sql.MysqlSystemVariable{
			Name: lockWaitTimeout, Scope: sql.GetMysqlScope(sql.SystemVariableScope_Both), Dynamic: true,
			Type: types.NewSystemIntType(lockWaitTimeout, 1, lockWaitMax, false), Default: int64(lockWaitSeconds),
		}})
	}
	if err := sql.SystemVariables.AssignValues(map[string]any{"version_comment": versionComment}); err != nil {
		return err
	}
	if _, _, ok := sql.SystemVariables.GetGlobal(vtab.LostUpdatesVariable); !ok {
		sql.SystemVariables.AddSystemVariables([]sql.SystemVariable{&sql.MysqlSystemVariable{
			Name: vtab.LostUpdatesVariable, Scope: sql.GetMysqlScope(sql.SystemVariableScope_Both), Dynamic: true,
			Type: types.NewSystemEnumType(vtab.LostUpdatesVariable, "error", "innodb"), Default: "error",
		}})
	}
	addLimits()
	if o.Collation != "" {
		collation, err := sql.ParseCollation("", o.Collation, false)
		if err != nil {
			return fmt.Errorf("collation %s: %w", o.Collation, err)
		}
		values := map[string]any{}
		for _, name := range []string{collationServer, "collation_database", "collation_connection"} {
			values[name] = collation.Name()
		}
		for _, name := range []string{"character_set_server", "character_set_database", "character_set_connection"} {
			values[name] = collation.CharacterSet().Name()
		}
		if err := sql.SystemVariables.AssignValues(values); err != nil {
			return fmt.Errorf("collation %s: %w", o.Collation, err)
		}
	}
	for _, problem := range b.loadVariables(sql.NewContext(ctx)) {
		o.logger().Warn("a persisted variable is not in force", "error", problem)
	}
	return nil
}

// addLimits adds the variables that bound memory. What a machine has decides their
// defaults: a quarter of it for what one statement sorts, groups and joins, an eighth,
// but no more than a GiB, for what one transaction writes.
func addLimits() {
	memory := pebblekv.MachineMemory()
	for name, value := range map[string]int64{
		vtab.QueryMemoryLimit:       memory / 4,
		vtab.TransactionMemoryLimit: min(memory/8, 1<<30),
	} {
		if _, _, ok := sql.SystemVariables.GetGlobal(name); ok {
			continue // another store of this process has added it
		}
		sql.SystemVariables.AddSystemVariables([]sql.SystemVariable{&sql.MysqlSystemVariable{
			Name: name, Scope: sql.GetMysqlScope(sql.SystemVariableScope_Both), Dynamic: true,
			Type: types.NewSystemIntType(name, memoryLimitMin, math.MaxInt64, false), Default: value,
		}})
	}
}

// memoryLimitMin is the least limit: room for ordinary statements.
const memoryLimitMin = 1 << 16

// withServerCollation gives a database that names no collation the server's.
func withServerCollation(ctx *sql.Context, n *plan.CreateDB) (*plan.CreateDB, error) {
	if n.Collation != sql.Collation_Unspecified {
		return n, nil
	}
	value, err := ctx.GetSessionVariable(ctx, collationServer)
	if err != nil {
		return nil, err
	}
	name, _ := value.(string)
	named := *n
	named.Collation, err = sql.ParseCollation("", name, false)
	return &named, err
}
