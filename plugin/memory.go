package plugin

import (
	"errors"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/freshetdb/freshet/vtab"
)

// measure has the operators that keep rows count them against the session's limit:
// their inputs are measured where all rows are kept, and groups where they are made.
// It returns nil for other nodes, and for those that are measured already.
func (e *executor) measure(ctx *sql.Context, session *vtab.Session, n sql.Node, row sql.Row) (sql.RowIter, error) {
	switch n := n.(type) {
	case *plan.Sort, *plan.Window:
		return e.buildMeasured(ctx, n, row, -1)
	case *plan.TopN:
		limit, err := topNLimit(ctx, n, row)
		if err != nil {
			return nil, err
		}
		return e.buildMeasured(ctx, n, row, limit)
	case *plan.HashLookup:
		// The node keeps its rows from one execution to the next, so it is changed in
		// place. Cached rows below are the same ones.
		n.Mutex.Lock()
		defer n.Mutex.Unlock()
		if _, cached := n.Child.(*plan.CachedResults); !cached {
			n.Child = measuredOnce(n.Child)
		}
	case *plan.CachedResults:
		n.Child = measuredOnce(n.Child)
	case *plan.GroupBy:
		if _, ok := n.Child.(*measured); ok {
			return nil, nil
		}
		// The child says that the groups are counted; its rows are not kept.
		below, err := n.WithChildren(ctx, &measured{UnaryNode: plan.UnaryNode{Child: n.Child}})
		if err != nil {
			return nil, err
		}
		rows, err := e.corrections.Rebuild(ctx, below, row)
		if err != nil {
			return nil, err
		}
		share := &memoryShare{session: session, entry: groupMemory + aggregateMemory*int64(len(n.SelectDeps))}
		return &groups{RowIter: rows, share: share, manager: sql.NewMemoryManager(share)}, nil
	}
	return nil, nil
}

const (
	// groupMemory is what a group takes beside its aggregates: the map's entry, the key,
	// a row.
	groupMemory = 192
	// aggregateMemory is what the state of one aggregate function takes.
	aggregateMemory = 96
)

func topNLimit(ctx *sql.Context, n *plan.TopN, row sql.Row) (int64, error) {
	value, err := n.Limit.Eval(ctx, row)
	if err != nil {
		return 0, err
	}
	switch limit := value.(type) {
	case int8:
		return int64(limit), nil
	case int16:
		return int64(limit), nil
	case int32:
		return int64(limit), nil
	case int64:
		return limit, nil
	}
	return -1, nil
}

// buildMeasured builds a node of one child, the first rows of which are counted: all
// if kept is negative.
func (e *executor) buildMeasured(ctx *sql.Context, n sql.Node, row sql.Row, kept int64) (sql.RowIter, error) {
	child := n.Children()[0]
	if _, ok := child.(*measured); ok {
		return nil, nil
	}
	below, err := n.WithChildren(ctx, &measured{UnaryNode: plan.UnaryNode{Child: child}, kept: kept})
	if err != nil {
		return nil, err
	}
	return e.corrections.Rebuild(ctx, below, row)
}

func measuredOnce(n sql.Node) sql.Node {
	if _, ok := n.(*measured); ok {
		return n
	}
	return &measured{UnaryNode: plan.UnaryNode{Child: n}, kept: -1, forStatement: true}
}

// measured is a node whose rows are kept by the one above. It appears when a plan is
// executed only.
type measured struct {
	plan.UnaryNode
	// kept is how many rows are; all if it is negative.
	kept int64
	// forStatement: they are kept until the statement ends, not until the rows are
	// closed.
	forStatement bool
}

var _ sql.ExecBuilderNode = (*measured)(nil)

// BuildRowIter implements sql.ExecBuilderNode.
func (m *measured) BuildRowIter(ctx *sql.Context, b sql.NodeExecBuilder, row sql.Row) (sql.RowIter, error) {
	rows, err := b.Build(ctx, m.Child, row)
	if err != nil || m.kept == 0 {
		return rows, err
	}
	session, err := vtab.SessionOf(ctx)
	if err != nil {
		return nil, errors.Join(err, rows.Close(ctx))
	}
	return &measuredRows{RowIter: rows, session: session, left: m.kept, forStatement: m.forStatement}, nil
}

// Resolved implements sql.Node.
func (m *measured) Resolved() bool { return m.Child.Resolved() }

// String implements sql.Node.
func (m *measured) String() string { return m.Child.String() }

// Schema implements sql.Node.
func (m *measured) Schema(ctx *sql.Context) sql.Schema { return m.Child.Schema(ctx) }

// IsReadOnly implements sql.Node.
func (m *measured) IsReadOnly() bool { return m.Child.IsReadOnly() }

// WithChildren implements sql.Node.
func (m *measured) WithChildren(_ *sql.Context, children ...sql.Node) (sql.Node, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(m, len(children), 1)
	}
	changed := *m
	changed.Child = children[0]
	return &changed, nil
}

// measuredRows counts rows that are kept.
type measuredRows struct {
	sql.RowIter
	session      *vtab.Session
	left         int64 // rows still to be counted; all if negative
	bytes        int64
	forStatement bool
}

// Next implements sql.RowIter.
func (m *measuredRows) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := m.RowIter.Next(ctx)
	if err != nil || m.left == 0 {
		return row, err
	}
	bytes := vtab.RowMemory(row)
	if err := m.session.KeepMemory(bytes); err != nil {
		return nil, err
	}
	m.bytes += bytes
	if m.left > 0 {
		m.left--
	}
	return row, nil
}

// Close implements sql.RowIter.
func (m *measuredRows) Close(ctx *sql.Context) error {
	if !m.forStatement {
		m.session.ReleaseMemory(m.bytes)
		m.bytes = 0
	}
	return m.RowIter.Close(ctx)
}

// memoryShare is what the groups of one GROUP BY take. The engine's caches ask it
// before each group that they add.
type memoryShare struct {
	session *vtab.Session
	entry   int64
	bytes   int64
	err     error // why there is no more
}

var _ sql.Reporter = (*memoryShare)(nil)

// MaxMemory implements sql.Reporter.
func (s *memoryShare) MaxMemory() uint64 { return 2 }

// UsedMemory implements sql.Reporter: below the maximum if one more entry fits.
func (s *memoryShare) UsedMemory() uint64 {
	if s.err == nil {
		s.err = s.session.KeepMemory(s.entry)
	}
	if s.err != nil {
		return 2
	}
	s.bytes += s.entry
	return 1
}

// groups are the rows of a GROUP BY, whose cache of groups is the share's.
type groups struct {
	sql.RowIter
	share   *memoryShare
	manager *sql.MemoryManager
	given   *sql.Context // the context that inner was made of
	inner   *sql.Context
}

// Next implements sql.RowIter.
func (g *groups) Next(ctx *sql.Context) (sql.Row, error) {
	if g.given != ctx {
		g.given, g.inner = ctx, ctx.WithContext(ctx.Context)
		g.inner.Memory = g.manager
	}
	row, err := g.RowIter.Next(g.inner)
	if err != nil && g.share.err != nil && sql.ErrNoMemoryAvailable.Is(err) {
		return nil, g.share.err
	}
	return row, err
}

// Close implements sql.RowIter.
func (g *groups) Close(ctx *sql.Context) error {
	g.share.session.ReleaseMemory(g.share.bytes)
	g.share.bytes = 0
	return g.RowIter.Close(ctx)
}
