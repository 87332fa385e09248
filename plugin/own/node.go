package own

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/freshetdb/freshet/plugin/parser"
)

// node is a statement without inputs. It runs when its rows are asked for.
type node struct {
	statement parser.Statement
	schema    sql.Schema
	ddl       bool // what is open is committed first
	readOnly  bool // of the data
	run       func(*sql.Context) ([]sql.Row, error)
}

var _ sql.ExecSourceRel = (*node)(nil)

// IsDDL says whether the executor is to commit what is open before the statement,
// and the statement's own change after it, as MySQL does for those that change
// definitions.
func (n *node) IsDDL() bool { return n.ddl }

// RowIter implements sql.ExecSourceRel.
func (n *node) RowIter(ctx *sql.Context, _ sql.Row) (sql.RowIter, error) {
	rows, err := n.run(ctx)
	if err != nil {
		return nil, err
	}
	return sql.RowsToRowIter(rows...), nil
}

// Resolved implements sql.Node.
func (n *node) Resolved() bool { return true }

// String implements sql.Node.
func (n *node) String() string { return n.statement.String() }

// Schema implements sql.Node.
func (n *node) Schema(*sql.Context) sql.Schema { return n.schema }

// Children implements sql.Node.
func (n *node) Children() []sql.Node { return nil }

// WithChildren implements sql.Node.
func (n *node) WithChildren(_ *sql.Context, children ...sql.Node) (sql.Node, error) {
	return plan.NillaryWithChildren(n, children...)
}

// IsReadOnly implements sql.Node.
func (n *node) IsReadOnly() bool { return n.readOnly }

// CollationCoercibility implements sql.CollationCoercible.
func (n *node) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 7
}
