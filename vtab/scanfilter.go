package vtab

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
)

// scanFilter is a filter right above a table whose scan applies it: a row that is
// not wanted costs the columns that the condition looks at, and no memory.
type scanFilter struct {
	use  *stmtState
	test rowTest
	rows sql.RowIter
	scan *rowIter // nil until the first row, and for good where the rows come from elsewhere
}

// rowTest is a condition on the rows of a scan.
type rowTest struct {
	cond sql.Expression
	// columns are the places in the row that cond reads.
	columns []int
}

var _ sql.RowIter = (*scanFilter)(nil)

// NewScanFilter returns a filter over the rows of n, nil unless n is a table of
// this package as it stands and cond reads nothing but its columns. rows makes the
// iterator of n.
func NewScanFilter(n sql.Node, cond sql.Expression, rows func() (sql.RowIter, error)) (sql.RowIter, error) {
	if alias, ok := n.(*plan.TableAlias); ok {
		n = alias.Child
	}
	resolved, ok := n.(*plan.ResolvedTable)
	if !ok {
		return nil, nil
	}
	inner := resolved.Table
	if process, ok := inner.(*plan.ProcessTable); ok {
		inner = process.Underlying()
	}
	table, ok := inner.(*Table)
	if !ok {
		return nil, nil
	}
	columns, ok := columnsOf(cond, len(table.wanted()))
	if !ok {
		return nil, nil
	}
	below, err := rows()
	if err != nil {
		return nil, err
	}
	return &scanFilter{use: table.use, test: rowTest{cond, columns}, rows: below}, nil
}

// columnsOf lists the places that an expression reads in a row of so many columns;
// ok is false if it may do more than compute with them. A row lives no longer than
// its test, so nothing that could keep it is allowed.
func columnsOf(e sql.Expression, width int) (columns []int, ok bool) {
	ok = true
	seen := make([]bool, width)
	sql.Inspect(nil, e, func(_ *sql.Context, e sql.Expression) bool {
		switch e := e.(type) {
		case *plan.Subquery, *plan.InSubquery, *plan.ExistsSubquery, sql.FunctionExpression, *expression.UserVar,
			*expression.MatchAgainst: // reads the key of the row, too
			ok = false
		case *expression.GetField:
			at := e.Index()
			if at < 0 || at >= width {
				ok = false
			} else if !seen[at] {
				seen[at] = true
				columns = append(columns, at)
			}
		}
		return ok
	})
	return columns, ok && len(columns) > 0
}

// Next implements sql.RowIter.
func (f *scanFilter) Next(ctx *sql.Context) (sql.Row, error) {
	for {
		row, err := f.next(ctx)
		if err != nil {
			return nil, err
		}
		if f.scan != nil && f.scan.test != nil {
			return row, nil
		}
		if wanted, err := f.test.of(ctx, row); err != nil || wanted {
			return row, err
		}
	}
}

// next takes a row from below. The scan that is made for the first one is to apply
// the test.
func (f *scanFilter) next(ctx *sql.Context) (sql.Row, error) {
	if f.scan != nil {
		return f.rows.Next(ctx)
	}
	f.use.test = f
	defer func() { f.use.test = nil }()
	return f.rows.Next(ctx)
}

// Close implements sql.RowIter.
func (f *scanFilter) Close(ctx *sql.Context) error { return f.rows.Close(ctx) }

func (t *rowTest) of(ctx *sql.Context, row sql.Row) (bool, error) {
	value, err := sql.EvaluateCondition(ctx, t.cond, row)
	return err == nil && sql.IsTrue(value), err
}

// testedScan applies a test in a scan.
type testedScan struct {
	*rowTest
	dec *decoder // of the columns that the test reads
	// read are those columns, row the row that the test sees. Both are used again
	// for every row.
	read, row sql.Row
}

// prepareTest decides whether the scan applies the test of the filter above: it does
// where it reads rows of its snapshot that are shown as they are stored.
func (i *rowIter) prepareTest() {
	if i.test == nil {
		return
	}
	if i.mode.current || !i.byPrimary() || len(i.moments) > 0 || len(i.want) == 0 {
		i.test = nil
		return
	}
	columns := make([]int, len(i.test.columns))
	for n, at := range i.test.columns {
		columns[n] = i.want[at]
		if i.shape.schema[columns[n]].Virtual {
			i.test = nil
			return
		}
	}
	i.test.dec = newDecoder(i.shape, columns)
	i.test.read, i.test.row = make(sql.Row, len(columns)), make(sql.Row, len(i.want))
}

// passes reports whether a stored row is wanted.
func (t *testedScan) passes(ctx *sql.Context, key, value []byte) (bool, error) {
	clear(t.read)
	if err := t.dec.decode(ctx, key, value, t.read); err != nil {
		return false, err
	}
	for n, at := range t.columns {
		t.row[at] = t.read[n]
	}
	return t.of(ctx, t.row)
}
