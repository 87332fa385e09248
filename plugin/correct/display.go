package correct

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/vitess/go/sqltypes"

	"github.com/freshetdb/freshet/vtab"
)

// displayed is a result some of whose columns come from table columns that are shown
// otherwise than their types say: with leading zeros, or a given number of decimals.
type displayed struct {
	plan.UnaryNode
	displays []*vtab.Display // by column, nil for those as usual
}

var _ sql.ExecBuilderNode = (*displayed)(nil)

// displayColumns wraps a finished plan whose result has such columns.
func displayColumns(ctx *sql.Context, n sql.Node) (sql.Node, bool) {
	if !showsOtherwise(ctx, n) {
		return n, false
	}
	n = undisplayed(ctx, n)
	source, names := resultColumns(ctx, n)
	displays := make([]*vtab.Display, len(names))
	found := false
	for i, name := range names {
		if name.column == "" {
			continue
		}
		if d, ok := displayOf(ctx, source, name); ok {
			displays[i], found = &d, true
		}
	}
	if !found {
		return n, true
	}
	return &displayed{plan.UnaryNode{Child: n}, displays}, true
}

// undisplayed takes off what was put around derived tables: they are analyzed like
// statements of their own.
func undisplayed(ctx *sql.Context, n sql.Node) sql.Node {
	plain, _, err := transform.NodeWithOpaque(ctx, n, func(_ *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		if d, ok := n.(*displayed); ok {
			return d.Child, transform.NewTree, nil
		}
		return n, transform.SameTree, nil
	})
	if err != nil {
		return n // nothing above fails, and the rows are the same either way
	}
	return plain
}

// showsOtherwise tells whether a plan reads a table that has such columns.
func showsOtherwise(ctx *sql.Context, n sql.Node) bool {
	found := false
	transform.InspectWithOpaque(ctx, n, func(_ *sql.Context, n sql.Node) bool {
		if table, ok := storeTable(n); ok && table.ShowsOtherwise() {
			found = true
		}
		return !found
	})
	return found
}

func storeTable(n sql.Node) (*vtab.Table, bool) {
	if access, ok := n.(*plan.IndexedTableAccess); ok {
		n = access.TableNode
	}
	resolved, ok := n.(*plan.ResolvedTable)
	if !ok {
		return nil, false
	}
	switch table := sql.GetUnderlyingTable(resolved.Table).(type) {
	case *vtab.Table:
		return table, true
	case *vtab.IndexedTable:
		return table.Table, true
	}
	return nil, false
}

// columnName is a column of a table, by the name that the table has in the query.
type columnName struct{ table, column string }

// resultColumns are the table columns that a plan returns as they are, and the plan
// below which their tables are.
func resultColumns(ctx *sql.Context, n sql.Node) (sql.Node, []columnName) {
	for {
		switch node := n.(type) {
		case *plan.Project:
			names := make([]columnName, len(node.Projections))
			for i, e := range node.Projections {
				if alias, ok := e.(*expression.Alias); ok {
					e = alias.Child
				}
				if field, ok := e.(*expression.GetField); ok {
					names[i] = columnName{field.Table(), field.Name()}
				}
			}
			return node.Child, names
		case *plan.SetOp, *plan.GroupBy, *plan.Window, *plan.RecursiveCte:
			return n, nil
		case *plan.Sort, *plan.Limit, *plan.Offset, *plan.TopN, *plan.Distinct, *plan.OrderedDistinct, *plan.Filter, *plan.Having:
			n = node.Children()[0]
		default:
			var names []columnName
			for _, column := range n.Schema(ctx) {
				names = append(names, columnName{column.Source, column.Name})
			}
			return n, names
		}
	}
}

// displayOf finds the table column behind a name among the tables of a plan.
func displayOf(ctx *sql.Context, n sql.Node, name columnName) (vtab.Display, bool) {
	switch node := n.(type) {
	case *plan.SubqueryAlias:
		if !strings.EqualFold(node.Name(), name.table) {
			return vtab.Display{}, false
		}
		source, inner := resultColumns(ctx, node.Child)
		at := node.Schema(ctx).IndexOfColName(name.column)
		if at < 0 || at >= len(inner) || inner[at].column == "" {
			return vtab.Display{}, false
		}
		return displayOf(ctx, source, inner[at])
	case *plan.TableAlias:
		if !strings.EqualFold(node.Name(), name.table) {
			return vtab.Display{}, false
		}
		if table, ok := storeTable(node.Child); ok {
			return table.Shown(name.column)
		}
		if sub, ok := node.Child.(*plan.SubqueryAlias); ok {
			return displayOf(ctx, sub, columnName{sub.Name(), name.column})
		}
		return vtab.Display{}, false
	}
	if table, ok := storeTable(n); ok {
		if !strings.EqualFold(table.Name(), name.table) {
			return vtab.Display{}, false
		}
		return table.Shown(name.column)
	}
	for _, child := range n.Children() {
		if d, ok := displayOf(ctx, child, name); ok {
			return d, true
		}
	}
	return vtab.Display{}, false
}

// Schema implements sql.Node.
func (n *displayed) Schema(ctx *sql.Context) sql.Schema {
	schema := n.Child.Schema(ctx).Copy()
	for i := range schema {
		if i < len(n.displays) && n.displays[i] != nil {
			schema[i].Type = DisplayType{schema[i].Type, *n.displays[i]}
		}
	}
	return schema
}

// IsReadOnly implements sql.Node.
func (n *displayed) IsReadOnly() bool { return n.Child.IsReadOnly() }

// String implements sql.Node.
func (n *displayed) String() string { return n.Child.String() }

// DebugString implements sql.DebugStringer.
func (n *displayed) DebugString(ctx *sql.Context) string { return sql.DebugString(ctx, n.Child) }

// WithChildren implements sql.Node.
func (n *displayed) WithChildren(_ *sql.Context, children ...sql.Node) (sql.Node, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(n, len(children), 1)
	}
	return &displayed{plan.UnaryNode{Child: children[0]}, n.displays}, nil
}

// BuildRowIter implements sql.ExecBuilderNode.
func (n *displayed) BuildRowIter(ctx *sql.Context, b sql.NodeExecBuilder, row sql.Row) (sql.RowIter, error) {
	return b.Build(ctx, n.Child, row)
}

// plainType is the type of a column itself.
type plainType = sql.Type

// DisplayType is the type of a result column that is shown otherwise.
type DisplayType struct {
	plainType
	Display vtab.Display
}

// Plain is the type of the column itself.
func (t DisplayType) Plain() sql.Type { return t.plainType }

// SQL implements sql.Type.
func (t DisplayType) SQL(ctx *sql.Context, dest []byte, value any) (sqltypes.Value, error) {
	shown, err := t.plainType.SQL(ctx, dest, value)
	if err != nil || shown.IsNull() {
		return shown, err
	}
	return sqltypes.MakeTrusted(shown.Type(), []byte(t.Display.Text(t.plainType, shown.ToString()))), nil
}
