package correct

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
)

// functionalIndexName is MySQL's name of a functional index without one.
const functionalIndexName = "functional_index"

// boundTable is a table with a schema whose expressions can be evaluated.
type boundTable struct {
	sql.Table
	schema sql.Schema
}

var _ sql.TableWrapper = boundTable{}

// Underlying implements sql.TableWrapper.
func (t boundTable) Underlying() sql.Table { return t.Table }

// Schema implements sql.Table.
func (t boundTable) Schema(*sql.Context) sql.Schema { return t.schema }

// fixAlterIndex serves the creation of functional indexes; nil for others. The
// engine evaluates the columns of such an index together with those of the indexes
// before it, whose expressions it has not bound, over the table as it was when the
// statement began, and calls the columns of two indexes without names the same.
func (p *Priority) fixAlterIndex(ctx *sql.Context, n *plan.AlterIndex) (sql.Node, error) {
	if n.Action != plan.IndexAction_Create || !slices.ContainsFunc(n.Columns, func(c sql.IndexColumn) bool { return c.Expression != nil }) {
		return nil, nil
	}
	resolved, ok := n.Table.(*plan.ResolvedTable)
	if !ok {
		return nil, nil
	}
	if _, done := resolved.Table.(boundTable); done {
		return nil, nil
	}
	db := n.Db
	if privileged, ok := db.(mysql_db.PrivilegedDatabase); ok {
		db = privileged.Unwrap()
	}
	table, ok, err := db.GetTableInsensitive(ctx, n.Table.Name())
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, sql.ErrTableNotFound.New(n.Table.Name())
	}
	names, err := indexNames(ctx, table)
	if err != nil {
		return nil, err
	}
	fixed := *n
	switch {
	case n.IndexName == "":
		fixed.IndexName = freeName(names)
	case names[strings.ToLower(n.IndexName)] && !n.IfNotExists:
		return nil, sql.ErrDuplicateKey.New(n.IndexName)
	}
	builder := planbuilder.New(ctx, p.catalog, nil)
	schema := builder.ResolveSchemaDefaults(db.Name(), table.Name(), table.Schema(ctx))
	fixed.Table, err = resolved.ReplaceTable(ctx, boundTable{table, schema})
	if err != nil {
		return nil, err
	}
	fixed.Columns = slices.Clone(n.Columns)
	return fixed.WithTargetSchema(schema)
}

// indexNames are the names of a table's indexes in lower case.
func indexNames(ctx *sql.Context, table sql.Table) (map[string]bool, error) {
	names := map[string]bool{}
	indexed, ok := table.(sql.IndexAddressable)
	if !ok {
		return names, nil
	}
	indexes, err := indexed.GetIndexes(ctx)
	for _, index := range indexes {
		names[strings.ToLower(index.ID())] = true
	}
	return names, err
}

func freeName(taken map[string]bool) string {
	name := functionalIndexName
	for n := 2; taken[name]; n++ {
		name = fmt.Sprintf("%s_%d", functionalIndexName, n)
	}
	return name
}
